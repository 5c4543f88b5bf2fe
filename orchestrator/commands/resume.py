"""resume: recover from dead processes, then act by the pause reason (docs/domain.md, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from shlex import quote

from orchestrator.commands import once, plan_approval
from orchestrator.coordinator import reconcile
from orchestrator.domain.approvals import Token
from orchestrator.domain.budget import Caps, edits_code
from orchestrator.domain.dataclass import asdict, dataclass, field
from orchestrator.domain.errors import NotAllowedNow, UnknownName, UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import Gate, SessionStatus, TaskStatus
from orchestrator.domain.pauses import PAUSES, PauseReason
from orchestrator.domain.scheduling import topological
from orchestrator.lifecycle import analysis_rounds, delta_plan
from orchestrator.lifecycle.checkpoints import CHECKPOINTS
from orchestrator.lifecycle.specified import is_carried_out, specified
from orchestrator.project import Project
from orchestrator.store import custody, decisions, edits, messages, sessions, tasks, transitions
from orchestrator.store.rows import Session, Task
from orchestrator.store.store import Store, Tx
from orchestrator.store.task_states import graph
from orchestrator.views import approvals, budget, lookup
from orchestrator.views.agents import ask_agents
from orchestrator.views.next_steps import asks_agents

NAMED = 3  # edited files that a refusal names
WITHOUT_DECIDE = "leave --decide out; use `lifecycle feedback` to say what should change"


@dataclass(frozen=True, slots=True)
class Answer:
    """A user's answer to a pause."""

    who: str
    words: str = ""
    force: bool = False
    retry: str | None = None
    agent: str | None = None  # asked first for the task of `retry`, and for its revisions
    skip: str | None = None
    decide: str | None = None
    caps: Caps = field(default_factory=dict)  # new ones, counted
    expect: Token | None = None  # what they have seen; None: what was shown at the pause


@dataclass(frozen=True, slots=True)
class Resumed:
    session: str
    reason: str | None  # the pause it answered; None: the session was not paused
    recovered: tuple[str, ...]  # tasks whose lost attempts were put right
    warnings: tuple[str, ...] = ()
    released: tuple[str, ...] = ()  # runs whose agents must stop now
    repeated: bool = False  # it was applied before, under the same key


def check_agent(project: Project, agent: str, task: str) -> None:
    """Raise UnknownName or NotAllowedNow for an agent that is not configured, or cannot be used now or for the task."""
    found = check_usable(project, agent)
    if edits_code(task) and not found["edits_files"]:
        raise NotAllowedNow(
            f"the agent {agent} cannot do {task}",
            why="it edits no files",
            fix="name one that does: `lifecycle agents` lists them",
        )


def check_usable(project: Project, agent: str) -> JsonObject:
    """What is known of the agent. Raises UnknownName, NotAllowedNow for one that cannot be used now."""
    known = {each["name"]: each for each in ask_agents(project)["agents"]}
    if agent not in known:
        raise UnknownName("agent", agent, known, fix="`lifecycle agents` lists them")
    if not known[agent]["usable"]:
        usable = ", ".join(name for name, each in known.items() if each["usable"])
        raise NotAllowedNow(
            f"the agent {agent} cannot be used now",
            why=str(known[agent]["fault"]),
            fix=f"`lifecycle doctor` shows how to fix it; usable: {usable}",
        )
    return dict(known[agent])


def resume(
    store: Store,
    name: str | None,
    answer: Answer,
    *,
    more_attempts: int,
    key: str | None = None,
    paused_as: Callable[[Session], bool] | None = None,
) -> Resumed:
    """Recover and continue, as the pause reason defines. Raises NotAllowedNow, UnknownName, UsageError.

    `paused_as`: the pause that is answered; any other one is refused.
    Edits by hand are taken in, and what is approved is compared with what was shown, in the one transaction that answers.
    """
    given = command(name, answer, key)
    known = store.read(given.answer)
    if known is not None:
        return once.answer_again(Resumed, known)
    chosen = store.read(lambda tx: lookup.alive(lookup.session(tx, name, finished=name is not None)))

    def unit(tx: Tx, alone: bool) -> Resumed:
        if tx.about(chosen.id):
            custody.refuse_moving(tx, chosen.id)
        if paused_as is not None:
            _refuse_other(tx, chosen.id, paused_as)
        edited = edits.edited(tx, chosen.id)
        if edited and not alone:
            raise _EditedMeanwhile
        return _resume(tx, chosen.id, answer, edited, more_attempts, being_written)

    being_written = edits.await_saved(store, chosen.id)
    if not store.read(lambda tx: edits.edited(tx, chosen.id)):
        with suppress(_EditedMeanwhile):
            return once.apply_once(store, given, Resumed, lambda tx: unit(tx, alone=False))
    with edits.alone(store.workflow, chosen.id):  # not while a projector writes these files
        return once.apply_once(store, given, Resumed, lambda tx: unit(tx, alone=True))


