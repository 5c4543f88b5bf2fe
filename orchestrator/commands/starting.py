"""start with validated arguments, for MCP and the web; a request, a review, or a file to discuss."""

from __future__ import annotations

import os
from pathlib import Path

from orchestrator import project as app
from orchestrator.commands import command_arguments as given
from orchestrator.commands import discuss_file, requests, start
from orchestrator.commands.caller import Caller, exclude
from orchestrator.commands.review_subject import ReviewSubject, asked_review, review_request
from orchestrator.domain.errors import UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.views import budget

_PATHS = ("spec", "record", "replay")
_CAPS = ("max_usd", "max_tokens", "max_turns", "max_minutes")


def begin(caller: Caller, asked: given.SessionStart) -> JsonObject:
    """The session and its plan; with `plan` nothing is changed. Raises LifecycleError as `lifecycle start` does."""
    for pair in (
        ("plan", "key"),
        ("diff", "base"),
        ("diff", "head"),
        ("include_dirty", "head"),
        ("include_dirty", "diff"),
        *(("file", other) for other in ("task", "mode", "spec", "record", "replay", "key", "diff")),
    ):
        exclude(asked, *pair)
    if asked.file is not None:
        return _discuss(caller, asked, asked.file)
    if asked.agent is not None:
        raise UsageError(
            "agent goes with file", why="only a discussion of a file takes it", fix="leave it out"
        )
    subject = _subject(caller, asked)
    request = requests.checked(_task(asked, subject), os.environ)
    folders = {
        name: str(caller.inside(path)) for name in _PATHS if (path := getattr(asked, name)) is not None
    }
    caps = {name: cap for name in _CAPS if (cap := getattr(asked, name)) is not None}
    budget.check_lowered(app.read_settings(caller.project), caps)
    names = tuple(name.strip() for name in asked.perspectives)
    prepared = start.prepare(
        caller.project,
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
    with caller.changing(create=True, settings=prepared.settings) as (store, settings):
        begun = start.begin(prepared, store)
        warnings = caller.wake(store, settings, begun.session)
    return {"session": begun.session, "created": begun.created, "plan": prepared.view, "warnings": warnings}


def _discuss(caller: Caller, asked: given.SessionStart, file: str) -> JsonObject:
    caps = {name: cap for name in _CAPS if (cap := getattr(asked, name)) is not None}
    budget.check_lowered(app.read_settings(caller.project), caps)
    path = caller.inside(file)
    names = tuple(name.strip() for name in asked.perspectives)
    request = discuss_file.DiscussRequest(
        path.name, path.parent, names, asked.agent, critics=asked.critics, caps=caps
    )
    found = discuss_file.prepare(caller.project, request)
    view = found.prepared.view
    if asked.plan:
        return {"session": None, "created": False, "plan": view, "warnings": []}
    with caller.changing(create=True, settings=found.prepared.settings) as (store, settings):
        begun = discuss_file.begin(found, store)
        warnings = caller.wake(store, settings, begun.session)
    return {"session": begun.session, "created": True, "plan": view, "warnings": warnings}


def _subject(caller: Caller, asked: given.SessionStart) -> ReviewSubject | None:
    """What a session of mode review reviews. Raises UsageError."""
    diff = None if asked.diff is None else str(caller.inside(asked.diff))
    reviewed = asked_review(asked.mode, asked.base, asked.head, diff, asked.include_dirty)
    return None if reviewed is None else reviewed.found(caller.project.root, caller.project.root)


def _task(asked: given.SessionStart, subject: ReviewSubject | None) -> str:
    """The request. Raises UsageError where there is none."""
    if asked.task is not None:
        return asked.task
    if subject is None:
        raise UsageError(
            "task is missing", why="every mode but review needs to be told what to do", fix="name it in task"
        )
    return review_request(subject)
