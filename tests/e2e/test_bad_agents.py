"""Agents that misbehave (reliability, bad inputs 30-45), through a whole session: it absorbs them and leaves nothing."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.e2e.agents.hostile import DEEDS
from tests.e2e.support import Lifecycle, agent_toml, lifecycle

REQUEST = "Build a URL shortener. It must expire links after 30 days."
SCRIPT = Path(__file__).parent / "agents" / "hostile.py"
LIMITS = {"start": 60, "silence": 60, "turn": 2, "total": 3}
CLASSES = {"rubbish", "crashed", "timeout"}
OUTSIDE = [Path("/tmp/outside.md"), Path.home() / "outside.md"]


def settings_of(deed: str, *, roles: dict[str, list[str]], views: dict[str, list[str]]) -> str:
    """The text of the configuration with the agent `bad`, who is the first choice of `roles` and `views`."""
    agent = agent_toml("bad", [sys.executable, str(SCRIPT), deed])
    parts: dict[str, Mapping[str, object]] = {"agent_limits": LIMITS, "roles": roles, "perspectives": views}
    tables = [
        f"\n[{name}]\n" + "".join(f"{key} = {value!r}\n" for key, value in values.items())
        for name, values in parts.items()
        if values
    ]
    return agent + "".join(tables)


def calls(life: Lifecycle) -> dict[str, set[str]]:
    """Agent -> how its calls ended."""
    found: dict[str, set[str]] = {}
    for agent, outcome in life.rows("SELECT agent, outcome FROM agent_calls"):
        found.setdefault(agent, set()).add(outcome)
    return found


def files_of(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if ".workflow" not in file.parts}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_session_absorbs_an_agent_that_misbehaves(tmp_path: Path, deed: str) -> None:
    roles = {"analyst": ["bad", "builtin"], "writer": ["builtin"], "reviewer": ["builtin"]}
    with lifecycle(tmp_path / "p", extra=settings_of(deed, roles=roles, views={})) as life:
        before = files_of(life.folder)

        gave = life.run("start", REQUEST, "--discuss", "off")

        assert gave.code == 0, gave.err
        assert life.status() == ("completed", None)
        assert set(life.tasks().values()) == {"completed"}
        assert life.story("RESEARCH-001") == [
            "completed"
        ]  # absorbed in the one attempt, not paid for with another
        assert calls(life)["bad"] <= CLASSES, calls(life)
        assert calls(life)["builtin"] == {"answered"}
        life.wait(lambda: not life.marked(), "no process of a run lives on", 15)
        assert files_of(life.folder) == before
        assert not any(file.exists() for file in OUTSIDE)


VIEWS = {view: ["bad"] for view in ("product", "technical", "quality", "risk", "coverage")}


@pytest.mark.parametrize(
    "deed", ["30-nothing", "32-invalid-utf8", "33-wrong-types", "42-killed", "44-double-fork"]
)
def test_a_discussion_absorbs_an_agent_that_misbehaves(tmp_path: Path, deed: str) -> None:
    with lifecycle(tmp_path / "p", extra=settings_of(deed, roles={}, views=VIEWS)) as life:
        gave = life.run("start", REQUEST)

        assert gave.code == 0, gave.err
        assert life.status() == ("completed", None)
        assert all(story == ["completed"] for story in map(life.story, life.tasks()))
        life.wait(lambda: not life.marked(), "no process of a run lives on", 15)
        assert calls(life)["bad"] <= CLASSES, calls(life)
        assert calls(life)["builtin"] == {"answered"}  # who stands in
