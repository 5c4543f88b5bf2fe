"""Inline discuss: all perspectives of a round read one artifact at the same time (docs/domain.md, section 8).

A discuss never fails its task: a perspective falls back from agent to agent, one that still has no answer is left out
with a note, and when time runs out the record is PARTIAL with the answers that are there.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from pydantic import BaseModel

from orchestrator import failpoints
from orchestrator.domain.documents import DISCOVERY
from orchestrator.domain.errors import AgentError, BudgetReached, CassetteUnusable, LeaseLost, StoreError
from orchestrator.domain.json_types import Json
from orchestrator.domain.model import Gate
from orchestrator.domain.pipelines import Perspective, Round
from orchestrator.domain.verdicts import Reply, Verdict, judge
from workers.agents import prompts
from workers.agents.findings import not_friendlier
from workers.agents.prompts import Material
from workers.context.agent_calls import AgentCalls, Failure
from workers.context.run_context import RunContext, RunReleased
from workers.documents.content import Critique, Weakness
from workers.documents.lint.comparing import share, strong

T = TypeVar("T")

ARTIFACT_LIMIT = 50_000  # characters of the artifact that a prompt shows; the cut is said in the record
WHY_LIMIT = 300  # characters of why an agent gave no answer
LIST_LIMIT = 50  # entries of each list of a reply that count
POLL_SECONDS = 0.2  # between two checks of whether the run is over
SAME_CLAIM = 0.6  # share of a requirement's words that a claim must hold to quote it
NEVER_NOTES = (
    LeaseLost,
    RunReleased,
    BudgetReached,
    StoreError,
    CassetteUnusable,
)  # end the run; whatever else goes wrong is a note


@dataclass(frozen=True, slots=True)
class Answer:
    """One perspective's critique, and who gave it."""

    critique: Critique
    agent: str
    notes: tuple[str, ...] = ()


Keep = Callable[[str, Answer], None]


@dataclass(frozen=True, slots=True)
class DiscussResult:
    """What the perspectives said. `verdict` is None when nobody answered."""

    verdict: Verdict | None
    replies: tuple[Reply, ...] = ()
    answers: Mapping[str, Answer] = field(default_factory=dict)  # by perspective
    notes: tuple[str, ...] = ()  # what was cut, left out or replaced
    partial: str = ""  # why not every perspective answered


def discuss(
    calls: AgentCalls,
    around: Round,
    known: Mapping[str, Json],
    *,
    earlier: Material = (),
    stored: Mapping[str, Answer],
    keep: Keep,
    deadline: float,
) -> DiscussResult:
    """Ask every perspective that has not answered yet; `keep` is told each answer as it comes.

    `earlier`: records of former rounds; `deadline` in monotonic seconds. Raises LeaseLost, RunReleased, BudgetReached,
    StoreError.
    """
    context = calls.run
    notes: list[str] = []
    if _is_discovery(context, around):
        known = {**known, "discovery": None}
    views = _perspectives(context, around, known, notes)
    answers = {name: stored[name] for name in views if name in stored}
    material = _material(known, earlier, notes)
    over = threading.Event()  # stops what still thinks when time is up or the run is over
    asked = {
        name: partial(_ask, calls, view, around, known, material, over)
        for name, view in views.items()
        if name not in answers
    }
    calls.router.make_room(len(asked))
    try:
        late = _collect(context, asked, answers, notes, keep, deadline)
    finally:
        over.set()
    replies = tuple(_reply(name, answers[name].critique, notes) for name in views if name in answers)
    if any(reply.missing_requirements for reply in replies):
        lost = _lost(context, around, known, notes)
        replies = tuple(_confirmed(reply, lost, notes) for reply in replies)
    notes += [f"{name}: {note}" for name in views if name in answers for note in answers[name].notes]
    threshold = float(context.pack.gates.consensus_threshold)
    failed = (known.get("gate") or {}).get("gate") == Gate.FAIL
    standalone = context.row.prefix == "DISCUSS"
    verdict = judge(replies, threshold, standalone, failed=failed) if replies else None
    ran_out = f"time ran out before {', '.join(late)} answered" if late else ""
    return DiscussResult(verdict, replies, answers, tuple(notes), ran_out)


