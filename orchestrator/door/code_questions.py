"""What a host elsewhere asks about commits, read strictly; every answer but a part of a bundle is JSON."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

_STRICT = ConfigDict(strict=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64")


class OfRun(BaseModel):
    """What each of these requests names: the fence."""

    model_config = _STRICT
    run: str
    host: str


class Wanted(OfRun):
    """Lend me what this run needs; these commits are here, with all that they reach."""

    have: list[str]


class WantedPart(OfRun):
    sha256: str
    offset: int


class Part(WantedPart):
    """A part of what the run will hand in."""

    body: bytes


class HandedIn(OfRun):
    """The bundle of that digest, whose parts have come, holds `commit` on top of `base`."""

    sha256: str
    base: str
    commit: str
    tree: str
