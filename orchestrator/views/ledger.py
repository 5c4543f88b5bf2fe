"""The ledger of a request as people read it: what each block was taken as, what was left of it, why it was skipped."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import Json, JsonObject

PATH = "spec/request-ledger.json"
_SHOWN = 90  # characters of a block


def ledger_lines(value: Json) -> list[str]:
    """The lines that show a ledger. Raises ValueError for a value that is none."""
    entries = value.get("entries") if isinstance(value, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError("it has no list of entries")
    rows = [entry for entry in entries if isinstance(entry, dict)]
    by_fate = {fate: [row for row in rows if row.get("fate") == fate] for fate in _NAMES}
    counts = ", ".join(f"{len(found)} {_NAMES[fate]}" for fate, found in by_fate.items())
    lines = [f"{len(rows)} blocks: {counts}"]
    form = value.get("form") if isinstance(value, dict) else ""
    if form:
        lines.append(f"The text was read as: {one_line(str(form))}")
    for fate, found in by_fate.items():
        lines += ["", _NAMES[fate].capitalize(), *_listed(found)] if found else []
    return lines


_NAMES = {"taken": "taken", "partly": "taken in part", "skipped": "skipped", "unread": "not read"}


def _listed(rows: list[JsonObject]) -> Iterator[str]:
    """The blocks under the headings they stand under."""
    section = None
    for row in rows:
        if row.get("section") != section:
            section = row.get("section")
            yield f"  {one_line(str(section))}" if section else "  (before the first heading)"
        taken = row.get("taken_as")
        kinds = ", ".join(map(str, taken)) if isinstance(taken, list) else ""
        why = one_line(kinds or str(row.get("reason") or ""))
        text = _short(str(row.get("text") or ""))
        yield f"    {one_line(str(row.get('id') or ''))}  {text}{f'  [{why}]' if why else ''}"
        left = row.get("left")
        yield from (
            f"      nothing was made of: {one_line(str(said))}"
            for said in (left if isinstance(left, list) else ())
        )


def _short(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
