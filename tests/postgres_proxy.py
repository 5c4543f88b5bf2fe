"""Stands between a store and its PostgreSQL server, and cuts the connection where a test says."""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PORT = ".s.PGSQL.5432"  # what a server's socket is called


class Proxy:
    """`arm` lets the next message of a client be its last: `lost` before the server has it, `answered` after it did.

    `late`: the server gets it at the moment when the client is cut off.
    """

    def __init__(self, folder: Path, server: Path) -> None:
        self._server = str(server / PORT)
        self._armed: str | None = None
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / PORT))
        self._listening.listen()
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self, how: str) -> None:
        self._armed = how

    def close(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            client_side = threading.Thread(target=self._from_client, args=(client, server), daemon=True)
            client_side.start()

    def _from_client(self, client: socket.socket, server: socket.socket) -> None:
        is_cut = threading.Event()  # its answers go nowhere from now on
        answers = threading.Thread(target=self._pass_on, args=(server, client, is_cut), daemon=True)
        answers.start()
        with suppress(OSError):
            while data := client.recv(65536):
                how, self._armed = self._armed, None
                if how is None:
                    server.sendall(data)
                    continue
                self.cuts += 1
                is_cut.set()
                if how == "late":
                    self._cut(client)
                if how != "lost":
                    server.sendall(data)
                    server.shutdown(socket.SHUT_WR)  # read first, then told that nothing follows
                    answers.join()
                break
        self._cut(client)
        self._cut(server)

    @staticmethod
    def _pass_on(server: socket.socket, client: socket.socket, is_cut: threading.Event) -> None:
        while True:
            try:
                data = server.recv(65536)
            except OSError:
                return
            if not data:
                break
            if not is_cut.is_set():  # else the server is read to its end
                with suppress(OSError):
                    client.sendall(data)
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def _cut(end: socket.socket) -> None:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextmanager
def proxy(server: Path) -> Iterator[tuple[Proxy, Path]]:
    """The proxy, and the folder that stands for the server's."""
    folder = Path(tempfile.mkdtemp(prefix="lifecycle-px-", dir="/tmp"))
    made = Proxy(folder, server)
    try:
        yield made, folder
    finally:
        made.close()
        shutil.rmtree(folder)
