"""Where traces are sent, by the settings: nothing here needs OpenTelemetry's library."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from orchestrator.config.extras import TRACES_INSTALL, has_traces
from orchestrator.domain.errors import UsageError
from orchestrator.log import Logger

if TYPE_CHECKING:
    from orchestrator.config.settings import TracesSettings
    from orchestrator.traces.sender import Sender

PATH = "/v1/traces"


def url_of(endpoint: str) -> str:
    """Where the collector takes traces."""
    return endpoint if urlsplit(endpoint).path.strip("/") else endpoint.rstrip("/") + PATH


def sender_of(settings: TracesSettings, process: str, log: Logger) -> Sender | None:
    """None where nothing is to be sent. `process`: which of ours it is. Raises UsageError for what cannot be used."""
    if settings.endpoint is None:
        return None
    _must_be_installed()
    from orchestrator.traces.sender import Sender

    try:
        return Sender(url_of(settings.endpoint), process, log)
    except (ValueError, OSError) as error:
        raise _unusable(error) from error


def ask(settings: TracesSettings) -> tuple[str, str] | None:
    """Where traces are sent, and why the collector there takes none just now, or nothing; None where none are sent.

    Raises UsageError.
    """
    if settings.endpoint is None:
        return None
    _must_be_installed()
    from orchestrator.traces.sender import fault_of

    url = url_of(settings.endpoint)
    try:
        return url, fault_of(url)
    except (ValueError, OSError) as error:
        raise _unusable(error) from error


def sender_or_none(settings: TracesSettings, process: str, log: Logger) -> Sender | None:
    """The same for a process that does its work without one, and says so in its log."""
    try:
        return sender_of(settings, process, log)
    except UsageError as error:
        log.error("traces_unusable", error=error.what, why=error.why, fix=error.fix)
        return None


def _must_be_installed() -> None:
    if not has_traces():
        raise UsageError(
            "OpenTelemetry's exporter is not installed", why="traces.endpoint is set", fix=TRACES_INSTALL
        )


def _unusable(error: ValueError | OSError) -> UsageError:
    return UsageError(
        "traces cannot be sent", why=str(error), fix="check the variables whose names begin with OTEL_"
    )
