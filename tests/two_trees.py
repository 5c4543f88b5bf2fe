"""Pairs of trees in one bare repository, written by one command, for tests of what differs between them."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.git_world import GIT
from workers.git.private_store import PrivateStore

Files = Mapping[str, str | bytes | None]  # None, in what changes: deleted


def two_trees(folder: Path, pairs: Mapping[str, tuple[Files, Files]]) -> PrivateStore:
    """A store with the commits `base/NAME` and `tree/NAME` for each pair of files and what changes of them."""
    path = folder / "trees.git"
    subprocess.run(["git", "init", "-q", "--bare", path], env=GIT, check=True)
    stream = bytearray()
    for name, (base, changed) in pairs.items():
        after = {path: body for path, body in {**base, **changed}.items() if body is not None}
        for kind, files in (("base", base), ("tree", after)):
            stream += f"commit refs/heads/{kind}/{name}\ncommitter ann <ann@example.com> 1750000000 +0000\ndata 0\n".encode()
            stream += b"deleteall\n"
            for at, body in files.items():
                data = body.encode() if isinstance(body, str) else body or b""
                stream += f"M 100644 inline {at}\ndata {len(data)}\n".encode() + data + b"\n"
    subprocess.run(["git", "fast-import", "--quiet"], cwd=path, env=GIT, input=bytes(stream), check=True)
    return PrivateStore(path, "TLS-pairs", None)
