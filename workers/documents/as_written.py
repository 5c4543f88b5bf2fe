"""Contents as their pages say them: what a person changed on a page is what holds from then on.

An item that left its page is left out; a text that its page no longer has gives way to what stands there now.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from orchestrator.domain.documents import DISCOVERY, Catalogue
from workers.documents.architecture_as_written import architecture_as_written
from workers.documents.brief_as_written import brief_as_written
from workers.documents.content import (
    Adr,
    Architecture,
    Brief,
    Content,
    Epic,
    Epics,
    Requirement,
    Requirements,
    Story,
    UserStory,
)
from workers.documents.identifiers import IDENTIFIER, Registered, content_path, items_of
from workers.documents.models import model_of
from workers.documents.reader import Page, Section, read
from workers.documents.reading_words import priority_of
from workers.documents.written_page import (
    Written,
    entries,
    first,
    kept,
    labelled,
    lines_of,
    plain,
    said_first,
    story_told,
    words_of,
)

T = TypeVar("T", UserStory, Story)
N = TypeVar("N", bound=Requirement | Adr | Epic)
MOST = 2_000  # characters of a page without sections that stand for its statement


def written_contents(texts: Mapping[str, str], catalogue: Catalogue) -> dict[str, Content]:
    """The contents of all documents among the texts of a session, as their pages say them, by kind."""
    documents = [each for each in catalogue if not each.is_report and each.model != DISCOVERY]
    pages = {
        path: read(path, text.encode("utf-8", "replace"), each)
        for each in documents
        for path, text in texts.items()
        if path.endswith(".md") and each.owns(path)
    }
    files = {path: text.encode() for path, text in texts.items() if "/.content/" in path}
    return contents_of(files, pages, catalogue, [each.kind for each in documents])


def contents_of(
    files: Mapping[str, bytes], pages: Mapping[str, Page], catalogue: Catalogue, kinds: Iterable[str]
) -> dict[str, Content]:
    """The contents of documents as their pages say them, by kind; those that have no content are left out."""
    found: dict[str, Content] = {}
    for kind, content in registered_contents(files, catalogue, kinds).items():
        own = [page for path, page in pages.items() if catalogue[kind].owns(path)]
        found[kind] = as_written(content, own) if own else content
    return found


def registered_contents(
    files: Mapping[str, bytes], catalogue: Catalogue, kinds: Iterable[str]
) -> dict[str, Content]:
    """The contents of documents as their agents delivered them, by kind."""
    return {
        document.kind: Registered.from_json(json.loads(kept), model_of(document)).content
        for document in (catalogue[kind] for kind in kinds)
        if (kept := files.get(content_path(document.kind))) is not None
    }


def rewritten(before: Mapping[str, Content], now: Mapping[str, Content]) -> frozenset[str]:
    """The items whose text a person changed on their page."""
    known = {item.id: item for content in before.values() for item in items_of(content)}
    return frozenset(
        item.id for content in now.values() for item in items_of(content) if known.get(item.id) != item
    )


def as_written(content: Content, pages: Sequence[Page]) -> Content:
    """One content as the pages of its document say it."""
    return _as_written(content, Written(pages), lambda _: True)


def taken_over(known: Registered, edited: Sequence[Page]) -> Registered:
    """A registered document as a person's edits left it.

    `edited`: the pages that a person wrote last; an item whose page is none of them stays as it was registered.
    """
    if not edited:
        return known
    names = {page.path.rpartition("/")[2] for page in edited}
    content = _as_written(known.content, Written(edited), lambda name: known.files.get(name) in names)
    return Registered(content, known.withdrawn, known.files, known.document, known.by_hand)


def item_as_written(item: N, page: Page) -> N:
    """One item as its page says it."""
    found: N = _BY_KIND[type(item)](item, Written([page]))
    return found


def _as_written(content: Content, written: Written, is_read: Callable[[str], bool]) -> Content:
    """`is_read`: whether the page of an item is among the pages."""

    def stays(name: str) -> bool:
        return name in written.ids or not is_read(name)

    if isinstance(content, Brief):
        return brief_as_written(content, written)
    if isinstance(content, Requirements):
        items = [_requirement(item, written) for item in content.items if stays(item.id)]
        return content.model_copy(update={"items": items})
    if isinstance(content, Architecture):
        adrs = [_adr(adr, written) for adr in content.adrs]
        return architecture_as_written(content, written).model_copy(update={"adrs": adrs})
    if isinstance(content, Epics):
        epics = [_epic(epic, written) for epic in content.items if stays(epic.id)]
        return content.model_copy(update={"items": epics})
    return content


def _requirement(item: Requirement, written: Written) -> Requirement:
    block, stated = written.blocks.get(item.id), written.section("statement", item.id)
    row = written.row(item.id)
    if block is None:
        return item.model_copy(update=_in_table(item, row))
    there = block.text
    lines = there.split("\n")
    update: dict[str, object] = {
        "title": _title(item, written),
        "acceptance_criteria": _entries(
            item.acceptance_criteria, written.section("acceptance_criteria", item.id)
        ),
        "quote": item.quote if plain(item.quote) in plain(there) else "",
        **_priority(item, lines),
    }
    traces = labelled("traces_to", lines)
    if traces is not None:
        update["goals"] = [name for name in IDENTIFIER.findall(traces) if name.startswith("G-")]
    if item.source == "proposed" and labelled("source", lines) in words_of("stated"):
        update |= {"source": "stated", "reason": ""}  # a person has taken the mark off
    told = written.section("user_stories", item.id)
    if item.user_story is not None and told is not None and told.text:
        update["user_story"] = _story_line(item.user_story, lines_of(told)[0])
    if stated is not None:
        said = lines_of(stated)
        end = next((at for at, line in enumerate(said) if line in stated.items), len(said))
        update["statement"] = said_first(item.statement, " ".join(said[:end]))
    elif there:
        rest = " ".join(lines[1:])[:MOST] or lines[0]
        update["statement"] = kept(item.statement, there, rest)
    found = item.model_copy(update=update)
    same = {name for name in ("title", "moscow") if getattr(found, name) == getattr(item, name)}
    return found.model_copy(
        update={name: value for name, value in _in_table(item, row).items() if name in same}
    )


def _title(item: Requirement | Adr | Epic | Story, written: Written) -> str:
    return said_first(item.title, written.titles.get(item.id, ""))


def _priority(item: Requirement | Epic, lines: Sequence[str]) -> dict[str, object]:
    """Priority and release as their line says them now: `Should (v2)`; an unknown priority changes nothing."""
    said = labelled("priority", lines)
    if said is None:
        return {}
    given = priority_of(re.sub(r"[(（].*", "", said))
    beside = [part for part in re.findall(r"[(（]([^()（）]*)[)）]", said) if part != "MVP"]
    release = "".join(beside[:1])
    same = plain(release) == plain(item.release)
    return {"moscow": given or item.moscow, "release": item.release if same else release}


def _in_table(item: Requirement, row: Sequence[str]) -> dict[str, object]:
    """Title and priority as the row of an index says them: id, title, the category of a quality, priority."""
    at = 2 if item.kind == "functional" else 3
    given = priority_of(row[at]) if len(row) > at else ""
    return {"title": said_first(item.title, row[1]), "moscow": given or item.moscow} if given else {}


def _story_line(story: T, line: str) -> T:
    """A story as its sentence says it now; a line that is no such sentence becomes what is wanted."""
    parts = story_told(story, line)
    return story.model_copy(update=parts if parts is not None else {"i_want": first(story.i_want, line)})


def _entries(known: list[str], section: Section | None) -> list[str]:
    """The entries of a list as they stand there now."""
    if section is None:
        return known
    now = entries(section)
    return known if plain("".join(known)) == plain("".join(now)) else now


def _epic(epic: Epic, written: Written) -> Epic:
    block = written.blocks.get(epic.id)
    if block is None:
        return epic
    goal = written.section("goal", epic.id)
    own = goal.text.split("\n") if goal is not None else []
    priority = labelled("priority", own)
    update: dict[str, object] = {
        "stories": [_story(story, written) for story in epic.stories if story.id in written.ids],
        "goal": kept(epic.goal, goal.text, (lines_of(goal) or [""])[0]) if goal is not None else epic.goal,
        "title": _title(epic, written),
        **_priority(epic, own),
    }
    if priority is not None:
        update["mvp"] = "MVP" in priority
    return epic.model_copy(update=update)


def _story(story: Story, written: Written) -> Story:
    block = written.blocks[story.id]
    line, *rest = [*block.text.split("\n")[1:], ""]
    size = labelled("size", rest)
    update: dict[str, object] = {
        "title": _title(story, written),
        "acceptance_criteria": _entries(story.acceptance_criteria, written.section("criteria", story.id)),
    }
    if size in ("S", "M", "L", "XL"):
        update["size"] = size
    return _story_line(story, line).model_copy(update=update)


def _adr(adr: Adr, written: Written) -> Adr:
    if adr.id not in written.blocks:
        return adr
    update: dict[str, object] = {"title": _title(adr, written)}
    for name in ("context", "decision"):
        section = written.section(name, adr.id)
        if section is not None and section.text:
            update[name] = said_first(getattr(adr, name), " ".join(lines_of(section)))
    update["consequences"] = _entries(adr.consequences, written.section("consequences", adr.id))
    return adr.model_copy(update=update)


_BY_KIND: dict[type[Content], Callable[[Any, Written], Any]] = {
    Requirement: _requirement,
    Adr: _adr,
    Epic: _epic,
}
