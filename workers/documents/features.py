"""The features of a request: the headings of its own under which it asks for things, with the blocks that stand there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from workers.documents.item_marks import ID
from workers.documents.passage import ASKED, Passage
from workers.documents.passages import passages
from workers.documents.reading_words import role_of

_MARKS = expression(
    r"`?\[[^\]]{1,16}\]`?|\((?:P\d|must|should|could|[^)]{0,12}priority)[^)]*\)|[*_#`]", re.IGNORECASE
)
_NUMBER = expression(r"^\s*(?:\d{1,2}(?:\.\d{1,2})*[.)]?\s+|[一二三四五六七八九十]{1,3}、\s*)")
_KIND = expression(r"^(?:feature|epic|module|phase|功能|模块)\s*[\d.]+\s*[:：.–—-]\s*", re.IGNORECASE)
_JOINED = expression(r"\s*[/&|、]\s*|\s+(?:and|or|und|et|y)\s+|[与和]")
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Feature:
    """Where a block stands: the heading that names its feature, or, without one, the heading of its section."""

    title: str
    own: bool  # the heading names a feature, not a part of the document
    limits: bool = False  # what stands under it holds everywhere


def features(read: Sequence[Passage]) -> dict[str, Feature]:
    """The feature of each block that stands under a heading."""
    by_id = {passage.block.id: passage for passage in read}
    found: dict[str, Feature] = {}
    for passage in read:
        parent = by_id.get(passage.parent)
        while parent is not None and parent.block.kind != "heading" and parent.parent:
            parent = by_id.get(parent.parent)
        if parent is not None and parent.block.kind == "heading" and named(parent.text):
            found[passage.block.id] = Feature(named(parent.text), own=True)
        elif len(passage.block.section) > 1 and named(passage.block.heading):
            heading = passage.block.heading
            roles = any(role_of(part) for part in (heading, *_JOINED.split(heading)))
            limits = role_of(heading) in ("nonfunctional", "constraint")
            found[passage.block.id] = Feature(named(heading), own=not roles, limits=limits)
    return found


def asked(text: str) -> list[str]:
    """What a request asks for, statement by statement, with the names of its features; a plain sentence is one."""
    read = passages(text)
    said = [passage.text for passage in read if passage.role in ASKED and passage.text]
    plain = [passage.text for passage in read if passage.role == "" and passage.block.kind != "front"]
    return said or plain


def named(heading: str) -> str:
    """A heading as the name of a feature, without its number and marks; empty for one that is a sentence."""
    text = _KIND.sub("", _NUMBER.sub("", heading.strip()))
    found = ID.match(text)
    text = _MARKS.sub("", text[found.end() :] if found else text).strip(" :：-–—.")
    return text if 1 < len(text) <= _LONGEST else ""
