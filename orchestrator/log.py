"""Structured logs of the long-lived processes: events with key-values, one JSON line each, secrets masked."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias, cast

from orchestrator.domain import secrets
from orchestrator.domain.inert import inert
from orchestrator.domain.patterns import expression
from orchestrator.lean_imports import alone

with alone():
    import structlog

Logger: TypeAlias = structlog.typing.FilteringBoundLogger
_SECRET_KEY = expression(r"(token|secret|password|passwd|api_?key|authorization|credential)", re.I)
MAX_LOG_BYTES = 10 * 1024 * 1024


def masker(environ: Mapping[str, str]) -> structlog.typing.Processor:
    """A processor that masks what `environ`, read at each event, holds in secret, and what looks like a credential."""

    def mask(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
        known = secrets.known(environ)
        for key, value in event.items():
            if _SECRET_KEY.search(key):
                event[key] = secrets.MASK
            elif isinstance(value, str):
                event[key] = inert(secrets.mask(value, known))
            elif isinstance(value, Mapping | list | tuple):
                event[key] = secrets.mask_all(value, known)
        return event

    return mask


def configure(
    file: Path | None, *, verbose: bool = False, environ: Mapping[str, str] | None = None
) -> Logger:
    """Send the log to `file` (rotated once at 10 MB), or to standard error; returns the logger to bind from.

    Each line is a JSON object, also of what libraries log; those have the name of their `logger`.
    `environ` holds the secrets that agents may see, else our own environment.
    """
    import logging
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
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        masker(os.environ if environ is None else environ),
    ]
    renderer = structlog.processors.JSONRenderer(ensure_ascii=False)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG if verbose else logging.INFO),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    return cast(Logger, structlog.get_logger())
