"""The engine behind TLS: whose certificates are believed on both sides, and what is said where they are not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from orchestrator.config.settings import TemporalSettings
from orchestrator.domain.errors import EngineAway, UsageError
from orchestrator.engine.client import Engine
from orchestrator.engine.place import place_at
from tests.temporal_server import TemporalServer
from tests.tls_proxy import Authority, Pair, tls_proxy


class Behind:
    """A Temporal server at `address`, which speaks TLS and wants certificates of clients, and at `open`, which wants none."""

    def __init__(self, server: TemporalServer, folder: Path, stack: ExitStack) -> None:
        self.ours, self.other = Authority(folder, "ours"), Authority(folder, "other")
        at, known = self.ours.signed("server"), self.ours.own.certificate
        self.client = self.ours.signed("client")
        self.open = stack.enter_context(tls_proxy(server.address, at))
        self.address = stack.enter_context(tls_proxy(server.address, at, known))

    def connect(
        self, address: str, ca: Path | None, client: Pair | None = None, tls: bool | None = True
    ) -> str:
        """The version that answers."""
        settings = TemporalSettings(
            address=address,
            tls=tls,
            tls_ca=ca and str(ca),
            tls_cert=client and str(client.certificate),
            tls_key=client and str(client.key),
        )
        place = place_at(settings, "queues", Path("/nonexistent"), {})

        async def ask() -> str:
            return (await Engine.connect(place, "test")).version

        return asyncio.run(ask())


@pytest.fixture(scope="module")
def behind(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    with ExitStack() as stack:
        yield Behind(temporal, tmp_path_factory.mktemp("certificates"), stack)


def test_who_signed_the_server_and_the_client_are_known_to_each_other(behind: Behind) -> None:
    known = behind.ours.own.certificate

    assert behind.connect(behind.open, known)
    assert behind.connect(behind.address, known, behind.client)


@pytest.mark.parametrize("who", ["other", None])
def test_a_server_that_nobody_known_has_signed_is_not_believed(behind: Behind, who: str | None) -> None:
    with pytest.raises(EngineAway, match="is not believed") as refused:
        behind.connect(behind.open, None if who is None else behind.other.own.certificate)

    assert "UnknownIssuer" in refused.value.why and "temporal.tls_ca" in refused.value.fix


@pytest.mark.parametrize(
    ("signed_by", "says"),
    [(None, "wants a certificate that it knows"), ("other", "does not know our certificate")],
)
def test_a_client_without_a_certificate_or_with_a_strangers_is_refused(
    behind: Behind, signed_by: str | None, says: str
) -> None:
    client = None if signed_by is None else behind.other.signed("client")

    with pytest.raises(EngineAway, match="ends the connection") as refused:
        behind.connect(behind.address, behind.ours.own.certificate, client)

    assert says in refused.value.why and "temporal.tls_cert" in refused.value.fix


def test_an_engine_that_speaks_tls_is_not_asked_without_unless_the_settings_say_so(behind: Behind) -> None:
    with pytest.raises(EngineAway, match="ends the connection") as refused:
        behind.connect(behind.open, None, tls=None)  # loopback: no TLS by default

    assert "speaks TLS and is asked without" in refused.value.why and "temporal.tls" in refused.value.fix


def test_files_that_hold_no_certificate_are_named(behind: Behind, tmp_path: Path) -> None:
    broken, known = tmp_path / "broken.pem", behind.ours.own.certificate
    broken.write_text("no certificate")
    strangers = Pair(behind.client.certificate, behind.other.signed("client").key)

    for file in (broken, tmp_path / "missing.pem"):
        with pytest.raises(UsageError, match=r"temporal\.tls_ca cannot be used"):
            behind.connect(behind.open, file)
    with pytest.raises(UsageError, match=r"temporal\.tls_cert and temporal\.tls_key"):
        behind.connect(behind.address, known, strangers)
