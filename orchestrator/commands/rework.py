"""revise, feedback, recheck, improve: each makes its tasks and edges in one transaction (docs/domain.md, section 6)."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.commands import following_plans, once
from orchestrator.commands.reworked import FeedbackApplied, Reworked, applied
from orchestrator.commands.words import check_words
from orchestrator.domain import ids
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.documents import Catalogue
from orchestrator.domain.dynamic_session import catalogue_of
from orchestrator.domain.errors import NotAllowedNow, UnknownName, UsageError
from orchestrator.domain.feedback import FeedbackTarget, feedback_target, maker_of, originals
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import SessionStatus, TaskState
from orchestrator.domain.pauses import PAUSES, PauseReason, may_rework
from orchestrator.domain.plan_marks import PLANS
from orchestrator.domain.revisions import (
    FEEDBACK_TO,
    IMPROVE,
    RevisionPlan,
    check_dimension,
    plan_improve,
    plan_recheck,
    plan_rejection,
    plan_revision,
)
from orchestrator.lifecycle import analysis_rounds, delta_plan, fan_out, rework
from orchestrator.lifecycle.audit_rounds import begun_anew
from orchestrator.lifecycle.specified import is_carried_out
from orchestrator.store import artifacts, decisions, edits, messages, records, sessions, tasks, transitions
from orchestrator.store.rows import Session
from orchestrator.store.store import Store, Tx
from orchestrator.store.task_states import graph
from orchestrator.views import lookup
from orchestrator.views.next_steps import actions


def revise(
    store: Store,
    name: str | None,
    about: str,
    feedback: str,
    *,
    force: bool,
    who: str,
    max_attempts: int,
    key: str | None = None,
) -> Reworked:
    """Revise a completed task and the completed tasks that depend on it. Raises UnknownName, NotAllowedNow, UsageError."""
    words = check_words(feedback)
    given = once.command("revise", key, session=name, task=about, words=words, force=force, who=who)

    def unit(tx: Tx) -> Reworked:
        session = open_for(tx, name, "revise")
        rows = tasks.all_tasks(tx, session.id)
        state = graph(rows)
        task = state[_task_to_revise(tx, session, about, state)]
        following_plans.refuse_before_approval(tx, session, task)
        fan_out.refuse_revision(rows, about, session.options)
        plan = plan_revision(state, task.key, _catalogue(tx, session), force)
        if task.prefix == PLANS and is_carried_out(rows):
            begun = following_plans.follow(tx, session, words, who, max_attempts, forced=force)
            return Reworked(session.id, (begun.key,), begun.released, f"revise {about}", go_on(tx, session))
        if not words:
            _refuse_without_change(tx, session, task)
        decisions.decide(tx, session.id, f"revise {about}", who, words or "(no words)", forced=force)
        return _apply(
            tx,
            session,
            plan,
            max_attempts,
            {"feedback": [words] if words else [], "asked_by": who},
            f"revise {about}",
        )

    following_plans.await_edits(store, name)
    return once.apply_once(store, given, Reworked, unit)


def _refuse_without_change(tx: Tx, session: Session, task: TaskState) -> None:
    """Pass where a person has edited a page since a task's document was written. Raises UsageError."""
    document = _catalogue(tx, session).of_task(ids.parse_key(task.key).base)
    if document is None or document.is_report or edits.edited(tx, session.id):
        return
    rows = artifacts.newest(tx, session.id)
    written = max(
        (row.created_at for row in rows if row.path == document.path and row.author != "user"), default=0
    )
    if not any(row.author == "user" and row.created_at > written for row in rows):
        raise UsageError(
            f"it is not said what to change of {task.key}; nothing was done",
            why="there are no words, and no document was edited by hand since it was written",
            fix=f'lifecycle revise {task.key} "what to change"; or edit a document first',
        )


def recheck(
    store: Store, name: str | None, *, who: str, max_attempts: int, key: str | None = None
) -> Reworked:
    """Score the specification again. Raises NotAllowedNow."""
    given = once.command("recheck", key, session=name, who=who)

    def unit(tx: Tx) -> Reworked:
        session = open_for(tx, name, "recheck")
        plan = plan_recheck(graph(tasks.all_tasks(tx, session.id)), _catalogue(tx, session))
        decisions.decide(tx, session.id, "recheck", who, "")
        return _apply(tx, session, plan, max_attempts, {"asked_by": who}, "recheck")

    return once.apply_once(store, given, Reworked, unit)


