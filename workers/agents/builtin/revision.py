"""Reads feedback: which wishes it holds, and which sentences of the request it says were lost."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from workers.agents.builtin.clauses import clause, first_modal
from workers.agents.builtin.language import lexicon, lexicon_of
from workers.agents.builtin.material import Material, carries
from workers.agents.builtin.request import Need, analyse_request

_QUOTED = re.compile(r"[“\"「『《']([^”\"」』》]{4,600})[”\"」』》']")
_LABEL = re.compile(
    r"^\s*(?:[-*]\s+)?(?:\[[^\]]{1,60}\]\s*)?(?:(?:[\w -]{2,40}|[一-鿿]{2,12})[:：]\s+)?", re.ASCII
)
_REMARK_EN = re.compile(
    r"^(?:add|answer|repair|define|replace|say which|give|state who|carry|measure|keep|show the first|settle)\b"
    r".*(?:section|question|link|placeholder|criteri|goal|observation|sentence|early|requirement)"
    r"|\b(?:missing section|section is missing|section has no content|acceptance criteri|cannot be tested|the link)\b"
    r"|\b(?:rating|rated|ratings from|weakness|placeholder|perspective|diverge|risk_level|risk level|suggestions only)\b"
    r"|\b(?:traceab\w*|this document)\b",
    re.IGNORECASE,
)
_REMARK_ZH = re.compile(
    r"缺少章节|章节缺失|没有内容|验收标准|无法测试|链接|评分|占位|视角|分歧|可追溯|本文档|先回答|尽早测量"
)


def requests_in(m: Material) -> list[Need]:
    """New wishes in the feedback, and request sentences it names as missing; remarks about form are left out."""
    found: dict[str, Need] = {}
    for piece in m.feedback:
        named = _lost(piece, m)
        for need in named or ([] if _remark(piece) else _wishes(piece, m)):
            found.setdefault(need.text, need)
    return list(found.values())


def _remark(piece: str) -> bool:
    return bool(_REMARK_EN.search(piece) or _REMARK_ZH.search(piece))


def _lost(piece: str, m: Material) -> list[Need]:
    """Needs of the request that the piece quotes, whole or in quotation marks."""
    spans = [piece, *(match[1] for match in _QUOTED.finditer(piece))]
    found = [
        need
        for need in m.analysis.needs
        if len(need.text) > 3 and (need.text in piece or need.quote in piece)
    ]
    if found:
        return found
    return [need for need in m.analysis.needs for span in spans if fuzz.ratio(need.text, span) >= 90]


def _wishes(piece: str, m: Material) -> list[Need]:
    said = _LABEL.sub("", piece, count=1).strip() or piece.strip()
    quoted = [match[1] for match in _QUOTED.finditer(piece) if first_modal(match[1], lexicon_of(match[1]))]
    text = quoted[0] if quoted else said
    analysis = analyse_request(text)
    needs = [need for need in analysis.needs if not need.part]
    if needs:
        return needs
    if analysis.questions and not analysis.goals:
        return []
    lex = lexicon_of(text)
    plain = " ".join(text.split())
    if not re.search(r"\w{2}", plain):
        return []
    known = tuple(m.actor_names())
    return (
        [
            Need(
                plain[:1800],
                plain[:1800],
                "functional",
                "Must",
                "",
                clause(plain[:1800], known),
                by_default=True,
            )
        ]
        if lexicon(lex.language)
        else []
    )


def not_carried(needs: list[Need], carriers: list[str]) -> list[Need]:
    """Those needs that no carrier says already."""
    return [need for need in needs if not any(carries(need.text, text) for text in carriers)]
