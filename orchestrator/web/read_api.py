"""What the API reads: the values of the views, with the keys of docs/cli.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import Field
from starlette.responses import Response

from orchestrator.domain.errors import UnknownName
from orchestrator.domain.json_types import Json
from orchestrator.store import artifacts
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import check, discuss, grouped, lookup, next_steps, rounds
from orchestrator.views import impact as impact_view
from orchestrator.views.cost import cost_view, run_views
from orchestrator.views.impact_graph import impact_graph
from orchestrator.views.past import state_at
from orchestrator.views.since_approval import since_approval
from orchestrator.views.task import task_view
from orchestrator.views.version_diff import version_diff
from orchestrator.views.why import why
from orchestrator.views.why_then import why_then
from orchestrator.web.json_answer import JsonAnswer
from orchestrator.web.pages.inbox import inboxes
from orchestrator.web.pages.list import sessions
from orchestrator.web.pages.log import messages_after
from orchestrator.web.web_request import Query, WebRequest

_Unit = Callable[[Tx, Session], Json]


class At(Query):
    at: Annotated[
        str | None, Field(max_length=100, description="A time (ISO 8601) or a message (MSG-012) of the past.")
    ] = None


class OfImpact(Query):
    name: Annotated[
        str | None, Field(max_length=500, description="An id or a file; default: what has changed.")
    ] = None


class OfChanges(Query):
    path: Annotated[str | None, Field(max_length=1_000, description="Only this document.")] = None


class OfVersion(Query):
    version: Annotated[int | None, Field(ge=1, le=1_000_000, description="An older version.")] = None


class OfVersions(Query):
    since: Annotated[
        int | None,
        Field(alias="from", ge=1, le=1_000_000, description="The older version; default: the one before."),
    ] = None
    to: Annotated[
        int | None, Field(ge=1, le=1_000_000, description="The newer version; default: the newest.")
    ] = None


def inbox(request: WebRequest) -> Response:
    return JsonAnswer({"waiting": request.site.waiting(), "projects": inboxes(request)})


def projects(request: WebRequest) -> Response:
    found = [
        {"project": each.slug, "title": each.title, "folder": str(each.project.root)}
        for each in request.site.projects
    ]
    return JsonAnswer(found)


def session_list(request: WebRequest) -> Response:
    return JsonAnswer(sessions(request))


def session(request: WebRequest) -> Response:
    at = request.query.at
    return _of_session(request, check.overview if at is None else lambda tx, row: state_at(tx, row, at))


def shown(request: WebRequest) -> Response:
    return _of_session(request, check.show)


def report(request: WebRequest) -> Response:
    return _of_session(request, check.completion_report)


def tasks(request: WebRequest) -> Response:
    return _of_session(request, check.task_views)


def groups(request: WebRequest) -> Response:
    return _of_session(request, grouped.grouped)


def group(request: WebRequest) -> Response:
    name = request.names["group"]
    return _of_session(request, lambda tx, row: grouped.group_page(tx, row, name, request.query.skip))


def task(request: WebRequest) -> Response:
    def unit(tx: Tx, row: Session) -> Json:
        return task_view(tx, row, lookup.task(tx, row, request.names["task"]), request.query.at)

    return _of_session(request, unit)


def runs(request: WebRequest) -> Response:
    def unit(tx: Tx, row: Session) -> Json:
        return run_views(tx, row.id, lookup.task(tx, row, request.names["task"]).key)

    return _of_session(request, unit)


def why_task(request: WebRequest) -> Response:
    def unit(tx: Tx, row: Session) -> Json:
        found = lookup.task(tx, row, request.names["task"])
        at = request.query.at
        return why(tx, row, found) if at is None else why_then(tx, row, found, at)

    return _of_session(request, unit)


def message_list(request: WebRequest) -> Response:
    return JsonAnswer(messages_after(request))


def discussions(request: WebRequest) -> Response:
    return _of_session(request, lambda tx, row: discuss.measured_discussions(tx, row.id))


def ratings(request: WebRequest) -> Response:
    return _of_session(request, lambda tx, row: rounds.history(tx, row.id))


def discussion(request: WebRequest) -> Response:
    return _of_session(request, lambda tx, row: discuss.discussion(tx, row.id, request.names["round"]))


def scores(request: WebRequest) -> Response:
    return _of_session(request, lambda tx, row: discuss.scores(tx, row.id))


def cost(request: WebRequest) -> Response:
    return _of_session(request, lambda tx, row: cost_view(tx, row.id))


def impact(request: WebRequest) -> Response:
    root = request.project.project.root
    return _of_session(request, lambda tx, row: impact_view.impact(tx, row, request.query.name, root))


def item_graph(request: WebRequest) -> Response:
    root = request.project.project.root
    return _of_session(request, lambda tx, row: impact_graph(tx, row, request.query.name, root))


def changes(request: WebRequest) -> Response:
    return _of_session(request, lambda tx, row: since_approval(tx, row, request.query.path))


def project_cost(request: WebRequest) -> Response:
    return JsonAnswer(request.project.read(lambda tx: cost_view(tx, None)))


def approval(request: WebRequest) -> Response:
    """The pause with what an answer to it would mean, and the token that it has to show; null while there is none."""
    return _of_session(request, next_steps.pause_view)


def artifact_list(request: WebRequest) -> Response:
    return _of_session(request, lambda tx, row: check.artifact_views(tx, row.id))


def artifact(request: WebRequest) -> Response:
    """The text of a document, as an attachment that no browser shows as a page."""

    def unit(tx: Tx, row: Session) -> tuple[str, bytes]:
        found = lookup.version(tx, row.id, request.names["path"], request.query.version)
        return found.sha256, artifacts.body(tx, found.sha256)

    digest, body = request.read(unit)
    return _text(digest, body)


def diff(request: WebRequest) -> Response:
    """What changed between two versions of a document, with the keys of `lifecycle diff`."""
    asked: OfVersions = request.query
    name = request.names["path"]
    return _of_session(request, lambda tx, row: version_diff(tx, row, name, asked.since, asked.to))


def content(request: WebRequest) -> Response:
    """A content by its digest, of this session only."""
    wanted = request.names["sha256"]

    def unit(tx: Tx, row: Session) -> tuple[str, bytes]:
        known = {each.sha256 for each in artifacts.every_version(tx, row.id)}
        if wanted not in known:
            raise UnknownName("content", wanted, [], fix="the session's artifacts name their digests")
        return wanted, artifacts.body(tx, wanted)

    digest, body = request.read(unit)
    answer = _text(digest, body)
    answer.headers["cache-control"] = "private, max-age=31536000, immutable"
    return answer


def _text(digest: str, body: bytes) -> Response:
    return Response(
        body,
        media_type="text/plain",
        headers={"content-disposition": f'attachment; filename="{digest[:12]}.txt"', "etag": f'"{digest}"'},
    )


def _of_session(request: WebRequest, unit: _Unit) -> Response:
    return JsonAnswer(request.read(unit))
