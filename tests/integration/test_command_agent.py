"""The command agent with real programs that behave badly."""

from __future__ import annotations

import os
import signal
import sys
import textwrap
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.errors import AgentCrashed, AgentError, AgentRubbish, AgentTimedOut, AgentUnavailable
from tests.command_agent import command_agent
from workers.agents.programs.external import ExternalAgent
from workers.agents.protocol import AgentRequest, Timeouts
from workers.documents.content import Critique
from workers.host.marked_processes import marked

GOOD = '{"rating": 4, "strengths": ["clear"]}'


@pytest.fixture
def run() -> Iterator[str]:
    name = f"run-{uuid.uuid4().hex}"
    yield name
    for pid in marked("LIFECYCLE_RUN", name):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def make(run: str, tmp_path: Path) -> Any:
    def build(script: str, **more: Any) -> tuple[ExternalAgent, AgentRequest]:
        program = tmp_path / "agent.py"
        program.write_text("import json, os, signal, sys, time\n" + textwrap.dedent(script))
        settings = {name: more.pop(name) for name in ("env", "slots", "edits_files") if name in more}
        agent = command_agent("mine", [sys.executable, "-S", str(program)], environ=os.environ, **settings)
        values: dict[str, Any] = {
            "kind": "critique",
            "prompt": "Judge this.",
            "schema": Critique,
            "facts": {},
            "workdir": tmp_path,
            "session": "TLS-x-2026-01-01",
            "task": "DRAFT-001",
            "role": "writer",
            "run": run,
            "perspective": "quality",
            "timeouts": Timeouts(turn=20, total=30),
        }
        return agent, AgentRequest(**{**values, **more})

    return build


def test_answer_is_validated_and_the_program_sees_what_it_is_asked(make: Any, run: str) -> None:
    agent, request = make(
        """
        marks = {name: value for name, value in os.environ.items() if name.startswith("LIFECYCLE_")}
        seen = [sys.stdin.read(), marks["LIFECYCLE_RUN"], marks["LIFECYCLE_TASK"], marks["LIFECYCLE_KIND"],
                marks["LIFECYCLE_PERSPECTIVE"], os.environ["TMPDIR"], os.getcwd()]
        print(json.dumps({"rating": 5, "strengths": seen}))
        """
    )

    reply = agent.ask(request)

    assert isinstance(reply.data, Critique)
    folder = str(request.workdir)
    assert reply.data.strengths == [
        "Judge this.",
        run,
        "DRAFT-001",
        "critique",
        "quality",
        f"{folder}/tmp",
        folder,
    ]
    assert (reply.agent, reply.retries, reply.extracted) == ("mine", 0, False)


def test_only_named_variables_reach_the_program(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "yes")
    monkeypatch.setenv("OTHER_KEY", "no")
    script = (
        "print(json.dumps({'rating': 3, 'strengths': sorted(n for n in os.environ if n.endswith('_KEY'))}))"
    )
    agent, request = make(script, env=["MY_KEY"])

    assert agent.ask(request).data.strengths == ["MY_KEY"]


COUNTING = """
count = int(open("count").read()) if os.path.exists("count") else 0
open("count", "w").write(str(count + 1))
prompt = sys.stdin.read()
"""


def turns(request: AgentRequest) -> int:
    return int((request.workdir / "count").read_text())


def test_bad_answer_is_repaired_once_with_the_fault_in_the_prompt(make: Any) -> None:
    agent, request = make(
        COUNTING
        + textwrap.dedent(
            """
            if count == 0:
                print('{"rating": 9}')
            else:
                print(json.dumps({"rating": 3, "strengths": [prompt[-2000:]]}))
            """
        )
    )

    reply = agent.ask(request)

    assert (reply.retries, turns(request)) == (1, 2)
    assert "rating: Input should be less than or equal to 5" in reply.data.strengths[0]


