"""Reads feedback: which wishes it holds, and which sentences of the request it says were lost."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeVar

from rapidfuzz import fuzz

from orchestrator.domain.dataclass import replace
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords, overlap
from workers.builtin.amended import (
    OWN_ID,
    canonical,
    has_exchanged,
    is_amendment,
    is_criterion,
    is_ranking,
    is_reason,
    parts,
    ranked,
    ranked_behind,
    with_criteria,
)
from workers.builtin.analysis import Need
from workers.builtin.clauses import clause, first_modal
from workers.builtin.described import is_unclear
from workers.builtin.material import Material
from workers.builtin.orders import is_order, renamed, restates, reworded
from workers.builtin.phrases import carries, short, unique
from workers.builtin.request import analyse_request
from workers.builtin.said_sections import OF_BRIEF, in_section, said_in, section_rows
from workers.builtin.uncertain import is_hedged, only_asks
from workers.documents.budgets import is_of_budget
from workers.documents.content import Architecture, Brief, Content, Declared, Discovery, Epics, Requirements
from workers.documents.lexicon import lexicon, lexicon_of
from workers.documents.lint.rules import is_finding
from workers.documents.sentences import is_telling
from workers.documents.written_page import mark

C = TypeVar("C", Discovery, Brief, Requirements, Architecture, Epics, Declared)
HEARD = 0.6  # of a line's words, in one statement of a document
_ANSWERS = ("unmet_form", "unmet_talk", "unmet_change", "unmet_unclear", "unmet_section", "unmet_lost")
_CHANGES = expression(
    r"\b(?:remove|drop|delete|omit|discard|split|merge|move|renam|reword|replac|chang|lower|raise|mark)\w*\b|删除|去掉|移除|拆分|合并|改为|改成|降为|升为",
    re.IGNORECASE,
)
_REPLY = expression(
    r"^\s*(?:(?:the )?answers?\b|re\b|回答|答复|答案)[^:：]{0,60}[:：]|^\s*(?:OQ|Q)-?\d+\s*[:：]",
    re.IGNORECASE,
)
_JUDGES = expression(  # what somebody thinks of the documents
    r"^(?:(?:i think|we think|sorry|please|and|but|also|most of|some of|many of),? )*"
    r"(?:the|these|those|your|all|most|some|many|its) (?:\w+ )?"
    r"(?:requirements?|documents?|spec(?:ification)?s?|brief|architecture|stor(?:y|ies)|epics?|criteria|text|wording)"
    r" (?:is|are|was|were|seems?|looks?|sounds?|reads?|feels?|remains?)(?: (?:still|far|much|rather|quite|not|all|very))*"
    r" (?:too|vague|unclear|untestable|testable|generic|abstract|wrong|confusing|(?:precise|specific|concrete) enough"
    r"|incomplete|thin|poor|hard to|unreadable|garbled)\b"
    r"|^这?些?(?:需求|文档|规格|标准|故事|架构)(?:写得|都)?(?:太|不够|还不|过于)",
    re.IGNORECASE,
)
_TURNS = expression(  # what turns something that was said before, or gives it another name
    r"^(?:(?:please|and|but|sorry|ok(?:ay)?|let['’]?s|let us|we|i)[, ]+)*(?:(?-i:[Rr]ename [A-Z])|call (?:it|the (?:product|app|tool))\b|no longer (?:want|need)\b|(?:don['’]t|do not) (?:want|need)\b.*\bany ?more\b"
    r"|(?:have |['’]ve )?changed (?:my|our) minds?\b|bring\b.*\bback\b|forget\b|take back\b|(?:on )?second thoughts?\b)"
    r"|\bafter all\b|\b(?:is|are|was|were) (?:perfectly |just |also )?(?:fine|ok(?:ay)?|good enough)\b\W*$|\bcalled\b.*\b(?:from now on|instead)\b|\blet['’]?s call\b"
    r"|我改变?主意|改名(?:为|叫)|重命名",
    re.IGNORECASE,
)
_SENTENCE_END = expression(r"(?<=[.;!])\s+|(?<=[。；！])|\n+")
_QUOTED = expression(r"[“\"「『《']([^”\"」』》]{4,600})[”\"」』》']")
_LABEL = expression(
    r"^\s*(?:[-*]\s+)?(?:\[[^\]]{1,60}\]\s*)?(?:(?:(?:[\w-]{1,30} ){0,2}[\w-]{2,30}|[一-鿿]{2,12})[:：]\s+)?",
    re.ASCII,
)


def requests_in(m: Material) -> list[Need]:
    """New wishes in the feedback, and request sentences it names as missing; remarks about form are left out."""
    found: dict[str, Need] = {}
    for piece in (*m.feedback, *m.remarks):
        for need in _lost(piece, m):
            found.setdefault(need.text, need)
    for line in _open_lines(m):
        for need in [] if _unmet(line) else _wishes(line, m):
            found.setdefault(need.text, need)
    return [need for need in found.values() if mark().sub("", need.text).strip()]  # `(proposed ...)` is ours


def told(content: C, m: Material) -> tuple[C, tuple[str, ...]]:
    """The content with an answer, among its open questions, to each line of the feedback that it does not act on."""
    before = tuple(m.lex.wording[key].partition("{")[0] for key in _ANSWERS)
    asked: list[str] = content.open_questions
    kept: list[str] = [text for text in asked if not text.startswith(before) or _stands(text, content, m)]
    done = _changed_by(content, m)
    keyed = [(_unmet(line), line) for line in _open_lines(m) if line not in done]
    if m.sections or not all(
        key for key, _ in keyed
    ):  # beside what asks for something, thanks need no answer
        keyed = [(key, line) for key, line in keyed if not lexicon_of(line).find("small_talk", line.strip())]
    is_dependent = bool(m.facts.get("is_dependent"))
    if isinstance(content, Requirements | Architecture | Epics) and not is_dependent:
        keyed = [(key or ("unmet_section" if is_of_budget(line) else ""), line) for key, line in keyed]
        labelled = (f"{row.passage.label}: {row.text}" for row in m.sections)
        keyed += [("unmet_section", said) for said in labelled if is_of_budget(said)]
    if isinstance(content, Architecture | Epics) and not is_dependent:
        heard = _heard(content, m)
        keyed = [(key or ("" if heard(line) else "unmet_change"), line) for key, line in keyed]
    stated = _stated(content, m)
    keyed = [
        (key or ("unmet_unclear" if only_asks(line) and not stated(line) else ""), line)
        for key, line in keyed
    ]
    keyed += [
        ("unmet_lost" if isinstance(content, Brief) else "unmet_section", line)
        for line in _elsewhere(content, m)
    ]
    answered = _answered_before(content, m) if is_dependent else frozenset()
    unmet: list[str] = unique(
        m.say(key, text=text) for key, line in keyed if key and (text := short(line, 400)) not in answered
    )
    if not unmet and kept == asked:
        return content, ()
    return content.model_copy(update={"open_questions": [*unmet, *kept]}), tuple(unmet)


def _answered_before(content: Content, m: Material) -> frozenset[str]:
    """The lines that a document before this one answers among its open questions."""
    order = (Brief, Requirements, Architecture, Epics)
    before = order[: order.index(type(content))] if type(content) in order else ()
    documents = [*filter(None, map(m.given, before)), *(m.facts.get("drafted_from") or [])]
    answers = [text for document in documents for text in document.open_questions]
    return frozenset(found[1] for text in answers if (found := _QUOTED.search(text)))


def _stands(answer: str, content: Content, m: Material) -> bool:
    """Whether an answer to what a person wanted earlier still holds: neither was it done, nor is it spoken of again."""
    quoted = _QUOTED.search(answer)
    if quoted is None or answer.startswith(m.lex.wording["unmet_talk"].partition("{")[0]):
        return False
    line = quoted[1].rstrip("…")
    said = (canonical(" ".join(str(piece).split())) for piece in m.facts.get("said") or [])
    spoken_of = any(overlap(line, keywords(each)) >= HEARD for each in lines_of(m.feedback))
    done = isinstance(content, Architecture | Epics) and _heard(content, m)(line)
    return any(line in piece for piece in said) and not spoken_of and not done


def _changed_by(content: Content, m: Material) -> list[str]:
    """The lines that the requirements carry out by a priority or criterion: these, or for another document those it has."""
    given = content if isinstance(content, Requirements) else m.facts.get("requirements")
    if not isinstance(given, Requirements):
        return []
    lines = lines_of(m.feedback)
    stood = [
        item for item in given.items if OWN_ID.fullmatch(item.id)
    ]  # new ones have no identifiers of their own yet
    items, told = ranked(stood, lines)
    items, more = with_criteria(items, lines)
    items, titled = renamed(items, lines)
    words, said = reworded(items, lines)
    done = isinstance(content, Brief) or (  # which comes before the requirements: they follow
        items == stood and all(item.statement == words.get(item.id, item.statement) for item in items)
    )
    exchanged = [line for line in lines if has_exchanged(stood, line)]
    return [*exchanged, *([*told, *more, *titled, *said] if done else [])]


def _heard(content: Content, m: Material) -> Callable[[str], bool]:
    """Whether what a line asks for stands in one of the documents, or is a technology that was chosen or left out for it."""
    stated = _stated(content, m)
    wanted, unwanted = m.asked_later
    tools = [*(name for name, _ in wanted), *unwanted]

    def heard(line: str) -> bool:
        named = any(name.casefold() in line.casefold() for name in tools)
        return named or stated(line)

    return heard


def _stated(content: Content, m: Material) -> Callable[[str], bool]:
    """Whether one of the documents states most of what a line says."""
    documents = [each for each in (content, *m.facts.values()) if isinstance(each, Content)]
    texts = [
        keywords(text) for each in documents if each is not m.facts.get("previous") for text in _texts(each)
    ]
    return lambda line: any(overlap(line, text) >= HEARD for text in texts)


def _elsewhere(content: Content, m: Material) -> list[str]:
    """What was said under the name of a section that the brief has and this document has not, where no document states it;
    of the brief, what it does not state."""
    if isinstance(content, Discovery | Declared):
        return []
    brief = content if isinstance(content, Brief) else m.facts.get("brief")
    documents = [each for each in (content, *m.facts.values()) if isinstance(each, Content)]
    said = [
        text.casefold() for each in documents if each is not m.facts.get("previous") for text in _texts(each)
    ]
    said += [text.casefold() for text in brief.open_questions] if isinstance(brief, Brief) else []
    people = [user.name.casefold() for user in brief.users] if isinstance(brief, Brief) else []
    return [
        row.quote
        for row in m.sections
        if (row.role in OF_BRIEF or isinstance(content, Brief))
        and not any(carries(row.text.casefold(), text) for text in said)
        and not (row.role == "user" and any(name in row.text.casefold() for name in people))
    ]


def _texts(content: Content) -> Iterator[str]:
    """Every statement of a document, but not its open questions."""

    def walk(value: object) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from (
                text for name, part in value.items() if name != "open_questions" for text in walk(part)
            )
        elif isinstance(value, list):
            yield from (text for part in value for text in walk(part))

    return walk(content.model_dump())


def _open_lines(m: Material) -> list[str]:
    """What has to be answered: each sentence of a person, and those of a round that are not about the document."""
    said = _sentences_of(m.feedback, m)
    remarks = [piece for piece in m.remarks if not is_finding(piece)]
    return [*said, *(line for line in _sentences_of(remarks, m) if not _remark(line))]


def _sentences_of(pieces: list[str], m: Material) -> list[str]:
    return [line for piece in pieces if not _lost(piece, m) for line in _lines(piece)]


def lines_of(pieces: list[str]) -> list[str]:
    """The sentences of a person's words."""
    return [line for piece in pieces for line in _lines(piece)]