def improve(
    store: Store,
    name: str | None,
    dimension: str | None,
    *,
    who: str,
    max_attempts: int,
    key: str | None = None,
) -> Reworked:
    """Work on one dimension of the readiness report, then score again. Raises UnknownName, NotAllowedNow."""
    check_dimension(dimension)
    given = once.command("improve", key, session=name, dimension=dimension, who=who)

    def unit(tx: Tx) -> Reworked:
        session = open_for(tx, name, "improve")
        state = graph(tasks.all_tasks(tx, session.id))
        scores, weak = _newest_scores(tx, session.id)
        pack = sessions.pack(tx, session.id)
        chosen = dimension or (min(scores, key=lambda each: scores[each]) if scores else None)
        documents = [
            found["document"] for found in weak.get(chosen or "", []) if found.get("document") in state
        ]
        plan = plan_improve(state, dimension, scores, pack.documents, list(dict.fromkeys(documents)))
        payload = {
            "improve": {
                "dimension": plan.dimension,
                "target": pack.gates.improve_target,
                "score": scores.get(plan.dimension or ""),
                "documents": list(plan.documents),
                "weak": weak.get(plan.dimension or "", []),
            },
            "asked_by": who,
        }
        decisions.decide(tx, session.id, "improve", who, plan.dimension or "")
        return _apply(tx, session, plan, max_attempts, payload, f"improve {plan.dimension}")

    return once.apply_once(store, given, Reworked, unit)


class UnclearFeedback(UsageError):
    """The feedback's words name none of the documents."""

    def __init__(self, documents: Mapping[str, str], named: str, usual: str | None = None) -> None:
        """`documents`: task -> what it makes; `usual`: the task that it is most likely about."""
        self.documents, self.usual = documents, usual or list(documents)[-1]
        listed = ", ".join(f"{key} ({what})" for key, what in documents.items())
        super().__init__(
            "it is not clear which document the feedback is about; nothing was changed",
            why=f"its words name none of {listed}",
            fix=f'name one: lifecycle feedback "..." --task {self.usual}{named}',
        )


def feedback(
    store: Store,
    name: str | None,
    text: str,
    *,
    who: str,
    max_attempts: int,
    task: str | None = None,
    force: bool = False,
    key: str | None = None,
) -> tuple[Reworked, FeedbackTarget]:
    """Record the feedback as a decision and apply it to the document of `task`, or the earliest one that it names.

    Raises UnclearFeedback when it names none of several, NotAllowedNow, UnknownName, UsageError.
    """
    words = check_words(text)
    if not words:
        raise UsageError("the feedback is empty", fix='say what should change: lifecycle feedback "..."')

    def unit(tx: Tx) -> FeedbackApplied:
        session = open_for(tx, name, "feedback")
        state = graph(tasks.all_tasks(tx, session.id))
        if session.pause_reason == PauseReason.PLAN_APPROVAL:
            return applied(*_reject_plan(tx, session, words, state, who, max_attempts, task))
        if analysis_rounds.goes_on(session, tasks.all_tasks(tx, session.id)):
            return applied(*_continue_analysis(tx, session, words, who, max_attempts, task))
        target = _target_of(tx, session, words, state, task)
        decisions.decide(tx, session.id, "feedback", who, words, forced=force)
        records.add_wisdom(tx, session.id, "decisions", who, f"feedback: {words}", target.task)
        given = _Given(session, target.task or "", words, who, max_attempts, state, target.why, force)
        done = _FEEDBACK[target.action](tx, given)
        messages.event(
            tx,
            session.id,
            "feedback",
            f"feedback: {' '.join(filter(None, (target.action, target.task)))}, {target.why}",
            action=target.action,
            task=target.task,
        )
        return applied(done, target)

    forced = {"force": True} if force else {}
    command = once.command("feedback", key, session=name, text=words, task=task, who=who, **forced)
    following_plans.await_edits(store, name)
    found = once.apply_once(store, command, FeedbackApplied, unit)
    return found, found.target


def _reject_plan(
    tx: Tx,
    session: Session,
    words: str,
    state: Mapping[str, TaskState],
    who: str,
    max_attempts: int,
    task: str | None,
) -> tuple[Reworked, FeedbackTarget]:
    """Have the plan that waits for approval made anew. Raises NotAllowedNow, also for another `task`."""
    made = str((session.pause_detail or {}).get("task", ""))
    base = ids.parse_key(made).base
    if task is not None and ids.parse_key(_spelled(tx, session, task)).base != base:
        raise NotAllowedNow(
            f"feedback is about the plan of {base} now",
            why=f"{session.id} is paused: {session.pause_reason}",
            fix="leave --task out; documents are revised before their plan is made",
        )
    rows = {row.key: row for row in tasks.all_tasks(tx, session.id)}
    plan = plan_rejection(state, made, _catalogue(tx, session), is_carried_out=is_carried_out(rows.values()))
    decisions.decide(tx, session.id, f"feedback {made}", who, words)
    records.add_wisdom(tx, session.id, "decisions", who, f"feedback: {words}", base)
    said = [*rows[made].payload.get("feedback", []), words]
    follows = {name: value for name, value in rows[made].payload.items() if name == delta_plan.STALE}
    extra = {**follows, "feedback": said, "asked_by": who}
    done = _apply(tx, session, plan, max_attempts, extra, f"feedback on {made}")
    target = FeedbackTarget("revise", base, "it is the plan that waits for approval")
    messages.event(
        tx, session.id, "feedback", f"feedback: revise {base}, {target.why}", action="revise", task=base
    )
    return done, target


