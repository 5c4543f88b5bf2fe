"""Structured logs of the long-lived processes: events with key-values, one JSON line each, secrets masked.

Ours, in a few lines: the library for it loads a terminal's tables and highlighting with it, 5 MB in each idle process.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from orchestrator.domain import secrets
from orchestrator.domain.inert import inert

_SECRET_KEY = re.compile(r"(token|secret|password|passwd|api_?key|authorization|credential)", re.I)
MAX_LOG_BYTES = 10 * 1024 * 1024
_out = logging.getLogger("lifecycle")


class Log:
    """Writes events with the key-values bound to it, and what `environ` holds in secret at that moment masked."""

    def __init__(
        self, environ: Mapping[str, str] | None = None, bound: Mapping[str, object] | None = None
    ) -> None:
        self._environ = os.environ if environ is None else environ
        self._bound = dict(bound or {})

    def bind(self, **values: object) -> Log:
        """A logger with these key-values too."""
        return Log(self._environ, {**self._bound, **values})

    def debug(self, event: str, **values: object) -> None:
        self._write(logging.DEBUG, event, values)

    def info(self, event: str, **values: object) -> None:
        self._write(logging.INFO, event, values)

    def warning(self, event: str, **values: object) -> None:
        self._write(logging.WARNING, event, values)

    def error(self, event: str, *, exc_info: bool = False, **values: object) -> None:
        self._write(logging.ERROR, event, values, exc_info)

    def exception(self, event: str, **values: object) -> None:
        """An error, with the traceback of the exception that is being handled."""
        self._write(logging.ERROR, event, values, True)

    def _write(
        self, level: int, event: str, values: Mapping[str, object], with_traceback: bool = False
    ) -> None:
        if not _out.isEnabledFor(level):
            return
        said: dict[str, object] = {
            **self._bound,
            **values,
            "event": event,
            "level": logging.getLevelName(level).lower(),
            "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
        }
        if with_traceback and sys.exc_info()[0] is not None:
            said["exception"] = traceback.format_exc().rstrip("\n")
        _out.log(level, "%s", json.dumps(self._masked(said), ensure_ascii=False, default=repr))

    def _masked(self, said: Mapping[str, object]) -> dict[str, object]:
        known = secrets.known(self._environ)
        return {key: _safe(key, value, known) for key, value in said.items()}


def _safe(key: str, value: object, known: Any) -> object:
    if _SECRET_KEY.search(key):
        return secrets.MASK
    if isinstance(value, str):
        return inert(secrets.mask(value, known))
    if isinstance(value, Mapping | list | tuple):
        return secrets.mask_all(value, known)
    return value


def configure(file: Path | None, *, verbose: bool = False, environ: Mapping[str, str] | None = None) -> Log:
    """Send the log to `file` (rotated once at 10 MB), or to standard error; returns the logger to bind from.

    `environ` holds the secrets that agents may see, else our own environment.
    """
    from logging.handlers import RotatingFileHandler

    handler: logging.Handler
    if file is None:
        handler = logging.StreamHandler(sys.stderr)
    else:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = RotatingFileHandler(file, maxBytes=MAX_LOG_BYTES, backupCount=1)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.DEBUG if verbose else logging.INFO)
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    return Log(environ)
