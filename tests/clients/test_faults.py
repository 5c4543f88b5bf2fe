"""What the real clients make of what can go wrong, and what we make of that: class, charge, time, nothing left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.errors import (
    AgentCrashed,
    AgentError,
    AgentLimited,
    AgentOverloaded,
    AgentRubbish,
    AgentTimedOut,
    AgentUnavailable,
)
from tests.clients.support import BIN, CLIENTS, GOOD, MISSING, RUN, Rated, agent, environment, request, server
from tests.clients.test_sessions import REQUEST, RULES, configure
from tests.e2e.support import ROOT, lifecycle
from workers.agents.protocol import Timeouts
from workers.host.marked_processes import marked

pytestmark = [
    pytest.mark.clients,
    pytest.mark.timeout(600),  # a client starts in up to ten seconds, and a session starts it twenty times
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING}; run `make clients`"),
]

NEVER = {"text": "a beginning", "stall": 600}
BROKEN = (AgentCrashed, AgentRubbish)
FAULTS: dict[str, tuple[dict[str, Any], tuple[type[AgentError], ...]]] = {
    "401": ({"status": 401, "error": "bad key"}, (AgentUnavailable,)),
    "429": ({"status": 429}, (AgentLimited,)),
    "429, retry after two minutes": ({"status": 429, "retry_after": 120}, (AgentLimited,)),
    "529": ({"status": 529}, (AgentOverloaded,)),
    "503": ({"status": 503}, (AgentOverloaded,)),
    "not JSON": ({"raw": "not json"}, BROKEN),
    "empty": ({"raw": ""}, BROKEN),
    "cut in mid-answer": ({"text": "half an answer that goes on for a while", "cut": True}, BROKEN),
    "silent for ever": (NEVER, (AgentTimedOut,)),
    "wrong schema": ({"json": {"strengths": [], "rating": 9}}, (AgentRubbish,)),
    "an answer of 20 MB": ({"text": "x" * 20_000_000}, (AgentRubbish,)),
    "half an answer": ({"text": '{"strengths": ["short", "and', "short": True}, BROKEN),
}
END_WITH_HALF = ("claude", "codex")  # they end with an error where the model had no room for more
BY_NATURE = {  # (client, case): the classes where it cannot be told better
    ("qwen", "429, retry after two minutes"): (AgentTimedOut,),  # it waits so long, and says nothing of it
    # It exits before it has printed all of it, now before and now after our limit.
    ("opencode", "an answer of 20 MB"): (AgentCrashed, AgentRubbish),
}
TOOLS = {  # what each calls writing a file, the argument that names it, and running a command
    "claude": ("Write", "file_path", "Bash"),
    "codex": (None, "", "exec_command"),  # offered to everybody, in a sandbox
    "gemini": ("write_file", "file_path", "run_shell_command"),
    "qwen": ("write_file", "file_path", "run_shell_command"),
    "opencode": ("write", "filePath", "bash"),
}
QUICK = Timeouts(start=30, silence=4, turn=40, total=80)
PATIENT = Timeouts(start=30, silence=30, turn=60, total=120)
STUBBORN = Timeouts(start=30, silence=150, turn=200, total=300)  # for seven tries of qwen


@pytest.mark.parametrize(
    ("name", "case"),
    [
        (name, case)
        for name in CLIENTS
        for case in FAULTS
        if case != "half an answer" or name in END_WITH_HALF
    ],
)
def test_a_fault_has_its_class_and_leaves_nothing(tmp_path: Path, name: str, case: str) -> None:
    step, classes = FAULTS[case]
    timeouts = STUBBORN if name == "qwen" else PATIENT  # gemini is silent between its tries
    classes = BY_NATURE.get((name, case), classes)
    if AgentTimedOut in classes:
        timeouts = QUICK
    with server([{"steps": [step]}]) as models:
        begun = time.monotonic()

        with pytest.raises(classes) as met:
            agent(name, models.url, tmp_path / "home").ask(
                request(tmp_path / "run", "Rate it.", timeouts=timeouts)
            )

        print(
            f"{name} | {case} | {type(met.value).__name__} | counted: {met.value.counted} | "
            f"{time.monotonic() - begun:.1f} s | {len(models.log)} requests"
        )
        assert "not-a-key" not in met.value.why
        assert marked("LIFECYCLE_RUN", RUN) == []


@pytest.mark.parametrize("name", [name for name in CLIENTS if name not in END_WITH_HALF])
def test_half_an_answer_that_stays_half_is_kept_with_a_low_rating_and_said_to_be_unread(
    tmp_path: Path, name: str
) -> None:
    step, _ = FAULTS["half an answer"]
    with server([{"steps": [step]}]) as models:
        reply = agent(name, models.url, tmp_path / "home").ask(request(tmp_path / "run", "Rate it."))

    assert isinstance(reply.data, Rated)
    assert reply.data.rating == 2
    assert any("partly unreadable" in note for note in reply.notes)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_server_that_is_down_is_told_as_such(tmp_path: Path, name: str) -> None:
    with pytest.raises(AgentOverloaded, match="reached"):
        agent(name, "http://127.0.0.1:9", tmp_path / "home").ask(
            request(tmp_path / "run", "Rate it.", timeouts=STUBBORN)
        )

    assert marked("LIFECYCLE_RUN", RUN) == []


@pytest.mark.parametrize("name", CLIENTS)
def test_a_bad_answer_is_repaired_in_the_same_conversation(tmp_path: Path, name: str) -> None:
    rules = [{"match": "could not be used", "steps": [{"json": GOOD}]}, {"steps": [{"text": "Hello."}]}]
    with server(rules) as models:
        reply = agent(name, models.url, tmp_path / "home").ask(request(tmp_path / "run", "Rate it."))

    assert reply.data == Rated(**GOOD)
    assert reply.retries == 1
    assert reply.usage.tokens_in and reply.usage.tokens_out


@pytest.mark.parametrize("name", CLIENTS)
def test_an_agent_that_takes_too_long_is_asked_to_finish(tmp_path: Path, name: str) -> None:
    rules = [{"match": "time is up", "steps": [{"json": GOOD}]}, {"steps": [NEVER]}]
    with server(rules) as models:
        reply = agent(name, models.url, tmp_path / "home").ask(
            request(tmp_path / "run", "Rate.", timeouts=QUICK)
        )

    assert reply.data == Rated(**GOOD)
    assert "it took too long and was asked to finish" in reply.notes


@pytest.mark.parametrize("name", CLIENTS)
def test_work_really_edits_a_file(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "run"
    target = folder / "hello.txt"
    rules = [{"steps": [{"write": {"path": str(target), "content": "hello\n"}}, {"text": "written"}]}]
    with server(rules) as models:
        reply = agent(name, models.url, tmp_path / "home").work(
            request(folder, "Write hello.txt.", schema=None)
        )

    assert target.read_text() == "hello\n", reply
    assert reply.text == "written"


@pytest.mark.parametrize("name", CLIENTS)
def test_one_that_is_only_asked_writes_nothing(tmp_path: Path, name: str) -> None:
    target = tmp_path / "run" / "loop" / "work" / "here.txt"
    step = {"write": {"path": str(target), "content": "x"}, "shell": {"command": f"echo x > {target}"}}
    with server([{"steps": [step, {"text": "done"}]}]) as models:
        agent(name, models.url, tmp_path / "home").ask(request(tmp_path / "run", "Rate it.", schema=None))

    assert not target.exists()


@pytest.mark.parametrize("name", CLIENTS)
def test_an_answer_after_a_tool_was_refused_counts(tmp_path: Path, name: str) -> None:
    target, steps = not_granted(tmp_path, name)
    with server([{"steps": [*steps, {"json": GOOD}]}]) as models:
        reply = agent(name, models.url, tmp_path / "home").ask(request(tmp_path / "run", "Rate it."))

    print(f"{name} | refused tool | {reply.notes} | {models.log[-1]['last_result'][:200]}")
    assert reply.data == Rated(**GOOD)
    assert reply.retries == 0
    assert not target.exists()
    if name != "codex":  # its sandbox refuses, and to the model alone
        assert any(note.startswith("it was refused: ") for note in reply.notes)


@pytest.mark.parametrize("name", CLIENTS)
def test_one_that_gives_up_when_a_tool_is_refused_gave_no_answer(tmp_path: Path, name: str) -> None:
    target, steps = not_granted(tmp_path, name)
    with (
        server([{"steps": [*steps, {"text": "I am not allowed to do that."}]}]) as models,
        pytest.raises(AgentRubbish) as met,
    ):
        agent(name, models.url, tmp_path / "home").ask(request(tmp_path / "run", "Rate it."))

    assert met.value.counted
    assert met.value.retries == 1, "it was asked once more"
    assert not target.exists()


def not_granted(folder: Path, name: str) -> tuple[Path, list[dict[str, Any]]]:
    """A file, and steps in which the model writes it by the client's tools for that, offered or not."""
    target = folder / "run" / "loop" / "work" / "here.txt"
    writes, path, shell = TOOLS[name]
    calls = [
        (writes, {path: str(target), "content": "x"}),
        (shell, {"command": f"echo x > {target}", "cmd": f"echo x > {target}", "description": "write it"}),
    ]
    return target, [
        {"calls": [{"call": {"name": f"^{tool}$", "force": tool, "args": arguments}}]}
        for tool, arguments in calls
        if tool
    ]