def _is_discovery(context: RunContext, around: Round) -> bool:
    """Whether the round is about the discovery context, which coverage compares with the request."""
    document = context.pack.documents.of_path(around.artifact)
    return document is not None and document.model == DISCOVERY


def _perspectives(
    context: RunContext, around: Round, known: Mapping[str, object], notes: list[str]
) -> dict[str, Perspective]:
    """The round's perspectives; coverage is left out, with a note, when there is nothing to compare with."""
    names = list(around.perspectives)
    if "coverage" in names and known.get("discovery") is None and not _is_discovery(context, around):
        names.remove("coverage")
        notes.append("coverage was left out: there is no discovery context to compare with")
    return {name: context.pack.perspectives[name] for name in names}


def _collect(
    context: RunContext,
    asked: Mapping[str, Callable[[], Answer]],
    answers: dict[str, Answer],
    notes: list[str],
    keep: Keep,
    deadline: float,
) -> list[str]:
    """Ask all at once and take each answer as it comes; the perspectives that were too late.

    Raises BudgetReached for one that the budget had no room for, when the others are done: they are paid for.
    """
    said: queue.SimpleQueue[tuple[str, Answer | BaseException]] = queue.SimpleQueue()

    def speak(name: str) -> None:
        try:
            said.put((name, asked[name]()))
        except BaseException as error:
            said.put((name, error))

    for name in asked:  # daemons: a perspective that does not listen must not hold up the host's end
        threading.Thread(target=speak, args=(name,), name=f"discuss-{name}", daemon=True).start()
    silent = set(asked)
    refused: BudgetReached | None = None
    left_out: dict[str, str] = {}
    while silent and (left := deadline - time.monotonic()) > 0:
        context.check()
        try:
            name, answer = said.get(timeout=min(POLL_SECONDS, left))
        except queue.Empty:
            continue
        silent.remove(name)
        if isinstance(answer, Answer):
            keep(name, answer)
            failpoints.hit("discuss.reply_stored")
            answers[name] = answer
        elif isinstance(answer, BudgetReached):
            refused = answer
        else:
            left_out[name] = _left_out(context, name, answer)
    notes += [left_out[name] for name in asked if name in left_out]  # whoever failed first
    if refused is not None:
        raise refused
    return sorted(silent)


def _left_out(context: RunContext, name: str, error: BaseException) -> str:
    """Why a perspective has no answer. Raises what ends the run."""
    context.check()  # a stopped run's agents fail too
    if isinstance(error, NEVER_NOTES):
        raise error
    if not isinstance(error, AgentError):
        context.log.error("perspective_broken", perspective=name, exc_info=error)
        return f"{name} was left out: {type(error).__name__}: {error}"
    return f"{name} was left out: {error.what}"


def _material(known: Mapping[str, object], earlier: Material, notes: list[str]) -> Material:
    """What every perspective's prompt shows. The artifact is cut at a stated length; rules read the whole of it."""
    artifact = str(known["artifact"])
    if len(artifact) > ARTIFACT_LIMIT:
        cut = f"cut at {ARTIFACT_LIMIT} of {len(artifact)} characters"
        notes.append(f"the artifact was {cut} for agents that read prose")
        artifact = f"{artifact[:ARTIFACT_LIMIT]}\n[{cut}]"
    discovery = known.get("discovery")
    return [
        ("The request", str(known["request"])),
        (
            "The discovery context",
            discovery.model_dump_json(indent=1) if isinstance(discovery, BaseModel) else "",
        ),
        *earlier,
        (f"The artifact {known['artifact_path']}", artifact),
    ]


