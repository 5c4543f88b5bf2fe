"""`start`: say what will be done, then make the session with its tasks and edges in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from orchestrator import failpoints
from orchestrator.domain import ids
from orchestrator.domain.errors import NotAllowedNow, UsageError
from orchestrator.domain.model import TaskState, TaskStatus
from orchestrator.domain.pipelines import to_snapshot
from orchestrator.lifecycle import rework
from orchestrator.project import Project, open_for_reading
from orchestrator.store import decisions, messages, sessions
from orchestrator.store.store import Store, Tx
from orchestrator.views.layout import Plan

if TYPE_CHECKING:
    from orchestrator.config.settings import Settings
    from orchestrator.domain.estimate import Past

KEY_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Started:
    session: str
    created: bool  # False: this key had made it before


def check_key(key: str | None) -> None:
    """Raises UsageError for a key that cannot be one."""
    if key is not None and (not key.strip() or len(key) > KEY_LENGTH or not key.isprintable()):
        raise UsageError(
            "the key is not usable",
            why=f"it needs 1 to {KEY_LENGTH} printable characters",
            fix="give another --key",
        )


def refuse_spec() -> NoReturn:
    """Raises NotAllowedNow: nothing works from an existing specification yet."""
    raise NotAllowedNow(
        "an existing specification (`spec`) cannot be used yet",
        why="the roles that work from one are not built",
        fix="leave it out, or have a specification made: mode spec-only",
    )


def start(
    store: Store,
    planned: Plan,
    *,
    project: Path,
    max_attempts: int,
    key: str | None = None,
    budget: Mapping[str, Mapping[str, int]] | None = None,
) -> Started:
    """Make the session. The same `key` twice makes one session. Raises UsageError when the key was for another request."""

    def unit(tx: Tx) -> Started:
        if key is not None:
            known = decisions.answer_of(tx, key, planned.digest)
            if known is not None:
                return Started(known["session"], created=False)
        session = _free_id(tx, planned)
        _create(tx, session, planned, project, max_attempts, budget)
        if key is not None:
            decisions.answered(tx, key, "start", session, planned.digest, {"session": session})
        failpoints.hit("start.before_commit")
        return Started(session, created=True)

    started = store.write(unit)
    failpoints.hit("start.after_commit")
    return started


def _free_id(tx: Tx, planned: Plan) -> str:
    day = datetime.fromtimestamp(tx.now / 1e6, UTC).date()
    stem = f"{planned.pipeline.id_prefix}-{ids.slug(planned.title)}-{day.isoformat()}"
    return ids.session_id(planned.title, day, set(sessions.with_prefix(tx, stem)), planned.pipeline.id_prefix)


def _create(
    tx: Tx,
    session: str,
    planned: Plan,
    project: Path,
    max_attempts: int,
    budget: Mapping[str, Mapping[str, int]] | None,
) -> None:
    options: Mapping[str, Any] = {
        "discuss": planned.wishes.discuss,
        "execution": planned.wishes.execution,
        "supervise": planned.wishes.supervise,
        "why": planned.choice.why,
        **({"cassette": dict(planned.wishes.cassette)} if planned.wishes.cassette else {}),
    }
    sessions.create(
        tx,
        {
            "id": session,
            "mode": planned.choice.mode,
            "request": planned.request,
            "title": planned.title,
            "language": planned.language,
            "options": options,
            "workspace": str(project),
            "budget": budget,
        },
        to_snapshot(planned.pack, planned.pipeline),
    )
    new = tuple(
        TaskState(
            key=task.key,
            role=task.role,
            prefix=task.prefix,
            status=TaskStatus.PENDING,
            blocked_by=task.blocked_by,
            round=task.round,
            phase=task.phase,
            checkpoint_after=task.checkpoint_after,
        )
        for task in planned.pipeline.tasks
    )
    payloads = {task.key: dict(task.payload) for task in planned.pipeline.tasks}
    rework.add_tasks(tx, session, new, max_attempts, lambda state: payloads[state.key])
    messages.event(
        tx,
        session,
        "created",
        f"{planned.choice.mode} with {len(new)} tasks: {planned.choice.why}",
        mode=planned.choice.mode,
        tasks=[task.key for task in new],
    )


def look_ahead(project: Project, planned: Plan, settings: Settings) -> dict[str, Any]:
    """What `start` will do, with what it may cost by the project's own history."""
    from orchestrator.views.plan import paid_agents, past, plan_view

    agents = paid_agents(planned, settings)
    if not agents:
        return plan_view(planned, settings)
    from orchestrator.config import load_prices

    before: Past = {}
    if project.database.exists():
        store = open_for_reading(project)
        try:
            before = store.read(lambda tx: past(tx, agents))
        finally:
            store.close()
    return plan_view(planned, settings, before, load_prices(settings))
