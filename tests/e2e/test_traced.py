"""Traces of runs through real processes: an embedded session, a host elsewhere that is killed, a collector that hangs."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from orchestrator.domain import trace_ids
from tests.collector import ERROR, SERVER, Collector, Got, collecting
from tests.e2e.support import Lifecycle, lifecycle
from tests.patience import patient

CANARY = "quetzalcoatl"
KEY = "sesame-quetzalcoatl"
PATIENT = {
    "own_host": False,
    "lease_seconds": 12,
    "max_attempts": 9,
}  # also where the machine has no time for a host
RUN_AND_TELL = """
import atexit, pathlib, runpy, sys
told, program = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
atexit.register(lambda: told.write_text("\\n".join(sys.modules)))
runpy.run_module(program, run_name="__main__", alter_sys=True)
"""
REQUEST = f"Build a URL shortener for {CANARY} with an admin dashboard"


def to(collector: Collector) -> str:
    """The settings that send traces there."""
    return f'\n[traces]\nendpoint = "{collector.url}"\n'


def start(life: Lifecycle) -> str:
    done = life.run("start", REQUEST, "--mode", "spec-only", "--detach")
    assert done.code == 0, done.err
    return life.session()


def runs_of(life: Lifecycle, session: str) -> dict[str, tuple[str, str]]:
    """Run -> its task and outcome."""
    rows = life.rows(
        "SELECT r.id, t.key, r.outcome FROM runs r JOIN tasks t ON t.id = r.task_id "
        "WHERE r.session_id = ? ORDER BY r.opened_at",
        session,
    )
    return {run: (key, outcome) for run, key, outcome in rows}


def connected(collector: Collector, run: str) -> dict[str, list[Got]]:
    """The spans of a run's trace by name; each hangs below the run's span and lies within its parent's time."""
    of_run = trace_ids.of_run(run)
    found = {each.span: each for each in collector.of(of_run.trace)}
    assert of_run.span in found, sorted(each.name for each in collector.spans)
    for each in found.values():
        if each.span == of_run.span:
            assert each.parent == ""
            continue
        assert each.parent in found, each
        parent = found[each.parent]
        if each.kind != SERVER:  # the clocks of a host and its server are two
            assert parent.begun <= each.begun <= each.ended <= parent.ended, (parent, each)
    by_name: dict[str, list[Got]] = {}
    for each in found.values():
        by_name.setdefault(each.name, []).append(each)
    return by_name


def assert_no_words(collector: Collector) -> None:
    sent = b"".join(collector.bodies).lower()
    assert sent and CANARY.encode() not in sent


def test_an_embedded_session_sends_a_connected_trace_of_each_run(tmp_path: Path) -> None:
    with collecting() as collector, lifecycle(tmp_path / "p", extra=to(collector)) as life:
        life.environment["OTEL_EXPORTER_OTLP_HEADERS"] = f"x-key={KEY}"
        session = start(life)
        life.wait(lambda: life.status(session)[0] == "completed", "the session ends", 120)
        assert life.run("daemon", "stop").code == 0

    runs = runs_of(life, session)
    assert [each.name for each in collector.spans].count("run DRAFT") == 4
    for run, (key, _) in runs.items():
        names = connected(collector, run)
        (whole,) = names[f"run {key.partition('-')[0]}"]
        assert (
            whole.attributes["lifecycle.task"] == key and whole.attributes["lifecycle.outcome"] == "completed"
        )
        assert whole.attributes["lifecycle.session"] == trace_ids.session_digest(session)
        assert {"context", "produce", "discuss", "report"} <= set(names) and whole.status != ERROR
        assert len(names["call builtin"]) == whole.attributes["lifecycle.calls"] > 0
        assert {each.resource["lifecycle.process"] for each in names["report"]} == {"coordinator"}
    (first, *others) = runs
    assert len(connected(collector, first)["offered"]) == 1
    for before, run in zip(runs, others, strict=False):  # each report started the next run
        (whole,) = connected(collector, run)[f"run {runs[run][0].partition('-')[0]}"]
        assert whole.links == (tuple(trace_ids.of_run(before)),)
    assert collector.paths == {"/v1/traces"} and {each["x-key"] for each in collector.headers} == {KEY}
    assert_no_words(collector)


