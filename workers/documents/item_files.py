"""Files of single items: one a requirement, decision or epic.

A file changes only when its item does: one that is the same as in the previous version keeps its bytes, a person's edit of
them included, and its version is the one it last changed in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import regex

from orchestrator.domain.documents import DocumentDef
from workers.documents.as_written import item_as_written
from workers.documents.content import Adr, Content, Epic, Requirement, Story
from workers.documents.frame import RenderContext, dependencies_of, front_of
from workers.documents.identifiers import Registered, content_path
from workers.documents.page import Printer
from workers.documents.reader import Page, read

N = TypeVar("N", bound=Requirement | Adr | Epic)
Files = Mapping[str, bytes]
KEPT = {"requirements": "items", "architecture": "adrs", "epics": "items"}  # model -> field of its content
GONE = {"requirements": "requirements", "architecture": "adrs", "epics": "epics"}  # and of what is withdrawn
_STAMP = regex.compile(rb"^(generated_at|version|author|task): .*$", regex.MULTILINE)


State = tuple[N, bool, list[Story]]  # an item, whether it is withdrawn, and its withdrawn stories


def item_files(
    printer: Printer,
    document: DocumentDef,
    registered: Registered,
    kind: str,
    context: RenderContext,
    previous: Files,
    traced: Callable[[N], list[str]],
) -> dict[str, bytes]:
    """One file an item, also for the withdrawn ones; what did not change keeps its bytes."""
    items: Sequence[N] = getattr(registered.content, KEPT[document.model])
    withdrawn: Sequence[N] = getattr(registered.withdrawn, GONE[document.model])
    before: Mapping[str, State[N]] = _before(document, type(registered.content), previous)
    lost = [story for story in registered.withdrawn.stories if kind == "epic"]
    files: dict[str, bytes] = {}
    for item, gone in [*((item, False) for item in items), *((item, True) for item in withdrawn)]:
        path = f"{document.folder}{registered.files[item.id]}"
        stories = [story for story in lost if story.id.startswith(f"STORY-{item.id.removeprefix('EPIC-')}-")]
        state: State[N] = (item, gone, [] if gone else stories)
        old = before.get(item.id)
        if path in previous and (old == state or _says(read(path, previous[path], document), old, state)):
            files[path] = previous[path]
            continue
        front = {
            **front_of(context, kind, dependencies_of(document, context)),
            "status": "withdrawn" if gone else "current",
            "id": item.id,
            "traces_to": traced(item),
        }
        page = printer.page(
            path,
            f"{kind}.md.j2",
            front,
            item=item,
            is_withdrawn=gone,
            withdrawn_stories=[] if gone else stories,
        )
        files[path] = previous[path] if _same_but_stamps(page, previous.get(path)) else page
    return files


def _before(document: DocumentDef, model: type[Content], previous: Files) -> dict[str, Any]:
    """The items of the version before: each with whether it was withdrawn, and its withdrawn stories."""
    data = previous.get(content_path(document.kind))
    if data is None:
        return {}
    old = Registered.from_json(json.loads(data), model)
    states: dict[str, Any] = {}
    for item in getattr(old.content, KEPT[document.model]):
        prefix = f"STORY-{item.id.removeprefix('EPIC-')}-"
        states[item.id] = (
            item,
            False,
            [story for story in old.withdrawn.stories if story.id.startswith(prefix)],
        )
    states.update({item.id: (item, True, []) for item in getattr(old.withdrawn, GONE[document.model])})
    return states


def _says(page: Page, old: State[N] | None, now: State[N]) -> bool:
    """Whether a person has written on an item's page what the item became: then the page is theirs."""
    return old is not None and old[1:] == now[1:] and item_as_written(old[0], page) == now[0]


def _same_but_stamps(page: bytes, old: bytes | None) -> bool:
    """Whether two versions of an item's file differ only in who wrote it when."""
    return old is not None and _unstamped(page) == _unstamped(old)


def _unstamped(page: bytes) -> bytes:
    head, mark, body = page.partition(b"\n---\n")
    return _STAMP.sub(b"", head) + mark + body


def traced_goals(item: Requirement) -> list[str]:
    return list(item.goals)


def traced_requirements(item: Adr | Epic) -> list[str]:
    stories = getattr(item, "stories", [])
    return list(
        dict.fromkeys([*item.requirements, *(name for s in stories for name in [*s.requirements, *s.adrs])])
    )
