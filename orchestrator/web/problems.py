"""Errors as a client gets them: `application/problem+json` for programs, a page for people; each says how to go on."""

from __future__ import annotations

import json
import logging

from pydantic import ValidationError
from starlette.responses import Response

from orchestrator.domain import errors
from orchestrator.domain.inert import one_line

LONGEST = 2_000  # characters of each part, which may quote the caller
BUSY_SECONDS = "5"
_log = logging.getLogger(__name__)

STATUS: dict[type[Exception], int] = {
    errors.UnknownName: 404,
    errors.NotAllowedNow: 409,
    errors.Changed: 412,
    errors.ApprovalOutdated: 412,
    errors.KeyReused: 422,
    errors.UsageError: 422,
    errors.DiskFull: 507,
    errors.StoreError: 503,
    errors.LifecycleError: 500,
}


class TooMany(errors.LifecycleError):
    """There were too many requests of this kind."""

    remedy = "wait a minute, then try again"


class TokenNeeded(errors.LifecycleError):
    """The answer does not say what it answers."""

    remedy = "send the token of the pause as If-Match, as the session shows it"


STATUS |= {TooMany: 429, TokenNeeded: 428}


def told(error: Exception) -> errors.LifecycleError:
    """The same error with what, why and fix, whatever it was."""
    if isinstance(error, errors.LifecycleError):
        return error
    if isinstance(error, ValidationError):
        faults = (
            f"{'.'.join(map(str, found['loc'])) or 'body'}: {found['msg']}"
            for found in error.errors(include_url=False, include_input=False, include_context=False)
        )
        return errors.UsageError(
            "the parameters are not valid", why="; ".join(faults), fix="/api/v1/openapi.json lists them"
        )
    _log.error("a request failed", exc_info=error)
    if isinstance(error, OSError):
        return errors.LifecycleError(
            error.strerror or "the operating system refused it", fix="`lifecycle doctor` checks the machine"
        )
    return errors.LifecycleError(
        "an internal error", why=type(error).__name__, fix="see what `lifecycle serve` has printed"
    )


def status_of(error: errors.LifecycleError) -> int:
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def problem(error: errors.LifecycleError, status: int | None = None) -> Response:
    found = status or status_of(error)
    content: dict[str, object] = {
        "type": f"urn:lifecycle:{type(error).__name__}",
        "title": one_line(error.what, LONGEST),
        "detail": one_line(error.why, LONGEST),
        "fix": one_line(error.fix, LONGEST),
        "status": found,
    }
    if isinstance(error, errors.Changed):
        content |= {"token": error.token, "changes": error.changes}
    return Response(
        json.dumps(content), found, headers=retry_after(error), media_type="application/problem+json"
    )


def retry_after(error: errors.LifecycleError) -> dict[str, str]:
    if isinstance(error, TooMany):
        return {"retry-after": "60"}
    return {"retry-after": BUSY_SECONDS} if isinstance(error, errors.DatabaseBusy) else {}
