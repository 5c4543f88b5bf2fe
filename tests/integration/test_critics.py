"""A critic is nobody's author: whom it is told to be, and which conversation it goes on with."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

from orchestrator.config import load_settings
from tests.runtime_harness import RuntimeHarness, Told, _instructions
from workers.agents.protocol import AgentReply, AgentRequest
from workers.agents.routing import build_router
from workers.builtin import BuiltinAgent

CRITICAL = ("critique", "architecture_review")


def in_conversation(request: AgentRequest) -> AgentReply:
    """Answers as the built-in agent, and names a conversation of its own to each call."""
    name = f"{request.task}/{request.perspective or request.kind}"
    return replace(BuiltinAgent().ask(request), agent="told", client_session=name)


def test_a_critic_neither_goes_on_with_an_authors_conversation_nor_leaves_it_its_own(tmp_path: Path) -> None:
    told = Told(answers={"*": in_conversation})
    harness = RuntimeHarness(tmp_path, told)

    harness.run(harness.until("DRAFT-004"))

    critics = [request for request in told.requests if request.kind in CRITICAL]
    authors = [request for request in told.requests if request.kind not in CRITICAL]
    assert {request.kind for request in critics} == set(CRITICAL)
    assert {request.resume for request in critics} == {None}
    assert [request.resume for request in authors] == [
        None,
        None,
        "DRAFT-001/brief",
        "DRAFT-002/requirements",
        "DRAFT-003/architecture",
    ]
    assert {request.news for request in critics} == {None}
    sent = [request.news or request.prompt for request in authors]
    assert [request.prompt.count(harness.state().request) for request in authors] == [1] * 5
    assert [said.count(harness.state().request) for said in sent] == [1, 1, 0, 0, 0], "told only what is new"
    assert (
        "The document spec/product-brief.md" in sent[2]
        and "The document spec/product-brief.md" not in sent[3]
    )
    assert not {request.folder for request in critics} & {request.folder for request in authors}
    assert {request.role for request in critics} == {"discussant"}
    assert [request.role for request in authors] == ["analyst", "writer", "writer", "writer", "writer"]
    harness.store.close()


def test_changed_instructions_of_a_critic_make_new_answers(tmp_path: Path) -> None:
    harness = RuntimeHarness(tmp_path)
    row = harness.claim()
    before = harness.context(row).input_digest
    assert harness.context(row).input_digest == before

    harness.runtime.instructions = lambda role: (
        _instructions(role) + ("Be brief.\n" if role == "discussant" else "")
    )

    assert harness.context(row).input_digest != before
    harness.store.close()


TOGETHER = """
import os, pathlib, sys, time
here = pathlib.Path(sys.argv[1])
(here / os.environ["LIFECYCLE_PERSPECTIVE"]).touch()
until = time.monotonic() + 60
while len(list(here.iterdir())) < 5 and time.monotonic() < until:
    time.sleep(0.02)
print('{"rating": 4, "strengths": ["%d came"]}' % len(list(here.iterdir())))
"""


def test_the_largest_round_is_asked_in_one_wave(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    script = tmp_path / "together.py"
    script.write_text(TOGETHER)
    program = {"kind": "command", "command": [sys.executable, "-I", "-S", str(script), str(here)]}
    views = {view: ["mine"] for view in ("product", "technical", "quality", "risk", "coverage")}
    harness = RuntimeHarness(tmp_path)
    row = harness.until("QUALITY-001")
    settings = load_settings(
        None, {}, {"agents": {"mine": program}, "perspectives": views, "critics": "separate"}
    )
    harness.setup = replace(
        harness.setup,
        settings=settings,
        router=build_router(settings, dict(os.environ), lambda _: None, builtin=BuiltinAgent()),
    )

    harness.run(row)

    said = [reply for (reply,) in harness.rows("SELECT reply FROM critiques WHERE agent = 'mine'")]
    assert len(said) == 5 and all("5 came" in reply for reply in said), said
    harness.store.close()
