"""A request with what its author answered before the start: a section at its end, which is read as the rest is."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression

HEADINGS = {"en": "Clarified before the start", "zh": "开始前的澄清"}
MOST_QUESTIONS = 5
ANSWER_LENGTH = 2_000  # characters
_SECTION = expression(rf"\n\n## (?:{'|'.join(HEADINGS.values())})\n")
_BETWEEN = {  # what stands between two answers in one line
    "what": expression(r"\s*[;；，]\s*|\s*,\s+(?:and\s+)?"),
    "user": expression(r"\s*[;；、，]\s*|\s*,\s+(?:and\s+)?|\s+and\s+|[和与]"),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person answered to one question about their request."""

    key: str  # what, goal, user, scope, constraint or success
    question: str
    heading: str  # under which requests say such things
    words: str


def with_answers(request: str, language: str, answers: Sequence[Answer]) -> str:
    """The request with a section of the answers; unchanged without any."""
    if not answers:
        return request
    parts = [f"{request}\n\n## {HEADINGS.get(language, HEADINGS['en'])}\n"]
    for answer in answers:
        said = " ".join(answer.words.split())
        rows = _BETWEEN[answer.key].split(said) if answer.key in _BETWEEN else [said]
        parts.append(f"\n### {answer.heading}\n\n" + "".join(f"- {row}\n" for row in rows if row))
    return "".join(parts)


def asked_part(request: str) -> str:
    """The request as it was given, without the section of answers."""
    found = _SECTION.search(request)
    return request[: found.start()] if found else request