def _lines(piece: str) -> list[str]:
    """The sentences of a piece of feedback; what it quotes stays in one."""
    piece = canonical(piece)
    if (is_order(piece) and not is_ranking(piece)) or restates(piece):
        return [piece]
    pieces = _without_reasons([part for each in _SENTENCE_END.split(piece) for part in parts(each)])
    if apart := [each for each in pieces if _stands_alone(each)]:
        rest = " ".join(each for each in pieces if each and each not in apart).rstrip(" ;；")
        return [*apart, *(_lines(rest) if rest else [])]
    if is_amendment(piece) or _REPLY.match(piece) or (_QUOTED.search(piece) and not section_rows([piece])):
        return [piece]
    rows = said_in(piece)
    return [row.quote for row in rows if not in_section(row)] if rows else [piece]


def _stands_alone(sentence: str) -> bool:
    """Whether a sentence is an order that is carried out or answered by itself, whatever stands beside it."""
    return (
        is_ranking(sentence)
        or is_criterion(sentence)
        or is_unclear(sentence)
        or ranked_behind(sentence)[1] is not None
    )


def _without_reasons(pieces: list[str]) -> list[str]:
    """The pieces without those that only say why an item before them gets another priority, or is removed."""
    kept: list[str] = []
    explained = False
    for piece in pieces:
        if not piece.strip() or (explained and is_reason(piece)):
            continue
        kept.append(piece)
        explained = is_ranking(piece)
    return kept


