"""Inline discuss: all perspectives of a round read one artifact at the same time (domain, section 8).

A discuss never fails its task: a perspective falls back from agent to agent, one that still has no answer is left out
with a note, and when time runs out the record is PARTIAL with the answers that are there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any

from orchestrator import failpoints
from orchestrator.config import resources
from orchestrator.domain.consensus import Reply, Verdict, judge
from orchestrator.domain.errors import AgentError
from orchestrator.domain.pipelines import Perspective, Round
from orchestrator.domain.text import overlap
from workers import prompts
from workers.agents.builtin import BuiltinAgent
from workers.agents.protocol import AgentRequest
from workers.content import Critique
from workers.context import Context

ARTIFACT_LIMIT = 50_000  # characters of the artifact a perspective sees; the cut is said in the record
LOOK = 0.2  # seconds between two looks at whether the run is over
SAME_CLAIM = 0.6  # share of a requirement's words that a claim must hold to quote it

Stored = Mapping[str, tuple[Critique, str, Sequence[str]]]
Keep = Callable[[str, Critique, str, Sequence[str]], None]


@dataclass(frozen=True, slots=True)
class DiscussResult:
    """What the perspectives said. `verdict` is None when nobody answered."""

    verdict: Verdict | None
    replies: tuple[Reply, ...]
    agents: Mapping[str, str]  # perspective -> who answered
    notes: tuple[str, ...]  # what was cut, left out or replaced
    partial: str = ""  # why not every perspective answered


@dataclass(frozen=True, slots=True)
class _Answer:
    critique: Critique
    agent: str
    notes: tuple[str, ...]


def discuss(
    context: Context, around: Round, known: Mapping[str, Any], *, stored: Stored, keep: Keep, deadline: float
) -> DiscussResult:
    """Ask every perspective that has not answered yet. Raises LeaseLost or RunReleased when the run is over."""
    notes: list[str] = []
    shown = _cut(str(known["artifact"]), notes)
    views = _perspectives(context, around, known, notes)
    answers = {name: _Answer(*stored[name]) for name in views if name in stored}  # type: ignore[arg-type]
    over = threading.Event()  # stops what still thinks when time is up or the run is over
    waiting = [view for name, view in views.items() if name not in answers]
    pool = ThreadPoolExecutor(max_workers=max(1, len(waiting)), thread_name_prefix="discuss")
    asked = {
        pool.submit(_ask, context, view, around, {**known, "artifact": shown}, over): view.name
        for view in waiting
    }
    try:
        late = _collect(context, asked, answers, notes, keep, deadline)
    finally:
        over.set()
        pool.shutdown(wait=False, cancel_futures=True)
    partial = f"time ran out before {', '.join(late)} answered" if late else ""
    replies = tuple(_reply(name, answers[name].critique, notes) for name in views if name in answers)
    if any(reply.missing_requirements for reply in replies):
        replies = _checked(context, replies, known, around, notes)
    notes += [f"{name}: {note}" for name, answer in answers.items() for note in answer.notes]
    verdict = judge(replies, _threshold(context), context.row.prefix == "DISCUSS") if replies else None
    return DiscussResult(
        verdict, replies, {name: a.agent for name, a in answers.items()}, tuple(notes), partial
    )


def _threshold(context: Context) -> float:
    return float(context.pack.gates.consensus_threshold)


def _cut(text: str, notes: list[str]) -> str:
    if len(text) <= ARTIFACT_LIMIT:
        return text
    notes.append(f"the artifact was cut at {ARTIFACT_LIMIT} of {len(text)} characters")
    return text[:ARTIFACT_LIMIT]


def _perspectives(
    context: Context, around: Round, known: Mapping[str, Any], notes: list[str]
) -> dict[str, Perspective]:
    """The round's perspectives; coverage is left out, with a note, when there is nothing to compare with."""
    names = list(around.perspectives)
    if "coverage" in names and known.get("discovery") is None and around.after != "RESEARCH-001":
        names.remove("coverage")
        notes.append("coverage was left out: there is no discovery context to compare with")
    return {name: context.pack.perspectives[name] for name in names}


