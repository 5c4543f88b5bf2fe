"""Users whose stories a request tells: by a story itself, by the heading over it, or as the roles that a sentence has."""

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk
from workers.builtin.names import singular
from workers.builtin.people import actor_name, is_person, listed_people, names_somebody, people_named
from workers.builtin.wishes import listed
from workers.documents.audience import without_denied
from workers.documents.lexicon import lexicon_of
from workers.documents.passage import Passage
from workers.documents.sentences import UNREAD

_ANYONE = expression(
    r"(?:[\w-]+(?:ed|ing|in) )?users?(?!\S)|(?:person|people)$|我们?$|大家$|自己$", re.IGNORECASE
)
_LEADS = expression(  # to a list of wishes
    r"\bas (?:an?|the|our) ([a-z][\w'’ /-]{2,50}?),? i ?(?:\.{3}|…|[:：])", re.IGNORECASE
)
_ABLE = expression(  # to a list of what somebody can do: `Guests can:`
    r"^\W*(?:the |an? |each )?([a-z][\w'’ /-]{2,40}?) (?:can|may|(?:should|must|will|is|are)(?: be)? able to)\s*[:：]$",
    re.IGNORECASE,
)
_LOOKING = expression(r"(?<=\w) \w+ing (?:for|to|at|about|with) .*$")  # `a shop looking for couriers`
_SOMEBODY = expression(  # no role says who they are: `someone who lends tools`
    r"(?:someone|somebody|anyone|anybody|an? person) (?:who|with|new|\w+ing)\b", re.IGNORECASE
)
_STORIES_OF = expression(  # a heading: `User stories for skippers`
    r"\b(?:stories|use cases|journeys) (?:for|of) (?:the |our )?(?P<who>[^()（]+)(?:\((?P<inside>[^()]+)\))?",
    re.IGNORECASE,
)
_WANTS = expression(r"\W*(?:i )?(?:want|need|would like|wish)s? (?:to|an?|the)\b", re.IGNORECASE)
_ROLES_INSIDE = expression(  # `three roles (clerk, packer and driver)`
    r"(?:\b(?:roles|actors)\s|角色|参与者)[（(]([^（）()]+[、，,][^（）()]+)[)）]", re.IGNORECASE
)


def story_roles(text: str) -> list[str]:
    """Whose stories a text tells: `As a cook, I want ...`; nobody in particular is left out."""
    said = without_denied(text)
    patterns = lexicon_of(text).patterns
    found = [
        match for pattern in (patterns["as_a"], patterns["acts"], _LEADS) for match in pattern.finditer(said)
    ]
    told = [next(group for group in match.groups() if group) for match in found]
    whole = [name for name in told if _SOMEBODY.match(name)]
    names = [_LOOKING.sub("", actor_name(name)) for name in told if name not in whole]
    able = _ABLE.match(said)
    name = actor_name(able[1]) if able else ""
    acts = [name] if name.endswith(" users") or is_person(name, lexicon_of(said)) else []
    system = patterns["system"]  # `As the platform, I want ...` tells of nobody
    return whole + [
        name
        for name in [*names, *acts]
        if names_somebody(name) and not _ANYONE.match(name) and not system.search(name)
    ]


def headed(heading: Passage, below: Passage | None) -> list[str]:
    """Those whose stories stand below a heading that names them."""
    lex = lexicon_of(heading.text)
    of = _STORIES_OF.search(heading.text)
    if of:
        names = [actor_name(piece) for piece in [*listed(of["who"], 4), *listed(of["inside"] or "", 4)]]
        return [name for name in names if is_person(name, lex) and (is_cjk(name) or people_named(name))]
    name = actor_name(heading.text)
    last = name.rpartition("/")[2].strip()  # `Pilots / deck officers`
    if below is None or heading.role == "user" or people_named(last) != [last]:
        return []
    tellers = story_roles(below.text)
    own = any(singular(teller.lower()).endswith(singular(name.lower())) for teller in tellers)
    return [name] if (tellers and not own) or _WANTS.match(below.text) else []


def in_parentheses(passage: Passage) -> list[str]:
    """The roles that a sentence has in parentheses."""
    found = _ROLES_INSIDE.search(passage.text) if passage.role not in UNREAD else None
    lex = lexicon_of(passage.text)
    names = listed_people(listed(found[1], 4), lex) if found else []
    return names if any(is_person(name, lex) for name in names) else []
