"""Admits a request or refuses it, before any handler sees it, by these rules in this order.

1. Host: one that we are reached by, else 421 (a site can give its own name our address).
2. Body: at most 2 MiB (16 KiB where nobody has to have entered), else 413; within 30 s, else 408. It is kept only of
   those whom rules 3 to 5 let in.
3. Sec-Fetch-Site: `same-origin` or `none`, else 403 (another site's page sends our browser here); an Origin that names
   another site too, for browsers that do not send the former. A visit from a link on another site comes without its
   Strict cookie: it gets a page that loads itself again, once.
4. A cookie of ours, or the bearer token, else 401.
5. The role: `read` may only look, else 403.
6. What is not GET and has a cookie: our Origin, and the form's token, else 403.

`/enter`, `/language`, `/static` and `/diagram` hold no data and ask for no cookie. There are no CORS headers.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from html import escape
from urllib.parse import parse_qs, quote

from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orchestrator.dispatch.dashboards import NAME
from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.inert import inert
from orchestrator.web import request_body
from orchestrator.web.language import wanted
from orchestrator.web.limits_by_time import RateLimit
from orchestrator.web.problems import TooMany, problem, retry_after, told
from orchestrator.web.site import Site
from orchestrator.web.web_request import Visitor, shown_at

LOOPBACK = "127.0.0.1"
COMMANDS_A_MINUTE = 30  # of one person
FORM_TOKEN = "form_token"  # noqa: S105 - the name of the field
FORM_TOKEN_HEADER = "x-form-token"  # noqa: S105 - the name of the header
VISITOR = "lifecycle.visitor"  # in the ASGI scope
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types lifecycle"
)
DIAGRAM_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
)
OUR_SITES = (None, "same-origin", "none")  # values of Sec-Fetch-Site
OPEN = ("/enter", "/diagram", "/language")


class NotAdmitted(LifecycleError):
    """The request was refused."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What of a request the rules look at."""

    method: str
    path: str
    query: str
    headers: Mapping[str, list[str]]
    body: bytes

    def one(self, name: str) -> str | None:
        """The header's value; None when it is missing; empty, which no rule accepts, when it is there twice."""
        found = self.headers.get(name, [])
        return found[0] if len(found) == 1 else "" if found else None

    @property
    def changes(self) -> bool:
        return self.method not in ("GET", "HEAD")

    @property
    def is_open(self) -> bool:
        return self.path in OPEN or self.path.startswith("/static/")


