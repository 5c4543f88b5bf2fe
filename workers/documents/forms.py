"""What a text is when it asks for nothing to be built: a log, source code, a prompt for a chat model, minutes, release notes or an essay."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.patterns import expression
from orchestrator.domain.request_forms import (
    BUILT,
    LONG,
    MAX_CHARS,
    MINUTES,
    PROMPT,
    RELEASED,
    WISH,
    count_sentences,
    form_of_lines,
)
from workers.documents.passage import ASKED, Passage

_TOLD = expression(
    r"^[^\w\n]*you (?:must|should|are|write|answer|never|will|may|have to|always)\b|\. you (?:must|should|never)\b",
    re.IGNORECASE | re.MULTILINE,
)
_RECORDED = expression(
    r"\b(?:minutes of|meeting minutes|present|attendees|apologies)\b[^\n]{0,3}:?|^\W*minutes\b|会议纪要|protokoll der|compte rendu",
    re.IGNORECASE | re.MULTILINE,
)
_ROLES = ASKED | {"goal", "non_goal", "acceptance", "user", "constraint", "metric"}


def form_of(text: str, read: Sequence[Passage]) -> str:
    """`log`, `code`, `prompt`, `minutes`, `release` or `essay`; empty for a request, and wherever there is doubt."""
    roles = {passage.role for passage in read}
    asked = len(roles & _ROLES)
    lines = [line for line in text[:MAX_CHARS].split("\n") if line.strip()]
    shown = form_of_lines(lines) if asked < 2 else ""
    if shown:
        return shown
    if (
        asked < (3 if _RECORDED.search(text[:300]) else 2)
        and MINUTES.search(text[:300])
        and not BUILT.search(text)
    ):
        return "minutes"
    prose = [passage for passage in read if passage.block.kind == "paragraph"]
    if asked < 3 and prose and PROMPT.match(prose[0].block.text) and not BUILT.search(text):
        return "prompt"
    if (
        len(_TOLD.findall(text)) > 2
        and not BUILT.search(text)
        and not roles & {"user", "non_goal", "nonfunctional"}
    ):
        return "prompt"
    sentences = count_sentences(text)
    listed = sum(passage.block.kind in ("item", "row") for passage in read)
    wishes = len(WISH.findall("\n".join(" ".join(passage.block.text.split()) for passage in read)))
    if (
        asked < 3
        and "requirement" not in roles
        and RELEASED.search(text[:800])
        and wishes * 10 <= len(lines)
        and not BUILT.search(text)
    ):
        return "release"
    if (
        not asked
        and len(prose) >= 3
        and sentences >= LONG
        and listed < 3
        and wishes * 10 <= sentences
        and not BUILT.search(text)
        and "message" not in {passage.block.kind for passage in read}
    ):
        return "essay"
    return ""
