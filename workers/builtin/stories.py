"""What somebody wants of a requirement, as a user story tells it: `to add a patient`, `the system to show the queue`."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Iterable

from orchestrator.domain.patterns import expression
from orchestrator.domain.tongues import tongue
from workers.builtin.analysis import Need
from workers.builtin.clauses import first_modal, story_wish
from workers.builtin.criteria import BEHIND_ADJECTIVE, NOBODY_ELSE, SYSTEM
from workers.builtin.material import Material
from workers.builtin.names import singular
from workers.builtin.people import is_person
from workers.builtin.phrases import ASIDE, lower_first, strip_end, upper_first
from workers.builtin.short_names import bare_wish, infinitive, stated, wished
from workers.builtin.titles import ORDER
from workers.builtin.verb_forms import base
from workers.builtin.wishes import imperative, is_reserved, same_person
from workers.documents.content import UserStory
from workers.documents.lexicon import Lexicon, lexicon_of
from workers.documents.reading_words import statement_words

_MADE = expression(rf"{ORDER}(?=(?:an?|the|our|my)\s)", re.IGNORECASE)
_LACKS = expression(
    r"^(?:\S+ ){0,2}\S+ needs?\s((?:an?|some|the)\s.+)$", re.IGNORECASE | re.DOTALL
)  # `The office needs a list`
_RESUMED = expression(  # a subject that ends in the subject of another clause: `Scanners that we`
    r"\b(?:and|so|but|that|which|who|whom|where|when),? (?:they|it|we|you|i|he|she|this|that|these)$",
    re.IGNORECASE,
)
_SEVERAL_CLAUSES = expression(
    r"\s[—–-]\s|[:：;；](?!\d)|(?<=\w\w)[.!?]\s+\S|\s\|\s|^[\"“]|\b(?:and|but) (?:the|an?|its?|their|nobody|they) (?:[\w'’-]+ ){0,4}?(?:is|are|was|must|can|has|have|should)\b"
)
_SUBORDINATE = expression(
    r"\b(?:how|what|why|whether|once|if|because|when|while|where|than|so|[—–:;(|])(?:\s|$)", re.IGNORECASE
)
_TELLS = expression(  # a verb in a form that only a clause has
    r"\b(?:is|are|was|were|be|am|do|does|did|has|have|had|can|cannot|could|may|might|will|would|must|should|shall|not|lets?|i|we|they|it|you)\b|n['’]t\b"
    r"|^(?:the|an?) .*\b\w{3,}s (?:an?|the|its|their|no)\b|\b(?:how|what|why|where|whether|once|if|because|when|while)\b",
    re.IGNORECASE,
)
_OBJECT = expression(
    r"^\w+ (?:the|an?|your|my|our|their|its|all|any)\b", re.IGNORECASE
)  # `Run the simulation`
_LEADING = expression(r"^(?:(?:and|also|then|please|but|so|oh)[,:]? )+", re.IGNORECASE)
_MODAL = expression(r"^(?:must|shall|should|may|can|will)\s+(?!not\b|i\b|we\b|you\b|the\b)", re.IGNORECASE)
_IS = expression(
    r"(?P<subject>[^,;:—–|(]{2,80}?) (?P<be>is|are|has|have) (?P<rest>.+)", re.IGNORECASE | re.DOTALL
)
_POSSIBLE = expression(
    r"it (?:must|has to|should|needs to|shall) be possible (?:for (?:the |an? |all )?(?P<who>[^,.;]{2,40}?) )?to (?P<what>.+)",
    re.IGNORECASE | re.DOTALL,
)
_THING_THAT = expression(
    r"(?:an?|some) (?:[\w-]+ ){1,4}?(?:where|in which|on which|with which) \w", re.IGNORECASE
)
_LONG = 16  # words of a thing that is wanted as it is called
_FAILS = expression(
    r"\w+ (?:fails|breaks|crashes|hangs|freezes|stops)\b", re.IGNORECASE
)  # `Login fails`: no order
_CELLS = 3  # of a story told in a row: who, what, and why
_NAMED_THING = expression(  # `csv data export`: a thing, of which nothing is told
    r"(?!.*\b(?:is|are|was|were|be|do|does|did|has|have|can|cannot|could|may|will|would|must|should|shall|not)\b)(?:[\w/+#-]+ ){0,5}[\w-]*(?:export|import|support|toggle|mode|button|page|view|list|filter|search|report|option|setting|integration|notification|login|dashboard|menu|command|api|tion|ment)s?[.]?",
    re.IGNORECASE,
)


def story(need: Need, m: Material) -> UserStory:
    c = need.clause
    lex = lexicon_of(need.text)
    beside = ASIDE.sub("", need.text)
    whole = need is m.analysis.told  # its parts say who does what
    named = "" if whole else next((name for name in m.actor_names() if _mentions(beside, name)), "")
    told_in_cells = _of_cells(need.text, lex)
    if told_in_cells is not None:
        return told_in_cells
    so = None if whole else lex.find("so_that", need.text)
    purpose = so[0] if so else ""
    befalls = any(action.startswith("be ") for action in c.actions)  # nobody wants what happens to them
    anyone = c.subject.lower() in statement_words("anyone")
    reserved = is_reserved(need.text)
    acts = (c.actor or anyone) and c.actions and not befalls and not c.negated and not reserved
    who = c.actor or named or m.main_actor()
    if NOBODY_ELSE.match(need.text):
        text = lower_first(strip_end(need.text))
        return UserStory(as_a=one_of(m.main_actor(), lex), i_want=lex.say("story_want_limit", text=text))
    possible = _POSSIBLE.match(strip_end(need.text))
    if possible:
        return UserStory(as_a=one_of(possible["who"] or who, lex), i_want=f"to {possible['what']}")
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
    if (
        told is None
        and m.ask
        and m.ask.kind == "fix"
        and need.text in m.analysis.text
        and not first_modal(need.text, lex)
    ):
        want = lex.say("story_want_fixed", text=lower_first(strip_end(need.text)))
    elif told is not None:
        want = told.text if told.is_thing else _infinitive(c.actions or [told.text], lex)
    else:
        want = plain or (_infinitive(c.actions, lex) if acts else _wanted(need, lex, m))
    if purpose and want.count(purpose) == 1 and want.index(purpose) > 0:  # it is told once
        want = strip_end(want.replace(purpose, ""))
    return UserStory(as_a=one_of(who, lex), i_want=want, so_that=strip_end(so[1]) if so else "")


def _plain(need: Need, who: str, lex: Lexicon) -> str:
    """What is wanted by a statement without a modal verb; empty for another one."""
    if need.clause.subject and not need.by_default and not wished(need.text):
        return ""
    if lex.language == "en" and not need.title and (wish := bare_wish(need.text)):
        return wish
    if _is_broken(need.text) or (need.title and not need.clause.actor):
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
    is_thing = made and (made.end() or need.text[:1] in "Aa")  # `The export cuts off a row` is none
    if made and is_thing and not stated(need.text, lex):
        said = strip_end(need.text[made.end() :])
        named = said.casefold().find(need.title.casefold()) if need.title else -1
        return lower_first(said[: named + len(need.title)] if named >= 0 else said)
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
    thing = _LACKS.match(ASIDE.sub("", need.text)) if lex.language == "en" else None
    if thing:
        return strip_end(thing[1])
    if _NAMED_THING.fullmatch(need.text) and not imperative(need.text, lex):
        return strip_end(need.text)
    who = _LEADING.sub("", c.subject)
    broken = _RESUMED.search(who) or _SUBORDINATE.search(who)
    nobody = need.title and not c.actor and c.subject.lower() not in SYSTEM - {""}
    if (
        not c.subject
        or not c.actions
        or broken
        or nobody
        or (lex.language == "en" and BEHIND_ADJECTIVE.match(c.action))
        or (lex.language == "en" and _is_broken(c.sentence))
    ):
        return _as_it_is(need, lex)
    subject = lex.say("system") if who.lower() in SYSTEM else lower_first(who)
    pieces = [strip_end(action).removeprefix("to ") for action in c.actions]
    return lex.say(
        "want_system", subject=subject, action="，".join(pieces) if lex.language == "zh" else lex.join(pieces)
    )


def _of_cells(text: str, lex: Lexicon) -> UserStory | None:
    """A story that stands in a row of a table: `Registrar | to record a burial | the register is complete`."""
    cells = text.split(" | ")
    if len(cells) != _CELLS or not is_person(cells[0], lex):
        return None
    want = (
        cells[1].strip() if lex.language != "en" or cells[1].startswith("to ") else f"to {cells[1].strip()}"
    )
    return UserStory(as_a=one_of(cells[0].strip(), lex), i_want=strip_end(want), so_that=strip_end(cells[2]))


def _is_broken(text: str) -> bool:
    """Whether a statement has several clauses or sentences, of which one cannot stand for all."""
    return _SEVERAL_CLAUSES.search(ASIDE.sub("", _LEADING.sub("", strip_end(text)))) is not None


def _as_it_is(need: Need, lex: Lexicon) -> str:
    """What is wanted in the statement's own words: by its short name, as a thing, as an order, else whole."""
    said = strip_end(need.text)
    if lex.language != "en":
        return lex.say("want_text", text=lower_first(said))
    said = strip_end(need.title) or _LEADING.sub("", said)
    bare = _MODAL.sub("", said)
    said, bare = (text if "`" in text else text.replace(" | ", ": ") for text in (said, bare))
    verb = bare.split(" ")[0].lower()
    is_name = need.title and verb in statement_words("also_nouns") and not _OBJECT.search(said)
    orders = imperative(said, lex) and not is_name and not _FAILS.match(said)
    if bare != said or orders:
        if bare == said and verb in statement_words("by_people"):
            return f"to {lower_first(said)}"
        return lex.say("want_system", subject=lex.say("system"), action=bare[:1].lower() + bare[1:])
    if need.title:
        return lex.say("want_feature", text=said)
    if _THING_THAT.match(said):
        return _inside(said)
    if len(said.split()) <= _LONG and not _TELLS.search(said) and stated(said, lex) is None:
        return _inside(said)
    state = _IS.fullmatch(said)
    if state and not _TELLS.search(state["subject"]) and not _is_broken(said):
        be = "be" if state["be"].lower() in ("is", "are") else "have"
        return f"{_inside(state['subject'])} to {be} {state['rest']}"
    return lex.say("want_text", text=_inside(said))


def _inside(text: str) -> str:
    """A text inside a sentence; one with letters of another language keeps its capitals, which may be those of nouns."""
    return lower_first(text) if text.isascii() else text


def _mentions(text: str, name: str) -> bool:
    return name.lower().rstrip("s") in text.lower()
