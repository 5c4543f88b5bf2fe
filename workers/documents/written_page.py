"""What stands on the pages of a document, and how one text of its content compares with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from workers.documents.content import Story, UserStory
from workers.documents.labels import LANGUAGES, labels
from workers.documents.page import clause, with_article
from workers.documents.reader import Block, Page, Section

_TABLES = ("requirements", "non_functional")  # sections with a row an item
_STORIES = ("user_story", "user_story_short")  # the longer one first: the shorter fits both
_CELLS = 4  # of a row that say something of the item itself


class Written:
    """What stands on the pages, by identifier, heading and section."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.sections = [(page, section) for page in pages for section in page.sections]
        self.paths = {page.path for page in pages}
        self.blocks: dict[str, Block] = {}
        self.titles: dict[str, str] = {}
        for page in pages:
            for block in page.blocks:
                self.blocks.setdefault(block.id or block.heading, block)
                if block.id:
                    self.titles.setdefault(block.id, block.heading.partition(": ")[2])
        self.ids = {name for page in pages for name in page.defined}

    def row(self, name: str) -> list[str]:
        """The cells of the row that an index has for an item, from its identifier on; empty where there is none."""
        for _, section in self.sections:
            cells = section.text.split("\n") if section.key in _TABLES else []
            if name in cells:
                at = cells.index(name)
                return cells[at : at + _CELLS]
        return []

    def section(self, key: str, owner: str = "") -> Section | None:
        """The section of an item, or of the document."""
        own = (section for _, section in self.sections if section.key == key)
        return next((section for section in own if not owner or section.owner == owner), None)


def plain(text: str) -> str:
    return "".join(text.split())


def kept(text: str, there: str, now: str) -> str:
    """`text` where it still stands, else what stands there now."""
    return text if not now or plain(text) in plain(there) else now


def said_first(text: str, now: str) -> str:
    """`text` where nothing else stands in its place, marks of ours aside: the page may repeat it further below."""
    said = mark().sub("", now)
    return text if not now or plain(said) == plain(text) else said


@cache
def mark() -> re.Pattern[str]:
    """What our pages append to a statement that is not the request's: `*(proposed, to be confirmed: ...)*`."""
    phrases = [
        re.escape(labels(language).words[name].partition("{")[0].strip())
        for language in LANGUAGES
        for name in ("proposed_because", "proposed_plain", "from_repository")
    ]
    return re.compile(rf"\s*(?:\*\(.*\)\*|\((?:{'|'.join(phrases)}).*\))\s*$", re.DOTALL)


def first(text: str, line: str) -> str:
    """`text` where it is what stands first below its heading, else that line, marks of ours aside."""
    same = plain(text) in plain(line) or plain(text).startswith(plain(line))
    return text if same else mark().sub("", line)


def lines_of(section: Section) -> list[str]:
    return [line for line in section.text.split("\n") if line.strip()]


def entries(section: Section) -> list[str]:
    """The statements of a section: the entries of its lists, and what a person wrote beside them."""
    rest = section.text
    for item in section.items:
        rest = rest.replace(item, "", 1)
    beside = [line.strip() for line in rest.split("\n") if line.strip()]
    return [text for text in [*section.items, *beside] if text not in unstated()]


def labelled(name: str, lines: Iterable[str]) -> str | None:
    """What a line says now behind one of our labels (`Priority: Must`); None where there is no such line."""
    names = words_of(name)
    for line in lines:
        label, colon, said = line.replace("：", ":", 1).partition(":")
        if colon and label.strip("-* ") in names:
            return said.strip()
    return None


def words_of(name: str) -> set[str]:
    """How our pages call something, in each of their languages."""
    return {labels(language).words[name] for language in LANGUAGES}


def unstated() -> set[str]:
    """What our pages say where nothing is stated."""
    return words_of("no_target")


def story_told(story: Story | UserStory, line: str) -> dict[str, str] | None:
    """The parts of a story that a sentence of ours tells otherwise than `story` does; None for another sentence."""
    names = ("as_a", "i_want", "so_that")
    own = {name: clause(getattr(story, name)) for name in names}
    articled = {**own, "as_a": with_article(own["as_a"])}
    for phrase in (labels(language).words[key] for language in LANGUAGES for key in _STORIES):
        if any(plain(phrase.format(**parts)) == plain(line) for parts in (own, articled)):
            return {}
        found = re.fullmatch(
            re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(phrase)), " ".join(line.split())
        )
        if found:
            said = {"so_that": "", **found.groupdict()}
            unchanged = plain(said["as_a"]) in (plain(own["as_a"]), plain(articled["as_a"]))
            said["as_a"] = own["as_a"] if unchanged else said["as_a"]
            return {name: text for name, text in said.items() if plain(text) != plain(own[name])}
    return None