def _unmet(line: str) -> str:
    """Which answer a line gets that asks for nothing the documents could state; empty for a wish."""
    lex = lexicon_of(line)
    plain = line.strip()
    if lex.find("form", plain) and not is_order(plain):
        return "unmet_form"
    if is_unclear(plain) or is_hedged(plain):
        return "unmet_unclear"
    if is_ranking(plain) or is_criterion(plain) or is_order(plain):
        return "unmet_change"
    if is_amendment(plain):
        return ""
    if _REPLY.match(plain) or _changes(plain) or _TURNS.search(plain):
        return "unmet_change"
    if lex.find("small_talk", plain) or _JUDGES.search(plain) or not is_telling(plain):
        return "unmet_talk"
    return ""


def _changes(line: str) -> bool:
    """Whether a line speaks of an item by its identifier, and does not say what the product must do besides."""
    said = _LABEL.sub("", line, count=1)
    named = OWN_ID.search(said)
    return named is not None and (
        _CHANGES.search(said) is not None or first_modal(said, lexicon_of(said)) is None
    )


def _remark(line: str) -> bool:
    """Whether a round says it of the document: a fault or a step in our own wording, or what others say of form."""
    lex, line = lexicon_of(line), line.strip()
    return line.startswith(_own_wording(lex.language)) or lex.find("remark", line) is not None


