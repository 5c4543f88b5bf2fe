"""TLS before a server that speaks plain HTTP/2, on loopback, with certificates of the test's own."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its key, as PEM files."""

    certificate: Path
    key: Path


class Authority:
    """Signs certificates for this machine's own address."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder / name
        self._folder.mkdir()
        self.own = Pair(self._folder / "ca.pem", self._folder / "ca-key.pem")
        _openssl("req", "-x509", *_new(self.own, name), "-days", "2")

    def signed(self, name: str) -> Pair:
        pair = Pair(self._folder / f"{name}.pem", self._folder / f"{name}-key.pem")
        _openssl(
            *("req", "-x509", *_new(pair, name), "-days", "2", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-addext", "basicConstraints=critical,CA:FALSE"),
            *("-CA", str(self.own.certificate), "-CAkey", str(self.own.key)),
        )
        return pair


def _new(pair: Pair, name: str) -> list[str]:
    made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}"]
    return [*made, "-keyout", str(pair.key), "-out", str(pair.certificate)]


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def _end_connections() -> None:
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


@contextmanager
def tls_proxy(to: str, server: Pair, clients: Path | None = None) -> Iterator[str]:
    """The address at which `to` speaks TLS; `clients`: who signed the certificates that clients must show."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server.certificate, server.key)
    context.set_alpn_protocols(["h2"])
    if clients is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(clients)
    host, _, port = to.rpartition(":")

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(host, int(port))
        await asyncio.gather(_pass_on(reader, back), _pass_on(there, writer))

    loop = asyncio.new_event_loop()
    loop.set_exception_handler(
        lambda *_: None
    )  # a handshake that a client breaks off is what the tests are about
    listening = loop.run_until_complete(asyncio.start_server(connected, "127.0.0.1", 0, ssl=context))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        listening.close()
        loop.run_until_complete(_end_connections())
        loop.close()
