"""Contents that a host has had lately: what a digest names never changes, so it is asked of the server once."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict

MOST_BYTES = 8 * 1024 * 1024  # of all together
LARGEST = 256 * 1024  # a larger one is asked for again
BESIDE = 200  # bytes that keeping one takes, beside its own


class KeptContents:
    """By their own digest, whatever they were asked for by. For many threads."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._bodies: OrderedDict[str, bytes] = OrderedDict()  # what was not used for the longest time first
        self._size = 0
        self._lock = threading.Lock()

    def get(self, sha256: str) -> bytes | None:
        with self._lock:
            if sha256 in self._bodies:
                self._bodies.move_to_end(sha256)
            return self._bodies.get(sha256)

    def keep(self, body: bytes) -> None:
        if len(body) > min(LARGEST, self._most):
            return
        sha256 = hashlib.sha256(body).hexdigest()
        with self._lock:
            if sha256 in self._bodies:
                return
            self._bodies[sha256] = body
            self._size += len(body) + BESIDE
            while self._size > self._most:
                _, old = self._bodies.popitem(last=False)
                self._size -= len(old) + BESIDE
