"""Contents as their pages say them: what a person changed in a page is judged, not what was registered before.

An item that left its page is left out; a text that its page no longer has gives way to what stands there now.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from orchestrator.domain.documents import DISCOVERY, Catalogue
from workers.documents.content import (
    Architecture,
    Brief,
    Component,
    Content,
    Epic,
    Epics,
    Goal,
    Requirement,
    Requirements,
    Statement,
    Story,
)
from workers.documents.identifiers import Registered, content_path
from workers.documents.labels import LANGUAGES, labels
from workers.documents.models import model_of
from workers.documents.reader import Block, Page, Section, read

_MARK = re.compile(r"\s*\*\(.*\)\*\s*$", re.DOTALL)  # `*(proposed, to be confirmed: ...)*`
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
    for document in (catalogue[kind] for kind in kinds):
        kept = files.get(content_path(document.kind))
        if kept is not None:
            content = Registered.from_json(json.loads(kept), model_of(document)).content
            own = [page for path, page in pages.items() if document.owns(path)]
            found[document.kind] = as_written(content, own) if own else content
    return found


def as_written(content: Content, pages: Sequence[Page]) -> Content:
    """One content as the pages of its document say it."""
    written = _Written(pages)
    if isinstance(content, Brief):
        return content.model_copy(update=_brief(content, written))
    if isinstance(content, Requirements):
        items = [_requirement(item, written) for item in content.items if item.id in written.ids]
        return content.model_copy(update={"items": items})
    if isinstance(content, Architecture):
        parts = [_component(part, written) for part in content.components]
        return content.model_copy(update={"components": parts})
    if isinstance(content, Epics):
        items_ = [_epic(epic, written) for epic in content.items if epic.id in written.ids]
        return content.model_copy(update={"items": items_})
    return content


class _Written:
    """What stands on the pages, by identifier, heading and section."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.sections = [(page, section) for page in pages for section in page.sections]
        self.blocks: dict[str, Block] = {}
        self.titles: dict[str, str] = {}
        for page in pages:
            for block in page.blocks:
                self.blocks.setdefault(block.id or block.heading, block)
                if block.id:
                    self.titles.setdefault(block.id, block.heading.partition(": ")[2])
        self.ids = {name for page in pages for name in page.defined}

    def section(self, key: str, owner: str = "") -> Section | None:
        """The section of an item, or of the document."""
        own = (section for _, section in self.sections if section.key == key)
        return next((section for section in own if not owner or section.owner == owner), None)


def _plain(text: str) -> str:
    return "".join(text.split())


def _kept(text: str, there: str, now: str) -> str:
    """`text` where it still stands, else what stands there now."""
    return text if not now or _plain(text) in _plain(there) else now


def _said_first(text: str, now: str) -> str:
    """`text` where nothing else stands in its place, marks of ours aside: the page may repeat it further below."""
    return text if not now or _plain(_MARK.sub("", now)) == _plain(text) else _MARK.sub("", now)


def _first(text: str, line: str) -> str:
    """`text` where it is what stands first below its heading, else that line."""
    same = _plain(text) in _plain(line) or _plain(text).startswith(_plain(line))
    return text if same else line


def _lines(section: Section) -> list[str]:
    return [line for line in section.text.split("\n") if line.strip()]


def _requirement(item: Requirement, written: _Written) -> Requirement:
    block, stated = written.blocks.get(item.id), written.section("statement", item.id)
    there = block.text if block is not None else ""
    update: dict[str, object] = {
        "title": written.titles.get(item.id) or item.title,
        "acceptance_criteria": _entries(
            item.acceptance_criteria, written.section("acceptance_criteria", item.id)
        ),
        "quote": item.quote if _plain(item.quote) in _plain(there) else "",
    }
    if stated is not None:
        lines = _lines(stated)
        end = next((at for at, line in enumerate(lines) if line in stated.items), len(lines))
        update["statement"] = _said_first(item.statement, " ".join(lines[:end]))
    elif there:
        rest = " ".join(there.split("\n")[1:])[:MOST] or _first_line(there)
        update["statement"] = _kept(item.statement, there, rest)
    return item.model_copy(update=update)


