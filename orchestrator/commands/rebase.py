"""rebase: a session's work is brought onto the user's branch by a task of its own, and tested and reviewed again."""

from __future__ import annotations

from pathlib import Path

from orchestrator.commands import once
from orchestrator.commands.apply import applicable
from orchestrator.commands.rework import go_on, open_for
from orchestrator.commands.reworked import Reworked
from orchestrator.dispatch.asking import have_done
from orchestrator.domain.errors import NotAllowedNow
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import UNFINISHED, TaskState
from orchestrator.domain.review_verdicts import OPTION
from orchestrator.lifecycle import fix_rounds, rework
from orchestrator.store import decisions, messages, tasks
from orchestrator.store.store import Store, Tx
from orchestrator.store.task_states import graph
from orchestrator.store.work_state import WorkState

SHOWN = 5  # files in conflict that a message names


def rebase(
    store: Store, project: Path, name: str | None, *, who: str, max_attempts: int, key: str | None = None
) -> Reworked:
    """Make the task that merges what is checked out in `project` into the session's work, and those that judge it.

    Raises NotAllowedNow where nothing landed, nothing is to merge or one is on its way, UnknownName, LifecycleError.
    """
    command = once.command("rebase", key, session=name, who=who)
    known = store.read(command.answer)
    if known is not None:
        return once.answer_again(Reworked, known)
    found = store.read(lambda tx: _may_rebase(tx, name))
    onto = have_done("users-branch", project, "--session", found.session_id)

    def unit(tx: Tx) -> Reworked:
        _may_rebase(tx, found.session_id)
        session = open_for(tx, found.session_id, "rebase")
        state = graph(tasks.all_tasks(tx, session.id))
        number, new = fix_rounds.rebase_tasks(state)
        payloads = {row.key: row.payload for row in tasks.all_tasks(tx, session.id)}

        def payload(task: TaskState) -> JsonObject:
            if task.revision_of is None:
                return {fix_rounds.REBASE: {**onto, "number": number}, "asked_by": who}
            return {key: value for key, value in payloads[task.revision_of].items() if key != "since"}

        rework.add_tasks(tx, session.id, new, max_attempts, payload)
        made = tuple(task.key for task in new)
        why = _why(onto)
        decisions.decide(tx, session.id, "rebase", who, why, digest=str(onto["onto"]))
        messages.event(tx, session.id, "rework", f"rebase: {', '.join(made)}; {why}", made=list(made))
        return Reworked(session.id, made, (), f"rebase onto {why}", go_on(tx, session))

    return once.apply_once(store, command, Reworked, unit)


def _may_rebase(tx: Tx, name: str | None) -> WorkState:
    """The session's work. Raises NotAllowedNow, UnknownName."""
    found = applicable(tx, name)
    session = open_for(tx, found.session_id, "rebase")
    if OPTION in session.options:
        raise NotAllowedNow(
            f"{session.id} reviews commits of yours",
            why="it has made none that could be brought onto your branch",
            fix='start another review: lifecycle start --mode review "..."',
        )
    rows = tasks.all_tasks(tx, session.id)
    running = next((row for row in rows if fix_rounds.is_rebase(row.key) and row.status in UNFINISHED), None)
    if running is not None:
        raise NotAllowedNow(
            f"a rebase of {session.id} is on its way",
            why=f"{running.key} is {running.status}",
            fix=f"`lifecycle why {running.key}` shows what it waits for",
        )
    return found


def _why(onto: JsonObject) -> str:
    """The branch, how far it moved, and what is in conflict."""
    conflicts = onto["conflicts"]
    more = f" and {len(conflicts) - SHOWN} more" if len(conflicts) > SHOWN else ""
    shown = f"conflicts in {', '.join(conflicts[:SHOWN])}{more}" if conflicts else "no conflicts"
    return f"{onto['name']} at {onto['onto'][:12]}, {onto['commits']} commit(s) further; {shown}"