@pytest.mark.scale
def test_the_trace_of_a_killed_host_elsewhere_has_what_it_did_and_says_that_it_was_lost(
    tmp_path: Path,
) -> None:
    with (
        collecting() as collector,
        lifecycle(tmp_path / "here" / "p", PATIENT, to(collector)) as here,
        lifecycle(tmp_path / "there" / "clone") as clone,
    ):
        token = tmp_path / "there" / "token"
        token.write_text(here.run("host", "add", "far-1").out)
        server = here.spawn("server", "--port", "0")
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        join = ("host", "join", url, "--token-file", str(token), "--folder", str(clone.folder))
        announce = clone.folder / "announced"
        host = clone.spawn(*join, env={"LIFECYCLE_FAILPOINT": f"discuss.reply_stored=wait:{announce}"})
        session = start(here)
        clone.wait(lambda: announce.exists() and announce.read_text().endswith("\n"), "a reply is stored")
        ((lost,),) = here.rows("SELECT id FROM runs WHERE outcome IS NULL")
        host.send_signal(signal.SIGKILL)
        host.wait()
        clone.spawn(*join)
        here.wait(lambda: here.status(session)[0] == "completed", "the session ends", 120)
        assert here.run("daemon", "stop").code == 0
        server.terminate()
        assert server.wait(patient(60)) == 0

    runs = runs_of(here, session)
    ended = Counter(outcome for _, outcome in runs.values())
    assert ended.pop("completed") == 6 and set(ended) == {"lost"}  # on a busy machine, more than one
    assert runs[lost] == ("RESEARCH-001", "lost")
    names = connected(collector, lost)
    (whole,) = names["run RESEARCH"]
    assert (whole.status, whole.words, whole.attributes["lifecycle.phase"]) == (ERROR, "lost", "discuss")
    assert whole.attributes["lifecycle.host"] == "far-1"
    assert {"door claim", "door context", "door begin_call", "door produced", "offered"} <= set(names)
    assert "discovery" in {
        each.attributes["lifecycle.purpose"] for each in names["call builtin"] if each.status != ERROR
    }
    assert "report" not in names and "door report" not in names
    again = list(runs)[list(runs).index(lost) + 1]
    assert tuple(trace_ids.of_run(lost)) in connected(collector, again)["run RESEARCH"][0].links
    for run in (run for run, (_, outcome) in runs.items() if outcome == "completed"):
        names = connected(collector, run)
        (answered,) = names["door report"]
        assert answered.kind == SERVER and answered.resource["lifecycle.process"] == "server"
        assert answered.attributes["http.response.status_code"] == 200
        assert {"context", "produce", "discuss", "report", "door end_call"} <= set(names)
    assert_no_words(collector)


@pytest.mark.long
def test_a_collector_that_hangs_holds_nothing_up(tmp_path: Path) -> None:
    with collecting() as collector, lifecycle(tmp_path / "p", extra=to(collector)) as life:
        collector.hanging = threading.Event()
        session = start(life)
        life.wait(lambda: life.status(session)[0] == "completed", "the session ends", 60)

        begun = time.monotonic()
        assert life.run("daemon", "stop").code == 0

        assert time.monotonic() - begun < patient(20)
        assert not life.pids()


@pytest.mark.long
@pytest.mark.parametrize("sends", [False, True])
def test_only_a_coordinator_that_sends_traces_loads_the_library(tmp_path: Path, sends: bool) -> None:
    with (
        collecting() as collector,
        lifecycle(tmp_path / "p", {"own_host": False}, to(collector) * sends) as life,
    ):

        def telling(name: str, program: str, *arguments: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-P", "-c", RUN_AND_TELL, str(tmp_path / name), program, *arguments]
            return subprocess.Popen(command, cwd=life.folder, env=life.environment, stdin=subprocess.DEVNULL)

        place = ("--project", str(life.folder))
        assert life.run("config", "show").code == 0
        coordinator = telling("coordinator", "orchestrator", "daemon", "run", *place)
        life.wait(lambda: life.database.exists() and life.rows("SELECT pid FROM leases"), "it leads")
        host = telling("host", "workers", "serve", *place)
        command = telling("command", "orchestrator", "start", REQUEST, "--mode", "spec-only", "--detach")
        assert command.wait(patient(60)) == 0
        life.wait(lambda: life.status()[0] == "completed", "the session ends", 120)
        for process in (host, coordinator):
            process.send_signal(signal.SIGTERM)
            assert process.wait(patient(60)) == 0

    loaded = {name: (tmp_path / name).read_text().split() for name in ("command", "host", "coordinator")}
    assert all(len(modules) > 100 for modules in loaded.values())
    having = {
        name for name, modules in loaded.items() if any(each.startswith("opentelemetry") for each in modules)
    }
    assert having == ({"coordinator"} if sends else set())
