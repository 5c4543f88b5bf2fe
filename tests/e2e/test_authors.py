"""A command agent writes the documents: its content, our form, our ids."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.e2e.support import agent_toml, lifecycle

SCRIPT = Path(__file__).parent / "agents" / "author.py"
REQUEST = "The catalogue must show where an object lies"


def test_a_program_writes_every_document_and_gets_ids_form_and_a_repair_turn(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    extra = agent_toml("author", [sys.executable, str(SCRIPT), str(notes)])
    with lifecycle(tmp_path / "p", extra=extra) as project:
        done = project.run("start", REQUEST)

        assert done.code == 0, done.err
        spec = project.directory() / "spec"
        requirement = next((spec / "requirements").glob("REQ-001-*.md")).read_text()
        assert "The catalogue must show where an object lies" in requirement and "G-001" in requirement
        assert "G-099" not in (next((spec / "requirements").glob("REQ-002-*.md"))).read_text(), (
            "an unknown id was kept"
        )
        content = json.loads((spec / ".content" / "epics.json").read_text())["content"]["items"]
        assert [(epic["id"], epic["depends_on"]) for epic in content] == [
            ("EPIC-001", []),
            ("EPIC-002", ["EPIC-001"]),
        ]
        assert content[0]["stories"][0]["id"] == "STORY-001-001"
        architecture = (spec / "architecture" / "_index.md").read_text()
        assert "Who may change a place is not said" in architecture
        calls = project.rows("SELECT purpose, agent, outcome, retries FROM agent_calls")
        assert {agent for _, agent, _, _ in calls} == {"author"} and {
            outcome for *_, outcome, _ in calls
        } == {"answered"}
        assert [retries for purpose, *_, retries in calls if purpose == "brief"] == [1]
        repair = (notes / "DRAFT-001-brief-").read_text()
        assert "vision" in repair.split("JSON Schema")[-1]
        prompt = (notes / "DRAFT-004-epics-").read_text()
        assert "ADR-001" in prompt and REQUEST in prompt
        project.wait(lambda: not project.marked(), "no process of a run lives on", 15)