class Guard:
    """The ASGI application around the routes."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site
        self._access = site.access
        self._commands = RateLimit(COMMANDS_A_MINUTE)
        hosts = {f"{NAME}:{site.port}", f"{LOOPBACK}:{site.port}"}
        self._origins = {f"http://{host}" for host in hosts}
        if site.allowed_host is not None:
            hosts.add(site.allowed_host.lower())
            self._origins.add(f"https://{site.allowed_host.lower()}")
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return None
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        path = scope["path"]
        send = _with_headers(send, path)
        asked = _Asked(scope["method"], path, scope["query_string"].decode("latin-1"), headers, b"")
        answer = self._host(asked) or await self._with_body(asked, scope, receive)
        if isinstance(answer, Response):
            return await answer(scope, receive, send)
        return await self._app(scope, _replayed(answer, receive), send)

    async def _with_body(self, asked: _Asked, scope: Scope, receive: Receive) -> bytes | Response:
        """The body of a request that is admitted, which says in `scope` who asks; that of another one is not kept."""
        try:
            known = self._known(asked)
        except (LifecycleError, OSError) as error:  # of the key's file
            known = problem(told(error))
        limit = request_body.OPEN_LIMIT if asked.is_open else request_body.BODY_LIMIT
        keep = not isinstance(known, Response)
        try:
            body = await request_body.read(asked.headers, receive, limit, keep=keep)
        except request_body.TooLarge:
            return _refuse(asked, 413, "the body is too large", f"at most {limit} bytes are taken")
        except TimeoutError:
            why = f"it has to be there within {request_body.BODY_SECONDS:g} s"
            return _refuse(asked, 408, "the body did not come", why, "send it again")
        if isinstance(known, Response):
            return known
        visitor, cookie_id = known
        if not asked.is_open:
            refusal = self._form(replace(asked, body=body), cookie_id)
            if refusal is not None:
                return refusal
            if asked.changes and not self._commands.admits(visitor.person):
                many = TooMany("too many commands", why=f"{COMMANDS_A_MINUTE} a minute are taken")
                return refusal_of(asked.headers, asked.path, many, 429)
        scope[VISITOR] = visitor
        return body

    def _known(self, asked: _Asked) -> tuple[Visitor, str | None] | Response:
        """Who asks, with the cookie's id, by the rules that need no body. Raises UsageError, OSError."""
        refusal = self._site_rule(asked)
        if refusal is not None:
            return refusal
        if asked.is_open:
            return Visitor("", "read"), None
        visitor, cookie_id = self._visitor(asked)
        if visitor is None:
            return _refuse(
                asked, 401, "you have not entered", "this needs the link that `lifecycle serve` printed",
                "lifecycle serve --link",
            )  # fmt: skip
        return self._role(asked, visitor) or (visitor, cookie_id)

    def _host(self, asked: _Asked) -> Response | None:
        if (asked.one("host") or "").lower() in self._hosts:
            return None
        return _refuse(
            asked, 421, "this server does not answer to that name",
            "it is not among those that it was started for", "lifecycle serve --allow-host NAME",
        )  # fmt: skip

    def _site_rule(self, asked: _Asked) -> Response | None:
        is_ours = asked.one("origin") is None or self._is_own_origin(asked)
        if asked.path.startswith("/static/") or (is_ours and asked.one("sec-fetch-site") in OUR_SITES):
            return None
        is_visit = asked.method == "GET" and asked.one("sec-fetch-dest") == "document"
        if is_visit and asked.one("cookie") is None and asked.one("sec-fetch-mode") == "navigate":
            if asked.path == "/enter":
                return None  # which must keep the code behind its `#`
            return _again(asked)
        return _refuse(asked, 403, "another site asked for this", "only this server's own pages may")

    def _is_own_origin(self, asked: _Asked) -> bool:
        """Under `Referrer-Policy: no-referrer` a browser sends a form's Origin as `null`, yet tells the site truly."""
        origin = asked.one("origin")
        return origin in self._origins or (origin == "null" and asked.one("sec-fetch-site") == "same-origin")

    def _visitor(self, asked: _Asked) -> tuple[Visitor | None, str | None]:
        """Who shows a cookie or the bearer token, and the cookie's id."""
        shown = asked.one("authorization")
        if shown is not None:
            bearer = self._site.bearer
            if bearer is None or not hmac.compare_digest(shown.encode(), f"Bearer {bearer}".encode()):
                return None, None
            return Visitor("program", "read" if self._site.read_only else "decide"), None
        cookie = _cookie(asked, cookie_name(self._site))
        found = None if cookie is None else self._access.visitor(cookie)
        if found is None:
            return None, None
        person = found.person
        if self._site.user_header is not None and self._by_proxy(asked):
            person = inert(asked.one(self._site.user_header.lower()) or person)[:100]
            if self._access.has_ended(person, found):
                return None, None
        role = "read" if self._site.read_only else found.role
        return Visitor(person, role, self._access.form_token(found.id), cookie or ""), found.id

    def _by_proxy(self, asked: _Asked) -> bool:
        """Whether it came by the proxy's name: nobody names themselves who comes by this machine's own."""
        return (asked.one("host") or "").lower() == (self._site.allowed_host or "").lower()

    def _role(self, asked: _Asked, visitor: Visitor) -> Response | None:
        if not asked.changes or visitor.role == "decide" or asked.path == "/leave":
            return None
        why = (
            "the server was started with --read-only" if self._site.read_only else "your link is for reading"
        )
        return _refuse(asked, 403, "you may only look here", why, "lifecycle serve --link")

    def _form(self, asked: _Asked, cookie_id: str | None) -> Response | None:
        if not asked.changes or cookie_id is None:
            return None
        if self._is_own_origin(asked) and self._access.is_form_token(cookie_id, _form_token(asked)):
            return None
        return _refuse(
            asked, 403, "this form is not from a page of this server",
            "its origin or its token is another", "load the page again, then repeat it",
        )  # fmt: skip


