"""What a request calls the thing that it asks for: `Product name: BedBoard`, `The app is called "Tern".`"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.generic_titles import is_generic
from orchestrator.domain.patterns import expression

_THING = r"(?:product|project|app|application|tool|system|platform|service|site|website|software|library|game|working)"
_LABELLED = expression(
    rf"\W*(?:(?:the )?{_THING}(?:['’]s)?[ -](?:name|title)|name of (?:the |our )?{_THING}|(?:produkt|projekt|system|app)-?(?:name|titel|bezeichnung)|name des (?:produkts|projekts|systems)"
    r"|nom (?:du|de l['’]?) ?(?:produit|projet|application|syst[eè]me|outil)|nombre (?:del|de la) (?:producto|proyecto|aplicaci[oó]n|sistema)|nome (?:del|dell['’]) ?(?:prodotto|progetto|applicazione)"
    r"|(?:产品|项目|系统|应用|软件|平台)名称?|製品名|システム名|アプリ名)[\s*_]*[:：|][\s*_`\"“]*(?P<name>\w.{0,70}?)[*_.。 ]*$",
    re.IGNORECASE,
)
_CALLED = expression(
    rf"\b(?:the|our|this|it|{_THING})(?:,? (?:which )?)?(?: (?:is|will be|shall be|should be|goes by the name(?: of)?))? (?:called|named)[: ]\s*[\"“'*]*(?P<name>[A-Z][\w.+-]*(?: [A-Z0-9][\w.+-]*){{0,3}})"
)
_UNDECIDED = expression(
    r"(?:tb[acd]|to be (?:decided|defined|agreed)|undecided|open|n/?a|unknown|待定|offen)\W*$", re.IGNORECASE
)
_HEADED = expression(
    r"\W*(?:project|product|app|application|projekt|produkt|projet|produit|proyecto|producto|产品|项目)\W*[:：]\s*(?P<name>\w.{1,78}?)[*_ ]*$",
    re.IGNORECASE,
)
_DOCUMENT = expression(
    r"\W*(?:(?:the |our )?(?:(?:product|software|business|system|project|technical|functional|user|app|application|mvp)\s+)*(?:requirements?|specifications?|spec|brief|proposal|description)(?:\s+(?:documents?|specifications?|list|sheet|overview))?"
    r"|mvp|one[- ]pager|pitch|prd|srs|brd|frd|mrd|lastenheft|pflichtenheft|anforderungen|anforderungsdokument|cahier des charges|产品需求文档|需求文档|需求说明书?|要件定義書?)(?:\s*[(（][^()（）]{2,40}[)）])?(?:\s*[–—-]\s*(?:mvp|draft|prd|v[\d.]+))?\W*",
    re.IGNORECASE,
)
_BETWEEN = expression(r"\s*[:：|]\s*|\s+[–—-]\s+")
_NO_NAME = expression(r"\W*#[0-9a-f]{3,8}\b|[\W\d_]*$", re.IGNORECASE)


def labelled_name(text: str) -> str:
    """The name that a line gives behind its label; empty for all else, and where it is left open."""
    found = _LABELLED.match(text)
    name = found["name"].strip(' *_`"“”') if found else ""
    return "" if _UNDECIDED.match(name) or name.startswith(("[", "<", "{")) or _NO_NAME.match(name) else name


def called_name(text: str) -> str:
    """The name that a sentence gives it; empty for all else."""
    found = _CALLED.search(text)
    return found["name"] if found else ""


def headed_name(heading: str) -> str:
    """The name in a heading beside what it is: `Project: Simple Todo`, `PRD: Choir library`; empty for all else."""
    found = _HEADED.match(heading)
    if found:
        return found["name"] if can_name(found["name"]) else ""
    parts = _BETWEEN.split(heading.strip(" *_"), maxsplit=1)
    if len(parts) < 2 or not all(re.search(r"\w", part) for part in parts):
        return ""
    kinds = [_DOCUMENT.fullmatch(part) is not None for part in parts]
    name = parts[kinds.index(False)] if sum(kinds) == 1 else ""
    return name.strip(" *_") if name and can_name(name) else ""


def can_name(text: str) -> bool:
    """Whether a text has a word that may name something: no colour, figures or identifier, nor the kind of document."""
    return (
        _NO_NAME.match(text) is None
        and _DOCUMENT.fullmatch(text) is None
        and not is_generic(text)
        and re.fullmatch(r"\W*[A-Z]{1,6}-?\d+(?:\.\d+)*\W*", text) is None
    )
