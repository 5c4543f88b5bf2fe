"""start: `prepare` returns the plan and changes nothing; `begin` creates the session in one transaction."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator import failpoints
from orchestrator.commands import recording
from orchestrator.commands.inheritance import Inheritance, hand_down, inheritance
from orchestrator.commands.review_subject import ReviewSubject
from orchestrator.commands.start_preview import CODE, USUAL_FIX, cost_ahead, work_ahead
from orchestrator.domain import ids, own_discussion
from orchestrator.domain.analysis import PERSPECTIVE
from orchestrator.domain.clarified import Answer, with_answers
from orchestrator.domain.command_keys import check_key
from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.dynamic_roles import PATH
from orchestrator.domain.empty_requests import check_asks, only_points
from orchestrator.domain.errors import UnknownName
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import TaskState, TaskStatus
from orchestrator.domain.modes import named_mode
from orchestrator.domain.pipelines import Pack, to_snapshot
from orchestrator.domain.plan import INCLUDE_DIRTY
from orchestrator.domain.plan_marks import APPROVE_PLAN
from orchestrator.domain.review_verdicts import FIX, OPTION, PATCH
from orchestrator.domain.text import is_chinese
from orchestrator.lifecycle import rework
from orchestrator.project import Project, has_database, open_for_reading, person, read_config
from orchestrator.store import artifacts, decisions, messages, sessions
from orchestrator.store.store import Store, Tx
from orchestrator.views.budget import budget_of
from orchestrator.views.layout import Plan, StartOptions, plan

if TYPE_CHECKING:
    from orchestrator.commands.specification import Specification
    from orchestrator.config.settings import Settings

FIXES = (USUAL_FIX, "high")
DISCUSS_FORMS = ("inline", "standalone", "off")
EXECUTIONS = ("parallel", "sequential")
CRITICS = ("auto", "separate", "merged")


@dataclass(frozen=True, slots=True)
class StartRequest:
    """The options of `start`; None means the project's setting."""

    task: str
    mode: str | None = None
    discuss: str | None = None
    execution: str | None = None
    supervise: bool = False
    perspectives: tuple[str, ...] = ()
    record: str | None = None  # a folder, as is `replay`
    replay: str | None = None
    key: str | None = None
    caps: Mapping[str, float] | None = None  # `max_usd` ... of this session
    critics: str | None = None  # which perspectives of a discussion share a call
    approve_plan: bool | None = None  # a person approves the plan before its tasks are made
    include_dirty: bool = False  # what is not committed is part of what the work starts from
    fix: str | None = None  # from which severity on a finding of the review makes a fix round
    spec: Path | None = (
        None  # a folder or Markdown file; None: of the newest finished session, where a mode needs one
    )
    review: ReviewSubject | None = None  # what a session of mode review reviews
    answers: tuple[Answer, ...] = ()  # what its author was asked before the start
    source: str | None = None  # the session whose wisdom and decisions it is given
    as_it_is: bool = (
        False  # --yes: mode dynamic makes one general task of a request that says too little, and a
    )
    # specification that was found is taken whatever the request is about


@dataclass(frozen=True, slots=True)
class Prepared:
    """A checked request, ready for `begin`."""

    project: Project
    planned: Plan
    settings: Settings
    view: JsonObject  # what will be done, for whoever asked
    key: str | None
    specification: Specification | None = None  # what the session is given
    patch: bytes | None = None  # that is reviewed
    answers: tuple[Answer, ...] = ()
    inheritance: Inheritance | None = None

    @property
    def reads_request(self) -> bool:
        """Whether a document is made from the request: what it leaves open will be missed."""
        return self.planned.pack.documents.of_task(self.planned.pipeline.tasks[0].key) is not None


@dataclass(frozen=True, slots=True)
class GivenFile:
    """An artifact that a session begins with."""

    body: bytes
    kind: str
    author: str


@dataclass(frozen=True, slots=True)
class Started:
    session: str
    created: bool  # False: this key had made it before