@pytest.mark.parametrize(
    "output",
    [
        "pass",
        "print('  ')",
        "print('I would rather not.')",
        'print(\'{"rating": "four"}\')',
        "print('nope', file=sys.stderr)",
    ],
)
def test_rubbish_is_rubbish_after_one_repair(make: Any, output: str) -> None:
    agent, request = make(COUNTING + output)

    with pytest.raises(AgentRubbish):
        agent.ask(request)

    assert turns(request) == 2


def test_answer_that_breaks_off_is_asked_for_again_and_taken_only_if_nothing_better_comes(make: Any) -> None:
    broken = """print('{"rating": 2, "strengths": ["a", "b')"""
    better, request = make(f"{COUNTING}\nif count: print('{GOOD}')\nelse: {broken}")
    assert better.ask(request).data.rating == 4
    (request.workdir / "count").unlink()
    never_better, request = make(f"{COUNTING}\n{broken}")

    reply = never_better.ask(request)

    assert reply.data.rating == 2
    assert any("broke off" in note for note in reply.notes)
    assert turns(request) == 2


def test_exit_1_with_a_good_answer_counts(make: Any) -> None:
    agent, request = make(f"print('{GOOD}'); sys.exit(1)")

    reply = agent.ask(request)

    assert reply.data.rating == 4
    assert any("exit code 1" in note for note in reply.notes)


def test_death_by_signal_after_a_good_answer_counts(make: Any) -> None:
    agent, request = make(f"print('{GOOD}', flush=True); os.kill(os.getpid(), signal.SIGKILL)")

    assert agent.ask(request).data.rating == 4


def test_prose_is_mined_for_its_key_points(make: Any) -> None:
    agent, request = make("print('Rating: 2/5\\n\\nWeaknesses:\\n- No target (critical)')")

    reply = agent.ask(request)

    assert reply.extracted
    assert (reply.data.rating, reply.data.weaknesses[0].severity) == (2, "critical")


@pytest.mark.parametrize(
    ("script", "timeouts", "error"),
    [
        ("print('no key', file=sys.stderr); sys.exit(2)", Timeouts(turn=20), AgentCrashed),
        ("os.kill(os.getpid(), signal.SIGSEGV)", Timeouts(turn=20), AgentCrashed),
        ("time.sleep(600)", Timeouts(turn=0.5), AgentTimedOut),
        ("time.sleep(600)", Timeouts(turn=None, total=0.5), AgentTimedOut),
        ("input(); input()", Timeouts(turn=20), AgentCrashed),
        (
            "while True: sys.stdout.write('x' * 65536)",
            Timeouts(turn=20, output_bytes=1_000_000),
            AgentRubbish,
        ),
    ],
)
def test_failure_is_named_by_its_class_and_leaves_nothing(
    make: Any, run: str, script: str, timeouts: Timeouts, error: type[AgentError]
) -> None:
    agent, request = make(script, timeouts=timeouts)

    with pytest.raises(error):
        agent.ask(request)

    assert marked("LIFECYCLE_RUN", run) == []


def test_what_a_crashed_agent_said_is_in_the_error(make: Any) -> None:
    agent, request = make("print('no key given', file=sys.stderr); sys.exit(2)")

    with pytest.raises(AgentCrashed) as caught:
        agent.ask(request)

    assert "exit code 2" in caught.value.what
    assert "no key given" in caught.value.why


def test_invalid_bytes_are_replaced_and_noted(make: Any) -> None:
    agent, request = make(
        """sys.stdout.buffer.write(b'\\xef\\xbb\\xbf{"rating": 3, "strengths": ["\\xff\\x00 caf\\xc3"]}')"""
    )

    reply = agent.ask(request)

    assert reply.data.strengths == ["\ufffd\ufffd caf\ufffd"]
    assert len(reply.notes) >= 3


def test_child_that_outlives_the_agent_does_not_hold_up_the_answer(make: Any, run: str) -> None:
    agent, request = make(
        f"print('{GOOD}', flush=True)\nif os.fork() == 0:\n    os.setsid(); time.sleep(600)"
    )
    began = time.monotonic()

    reply = agent.ask(request)

    assert reply.data.rating == 4
    assert time.monotonic() - began < 10
    assert marked("LIFECYCLE_RUN", run) == []


