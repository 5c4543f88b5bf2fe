"""People a statement names without letting them act: by whom something is done, for whom it is, who holds a right.

`Prices are entered by the buyer`, `seen by committee members only`, `one view for the general manager`, `whoever is club admin`.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression
from workers.builtin.people import ARTICLE, is_known, is_one_of, is_person, may_modify, names_somebody
from workers.documents.audience import without_denied
from workers.documents.lexicon import Lexicon
from workers.documents.reading_words import people_words

_SOON = r"(?:(?:on|over|out|back|up|down|straight|directly|first|only|also|either|exclusively|solely|at once|immediately|automatically) )*"
_LEADS = expression(  # what stands before those whom something is done by, or for whom it is
    r"\b(?:"
    r"(?!(?:asked|demanded|funded|sponsored|financed|commissioned|caused|damaged|stolen|lost|sorted|grouped|filtered|ordered|divided|split|multiplied|followed|increased|reduced|searched|broken|replaced|supplied|delivered|provided|installed|built|hosted|maintained)\b)"
    rf"[a-z]{{1,16}}(?:ed|en|wn|pt|nt|id|de|ld|lt|et|ut|ght|ad|un) {_SOON}by"
    rf"|(?:visible|available|accessible|shown|sent|e-?mailed|mailed|texted|forwarded|passed|handed|escalated|reported|assigned|given|offered|known|open|announced|limited|restricted|reserved|granted|addressed|pushed|readable|presented|disclosed|distributed|submitted|routed|transferred|shared) {_SOON}(?:to|for|with)"
    rf"|(?:go|goes|pass|passes) {_SOON}to"
    r"|(?:links?|pages?|lists?|slips?|views?|reports?|screens?|apps?|feeds?|messages?|cop(?:y|ies)|displays?|notices?|summar(?:y|ies)|exports?|reminders?|forms?|portals?|dashboards?|letters?|mails?|log-?ins?|accounts?|access|interfaces?|overviews?|digests?|alarms?|alerts?|warnings?|notifications?|sms|e-?mails?|buttons?|calendars?|rosters?|rotas?|timetables?|maps?|sheets?|print-?outs?|downloads?|pdfs?|queues?|worklists?|areas?|modes?|consoles?|boards?|charts?|statistics|figures)(?: \([^()]{1,30}\))? (?:only )?for"
    r"|(?:messages?|texts?|e-?mails?|mails?|sms|notices?|letters?|warnings?|alerts?|alarms?|lists?|cop(?:y|ies)|reports?|invoices?|receipts?|word|notifications?|push|calls?) to"
    r"|(?:possible|impossible) for|(?:logs?|logged|signs?|signed) in as"
    r"|(?:notify|notifies|remind|alert|inform|warn|tell)s?"
    r") (?:only )?",
    re.IGNORECASE,
)
_AT_LAST = expression(r", to (?=[^.;,]{3,60}\.?$)")  # `Weekly list of what expires, to branch leads`
_HOLDS = expression(  # who has a right or an office, whoever they are
    r"\b(?:whoever|anyone|anybody|everyone|everybody|those|users?|people|persons?|accounts?|somebody|someone)(?: who| that)? (?:is|are|has|have|holds?|with|in)(?: the| an?| our)? [*_`\"“]{0,2}(?P<who>[a-z][\w-]*(?: [\w-]+){0,2}?)[*_`\"”]{0,2}(?P<right> (?:role|rights?|permissions?|privileges?)\b)?(?= (?:can|may|must|shall|should|will|sees?|gets?|receives?|has|have|is|are)\b|[,.;]|$)",
    re.IGNORECASE,
)
_WORD = expression(r"([^\W\d_][\w-]*)(?![\w'’])")
_ENDS = expression(  # what may stand behind a name, rather than the rest of a longer noun
    r"\s*(?:$|[^\w\s'’-])| (?:and|or|nor|only|alone|who|that|which|when|whenever|if|in|on|at|by|with|without|from|for|to|of|as|every|each|before|after|within|until|via|through|over|about|is|are|was|were|can|may|must|shall|should|will|then|so|how|what|where|while|once|first|too|also|again|directly|automatically|instead)\b"
)
_ON_DUTY = expression(r" (?:on|in) (?:duty|shift|call|charge)\b")
_AND = expression(r"(?:,(?: and| or)?| and| or) (?=[a-z])|/(?=[a-z])", re.IGNORECASE)
_MASS = frozenset({"staff", "crew", "personnel", "management"})
_LONGEST = 4  # words of a name


def people_reached(text: str, lex: Lexicon) -> list[str]:
    """The names of those to whom a statement gives, shows or leaves something, and of who holds a right."""
    said = without_denied(text)
    found = [
        name
        for pattern in (_LEADS, _AT_LAST)
        for match in pattern.finditer(said)
        for name in _names_at(said, match.end(), lex)
    ]
    return list(dict.fromkeys([*found, *holders(said)]))


def holders(text: str) -> list[str]:
    """Who holds a right or an office: `whoever is club admin`, `users with the *dispatcher* role`."""
    return [
        match["who"]
        for match in _HOLDS.finditer(text)
        if (match["right"] or is_known(match["who"])) and names_somebody(match["who"])
    ]


def _names_at(text: str, at: int, lex: Lexicon) -> list[str]:
    """The names that a list has from a place on: `for senders, carriers, and the depot clerk`. One is listed as people."""
    found: list[str] = []
    while True:
        article = ARTICLE.match(text[at : at + 60])
        start = at + (len(article[0]) if article else 0)
        name = _name_at(text, start, lex, led=article is not None)
        if not name:
            break
        found.append(name)
        joint = _AND.match(text, start + len(name))
        if not joint:
            break
        at = joint.end()
    return found if any(map(_is_sure, found)) else []


def _is_sure(name: str) -> bool:
    alone = " " not in name and (is_one_of("makers", name) or is_one_of("things_too", name))
    return is_known(re.split(" (?:on|in) ", name)[0]) and not alone


def _name_at(text: str, start: int, lex: Lexicon, *, led: bool) -> str:
    """The name that begins there, whole; empty when it is none of people, or the first part of a longer one."""
    end, words = start, 0
    while words < _LONGEST and (word := _WORD.match(text, end)) and may_modify(word[1]):
        end, words = word.end(), words + 1
        name = text[start:end]
        many = word[1].lower() in _MASS or (word[1].endswith("s") and not word[1].endswith("ss"))
        if (led or many or words > 1) and _ENDS.match(text, end) and is_person(name, lex):
            duty = _ON_DUTY.match(text, end)
            return "" if name.lower() in people_words("nobody") else name + (duty[0] if duty else "")
        if text[end : end + 1] != " ":
            return ""
        end += 1
    return ""
