"""session_start and session_command: the commands of the command line, for a user's agent, never for a worker's."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator import project as app
from orchestrator.commands import (
    advise,
    discuss_file,
    manage,
    rebase,
    repair,
    requests,
    resume,
    rework,
    start,
)
from orchestrator.commands.review_subject import ReviewSubject, asked_review, review_request
from orchestrator.config.settings import Settings
from orchestrator.domain.approvals import parse_token
from orchestrator.domain.errors import UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.mcp_server import arguments as given
from orchestrator.mcp_server.scope import Person
from orchestrator.mcp_server.tool_context import ToolContext
from orchestrator.store.store import Store
from orchestrator.views import budget, check, lookup

_PATHS = ("spec", "record", "replay")
_CAPS = ("max_usd", "max_tokens", "max_turns", "max_minutes")


def session_start(context: ToolContext, asked: given.SessionStart) -> JsonObject:
    for pair in (
        ("plan", "key"),
        ("diff", "base"),
        ("diff", "head"),
        ("include_dirty", "head"),
        ("include_dirty", "diff"),
        *(("file", other) for other in ("task", "mode", "spec", "record", "replay", "key", "diff")),
    ):
        _exclude(asked, *pair)
    if asked.file is not None:
        return _discuss(context, asked, asked.file)
    if asked.agent is not None:
        raise UsageError(
            "agent goes with file", why="only a discussion of a file takes it", fix="leave it out"
        )
    subject = _subject(context, asked)
    request = requests.checked(_task(asked, subject), os.environ)
    folders = {
        name: str(context.inside(path)) for name in _PATHS if (path := getattr(asked, name)) is not None
    }
    caps = {name: cap for name in _CAPS if (cap := getattr(asked, name)) is not None}
    budget.check_lowered(app.read_settings(context.project), caps)
    names = tuple(name.strip() for name in asked.perspectives)
    prepared = start.prepare(
        context.project,
        start.StartRequest(
            request,
            asked.mode,
            asked.discuss,
            asked.execution,
            asked.supervise,
            names,
            key=asked.key,
            caps=caps,
            critics=asked.critics,
            record=folders.get("record"),
            replay=folders.get("replay"),
            approve_plan=asked.approve_plan,
            include_dirty=asked.include_dirty and subject is None,
            fix=asked.fix,
            review=subject,
            as_it_is=asked.as_it_is,
            spec=Path(folders["spec"]) if "spec" in folders else None,
            source=asked.source,
        ),
    )
    if asked.plan:
        return {"session": None, "created": False, "plan": prepared.view, "warnings": []}
    with app.changing(context.project, create=True, settings=prepared.settings) as (store, settings):
        begun = start.begin(prepared, store)
        warnings = context.wake(store, settings)
    return {"session": begun.session, "created": begun.created, "plan": prepared.view, "warnings": warnings}


def _discuss(context: ToolContext, asked: given.SessionStart, file: str) -> JsonObject:
    caps = {name: cap for name in _CAPS if (cap := getattr(asked, name)) is not None}
    budget.check_lowered(app.read_settings(context.project), caps)
    path = context.inside(file)
    names = tuple(name.strip() for name in asked.perspectives)
    request = discuss_file.DiscussRequest(
        path.name, path.parent, names, asked.agent, critics=asked.critics, caps=caps
    )
    found = discuss_file.prepare(context.project, request)
    view = found.prepared.view
    if asked.plan:
        return {"session": None, "created": False, "plan": view, "warnings": []}
    with app.changing(context.project, create=True, settings=found.prepared.settings) as (store, settings):
        begun = discuss_file.begin(found, store)
        warnings = context.wake(store, settings)
    return {"session": begun.session, "created": True, "plan": view, "warnings": warnings}


def _subject(context: ToolContext, asked: given.SessionStart) -> ReviewSubject | None:
    """What a session of mode review reviews. Raises UsageError."""
    diff = None if asked.diff is None else str(context.inside(asked.diff))
    reviewed = asked_review(asked.mode, asked.base, asked.head, diff, asked.include_dirty)
    return None if reviewed is None else reviewed.found(context.project.root, context.project.root)


def _task(asked: given.SessionStart, subject: ReviewSubject | None) -> str:
    """The request. Raises UsageError where there is none."""
    if asked.task is not None:
        return asked.task
    if subject is None:
        raise UsageError(
            "task is missing", why="every mode but review needs to be told what to do", fix="name it in task"
        )
    return review_request(subject)


def _exclude(asked: given.Arguments, *names: str) -> None:
    """Raise UsageError when more than one of the arguments is given."""
    said = [name for name in names if getattr(asked, name) not in (None, False)]
    if len(said) > 1:
        raise UsageError(f"{' and '.join(said)} exclude each other", fix="give only one of them")


@dataclass(frozen=True, slots=True)
class _Done:
    session: str
    says: str
    more: JsonObject
    stopped: Sequence[str] = ()  # runs whose agents must stop now
    works: bool = True  # whether there is work for the coordinator now


def _words(asked: given.SessionCommand) -> str:
    return rework.check_words(asked.words or "")


def _resume(store: Store, settings: Settings, asked: given.SessionCommand) -> _Done:
    if asked.agent is not None and asked.retry is None:
        raise UsageError("agent needs retry", fix="name the failed task in retry")
    _exclude(asked, "retry", "skip")
    _exclude(asked, "retry", "force")
    _exclude(asked, "decide", "force")
    if asked.decide is not None and not asked.decide.strip():
        raise UsageError("decide needs a text", fix="give the decision in it")
    decide = None if asked.decide is None else rework.check_words(asked.decide)
    expect = None if asked.expect is None else parse_token(asked.expect)
    answer = resume.Answer(
        Person.decides(),
        _words(asked),
        bool(asked.force),
        asked.retry,
        asked.agent,
        asked.skip,
        decide,
        expect=expect,
    )
    done = resume.resume(store, asked.session, answer, more_attempts=settings.max_attempts)
    more = {"answered": done.reason, "recovered": list(done.recovered), "warnings": list(done.warnings)}
    return _Done(done.session, "resumed", more, done.released)


def _reworked(done: rework.Reworked, **more: object) -> _Done:
    return _Done(done.session, done.why, {"made": list(done.made), **more}, done.released)


def _revise(store: Store, settings: Settings, asked: given.SessionCommand) -> _Done:
    if asked.task is None:
        raise UsageError(
            "task is missing", why="revise makes a new version of a completed task", fix="name it"
        )
    return _reworked(
        rework.revise(
            store,
            asked.session,
            asked.task,
            asked.text or "",
            force=bool(asked.force),
            who=Person.decides(),
            max_attempts=settings.max_attempts,
        )
    )


def _feedback(store: Store, settings: Settings, asked: given.SessionCommand) -> _Done:
    done, target = rework.feedback(
        store,
        asked.session,
        asked.text or "",
        who=Person.decides(),
        max_attempts=settings.max_attempts,
        task=asked.task,
    )
    return _reworked(done, action=target.action, task=target.task, because=target.why)


def _recheck(store: Store, settings: Settings, asked: given.SessionCommand) -> _Done:
    return _reworked(
        rework.recheck(store, asked.session, who=Person.decides(), max_attempts=settings.max_attempts)
    )


def _advise(store: Store, settings: Settings, asked: given.SessionCommand) -> _Done:
    question = advise.asked(asked.text, asked.mode, asked.task)
    done = advise.advise(
        store, asked.session, question, who=Person.decides(), max_attempts=settings.max_attempts
    )
    return _reworked(done, state=done.state)


def _rebase(store: Store, settings: Settings, asked: given.SessionCommand) -> _Done:
    project = store.workflow.parent
    return _reworked(
        rebase.rebase(store, project, asked.session, who=Person.decides(), max_attempts=settings.max_attempts)
    )


def _improve(store: Store, settings: Settings, asked: given.SessionCommand) -> _Done:
    return _reworked(
        rework.improve(
            store, asked.session, asked.dimension, who=Person.decides(), max_attempts=settings.max_attempts
        )
    )


def _pause(store: Store, _: Settings, asked: given.SessionCommand) -> _Done:
    done = manage.pause(store, asked.session, who=Person.decides(), words=_words(asked))
    return _Done(done.session, "paused", {}, works=False)


def _cancel(store: Store, _: Settings, asked: given.SessionCommand) -> _Done:
    done = manage.cancel(store, asked.session, who=Person.decides(), words=_words(asked))
    return _Done(done.session, "cancelled", {}, done.stopped, works=False)


def _archive(store: Store, _: Settings, asked: given.SessionCommand) -> _Done:
    if asked.session is None:
        raise UsageError("session is missing", why="archive hides the session you name", fix="name it")
    done = manage.archive(store, asked.session, restore=bool(asked.restore))
    return _Done(done.session, "shown again" if asked.restore else "archived", {}, works=False)


def _repair(store: Store, _: Settings, asked: given.SessionCommand) -> _Done:
    found = repair.repair(store, asked.session)
    return _Done(found["session"], "repaired", dict(found), works=False)


_Command = Callable[[Store, Settings, given.SessionCommand], _Done]
COMMANDS: dict[str, tuple[_Command, set[str]]] = {
    "resume": (_resume, {"force", "retry", "agent", "skip", "decide", "words", "expect"}),
    "revise": (_revise, {"task", "text", "force"}),
    "feedback": (_feedback, {"text", "task"}),
    "recheck": (_recheck, set()),
    "improve": (_improve, {"dimension"}),
    "advise": (_advise, {"text", "mode", "task"}),
    "rebase": (_rebase, set()),
    "pause": (_pause, {"words"}),
    "cancel": (_cancel, {"words"}),
    "archive": (_archive, {"restore"}),
    "repair": (_repair, set()),
}


def session_command(context: ToolContext, asked: given.SessionCommand) -> JsonObject:
    do, known = COMMANDS[asked.command]
    if strange := asked.given() - known - {"command", "session"}:
        raise UsageError(
            f"{asked.command} does not take {', '.join(sorted(strange))}",
            why=f"it takes {', '.join(sorted(known | {'session'}))}",
            fix="leave the others out",
        )
    with app.changing(context.project) as (store, settings):
        if asked.agent is not None and asked.retry is not None:
            resume.check_agent(context.project, asked.agent, asked.retry)
        done = do(store, settings, asked)
        warnings = context.wake(store, settings, done.stopped, works=done.works)
        now = store.read(lambda tx: check.summary(tx, lookup.session(tx, done.session)))
    return {
        **done.more,
        "warnings": [*done.more.get("warnings", ()), *warnings],
        "session": done.session,
        "done": done.says,
        "status": now["status"],
        "pause_reason": now["pause_reason"],
    }
