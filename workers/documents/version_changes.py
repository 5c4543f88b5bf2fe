"""What a new version of a document changed, in items and in short: `REQ-006: Could -> Won't`, `REQ-003: 14 -> 30 days`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from orchestrator.domain.inert import one_line
from orchestrator.domain.text_diff import SHORT, rewording
from workers.documents.content import Content
from workers.documents.hand_edits import ITEMS, changed_fields
from workers.documents.identifiers import Numbered, items_of

_OWN = frozenset({"open_questions", "summary"})  # told in other ways, or only counts
_NAMES = ("title", "text", "name", "choice")  # fields of an entry that say what it is


def version_changes(before: Content, now: Content) -> list[str]:
    """A line for each item that was added, changed or withdrawn, and for each other part of the document that differs."""
    was = {item.id: item for item in items_of(before)}
    is_ = {item.id: item for item in items_of(now)}
    lines = [f"{id}: {_item(was[id], item)}" for id, item in is_.items() if id in was and was[id] != item]
    lines = [line for line in lines if not line.endswith(": ")]  # only items within it differ
    lines += [f"{id} added: {one_line(_name(item), SHORT)}" for id, item in is_.items() if id not in was]
    lines += [f"{id} withdrawn: {one_line(_name(item), SHORT)}" for id, item in was.items() if id not in is_]
    for field, old, new in changed_fields(before, now):
        if field not in _OWN and field != ITEMS.get(type(now)):
            lines += [f"{field.replace('_', ' ')}: {said}" for said in _field(old, new)]
    return lines


def _item(was: Numbered, is_: Numbered) -> str:
    """What differs in an item: its rank, else its words, else which parts of it do."""
    rows = changed_fields(was, is_)
    told = [f"{old} -> {new}" for field, old, new in rows if field == "moscow"]
    told += [
        rewording(old, new) for field, old, new in rows if isinstance(new, str) and field != "moscow" and new
    ]
    parts = [field.replace("_", " ") for field, _, _ in rows if field != "stories"]
    return "; ".join(dict.fromkeys(told)) or (f"{', '.join(parts)} changed" if parts else "")


def _field(old: Any, new: Any) -> Iterator[str]:
    """What differs in a part of a document that is no item."""
    if not isinstance(new, list):
        yield rewording(_name(old), _name(new))
        return
    gone, come = _without(old, new), _without(new, old)
    if len(gone) == len(come) == 1:
        yield rewording(gone[0], come[0])
        return
    yield from (f"“{one_line(text, SHORT)}” added" for text in come)
    yield from (f"“{one_line(text, SHORT)}” removed" for text in gone)


def _without(entries: Sequence[Any], others: Sequence[Any]) -> list[str]:
    """The entries that the others do not hold, by what they say."""
    said = {_name(entry) for entry in others}
    return [name for entry in entries if (name := _name(entry)) not in said]


def _name(entry: Any) -> str:
    if isinstance(entry, Content):
        return next((str(getattr(entry, name)) for name in _NAMES if hasattr(entry, name)), "")
    return str(entry or "")