def prepare(project: Project, asked: StartRequest) -> Prepared:
    """Check the request and plan its tasks. Raises UsageError, ConfigError; changes nothing."""
    from orchestrator.views.plan import has_coding_agent

    check_options(asked.key, asked.discuss, asked.execution, asked.critics, asked.fix)
    flags = {
        "approve_plan": asked.approve_plan,
        "fix": asked.fix,
        "discuss": asked.discuss,
        "execution": asked.execution,
        "critics": asked.critics,
        "budget": asked.caps or None,
    }
    pack, settings = read_config(project, flags)
    named = None if asked.mode is None else pack.pipelines[named_mode(asked.mode, asked.task, pack)]
    about = asked.spec is not None or asked.review is not None or (named is not None and named.needs_spec)
    check_asks(asked.task, object_given=about)
    given = _specification(project, pack, asked)
    taken = None if asked.source is None else inheritance(project, asked.source)
    options = StartOptions(
        asked.mode,
        settings.discuss,
        settings.execution,
        asked.supervise,
        asked.perspectives,
        recording.chosen(asked.record, asked.replay),
        settings.critics,
        bool(asked.approve_plan),
        given.digest if given else None,
        include_dirty=asked.include_dirty,
        fix=asked.fix or "",
        review=None if asked.review is None else asked.review.as_option(),
        source=taken.session if taken else "",
        as_it_is=asked.as_it_is,
    )
    request = with_answers(asked.task, "zh" if is_chinese(asked.task) else "en", asked.answers)
    planned = plan(request, options, pack, project.root, coding_agent=has_coding_agent(settings))
    if given is not None and given.title and only_points(asked.task):
        planned = replace(planned, title=given.title)
    recording.check(planned, asked.key)
    view = {
        "work": work_ahead(project, planned, settings, _chosen(planned, settings)),
        **cost_ahead(project, planned, settings),
        "specification": given.view if given else None,
        "source": taken.view if taken else None,
        "reviews": None if asked.review is None else asked.review.words,
    }
    patch = None if asked.review is None else asked.review.patch
    return Prepared(project, planned, settings, view, asked.key, given, patch, asked.answers, taken)


def _specification(project: Project, pack: Pack, asked: StartRequest) -> Specification | None:
    """The specification that is named, or of the newest finished session where the mode needs one. Raises UsageError."""
    from orchestrator.commands.specification import check_about, newest_specification, read_specification

    if asked.spec is not None:
        return read_specification(asked.spec, str(asked.spec), os.environ)
    wanted = pack.pipelines.get(asked.mode or "")
    if wanted is None or not wanted.needs_spec or not has_database(project):
        return None
    store = open_for_reading(project)
    try:
        found = store.read(newest_specification)
    finally:
        store.close()
    if found is not None and not asked.as_it_is:
        check_about(found, asked.task)
    return found


def begin(prepared: Prepared, store: Store) -> Started:
    """Make the session. Raises UsageError when its recording's folder cannot be made."""
    recording.begin(prepared.planned)
    return start(
        store,
        prepared.planned,
        project=prepared.project.root,
        max_attempts=prepared.settings.max_attempts,
        key=prepared.key,
        chosen=_chosen(prepared.planned, prepared.settings),
        budget=budget_of(
            prepared.settings,
            [task.key for task in prepared.planned.pipeline.tasks],
            prepared.planned.choice.mode,
        ),
        specification=prepared.specification,
        patch=prepared.patch,
        answers=prepared.answers,
        inheritance=prepared.inheritance,
        files=generated_files(prepared.planned),
    )


def _chosen(planned: Plan, settings: Settings) -> dict[str, Json]:
    """What the settings decide for a session with these tasks, where no option did."""
    prefixes = {task.prefix for task in planned.pipeline.tasks}
    approves = settings.approve_plan and "PLAN" in prefixes
    fixes = settings.fix != USUAL_FIX and "REVIEW" in prefixes and prefixes & CODE
    return {**({APPROVE_PLAN: True} if approves else {}), **({FIX: settings.fix} if fixes else {})}


def check_options(
    key: str | None,
    discuss: str | None,
    execution: str | None,
    critics: str | None = None,
    fix: str | None = None,
) -> None:
    """Raises UsageError for a value that the option cannot have."""
    check_key(key)
    for what, given, known in (
        ("discuss form", discuss, DISCUSS_FORMS),
        ("execution", execution, EXECUTIONS),
        ("way of asking critics", critics, CRITICS),
        ("severity to fix", fix, FIXES),
    ):
        if given is not None and given not in known:
            raise UnknownName(what, given, known)


