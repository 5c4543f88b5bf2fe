"""How hard a request is by its words, and the angles it is explored from (docs/planning.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.domain.complexity import angles_of, complexity_of
from orchestrator.domain.errors import UnknownName
from workers.explore.presets import planning_rules, read_rules


@pytest.mark.parametrize(
    ("request_", "score", "level"),
    [
        ("Build a URL shortener", 0, "Low"),
        ("Add an API with a database", 1, "Low"),  # one group counts once
        ("Refactor the parser", 2, "Medium"),
        ("Refactored modules of the API", 3, "Medium"),
        ("Refactor the API across services", 5, "High"),
        ("Refactor multiple APIs for security", 6, "High"),
        ("a" * 5_000, 0, "Low"),  # length says nothing
        ("authored by ann", 0, "Low"),
        ("重构数据库接口", 3, "Medium"),
        ("修复登录", 0, "Low"),
    ],
)
def test_words_give_the_level(request_: str, score: int, level: str) -> None:
    found = complexity_of(request_, planning_rules())

    assert (found.score, found.level) == (score, level)


@pytest.mark.parametrize(
    ("request_", "first"),
    [
        ("Fix the crash in the parser", "error-handling"),
        ("Make the search faster, it is slow", "performance"),
        ("Encrypt passwords", "security"),
        ("Decouple the modules", "architecture"),
        ("Add a page of names", "patterns"),
        ("优化性能", "performance"),
    ],
)
def test_the_preset_with_most_words_leads(request_: str, first: str) -> None:
    assert angles_of(request_, "Low", planning_rules()) == (first,)


@pytest.mark.parametrize(("level", "count"), [("Low", 1), ("Medium", 3), ("High", 5)])
def test_each_level_has_its_number_of_angles(level: str, count: int) -> None:
    assert len(angles_of("Add a page", level, planning_rules())) == count


def test_an_angle_that_no_exploration_has_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "planning.yaml"
    file.write_text(
        "complexity: []\nlevels: {Low: {from: 0, angles: 1}}\npresets: {all: {words: [], angles: [nowhere]}}\n"
    )

    with pytest.raises(UnknownName, match="nowhere"):
        read_rules(file)
