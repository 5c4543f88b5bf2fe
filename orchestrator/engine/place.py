"""Where the engine is, how it is reached, and how its queues and messages are called: nothing here needs its library."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.config.extras import TEMPORAL_INSTALL, has_temporal
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.elsewhere import REVIEWS_OF_CODE
from orchestrator.domain.errors import UsageError
from orchestrator.domain.identity import ProjectId

if TYPE_CHECKING:
    from orchestrator.config.settings import (
        TemporalSettings,  # with libraries that reading commands do without
    )

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
HERE = "here"  # the last part of a queue whose tasks need a host beside the project's repository
DIGITS = 12


@dataclass(frozen=True, slots=True)
class Tls:
    """Certificates as PEM; None where the system's own, or none of this side, are meant."""

    authorities: bytes | None = None
    certificate: bytes | None = None
    key: bytes | None = None


@dataclass(frozen=True, slots=True)
class EnginePlace:
    """`queues`: how the names of a project's queues begin. `api_key` is shown to nobody."""

    address: str
    namespace: str
    queues: str
    tls: Tls | None = None
    api_key: str | None = None

    def queue(self, role: str, *, here: bool = False) -> str:
        return f"{self.queues}/{role}/{HERE}" if here else f"{self.queues}/{role}"

    def queue_of(self, role: str, prefix: str) -> str:
        """The queue of a task with that role and prefix."""
        return self.queue(role, here=prefix == REVIEWS_OF_CODE)

    @property
    def project(self) -> str:
        return self.queues.rpartition("/")[2]

    def message(self, task: int, epoch: int) -> str:
        """The id of the message that delivers an offer: the same whoever sends it."""
        return f"run:{self.project}:{task}:{epoch}"


def is_loopback(address: str) -> bool:
    return address.rpartition(":")[0] in LOOPBACK


def queues_of(prefix: str, project: ProjectId) -> str:
    """How a project's queues begin, the same for each of its processes."""
    return f"{prefix}/{hashlib.sha256(project.encode()).hexdigest()[:DIGITS]}"


def engine_place(
    settings: TemporalSettings, project: ProjectId, root: Path, environ: Mapping[str, str]
) -> EnginePlace:
    """Where a project's engine is. Raises UsageError for what is not installed, or cannot be read."""
    return place_at(settings, queues_of(settings.queues, project), root, environ)


def place_at(settings: TemporalSettings, queues: str, root: Path, environ: Mapping[str, str]) -> EnginePlace:
    """The same with the name that a project's queues begin with. Raises UsageError."""
    if not has_temporal():
        raise UsageError(
            "Temporal's client is not installed", why='dispatch is "temporal"', fix=TEMPORAL_INSTALL
        )
    key = settings.api_key_env
    if key is not None and key not in environ:
        raise UsageError(
            "the engine's key is missing",
            why=f"temporal.api_key_env names {key}, which is not set",
            fix=f"set {key}",
        )
    return EnginePlace(
        settings.address,
        settings.namespace,
        queues,
        _tls(settings, root),
        None if key is None else environ[key],
    )


def _tls(settings: TemporalSettings, root: Path) -> Tls | None:
    wanted = not is_loopback(settings.address) if settings.tls is None else settings.tls
    if not wanted:
        return None
    if (settings.tls_cert is None) != (settings.tls_key is None):
        raise UsageError(
            "temporal.tls_cert and temporal.tls_key belong together", fix="name both files, or neither"
        )
    _refuse_unusable(settings, root)
    return Tls(
        _read(root, "tls_ca", settings.tls_ca),
        _read(root, "tls_cert", settings.tls_cert),
        _read(root, "tls_key", settings.tls_key),
    )


def _refuse_unusable(settings: TemporalSettings, root: Path) -> None:
    """Raises UsageError for files that hold no certificate, or a key of another one: the library would not say so."""
    import ssl

    context, named = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), "temporal.tls_ca"
    try:
        if settings.tls_ca is not None:
            context.load_verify_locations(root / settings.tls_ca)
        if settings.tls_cert is not None and settings.tls_key is not None:
            named = "temporal.tls_cert and temporal.tls_key"
            context.load_cert_chain(root / settings.tls_cert, root / settings.tls_key, password="")
    except OSError as error:
        raise UsageError(
            f"{named} cannot be used",
            why=str(error),
            fix="name files in PEM form, a certificate with its own key",
        ) from error


def _read(root: Path, name: str, file: str | None) -> bytes | None:
    if file is None:
        return None
    try:
        return (root / file).read_bytes()
    except OSError as error:
        raise UsageError(
            f"temporal.{name} cannot be read", why=str(error), fix="name a file in PEM form"
        ) from error