def _refuse_other(tx: Tx, name: str, paused_as: Callable[[Session], bool]) -> None:
    row = sessions.get(tx, name)
    if row is None:
        raise UnknownName("session", name, [])
    if not paused_as(row):
        raise NotAllowedNow(f"{name} is no longer paused as it was", fix=f"lifecycle check {name}")


def command(name: str | None, answer: Answer, key: str | None) -> once.Command:
    """The command as its caller gave it; a token that shows more digits of the same digest is another one."""
    given = {**asdict(answer), "expect": None if answer.expect is None else str(answer.expect)}
    return once.command("resume", key, session=name, **given)


class _EditedMeanwhile(Exception):
    """A file has changed since it was read: the answer is tried again."""


def _resume(
    tx: Tx,
    name: str,
    answer: Answer,
    edited: Mapping[str, bytes],
    more_attempts: int,
    being_written: Sequence[str],
) -> Resumed:
    lost = [found.task for found in reconcile.reap_within(tx, None, (name,))]
    session = sessions.get(tx, name)
    assert session is not None
    approved = approvals.approval(tx, session, edited)
    if answer.expect is not None:  # before what else is wrong with an answer to something that is over
        approvals.check(tx, approved, session, answer.expect, _options_of(answer))
    if session.status == SessionStatus.COMPLETED:
        raise _nothing_to_resume(session.id, edited, tasks.all_tasks(tx, name))
    if topological(graph(tasks.all_tasks(tx, session.id))) is None:
        raise NotAllowedNow("the session's graph has a cycle", fix=f"lifecycle repair --session {session.id}")
    reason = session.paused_for if session.pause_reason else None
    _skip_or_retry(tx, session, answer, more_attempts)
    if answer.caps:
        budget.raise_caps(tx, session, answer.caps, answer.who, answer.words)
    warnings = [
        f"{path} was edited by hand; the edit is now a new version by user" for path in sorted(edited)
    ]
    warnings += [
        f"{path} is open for writing in another program: an edit of it is taken in once it is closed there"
        for path in being_written
    ]
    if reason is not None:
        warnings += _check_answer(tx, session, reason, answer)
    elif answer.decide:
        raise UsageError(
            "--decide answers a blocked discussion", why=f"{session.id} is not paused", fix=WITHOUT_DECIDE
        )
    plan = None
    if reason is PauseReason.PLAN_APPROVAL:
        plan = plan_approval.checked(tx, session, edited, answer.force)
        warnings += plan.warnings
    if answer.expect is None:
        approvals.check(tx, approved, session, None, _options_of(answer))
    edits.keep_large(tx.workflow, edited)
    edits.register(tx, session.id, edited)
    if plan is not None:
        plan_approval.make_tasks(tx, session, plan, answer.who, more_attempts)
    messages.event(
        tx,
        session.id,
        "resumed",
        f"resumed by {answer.who}" + (f": {reason}" if reason else ""),
        reason=reason,
    )
    released: tuple[str, ...] = ()
    if reason is not None:
        _answer_pause(tx, session, reason, answer, approved.digest if approved else None, more_attempts)
        if reason in CHECKPOINTS:
            released = _plan_again(tx, session, more_attempts)
    sessions.request_beat(tx, session.id)
    return Resumed(session.id, reason, tuple(lost), tuple(warnings), released)


def _plan_again(tx: Tx, session: Session, max_attempts: int) -> tuple[str, ...]:
    """Have the work follow what was approved, where some of it is made of something else; runs that were released."""
    rows = tasks.all_tasks(tx, session.id)
    if not is_carried_out(rows):
        return ()
    found = specified(tx, session.id)
    if found is None or not found.to_plan:
        return ()
    return delta_plan.begin(tx, session.id, found, max_attempts).released


def _nothing_to_resume(session: str, edited: Mapping[str, bytes], rows: Sequence[Task]) -> NotAllowedNow:
    """The refusal to resume a completed session; it names edits by hand, which only a task takes in."""
    what = f"{session} is completed: there is nothing to resume"
    if not edited:
        return NotAllowedNow(
            what, why="every task is done", fix="rework it with revise, feedback, recheck or improve"
        )
    paths = sorted(edited)
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    why = f"every task is done; {', '.join(paths[:NAMED])}{more} edited by hand since"
    if is_carried_out(rows) and not any(
        row.phase == "spec" for row in rows
    ):  # a specification that was brought along
        return NotAllowedNow(
            what,
            why=why,
            fix="`lifecycle impact` shows what that runs again; `lifecycle revise PLAN-001` has the plan follow it",
        )
    return NotAllowedNow(
        what,
        why=why,
        fix="`lifecycle recheck` takes the edits in and scores them; `lifecycle revise TASK` builds on them",
    )


