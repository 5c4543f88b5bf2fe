"""A session's work as people see it: head and branch, what has landed, the lanes, and who waits to land."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.errors import NotAllowedNow
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import SessionStatus
from orchestrator.store import artifacts, decisions, leases, work_state
from orchestrator.store.rows import Session, Task
from orchestrator.store.store import Tx
from orchestrator.store.work_state import Landed, Lane, WorkState

NEWEST = 5  # commits that `check` lists
PLAN_TASK = "plan_task"  # of a task's payload: the task of the plan that it carries out


def work_view(tx: Tx, session: Session) -> JsonObject | None:
    """What `check` shows of the work; None where the session has not begun to work."""
    state = work_state.state_of(tx, session.id)
    if state is None:
        return None
    landed = work_state.landed(tx, session.id)
    newest = landed[-NEWEST:][::-1]
    titles = _titles(tx, session.id, newest)
    return {
        "origin": state.origin,
        "base": state.base,
        "head": state.head,
        "commits": len(landed),
        "newest": [_commit(each, titles) for each in newest],
        "lanes": [_lane(each) for each in _lanes(tx, session)],
        "queue": [each.task for each in work_state.landing_queue(tx, session.id)],
        "branch": None if state.branch is None else state.branch.removeprefix("refs/heads/"),
        "published": state.head == state.published,
        "why_not": _why_not(tx, state),
        "applied": is_applied(tx, session.id, state.head),
    }


def _lanes(tx: Tx, session: Session) -> list[Lane]:
    """The trees whose folders are there; of a session that has ended those alone that are in use still."""
    found = work_state.lanes(tx, session.id)
    if session.status not in (SessionStatus.COMPLETED, SessionStatus.CANCELLED):
        return found
    return [each for each in found if each.state in ("making", "live")]


def _titles(tx: Tx, session: str, shown: Sequence[Landed]) -> dict[str, str]:
    """Task -> the title of the plan's task that it carries out, as far as the plan's files say."""
    planned = {each.task: (each.payload or {}).get(PLAN_TASK) for each in shown}
    paths = {key: f"plan/.task/{task}.json" for key, task in planned.items() if key and task}
    known = {row.path: row.sha256 for row in artifacts.newest(tx, session)} if paths else {}
    found: dict[str, str] = {}
    for key, path in paths.items():
        if path in known:
            title = _title(artifacts.body(tx, known[path]))
            found |= {key: title} if title else {}
    return found


def _title(body: bytes) -> str | None:
    """None where the file, which a person may have edited, has none."""
    try:
        said = json.loads(body)
    except ValueError:
        return None
    title = said.get("title") if isinstance(said, dict) else None
    return title if isinstance(title, str) else None


def _commit(each: Landed, titles: Mapping[str, str]) -> JsonObject:
    return {
        "commit": each.commit_id,
        "task": each.task,
        "title": titles.get(each.task or ""),
        "author": each.author,
        "at": stamp(each.created_at),
    }


def _lane(each: Lane) -> JsonObject:
    return {
        "lane": each.lane,
        "generation": each.generation,
        "state": each.state,
        "task": each.task,
        "run": each.run_id,
        "outcome": each.outcome or "open",
        "folder": str(each.path).encode("utf-8", "backslashreplace").decode(),
    }


def _why_not(tx: Tx, state: WorkState) -> str | None:
    """Why the branch is not at the head; None where it is."""
    if state.head == state.base:
        return "nothing has landed yet"
    if state.origin == "snapshot":
        return "the folder has no commit to build a branch on: `lifecycle apply` writes the files"
    if state.head == state.published:
        return None
    if not any(each.author == "run" for each in work_state.landed(tx, state.session_id)):
        return "these commits are yours already"
    last = work_state.last_publication(tx, state.session_id)
    why = last.data.get("why") if last is not None and last.data else ""
    if why:
        return str(why)
    led = leases.leader(tx) is not None or bool(leases.hosts_here(tx))
    return (
        "it is being brought up" if led else "nobody is up on the project's machine: `lifecycle daemon start`"
    )


def is_applied(tx: Tx, session: str, head: str) -> bool:
    """Whether a person has applied this head."""
    return any(
        each.subject == "apply" and each.digest == head for each in decisions.decisions_of(tx, session)
    )


def may_apply(tx: Tx, session: str) -> bool:
    """Whether there is work that was not applied yet."""
    state = work_state.state_of(tx, session)
    if state is None or state.head == state.base or is_applied(tx, session, state.head):
        return False
    return any(
        each.author == "run" for each in work_state.landed(tx, session)
    )  # the rest is the user's already


def applying_means(tx: Tx, session: str) -> str:
    """What `lifecycle apply` does with the session's work."""
    state = work_state.state_of(tx, session)
    if state is not None and state.origin == "snapshot":
        return "writes the session's work into your folder"
    return "merges the session's work into your current branch"


def landed_by(tx: Tx, session: str, key: str) -> list[Landed]:
    """The commits of a task, the oldest first; `key` in any case."""
    return [each for each in work_state.landed(tx, session) if (each.task or "").upper() == key.upper()]


def tree_of(tx: Tx, session: str, task: Task) -> Lane:
    """The newest tree that a run of the task used, whose folder is still there. Raises NotAllowedNow."""
    found = [each for each in work_state.lanes(tx, session) if each.task == task.key]
    if found:
        newest = max(found, key=lambda each: each.generation)
        if newest.token is not None:
            raise NotAllowedNow(
                f"the tree of {task.key} is on another machine",
                why=f"{newest.token} has it, as {newest.path}",
                fix=f"`lifecycle diff {task.key}` shows what has landed",
            )
        return newest
    landed = bool(landed_by(tx, session, task.key))
    raise NotAllowedNow(
        f"{task.key} has no tree",
        why="trees are removed when they are not used any more" if landed else f"it is {task.status}",
        fix=f"`lifecycle diff {task.key}` shows what it changed" if landed else f"`lifecycle why {task.key}`",
    )


def waits_to_land(tx: Tx, session: str, run: str) -> list[str] | None:
    """The tasks that land before this run; None where it has no ticket."""
    queue = work_state.landing_queue(tx, session)
    mine = next((each.ticket for each in queue if each.run_id == run), None)
    return None if mine is None else [each.task for each in queue if each.ticket < mine]
