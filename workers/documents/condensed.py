"""Documents as a reader of prompts needs them: what they say, without stamps, marks for programs and targets of links."""

from __future__ import annotations

import json
import re

from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.patterns import expression

_FRONT = expression(r"\A---\n.*?\n---\n", re.DOTALL)
_MARK = expression(r"^[ \t]*<!-- section: [^\n]*? -->[ \t]*\n?", re.MULTILINE)
_LINK = expression(r"\[([^\[\]\n]+)\]\((?!https?:|mailto:)[^()\s]*\)")
_GAPS = expression(r"\n{3,}")


def condensed(page: str) -> str:
    """A page of ours without front matter, section marks and the targets of links to other pages."""
    body = _LINK.sub(r"\1", _MARK.sub("", _FRONT.sub("", page)))
    return _GAPS.sub("\n\n", body).strip() + "\n"


def listed(value: JsonObject) -> str:
    """A JSON object as text: a heading for each key that says something, a line for each entry below it."""
    parts = []
    for key, inside in _said(value).items():
        rows = inside if isinstance(inside, list) else [inside]
        lines = [row if isinstance(row, str) and "\n" not in row else _line(row) for row in rows]
        parts.append(f"## {key}\n\n" + "\n".join(f"- {line}" for line in lines))
    return "\n\n".join(parts) + "\n" if parts else ""


def listed_text(text: str) -> str:
    """The same of the text of a JSON object; any other text as it is."""
    try:
        value = json.loads(text)
        return listed(value) if isinstance(value, dict) else text
    except (ValueError, RecursionError):
        return text


def compact(text: str) -> str:
    """JSON in as few characters as it needs, and nothing left out of it; any other text as it is."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return text


def _line(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ": "))


def _said(value: Json) -> Json:
    """The same without what is empty."""
    if isinstance(value, dict):
        return {key: said for key, each in value.items() if (said := _said(each)) not in (None, "", [], {})}
    if isinstance(value, list):
        return [said for each in value if (said := _said(each)) not in (None, "", [], {})]
    return value
