"""`hand_over_mcp` without the extra: the work is done without the server, and whoever looks is told."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestrator.project import Project
from orchestrator.views.doctor import examine
from orchestrator.views.examination import Check
from tests.runtime_harness import RuntimeHarness, Told
from workers.context.agent_calls import NO_MCP


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is not there: an import of it would fail."""
    monkeypatch.setitem(sys.modules, "mcp", None)


def wished(folder: Path, **settings: Any) -> tuple[RuntimeHarness, Told]:
    agent = Told("claude")
    return RuntimeHarness(folder, agent, discuss="off", settings={"hand_over_mcp": True, **settings}), agent


def notes(harness: RuntimeHarness) -> list[str]:
    data = [json.loads(row[0]) for row in harness.rows("SELECT data FROM messages WHERE kind = 'message'")]
    return [note for each in data for note in each.get("notes", [])]


@pytest.mark.usefixtures("missing")
def test_a_run_goes_on_without_the_server_and_notes_it_once(tmp_path: Path) -> None:
    harness, agent = wished(tmp_path)

    harness.run(harness.until("DRAFT-003"))  # asks twice: a draft and its review

    asked = [request for request in agent.requests if request.task == "DRAFT-003"]
    assert [request.mcp for request in asked] == [{}, {}]
    assert harness.task("DRAFT-003").status == "completed"
    assert notes(harness).count(NO_MCP) == 4  # of the four runs, each once
    assert 'pip install "team-lifecycle[mcp]"' in NO_MCP


def test_where_it_is_installed_an_agent_gets_it_and_nothing_is_noted(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="team-lifecycle[mcp] is not installed")
    harness, agent = wished(tmp_path)
    (harness.project / ".workflow").mkdir()

    harness.run()

    assert set(agent.requests[0].mcp) == {"team"}
    assert NO_MCP not in notes(harness)


def checked(folder: Path) -> Check:
    found = examine(
        Project(folder),
        lambda _: {"agents": [], "not_read_only": None, "no_sandbox": None, "no_browser": None},
    )
    return next(each for each in found if each.name == "mcp")


@pytest.mark.usefixtures("missing")
def test_doctor_says_that_the_server_is_not_installed_and_how_to_install_it(tmp_path: Path) -> None:
    quiet = checked(tmp_path)
    (tmp_path / ".workflow").mkdir()
    (tmp_path / ".workflow" / "config.toml").write_text("hand_over_mcp = true\n")

    wanted = checked(tmp_path)

    assert quiet.state == "ok"
    assert (wanted.state, wanted.fix) == ("fault", 'pip install "team-lifecycle[mcp]"')