def _first_line(text: str) -> str:
    return text.split("\n")[0]


def _entries(known: list[str], section: Section | None) -> list[str]:
    """The entries of a list as they stand there now."""
    if section is None:
        return known
    return known if _plain("".join(known)) == _plain("".join(section.items)) else list(section.items)


def _epic(epic: Epic, written: _Written) -> Epic:
    stories = [_story(story, written) for story in epic.stories if story.id in written.ids]
    goal = written.section("goal", epic.id)
    said = _kept(epic.goal, goal.text, (_lines(goal) or [""])[0]) if goal is not None else epic.goal
    title = written.titles.get(epic.id) or epic.title
    return epic.model_copy(update={"stories": stories, "goal": said, "title": title})


def _story(story: Story, written: _Written) -> Story:
    block = written.blocks[story.id]
    line = ([*block.text.split("\n")[1:], ""])[0]
    return story.model_copy(
        update={
            "title": written.titles.get(story.id) or story.title,
            "i_want": _first(story.i_want, line),
            "acceptance_criteria": _entries(story.acceptance_criteria, written.section("criteria", story.id)),
        }
    )


def _component(part: Component, written: _Written) -> Component:
    block = written.blocks.get(part.name)
    if block is None:
        return part
    line = ([*block.text.split("\n")[1:], ""])[0]
    return part.model_copy(update={"responsibility": _first(part.responsibility, line)})


def _brief(brief: Brief, written: _Written) -> dict[str, object]:
    update: dict[str, object] = {
        "goals": [_goal(goal, written.blocks[goal.id]) for goal in brief.goals if goal.id in written.blocks]
    }
    vision = written.section("vision")
    if vision is not None and vision.text:
        text = _kept(brief.vision.text, vision.text, " ".join(_lines(vision)))
        update["vision"] = brief.vision.model_copy(update={"text": text})
    scope = written.section("scope")
    if scope is not None:
        known = [*brief.in_scope, *brief.out_of_scope]
        new = [
            text
            for text in scope.items
            if text not in _unstated() and not any(_plain(row.text) in _plain(text) for row in known)
        ]
        update["in_scope"] = [*_still(brief.in_scope, scope), *(_said(text) for text in new)]
        update["out_of_scope"] = _still(brief.out_of_scope, scope)
    limits = written.section("constraints")
    if limits is not None:
        said = {_plain(_MARK.sub("", text)): text for text in limits.items if text not in _unstated()}
        kept = [row for row in brief.constraints if _plain(row.text) in said]
        new = [text for key, text in said.items() if key not in {_plain(row.text) for row in kept}]
        update["constraints"] = [*kept, *(_said(text) for text in new)]
    return update


def _unstated() -> set[str]:
    """What our pages say where nothing is stated."""
    return {labels(language).words["no_target"] for language in LANGUAGES}


def _goal(goal: Goal, block: Block) -> Goal:
    line, *rest = [*block.text.split("\n")[1:], ""]
    update = {
        "text": goal.text if _plain(goal.text).startswith(_plain(line)) else _said_first(goal.text, line),
        "metric": _value("metric", goal.metric, rest),
        "target": _value("target", goal.target, rest),
    }
    return goal.model_copy(update=update)


def _value(label: str, text: str, lines: Iterable[str]) -> str:
    """What a labelled line says now; `text` where there is no such line."""
    names = {labels(language).words[label] for language in LANGUAGES}
    for line in lines:
        name, colon, said = line.replace("：", ":").partition(":")
        if colon and name.strip("-* ") in names:
            return "" if said.strip() in _unstated() else _said_first(text, said.strip())
    return text


def _still(rows: list[Statement], section: Section) -> list[Statement]:
    return [row for row in rows if _plain(row.text) in _plain(section.text)]


def _said(text: str) -> Statement:
    return Statement(text=text, reason="a person wrote it")
