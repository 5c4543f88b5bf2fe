"""What a person changed of a document by hand: told as lines, and upheld in what an agent answers afterwards."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from workers.documents.content import Architecture, Brief, Content, Epics, Requirements
from workers.documents.identifiers import items_of

ITEMS: dict[type[Content], str] = {
    Brief: "goals",
    Requirements: "items",
    Architecture: "adrs",
    Epics: "items",
}  # the field with the items of a document


def changes(before: Content, now: Content) -> list[str]:
    """What a person changed, a line each: `REQ-002: moscow = Could`, `REQ-003 removed`, `constraints = It runs offline`."""
    known = {item.id: item for item in items_of(before)}
    left = {item.id: item for item in items_of(now)}
    lines = [f"{name} removed" for name in known if name not in left]
    for name, item in left.items():
        lines += [
            f"{name}: {field} = {_told(was, is_)}" for field, was, is_ in changed_fields(known[name], item)
        ]
    own = ITEMS.get(type(now), "")
    lines += [
        f"{field} = {_told(was, is_)}" for field, was, is_ in changed_fields(before, now) if field != own
    ]
    return lines


def upheld(
    reply: Content, before: Content, now: Content, free: Collection[str] = ()
) -> tuple[Content, list[str]]:
    """A reply in which nothing that a person changed by hand is set back, and the items in which it was.

    `before`: as it was registered; `now`: as the person left it; `free`: items that the person's later words are about.
    """
    was = {item.id: item for item in items_of(before)}
    held = {item.id: item for item in items_of(now) if item.id not in free and was.get(item.id) != item}
    told: list[str] = []
    items = []
    own = ITEMS.get(type(reply), "")
    for item in getattr(reply, own) if held and own else ():
        theirs = changed_fields(was[item.id], held[item.id]) if item.id in held else []
        set_back = {field: is_ for field, old, is_ in theirs if getattr(item, field) == old}
        told += [item.id] if set_back else []
        items.append(item.model_copy(update=set_back))
    return (reply.model_copy(update={own: items}), told) if told else (reply, [])


def changed_fields(before: Content, now: Content) -> list[tuple[str, Any, Any]]:
    """Name, old and new value of each field that differs."""
    rows = [(name, getattr(before, name), getattr(now, name)) for name in type(now).model_fields]
    return [row for row in rows if row[1] != row[2]]


def _told(before: Any, now: Any) -> str:
    """A value in a line; of a list what is new in it."""
    if isinstance(now, list):
        new = [entry for entry in now if entry not in before]
        return "; ".join(_told(None, entry) for entry in new) or f"{len(before) - len(now)} fewer"
    if isinstance(now, Content):
        names = ("text", "name", "title", "i_want", "choice")
        return next((str(getattr(now, name)) for name in names if hasattr(now, name)), "")
    return str(now) or "empty"
