"""The clauses in which a one-line request tells what its thing is for: `an app where members book boats and staff see the list`.

Each clause is asked for by itself, in its own words; a clause that shares its subject with the one before it gets it. A line
that names no thing, or tells less than two clauses of it, stays whole.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.patterns import expression
from workers.builtin.analysis import Need
from workers.builtin.clauses import Clause, clause
from workers.builtin.listed_parts import ASKS, is_thing, said_to_act
from workers.builtin.people import is_person
from workers.builtin.phrases import TRIM, upper_first
from workers.builtin.wishes import doer_of
from workers.documents.lexicon import Lexicon

_LINKS = expression(
    r",?\s+(?P<lets>(?:(?:that|which) (?:lets|allows|enables|helps)|to (?:let|allow|enable|help)) )|,?\s+(?:where|in which|with which|through which|on which|so that)\s+|,?\s+so\s+(?=\S.*?\b(?:can|could|may)\b)|:\s+|\s+(?P<to>to)\s+(?=\w+ \w)",
    re.IGNORECASE,
)
_PRODUCT = expression(  # what has a purpose of several parts; that of a button is why it is wanted
    r"\b(?:apps?|applications?|tools?|(?:web)?sites?|pages?|portals?|platforms?|systems?|services?|software|programs?|bots?|dashboards?|api|games?|plugins?|extensions?|marketplaces?|trackers?|planners?|assistants?|boards?|calendars?|registers?|databases?|shops?)$",
    re.IGNORECASE,
)
_FOR = expression(r"\s+(?:for|of|about)\s+.*$", re.IGNORECASE)
_JOINTS = expression(r"\s*[,;]\s*(?:(?:and|but|while)\s+)?|\s+(?:and|while)\s+", re.IGNORECASE)
_SUBJECT = r"(?!(?:which|that|who|what|how|when|where|why|whether|if|then|not|no|so|because|in|on|at|by|for|with|to|from|of)\b)(?:[\w'’-]+ ){0,3}?[\w'’-]+"
_ABLE = expression(
    rf"(?P<subject>{_SUBJECT}) (?P<modal>can|could|may|must|should|shall|will|(?:is|are) able to|ha(?:s|ve) to|needs? to) (?P<does>[a-z].*)",
    re.IGNORECASE | re.DOTALL,
)
_LEADS = expression(r"^(?:(?:the|our|my|all|each|every)\s+)?", re.IGNORECASE)
_OBJECT = expression(
    r"[a-z]+ (?P<thing>(?:(?:the|our|my|their) )?(?:[\w-]+ ){0,2}?[\w-]+s)(?: (?:to|into|in|from|by|with|at|on|for)\b.*)?",
    re.IGNORECASE,
)
_THEM = expression(r" them\b", re.IGNORECASE)
_SMALL = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "for",
        "with",
        "which",
        "that",
        "who",
        "and",
        "or",
        "is",
        "are",
        "be",
        "to",
        "in",
        "on",
        "at",
        "by",
        "not",
        "never",
        "don't",
        "doesn't",
        "cannot",
        "can't",
        "won't",
    ]
)
_FEWEST, _WHO = 2, 3  # clauses of a line that is taken apart; words of who is let do something


@dataclass(frozen=True, slots=True)
class _Told:
    """One clause: who, with which modal verb, does what."""

    subject: str
    modal: str
    does: str

    @property
    def text(self) -> str:
        """The clause as a statement; what `I` or `we` can do is told as an order is."""
        if self.modal and self.subject.lower() in ("i", "we"):
            return self.does
        return " ".join(filter(None, (self.subject, self.modal, self.does)))

    def with_object_of(self, last: _Told) -> _Told:
        """The clause with the thing that its pronoun stands for: `add expenses`, `sort them` -> `sort expenses`."""
        found = _OBJECT.fullmatch(last.does)
        return replace(self, does=_THEM.sub(f" {found['thing']}", self.does)) if found else self


def told_parts(need: Need, lex: Lexicon) -> list[Need]:
    """The line as the thing that it asks for, and each clause that tells of it; empty where it stays whole."""
    text = need.text.strip(TRIM)
    asks = ASKS.match(text) if lex.language == "en" else None
    link = _LINKS.search(text, asks.end()) if asks else None
    if asks is None or link is None:
        return []
    thing = text[asks.end() : link.start()].strip()
    bare = _FOR.sub("", thing)
    aims = link[0].strip(", ").lower().startswith("so")
    if not is_thing(bare, lex) or (aims and not _PRODUCT.search(bare)):
        return []
    told = _clauses(text[link.end() :], lex, form=link["lets"] or link["to"] or "")
    if len(told) < _FEWEST:
        return []
    name = upper_first(re.sub(r"^(?:an?|the|our|my)\s+", "", thing, flags=re.IGNORECASE))
    whole = replace(need, kind="functional", category="", title=name, clause=Clause(need.text, lex.language))
    parts = [
        replace(need, text=row, kind="functional", category="", clause=clause(row), title="")
        for row in (upper_first(one.text) for one in told)
    ]
    return [whole, *parts]


def _clauses(text: str, lex: Lexicon, form: str) -> list[_Told]:
    """The clauses of the rest of the line; a piece that is none belongs to the one before it."""
    found: list[_Told] = []
    at, between = 0, ""
    for start, end in [*((match.start(), match.end()) for match in _JOINTS.finditer(text)), (len(text),) * 2]:
        piece = text[at:start].strip()
        last = found[-1] if found else None
        one = _clause(piece, last, lex, form="" if found else form)
        if one is not None:
            found.append(one)
        elif last is None:
            return []
        else:
            found[-1] = replace(last, does=f"{last.does}{between}{piece}")
        at, between = end, text[start:end]
    return found


def _clause(piece: str, last: _Told | None, lex: Lexicon, form: str) -> _Told | None:
    able = _ABLE.fullmatch(piece)
    if able:
        return _Told(able["subject"], able["modal"], able["does"])
    if form:
        acts = form == "to" and said_to_act(piece, lex)
        return _Told("", "", piece) if acts else _let(piece, lex) if form != "to" else None
    if last is not None and said_to_act(piece, lex):
        return _Told(last.subject, last.modal, piece).with_object_of(last)
    doer = doer_of(piece, lex)
    words = _LEADS.sub("", doer).lower().split()
    if not doer or not piece.lower().startswith(doer.lower()) or not _SMALL.isdisjoint(words):
        return None
    return _Told(piece[: len(doer)], "", piece[len(doer) :].strip())


def _let(piece: str, lex: Lexicon) -> _Told | None:
    """Who is let do what: `parents book slots`, `members to see the list`."""
    words = piece.split()
    for at in range(1, min(len(words) - 1, _WHO + 1)):
        who, does = " ".join(words[:at]), " ".join(words[at:]).removeprefix("to ")
        verb = does.split(" ")[0].lower()
        if verb in lex.verbs and (is_person(who, lex) or at == 1):
            return _Told(who, "can", does)
    return None