def _collect(
    context: Context,
    asked: Mapping[Future[_Answer], str],
    answers: dict[str, _Answer],
    notes: list[str],
    keep: Keep,
    deadline: float,
) -> list[str]:
    """Take each answer as it comes and store it; the perspectives that were too late."""
    open_now = set(asked)
    while open_now and time.monotonic() < deadline:
        context.check()
        ready, open_now = wait(
            open_now, timeout=min(LOOK, max(0.0, deadline - time.monotonic())), return_when=FIRST_COMPLETED
        )
        for future in ready:
            name = asked[future]
            try:
                answer = future.result()
            except AgentError as error:
                context.check()
                notes.append(f"{name} was left out: {error.what}")
                continue
            keep(name, answer.critique, answer.agent, answer.notes)
            failpoints.hit("discuss.reply_stored")
            answers[name] = answer
    return sorted(asked[future] for future in open_now)


def _ask(
    context: Context, view: Perspective, around: Round, known: Mapping[str, Any], over: threading.Event
) -> _Answer:
    """One perspective: its first agent, its fallback chain, at last the text read by rules. Raises AgentError."""
    skipped: list[str] = []
    agents = context.router.for_perspective(context.pack, view.name, skipped.append)
    request = [("The request", str(known["request"]))]
    discovery = known.get("discovery")
    if discovery is not None:
        request.append(("The discovery context", discovery.model_dump_json(indent=1)))
    prompt = prompts.render_critique(
        view,
        around,
        templates=resources() / "config" / "prompts",
        instructions=context.instructions,
        language=context.session.language,
        schema=Critique,
        material=[*request, (f"The artifact {known['artifact_path']}", str(known["artifact"]))],
    )
    facts = {**known, "perspective": {"name": view.name, "label": view.label, "focus": list(view.focus)}}
    critique, reply = context.ask(
        "critique", prompt, Critique, facts, agents, perspective=view.name, stop=over
    )
    return _Answer(critique, reply.agent, reply.notes)


def _reply(name: str, critique: Critique, notes: list[str]) -> Reply:
    """The critique as the rules take it. Missing requirements are coverage's to name, a risk level is risk's."""
    missing = tuple(critique.missing_requirements)
    suggestions = tuple(critique.suggestions)
    if name != "coverage" and missing:
        notes.append(f"{name}: missing requirements are coverage's to name, they count as suggestions")
        suggestions, missing = (*suggestions, *missing), ()
    return Reply(
        perspective=name,
        rating=critique.rating,
        strengths=tuple(critique.strengths),
        weaknesses=tuple((found.text, found.severity) for found in critique.weaknesses),
        suggestions=suggestions,
        missing_requirements=missing,
        risk_level=critique.risk_level if name == "risk" else None,
        risks=tuple(found.description for found in critique.risks),
        testability_issues=tuple(critique.testability_issues),
        open_questions=tuple(critique.open_questions),
        assumptions=tuple(critique.assumptions),
    )


def _checked(
    context: Context, replies: tuple[Reply, ...], known: Mapping[str, Any], around: Round, notes: list[str]
) -> tuple[Reply, ...]:
    """Only a claim that quotes a requirement which our own matcher does not find counts; the others are suggestions."""
    lost = _lost(context, known, around)
    result = []
    for reply in replies:
        real = tuple(
            c for c in reply.missing_requirements if any(overlap(need, c) >= SAME_CLAIM for need in lost)
        )
        doubtful = tuple(claim for claim in reply.missing_requirements if claim not in real)
        if doubtful:
            notes.append(
                f"{reply.perspective}: {len(doubtful)} claim(s) of a missing requirement were not confirmed"
            )
        result.append(replace(reply, missing_requirements=real, suggestions=(*reply.suggestions, *doubtful)))
    return tuple(result)


def _lost(context: Context, known: Mapping[str, Any], around: Round) -> Sequence[str]:
    """Requirement sentences that the artifact does not carry, found by rules alone."""
    facts = {**known, "perspective": {"name": "coverage", "label": "", "focus": []}}
    row = context.row
    request = AgentRequest(
        kind="critique",
        prompt="",
        schema=Critique,
        facts=facts,
        workdir=context.workdir,
        session=context.session.id,
        task=row.key,
        role=row.role,
        run=row.run,
        round=around.key,
        perspective="coverage",
        stop=context.live.stop,
    )
    reply = BuiltinAgent().ask(request)
    assert isinstance(reply.data, Critique)
    return reply.data.missing_requirements
