"""`GET /metrics` and `GET /v1/demand`: for who watches the server and scales its hosts, by a token that is a file.

The token is no host's: it reads numbers, and does no work. Whoever reads them has it in a file as well, and the server reads
its own at each request, so that another one counts at once. Without one, only a client of this machine is answered,
and none that came through a proxy: the proxy's clients may be anybody.
"""

from __future__ import annotations

import hmac
import ipaddress
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from orchestrator.domain.elsewhere import ROLES_ELSEWHERE
from orchestrator.domain.errors import LifecycleError, UnknownName
from orchestrator.door import wire
from orchestrator.door.http_connections import LOOPBACK

if TYPE_CHECKING:
    from starlette.requests import Request

FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
LEAST_CHARACTERS = 16


def refusal(request: Request, token_file: Path | None) -> LifecycleError | None:
    """Why the client may not watch; None where it may."""
    if token_file is None:
        if _is_of_this_machine(request):
            return None
        return wire.DoorRefused(
            "the figures are for this machine alone",
            why="the server was started without --metrics-token-file",
            fix="name a file with a token for who watches",
        )
    try:
        token = token_file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        return wire.DoorRefused("the server cannot read its token for the figures", why=str(error))
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    if len(token) < LEAST_CHARACTERS:
        return wire.DoorRefused(
            f"the server's token for the figures has fewer than {LEAST_CHARACTERS} characters"
        )
    if kind.lower() == "bearer" and hmac.compare_digest(given.encode(), token.encode()):
        return None
    return wire.DoorRefused("the token is not the one for the figures")


def _is_of_this_machine(request: Request) -> bool:
    """Whether client and address are this machine's, and nothing tells of a proxy between."""
    if request.client is None or any(name in request.headers for name in FORWARDED):
        return False
    return ipaddress.ip_address(request.client.host).is_loopback and _name(request.headers) in LOOPBACK


def _name(headers: Headers) -> str:
    host = headers.get("host", "")
    return host.partition("]")[0].removeprefix("[") if host.startswith("[") else host.partition(":")[0]


def roles_asked(request: Request) -> tuple[str, ...]:
    """The roles of `?role=`, by default all that other machines can have. Raises UnknownName."""
    named = [each for given in request.query_params.getlist("role") for each in given.split(",") if each]
    for role in named:
        if role not in ROLES_ELSEWHERE:
            raise UnknownName("role", role, ROLES_ELSEWHERE)
    return tuple(named) or ROLES_ELSEWHERE
