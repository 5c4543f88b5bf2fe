"""Entering by a link, and the files that need no entering."""

from __future__ import annotations

from typing import Annotated

from markupsafe import Markup
from pydantic import Field
from starlette.responses import HTMLResponse, RedirectResponse, Response

from orchestrator.domain.errors import UnknownName
from orchestrator.web.access import COOKIE_SECONDS, Refused
from orchestrator.web.assets import assets
from orchestrator.web.guard import cookie_name, own_path, refusal_of
from orchestrator.web.limits_by_time import RateLimit
from orchestrator.web.problems import TooMany
from orchestrator.web.rendering import fragment
from orchestrator.web.web_request import Query, WebRequest

FAILED_A_MINUTE = 20
FOR_EVER = "public, max-age=31536000, immutable"
_failed = RateLimit(FAILED_A_MINUTE)


class Entering(Query):
    code: Annotated[str, Field(min_length=1, max_length=1_000, description="What follows the # of a link.")]


class OfFile(Query):
    v: Annotated[str | None, Field(max_length=64, description="The beginning of the file's digest.")] = None


def enter_page(request: WebRequest) -> Response:
    """The page that a link leads to: its script posts the code, or the person does."""
    return HTMLResponse(_page(request, refused=None))


def enter(request: WebRequest) -> Response:
    """Take a code for a cookie."""
    site = request.site
    code = request.body.code.strip().rpartition("#")[2]  # somebody may enter the whole link
    found = site.access.enter(code)  # first: others' wrong codes keep nobody out who has a right one
    if isinstance(found, Refused):
        if not _failed.admits(site.feed.boot):
            many = TooMany("too many wrong codes", why=f"{FAILED_A_MINUTE} a minute are taken")
            return refusal_of({name: [value] for name, value in request.headers.items()}, "/enter", many, 429)
        return HTMLResponse(_page(request, refused=str(found)), 401)
    answer = RedirectResponse(own_path(found.page or "/"), 303)
    answer.set_cookie(
        cookie_name(site),
        found.cookie,
        max_age=COOKIE_SECONDS,
        httponly=True,
        samesite="strict",
        secure=site.allowed_host is not None
        and request.headers.get("host", "").lower() == site.allowed_host.lower(),
    )
    return answer


def _page(request: WebRequest, *, refused: str | None) -> Markup:
    return fragment("enter.html", request.language, refused=refused, here_again="/enter")


def leave(request: WebRequest) -> Response:
    """Forget the cookie of this browser."""
    answer = RedirectResponse("/enter", 303)
    answer.delete_cookie(cookie_name(request.site), httponly=True, samesite="strict")
    return answer


def static(request: WebRequest) -> Response:
    """A file of the pages."""
    name = request.names["name"]
    found = assets().get(name)
    if found is None:
        raise UnknownName("file", name, [])
    headers = {"etag": found.etag}
    if request.query.v == found.digest:
        headers["cache-control"] = FOR_EVER
    return Response(found.content, headers=headers, media_type=found.media_type)