def test_silence_is_no_fault_of_a_command_unless_configured(make: Any, tmp_path: Path) -> None:
    agent, request = make(
        f"time.sleep(1)\nprint('{GOOD}')", timeouts=Timeouts(start=0.2, silence=0.2, turn=20)
    )
    strict = command_agent(
        "strict", agent._dialect._argv, environ=os.environ, timeouts=Timeouts(start=0.2, turn=20)
    )

    assert agent.ask(request).data.rating == 4
    with pytest.raises(AgentTimedOut):
        strict.ask(request)


def test_stop_ends_the_agent_and_the_host_is_told_of_the_guardian(make: Any, run: str) -> None:
    told: list[Any] = []
    agent, request = make(
        "time.sleep(600)", on_guardian=lambda guardian: (told.append(guardian), guardian.extend(60))
    )
    timer = threading.Timer(0.5, request.stop.set)
    timer.start()

    with pytest.raises(AgentTimedOut, match="run is over"):
        agent.ask(request)

    assert marked("LIFECYCLE_RUN", run) == []
    told[0].extend(10)  # a heartbeat that comes late does no harm
    told[0].stop("late")


def test_slots_bound_the_processes_and_a_stopped_run_does_not_wait_for_one(make: Any) -> None:
    slots = threading.BoundedSemaphore(1)
    agent, request = make(f"print('{GOOD}')", slots=slots)
    request.stop.set()

    with slots, pytest.raises(AgentTimedOut):
        agent.ask(request)


def test_missing_program_is_unavailable_and_says_so(make: Any) -> None:
    _, request = make("")
    agent = command_agent("gone", ["no-such-program-here"], environ={"PATH": "/usr/bin"})

    fault = agent.available()

    assert fault is not None
    assert "no-such-program-here" in fault
    with pytest.raises(AgentUnavailable):
        agent.ask(request)


def test_program_that_may_not_edit_files_does_no_work(make: Any) -> None:
    agent, request = make(f"print('{GOOD}')")

    with pytest.raises(AgentUnavailable, match="edit"):
        agent.work(request)


def test_shell_syntax_in_arguments_stays_text(make: Any, tmp_path: Path) -> None:
    _, request = make("")
    script = "import json, sys; print(json.dumps({'rating': 3, 'strengths': sys.argv[1:]}))"
    agent = command_agent("mine", [sys.executable, "-c", script, "$(touch x); `id`"], environ=os.environ)

    assert agent.ask(request).data.strengths == ["$(touch x); `id`"]


USAGE = 'print(json.dumps({"lifecycle_usage": {"tokens_in": 10, "tokens_out": 5, "cost_usd": 0.5}}), file=sys.stderr)'


def test_usage_is_told_on_standard_error_and_that_of_a_repair_is_added(make: Any) -> None:
    agent, request = make(
        f"""
        prompt = sys.stdin.read()
        print({GOOD!r} if "could not be used" in prompt else "no")
        {USAGE}
        """
    )

    reply = agent.ask(request)

    assert (reply.usage.tokens_in, reply.usage.tokens_out, reply.usage.cost_usd, reply.retries) == (
        20,
        10,
        1.0,
        1,
    )


@pytest.mark.parametrize(("ending", "retries"), [("sys.exit(3)", 0), ("print('no')", 1)])
def test_a_failed_call_tells_its_usage_too(make: Any, ending: str, retries: int) -> None:
    agent, request = make(f"{USAGE}\n{ending}")

    with pytest.raises(AgentError) as failed:
        agent.ask(request)

    assert failed.value.usage is not None
    assert failed.value.usage.tokens_in == 10 * (1 + retries)
    assert failed.value.retries == retries