@cache
def _own_wording(language: str) -> tuple[str, ...]:
    """How the remarks of the built-in critic begin."""
    ours = [
        text.partition("{")[0]
        for key, text in lexicon(language).wording.items()
        if key.startswith(("fault_", "suggest_"))
    ]
    return tuple(text for text in ours if len(text) > 3)


def _lost(piece: str, m: Material) -> list[Need]:
    """Needs of the request that the piece quotes, whole or in quotation marks."""
    spans = [piece, *(match[1] for match in _QUOTED.finditer(piece))]
    later = {row.text for row in m.sections}
    asked = [need for need in m.analysis.needs if need.text not in later]
    found = [need for need in asked if len(need.text) > 3 and (need.text in piece or need.quote in piece)]
    if found:
        return found
    return [need for need in asked for span in spans if fuzz.ratio(need.text, span) >= 90]


def _wishes(piece: str, m: Material) -> list[Need]:
    said = _LABEL.sub("", piece, count=1).strip() or piece.strip()
    quoted = [match[1] for match in _QUOTED.finditer(piece) if first_modal(match[1], lexicon_of(match[1]))]
    text, given = ranked_behind(quoted[0] if quoted else said)
    analysis = analyse_request(text)
    needs = [need for need in analysis.needs if not need.part]
    if needs:
        return [replace(need, moscow=given, by_default=False) if given else need for need in needs]
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
                given or "Must",
                "",
                clause(plain[:1800], known),
                by_default=given is None,
            )
        ]
        if lexicon(lex.language)
        else []
    )


def not_carried(needs: list[Need], carriers: list[str]) -> list[Need]:
    """Those needs that no carrier says already."""
    whole = "\n".join(carriers)  # most are carried word for word, which is seen without comparing words
    open_ones = [need for need in needs if need.text not in whole]
    return [need for need in open_ones if not any(carries(need.text, text) for text in carriers)]
