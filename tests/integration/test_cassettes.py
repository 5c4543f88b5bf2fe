"""Cassettes: what is recorded is given again in its order, what changed is a miss that says so, and nothing else is asked."""

from __future__ import annotations

import json
import os
import re
import stat
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.errors import (
    AgentCrashed,
    AgentError,
    AgentLimited,
    AgentTimedOut,
    CassetteMiss,
    CassetteUnusable,
    UsageError,
)
from orchestrator.domain.pauses import PauseReason
from orchestrator.store import cassettes
from tests.patience import patient
from tests.runtime_harness import RuntimeHarness, Told, _instructions, says
from workers.agents.cassette.player import REPLAYED, Called, following
from workers.agents.protocol import AgentReply, AgentRequest, Exit, Usage
from workers.builtin import BuiltinAgent

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.\d]*)(?:Z|\+00:00)")
TASKS = ("RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004", "QUALITY-001")
KEY = "canary-key/0123456789"


def record(folder: Path, *agents: Any, **given: Any) -> RuntimeHarness:
    tape = folder / "tape"
    cassettes.begin(tape, {"made_for": "test"})
    given = {"discuss": "off", **given}
    return RuntimeHarness(folder, *agents, cassette={"does": "record", "folder": str(tape)}, **given)


def replay(folder: Path, tape: Path, *agents: Any, **given: Any) -> RuntimeHarness:
    given = {"discuss": "off", **given}
    return RuntimeHarness(folder, *agents, cassette={"does": "replay", "folder": str(tape)}, **given)


def play(harness: RuntimeHarness) -> RuntimeHarness:
    """Do what is offered until nothing is."""
    while harness.state().status == "active":
        harness.beat()
        if not harness.rows("SELECT 1 FROM tasks WHERE offered_at IS NOT NULL OR status = 'in_progress'"):
            break
        following = harness.run()
        while following is not None:
            following = harness.run(following)
    return harness


def documents(harness: RuntimeHarness) -> dict[str, str]:
    """Every file of the specification and the discussions, its stamps alike."""
    paths = [row[0] for row in harness.rows("SELECT DISTINCT path FROM artifacts ORDER BY path")]
    kept = [path for path in paths if path.startswith(("spec/", "discussions/"))]
    return {path: STAMP.sub("<stamp>", harness.text(path)) for path in kept}


def story(harness: RuntimeHarness, key: str) -> list[str]:
    sql = "SELECT r.outcome FROM runs r JOIN tasks t ON t.id = r.task_id WHERE t.key = ? ORDER BY r.epoch"
    return [row[0] for row in harness.rows(sql, key)]


def calls(tape: Path, stem: str = "") -> list[dict[str, Any]]:
    return [cassettes.call(tape, name) for name in cassettes.names(tape) if name.startswith(stem)]


def spoken(rating: int) -> Callable[[AgentRequest], AgentReply]:
    """A critique that a built-in agent would not give, with its price."""

    def answer(request: AgentRequest) -> AgentReply:
        data = says(rating, suggestions=[f"{request.task}: look again"])
        usage = Usage(model="m-1", tokens_in=1000, tokens_out=20, cost_usd=0.0125)
        return AgentReply("said", data, "told", usage=usage, retries=1, notes=("one repair",))

    return answer


def test_a_whole_session_is_replayed_without_any_agent(tmp_path: Path) -> None:
    voice = Told(
        "claude", {"product": spoken(4), "technical": AgentCrashed("claude ended by exit code 1", why="x")}
    )
    recorded = play(record(tmp_path / "a", voice, discuss="inline"))

    replayed = play(replay(tmp_path / "b", tmp_path / "a" / "tape", discuss="inline"))

    assert len(documents(recorded)) > 20
    assert sum(path.startswith("discussions/") for path in documents(recorded)) == 6
    assert documents(replayed) == documents(recorded)
    assert recorded.state().status == replayed.state().status
    columns = (
        "agent, purpose, perspective, prompt_digest, outcome, model, tokens_in, cost_micros, retries, error"
    )
    rows = [
        sorted(map(str, harness.rows(f"SELECT {columns} FROM agent_calls")))
        for harness in (recorded, replayed)
    ]
    assert rows[0] == rows[1]
    assert replayed.rows("SELECT sum(cost_micros) FROM agent_calls")[0][0] > 0
    said = [json.loads(row[0]) for row in replayed.rows("SELECT data FROM messages WHERE kind = 'message'")]
    assert [data["task"] for data in said if REPLAYED in data.get("notes", [])] == list(TASKS)