def test_a_usage_that_cannot_be_is_a_note_and_the_answer_counts(make: Any) -> None:
    agent, request = make(
        f'print({GOOD!r})\nprint(\'{{"lifecycle_usage": {{"tokens_in": -1}}}}\', file=sys.stderr)'
    )

    reply = agent.ask(request)

    assert reply.data is not None
    assert reply.usage.tokens_in is None
    assert any("its usage was not understood: tokens_in" in note for note in reply.notes)


def test_what_is_kept_of_a_program_s_words_holds_no_secret(
    make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when the error's text is cut in the middle of it."""
    key = "canary-key/0123456789"
    monkeypatch.setenv("MINE_API_KEY", key)
    agent, request = make(
        """
        key = os.environ["MINE_API_KEY"]
        print("it is", key, flush=True)
        sys.stderr.write("x" * 100 + key + "y" * 1990)
        sys.exit(3)
        """,
        env=["MINE_API_KEY"],
    )

    with pytest.raises(AgentCrashed) as raised:
        agent.ask(request)

    assert "y" * 1990 in raised.value.why and "789" not in raised.value.why
    kept = {path.suffix: path.read_text() for path in (tmp_path / "calls").iterdir()}
    assert "it is [masked]" in kept[".out"] and "x[masked]y" in kept[".err"]


CRITICAL = '{"text": "no backup", "severity": "critical"}'


def test_a_field_that_is_clear_all_the_same_is_not_asked_for_again(make: Any) -> None:
    agent, request = make(
        f"""{COUNTING}\nprint('{{"rating": "2/5", "weaknesses": ["[CRITICAL] no backup"]}}')"""
    )

    reply = agent.ask(request)

    assert (reply.data.rating, reply.data.weaknesses[0].severity) == (2, "critical")
    assert (reply.retries, reply.notes, turns(request)) == (0, (), 1)


def test_a_field_that_stays_unreadable_costs_one_turn_and_no_finding(make: Any) -> None:
    agent, request = make(f"""{COUNTING}\nprint('{{"rating": "bad", "weaknesses": [{CRITICAL}]}}')""")

    reply = agent.ask(request)

    assert (reply.data.rating, reply.data.weaknesses[0].severity) == (2, "critical")
    assert (reply.retries, turns(request), len(reply.data.weaknesses)) == (1, 2, 1)
    assert reply.notes == (
        'the answer was partly unreadable: rating: "bad" is no whole number from 1 to 5; the rating counts as 2',
    )


def test_what_the_first_answer_found_is_kept_when_the_second_says_only_what_was_missing(make: Any) -> None:
    agent, request = make(
        f"""{COUNTING}
if count == 0: print('{{"rating": "bad", "weaknesses": [{CRITICAL}]}}')
else: print(json.dumps({{"rating": 3, "strengths": [prompt[-700:]]}}))
"""
    )

    reply = agent.ask(request)

    assert (reply.data.rating, reply.data.weaknesses[0].text) == (3, "no backup")
    assert 'rating: "bad" is no whole number from 1 to 5' in reply.data.strengths[0]
    assert reply.notes == ("it was asked again, and what its first answer found is kept",)


PROSE = "Weaknesses:\\n- no backup (critical)"


@pytest.mark.parametrize(
    ("answer", "then", "error"),
    [
        (f'{{"rating": "bad", "weaknesses": [{CRITICAL}]}}', "time.sleep(600)", AgentTimedOut),
        (PROSE, "time.sleep(600)", AgentTimedOut),
        (PROSE, "os.kill(os.getpid(), signal.SIGSEGV)", AgentCrashed),
    ],
)
def test_an_agent_that_fails_after_it_found_something_tells_what(
    make: Any, answer: str, then: str, error: type[AgentError]
) -> None:
    agent, request = make(f"print('{answer}', flush=True); {then}", timeouts=Timeouts(turn=2))

    with pytest.raises(error) as failed:
        agent.ask(request)

    assert failed.value.readable.weaknesses[0].severity == "critical"
