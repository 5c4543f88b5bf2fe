"""The routes table: every address of the server."""

from __future__ import annotations

from orchestrator.web import entry
from orchestrator.web.entry import Entering, OfFile
from orchestrator.web.pages import inbox
from orchestrator.web.route import Route
from orchestrator.web.web_request import PageQuery

OPEN = (
    Route("GET", "/enter", entry.enter_page, "Where a link leads"),
    Route("POST", "/enter", entry.enter, "Take a one-use code for a cookie", body=Entering),
    Route("POST", "/leave", entry.leave, "Forget the cookie"),
    Route("GET", "/static/{name:path}", entry.static, "A file of the pages", OfFile),
)
PAGES = (Route("GET", "/", inbox.page, "What waits for you", PageQuery),)
API: tuple[Route, ...] = ()
ROUTES = (*OPEN, *PAGES, *API)