def _skip_or_retry(tx: Tx, session: Session, answer: Answer, more: int) -> None:
    for key in (answer.retry, answer.skip):
        if key is not None:
            lookup.task(tx, session, key)
    if answer.retry is not None:
        row = lookup.task(tx, session, answer.retry)
        if not transitions.retry(tx, row.id, more):
            raise NotAllowedNow(
                f"{row.key} is {row.status}, not failed",
                why="only a failed task can be retried",
                fix=f"lifecycle why {row.key}",
            )
        words = answer.words
        if answer.agent is not None:
            _ask_first(tx, row, answer.agent)
            words = f"agent {answer.agent}" + (f": {words}" if words else "")
        decisions.decide(tx, session.id, f"retry {row.key}", answer.who, words, forced=answer.force)
    if answer.skip is not None:
        row = lookup.task(tx, session, answer.skip)
        if not transitions.skip(tx, row.id):
            raise NotAllowedNow(
                f"{row.key} is {row.status}",
                why="only a pending or failed task can be skipped",
                fix=f"lifecycle why {row.key}",
            )
        decisions.decide(tx, session.id, f"skip {row.key}", answer.who, answer.words, forced=answer.force)
        messages.event(tx, session.id, "skipped", f"{row.key} was skipped by {answer.who}", task=row.key)


def _ask_first(tx: Tx, row: Task, agent: str) -> None:
    """Store the agent that the task asks before all others. Raises NotAllowedNow."""
    if not asks_agents(tx, row):
        raise NotAllowedNow(
            f"{row.key} takes no --agent",
            why="its work is done by rules, or asks the agents of its perspectives",
            fix=f"lifecycle resume --retry {row.key}",
        )
    transitions.set_payload(tx, row.id, {**row.payload, "agent": agent})


def _check_answer(tx: Tx, session: Session, reason: PauseReason, answer: Answer) -> list[str]:
    """Apply the answer and return warnings. Raises NotAllowedNow, UsageError for what does not answer the pause."""
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
            fix="leave --decide out; `lifecycle check` shows what continues it",
        )
    return _gate(session, reason, answer)


def _answer_pause(
    tx: Tx, session: Session, reason: PauseReason, answer: Answer, digest: str | None, more: int
) -> None:
    pause = PAUSES[reason]
    if reason is PauseReason.TASK_FAILED and answer.retry is None and answer.skip is None:
        for row in tasks.all_tasks(tx, session.id):
            if row.status == TaskStatus.FAILED:
                transitions.retry(tx, row.id, more)
    if pause.decision is not None and reason is not PauseReason.BUDGET:  # new caps left theirs already
        about = (session.pause_detail or {}).get("task")
        subject = f"{pause.decision} {about}" if about else pause.decision
        decisions.decide(
            tx,
            session.id,
            subject,
            answer.who,
            answer.decide or answer.words,
            digest=digest,
            forced=answer.force,
        )
    if reason is PauseReason.DISCUSSION_FEEDBACK:
        about = str((session.pause_detail or {})["task"])
        analysis_rounds.next_round(tx, session.id, about, answer.decide or "", more)
    sessions.resume(tx, session.id, reason)


def _options_of(answer: Answer) -> list[str]:
    """The options of the refused command, so that the message can repeat them."""
    given = {
        "--retry": answer.retry,
        "--agent": answer.agent,
        "--skip": answer.skip,
        "--decide": answer.decide,
    }
    words = [f"{option} {quote(value)}" for option, value in given.items() if value]
    return [*(["--force"] if answer.force else []), *words]


def _options(session: Session) -> str:
    options = (session.pause_detail or {}).get("options") or []
    return "; ".join(str(option.get("label", option)) for option in options) or str(
        (session.pause_detail or {}).get("question", "its discussion is blocked")
    )


def _gate(session: Session, reason: PauseReason, answer: Answer) -> list[str]:
    """Warn of a REVIEW gate; refuse a FAIL gate without `force`."""
    if reason is not PauseReason.CHECKPOINT:
        return []
    if session.gate == Gate.FAIL and not answer.force:
        raise NotAllowedNow(
            f"the quality gate is FAIL ({session.score:.0f} %)",
            why="the next phase would build on a weak specification",
            fix="lifecycle improve | lifecycle revise TASK; `lifecycle resume --force` continues anyway",
        )
    return [f"the quality gate is REVIEW ({session.score:.0f} %)"] if session.gate == Gate.REVIEW else []
