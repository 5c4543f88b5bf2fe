"""A critic is nobody's author: whom it is told to be, and which conversation it goes on with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.desk import Desk, Told, _instructions
from workers.agents.builtin import BuiltinAgent
from workers.agents.protocol import AgentReply, AgentRequest

CRITICAL = ("critique", "architecture_review")


def in_conversation(request: AgentRequest) -> AgentReply:
    """Answers as the built-in agent, and names a conversation of its own to each call."""
    name = f"{request.task}/{request.perspective or request.kind}"
    return replace(BuiltinAgent().ask(request), agent="told", client_session=name)


def test_a_critic_neither_goes_on_with_an_authors_conversation_nor_leaves_it_its_own(tmp_path: Path) -> None:
    told = Told(answers={"*": in_conversation})
    desk = Desk(tmp_path, told)

    desk.run(desk.until("DRAFT-004"))

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
    assert not {request.folder for request in critics} & {request.folder for request in authors}
    assert {request.role for request in critics} == {"discussant"}
    assert [request.role for request in authors] == ["analyst", "writer", "writer", "writer", "writer"]
    desk.store.close()


def test_changed_instructions_of_a_critic_make_new_answers(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    row = desk.claim()
    before = desk.context(row).input_digest
    assert desk.context(row).input_digest == before

    desk.runtime.instructions = lambda role: (
        _instructions(role) + ("Be brief.\n" if role == "discussant" else "")
    )

    assert desk.context(row).input_digest != before
    desk.store.close()