def cookie_name(site: Site) -> str:
    return f"lc-{site.port}"


def _cookie(asked: _Asked, name: str) -> str | None:
    for header in asked.headers.get("cookie", []):
        for each in header.split(";"):
            key, _, value = each.strip().partition("=")
            if key == name:
                return value
    return None


def _form_token(asked: _Asked) -> str:
    header = asked.one(FORM_TOKEN_HEADER)
    if header is not None:
        return header
    if not (asked.one("content-type") or "").startswith("application/x-www-form-urlencoded"):
        return ""
    try:
        fields = parse_qs(asked.body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=200)
    except ValueError:
        return ""
    return fields.get(FORM_TOKEN, [""])[0]


def _replayed(body: bytes, receive: Receive) -> Receive:
    """`receive` that gives the body which was read already, then what still comes: the end of the connection."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _with_headers(send: Send, path: str) -> Send:
    """`send` that adds to every answer what tells the browser how little it may do with it."""
    static = path.startswith("/static/")
    fixed = {
        "content-security-policy": DIAGRAM_CSP if path == "/diagram" else CSP,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "cross-origin" if static else "same-origin",
    }

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            headers += [(name.encode(), value.encode()) for name, value in fixed.items()]
            if not any(name.lower() == b"cache-control" for name, _ in headers):
                headers.append((b"cache-control", b"no-store"))
            message = {**message, "headers": headers}
        await send(message)

    return sending


def own_path(path: str) -> str:
    """The path as an address of this server; `/` for one that a browser would take for another site."""
    quoted = quote(path)  # a backslash too, which a browser takes for a slash
    return quoted if quoted.startswith("/") and not quoted.startswith("//") else "/"


def _again(asked: _Asked) -> Response:
    """A page that visits the same address by itself: as its own site's, with the cookie."""
    address = escape(own_path(asked.path) + (f"?{asked.query}" if asked.query else ""), quote=True)
    return HTMLResponse(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>lifecycle</title>'
        f'<meta http-equiv="refresh" content="0;url={address}"></head>'
        f'<body><p><a href="{address}">Continue</a></p></body></html>'
    )


def _refuse(asked: _Asked, status: int, what: str, why: str, fix: str = "") -> Response:
    error = NotAdmitted(what, why=why, fix=fix or "open the link that `lifecycle serve` printed")
    if asked.path.startswith("/static/"):
        return problem(error, status)
    return refusal_of(
        asked.headers, asked.path, error, status, is_visit=not asked.changes and not asked.is_open
    )


def refusal_of(
    headers: Mapping[str, list[str]],
    path: str,
    error: LifecycleError,
    status: int,
    *,
    is_visit: bool = False,
) -> Response:
    """What refuses a request: a page for a person, who visits or whose browser takes one, else a problem."""
    takes_pages = any("text/html" in each for each in headers.get("accept", []))
    if path.startswith("/api/") or not (is_visit or takes_pages):
        return problem(error, status)
    from orchestrator.web.rendering import fragment

    spoken = wanted({name: values[0] for name, values in headers.items()})
    back = shown_at(own_path(path))
    page = fragment("refused.html", spoken, error=error, status=status, here_again=back, back=back)
    return HTMLResponse(page, status, headers=retry_after(error))
