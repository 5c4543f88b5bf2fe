"""Fetches the JavaScript that the pages use, as `vendor.lock` says: `make vendor`.

The lock names each package's version, the SHA-512 of its archive, and of each file that is taken from it. A file whose
hash differs is refused; `--accept` writes the new hashes into the lock, after a version was changed there by hand.
"""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "orchestrator" / "web" / "static" / "vendor"
LOCK = FOLDER / "vendor.lock"


def locked() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(LOCK.read_text())
    return found


def sha512(data: bytes) -> str:
    return "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()


def fetch(*, accept: bool) -> list[str]:
    """Write the files of the lock; what did not match."""
    lock = locked()
    wrong = []
    for name, package in lock.items():
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                ["npm", "pack", "--silent", f"{name}@{package['version']}"],
                cwd=folder,
                check=True,
                stdout=subprocess.DEVNULL,
            )
            (archive,) = Path(folder).glob("*.tgz")
            contents = {"": archive.read_bytes()}
            with tarfile.open(archive) as opened:
                for file in package["files"].values():
                    member = opened.extractfile(f"package/{file['from']}")
                    assert member is not None, file["from"]
                    contents[file["from"]] = member.read()
        wanted = {"": package, **{file["from"]: file for file in package["files"].values()}}
        differs = [
            f"{name} {place or 'archive'}"
            for place in wanted
            if wanted[place]["sha512"] != sha512(contents[place])
        ]
        wrong += differs
        if differs and not accept:
            continue
        for place, entry in wanted.items():
            entry["sha512"] = sha512(contents[place])
        for written, file in package["files"].items():
            (FOLDER / written).write_bytes(contents[file["from"]])
    if accept:
        LOCK.write_text(json.dumps(lock, indent=2) + "\n")
    return [] if accept else wrong


if __name__ == "__main__":
    if faults := fetch(accept="--accept" in sys.argv[1:]):
        sys.exit(f"Not what vendor.lock says, nothing written: {', '.join(faults)}")
