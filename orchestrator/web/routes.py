"""The routes table: every address of the server."""

from __future__ import annotations

from starlette.responses import Response

from orchestrator.web import choosing, entry, live, openapi, read_api
from orchestrator.web.choosing import Choosing
from orchestrator.web.command_routes import COMMAND_API, COMMAND_FORMS
from orchestrator.web.entry import Entering, OfFile
from orchestrator.web.json_answer import JsonAnswer
from orchestrator.web.live import After
from orchestrator.web.pages import (
    check,
    compare,
    cost,
    decide,
    diagram,
    discuss,
    document,
    fork,
    impact,
    inbox,
    log,
    start,
    system,
    task,
    task_group,
    timeline,
)
from orchestrator.web.pages import list as list_
from orchestrator.web.pages.check import SessionPage
from orchestrator.web.pages.compare import Compared, Difference
from orchestrator.web.pages.document import OfDocument
from orchestrator.web.pages.list import Listed, ListedPage
from orchestrator.web.pages.log import LogPage, Messages
from orchestrator.web.pages.system import SystemPage
from orchestrator.web.pages.task import TaskPage
from orchestrator.web.pages.task_group import GroupPage
from orchestrator.web.pages.timeline import TimelinePage
from orchestrator.web.read_api import At, OfChanges, OfImpact, OfVersion, OfVersions
from orchestrator.web.route import Route
from orchestrator.web.web_request import PageQuery, Skip, WebRequest

SESSION = "/p/{p}/s/{session}"
API = "/api/v1"
OF_PROJECT = "/api/v1/p/{p}/sessions"
OF_SESSION = "/api/v1/p/{p}/sessions/{session}"


def api_document(request: WebRequest) -> Response:
    return JsonAnswer(openapi.document(ROUTES))


