"""`start`: say what will be done, then make the session with its tasks and edges in one transaction."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

from orchestrator import failpoints
from orchestrator.domain import ids
from orchestrator.domain.errors import NotAllowedNow, UsageError
from orchestrator.domain.inert import one_line
from orchestrator.domain.model import TaskState, TaskStatus
from orchestrator.domain.modes import ModeChoice, ProjectFacts, choose
from orchestrator.domain.pipelines import DiscussForm, Pack, Pipeline, expand, to_snapshot, with_perspectives
from orchestrator.domain.project_facts import frontend_frameworks
from orchestrator.domain.text import is_chinese
from orchestrator.lifecycle import rework
from orchestrator.store import messages, sessions
from orchestrator.store.store import Store, Tx

TITLE_LENGTH = 80
KEY_LENGTH = 200
_EDGES = "#>*-=` \t"
MANIFEST_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Wishes:
    """The options of `start`."""

    mode: str | None = None
    discuss: DiscussForm = "inline"
    execution: str = "parallel"
    supervise: bool = False
    perspectives: tuple[str, ...] = ()  # instead of each round's own, when given
    cassette: Mapping[str, str] | None = None  # `does` record or replay, and the `folder`


@dataclass(frozen=True, slots=True)
class Plan:
    """What `start` would do, before anything is made."""

    request: str
    title: str
    language: str
    choice: ModeChoice
    pipeline: Pipeline
    pack: Pack
    wishes: Wishes

    @property
    def digest(self) -> str:
        said = [self.request, self.choice.mode, asdict(self.wishes)]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class Started:
    session: str
    created: bool  # False: this key had made it before


def plan(request: str, wishes: Wishes, pack: Pack, project: Path, *, coding_agent: bool = False) -> Plan:
    """Choose the mode and lay out the tasks. Raises UnknownName, NotAllowedNow; changes nothing.

    `coding_agent`: whether there is an agent that can edit files.
    """
    if wishes.perspectives and wishes.discuss == "off":
        raise UsageError(
            "perspectives and discuss off contradict each other",
            why="without discussions nobody speaks for a perspective",
            fix="leave the perspectives out, or choose discuss inline or standalone",
        )
    chosen = with_perspectives(pack, wishes.perspectives) if wishes.perspectives else pack
    choice = choose(request, project_facts(project, coding_agent), chosen, wishes.mode)
    pipeline = expand(chosen, choice.mode, wishes.discuss, wishes.supervise)
    _refuse_unbuilt(chosen, pipeline, wishes)
    language = "zh" if is_chinese(request) else "en"
    return Plan(request, title_of(request), language, choice, pipeline, chosen, wishes)


def _refuse_unbuilt(pack: Pack, pipeline: Pipeline, wishes: Wishes) -> None:
    """Raises NotAllowedNow for tasks whose role is not built, UsageError for options that would do nothing."""
    missing = dict.fromkeys(task.role for task in pipeline.tasks if task.role not in pack.installed)
    if missing:
        raise NotAllowedNow(
            f"{', '.join(missing)} cannot work yet: not installed",
            why=f"mode {pipeline.mode} asks for it" + (" with supervise" if wishes.supervise else ""),
            fix="leave supervise out"
            if wishes.supervise
            else "`lifecycle start` without --mode chooses another",
        )
    if wishes.supervise and not any(
        check.key in {task.key for task in pipeline.tasks} for check in pack.supervise
    ):
        raise UsageError(
            f"supervise does nothing in mode {pipeline.mode}",
            why=f"it checks what is behind {', '.join(check.after for check in pack.supervise)}",
            fix="leave supervise out",
        )
    if wishes.perspectives and not any(task.round for task in pipeline.tasks):
        raise UsageError(
            f"perspectives do nothing in mode {pipeline.mode}",
            why="none of its tasks is discussed",
            fix="leave the perspectives out",
        )


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


def project_facts(project: Path, coding_agent: bool = False) -> ProjectFacts:
    manifest = project / "package.json"
    found: list[str] = []
    if manifest.is_file() and manifest.stat().st_size <= MANIFEST_BYTES:
        found = frontend_frameworks(manifest.read_text(encoding="utf-8", errors="replace"))
    return ProjectFacts(found[0] if found else None, coding_agent)


_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_TAG = re.compile(r"</?[A-Za-z][^>]*>?")


def title_of(request: str) -> str:
    """The first heading or line, plain and short. Lines of images, links and HTML alone, as in READMEs, are passed over."""
    bare = [_TAG.sub("", _IMAGE.sub("", line)).replace("**", "") for line in request.splitlines()]
    lines = [
        _LINK.sub(r"\1", line).strip(_EDGES)
        for line in bare
        if line.startswith("#") or re.search(r"\w", _LINK.sub("", line))
    ]
    return one_line(next((line for line in lines if line), request.strip(_EDGES)), TITLE_LENGTH)


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
            known = sessions.answer_of(tx, key, planned.digest)
            if known is not None:
                return Started(known["session"], created=False)
        session = _free_id(tx, planned)
        _create(tx, session, planned, project, max_attempts, budget)
        if key is not None:
            sessions.answered(tx, key, "start", session, planned.digest, {"session": session})
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