def _continue_analysis(
    tx: Tx, session: Session, words: str, who: str, max_attempts: int, task: str | None
) -> tuple[Reworked, FeedbackTarget]:
    """Another round and new conclusions. Raises NotAllowedNow where `task` is named, UsageError."""
    if task is not None:
        raise NotAllowedNow(
            f"{_spelled(tx, session, task)} takes no feedback",
            why="feedback on an analysis asks for another round",
            fix="leave --task out, or `lifecycle revise TASK`",
        )
    made = analysis_rounds.continue_analysis(tx, session.id, words, max_attempts)
    decisions.decide(tx, session.id, "feedback", who, words)
    records.add_wisdom(tx, session.id, "decisions", who, f"feedback: {words}", made[0])
    target = FeedbackTarget("round", made[0], "it continues the analysis")
    messages.event(tx, session.id, "rework", f"feedback: {', '.join(made)}", made=made, released=[])
    return Reworked(session.id, tuple(made), (), target.why, go_on(tx, session)), target


def _target_of(
    tx: Tx, session: Session, words: str, state: Mapping[str, TaskState], task: str | None
) -> FeedbackTarget:
    """Raises UnclearFeedback; UnknownName or NotAllowedNow for a `task` that takes no feedback."""
    catalogue = _catalogue(tx, session)
    key = None if task is None else _spelled(tx, session, task)
    if key is not None and not catalogue.is_draft(key):
        takers = ", ".join(originals(state, catalogue))
        raise NotAllowedNow(
            f"{key} takes no feedback", why="it makes no document to revise", fix=f"name one of {takers}"
        )
    pages = _pages(tx, session) if key is None else {}
    target = feedback_target(words, state, catalogue, key, pages)
    if target.action == "ask":
        made = {each: catalogue.of_task(each) for each in target.documents}
        titles = {each: found.title for each, found in made.items() if found is not None}
        usual = next((each for each, found in made.items() if found and found.model == "requirements"), None)
        raise UnclearFeedback(titles, lookup.named(tx, session.id), target.likeliest or usual)
    return target


def _pages(tx: Tx, session: Session) -> dict[str, str]:
    """The newest text of the session's documents, by path."""
    rows = (row for row in artifacts.newest(tx, session.id) if row.path.endswith(".md"))
    return {row.path: artifacts.body(tx, row.sha256).decode("utf-8", "replace") for row in rows}


def open_for(tx: Tx, name: str | None, command: str) -> Session:
    """The session of the command, if it can be reworked now."""
    session = lookup.alive(lookup.session(tx, name, finished=True))
    if session.status == SessionStatus.PAUSED:
        reason = session.paused_for
        if not may_rework(command, reason):
            ways = PAUSES[reason].actions
            raise NotAllowedNow(
                f"{command} is not possible while {session.id} is paused: {session.pause_reason}",
                why=f"possible now: {', '.join(ways)}, cancel",
                fix=actions(tx, session)[0]["command"],
            )
    return session


def _catalogue(tx: Tx, session: Session) -> Catalogue:
    """The documents as they were when the session was started."""
    pack = sessions.pack(tx, session.id)
    return catalogue_of(pack, [row.key for row in tasks.all_tasks(tx, session.id)])


def _spelled(tx: Tx, session: Session, key: str) -> str:
    return str(lookup.task(tx, session, key).key)


def _task_to_revise(tx: Tx, session: Session, about: str, state: Mapping[str, TaskState]) -> str:
    """Raises UnknownName, which tells of an item the document that it stands in."""
    try:
        return _spelled(tx, session, about)
    except UnknownName as error:
        catalogue = _catalogue(tx, session)
        maker = maker_of(about.upper(), originals(state, catalogue), catalogue)
        if maker is not None:
            error.fix = f'it belongs to {maker}: `lifecycle revise {maker} "{about.upper()}: what to change"`'
        raise


