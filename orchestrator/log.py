"""Structured logs of the long-lived processes: events with key-values, one JSON line each, secrets masked."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from inspect import iscoroutinefunction
from pathlib import Path
from types import ModuleType
from typing import TypeAlias, cast

from orchestrator.domain import secrets
from orchestrator.domain.inert import inert
from orchestrator.domain.patterns import expression


class _Later(ModuleType):
    """A module that is imported when something of it is used."""

    def __getattr__(self, name: str) -> object:
        if name == "__path__":  # `from ... import` asks for it first
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


@contextmanager
def alone() -> Iterator[None]:
    """Import structlog or apscheduler without what they do not need here, 14 MB in each idle process.

    structlog's terminal renderer would load rich, its thread locals greenlet; where these are missing, it does without.
    Asynchronous methods, which nobody calls, name asyncio, and with it ssl; apscheduler asks whether a job is one.
    """
    asyncio = _Later("asyncio")
    vars(asyncio)["iscoroutinefunction"] = iscoroutinefunction
    instead = {"rich": None, "greenlet": None, "asyncio": asyncio}
    hidden = {name: module for name, module in instead.items() if name not in sys.modules}
    sys.modules.update(hidden)  # type: ignore[arg-type]  # None makes an import fail
    try:
        yield
    finally:
        for name, module in hidden.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


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
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            masker(os.environ if environ is None else environ),
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG if verbose else logging.INFO),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    return cast(Logger, structlog.get_logger())