HALF = {"text": '{"rating": 4, "strengths": ["short", "and', "short": True}


@pytest.mark.parametrize("name", [name for name in CLIENTS if name not in END_WITH_HALF])
def test_half_an_answer_is_asked_for_once_more(tmp_path: Path, name: str) -> None:
    rules = [{"match": "could not be used", "steps": [{"json": GOOD}]}, {"steps": [HALF]}]
    with server(rules) as models:
        reply = agent(name, models.url, tmp_path / "home").ask(request(tmp_path / "run", "Rate it."))

    assert reply.data == Rated(**GOOD)
    assert reply.retries == 1


@pytest.mark.parametrize("name", END_WITH_HALF)
def test_a_client_that_takes_half_an_answer_for_a_fault_of_the_model_is_believed(
    tmp_path: Path, name: str
) -> None:
    with server([{"steps": [HALF]}]) as models, pytest.raises(AgentCrashed, match="failed") as met:
        agent(name, models.url, tmp_path / "home").ask(request(tmp_path / "run", "Rate it."))

    assert "output" in met.value.why
    assert met.value.counted


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_that_is_killed_is_an_attempt_that_failed(tmp_path: Path, name: str) -> None:
    with server([{"steps": [NEVER]}]) as models:
        killer = threading.Thread(target=kill_client, args=(models,))
        killer.start()

        with pytest.raises(AgentCrashed) as met:
            agent(name, models.url, tmp_path / "home").ask(request(tmp_path / "run", "Rate it."))

        killer.join()
        assert met.value.counted
        assert marked("LIFECYCLE_RUN", RUN) == []


