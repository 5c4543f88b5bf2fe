"""Whether words of a person name a section as their subject: `Problem: ...`, `The problem is ...`, `Clerks are users too`."""

from __future__ import annotations

import re

from orchestrator.domain.text import is_cjk

_BEFORE = (
    r"[\W_]*(?:(?:the|our|my|your|a|an|one|its|this|these|main|biggest|real|other|another|further|more|new|key|first)\s+)"
    r"{0,3}"
)
_IS = r"(?:\s+(?:today|now|here))?,?\s+(?:is|are)\b(?!\s+(?:also\s+)?(?:able|allowed|not|\w+ed)\b)"
_BEFORE_CJK = r"[\W_]*(?:我们|现在|目前|当前|主要|最大|本期|的)*"


def is_labelled(text: str, name: str) -> bool:
    """Whether the text begins with the name as a label."""
    return re.match(rf"{_head(name)}[*_]*\s*[:：]", text, re.IGNORECASE) is not None


def is_about(text: str, name: str) -> bool:
    """Whether the first sentence says what the section is, or that something is one of what it lists."""
    first = re.split(r"(?<=[.!?])\s|[。！？\n]", text.strip(), maxsplit=1)[0].rstrip(" .!?")
    if is_cjk(name):
        begins = re.match(rf"{_head(name)}(?:是(?!否)|在于|太)", first)
        return begins is not None or re.search(rf"(?:是|属于){re.escape(name)}$", first) is not None
    one = rf"\b(?:is|are)(?:\s+(?:also|an?|the|our|another))*\s+{_plural(name)}(?:,?\s+(?:too|as well))?$"
    begins = re.match(_head(name) + _IS, first, re.IGNORECASE)
    return begins is not None or re.search(one, first, re.IGNORECASE) is not None


def _head(name: str) -> str:
    return f"{_BEFORE_CJK}{re.escape(name)}" if is_cjk(name) else f"{_BEFORE}{_plural(name)}"


def _plural(name: str) -> str:
    said = r"\s+".join(re.escape(word) for word in name.split())
    return rf"{said[:-1]}(?:y|ies)" if said.endswith("y") else rf"{said}(?:e?s)?"
