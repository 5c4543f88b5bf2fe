"""A TCP proxy on loopback that a test cuts: bytes then go nowhere, in both directions, and nobody is told."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class CutProxy:
    """`whole` says whether bytes are passed on; a cut connection stays open, as behind a cable that was pulled.

    `to`: where connections lead that are made from now on.
    """

    def __init__(self, to: tuple[str, int]) -> None:
        self.to = to
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self.whole = threading.Event()
        self.whole.set()
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def close(self) -> None:
        self.whole.set()
        for each in (self._listening, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.to)
            except OSError:  # nobody is there: refused, as without a proxy
                client.close()
                continue
            self._open += [client, server]
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                self.whole.wait()
                other.sendall(data)
        with suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)


@contextmanager
def cut_proxy(address: str) -> Iterator[CutProxy]:
    host, _, port = address.rpartition(":")
    proxy = CutProxy((host, int(port)))
    try:
        yield proxy
    finally:
        proxy.close()
