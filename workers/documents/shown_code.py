"""Code that a request points to is its material: `There are 14 of them, see the crontab below`."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from workers.documents.block_parts import split
from workers.documents.passage import Passage
from workers.documents.stack_traces import cited

_BELOW = expression(
    r"\b(?:see|listed|shown|given|attached|pasted)\b[^.:]{0,60}\b(?:below|beneath)\b|\bsee below\b|见下|(?:列|写|附)在下面",
    re.IGNORECASE,
)
_MANY = expression(
    r"(?:\bthere (?:are|is)|\bwe have|\b(?:all|the|these)|一共有?|共有?|总共)\s*(?P<many>\d{1,4}|two|three|four|five|six|seven|eight|nine|ten|twelve)\b(?![.:%/-]\d)",
    re.IGNORECASE,
)
_WORDS = (
    "",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_LINES, _CHARS = 20, 800  # of the code that is told


@dataclass(frozen=True, slots=True)
class Shown:
    """A block of code that the text above it points to."""

    block: str
    sentence: str  # that points to it
    text: str  # its lines, in one
    lines: int
    said: int  # how many the sentence speaks of; 0 where it names no number

    @property
    def differs(self) -> bool:
        return bool(self.said) and self.said != self.lines


def shown_code(read: Sequence[Passage]) -> Iterator[Shown]:
    """The blocks of code that a sentence before them points to, each with the last sentence that does."""
    pointing = ""
    for passage in read:
        if passage.role == "code" and pointing and not cited(passage.block.text):
            lines = [line.strip() for line in passage.block.text.split("\n")]
            kept = [line for line in lines if line and not line.startswith(("#", "//"))]
            told = "; ".join(kept[:_LINES])
            cut = len(kept) > _LINES or len(told) > _CHARS
            yield Shown(
                passage.block.id, pointing, f"{told[:_CHARS]}{'…' if cut else ''}", len(kept), _said(pointing)
            )
            pointing = ""
        elif passage.block.kind == "paragraph":
            pointing = next(
                (text for text in split(passage.block.text, "en") if _BELOW.search(text)), pointing
            )


def _said(sentence: str) -> int:
    found = _MANY.search(sentence)
    if found is None:
        return 0
    many = found["many"].lower()
    return int(many) if many.isdigit() else _WORDS.index(many)