def _newest_scores(tx: Tx, session: str) -> tuple[dict[str, float], dict[str, list[Json]]]:
    """Score and weak areas of each dimension of the newest readiness report."""
    gates = [row for row in records.verdicts_of(tx, session) if row.kind == "gate"]
    if not gates:
        return {}, {}
    dimensions: Mapping[str, Json] = gates[-1].data.get("dimensions", {})
    return (
        {name: float(found["score"]) for name, found in dimensions.items()},
        {name: list(found.get("weak", [])) for name, found in dimensions.items()},
    )


def _apply(
    tx: Tx, session: Session, plan: RevisionPlan, max_attempts: int, extra: Mapping[str, Json], why: str
) -> Reworked:
    """Carry out the plan and continue the session: rework answers a pause, and reopens a completed session."""
    base = {row.key: dict(row.payload) for row in tasks.all_tasks(tx, session.id)}
    asked = next((each.revision_of for each in plan.tasks if each.made_for), None)

    def payload(state: TaskState) -> JsonObject:
        own = ("feedback", FEEDBACK_TO, "remarks", *(() if state.prefix == IMPROVE else ("improve",)))
        inherited = {
            key: value for key, value in base.get(state.revision_of or "", {}).items() if key not in own
        }
        dependent = {FEEDBACK_TO: asked} if extra.get("feedback") and not state.made_for else {}
        return {**inherited, **begun_anew(state.prefix), **extra, **dependent}

    released = rework.apply(tx, session.id, plan, max_attempts, payload, f"{why}: waits for the revision")
    made = tuple(task.key for task in plan.tasks)
    messages.event(tx, session.id, "rework", f"{why}: {', '.join(made)}", made=list(made), released=released)
    return Reworked(session.id, made, tuple(released), why, go_on(tx, session))


def go_on(tx: Tx, session: Session) -> str:
    """Continue the session and return its new state in words."""
    if session.status == SessionStatus.COMPLETED:
        sessions.reopen(tx, session.id)
    elif session.status == SessionStatus.PAUSED and session.pause_reason != PauseReason.USER:
        sessions.resume(tx, session.id, session.paused_for)
    sessions.request_beat(tx, session.id)
    return _state(tx, session)


def _state(tx: Tx, before: Session) -> str:
    now = sessions.get(tx, before.id)
    assert now is not None
    if now.status == SessionStatus.PAUSED:
        return f"it stays paused: {now.pause_reason}"
    if before.status == SessionStatus.ACTIVE:
        return ""
    was = f"paused: {before.pause_reason}" if before.pause_reason else before.status
    return f"it was {was} and is {now.status} again" if now.status == SessionStatus.ACTIVE else ""


@dataclass(frozen=True, slots=True)
class _Given:
    """A user's feedback and the task it concerns."""

    session: Session
    task: str
    words: str
    who: str
    max_attempts: int
    state: Mapping[str, TaskState]
    why: str
    force: bool


def _feedback_revise(tx: Tx, given: _Given) -> Reworked:
    catalogue = _catalogue(tx, given.session)
    plan = plan_revision(given.state, given.task, catalogue, given.force, "feedback")
    extra = {"feedback": [given.words], "asked_by": given.who}
    return _apply(tx, given.session, plan, given.max_attempts, extra, f"feedback on {given.task}")


def _feedback_add(tx: Tx, given: _Given) -> Reworked:
    """Pending: add the feedback to the task's input."""
    row = lookup.task(tx, given.session, given.task)
    said = [*row.payload.get("feedback", []), given.words]
    transitions.set_payload(tx, row.id, {**row.payload, "feedback": said, "asked_by": given.who})
    state = go_on(tx, given.session)
    return Reworked(given.session.id, (), (), f"the feedback was added to the input of {given.task}", state)


def _feedback_restart(tx: Tx, given: _Given) -> Reworked:
    """Running: release its run; the task starts again with the feedback."""
    released = rework.release(tx, given.session.id, (given.task,), "restarted with new feedback")
    done = _feedback_add(tx, given)
    why = f"{given.task} starts again: {done.why}"
    return Reworked(given.session.id, (), tuple(released), why, done.state)


def _feedback_plan(tx: Tx, given: _Given) -> Reworked:
    """Built without documents of its own: the plan follows the words."""
    begun = following_plans.follow(tx, given.session, given.words, given.who, given.max_attempts)
    state = go_on(tx, given.session)
    return Reworked(given.session.id, (begun.key,), begun.released, f"feedback on {given.task}", state)


def _feedback_record(tx: Tx, given: _Given) -> Reworked:
    return Reworked(given.session.id, (), (), f"recorded only: {given.why}", _state(tx, given.session))


_FEEDBACK = {
    "revise": _feedback_revise,
    "add": _feedback_add,
    "restart": _feedback_restart,
    "record": _feedback_record,
    "plan": _feedback_plan,
}