OPEN = (
    Route("GET", "/enter", entry.enter_page, "Where a link leads"),
    Route("POST", "/enter", entry.enter, "Take a one-use code for a cookie", body=Entering),
    Route("POST", "/leave", entry.leave, "Forget the cookie"),
    Route("POST", "/language", choosing.choose, "Choose the language of the pages", body=Choosing),
    Route("GET", "/static/{name:path}", entry.static, "A file of the pages", OfFile),
    Route("GET", "/diagram", diagram.page, "The frame that draws one diagram"),
)
PAGES = (
    Route("GET", "/", inbox.page, "What waits for you", PageQuery),
    Route("GET", "/p/{p}/sessions", list_.page, "The sessions of a project", ListedPage),
    Route("GET", "/p/{p}/start", start.page, "The form that starts a session"),
    Route("GET", SESSION, check.page, "A session", SessionPage),
    Route("GET", f"{SESSION}/t/{{task}}", task.page, "A task", TaskPage),
    Route(
        "GET", f"{SESSION}/decide", decide.page, "What it waits for, with all that an answer needs", PageQuery
    ),
    Route("GET", f"{SESSION}/discuss", discuss.page, "Its discussions and their ratings", PageQuery),
    Route("GET", f"{SESSION}/discuss/{{round}}", discuss.of_round, "One discussion"),
    Route("GET", f"{SESSION}/cost", cost.page, "What its agents cost", PageQuery),
    Route("GET", f"{SESSION}/impact", impact.page, "How the items of its specification hang together"),
    Route(
        "GET", f"{SESSION}/impact/{{item:path}}", impact.page, "One item: its chain, what a revision makes"
    ),
    Route("GET", f"{SESSION}/docs", document.documents, "Its documents", PageQuery),
    Route("GET", f"{SESSION}/doc/{{path:path}}", document.page, "A document", OfDocument),
    Route("GET", f"{SESSION}/diff/{{path:path}}", document.diff, "What changed in a document", OfDocument),
    Route("GET", f"{SESSION}/log", log.page, "The messages of a session", LogPage),
    Route("GET", f"{SESSION}/group/{{group:path}}", task_group.page, "Tasks of one kind", GroupPage),
    Route("GET", f"{SESSION}/timeline", timeline.page, "Its attempts in time", TimelinePage),
    Route("GET", f"{SESSION}/compare", compare.page, "It and another one side by side", Compared),
    Route(
        "POST",
        f"{SESSION}/commands/fork",
        fork.form,
        "Show the plan of a fork, or make it",
        body=fork.OfFork,
    ),
    Route("GET", "/p/{p}/cost", cost.of_project, "What the agents of all sessions cost", PageQuery),
    Route("GET", "/p/{p}/system", system.page, "The daemon, limits, installation, settings", SystemPage),
)
READ_API = (
    Route("GET", f"{API}/inbox", read_api.inbox, "What waits for you"),
    Route("GET", f"{API}/projects", read_api.projects, "The projects that are served"),
    Route("GET", f"{API}/system", system.everywhere, "What each project runs on"),
    Route("GET", f"{API}/openapi.json", api_document, "This document"),
    Route("GET", f"{API}/events", live.hints, "Hints of what changed", stream=True),
    Route("GET", OF_PROJECT, read_api.session_list, "Sessions, newest first", Listed),
    Route("GET", OF_SESSION, read_api.session, "A session, as `check`, or as it was", At),
    Route("GET", f"{OF_SESSION}/show", read_api.shown, "A session, as `show`"),
    Route("GET", f"{OF_SESSION}/report", read_api.report, "Its results"),
    Route(
        "GET", f"{OF_SESSION}/events", live.session_messages, "Its messages as they come", After, stream=True
    ),
    Route("GET", f"{OF_SESSION}/tasks", read_api.tasks, "Its tasks"),
    Route("GET", f"{OF_SESSION}/groups", read_api.groups, "Its tasks by phase, role and state"),
    Route("GET", f"{OF_SESSION}/groups/{{group:path}}", read_api.group, "The tasks of a group", Skip),
    Route("GET", f"{OF_SESSION}/tasks/{{task}}", read_api.task, "A task", At),
    Route("GET", f"{OF_SESSION}/tasks/{{task}}/runs", read_api.runs, "The attempts at a task"),
    Route("GET", f"{OF_SESSION}/tasks/{{task}}/why", read_api.why_task, "Why a task is in its state", At),
    Route("GET", f"{OF_SESSION}/messages", read_api.message_list, "Its messages", Messages),
    Route("GET", f"{OF_SESSION}/discussions", read_api.discussions, "Its discussions"),
    Route("GET", f"{OF_SESSION}/discussions/history", read_api.ratings, "The ratings of every round"),
    Route("GET", f"{OF_SESSION}/discussions/{{round}}", read_api.discussion, "A discussion"),
    Route("GET", f"{OF_SESSION}/scores", read_api.scores, "Its newest readiness report"),
    Route("GET", f"{OF_SESSION}/cost", read_api.cost, "What its agents cost"),
    Route("GET", f"{OF_SESSION}/impact", read_api.impact, "What a change means", OfImpact),
    Route(
        "GET", f"{OF_SESSION}/approval", read_api.approval, "What it waits for, and the token of an answer"
    ),
    Route("GET", f"{OF_SESSION}/impact/graph", read_api.item_graph, "Items and their links", OfImpact),
    Route(
        "GET", f"{OF_SESSION}/changes", read_api.changes, "What changed since the last approval", OfChanges
    ),
    Route("GET", f"{OF_SESSION}/diff/{{path:path}}", read_api.diff, "What changed in a document", OfVersions),
    Route("GET", f"{OF_SESSION}/compare/{{other}}", compare.api, "It and another one", Difference),
    Route("POST", f"{OF_SESSION}/commands/fork", fork.api, "As `lifecycle fork`", body=fork.OfFork),
    Route("GET", f"{API}/p/{{p}}/cost", read_api.project_cost, "What the agents of all sessions cost"),
    Route("GET", f"{OF_SESSION}/artifacts", read_api.artifact_list, "Its documents"),
    Route("GET", f"{OF_SESSION}/artifacts/{{path:path}}", read_api.artifact, "A document's text", OfVersion),
    Route("GET", f"{OF_SESSION}/contents/{{sha256}}", read_api.content, "A content by its digest"),
)
ROUTES = (*OPEN, *PAGES, *COMMAND_FORMS, *READ_API, *COMMAND_API)
