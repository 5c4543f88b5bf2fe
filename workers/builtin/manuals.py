"""Texts that explain something that exists, as a README does: what they are about, and what they say it does."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.patterns import expression
from workers.builtin.phrases import once
from workers.documents.passage import ASKED, Passage
from workers.documents.sentences import Sentence
from workers.documents.words import spoken

_EXAMPLES = 3  # pieces of code from which a text shows how something is used
_PROMISES = 15  # of the sentences in which a manual says what the thing does
_IS_A = expression(r"^(\S+(?: \S+){0,2}?) (?:is|are) (?:an?|the)\s")
_OF_REQUESTS = frozenset({*ASKED, "goal", "metric", "non_goal", "acceptance", "risk", "question"})


def subject_of(found: list[Sentence]) -> tuple[str, Sentence] | None:
    """What a manual is about, by its first `X is a ...`."""
    for row in found[:15]:
        match = _IS_A.match(spoken(row.text))
        if match and match[1].lower() not in ("this", "it", "there", "that", "here"):
            return match[1], row
    return None


def is_manual(found: list[Sentence], read: Sequence[Passage] = ()) -> bool:
    """Whether the text explains something that exists, as a README does: sections on use, code, sentences to `you`."""
    asked = {row.role for row in found} & _OF_REQUESTS
    if len(asked) > 1:
        return False
    told = sum(bool(re.search(r"\byou(?:r|'re|'ll)?\b|[你您]", row.text, re.IGNORECASE)) for row in found)
    sections = {row.passage.block.heading for row in found if row.role == "instructions"}
    shown = sum(passage.role == "code" for passage in read)
    return len(sections) + (shown >= _EXAMPLES) > 1 or told > 3 + len(found) // 8


def promised(found: list[Sentence], name: str) -> list[Sentence]:
    """Of a manual, the sentences that say what the thing does: `Rich can render tables.`"""
    does = re.compile(
        rf"^(?:The )?{re.escape(name)}(?: \w+)? (?!is\b|are\b|was\b|has been)[a-z]+\s", re.ASCII
    )
    found = [
        row
        for row in found
        if does.match(spoken(row.text))
        and not _IS_A.match(spoken(row.text))
        and not row.text.endswith((":", "?"))
    ]
    return once(found)[:_PROMISES]
