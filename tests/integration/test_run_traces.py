"""Traces of runs that have ended, from the database to a collector: whoever ended them, and whatever the collector does."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import structlog

from orchestrator.commands.manage import cancel
from orchestrator.config.settings import TracesSettings
from orchestrator.coordinator import run_traces
from orchestrator.coordinator.reconcile import reap
from orchestrator.coordinator.run_traces import RunTraces
from orchestrator.domain import trace_ids
from orchestrator.domain.errors import UsageError
from orchestrator.domain.prices import Cost, Usage
from orchestrator.domain.trace_ids import SpanContext
from orchestrator.door.desk import CallBegin, CallEnd, CallHandle, Run
from orchestrator.door.local_desk import LocalDesk
from orchestrator.store import traced_runs
from orchestrator.store.store import Store
from orchestrator.traces import place
from orchestrator.traces.sender import CLOSE_SECONDS, QUEUED, Sender
from orchestrator.traces.span import Span, told
from tests import factories as make
from tests.collector import ERROR, Collector, Got, collecting
from tests.desk_world import START, DeskWorld, done
from tests.patience import patient

CANARY = "quetzalcoatl"
SECOND = 1_000_000


@pytest.fixture
def world(make_store: Callable[..., Store]) -> Iterator[DeskWorld]:
    clock = make.SetClock(START)
    store = make_store(clock=clock)
    yield DeskWorld(store, clock, LocalDesk(store))
    store.close()


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as made:
        yield made


@pytest.fixture(autouse=True)
def own_loggers() -> Iterator[None]:
    """What a sender does to the library's loggers ends with its test."""
    library = logging.getLogger("opentelemetry")
    before = list(library.handlers), library.propagate
    yield
    for thread in threading.enumerate():
        if thread.name.startswith("Otel"):  # of a sender that was closed before its collector had answered
            thread.join(patient(30))
    library.handlers, library.propagate = before


def sender_to(url: str) -> Sender:
    return Sender(url, "test", structlog.get_logger())


@contextmanager
def following(world: DeskWorld, collector: Collector) -> Iterator[RunTraces]:
    """Polled by the test; what was queued has arrived at the end."""
    sender = sender_to(place.url_of(collector.url))
    yield RunTraces(world.store, sender, structlog.get_logger())
    sender.close(patient(30))


def span_of(collector: Collector, run: Run) -> Got:
    at = trace_ids.of_run(run.run)
    (found,) = (each for each in collector.spans if (each.trace, each.span) == at)
    return found


def call(
    world: DeskWorld, run: Run, agent: str, outcome: str, seconds: int, usage: Usage, fault: str | None
) -> None:
    begun = world.desk.begin_call(run, CallBegin(agent, "draft", None, "digest", metered=True))
    assert isinstance(begun, CallHandle)
    world.clock.micros += seconds * SECOND
    world.desk.end_call(run, begun, CallEnd(outcome, usage, Cost(1_500_000, "reported"), fault=fault))


def test_a_reported_run_has_its_offer_phases_and_calls_and_no_words(
    world: DeskWorld, collector: Collector
) -> None:
    world.offered(f"Build a URL shortener for {CANARY}")
    world.clock.micros += 3 * SECOND
    run = world.claimed(world.host())
    world.clock.micros += 1 * SECOND
    used = Usage(model=f"{CANARY} is what I am", tokens_in=100, tokens_out=7)
    call(world, run, "claude", "answered", 4, used, None)
    call(world, run, "codex", "limited", 1, Usage(), f"{CANARY} has used all of it")
    with following(world, collector) as traces:
        traces.poll()
        world.desk.report(
            done(run, timings={"context": 1.0, "produce": 6.0}, summary=CANARY), make.ALL_ROLES, draining=True
        )
        traces.poll()

    spans = {each.name: each for each in collector.of(trace_ids.of_run(run.run).trace)}
    assert set(spans) == {
        *("run RESEARCH", "offered", "context", "produce", "report", "call claude", "call codex")
    }
    whole = spans["run RESEARCH"]
    assert (whole.ended - whole.begun, whole.status, whole.events) == (9 * 10**9, 0, ("claimed",))
    assert spans["offered"].ended - spans["offered"].begun == 3 * 10**9
    assert spans["call claude"].parent == spans["call codex"].parent == spans["produce"].span
    asked = spans["call claude"].attributes
    assert (asked["lifecycle.tokens_in"], asked["lifecycle.usd"], "lifecycle.model" in asked) == (
        100,
        1.5,
        False,
    )
    assert (spans["call codex"].status, spans["call codex"].words) == (ERROR, "limited")
    assert CANARY.encode() not in b"".join(collector.bodies).lower()


