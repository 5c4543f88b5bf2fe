"""A text on one line whose parts have labels, as the same text with line breaks: `Add ... Users: ... Goal: ...`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.domain.patterns import expression
from workers.documents.reading_words import label_role

_LABEL = expression(
    r"(?:^|(?<=[.!?;]\s)|(?<=[.!?][\"'”’)]\s)|(?<=[。！？；])|(?<=[。！？；]\s))"
    r"(?P<label>[A-ZÀ-Ý\u3040-\u30ff\u4e00-\u9fff][^.:：;；,，。!?！？|\n]{0,39})(?::(?=\s)|：)"
)
_ENDS = expression(r"(?<=\w\w[.!?;])\s+|(?<=[)\]`\"'”’][.!?;])\s+|(?<=[。！？；])\s*(?=\S)")
_WISH = expression(  # a sentence that opens with what is to be made or changed
    r"(?:(?:please|also|then|and|in addition,?)\s+)*"
    r"(?:add|allow|build|change|create|develop|display|enable|extend|fix|implement|improve|introduce|let|make|offer|print"
    r"|provide|remove|rename|replace|show|support|teach|write)\s+(?!(?:sure|certain)\b)\S"
    r"|(?:bitte\s+)?(?:ergänze|erweitere|füge|baue|schreibe|erstelle|ajoute[rz]?|créer|créez|añad[ae]|añadir|agrega)\s+\S"
    r"|(?:请|还|也|再|另外|并|同时|要)*(?:新增|增加|添加|加上|支持|实现|扩展|开发|编写|提供|修复|修改|允许|改进)(?!的)",
    re.IGNORECASE,
)
SECTIONS = frozenset(
    "problem user goal metric non_goal constraint dependency risk assumption question".split()  # noqa: SIM905
)  # what a label's part states, and a wish is not
_STATED = SECTIONS | {"background"}
# an example stays with what it shows
_PARTS = _STATED | {"requirement", "nonfunctional", "use_case", "acceptance", "plan"}


def parted_labels(lines: list[str]) -> list[str]:
    """The lines, or of a single one a paragraph for each label, and for each wish behind what a label says."""
    filled = [line for line in lines if line.strip()]
    line = filled[0].strip() if len(filled) == 1 else ""
    labels = ((found.start("label"), label_role(found["label"])) for found in _LABEL.finditer(line))
    starts = [(at, role) for at, role in labels if role in _PARTS]
    if not starts:
        return lines
    ends = [*(at for at, _ in starts[1:]), len(line)]
    parts = [line[: starts[0][0]]]
    for (start, role), end in zip(starts, ends, strict=True):
        part = line[start:end]
        parts += _with_wishes(part) if role in _STATED else [part]
    return [row for part in parts if (said := part.rstrip(" ;；").lstrip()) for row in ("", said)][1:]


def _with_wishes(part: str) -> Iterator[str]:
    """The label with what it says, and the wishes that follow; what follows a wish belongs to it."""
    first, *others = _ENDS.split(part)
    said = [first]
    for sentence in others:
        if _WISH.match(sentence):
            yield " ".join(said)
            said = []
        said.append(sentence)
    yield " ".join(said)
