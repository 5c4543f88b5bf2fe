"""`make bench-check`: what is worse by a quarter is found, and a commit is measured by its own code."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.bench.paired import HISTORY, WORSE, main, pairs, unpack

BEFORE = [{"hop": ("ms", value), "tasks": ("/s", 1000.0), "gone": ("s", 1.0)} for value in (1.0, 1.1, 0.9)]


@pytest.mark.parametrize(
    ("hops", "tasks", "worse"),
    [
        ((1.0, 1.1, 0.9), (1000.0, 1000.0, 1000.0), []),
        ((1.3, 1.4, 1.2), (1000.0, 1000.0, 1000.0), ["hop"]),
        ((1.0, 1.1, 5.0), (1000.0, 1000.0, 1000.0), []),  # one bad round is a busy minute
        ((0.5, 0.5, 0.5), (700.0, 750.0, 2000.0), ["tasks"]),
    ],
)
def test_what_is_worse_by_a_quarter_in_most_rounds_is_found(
    hops: tuple[float, ...], tasks: tuple[float, ...], worse: list[str]
) -> None:
    now = [
        {"hop": ("ms", hop), "tasks": ("/s", count), "new": ("s", 1.0)}
        for hop, count in zip(hops, tasks, strict=True)
    ]

    found = pairs(BEFORE, now)

    assert [each.name for each in found] == ["hop", "tasks"]
    assert [each.name for each in found if each.worse] == worse


def test_the_base_runs_its_own_code_with_the_libraries_of_this_environment(tmp_path: Path) -> None:
    commit = unpack("HEAD", tmp_path)

    said = subprocess.run(
        [
            str(tmp_path / ".venv/bin/python"),
            "-P",
            "-c",
            "import json, orchestrator, workers, sqlalchemy;"
            "print(json.dumps([orchestrator.__file__, workers.__file__, sqlalchemy.__file__]))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    ours, workers, library = map(Path, json.loads(said.stdout))

    assert len(commit) == 40
    assert ours.is_relative_to(tmp_path) and workers.is_relative_to(tmp_path)
    assert not library.is_relative_to(tmp_path)


def test_an_unknown_base_is_refused() -> None:
    with pytest.raises(SystemExit, match="is no commit here"):
        main(["--base", "no-such-commit"])


def test_no_entry_of_the_history_is_worse_than_its_base() -> None:
    entries = [json.loads(line) for line in HISTORY.read_text().splitlines()]

    assert entries
    for each in entries:
        assert {"day", "base", "head", "machine", "figures"} <= each.keys()
        for figure in each["figures"]:
            ratios = sorted(figure["ratios"])
            assert ratios[len(ratios) // 2] <= WORSE, f"{figure['name']} since {each['base']}"
