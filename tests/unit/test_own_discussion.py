"""Discussing a file of one's own: what names a round, where the file is kept, and who discusses it."""

from __future__ import annotations

import pytest

from orchestrator.config import load_pack
from orchestrator.domain.errors import UnknownName, UsageError
from orchestrator.domain.own_discussion import USUAL, artifact_of, chosen_views, names_a_round
from orchestrator.store import files

PACK = load_pack(None, {"LIFECYCLE_CONFIG_DIR": "/nonexistent"})


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("2", True),
        ("D2", True),
        ("discuss-002", True),
        ("DISCUSS-002-R1", True),
        ("2.md", False),
        ("notes", False),
    ],
)
def test_a_round_is_told_from_a_file(name: str, is_one: bool) -> None:
    assert names_a_round(name) is is_one


@pytest.mark.parametrize(
    "name",
    [
        "notes.md",
        "a b.md",
        ".hidden",
        "x",
        "论文.md",
        "data.json",
        "page.html",
        "-",
        "a" * 300,
        "a..md",
        "CON",
    ],
)
def test_a_file_is_kept_under_a_plain_name(name: str) -> None:
    path = artifact_of(name)

    files.clean(path)
    assert path.startswith("input/") and path.endswith((".md", ".json", ".txt"))


def test_the_usual_perspectives_speak_where_none_is_named() -> None:
    assert chosen_views(PACK, ()) == USUAL
    assert chosen_views(PACK, ("risk", "risk", "clarity")) == ("risk", "clarity")
    with pytest.raises(UnknownName):
        chosen_views(PACK, ("elegance",))
    with pytest.raises(UsageError):
        chosen_views(PACK, ("coverage",))