def start(
    store: Store,
    planned: Plan,
    *,
    project: Path,
    max_attempts: int,
    key: str | None = None,
    chosen: Mapping[str, Json] | None = None,
    budget: Mapping[str, Mapping[str, int]] | None = None,
    specification: Specification | None = None,
    patch: bytes | None = None,
    answers: Sequence[Answer] = (),
    inheritance: Inheritance | None = None,
    files: Mapping[str, GivenFile] | None = None,
) -> Started:
    """Make the session. The same `key` twice makes one session. Raises UsageError when the key was for another request."""

    bodies = list(specification.files.values()) if specification else []
    bodies += [patch] if patch is not None else []
    for body in [*bodies, *(given.body for given in (files or {}).values())]:
        artifacts.keep_large(store.workflow, body)

    def unit(tx: Tx) -> Started:
        if key is not None:
            known = decisions.answer_of(tx, key, planned.digest)
            if known is not None:
                return Started(known["session"], created=False)
        session = _free_id(tx, planned)
        _create(tx, session, planned, project, max_attempts, budget, chosen or {})
        for path, given in (files or {}).items():
            digest = artifacts.put(tx, given.body)
            size, author = len(given.body), given.author
            artifacts.register(
                tx, session, path, digest, size, given.kind, author=author, task=None, run=None
            )
        if specification is not None:
            _give(tx, session, specification)
        if patch is not None:
            digest = artifacts.put(tx, patch)
            artifacts.register(
                tx, session, PATCH, digest, len(patch), "input", author="user", task=None, run=None
            )
        for answer in answers:
            words = f"{answer.question} {answer.words}"
            decisions.decide(tx, session, f"clarified {answer.key}", person(), words)
        if inheritance is not None:
            hand_down(tx, session, inheritance)
        if key is not None:
            decisions.answered(tx, key, "start", session, planned.digest, {"session": session})
        failpoints.hit("start.before_commit")
        return Started(session, created=True)

    started = store.write(unit)
    failpoints.hit("start.after_commit")
    return started


def generated_files(planned: Plan) -> dict[str, GivenFile]:
    """The files of a session whose roles were made for its request: the analysis, and one for each role."""
    if planned.analysis is None:
        return {}
    from orchestrator.config.role_files import role_files

    analysis = json.dumps(planned.analysis.as_json(), ensure_ascii=False, indent=2) + "\n"
    made = {PATH: analysis.encode(), **role_files(planned.analysis, planned.pack.roles)}
    return {path: GivenFile(body, "analysis", "coordinator") for path, body in made.items()}


def _free_id(tx: Tx, planned: Plan) -> str:
    day = datetime.fromtimestamp(tx.now / 1e6, UTC).date()
    stem = f"{planned.pipeline.id_prefix}-{ids.slug(planned.title)}-{day.isoformat()}"
    taken = {*sessions.with_prefix(tx, stem), *decisions.deleted_with_prefix(tx, stem)}
    return ids.session_id(planned.title, day, taken, planned.pipeline.id_prefix)


def _create(
    tx: Tx,
    session: str,
    planned: Plan,
    project: Path,
    max_attempts: int,
    budget: Mapping[str, Mapping[str, int]] | None,
    chosen: Mapping[str, Json],
) -> None:
    options: Mapping[str, Json] = {
        "discuss": planned.options.discuss,
        "execution": planned.options.execution,
        "supervise": planned.options.supervise,
        "why": planned.choice.why,
        **chosen,
        **({APPROVE_PLAN: True} if planned.options.approve_plan else {}),
        **({INCLUDE_DIRTY: True} if planned.options.include_dirty else {}),
        **({"critics": planned.options.critics} if planned.options.critics else {}),
        **({"cassette": dict(planned.options.cassette)} if planned.options.cassette else {}),
        **({OPTION: dict(planned.options.review)} if planned.options.review else {}),
        **({own_discussion.OPTION: dict(planned.options.discusses)} if planned.options.discusses else {}),
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
    if views := [
        str(task.payload[PERSPECTIVE]) for task in planned.pipeline.tasks if PERSPECTIVE in task.payload
    ]:
        seen = list(dict.fromkeys(views))
        messages.say(
            tx,
            session,
            "coordinator",
            "pipeline_selected",
            f"{planned.choice.mode}: {planned.choice.why}; perspectives: {', '.join(seen)}",
            to="all",
            data={"mode": planned.choice.mode, "perspectives": seen},
        )
    messages.event(
        tx,
        session,
        "created",
        f"{planned.choice.mode} with {len(new)} tasks: {planned.choice.why}",
        mode=planned.choice.mode,
        tasks=[task.key for task in new],
    )


def _give(tx: Tx, session: str, specification: Specification) -> None:
    """Make the specification the session's own."""
    from orchestrator.commands.specification import register

    register(tx, session, specification)
    messages.event(
        tx,
        session,
        "specification",
        f"the specification is that of {specification.source}: {len(specification.files)} file(s)",
        **specification.view,
    )
