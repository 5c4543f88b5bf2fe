"""Whose instructions stand in the prompt of which call, through a whole session of a program that answers everything."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from orchestrator.config import resources
from tests.e2e.support import agent_toml, lifecycle
from tests.e2e.test_authors import REQUEST, SCRIPT

VIEWS = ("product", "technical", "quality", "risk", "coverage")
ROLES = {"discovery": "analyst", "critique": "discussant", "architecture_review": "discussant"}


def role_line(role: str) -> str:
    return (resources() / "config" / "roles" / f"{role}.md").read_text().splitlines()[0]


def test_authors_get_their_own_roles_instructions_and_critics_the_discussants(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    extra = agent_toml("author", [sys.executable, "-I", "-S", str(SCRIPT), str(notes)])
    extra += "\n[perspectives]\n" + "".join(f"{view} = {json.dumps(['author'])}\n" for view in VIEWS)
    with lifecycle(tmp_path / "p", extra=extra) as project:
        done = project.run("start", REQUEST)

        assert done.code == 0, done.err
        asked = {file.name: file.read_text() for file in notes.iterdir()}
        calls = project.rows("SELECT DISTINCT purpose, perspective FROM agent_calls WHERE agent = 'author'")
        assert len({kind for kind, _ in calls}) == 7, calls  # five documents, the review of one, critiques
        assert len(asked) == project.rows("SELECT count(*) FROM agent_calls")[0][0], sorted(asked)
    every = {role_line(role) for role in ("analyst", "writer", "reviewer", "discussant")}
    for name, prompt in asked.items():
        kind = name.split("-")[2]
        assert every & set(prompt.splitlines()) == {role_line(ROLES.get(kind, "writer"))}, name
