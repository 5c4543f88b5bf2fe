"""Inline discuss: all perspectives of a round read one artifact at the same time (docs/domain.md, section 8).

A discuss never fails its task: a perspective falls back from agent to agent, one that still has no answer is left out
with a note, and when time runs out the record is PARTIAL with the answers that are there.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from orchestrator import failpoints
from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.documents import DISCOVERY, DocumentDef
from orchestrator.domain.errors import (
    AgentError,
    AgentRubbish,
    BudgetReached,
    CassetteUnusable,
    LeaseLost,
    StoreError,
)
from orchestrator.domain.json_types import Json
from orchestrator.domain.model import Gate
from orchestrator.domain.own_discussion import CRITIC
from orchestrator.domain.pipelines import Perspective, Round
from orchestrator.domain.shared_calls import apart
from orchestrator.domain.verdicts import Reply, Verdict, judge
from workers.agents import prompts
from workers.agents.prompts import Material
from workers.agents.protocol import Agent, is_metered
from workers.agents.routing import Faults
from workers.context.agent_calls import AgentCalls, Failure
from workers.context.run_context import RunContext, RunReleased
from workers.context.sources import (
    DOCUMENT_LIMIT,
    NOTHING_MADE,
    Files,
    document_piece,
    sources,
    title_of,
    traces,
)
from workers.discussion.critics import Alone, Answer, Asking, Given
from workers.discussion.groups import Group, as_recorded, grouped
from workers.documents.condensed import condensed
from workers.documents.content import Content, Critique, Weakness
from workers.documents.cutting import CUT, cut
from workers.documents.lint.comparing import share, strong

T = TypeVar("T")

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


Ended = tuple[tuple[str, ...], Given | BaseException]  # the perspectives of a call, and what came of it
Keep = Callable[
    [Mapping[str, Answer]], None
]  # told the answers of one call, or of several that ended together


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
    findings: str = "",
    made: Files = NOTHING_MADE,
    stored: Mapping[str, Answer],
    keep: Keep,
    deadline: float,
) -> DiscussResult:
    """Ask every perspective that has not answered yet; `keep` is told the answers as they come.

    `earlier`: what was said before; `findings`: what rules found in the artifact, for critics to judge; `made`: files
    that the run has just written; `deadline` in monotonic seconds. Raises LeaseLost, RunReleased, BudgetReached,
    StoreError.
    """
    context = calls.run
    notes: list[str] = []
    if _is_discovery(context, around):
        known = {**known, "discovery": None}
    views = _perspectives(context, around, known, notes)
    answers = {name: stored[name] for name in views if name in stored}
    artifact = _artifact(context, known, made, notes)
    over = threading.Event()  # stops what still thinks when time is up or the run is over
    left = [name for name in views if name not in answers]
    first = context.payload.get(CRITIC)
    faults: Faults = {}
    every = {
        name: calls.router.for_perspective(context.pack, name, first=first, faults=faults) for name in views
    }
    orders = {name: every[name] for name in left}
    groups = _groups(calls, orders, len(artifact[1]))
    whole = (
        len(_groups(calls, every, len(artifact[1]))) == 1
    )  # of all, so that who is asked after a kill reads the same
    before = _before(context, known, whole=whole)
    material = _material(context, before, known, artifact, earlier, findings)
    asking = Asking(calls, around, known, material, artifact, over)
    calls.router.make_room(len(groups))
    try:
        late = _collect(asking, groups, orders, answers, notes, keep, deadline)
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


def _groups(calls: AgentCalls, orders: Mapping[str, Sequence[Agent]], artifact_chars: int) -> list[Group]:
    """The calls of the round; in a replay those that were recorded, whoever is installed here."""
    context = calls.run
    if calls.replays and calls.cassette is not None:
        return as_recorded(orders, calls.cassette.perspectives())
    rows = context.desk.calls(context.session.id)
    unable = {
        row.agent
        for row in rows
        if row.outcome == AgentRubbish.kind and row.perspective and len(apart(row.perspective)) > 1
    }
    critics = context.session.options.get("critics", context.settings.critics)
    return grouped(orders, critics, artifact_chars, unable)


def _collect(
    asking: Asking,
    groups: Sequence[Group],
    orders: Mapping[str, Sequence[Agent]],
    answers: dict[str, Answer],
    notes: list[str],
    keep: Keep,
    deadline: float,
) -> list[str]:
    """Ask all at once and take the answers as they come; the perspectives that were too late.

    Whoever a call for several did not answer is asked alone, when what it did give is kept. Raises BudgetReached for one
    that the budget had no room for, when the others are done: they are paid for.
    """
    context = asking.calls.run
    said: queue.SimpleQueue[Ended] = queue.SimpleQueue()
    silent: set[tuple[str, ...]] = set()

    def speak(group: Group, before: Sequence[Failure]) -> None:
        try:
            said.put((group.views, asking.ask(group, orders, before)))
        except BaseException as error:
            said.put((group.views, error))

    def start(group: Group, before: Sequence[Failure] = ()) -> None:
        silent.add(group.views)
        # a daemon: a perspective that does not listen must not hold up the host's end
        name = f"discuss-{'-'.join(group.views)}"
        threading.Thread(target=speak, args=(group, before), name=name, daemon=True).start()

    by_rules = {group.views for group in groups if group.agents and not is_metered(group.agents[0])}
    for group in groups:
        start(group)
    refused: BudgetReached | None = None
    left_out: dict[str, str] = {}
    while silent and (left := deadline - time.monotonic()) > 0:
        context.check()
        given: dict[str, Answer | Alone | BaseException] = {}
        rules = len(silent & by_rules)
        for names, each in _ended(said, min(POLL_SECONDS, left), rules):
            silent.remove(names)
            if isinstance(each, BudgetReached):
                refused = each
            else:
                given |= each if isinstance(each, dict) else dict.fromkeys(names, each)
        taken = {name: answer for name, answer in given.items() if isinstance(answer, Answer)}
        if taken:
            keep(taken)
            failpoints.hit("discuss.reply_stored")
            answers.update(taken)
        for name, answer in given.items():
            if isinstance(answer, Alone):
                start(Group((name,), tuple(answer.agents)), answer.failures)
            elif not isinstance(answer, Answer):
                left_out[name] = _left_out(context, name, answer)
    notes += [left_out[name] for name in orders if name in left_out]  # in the round's order
    if refused is not None:
        raise refused
    return sorted(name for names in silent for name in names)


def _ended(said: queue.SimpleQueue[Ended], seconds: float, rules: int) -> list[Ended]:
    """The calls that have ended, with the first of them all that have as well: one transaction keeps their answers.

    `rules`: how many calls have been begun that rules answer. They take a moment, so that many are waited for.
    """
    until = time.monotonic() + seconds
    ended: list[Ended] = []
    try:
        while len(ended) < max(rules, 1) or not said.empty():  # nobody else takes from it
            ended.append(said.get(timeout=max(until - time.monotonic(), 0)))
    except queue.Empty:
        pass
    return ended


def _left_out(context: RunContext, name: str, error: BaseException) -> str:
    """Why a perspective has no answer. Raises what ends the run."""
    context.check()  # a stopped run's agents fail too
    if isinstance(error, NEVER_NOTES):
        raise error
    if not isinstance(error, AgentError):
        context.log.error("perspective_broken", perspective=name, exc_info=error)
        return f"{name} was left out: {type(error).__name__}: {error}"
    return f"{name} was left out: {error.what}"


def _artifact(
    context: RunContext, known: Mapping[str, object], made: Files, notes: list[str]
) -> tuple[str, str]:
    """The artifact as every critic reads it, with its title. Where it is cut, the record says so; rules read all of it."""
    path = str(known["artifact_path"])
    document = context.pack.documents.of_path(path)
    text = document_piece(context, document, made)[1] if document else ""
    text = text or cut(condensed(str(known["artifact"])), DOCUMENT_LIMIT)
    if CUT in text:
        notes.append(
            f"the artifact was cut for agents that read prose: {text[text.rindex(CUT) :].strip('[]')}"
        )
    return title_of(path), text


def _before(context: RunContext, known: Mapping[str, object], *, whole: bool) -> list[DocumentDef]:
    """The documents that critics read beside the artifact: what it was made from or scores, or of that the discovery alone.

    `whole`: one call reads for all perspectives; for each of several the request and what was found in it are enough.
    """
    documents = context.pack.documents
    own = documents.of_path(str(known["artifact_path"]))
    from_these = (*own.drafted_from, *own.scores) if own and whole else ()
    return [
        each for each in documents if each != own and (each.kind in from_these or each.model == DISCOVERY)
    ]


def _material(
    context: RunContext,
    before: Iterable[DocumentDef],
    known: Mapping[str, object],
    artifact: tuple[str, str],
    earlier: Material,
    findings: str,
) -> Material:
    """What every perspective's prompt shows, in the order of all prompts."""
    contents = [known.get(document.kind) for document in context.pack.documents]
    ours = known.get("artifact_content")
    written = [ours if ours is not None and type(each) is type(ours) else each for each in contents]
    return [
        *sources(context, before),
        artifact,
        ("Traces between the items", traces(each for each in written if isinstance(each, Content))),
        (prompts.FINDINGS, findings),
        *((title, condensed(text)) for title, text in earlier if text),
    ]


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
        context.end_if_replaced(error)
        context.log.exception("matcher_broken", round=around.key)
        notes.append(f"missing requirements could not be checked: {type(error).__name__}: {error}")
        return []
    return [text for need in needs for text in dict.fromkeys((need.text, need.quote))]
