"""The cassette of a new session: chosen and checked first, and created before the session."""

from __future__ import annotations

from pathlib import Path

from orchestrator.domain.errors import UsageError
from orchestrator.store import cassettes
from orchestrator.views.layout import Plan


def chosen(record: str | None, replay: str | None) -> dict[str, str] | None:
    """The cassette as a session's options store it. Raises UsageError."""
    if record is not None and replay is not None:
        raise UsageError(
            "record and replay exclude each other",
            why="a replay uses no agent, so there is nothing to record",
            fix="give one of them",
        )
    if record is not None:
        return cassettes.place("record", record)
    return None if replay is None else cassettes.place("replay", replay)


def check(planned: Plan, key: str | None) -> None:
    """Raises UsageError when the cassette cannot be recorded or replayed; changes nothing."""
    cassette = planned.options.cassette
    if cassette is None:
        return
    folder = Path(cassette["folder"])
    if cassette["does"] == "record":
        cassettes.check_new(folder, planned.digest, again=key is not None)
    else:
        cassettes.check(folder)


def begin(planned: Plan) -> None:
    """Create the recording's folder, before the session. Raises UsageError when that fails."""
    cassette = planned.options.cassette
    if cassette is not None and cassette["does"] == "record":
        what = {
            "made_for": planned.digest,
            "request": planned.request,
            "mode": planned.choice.mode,
            "discuss": planned.options.discuss,
            "execution": planned.options.execution,
        }
        cassettes.begin(Path(cassette["folder"]), what)