def kill_client(models: Any) -> None:
    """Once it has asked: SIGKILL to everything of the run but the guardian."""
    until = time.monotonic() + 60
    while not models.log and time.monotonic() < until:
        time.sleep(0.05)  # the stand-in offers nothing to wait on
    for pid in marked("LIFECYCLE_RUN", RUN):
        if b"guardian.py" not in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("victim", ["hosts", "leases"])
@pytest.mark.parametrize("name", CLIENTS)
def test_the_kill_of_host_or_daemon_in_mid_call_leaves_no_client_and_the_session_ends(
    tmp_path: Path, name: str, victim: str
) -> None:
    slow = {**RULES[3], "steps": [{"delay": 6, **RULES[3]["steps"][0]}]}  # type: ignore[dict-item,index]
    rules = [*RULES[:3], slow, *RULES[4:]]
    with server(rules) as models, lifecycle(tmp_path / "p") as project:
        configure(project, models.url, (name,), everywhere=True)
        project.run("start", REQUEST, "--detach", env=environment(tmp_path / "home"))
        project.wait(
            lambda: any("DRAFT-001" in each["prompt"] for each in models.log), "the draft is asked for"
        )
        (before,) = project.rows(f"SELECT pid FROM {victim} ORDER BY rowid DESC LIMIT 1")

        os.kill(before[0], signal.SIGKILL)
        project.run("daemon", "start")  # as any next command would

        project.wait(
            lambda: project.rows("SELECT status FROM sessions") == [("completed",)], "it ends by itself", 400
        )
        done = project.rows(
            "SELECT t.key, count(*) FROM runs r JOIN tasks t ON t.id = r.task_id "
            "WHERE r.outcome = 'completed' GROUP BY t.key HAVING count(*) > 1"
        )
        assert done == []
        project.wait(lambda: not project.marked(), "no process of a run lives on", 20)


@pytest.mark.parametrize("name", CLIENTS)
def test_nothing_is_sent_to_anywhere_but_the_model(tmp_path: Path, name: str) -> None:
    trace = tmp_path / "trace"
    strace = ["strace", "-f", "-qq", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o", str(trace)]
    with server([{"steps": [{"json": GOOD}]}]) as models:
        done = subprocess.run(
            [*strace, sys.executable, "-m", "tests.clients.one", name, models.url, str(tmp_path)],
            cwd=ROOT,
            env={**os.environ, "LIFECYCLE_TEST_CLIENTS": BIN},
            capture_output=True,
            text=True,
            timeout=180,
        )

    assert "rating=4" in done.stdout, done.stderr
    reached = set(
        re.findall(r"inet_addr\(\"([^\"]+)\"\)|inet_pton\(AF_INET6, \"([^\"]+)\"", trace.read_text())
    )
    assert reached == {("127.0.0.1", "")}