@pytest.mark.parametrize(
    "timings",
    [
        {"produce": CANARY, "context": -1},
        {"produce": 1e300},
        {"discuss": [1], "merge": None, CANARY: 1.0},
        {"context": True},
    ],
)
def test_what_a_host_says_of_itself_is_no_text_and_breaks_nothing(
    world: DeskWorld, collector: Collector, timings: dict[str, object]
) -> None:
    world.offered()
    run = world.claimed(world.host())
    call(world, run, f"my {CANARY}", f"was {CANARY}", 1, Usage(), None)
    world.desk.report(done(run, timings=timings), make.ALL_ROLES, draining=True)
    with following(world, collector) as traces:
        traces.poll()

    spans = collector.of(trace_ids.of_run(run.run).trace)
    whole = span_of(collector, run)
    assert {"call ?", "report"} <= {each.name for each in spans}
    assert all(whole.begun <= each.begun <= each.ended <= whole.ended for each in spans)
    assert CANARY.encode() not in b"".join(collector.bodies)


def lose(world: DeskWorld, run: Run) -> None:
    world.pass_lease()
    assert [each.run for each in reap(world.store, None)] == [run.run]


def stop(world: DeskWorld, run: Run) -> None:
    cancel(world.store, run.session_id, who="me")


def give_back(world: DeskWorld, run: Run) -> None:
    make.fail(world.store, run, CANARY, counted=False)


def fail(world: DeskWorld, run: Run) -> None:
    make.fail(world.store, run, CANARY)


@pytest.mark.parametrize(
    ("end", "outcome", "status"),
    [(lose, "lost", ERROR), (stop, "cancelled", ERROR), (give_back, "released", 0), (fail, "failed", ERROR)],
)
@pytest.mark.parametrize("seen", [True, False], ids=["seen open", "not seen open"])
def test_a_run_is_traced_whoever_ends_it(
    world: DeskWorld,
    collector: Collector,
    end: Callable[[DeskWorld, Run], None],
    outcome: str,
    status: int,
    seen: bool,
) -> None:
    world.offered()
    run = world.claimed(world.host())
    with following(world, collector) as traces:
        if seen:
            traces.poll()
        end(world, run)
        traces.poll()
        traces.poll()

    found = span_of(collector, run)
    assert (found.attributes["lifecycle.outcome"], found.status) == (outcome, status)
    assert CANARY.encode() not in b"".join(collector.bodies)


