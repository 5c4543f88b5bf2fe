"""The files of `static/`, read once: no address of a request ever becomes a path."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from orchestrator.domain.dataclass import dataclass

FOLDER = Path(__file__).parent / "static"
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Asset:
    content: bytes
    media_type: str
    digest: str

    @property
    def etag(self) -> str:
        return f'"{self.digest}"'


@cache
def assets() -> dict[str, Asset]:
    """Each file by its path below `static/`."""
    found = {}
    for file in sorted(FOLDER.rglob("*")):
        if file.is_file() and file.suffix in TYPES:
            content = file.read_bytes()
            digest = hashlib.sha256(content).hexdigest()[:16]
            found[file.relative_to(FOLDER).as_posix()] = Asset(content, TYPES[file.suffix], digest)
    return found


def asset_url(name: str) -> str:
    """Its address, which changes with its content: a browser may keep it for ever."""
    return f"/static/{name}?v={assets()[name].digest}"
