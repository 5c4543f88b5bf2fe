"""The spans of a run that has ended, from its rows.

    run DRAFT            from its offer, or its start where it needed none, to its end
      offered            until a host claimed it
      context, produce, discuss, merge, report    its phases, one after the other
        call writer      each call of an agent, in the phase in which it began
        check tests      what was found about a tree of files

It is linked with the attempt of its task before it, and with the run whose report started it.

A run that was taken from its host has told nobody how long its phases took. Its calls and checks are there, as far as they
were noted, and the phase that it was in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestrator.domain import trace_ids
from orchestrator.domain.dataclass import replace
from orchestrator.domain.json_types import Json
from orchestrator.domain.trace_ids import SpanContext
from orchestrator.store.traced_runs import EndedRun, TracedCall, TracedCheck, TracedRun
from orchestrator.traces.span import Attributes, Span, named, told

SECOND = 1_000_000  # microseconds
LONGEST = 1e9  # seconds that a phase is believed to have lasted
PHASES = ("context", "produce", "discuss", "merge")  # as a run measures them, in their order
LAST = "report"
WELL = ("completed", "released")  # outcomes of runs that are no fault
ANSWERED = ("answered", "mined")  # the same of calls


def spans_of(traced: TracedRun) -> list[Span]:
    """The run's span first, then those below it."""
    run = traced.run
    parts = [*(_call(run, each) for each in traced.calls), *(_check(run, each) for each in traced.checks)]
    return [_whole(traced), *_offered(traced), *_nested(list(_phases(run)), parts)]


def _nested(phases: list[Span], parts: list[Span]) -> list[Span]:
    """Each part below the phase in which it began, which lasts until the part has ended: a phase's time is no clock's."""
    placed = []
    for part in parts:
        at = next((n for n in reversed(range(len(phases))) if phases[n].begun <= part.begun), None)
        if at is not None:
            phases[at] = replace(phases[at], ended=max(phases[at].ended, part.ended))
            part = replace(part, parent=phases[at].at)
        placed.append(part)
    return [*phases, *placed]


def _whole(traced: TracedRun) -> Span:
    run = traced.run
    begun = run.opened_at if traced.offered_at is None else traced.offered_at
    events = (
        ("claimed", run.opened_at),
        *(() if run.produced_at is None else (("produced", run.produced_at),)),
    )
    others = {each for each in (run.before, traced.follows) if each is not None}
    return Span(
        f"run {named(run.prefix)}",
        trace_ids.of_run(run.id),
        None,
        begun,
        max(begun, run.closed_at),
        told(
            session=trace_ids.session_digest(run.session_id),
            mode=run.mode,
            task=run.key,
            role=run.role,
            prefix=run.prefix,
            round=run.round,
            run=run.id,
            attempt=run.epoch,
            opened_by=run.opened_by,
            outcome=run.outcome,
            counted=bool(run.counted),
            phase=run.phase,
            agent=run.agent,
            host=run.token,
            calls=len(traced.calls),
        ),
        fault="" if run.outcome in WELL else run.outcome,
        links=tuple(trace_ids.of_run(each) for each in sorted(others)),
        events=events,
    )


def _offered(traced: TracedRun) -> Iterator[Span]:
    if traced.offered_at is not None:
        yield _part(traced.run, "offered", traced.offered_at, traced.run.opened_at, {})


def _phases(run: EndedRun) -> Iterator[Span]:
    """What the run measured, end to end; what is left until its end is its report."""
    if run.timings is None:
        return
    lasted = {name: _micros(run.timings[name]) for name in PHASES if name in run.timings}
    at = run.opened_at + _lag(run, lasted)
    for name, micros in lasted.items():
        ends = min(run.closed_at, at + micros)
        yield _part(run, name, at, ends, {})
        at = ends
    yield _part(run, LAST, at, run.closed_at, {})


def _micros(seconds: Json) -> int:
    """A host elsewhere may say anything."""
    is_time = isinstance(seconds, int | float) and 0 <= seconds <= LONGEST
    return int(seconds * SECOND) if is_time else 0


def _lag(run: EndedRun, lasted: Mapping[str, int]) -> int:
    """Microseconds from the claim until the run began its phases: what it made was noted as it had been produced."""
    if run.produced_at is None or "merge" in lasted:  # a merge is noted again
        return 0
    late = run.produced_at - run.opened_at - lasted.get("context", 0) - lasted.get("produce", 0)
    spare = run.closed_at - run.opened_at - sum(lasted.values())
    return max(0, min(late, spare))


def _call(run: EndedRun, call: TracedCall) -> Span:
    ended = run.closed_at if call.finished_at is None else call.finished_at
    usd = None if call.cost_micros is None else call.cost_micros / SECOND
    return _part(
        run,
        f"call {named(call.agent)}",
        call.started_at,
        ended,
        told(
            agent=call.agent,
            purpose=call.purpose,
            perspective=call.perspective,
            outcome=call.outcome,
            model=call.model,
            tokens_in=call.tokens_in,
            tokens_out=call.tokens_out,
            tokens_cached=call.tokens_cached,
            usd=usd,
            retries=call.retries,
        ),
        own=f"call {call.id}",
        fault="" if call.outcome in ANSWERED else named(call.outcome or "cut_off"),
    )


def _check(run: EndedRun, check: TracedCheck) -> Span:
    return _part(
        run,
        f"check {named(check.kind)}",
        max(run.opened_at, check.created_at - int(check.seconds * SECOND)),
        check.created_at,
        told(kind=check.kind, outcome=check.outcome),
        own=f"check {check.id}",
        fault=check.outcome if check.outcome == "failed" else "",
    )


def _part(
    run: EndedRun,
    name: str,
    begun: int,
    ended: int,
    attributes: Attributes,
    *,
    own: str = "",
    fault: str = "",
) -> Span:
    """A span below the run's. `own`: what tells it from others of its name."""
    whole = trace_ids.of_run(run.id)
    at = SpanContext(whole.trace, trace_ids.part_of(run.id, own or name))
    return Span(name, at, whole, begun, max(begun, ended), attributes, fault)