def test_a_fault_of_ours_ends_the_traces_of_no_later_run(
    world: DeskWorld, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = threading.Event()
    made = run_traces.spans_of

    def fails_once(run: traced_runs.TracedRun) -> list[Span]:
        if not failed.is_set():
            failed.set()
            raise KeyError("model")
        return made(run)

    monkeypatch.setattr(run_traces, "spans_of", fails_once)
    sender = sender_to(place.url_of(collector.url))
    traces = RunTraces(world.store, sender, structlog.get_logger())
    world.offered("Build a URL shortener")
    first = world.claimed(world.host())
    world.desk.report(done(first), make.ALL_ROLES, draining=True)
    with structlog.testing.capture_logs() as told_of:
        traces.start()
        until(failed.is_set)
        traces.tell()
        until(lambda: any(each.trace == trace_ids.of_run(first.run).trace for each in collector.spans))
        traces.close()

    (told,) = (each for each in told_of if each["event"] == "runs_not_traced")
    assert told["log_level"] == "error"


def test_a_run_that_was_long_open_is_sent_once_and_its_task_links_it(
    world: DeskWorld, collector: Collector
) -> None:
    session = world.offered()
    run = world.claimed(world.host())
    with following(world, collector) as traces:
        traces.poll()
        world.clock.micros += 3600 * SECOND
        reap(world.store, None)
        traces.poll()
        world.clock.micros += 3600 * SECOND
        traces.poll()
        world.beat(session)
        again = world.claimed(world.host("h-2"))
        world.desk.report(done(again), make.ALL_ROLES, draining=True)
        traces.poll()

    assert span_of(collector, run).attributes["lifecycle.attempt"] == 1
    assert span_of(collector, again).links == (tuple(trace_ids.of_run(run.run)),)


def test_a_successor_sends_what_ended_between_the_two_and_the_same_again_under_the_same_ids(
    world: DeskWorld, collector: Collector
) -> None:
    world.offered()
    run = world.claimed(world.host())
    with following(world, collector) as first:
        first.poll()
        lose(world, run)
        first.poll()
    before = list(collector.spans)
    with following(world, collector) as second:
        second.poll()

    after = collector.spans[len(before) :]
    assert [(each.trace, each.span, each.name) for each in after] == [
        (each.trace, each.span, each.name) for each in before
    ]


def test_what_a_fork_takes_over_is_no_run_of_its_own(world: DeskWorld, collector: Collector) -> None:
    session = world.offered()
    run = world.claimed(world.host())
    world.desk.report(done(run), make.ALL_ROLES, draining=True)
    make.execute(
        world.store, f"UPDATE sessions SET created_at = {world.clock.micros + 1} WHERE id = '{session}'"
    )
    with following(world, collector) as traces:
        traces.poll()

    assert not collector.spans


# the collector


def spans(number: int) -> Iterator[Span]:
    for each in range(number):
        yield Span(
            "run X", SpanContext(f"{each + 1:032x}", f"{each + 1:016x}"), None, 1, 2, told(role="writer")
        )


def until(fact: Callable[[], bool]) -> None:
    deadline = time.monotonic() + patient(30)
    while not fact():
        assert time.monotonic() < deadline
        time.sleep(0.02)  # between two looks, not instead of one


def nowhere() -> str:
    """An address at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1/traces"


@pytest.mark.long
@pytest.mark.parametrize("how", ["down", "hanging"])
def test_a_collector_that_takes_nothing_holds_nobody_up(collector: Collector, how: str) -> None:
    collector.hanging = threading.Event()
    sender = sender_to(nowhere() if how == "down" else collector.url)

    begun = time.monotonic()
    sender.send(spans(3 * QUEUED))
    sent = time.monotonic()
    sender.close()
    closed = time.monotonic()

    assert sent - begun < patient(10)  # of processor time: more spans than may wait
    assert closed - sent < CLOSE_SECONDS + patient(1)


def test_the_log_says_once_that_nothing_can_be_sent_and_once_that_it_can_again(collector: Collector) -> None:
    collector.status = 400
    with structlog.testing.capture_logs() as told_of:
        sender = sender_to(collector.url)
        for number in (1, 2):
            sender.send(spans(2))
            until(lambda number=number: len(collector.headers) == number)  # type: ignore[misc]
        collector.status = 200
        sender.send(spans(1))
        sender.close(patient(30))

    assert [(each["event"], each.get("lost")) for each in told_of] == [
        ("spans_not_sent", None),
        ("spans_sent_again", 4),
    ]
    assert "400" in told_of[0]["why"]


def test_what_a_header_holds_is_told_nobody(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "sesame-in-no-form")
    with pytest.raises(UsageError) as refused:
        place.sender_of(TracesSettings(endpoint=collector.url), "test", structlog.get_logger())
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=sesame-of-eight%0Aletters")
    found = place.ask(TracesSettings(endpoint=collector.url))

    assert "not in the form" in refused.value.why
    assert found is not None and found[1]
    assert "sesame" not in f"{refused.value.why}{found}{''.join(capfd.readouterr())}"


@pytest.mark.parametrize(
    ("given", "sent_to"),
    [
        ("http://c:4318", "http://c:4318/v1/traces"),
        ("https://c/", "https://c/v1/traces"),
        ("https://c/otlp/v1/traces", "https://c/otlp/v1/traces"),
    ],
)
def test_a_path_is_added_where_there_is_none(given: str, sent_to: str) -> None:
    assert place.url_of(given) == sent_to


def test_a_collector_is_asked_whether_it_takes_traces(collector: Collector) -> None:
    settings = TracesSettings(endpoint=collector.url)

    assert place.ask(TracesSettings()) is None
    assert place.ask(settings) == (f"{collector.url}/v1/traces", "")
    collector.status = 401
    (_, fault) = place.ask(settings) or ("", "")
    assert "401" in fault
    (_, fault) = place.ask(TracesSettings(endpoint=nowhere())) or ("", "")
    assert "refused" in fault.lower()


def test_without_the_library_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "has_traces", lambda: False)

    with pytest.raises(UsageError) as refused:
        place.sender_of(TracesSettings(endpoint="http://127.0.0.1:4318"), "test", structlog.get_logger())

    assert refused.value.fix == 'pip install "team-lifecycle[traces]"'
