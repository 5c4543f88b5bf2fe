"""Agents that misbehave (docs/bad-inputs.md, 30-45), through a whole session: it absorbs them and leaves nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.agents.hostile import DEEDS
from tests.e2e.support import Gave, Lifecycle, agent_toml, lifecycle
from tests.rows import common

REQUEST = "Build a URL shortener. It must expire links after 30 days."
SCRIPT = Path(__file__).parent / "agents" / "hostile.py"
LIMITS = {"start": 60, "silence": 60, "turn": 2, "total": 3}
CLASSES = {"rubbish", "crashed", "timeout"}
OUTSIDE = [Path("/tmp/outside.md"), Path.home() / "outside.md"]


VIEWS = {view: ["bad"] for view in ("product", "technical", "quality", "risk", "coverage")}
ROLES = {"analyst": ["bad", "builtin"], "writer": ["builtin"], "reviewer": ["builtin"]}


@contextmanager
def among(
    folder: Path, roles: Mapping[str, list[str]], views: Mapping[str, list[str]]
) -> Iterator[Lifecycle]:
    """A project whose agent `bad` is the first choice of these roles and views; `deed` names what it does."""
    agent = agent_toml("bad", [sys.executable, str(SCRIPT), str(folder / ".workflow" / "deed")])
    parts: dict[str, Mapping[str, object]] = {"agent_limits": LIMITS, "roles": roles, "perspectives": views}
    tables = [
        f"\n[{name}]\n" + "".join(f"{key} = {value!r}\n" for key, value in values.items())
        for name, values in parts.items()
        if values
    ]
    with lifecycle(folder, extra=agent + "".join(tables)) as life:
        yield life


@pytest.fixture(scope="module")
def author(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lifecycle]:
    with among(tmp_path_factory.mktemp("author"), ROLES, {}) as life:
        yield life


@pytest.fixture(scope="module")
def critic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lifecycle]:
    with among(tmp_path_factory.mktemp("critic"), {}, VIEWS) as life:
        yield life


def start(life: Lifecycle, deed: str, *options: str) -> Gave:
    (life.folder / ".workflow" / "deed").write_text(deed)
    return life.run("start", REQUEST, *options)


def calls(life: Lifecycle) -> dict[str, set[str]]:
    """Agent -> how its calls ended in the newest session."""
    found: dict[str, set[str]] = {}
    for agent, outcome in life.rows(
        "SELECT agent, outcome FROM agent_calls WHERE session_id = ?", life.session()
    ):
        found.setdefault(agent, set()).add(outcome)
    return found


def files_of(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if ".workflow" not in file.parts}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_session_absorbs_an_agent_that_misbehaves(author: Lifecycle, deed: str) -> None:
    before = files_of(author.folder)

    gave = start(author, deed, "--discuss", "off")

    assert gave.code == 0, gave.err
    assert author.status() == ("completed", None)
    assert set(author.tasks().values()) == {"completed"}
    assert author.story("RESEARCH-001") == ["completed"]  # absorbed in the one attempt, not paid for twice
    assert calls(author)["bad"] <= CLASSES, calls(author)
    assert calls(author)["builtin"] == {"answered"}
    author.wait(lambda: not author.marked(), "no process of a run lives on", 15)
    assert files_of(author.folder) == before
    assert not any(file.exists() for file in OUTSIDE)


@pytest.mark.parametrize(
    "deed",
    common(
        ["30-nothing", "32-invalid-utf8", "33-wrong-types", "42-killed", "44-double-fork"],
        ["32-invalid-utf8"],
    ),
)
def test_a_discussion_absorbs_an_agent_that_misbehaves(critic: Lifecycle, deed: str) -> None:
    gave = start(critic, deed)

    assert gave.code == 0, gave.err
    assert critic.status() == ("completed", None)
    assert all(story == ["completed"] for story in map(critic.story, critic.tasks()))
    critic.wait(lambda: not critic.marked(), "no process of a run lives on", 15)
    assert calls(critic)["bad"] <= CLASSES, calls(critic)
    assert calls(critic)["builtin"] == {"answered"}  # who stands in
    assert "bad answered none of " in gave.out
    assert [each["agent"] for each in critic.run("check", "--json").json()["unanswering"]] == ["bad"]
