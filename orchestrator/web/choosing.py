"""The switch between languages, on every page: a cookie of this browser remembers it."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import parse_qsl, unquote, urlencode

from pydantic import Field
from starlette.responses import RedirectResponse, Response

from orchestrator.web.guard import own_path
from orchestrator.web.language import COOKIE, COOKIE_SECONDS
from orchestrator.web.web_request import Query, WebRequest


class Choosing(Query):
    to: Annotated[Literal["en", "zh"], Field(description="The language.")]
    back: Annotated[str, Field(max_length=4_000, description="The address to return to.")] = "/"


def choose(request: WebRequest) -> Response:
    """Keep the choice, and show the page again from which it was made."""
    path, _, query = request.body.back.partition("?")
    given = urlencode(parse_qsl(query))
    answer = RedirectResponse(own_path(unquote(path)) + (f"?{given}" if given else ""), 303)
    answer.set_cookie(COOKIE, request.body.to, max_age=COOKIE_SECONDS, httponly=True, samesite="strict")
    return answer
