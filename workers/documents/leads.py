"""Sentences that name their own section: `The problem is ...`, `Office staff are users too`."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from itertools import takewhile

from orchestrator.domain.clarified import HEADINGS
from orchestrator.domain.dataclass import replace
from orchestrator.domain.patterns import expression
from workers.documents.asked_roles import asked_role
from workers.documents.lexicon import lexicon_of
from workers.documents.passage import Passage
from workers.documents.reading_words import clause_role, label_role
from workers.documents.trouble import tells_trouble

_ANSWERED = frozenset(HEADINGS.values())
_OPEN = frozenset({"", "background"})  # roles of passages whose sentences may name one of their own
_PROBLEM = expression(
    r"^(?:(?:so|and|but),? )?(?:(?:the|our|my|their|today's|a|one|another) )(?:\w+ ){0,2}?(?:problem|trouble|pain point)s?(?: (?:today|now|here|for us|we have))?,? (?:is|are)(?! (?:to be )?(?:shown|solved|reported|listed|displayed|stored|entered|sent|saved|logged))\b"
    r"|^(?:现在的?|目前的?|当前的?|主要的?|最大的?|我们的?)*(?:问题|痛点|麻烦)(?:是|在于|就是)",
    re.IGNORECASE,
)
_ARE_USERS = expression(  # what stands before names them
    r"^(?:that )?(.{2,80}?),? (?:are|is|will be|become|count as)(?: also| all)?(?: an?| the| our| its| among the)?(?: main| target| primary| end| other| further)?[ -]users?(?:,? too|,? as well)?[.!]?$"
    r"|^([^，。；：]{2,20}?)(?:也|都|同样)?(?:是|属于|算)(?:我们的?|系统的?|本系统的?|产品的?)?(?:主要|目标)?(?:用户|使用者)[。.！]?$",
    re.IGNORECASE,
)
_USERS_ARE = expression(  # what stands behind names them
    r"^(?:(?:the|our|its) )?(?:(?:(?:main|target|primary|intended) )?audience(?: (?:of|for) [^,.;:]{2,40}?)? (?:are|is|will be|would be) (?:(?:intended|meant|supposed) to be )?(?!not\b|to\b|in\b|on\b|intended\b)|(?:(?:main|target|primary|end|first|only|intended) )?users?(?: of (?:it|this|that))? (?:are|is|will be|would be) (?!able|allowed|not\b|to\b|in\b|on\b|at\b|from\b|with\b|free\b|happy\b|also\b|usually\b|often\b|mostly\b|\w+(?:ed|ing|ly)\b))(?P<en>.{2,120}?)[.!]?$"
    r"|^(?:those|the (?:people|ones|persons)) (?:who|that) (?:[\w'’-]+ ){1,6}?(?:are|is) (?:mostly |mainly |chiefly |above all )?(?P<who>(?:the |our )?[a-z]+s\b[^,.;:]{2,100}?)[.!]?$"
    r"|^(?:我们的|主要|目标)*(?:用户|使用者|使用的人|用的人|使用人员)(?:主要)?(?:是|为|包括)(?P<zh>[^，。；：]{2,40})(?:[。.！]?$|[，,])",
    re.IGNORECASE,
)
_AIMS = expression(
    r"^(?:(?:our|the|my) )?(?:(?:long|short)-term |main |first |only |overall )?(?:target|aim|goal|objective|success)s?(?: \([^()]*\))?(?: is(?: simple| clear)?)?[:：]\s*(?=\S)"
    r"|^(?:so )?(?:what|the thing) (?:(?:would|will) make (?:me|us|them) happy|(?:i|we) (?:really )?(?:want|hope for|aim for|are after|are betting on|are aiming (?:at|for))(?: in the end| with it| out of it)?)\b(?:, [^:,]{0,30})?(?:[:：]| is that| is)\s*(?=\S)"
    r"|^(?:otherwise |apart from that |beyond that )?(?:i|we) (?:really )?(?:do not|don['’]?t)(?: really)? (?:care|mind)\b[^.;]{0,60}?,? as long as (?=\S)"
    r"|^(?:want|wanted|wish): (?=.*\b(?:under|below|less than|fewer than|at most|at least|more than|over|above|down to|up to) \S*\d)"
    r"|^(?:ziel|unser ziel|objectif|notre objectif|objetivo|nuestro objetivo)(?: ist| est| es)?[:：]\s*|^(?:最终|长期|总体|我们的)?目标(?:是)?[:：]\s*",
    re.IGNORECASE,
)
_LABELLED = expression(r"^([^\W\d_][^:：.,;。，；]{1,30})[:：](?!-?[()DP|](?:\s|$))\s*(?=\S)")
_ANNOUNCES = expression(  # that several things follow
    r"\b(?:a few|some|several|two|three|four|five|a couple of|the following|these) (?:things|points|conditions|limits|worries|risks|questions|matters|ideas)\b[^:：?？]*[.!]?$",
    re.IGNORECASE,
)
_CHANGES = expression(  # that as many goals follow: `Two things ought to be different next year`
    r"\b(?P<count>one|two|three|four|five|a few|some|several|a couple of) (?:things?|points?) (?:(?:that|which) )?(?:ought to|should|must|ha(?:s|ve) to|(?:is|are) to|needs? to|shall)\b[^.:?]{0,40}?\b(?:better|differently|different|otherwise|improve|change|easier|faster)\b"
    r"|\b(?:we|i) (?:have|see|set ourselves|want to reach) (?P<goals>two|three|four|five|a few|several) (?:\w+ )?(?:goals|aims|objectives|targets)\b[^:?]{0,40}[.!]?$",
    re.IGNORECASE,
)
_DEMANDS = expression(  # what the product or somebody has to do, and no aim
    r"\b(?:must|shall|should|can|cannot|may|ha(?:s|ve) to|needs? to)\b", re.IGNORECASE
)
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_RUN_ON = frozenset({"goal", "metric", "non_goal", "constraint", "question", "risk", "problem", "user"})
_OF_ONE_SENTENCE = frozenset({"goal", "problem", "user"})  # what a label's next sentence need not be about
_HAS_TO = expression(
    r"^(?:it|the (?:app|system|product|tool|page|site)) (?:must|shall|should|has to)\b", re.IGNORECASE
)
_NOBODY = expression(
    r"\b(?:who|which|if|when|unless|that|not|no|there|must|should|shall)\b|不", re.IGNORECASE
)


def is_answer(passage: Passage) -> bool:
    """Whether its author said it when asked about the request."""
    return not _ANSWERED.isdisjoint(passage.block.section)


def own_section(passage: Passage, quote: str) -> tuple[Passage, str]:
    """The passage with the role that a sentence names for itself, and what it says there; both as they are otherwise.

    An answer about what should be better that says what is bad today names a problem.
    """
    if passage.role == "goal" and is_answer(passage) and tells_trouble(quote):
        return replace(passage, role="problem"), quote
    aims = _AIMS.match(quote) if passage.role in _OPEN and passage.block.kind == "paragraph" else None
    if aims:
        return replace(passage, role="goal"), quote[aims.end() :]
    felt = (
        _USERS_ARE.match(quote) if passage.role == "problem" and passage.block.kind == "paragraph" else None
    )
    if felt and felt["who"]:
        return replace(passage, role="user"), felt["who"]
    if passage.role not in _OPEN or passage.block.kind not in ("paragraph", "item"):
        return passage, quote
    if _PROBLEM.match(quote):
        return replace(passage, role="problem"), quote
    behind = _USERS_ARE.match(quote)
    if behind:
        return replace(passage, role="user"), behind["en"] or behind["who"] or behind["zh"]
    users = _ARE_USERS.match(quote)
    named = (users[1] or users[2]) if users else ""
    if named and not _NOBODY.search(named):
        return replace(passage, role="user"), named
    return passage, quote


def _speaks_of_else(quote: str) -> bool:
    """Whether a sentence behind a labelled one names a section of its own, or says what the product has to do."""
    own = (_PROBLEM, _USERS_ARE, _ARE_USERS, _HAS_TO)
    return any(pattern.match(quote) for pattern in own)


def _answered(passage: Passage, quotes: list[str]) -> list[tuple[Passage, str, str]]:
    """The sentences with the role of the question that they stand behind; a question with an answer is none of them."""
    rows: list[tuple[Passage, str, str]] = []
    where = passage
    for at, quote in enumerate(quotes):
        behind = quotes[at + 1] if at + 1 < len(quotes) else "?"
        role = asked_role(quote) if not behind.rstrip().endswith(("?", "？")) else ""
        if role:
            own = passage.id if at == 0 and passage.id and not quote.startswith(passage.id) else ""
            where = replace(passage, role=role, label=f"{own}: {quote}" if own else quote)
            continue
        where = passage if quote.rstrip().endswith(("?", "？")) else where
        polite = lexicon_of(quote).find("small_talk", quote.strip())
        rows.append((passage if polite else where, quote, quote))
    return rows


def _announced(passage: Passage, quotes: list[str]) -> list[tuple[Passage, str, str]]:
    """The sentences behind one that announces them: `We can live without a few things. Payment stays ...`"""
    role = clause_role(quotes[0])
    where = replace(passage, role=role, label=quotes[0]) if role in _RUN_ON else passage
    return [(passage, quotes[0], quotes[0]), *((where, quote, quote) for quote in quotes[1:])]


def _changes(passage: Passage, quotes: list[str]) -> list[tuple[Passage, str, str]]:
    """The sentences, as goals those behind one that says how many things should be otherwise; nothing where none does."""
    for at, quote in enumerate(quotes):
        found = _CHANGES.search(quote)
        if found is None:
            continue
        count = _COUNTS.get((found["count"] or found["goals"]).lower(), len(quotes))
        named = quote[found.end() :].partition(":")[2].strip()
        if _DEMANDS.search(named):
            return []
        behind = list(takewhile(lambda said: not _DEMANDS.search(said), quotes[at + 1 :]))
        behind = behind[: max(0, count - bool(named))]
        if not named and not behind:
            return []
        goal = replace(passage, role="goal", label=quote)
        goals = [*([named] if named else []), *behind]
        rest = quotes[at + 1 + len(behind) :]
        plain = [(passage, said, said) for said in quotes[:at]]
        return [*plain, *((goal, said, said) for said in goals), *((passage, said, said) for said in rest)]
    return []


def run_on(passage: Passage, quotes: list[str]) -> list[tuple[Passage, str, str]]:
    """Each sentence with its passage and what it says. In prose that runs from one label to the next
    (`Goals: ... . Data stays here. Out of scope: ...`) each label counts for its own sentence alone; a question
    counts for what stands behind it (`Who will use it? Parents.`)."""
    if passage.role in _OPEN and not passage.label and len(quotes) > 1 and any(map(asked_role, quotes[:-1])):
        return _answered(passage, quotes)
    prose = passage.block.kind == "paragraph" and not passage.label
    if prose and passage.role in _OPEN | {"problem"} and (changed := _changes(passage, quotes)):
        return changed
    if passage.role in _OPEN and not passage.label and len(quotes) > 2 and _ANNOUNCES.search(quotes[0]):
        return _announced(passage, quotes)
    labels = [_LABELLED.match(quote) for quote in quotes] if passage.block.kind == "paragraph" else []
    named = [label_role(found[1]) if found else "" for found in labels]
    roles = [role if role in _RUN_ON else "" for role in named]
    plain = replace(passage, role="", label="") if passage.label else passage
    if not any(roles[1:]):
        labelled = bool(labels) and bool(passage.label) and passage.role in _OF_ONE_SENTENCE
        own = [labelled and at > 0 and _speaks_of_else(quote) for at, quote in enumerate(quotes)]
        return [(plain if else_ else passage, quote, quote) for quote, else_ in zip(quotes, own, strict=True)]
    rows = [(passage if passage.label else plain, quotes[0], quotes[0])] if not roles[0] else []
    for quote, found, role in list(zip(quotes, labels, roles, strict=True))[len(rows) :]:
        told = found is not None and role
        where = replace(plain, role=role, label=found[1]) if found and role else plain
        rows.append((where, quote, quote[found.end() :] if found and told else quote))
    return rows
