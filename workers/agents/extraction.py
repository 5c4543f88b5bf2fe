"""Picking a critique's key points out of prose, when an agent answered in prose all the same."""

from __future__ import annotations

import re
from collections.abc import Callable

from pydantic import BaseModel, ValidationError

from orchestrator.domain.patterns import expression
from workers.agents.choices import grade_marked
from workers.agents.ratings import UNREAD_RATING
from workers.documents.content import Critique

TEXT_LIMIT = 100_000  # characters that are looked at
LINE_LIMIT = 500
ITEMS = 20
FINDINGS = ("weaknesses", "missing_requirements", "risk_level")


def extract(
    text: str, schema: type[BaseModel], note: Callable[[str], None] = lambda _: None
) -> Critique | None:
    """The critique that `text` states in words, or None: without a plain rating of 1 to 5 or a finding there is none."""
    if schema is not Critique:
        return None
    text = text[:TEXT_LIMIT]
    found: dict[str, list[str]] = {}
    section = ""
    for line in text.splitlines():
        bullet = _BULLET.match(line)
        if bullet and section:
            found.setdefault(section, []).append(bullet["text"].strip()[:LINE_LIMIT])
        elif not bullet and line.strip():
            section, rest = _heading(line)
            if section and rest:
                found.setdefault(section, []).append(rest[:LINE_LIMIT])
    values: dict[str, object] = {name: _unmarked(lines) for name, lines in found.items()}
    values["weaknesses"] = [_weakness(line) for line in _unmarked(found.get("weaknesses", []))]
    level = _RISK_LEVEL.search(text)
    values["risk_level"] = level[1].lower() if level else None
    rating = _rating(text)
    if rating is None and not any(values.get(name) for name in FINDINGS):
        return None
    values["rating"] = rating or UNREAD_RATING
    try:
        extracted = Critique.model_validate(values)
    except ValidationError:
        return None
    note("the answer was prose: its key points were picked out")
    if rating is None:
        note(f"the answer was partly unreadable: it states no plain rating, which counts as {UNREAD_RATING}")
    return extracted


def _rating(text: str) -> int | None:
    """The rating when the text states one and does not contradict itself."""
    stated = {(found["value"], found["of"]) for found in _RATING.finditer(text)}
    numbers = {float(value) for value, of in stated if of in (None, "5")}
    if len(numbers) != 1 or len(numbers) != len({float(value) for value, _ in stated}):
        return None
    number = numbers.pop()
    return int(number) if number.is_integer() and 1 <= number <= 5 else None


def _heading(line: str) -> tuple[str, str]:
    """(field, text after the colon) of a line that opens a section; ("", "") of any other."""
    found = _HEADING.match(line)
    if not found:
        return "", ""
    name = found["name"].strip().lower()
    section = next((section for word, section in _SECTIONS.items() if name.startswith(word)), "")
    return section, (found["rest"] or "").strip("* ")


def _unmarked(lines: list[str]) -> list[str]:
    cleaned = (line.replace("**", "").strip() for line in lines[:ITEMS])
    return [line for line in cleaned if line and line.lower().strip(".") not in ("none", "n/a", "无")]


def _weakness(line: str) -> dict[str, str]:
    return {"text": line, "severity": grade_marked(line) or "medium"}


_SECTIONS = {
    "strength": "strengths",
    "weakness": "weaknesses",
    "suggestion": "suggestions",
    "recommendation": "suggestions",
    "missing requirement": "missing_requirements",
    "open question": "open_questions",
    "assumption": "assumptions",
    "testability": "testability_issues",
    "优点": "strengths",
    "优势": "strengths",
    "缺点": "weaknesses",
    "不足": "weaknesses",
    "建议": "suggestions",
    "遗漏": "missing_requirements",
    "未决问题": "open_questions",
    "假设": "assumptions",
}
_RATING = expression(
    r"\b(?:overall[ \t]+)?(?:rating|score)\b[*_ \t]{0,4}(?:is|[:：=])?[*_ \t]{0,4}"
    r"(?P<value>\d{1,3}(?:\.\d{1,3})?)(?:[*_ \t]{0,4}(?:/|out[ \t]of|of)[ \t]*(?P<of>\d{1,3}))?",
    re.I,
)
_HEADING = expression(
    r"[ \t]{0,3}(?:#{1,6}[ \t]*|\d{1,2}[.)][ \t]*)?\*{0,2}"
    r"(?P<name>[^\W\d_][^:：*\n]{1,40}?)\*{0,2}[ \t]*(?:[:：](?P<rest>.*))?$"
)
_BULLET = expression(r"[ \t]{0,12}(?:[-*+•]|\d{1,2}[.)])[ \t]+(?P<text>\S.*)$")
_RISK_LEVEL = expression(
    r"\brisk[ _-]?level\b[*_ \t]{0,4}(?:is|[:：=])?[*_ \t]{0,4}(low|medium|high|critical)\b", re.I
)