def test_the_agents_that_are_there_are_not_asked_in_a_replay(tmp_path: Path) -> None:
    recorded = record(tmp_path / "a", Told("claude", {"*": None}))
    recorded.run()
    there = Told("claude")

    replay(tmp_path / "b", tmp_path / "a" / "tape", there).run()

    assert there.asked == []


def test_a_recording_is_private_whole_and_without_secrets(tmp_path: Path) -> None:
    def prints(request: AgentRequest) -> AgentReply:
        reply = BuiltinAgent().ask(request)
        assert reply.data is not None
        data = reply.data.model_copy(update={"open_questions": [f"is {KEY} right?"]})
        return replace(reply, text=f"{KEY} {reply.text}", data=data, notes=(KEY,), agent="claude")

    voice = Told("claude", {"discovery": prints, "product": AgentCrashed(KEY, why=f"tail {KEY}", fix=KEY)})
    harness = record(tmp_path, voice, discuss="inline")
    harness.runtime.environ = {"CLAUDE_API_KEY": KEY}

    harness.run()

    tape = tmp_path / "tape"
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tape.rglob("*") if path.is_file()}
    assert modes == {0o600}
    assert stat.S_IMODE(tape.stat().st_mode) == stat.S_IMODE((tape / "calls").stat().st_mode) == 0o700
    assert [path.name for path in tape.rglob(".*")] == []
    assert {call["agent"] for call in calls(tape)} == {"claude", "builtin"}
    held = [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert held == []
    assert "is [masked] right?" in harness.text("spec/discovery-context.json")


@pytest.mark.parametrize(
    ("changed", "part", "shown"),
    [
        ({"instructions": lambda role: _instructions(role) + "\nBe brief.\n"}, "instructions", "+Be brief"),
        ({"request": "Build a URL shortener. It must expire links after 31 days."}, "The request", "31 days"),
    ],
)
def test_a_changed_prompt_is_a_miss_that_says_what_changed(
    tmp_path: Path, changed: dict[str, Any], part: str, shown: str
) -> None:
    record(tmp_path / "a").run()

    harness = replay(tmp_path / "b", tmp_path / "a" / "tape", **changed)
    harness.run()

    state = harness.state()
    assert (state.status, state.pause_reason) == ("paused", PauseReason.AGENT_UNAVAILABLE)
    told = state.pause_detail["error"]
    assert "no answer for RESEARCH-001 (discovery)" in told
    assert "nearest is RESEARCH-001.discovery." in told
    assert part in told.partition("changed: ")[2] and shown in told
    assert harness.task("RESEARCH-001").attempts == 0
    assert harness.calls() == []


def test_a_miss_in_a_discussion_stops_the_session_too(tmp_path: Path) -> None:
    record(tmp_path / "a", discuss="inline").run()
    tape = tmp_path / "a" / "tape"
    (gone,) = (tape / "calls").glob("RESEARCH-001.critique.risk.*")
    gone.unlink()

    harness = replay(tmp_path / "b", tape, discuss="inline")
    harness.run()

    assert harness.state().pause_reason == PauseReason.AGENT_UNAVAILABLE
    assert "RESEARCH-001 (critique, risk)" in harness.state().pause_detail["error"]
    assert story(harness, "RESEARCH-001") == ["released"]


def test_a_miss_of_the_second_reading_stops_the_session_too(tmp_path: Path) -> None:
    recorded = record(tmp_path / "a")
    recorded.run(recorded.until("DRAFT-003"))
    tape = tmp_path / "a" / "tape"
    (gone,) = (tape / "calls").glob("DRAFT-003.architecture_review.*")
    gone.unlink()

    harness = replay(tmp_path / "b", tape)
    harness.run(harness.until("DRAFT-003"))

    assert harness.state().pause_reason == PauseReason.AGENT_UNAVAILABLE
    assert "architecture_review" in harness.state().pause_detail["error"]


def test_a_failed_attempt_and_its_retry_are_replayed_in_their_order(tmp_path: Path) -> None:
    answers = iter([AgentTimedOut("claude was stopped: turn limit of 900 s"), None])
    voice = Told("claude", {"discovery": lambda _: next(answers, None)})
    roles = {"analyst": ["claude"]}
    recorded = record(tmp_path / "a", voice, roles=roles)
    recorded.run()
    recorded.run()
    assert story(recorded, "RESEARCH-001") == ["failed", "completed"]

    harness = replay(tmp_path / "b", tmp_path / "a" / "tape")
    harness.run()
    assert (
        harness.task("RESEARCH-001").error
        == recorded.rows("SELECT error FROM runs WHERE outcome = 'failed'")[0][0]
    )
    harness.run()

    assert story(harness, "RESEARCH-001") == ["failed", "completed"]
    assert documents(harness) == documents(recorded)


def test_what_a_lost_attempt_had_heard_is_heard_again(tmp_path: Path) -> None:
    recorded = record(tmp_path / "a", Told("claude", {"discovery": AgentCrashed("claude fell over")}))
    recorded.run()

    harness = replay(tmp_path / "b", tmp_path / "a" / "tape")
    row = harness.claim()
    asking = harness.agent_calls(row)
    asked: list[str] = []
    real = asking.ask_one
    asking.ask_one = lambda agent, *rest, **more: (asked.append(agent.name), real(agent, *rest, **more))[1]  # type: ignore[method-assign]
    from workers.roles.analyst import produce

    produce(asking.run, asking)  # the first agent failed, the second answered; then the host dies
    harness.lives.remove(row.run)
    harness.lose(row.run)
    harness.run()

    assert asked == ["claude", "builtin"]
    assert story(harness, "RESEARCH-001") == ["lost", "completed"]
    assert [call.agent for call in harness.calls() if call.purpose == "discovery"] == [
        "claude",
        "builtin",
    ] * 2
    assert documents(harness) == documents(recorded)


def take(attempt: int, ended: str, number: int = 1) -> dict[str, Any]:
    return {"attempt": attempt, "number": number, "ended": ended}


def told(run: str, *outcomes: str) -> list[Called]:
    return [Called(run, outcome) for outcome in outcomes]


@pytest.mark.parametrize(
    ("takes", "called", "next_ones"),
    [
        ([take(1, "answered")], [], [(1, 1)]),
        ([take(1, "crashed"), take(1, "answered", 2)], [], [(1, 1), (1, 2)]),
        ([take(1, "crashed"), take(2, "answered")], [], [(1, 1)]),
        ([take(1, "crashed"), take(2, "answered")], told("r1", "crashed"), [(2, 1)]),
        # an answer that was asked for again was lost: the later one counts
        ([take(1, "answered"), take(2, "answered")], [], [(2, 1)]),
        # the replay's own death: what was heard is heard again
        ([take(1, "answered")], told("r1", "answered"), [(1, 1)]),
        ([take(1, "crashed"), take(1, "answered", 2)], told("r1", "crashed"), [(1, 1), (1, 2)]),
        # killed before the whole attempt had been heard
        (
            [take(1, "crashed"), take(1, "crashed", 2), take(2, "answered")],
            told("r1", "crashed"),
            [(1, 1), (1, 2)],
        ),
        # twice in one attempt
        ([take(1, "answered"), take(1, "answered", 2)], told("now", "answered"), [(1, 2)]),
        # more often than it was recorded: the last one again
        ([take(1, "answered")], told("now", "answered", "answered"), [(1, 1)]),
        ([take(1, "crashed")], told("r1", "crashed") + told("r2", "crashed"), [(1, 1)]),
    ],
)
def test_which_take_comes_next(
    takes: list[dict[str, Any]], called: list[Called], next_ones: list[tuple[int, int]]
) -> None:
    found = following(takes, called, "now")

    assert [(each["attempt"], each["number"]) for each in found] == next_ones


def test_what_an_agent_says_when_it_is_stopped_with_its_run_is_not_recorded(tmp_path: Path) -> None:
    def stopped(request: AgentRequest) -> AgentTimedOut:
        request.stop.set()
        return AgentTimedOut("claude was stopped because its run is over")

    harness = record(tmp_path, Told("claude", {"discovery": stopped}))

    harness.run()

    assert calls(tmp_path / "tape") == []


def test_who_was_left_out_is_told_in_the_order_of_the_round_whoever_failed_first(tmp_path: Path) -> None:
    def first(_: AgentRequest) -> AgentCrashed:
        _until(lambda: any(call.perspective == "risk" and call.outcome for call in harness.calls()))
        return AgentCrashed("fell over")

    views = ("product", "risk", "quality")
    harness = RuntimeHarness(
        tmp_path, Told("builtin", {"product": first, "risk": AgentCrashed("fell over")}), perspectives=views
    )

    harness.run()

    record_of = harness.text("discussions/DISCUSS-001-discussion.md")
    assert 0 < record_of.index("product was left out") < record_of.index("risk was left out")


def test_an_answer_that_came_too_late_is_waited_for_again(tmp_path: Path) -> None:
    heard = threading.Event()
    window = {"discuss_seconds": patient(1)}  # the others answer in it

    def slow(request: AgentRequest) -> None:
        request.stop.wait(60)
        heard.set()

    recorded = record(tmp_path / "a", Told("claude", {"risk": slow}), discuss="inline", settings=window)
    recorded.run()
    assert heard.wait(10)
    _until(lambda: calls(tmp_path / "a" / "tape", "RESEARCH-001.critique.risk"))

    harness = replay(tmp_path / "b", tmp_path / "a" / "tape", discuss="inline", settings=window)
    harness.run()

    assert calls(tmp_path / "a" / "tape", "RESEARCH-001.critique.risk")[0]["ended"] == "late"
    assert "time ran out before risk" in harness.text("discussions/DISCUSS-001-discussion.md")
    assert documents(harness) == documents(recorded)


def _until(fact: Callable[[], Any]) -> None:
    import time

    deadline = time.monotonic() + patient(20)
    while not fact():
        assert time.monotonic() < deadline
        time.sleep(0.01)  # between two looks


def test_when_a_limited_account_is_usable_again_is_kept(tmp_path: Path) -> None:
    until = 1_900_000_000.0
    error = AgentLimited("claude has reached its limit", until=until, why="5 h", fix="wait")
    record(tmp_path / "a", Told("claude", {"*": error}), roles={"analyst": ["claude"]}).run()
    harness = replay(tmp_path / "b", tmp_path / "a" / "tape")
    asking = harness.agent_calls(harness.claim())

    with pytest.raises(AgentLimited) as raised:
        from workers.roles.analyst import produce

        produce(asking.run, asking)

    assert (raised.value.what, raised.value.why, raised.value.fix, raised.value.until) == (
        error.what,
        error.why,
        error.fix,
        until,
    )
    assert harness.rows("SELECT count(*) FROM rate_limits") == [(0,)], (
        "nothing is learned of the account here"
    )


# work calls


class Editor(Told):
    """Edits files below its folder."""

    def work(self, request: AgentRequest) -> AgentReply:
        at = request.workdir
        (at / "src").mkdir()
        (at / "src" / "new.py").write_text(f"print('{KEY}')\n")
        (at / "bytes.bin").write_bytes(b"\xff\x00")
        (at / "run.sh").write_text("#!/bin/sh\n")
        (at / "run.sh").chmod(0o755)
        (at / "same.txt").chmod(0o744)
        (at / "old.txt").unlink()
        (at / "link").symlink_to("/etc/passwd")
        (at / "tmp").mkdir()
        (at / "tmp" / "scratch").write_text("x")
        return AgentReply("done", None, self.name)


def asking(harness: RuntimeHarness, agent: Any) -> tuple[Any, AgentRequest]:
    """The voice that does the work, and what it is asked."""
    asking = harness.agent_calls(harness.claim())
    (voice,) = asking._agents_for("implement", "do it", None, [agent])
    request = AgentRequest("implement", "do it", None, {}, asking.run.workdir, "s", "t", "r", "u")
    for name in ("old.txt", "same.txt"):
        (asking.run.workdir / name).write_text(name)
    return voice, request


def test_the_changes_of_a_work_call_are_made_again_below_its_folder(tmp_path: Path) -> None:
    harness = record(tmp_path / "a")
    voice, request = asking(harness, Editor("claude"))
    voice.work(request)
    (kept,) = calls(tmp_path / "a" / "tape")

    again, asked = asking(replay(tmp_path / "b", tmp_path / "a" / "tape"), Editor("claude"))
    reply = again.work(asked)

    assert sorted(kept["files"]) == ["bytes.bin", "old.txt", "run.sh", "same.txt", "src/new.py"]
    assert reply.text == "done"
    assert (asked.workdir / "src" / "new.py").read_text() == f"print('{KEY}')\n"
    assert (asked.workdir / "bytes.bin").read_bytes() == b"\xff\x00"
    assert sorted(path.name for path in asked.workdir.iterdir()) == ["bytes.bin", "run.sh", "same.txt", "src"]
    executable = {
        path.name for path in asked.workdir.rglob("*") if path.is_file() and os.access(path, os.X_OK)
    }
    assert executable == {"run.sh", "same.txt"}


def test_how_its_process_ended_is_kept_with_an_answer_and_with_an_error(tmp_path: Path) -> None:
    late = AgentTimedOut("claude was stopped: turn limit of 9 s")
    late.exit, late.usage, late.retries = Exit("turn", None, 15), Usage(tokens_in=7, tokens_out=1), 1

    def answers(request: AgentRequest) -> AgentReply:
        return replace(BuiltinAgent().ask(request), agent="b", exit=Exit("exited", 3))

    agents = [Told("a", {"discovery": late}), Told("b", {"discovery": answers})]
    record(tmp_path / "a", *agents, roles={"analyst": ["a", "b"]}).run()
    tape = tmp_path / "a" / "tape"
    harness = replay(tmp_path / "b", tape)
    asking = harness.agent_calls(harness.claim())

    failed, answered = heard(asking)

    assert [call["exit"] for call in calls(tape)] == [
        {"by": "turn", "code": None, "signal": 15},
        {"by": "exited", "code": 3, "signal": None},
    ]
    assert (failed.exit, failed.usage, failed.retries) == (late.exit, late.usage, 1)
    assert answered.exit == Exit("exited", 3)


def heard(asking: Any) -> list[Any]:
    """What each voice of a replayed discovery says: its reply, or its error."""
    from workers.roles.analyst import produce

    said: list[Any] = []
    real = asking.answer

    def listen(agent: Any, request: AgentRequest) -> AgentReply:
        try:
            said.append(real(agent, request))
        except AgentError as error:
            said.append(error)
            raise
        return said[-1]

    asking.answer = listen
    produce(asking.run, asking)
    return said


def test_a_cassette_of_the_first_format_is_replayed(tmp_path: Path) -> None:
    harness = record(tmp_path / "a")
    voice, request = asking(harness, Editor("claude"))
    voice.work(request)
    tape = tmp_path / "a" / "tape"
    for file in (tape / "cassette.json", *(tape / "calls").iterdir()):
        body = json.loads(file.read_text())
        body.pop("exit", None)
        for change in filter(None, body.get("files", {}).values()):
            change.pop("executable", None)
        file.write_text(json.dumps({**body, "version": 1}))
    assert cassettes.check(tape)["version"] == 1

    again, asked = asking(replay(tmp_path / "b", tape), Editor("claude"))
    reply = again.work(asked)

    assert (reply.text, reply.exit) == ("done", None)
    assert (asked.workdir / "run.sh").read_text() == "#!/bin/sh\n"


@pytest.mark.parametrize("path", ["../out", "/etc/x", "a/../../x", ".git/hooks/pre-commit", "in/x", ""])
def test_a_recorded_path_never_leads_out_of_the_folder(tmp_path: Path, path: str) -> None:
    harness = record(tmp_path / "a")
    voice, request = asking(harness, Editor("claude"))
    voice.work(request)
    tape = tmp_path / "a" / "tape"
    (name,) = cassettes.names(tape)
    body = json.loads((tape / "calls" / name).read_text())
    (tape / "calls" / name).write_text(
        json.dumps({**body, "files": {"first": {"text": "x"}, path: {"text": "x"}}})
    )
    outside = tmp_path / "outside"
    outside.mkdir()
    again, asked = asking(replay(tmp_path / "b", tape), Editor("claude"))
    (asked.workdir / "in").symlink_to(outside)

    with pytest.raises(CassetteUnusable):
        again.work(asked)

    assert list(outside.iterdir()) == []
    assert not (tmp_path / "out").exists() and not (asked.workdir / ".git").exists()


# folders that are none


def test_what_is_no_cassette_is_refused(tmp_path: Path) -> None:
    good = tmp_path / "a" / "tape"
    record(tmp_path / "a").run()
    first = good / "calls" / cassettes.names(good)[0]
    body, manifest = first.read_text(), (good / "cassette.json").read_text()
    newer = json.dumps({"format": cassettes.FORMAT, "version": cassettes.VERSION + 1})

    def fault(change: Callable[[], Any]) -> str:
        change()
        with pytest.raises(UsageError) as raised:
            cassettes.check(good)
        first.unlink(missing_ok=True)
        first.write_text(body)
        (good / "cassette.json").unlink(missing_ok=True)
        (good / "cassette.json").write_text(manifest)
        return f"{raised.value.what} {raised.value.why}"

    assert cassettes.check(good)["format"] == cassettes.FORMAT
    assert "newer" in fault(lambda: (good / "cassette.json").write_text(newer))
    assert "newer" in fault(lambda: first.write_text(newer))
    assert "no cassette.json" in fault((good / "cassette.json").unlink)
    assert "not JSON" in fault(lambda: first.write_text(body[:100]))
    assert "nested" in fault(lambda: first.write_text("[" * 100_000))
    assert "another format" in fault(lambda: first.write_text("{}"))
    assert "another format" in fault(lambda: (good / "cassette.json").write_text("[]"))
    assert "not a recorded call" in fault(
        lambda: first.write_text(json.dumps({"format": cassettes.FORMAT, "version": 1}))
    )
    with pytest.raises(UsageError, match="not a cassette"):
        cassettes.check(tmp_path / "nowhere")


def test_nothing_is_recorded_into_a_folder_that_holds_something(tmp_path: Path) -> None:
    tape = tmp_path / "tape"
    cassettes.check_new(tape, "d", again=False)
    tape.mkdir()
    cassettes.check_new(tape, "d", again=False)
    cassettes.begin(tape, {"made_for": "d"})
    cassettes.check_new(tape, "d", again=False)

    with pytest.raises(UsageError, match="cannot record"):
        cassettes.check_new(tape, "another", again=True)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(UsageError, match="cannot record"):
        cassettes.check_new(tmp_path / "full", "d", again=True)


def test_a_folder_that_is_gone_pauses_the_session_and_charges_nothing(tmp_path: Path) -> None:
    harness = record(tmp_path)
    (tmp_path / "tape").rename(tmp_path / "moved")

    harness.run()

    assert harness.state().pause_reason == PauseReason.AGENT_UNAVAILABLE
    assert harness.task("RESEARCH-001").attempts == 0


def test_calls_are_counted_while_others_are_written(tmp_path: Path) -> None:
    """A draft that vanishes while the folder is listed must not make it look empty: takes would overwrite each other."""
    tape = tmp_path / "tape"
    cassettes.begin(tape, {})
    base = {"kind": "critique", "perspective": None, "prompt": {"digest": "d" * 64}, "attempt": 1}
    over = threading.Event()

    def writer(task: str) -> None:
        number = 0
        while not over.is_set():
            number = number % 50 + 1
            cassettes.keep(tape, {**base, "task": task, "number": number})

    cassettes.keep(tape, {**base, "task": "MINE", "number": 1})
    threads = [threading.Thread(target=writer, args=(f"T-{n}",)) for n in range(3)]
    for thread in threads:
        thread.start()

    try:
        counts = [sum(name.startswith("MINE") for name in cassettes.names(tape)) for _ in range(300)]
    finally:
        over.set()
        for thread in threads:
            thread.join()

    assert set(counts) == {1}


def test_a_link_in_a_cassette_is_not_followed(tmp_path: Path) -> None:
    record(tmp_path / "a").run()
    tape = tmp_path / "a" / "tape"
    name = cassettes.names(tape)[0]
    (tape / "calls" / name).rename(tmp_path / "elsewhere.json")
    (tape / "calls" / name).symlink_to(tmp_path / "elsewhere.json")

    assert name not in cassettes.names(tape)
    assert isinstance(CassetteMiss(), CassetteUnusable)
