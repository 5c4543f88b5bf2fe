"""What holds for every coding agent's client, with a program in its place that can be told what to do."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.errors import AgentCrashed, AgentError, AgentTimedOut
from tests.clients.support import GOOD, request
from workers.agents.pointing import UNPLACED, Places
from workers.agents.programs.dialect import Call, ParsedOutput
from workers.agents.programs.external import ExternalAgent
from workers.agents.programs.process import Ended
from workers.agents.protocol import AgentRequest, Exit, Timeouts
from workers.documents.content import Critique


class Scripted:
    """Runs a script; `GONE` in its output means that the conversation is not there any more."""

    streams = True
    can_resume = True

    def __init__(self, script: str) -> None:
        self._script = script
        self.resumed: list[str | None] = []

    def call(self, asked: AgentRequest, prompt: str, resume: str | None, folder: Path) -> Call:
        self.resumed.append(resume)
        return Call([sys.executable, "-c", self._script], {"RESUME": resume or ""})

    def parse_output(self, out: str, errors: str, ended: Ended | None, resume: str | None) -> ParsedOutput:
        fault = AgentCrashed("gone") if "GONE" in out and ended is not None else None
        return ParsedOutput(out, session="c-1", fault=fault)


def scripted(script: str) -> tuple[ExternalAgent, Scripted]:
    dialect = Scripted(script)
    return ExternalAgent("scripted", sys.executable, dialect, environ=os.environ), dialect


def test_what_one_that_is_only_asked_writes_is_removed_and_told(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    agent, _ = scripted(
        f"import os; open('a.txt', 'w'); os.makedirs('d/e'); os.symlink({str(outside)!r}, 'link'); print({GOOD!r})"
    )
    asked = request(tmp_path / "run", "Rate it.", schema=None)

    reply = agent.ask(asked)

    assert any("a.txt, d, link: removed" in note for note in reply.notes)
    assert list((tmp_path / "run" / "loop" / "work").iterdir()) == []
    assert (outside / "kept").exists()


@pytest.mark.parametrize(
    ("script", "seen"),
    [
        (f"print({GOOD!r})", Exit("exited", 0)),
        (f"import sys; print({GOOD!r}); sys.exit(3)", Exit("exited", 3)),
        ("import sys; sys.exit(4)", Exit("exited", 4)),
        ("import os; os.kill(os.getpid(), 9)", Exit("exited", None, 9)),
        ("import time; print('x' * 1000, flush=True); time.sleep(60)", Exit("output_limit", None, 9)),
    ],
)
def test_how_it_ended_is_told_with_its_answer_and_with_its_error(
    tmp_path: Path, script: str, seen: Exit
) -> None:
    agent, _ = scripted(script)
    asked = replace(request(tmp_path / "run", "Rate it."), timeouts=Timeouts(output_bytes=500))

    try:
        told = agent.ask(asked).exit
    except AgentError as error:
        told = error.exit

    assert told == seen


def test_a_folder_that_became_a_link_is_not_emptied(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    agent, _ = scripted(
        f"import os; os.chdir('..'); os.rmdir('work'); os.symlink({str(outside)!r}, 'work'); print('done')"
    )

    with pytest.raises(OSError):
        agent.ask(request(tmp_path / "run", "Rate it.", schema=None))

    assert (outside / "kept").exists()


@pytest.mark.parametrize("given", [None, "old"])
def test_a_conversation_that_is_gone_is_begun_anew(tmp_path: Path, given: Any) -> None:
    agent, dialect = scripted("import os; print('GONE' if os.environ['RESUME'] == 'old' else 'a new answer')")

    reply = agent.ask(request(tmp_path / "run", "Rate it.", schema=None, resume=given))

    assert reply.text.strip() == "a new answer"
    assert dialect.resumed == ([None] if given is None else ["old", None])
    assert reply.client_session == "c-1"


def test_a_repair_that_takes_too_long_is_a_timeout_like_any_other(tmp_path: Path) -> None:
    agent, _ = scripted("import os, time; time.sleep(60) if os.environ['RESUME'] else print('no JSON')")
    timeouts = Timeouts(start=None, silence=None, turn=2, total=20)

    with pytest.raises(AgentTimedOut, match="turn limit") as met:
        agent.ask(request(tmp_path / "run", "Rate it.", timeouts=timeouts))

    assert met.value.retries == 1


ECHO = "import os, sys; said = sys.stdin.read(); print('GONE' if os.environ['RESUME'] == 'old' else said)"


@pytest.mark.parametrize(
    ("resume", "heard"), [("c-0", "what is new"), (None, "all of it"), ("old", "all of it")]
)
def test_a_conversation_hears_what_is_new_and_one_that_begins_anew_hears_all(
    tmp_path: Path, resume: str | None, heard: str
) -> None:
    agent, _ = scripted(ECHO)

    reply = agent.ask(request(tmp_path / "run", "all of it", schema=None, resume=resume, news="what is new"))

    assert reply.text.strip() == heard


FIRST, SECOND = (
    '{"rating": 4, "strengths": ["well made"]}',
    '{"rating": 5, "strengths": ["REQ-001 is testable"]}',
)
PLACES = Places(
    "# Links\n\nREQ-001: every link expires after thirty days, and its owner is told so.",
    "The artifact alone.",
)


def test_a_critique_without_a_place_is_asked_for_one_and_gets_no_friendlier(tmp_path: Path) -> None:
    agent, dialect = scripted(f"import os; print({SECOND!r} if os.environ['RESUME'] else {FIRST!r})")

    reply = agent.ask(request(tmp_path / "run", "Rate it.", schema=Critique, places=PLACES))

    assert isinstance(reply.data, Critique)
    assert (reply.data.rating, reply.data.strengths, reply.retries) == (4, ["REQ-001 is testable"], 1)
    assert dialect.resumed == [None, "c-1"]


def test_a_critique_that_never_names_a_place_counts_with_a_note(tmp_path: Path) -> None:
    agent, _ = scripted(f"print({FIRST!r})")

    reply = agent.ask(request(tmp_path / "run", "Rate it.", schema=Critique, places=PLACES))

    assert isinstance(reply.data, Critique) and reply.data.rating == 4
    assert UNPLACED in reply.notes
