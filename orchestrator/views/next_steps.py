"""Why a session waits and how to continue: only commands that would not be refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from shlex import quote

from orchestrator.domain import own_discussion
from orchestrator.domain.agent_kinds import BUILTIN
from orchestrator.domain.budget import edits_code
from orchestrator.domain.documents import DISCOVERY, Catalogue
from orchestrator.domain.dynamic_session import catalogue_of
from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.feedback import FeedbackTarget, feedback_target, originals
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import SATISFIED, Gate, SessionStatus, TaskState, TaskStatus
from orchestrator.domain.pauses import PAUSES, REOPENING, PauseReason, may_rework
from orchestrator.domain.plan_marks import APPROVE_PLAN, PLANS
from orchestrator.domain.request_forms import NAMES, form_of_text
from orchestrator.domain.review_verdicts import MODE
from orchestrator.domain.revisions import BUILDS, plan_improve, plan_recheck, plan_rejection, plan_revision
from orchestrator.lifecycle import analysis_rounds, fan_out
from orchestrator.lifecycle.checkpoints import CHANGED
from orchestrator.store import records, sessions, tasks
from orchestrator.store.rows import Session, Task
from orchestrator.store.store import Tx
from orchestrator.store.task_states import graph
from orchestrator.views import approvals, budget, discuss, landed, resumption, reviews
from orchestrator.views.cost import ANSWERS
from orchestrator.views.lookup import DISCUSSANT, named

FAULTS = 3  # of a blocked discussion that are told; `discuss` shows all
DIFFS = 3  # commands that show what changed since a pause
WORDS = "your words"
MANY = 300  # tasks; of more, what each revision would do is not looked at


def pause_view(tx: Tx, session: Session) -> JsonObject | None:
    """Why the session waits and every command that continues it; None while it is not paused."""
    if session.status != SessionStatus.PAUSED:
        return None
    reason = session.paused_for
    detail = session.pause_detail or {}
    faults, held = _faults(tx, session, reason)
    approval = approvals.approval(tx, session)
    return {
        "reason": str(reason),
        "detail": detail,
        "resume_means": resumption.meaning(tx, session.id, reason),
        "question": _question(session) if reason is PauseReason.CHECKPOINT else None,
        "faults": faults[:FAULTS],
        "discuss": f"lifecycle discuss {held}{named(tx, session.id)}" if held else None,
        "token": str(approvals.token_of(tx, session, approval)),
        "approval": approvals.view(approval, named(tx, session.id)) if approval else None,
        "actions": actions(tx, session, approval),
    }


def _question(session: Session) -> str | None:
    """What to answer before a specification is approved whose request asks for nothing; None for any other."""
    form = NAMES.get(form_of_text(session.request))
    if form is None:
        return None
    return f"the request reads like {form} and asks for nothing to be built: what is to be made or changed, for whom?"


def _faults(tx: Tx, session: Session, reason: PauseReason) -> tuple[list[JsonObject], str | None]:
    """The findings for which a discussion blocked the session, the most severe first, and its name for `discuss`."""
    detail = session.pause_detail or {}
    if reason is PauseReason.DISCUSSION_BLOCKED:
        return list(detail.get("faults", [])), None  # its verdict is stored when the decision was taken up
    if reason in (PauseReason.SIGNOFF_BLOCKED, PauseReason.REVISION_EXHAUSTED):
        return discuss.faults(tx, session.id, str(detail.get("task", "")))
    return [], None


NO_HOSTS = (
    "it continues when a worker host takes what is offered: `lifecycle worker` runs one here, "
    "`lifecycle host join` on another machine."
)


def next_view(
    tx: Tx,
    session: Session,
    views: Sequence[Mapping[str, Json]],
    *,
    is_led: bool = True,
    has_hosts: bool = True,
) -> JsonObject:
    """A sentence on what happens next, and the commands for it.

    `is_led`: a coordinator runs, or is on its way; `has_hosts`: so do worker hosts for what is offered.
    """
    if session.status != SessionStatus.ACTIVE:
        return {"says": _says(session), "commands": [each["command"] for each in actions(tx, session)]}
    gates = [view for view in views if view["checkpoint_after"] or _waits_for_approval(session, view)]
    gate = next((view["task"] for view in gates if view["status"] not in SATISFIED), None)
    until = f"it pauses for you after {gate}" if gate else "it continues by itself"
    waiting = next((view["task"] for view in views if view["status"] == TaskStatus.PENDING), None)
    suffix = named(tx, session.id)
    if not is_led:
        return {"says": "it continues when a coordinator runs.", "commands": [f"lifecycle resume{suffix}"]}
    asked = [f"lifecycle why {waiting}{suffix}"] if waiting else []
    if not has_hosts:
        return {"says": NO_HOSTS, "commands": ["lifecycle worker", *asked]}
    commands = [f"lifecycle log -f{suffix}", *asked]
    return {"says": f"nothing to do: {until}.", "commands": commands}


def _waits_for_approval(session: Session, view: Mapping[str, Json]) -> bool:
    return bool(session.options.get(APPROVE_PLAN)) and view["role"] == "planner"


def _says(session: Session) -> str:
    if session.status == SessionStatus.PAUSED:
        return f"waiting for you: {session.pause_reason}; resume would {PAUSES[session.paused_for].resume}."
    return (
        "the session is completed."
        if session.status == SessionStatus.COMPLETED
        else "the session was cancelled."
    )


def actions(tx: Tx, session: Session, approval: approvals.Approval | None = None) -> list[dict[str, str]]:
    """The commands that are possible now, the suggested one first, each with what it does."""
    suffix = named(tx, session.id)
    if session.status == SessionStatus.COMPLETED:
        if session.mode == MODE:
            return [_action(reviews.report_command(tx, session.id), "shows the findings with their evidence")]
        if session.mode == own_discussion.MODE:
            return _discussed(suffix)
        found = [*_compared(tx, session), *_rework(tx, session, REOPENING, suffix)]
        if landed.may_apply(tx, session.id):
            does = landed.applying_means(tx, session.id)
            return [_action(f"lifecycle apply{suffix}", does), *found]
        return found
    if session.status != SessionStatus.PAUSED:
        return []
    reason = session.paused_for
    approval = approval or approvals.approval(tx, session)
    is_failed = reason is PauseReason.CHECKPOINT and session.gate == Gate.FAIL
    answers = [_answer(tx, session, reason, approval, suffix)]
    if approval is not None and not approval.as_shown:
        shown = approval.diffs(suffix)[:DIFFS]
        answers = [
            *(_action(command, "shows what has changed since then") for command in shown),
            *answers,
        ]
    answers = (
        [*_seen_first(session, suffix), *answers] if is_failed else [*answers, *_seen_first(session, suffix)]
    )
    ways = PAUSES[reason].actions[1:]
    others = [*_rework(tx, session, ways, suffix), *_checks(tx, session, ways, suffix)]
    found = [*others, *answers] if is_failed else [*answers, *others]
    return [*found, _action(f"lifecycle cancel{suffix}", "ends the session permanently")]


def _discussed(suffix: str) -> list[dict[str, str]]:
    """What can be read of the discussion of a file; nothing was made that could be changed."""
    held = own_discussion.ROUND
    return [
        _action(f"lifecycle open {held} --print{suffix}", "prints the record"),
        _action(f"lifecycle discuss {held}{suffix}", "shows each rating, and the findings"),
    ]


def _compared(tx: Tx, session: Session) -> list[dict[str, str]]:
    """Of a fork: its comparison with what it was made from, while that is there."""
    origin = session.options.get("forked_from")
    if not origin or sessions.get(tx, origin["session"]) is None:
        return []
    return [
        _action(f"lifecycle compare {origin['session']} {session.id}", "shows how it differs from its source")
    ]


def _seen_first(session: Session, suffix: str) -> list[dict[str, str]]:
    """Commands that show how the specification differs from what the work is made of, where that is what is asked about."""
    changed = (session.pause_detail or {}).get(CHANGED)
    if not changed:
        return []
    pages = changed.get("pages", [])[:DIFFS]
    shown = [_action(f"lifecycle diff {quote(page)}{suffix}", "shows what has changed") for page in pages]
    return [_action(f"lifecycle impact{suffix}", "shows what your approval runs again"), *shown]


def _action(command: str, does: str) -> dict[str, str]:
    return {"command": command, "does": does}


def _answer(
    tx: Tx, session: Session, reason: PauseReason, approval: approvals.Approval | None, suffix: str
) -> dict[str, str]:
    """`resume`, with the options it needs."""
    if reason is PauseReason.BUDGET:
        return _action(f"lifecycle {budget.way_on(tx, session)}{suffix}", budget.in_words(tx, session))
    options, does = "", resumption.meaning(tx, session.id, reason)
    if reason is PauseReason.CHECKPOINT and session.gate == Gate.FAIL:
        options, does = " --force", "continues despite the failed quality gate"
    if PAUSES[reason].needs == "--decide":
        options = f' --decide "{WORDS}"'
    if approval is not None and not approval.as_shown:
        options, does = f"{options} --expect {approval.token}", f"{does}, including the changes since then"
    return _action(f"lifecycle resume{options}{suffix}", does)


def _rework(tx: Tx, session: Session, names: Sequence[str], suffix: str) -> list[dict[str, str]]:
    """The rework commands that would find something to do."""
    state = graph(tasks.all_tasks(tx, session.id))
    catalogue = _catalogue(tx, session)
    rejects = session.pause_reason == PauseReason.PLAN_APPROVAL
    revised = _revisable(tx, session, state, catalogue) if "revise" in names else None
    made_plan = str((session.pause_detail or {}).get("task", ""))
    analysed = analysis_rounds.goes_on(session, tasks.all_tasks(tx, session.id))
    takes_feedback = (
        _is_taken(lambda: plan_rejection(state, made_plan, catalogue))
        if rejects
        else analysed or _takes_feedback(state, catalogue)
    )
    possible = {
        "revise": (
            f'revise {revised} "what to change"' if revised else None,
            "revises that document and the documents that depend on it",
        ),
        "feedback": (
            f'feedback "{WORDS}"' if "feedback" in names and takes_feedback else None,
            "has the plan made anew"
            if rejects
            else "holds another round about your words, and writes the conclusions anew"
            if analysed
            else "finds and revises the document that your feedback concerns",
        ),
        "recheck": (
            "recheck" if _is_taken(lambda: plan_recheck(state, catalogue)) else None,
            "scores the specification again",
        ),
        "improve": (
            "improve"
            if _may_gain(tx, session) and _is_taken(lambda: plan_improve(state, None, {}, catalogue))
            else None,
            "improves the weakest part of the score",
        ),
    }
    found = [possible[name] for name in names if name in possible]
    return [_action(f"lifecycle {command}{suffix}", does) for command, does in found if command]


def _may_gain(tx: Tx, session: Session) -> bool:
    """Whether another `improve` can gain: not where the newest report says that the last one gained nothing."""
    scored = discuss.scores(tx, session.id)
    return scored is None or scored["improved"] is None or scored["improved"]["gain"] > 0


def _revisable(tx: Tx, session: Session, state: Mapping[str, TaskState], catalogue: Catalogue) -> str | None:
    """The document that a pause is about, else the lowest rated one, of those that can be revised."""
    about = state.get(str((session.pause_detail or {}).get("task", "")))
    near = [about.revision_of or about.key, *about.blocked_by] if about else []
    means = {row.task: row.mean for row in records.verdicts_of(tx, session.id) if row.kind == "discuss"}
    drafts = [each for each in state.values() if catalogue.is_draft(each.key) and not each.revision_of]

    def order(each: TaskState) -> tuple[bool, bool, float, int]:
        made = catalogue.of_task(each.key)
        is_source = made is not None and made.model == DISCOVERY
        return each.key not in near, is_source, means.get(each.key) or 5.0, -each.seq

    drafts.sort(key=order)
    return next((each.key for each in drafts if _can_revise(state, each.key, catalogue)), None)


def revise(tx: Tx, session: Session, task: str) -> str | None:
    """The command that revises a task; None where it would be refused."""
    open_now = session.status != SessionStatus.CANCELLED and (
        session.status != SessionStatus.PAUSED or may_rework("revise", session.paused_for)
    )
    rows = tasks.all_tasks(tx, session.id)
    state = graph(rows)
    if not _is_taken(lambda: fan_out.refuse_revision(rows, task, session.options)):
        return None
    if not open_now or not _can_revise(state, task, _catalogue(tx, session)):
        return None
    return f'lifecycle revise {task} "what to change"{named(tx, session.id)}'


def _catalogue(tx: Tx, session: Session) -> Catalogue:
    pack = sessions.pack(tx, session.id)
    return catalogue_of(pack, [row.key for row in tasks.all_tasks(tx, session.id)])


def _can_revise(state: Mapping[str, TaskState], task: str, catalogue: Catalogue) -> bool:
    return _is_taken(lambda: plan_revision(state, task, catalogue))


def feedback_documents(tx: Tx, session: Session) -> dict[str, str]:
    """Task -> title of the documents that feedback may name; empty where it is about a plan or an analysis."""
    rows = tasks.all_tasks(tx, session.id)
    if session.pause_reason == PauseReason.PLAN_APPROVAL or analysis_rounds.goes_on(session, rows):
        return {}
    state, catalogue = graph(rows), _catalogue(tx, session)
    made = {
        key: catalogue.of_task(key)
        for key, target in _feedback_takers(state, catalogue).items()
        if target.action != "record"
    }
    return {key: document.title for key, document in made.items() if document is not None}


def revisable(tx: Tx, session: Session) -> dict[str, str]:
    """Task -> title of what `revise` would take: documents, and completed plans and builds, which have no title."""
    state, catalogue = graph(tasks.all_tasks(tx, session.id)), _catalogue(tx, session)
    found: dict[str, str] = {}
    for key, each in state.items():
        made = catalogue.of_task(key)
        is_work = len(state) <= MANY and each.prefix in (*BUILDS, PLANS)
        if each.revision_of or not (is_work or (made is not None and not made.is_report)):
            continue
        if _can_revise(state, key, catalogue):
            found[key] = made.title if made is not None else ""
    return found


def takes_feedback(tx: Tx, session: Session) -> bool:
    """Whether an active session has a document of which feedback would be taken, written already or not."""
    if session.status != SessionStatus.ACTIVE:
        return False
    rows = tasks.all_tasks(tx, session.id)
    if analysis_rounds.goes_on(session, rows):
        return False
    return bool(_feedback_takers(graph(rows), _catalogue(tx, session)))


def _takes_feedback(state: Mapping[str, TaskState], catalogue: Catalogue) -> bool:
    """Whether feedback on some document would be taken."""
    return not originals(state, catalogue) or bool(_feedback_takers(state, catalogue))


def _feedback_takers(state: Mapping[str, TaskState], catalogue: Catalogue) -> dict[str, FeedbackTarget]:
    """The tasks whose documents feedback would be taken on, in order, and what it would do."""
    found = {key: feedback_target("", state, catalogue, key) for key in originals(state, catalogue)}
    return {
        key: target
        for key, target in found.items()
        if target.action != "revise" or _can_revise(state, target.task or "", catalogue)
    }


def _is_taken(plan: Callable[[], object]) -> bool:
    """Whether the rework is possible, by the rules that would refuse the command."""
    try:
        plan()
    except LifecycleError:
        return False
    return True


def asks_agents(tx: Tx, task: Task) -> bool:
    """Whether the task asks the agents of its role: not a report, nor a discussion, which asks those of its perspectives."""
    catalogue = sessions.pack(tx, task.session_id).documents
    return task.role != DISCUSSANT and not catalogue.is_report(task.key)


def other_agent(tx: Tx, task: Task) -> str | None:
    """An agent for a failed task that did not fail in it: one that has answered in the session, else the built-in one.

    For a task that edits code only one that has done so here: the built-in agent does not.
    """
    if task.status != TaskStatus.FAILED or not asks_agents(tx, task):
        return None
    calls = records.calls_of(tx, task.session_id)
    tried = {call.agent for call in calls if call.task_id == task.id}
    edits = edits_code(task.key)
    coders = {row.id for row in tasks.all_tasks(tx, task.session_id) if edits_code(row.key)}
    answered = (
        call.agent
        for call in reversed(calls)
        if call.outcome in ANSWERS and (not edits or call.task_id in coders)
    )
    return next((agent for agent in (*answered, *(() if edits else (BUILTIN,))) if agent not in tried), None)


def _checks(tx: Tx, session: Session, names: Sequence[str], suffix: str) -> list[dict[str, str]]:
    """`doctor`, `repair`, another agent and `resume --skip` where the pause has them."""
    found = []
    if "doctor" in names:
        found.append(_action("lifecycle doctor", "shows what is missing, and how to fix it"))
    if "repair" in names:
        found.append(
            _action(f"lifecycle repair{suffix}", "checks the database and rebuilds the session's files")
        )
    about = tasks.task(tx, session.id, str((session.pause_detail or {}).get("task", "")))
    may_go = about is not None and about.status in (TaskStatus.PENDING, TaskStatus.FAILED)
    other = about and other_agent(tx, about)
    if "resume --retry TASK --agent NAME" in names and about is not None and other:
        command = f"lifecycle resume --retry {about.key} --agent {quote(other)}{suffix}"
        found.append(_action(command, "retries it with another agent; `lifecycle agents` lists them"))
    if "resume --skip TASK" in names and about is not None and may_go:
        found.append(_action(f"lifecycle resume --skip {about.key}{suffix}", "continues without that task"))
    return found
