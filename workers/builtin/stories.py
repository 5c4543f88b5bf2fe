"""What somebody wants of a requirement, as a user story tells it: `to add a patient`, `the system to show the queue`."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Iterable

from orchestrator.domain.patterns import expression
from orchestrator.domain.tongues import tongue
from workers.builtin.analysis import Need
from workers.builtin.clauses import story_wish
from workers.builtin.criteria import SYSTEM
from workers.builtin.material import Material
from workers.builtin.names import singular
from workers.builtin.phrases import ASIDE, lower_first, strip_end, upper_first
from workers.builtin.short_names import infinitive, stated, wished
from workers.builtin.titles import ORDER
from workers.builtin.verb_forms import base
from workers.builtin.wishes import imperative, is_reserved, same_person
from workers.documents.content import UserStory
from workers.documents.lexicon import Lexicon, lexicon_of
from workers.documents.reading_words import statement_words

_MADE = expression(rf"{ORDER}(?=(?:an?|the|our|my)\s)", re.IGNORECASE)
_LACKS = expression(
    r"^.{0,80}?\bneeds?\s((?:an?|some|the)\s.+)$", re.IGNORECASE | re.DOTALL
)  # `The office needs a list`
_RESUMED = expression(  # a subject that ends in the subject of another clause: `Scanners that we`
    r"\b(?:and|so|but|that|which|who|whom|where|when),? (?:they|it|we|you|i|he|she|this|that|these)$",
    re.IGNORECASE,
)
_NAMED_THING = expression(  # `csv data export`: a thing, of which nothing is told
    r"(?!.*\b(?:is|are|was|were|be|do|does|did|has|have|can|cannot|could|may|will|would|must|should|shall|not)\b)(?:[\w/+#-]+ ){0,5}[\w-]*(?:export|import|support|toggle|mode|button|page|view|list|filter|search|report|option|setting|integration|notification|login|dashboard|menu|command|api|tion|ment)s?[.]?",
    re.IGNORECASE,
)


def story(need: Need, m: Material) -> UserStory:
    c = need.clause
    lex = lexicon_of(need.text)
    beside = ASIDE.sub("", need.text)
    named = next((name for name in m.actor_names() if _mentions(beside, name)), "")
    so = lex.find("so_that", need.text)
    befalls = any(action.startswith("be ") for action in c.actions)  # nobody wants what happens to them
    anyone = c.subject.lower() in statement_words("anyone")
    reserved = is_reserved(need.text)
    acts = (c.actor or anyone) and c.actions and not befalls and not c.negated and not reserved
    who = c.actor or named or m.main_actor()
    if lex.language != "zh" and tongue(need.text):  # no rule here inflects its words
        return UserStory(
            as_a=who[:1] + one_of(who, lex)[1:], i_want=lex.say("story_want_limit", text=strip_end(need.text))
        )
    plain = (
        ""
        if reserved or (acts and not re.search(r"\b(?:and|or|but) (?:also )?(?:can|may|could) ", c.action))
        else _plain(need, who, lex)
    )
    told = story_wish(need.text, lex)
    if told is not None:
        want = told.text if told.is_thing else _infinitive(c.actions or [told.text], lex)
    else:
        want = plain or (_infinitive(c.actions, lex) if acts else _wanted(need, lex, m))
    return UserStory(as_a=one_of(who, lex), i_want=want, so_that=strip_end(so[1]) if so else "")


def _plain(need: Need, who: str, lex: Lexicon) -> str:
    """What is wanted by a statement without a modal verb; empty for another one."""
    if need.clause.subject and not need.by_default and not wished(need.text):
        return ""
    told = stated(need.text, lex)
    own = told is not None and same_person(_bare(told.subject), _bare(who))
    welcome = statement_words("welcome")
    acting = own and told is not None and (not told.verb.startswith("be ") or told.verb[3:] in welcome)
    return infinitive(need.text, lex, acting=acting)


def _bare(name: str) -> str:
    return re.sub(r"^(?:the|an?|each|every|all) ", "", name.lower())


_PEOPLE = expression(r"(\s(?:of|in|at|on|with|from|for|who|that|and|or)\s)")


def one_of(people: str, lex: Lexicon) -> str:
    """One of a group of people, as a story has them: `Patients` -> `patient`, `members of a team` -> `member of a team`."""
    if lex.language != "en":
        return people
    parts = _PEOPLE.split(people)
    named = [at for at in range(0, len(parts), 2) if at == 0 or parts[at - 1].strip() in ("and", "or")]
    parts = [singular(part) if at in named else part for at, part in enumerate(parts)]
    return lower_first("".join(parts))


def _infinitive(actions: Iterable[str], lex: Lexicon) -> str:
    """`to add a patient, to reorder the queue and to print a ticket`."""
    if lex.language == "zh":
        return "，".join(strip_end(action) for action in actions)
    return lex.join([f"to {strip_end(action)}" for action in actions])


def _wanted(need: Need, lex: Lexicon, m: Material) -> str:
    """What somebody wants of the system: `the system to show ...`, `names to be encrypted ...`."""
    c = need.clause
    made = _MADE.match(need.text) if lex.language == "en" and m.analysis.thin else None
    if made:
        return strip_end(need.text[made.end() :])
    if need.part and m.statement(need).endswith(need.text):
        verb, _, rest = need.text.partition(" ")
        does = m.statement(need) != upper_first(m.say("part_has", product=m.product, text=need.text))
        return m.say(
            "part_does_wanted" if does else "part_has_wanted",
            product=m.product,
            text=f"{base(verb, lex)} {rest}" if does else need.text,
        )
    if c.negated or is_reserved(need.text):
        return lex.say("story_want_limit", text=lower_first(strip_end(need.text)))
    thing = _LACKS.match(need.text) if lex.language == "en" else None
    if thing:
        return strip_end(thing[1])
    if _NAMED_THING.fullmatch(need.text) and not imperative(need.text, lex):
        return strip_end(need.text)
    if not c.subject or not c.actions or _RESUMED.search(c.subject):
        return lex.say("want_text", text=lower_first(strip_end(need.text)))
    subject = lex.say("system") if c.subject.lower() in SYSTEM else lower_first(c.subject)
    pieces = [strip_end(action).removeprefix("to ") for action in c.actions]
    return lex.say(
        "want_system", subject=subject, action="，".join(pieces) if lex.language == "zh" else lex.join(pieces)
    )


def _mentions(text: str, name: str) -> bool:
    return name.lower().rstrip("s") in text.lower()
