"""Renders templates: every value is escaped, and a name that is missing is an error."""

from __future__ import annotations

import hashlib
import secrets
from functools import cache
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from orchestrator import __version__
from orchestrator.domain.inert import inert
from orchestrator.web.assets import FOLDER, asset_url
from orchestrator.web.language import Language, language
from orchestrator.web.shown import filters
from orchestrator.web.translation import Translation
from orchestrator.web.web_request import WebRequest, shown_at

TEMPLATES = FOLDER.parent / "templates"
FORM_TOKEN_PLACE = secrets.token_hex(
    16
)  # in what is rendered: who gets a page gets a token of their own in its place


@cache
def environment(name: str) -> Environment:
    """The templates in the language of this name."""
    spoken = language(name)
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_inert,
        extensions=[Translation],
    )
    made.page_language = spoken  # type: ignore[attr-defined]
    made.filters.update(filters(spoken))
    made.globals.update(asset=asset_url, version=__version__, language=spoken)
    return made


def _inert(value: object) -> object:
    """Text as it may be shown: control and bidi characters written out. What is markup already is ours."""
    return inert(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def fragment(template: str, spoken: Language, **values: object) -> Markup:
    """The template, rendered by itself in a language."""
    return Markup(environment(spoken.name).get_template(template).render(**values))  # noqa: S704 - autoescaped


def render(
    request: WebRequest, template: str, *, live: str | None = None, status: int = 200, **values: object
) -> Response:
    """A page from `template`, which extends base.html and needs `title` among the values.

    `live` is the template of its part that changes: `?part=1` gets this part alone, with an ETag. base.html puts it
    behind the block `main`. `for_visitor` makes the answer of it.
    """
    shared = {
        "request": request,
        "here": request.path,
        "here_again": _again(request),
        "slug": request.names.get("p"),
        "projects": request.site.projects,
        "form_token": FORM_TOKEN_PLACE if request.visitor.form_token else "",
        "may_decide": request.may_decide,
        **values,
    }
    part = None if live is None else fragment(live, request.language, **shared)
    etag = None if part is None else _etag(part)
    if etag is not None and request.asks_for_part:
        return HTMLResponse(part, headers={"etag": etag})
    waiting = request.site.waiting()
    text = (
        environment(request.language.name)
        .get_template(template)
        .render(part=part, etag=etag, waiting=waiting, **shared)
    )
    return HTMLResponse(text, status_code=status)


def for_visitor(request: WebRequest, made: Response) -> Response:
    """The answer as this visitor gets it: with their form token, and empty where they have the same already."""
    etag = made.headers.get("etag")
    if etag is not None and request.headers.get("if-none-match") == etag:
        kept = {name: made.headers[name] for name in ("etag", "cache-control") if name in made.headers}
        return Response(status_code=304, headers=kept)
    if not isinstance(made, HTMLResponse):
        return made
    body = bytes(made.body).replace(FORM_TOKEN_PLACE.encode(), request.visitor.form_token.encode())
    headers = {name: value for name, value in made.headers.items() if name != "content-length"}
    return HTMLResponse(body, made.status_code, headers)


def _again(request: WebRequest) -> str:
    """The address of the page as it is shown, its parameters included."""
    given = request.query.model_dump(exclude_none=True, exclude_defaults=True, by_alias=True, mode="json")
    kept = {name: value for name, value in given.items() if name not in ("part", "done")}
    return shown_at(request.path) + (f"?{urlencode(kept)}" if kept else "")


def _etag(part: str) -> str:
    return f'"{hashlib.sha256(part.encode()).hexdigest()[:24]}"'


def address(*parts: str) -> str:
    """A path of the site from its parts, each escaped as one part."""
    return "/" + "/".join(quote(part, safe="") for part in parts)