def _ask(
    calls: AgentCalls,
    view: Perspective,
    around: Round,
    known: Mapping[str, object],
    material: Material,
    over: threading.Event,
) -> Answer:
    """One perspective: its first agent, its fallback chain, at last the text read by rules. Raises AgentError."""
    context = calls.run
    prompt = prompts.render_critique(
        view,
        around,
        instructions=context.critic_instructions,
        language=context.session.language,
        schema=Critique,
        material=material,
    )
    facts = {**known, "perspective": {"name": view.name, "label": view.label, "focus": list(view.focus)}}
    agents = calls.router.for_perspective(context.pack, view.name)
    failures: list[Failure] = []
    critique, reply = calls.ask(
        "critique", prompt, Critique, facts, agents, perspective=view.name, stop=over, failures=failures
    )
    notes = []
    for failed in failures:
        notes.append(failed.what if not failed.why else f"{failed.what}: {failed.why[:WHY_LIMIT]}")
        if isinstance(failed.readable, Critique):
            critique = not_friendlier(critique, failed.readable)
            notes.append("that answer was partly unreadable: what it found is kept")
    return Answer(critique, reply.agent, (*notes, *reply.notes))


def _reply(name: str, critique: Critique, notes: list[str]) -> Reply:
    """The critique as the rules take it. Missing requirements are coverage's to name, a risk level is risk's."""
    cut = 0

    def some(entries: Sequence[T]) -> tuple[T, ...]:
        nonlocal cut
        cut += max(0, len(entries) - LIST_LIMIT)
        return tuple(entries[:LIST_LIMIT])

    missing, suggestions = some(critique.missing_requirements), some(critique.suggestions)
    if name != "coverage" and missing:
        notes.append(f"{name}: missing requirements are coverage's to name, they count as suggestions")
        suggestions, missing = (*suggestions, *missing), ()
    reply = Reply(
        perspective=name,
        rating=critique.rating,
        strengths=some(critique.strengths),
        weaknesses=tuple((found.text, found.severity) for found in some(_gravest(critique))),
        suggestions=suggestions,
        missing_requirements=missing,
        risk_level=critique.risk_level if name == "risk" else None,
        risks=tuple(found.description for found in some(critique.risks)),
        testability_issues=some(critique.testability_issues),
        open_questions=some(critique.open_questions),
        assumptions=some(critique.assumptions),
    )
    if cut:
        notes.append(f"{name}: {cut} entries beyond the first {LIST_LIMIT} of a list were left out")
    return reply


def _gravest(critique: Critique) -> list[Weakness]:
    """The weaknesses, critical ones first: no limit may hide one."""
    return sorted(critique.weaknesses, key=lambda found: found.severity != "critical")


def _confirmed(reply: Reply, lost: Sequence[str], notes: list[str]) -> Reply:
    """Only a claim that quotes a requirement which our own matcher does not find counts; the others are suggestions."""
    claims = reply.missing_requirements
    real = tuple(
        claim for claim in claims if any(share(strong(need), strong(claim)) >= SAME_CLAIM for need in lost)
    )
    doubtful = tuple(claim for claim in claims if claim not in real)
    if doubtful:
        notes.append(
            f"{reply.perspective}: {len(doubtful)} claim(s) of a missing requirement were not confirmed"
        )
    return replace(reply, missing_requirements=real, suggestions=(*reply.suggestions, *doubtful))


def _lost(context: RunContext, around: Round, known: Mapping[str, object], notes: list[str]) -> list[str]:
    """Requirement sentences that the artifact does not carry, found by rules; none when the rules fail."""
    from workers.builtin.critique import uncarried
    from workers.builtin.material import material
    from workers.documents.lint import artifact_of

    try:
        needs = uncarried(artifact_of(known), material(known, context.check))
    except NEVER_NOTES:
        raise
    except Exception as error:
        context.log.exception("matcher_broken", round=around.key)
        notes.append(f"missing requirements could not be checked: {type(error).__name__}: {error}")
        return []
    return [text for need in needs for text in dict.fromkeys((need.text, need.quote))]
