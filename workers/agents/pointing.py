"""Whether a critique points to a place of what it judges: words of it, an identifier or a heading.

An opinion that fits any text says nothing of this one. Who gives one is asked once more, for the places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from pydantic import BaseModel

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression
from workers.documents.content import Critique

RUN = 5  # words in a row that nobody writes by chance
RUN_CJK = 8  # characters, where words are not set apart
FAULT = "no place of the artifact is named: quote the words you judge, or name the identifier or the heading"
UNPLACED = "its rating points to no place of the artifact, also when asked again"
_WORDS = expression(r"[^\W_]+(?:['’-][^\W_]+)*")
_CJK = expression(rf"[぀-ヿ㐀-鿿가-힯]{{{RUN_CJK},}}")
_ID = expression(r"\b[A-Z]{1,6}(?:-[A-Z]{1,3})?-\d{1,4}(?:-\d{1,4})?\b")
_HEADING = expression(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_QUOTED = expression(r"[\"“”„«]([^\"“”„«»\n]{4,300})[\"“”»]|[「『]([^」』\n]{3,300})[」』]|`([^`\n]{3,300})`")


@dataclass(frozen=True)
class Places:
    """What can be pointed to in an artifact, and how one who pointed nowhere is asked again."""

    artifact: str  # as critics read it
    prompt: str  # the artifact alone, for one without a memory of what it read

    def fault(self, answer: BaseModel | None) -> str | None:
        """What is wrong with an answer that fits its schema; None when nothing is."""
        if len(self._words) < 2 * RUN and len(self.artifact) < 2 * RUN_CJK:
            return None
        unplaced = [name for name, each in _critiques(answer) if not self.named_in(each)]
        return None if not unplaced else "; ".join(filter(None, [FAULT, ", ".join(filter(None, unplaced))]))

    def named_in(self, critique: Critique) -> bool:
        """Whether one of the critique's texts names a place of the artifact."""
        texts = list(_texts(critique.model_dump()))
        return any(self._is_named(text) for text in texts)

    def _is_named(self, text: str) -> bool:
        said = " ".join(_WORDS.findall(text.casefold()))
        if any(found in self._ids for found in _ID.findall(text)):
            return True
        if any(heading in said for heading in self._headings):
            return True
        for quote in _QUOTED.finditer(text):
            words = _WORDS.findall((quote[1] or quote[2] or quote[3]).casefold())
            if words and (len(words) > 1 or len(words[0]) > 3) and f" {' '.join(words)} " in self._said:
                return True
        if any(run in self._runs for run in _runs(said.split())):
            return True
        return any(piece in self.artifact for piece in _pieces(text))

    @cached_property
    def _words(self) -> list[str]:
        return _WORDS.findall(self.artifact.casefold())

    @cached_property
    def _said(self) -> str:
        return f" {' '.join(self._words)} "

    @cached_property
    def _runs(self) -> frozenset[str]:
        return frozenset(_runs(self._words))

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(_ID.findall(self.artifact))

    @cached_property
    def _headings(self) -> frozenset[str]:
        """Those that are no everyday word."""
        plain = (_WORDS.findall(found.casefold()) for found in _HEADING.findall(self.artifact))
        return frozenset(" ".join(words) for words in plain if len(words) > 1 or len("".join(words)) > 12)


def _critiques(answer: BaseModel | None) -> Iterator[tuple[str, Critique]]:
    """The critiques of an answer, each with whose it is where there are several."""
    if isinstance(answer, Critique):
        yield "", answer
    elif answer is not None:
        for name in type(answer).model_fields:
            if isinstance(each := getattr(answer, name), Critique):
                yield name, each


def _runs(words: list[str]) -> Iterator[str]:
    return (" ".join(words[at : at + RUN]) for at in range(len(words) - RUN + 1))


def _pieces(text: str) -> Iterator[str]:
    for found in _CJK.findall(text):
        yield from (found[at : at + RUN_CJK] for at in range(len(found) - RUN_CJK + 1))


def _texts(value: Json) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)
