"""`resume`: put right what a death left, then act by the pause reason (domain, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from orchestrator.coordinator import budget, find, reconcile
from orchestrator.domain.budget import Caps
from orchestrator.domain.errors import NotAllowedNow, UsageError
from orchestrator.domain.model import Gate, PauseReason, SessionStatus, TaskStatus
from orchestrator.domain.readiness import topological
from orchestrator.domain.states import PAUSES
from orchestrator.store import artifacts, edits, messages, sessions, tasks, transitions
from orchestrator.store.prepared import Row
from orchestrator.store.report import spec_digest
from orchestrator.store.store import Store, Tx
from orchestrator.store.views import graph

WITHOUT_DECIDE = "leave --decide out; `lifecycle feedback` says what should change"


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's answer to a pause."""

    who: str
    words: str = ""
    force: bool = False
    retry: str | None = None
    skip: str | None = None
    decide: str | None = None
    caps: Caps = field(default_factory=dict)  # new ones, counted


@dataclass(frozen=True, slots=True)
class Resumed:
    session: str
    reason: str | None  # the pause it answered; None: the session was not paused
    recovered: tuple[str, ...]  # tasks whose lost attempts were put right
    warnings: tuple[str, ...] = ()


def resume(store: Store, name: str | None, answer: Answer, *, more_attempts: int) -> Resumed:
    """Recover and go on; what it means follows from the pause reason. Raises NotAllowedNow, UnknownName, UsageError.

    It is rehearsed before anything is taken in, so that a refusal changes nothing.
    """
    chosen = store.read(lambda tx: find.alive(find.session(tx, name, finished=name is not None)))

    def unit(tx: Tx, edited: Sequence[str] = ()) -> Resumed:
        lost = [found.task for found in reconcile.reap_within(tx, None) if found.session == chosen.id]
        session = sessions.get(tx, chosen.id)
        assert session is not None
        if session.status == SessionStatus.COMPLETED:
            raise NotAllowedNow(
                f"{session.id} is completed: there is nothing to resume",
                why="every task is done",
                fix="rework it with revise, feedback, recheck or improve",
            )
        warnings = [f"{path} was edited by hand; it is now a version by user" for path in edited]
        if topological(graph(tasks.all_tasks(tx, session.id))) is None:
            raise NotAllowedNow(
                "the session's graph has a cycle", fix=f"lifecycle repair --session {session.id}"
            )
        reason = PauseReason(session.pause_reason) if session.pause_reason else None
        _skip_or_retry(tx, session, answer, more_attempts)
        if answer.caps:
            budget.raise_caps(tx, session, answer.caps, answer.who, answer.words)
        messages.event(
            tx,
            session.id,
            "resumed",
            f"resumed by {answer.who}" + (f": {reason}" if reason else ""),
            reason=reason,
        )
        if reason is None:
            if answer.decide:
                raise UsageError(
                    "--decide answers a blocked discussion",
                    why=f"{session.id} is not paused",
                    fix=WITHOUT_DECIDE,
                )
        else:
            warnings += _answer_pause(tx, session, reason, answer, more_attempts)
        sessions.mark_dirty(tx, session.id)
        return Resumed(session.id, reason, tuple(lost), tuple(warnings))

    def rehearse(tx: Tx) -> None:
        unit(tx)
        raise _Rehearsed

    with suppress(_Rehearsed):
        store.write(rehearse)
    edited = edits.adopt(store, chosen.id)
    return store.write(lambda tx: unit(tx, edited))


class _Rehearsed(Exception):
    """It would be done; raised so that it is not."""


def _skip_or_retry(tx: Tx, session: Row, answer: Answer, more: int) -> None:
    for key in (answer.retry, answer.skip):
        if key is not None:
            find.task(tx, session, key)
    if answer.retry is not None:
        row = find.task(tx, session, answer.retry)
        if not transitions.retry(tx, row.id, more):
            raise NotAllowedNow(
                f"{row.key} is {row.status}, not failed",
                why="only a failed task can be retried",
                fix=f"lifecycle why {row.key}",
            )
        sessions.decide(tx, session.id, f"retry {row.key}", answer.who, answer.words, forced=answer.force)
    if answer.skip is not None:
        row = find.task(tx, session, answer.skip)
        if not transitions.skip(tx, row.id):
            raise NotAllowedNow(
                f"{row.key} is {row.status}",
                why="only a pending or failed task can be skipped",
                fix=f"lifecycle why {row.key}",
            )
        sessions.decide(tx, session.id, f"skip {row.key}", answer.who, answer.words, forced=answer.force)
        messages.event(tx, session.id, "skipped", f"{row.key} was skipped by {answer.who}", task=row.key)


def _answer_pause(tx: Tx, session: Row, reason: PauseReason, answer: Answer, more: int) -> list[str]:
    """Apply the answer to the pause; warnings. Raises NotAllowedNow."""
    pause = PAUSES[reason]
    if pause.needs == "--decide" and not answer.decide:
        raise NotAllowedNow(
            f"{session.id} waits for a decision",
            why=_options(session),
            fix='lifecycle resume --decide "your decision"',
        )
    if reason is PauseReason.BUDGET:
        budget.refuse_if_reached(tx, session.id)
    if answer.decide and pause.needs != "--decide":
        raise UsageError(
            "--decide answers a blocked discussion",
            why=f"{session.id} is paused: {reason}",
            fix=WITHOUT_DECIDE,
        )
    warnings = _gate(session, reason, answer)
    if reason is PauseReason.TASK_FAILED and answer.retry is None and answer.skip is None:
        for row in tasks.all_tasks(tx, session.id):
            if row.status == TaskStatus.FAILED:
                transitions.retry(tx, row.id, more)
    if pause.decision is not None and reason is not PauseReason.BUDGET:  # new caps left theirs already
        now = spec_digest(artifacts.newest(tx, session.id))
        shown = (session.pause_detail or {}).get("digest")
        if shown and shown != now:
            warnings.append(
                "the documents changed since they were scored; `lifecycle recheck` scores them again"
            )
        about = (session.pause_detail or {}).get("task")
        subject = f"{pause.decision} {about}" if about else pause.decision
        sessions.decide(
            tx,
            session.id,
            subject,
            answer.who,
            answer.decide or answer.words,
            digest=now,
            forced=answer.force,
        )
    sessions.resume(tx, session.id, reason)
    return warnings


def _options(session: Row) -> str:
    options = (session.pause_detail or {}).get("options") or []
    return "; ".join(str(option.get("label", option)) for option in options) or "its discussion is blocked"


def _gate(session: Row, reason: PauseReason, answer: Answer) -> list[str]:
    """A checkpoint after a FAILed gate is passed only by force; after REVIEW with a warning."""
    if reason is not PauseReason.CHECKPOINT:
        return []
    if session.gate == Gate.FAIL and not answer.force:
        raise NotAllowedNow(
            f"the quality gate is FAIL ({session.score:.0f} %)",
            why="going on would build on a specification that does not hold",
            fix="lifecycle improve | lifecycle revise TASK; `lifecycle resume --force` goes on all the same",
        )
    return [f"the quality gate is REVIEW ({session.score:.0f} %)"] if session.gate == Gate.REVIEW else []
