"""Acceptance criteria and headlines, made of the sentence's own words: its actor, action, condition and number."""

from __future__ import annotations

import re

from workers.builtin.clauses import Clause
from workers.builtin.language import Lexicon
from workers.builtin.material import lower_first, short, strip_end, upper_first
from workers.builtin.request import Need
from workers.documents.words import spoken

MAX_CRITERIA = 6
SYSTEM = frozenset({"", "it", "the system", "the app", "the application", "the service", "系统", "它"})
_WHEN = re.compile(r"^(?:when|whenever|if|while|as soon as)\s+", re.IGNORECASE)
_UNTIL = re.compile(r"(?<=.)时$")  # 断网时: the wording has its own 时
_TIMING = re.compile(
    r"^(?:after|before|until|once|during)\b", re.IGNORECASE
)  # says when it is done, is no case of its own
_RECEIVES = re.compile(r"^(?:see|get|view|receive)\s")
_PLURAL_NOT = re.compile(r"(?:ss|us|is)$")


def headline(need: Need, lex: Lexicon) -> str:
    """A short title of the requirement: who does what, or what is done."""
    c = need.clause
    action = strip_end(spoken(c.action))
    if (
        need.kind == "exclusion"
        or not c.subject
        or not c.actions
        or c.negated
        or (need.by_default and lex.language == "en")
    ):
        return short(upper_first(spoken(need.text)))
    if lex.language == "zh":
        return short(
            upper_first(spoken(need.text)) if c.conditions else f"{upper_first(c.actor or c.subject)}{action}"
        )
    if c.subject.lower() in SYSTEM:
        return short(upper_first(re.sub(r"^be\s+", "", action)))
    return short(upper_first(_done(action, c, lex, _named(c.subject))))


def _named(subject: str) -> str:
    """`Names and numbers are personal data: they` -> `Names and numbers`."""
    before, colon, after = subject.partition(":")
    told = (
        re.split(r"\s(?:is|are)\s", before)[0]
        if colon and after.strip().lower() in ("they", "it", "these")
        else ""
    )
    return told or (after.strip() if colon and after.strip() else subject)


def criteria(need: Need, lex: Lexicon) -> list[str]:
    """One criterion for each thing the sentence asks for, one more for each further condition."""
    text = lower_first(strip_end(need.text))
    if need.kind == "exclusion":
        return [lex.say("criterion_excluded", text=text)]
    if need.part:
        return [lex.say("criterion_part", text=re.sub(r"^an?\s+", "the ", text))]
    c = need.clause
    if not c.actions or (need.by_default and not c.actor):
        key = (
            "criterion_measured"
            if any(ch.isdigit() for ch in text) or need.kind != "functional"
            else "criterion_done"
        )
        return [lex.say(key, text=text)]
    found: list[str] = []
    for action in c.actions:
        found += _of_action(strip_end(action), c, lex, first=not found)
    return list(dict.fromkeys(found))[:MAX_CRITERIA]


def _of_action(action: str, c: Clause, lex: Lexicon, *, first: bool) -> list[str]:
    own = [condition for condition in c.conditions if condition in action and not _TIMING.match(condition)]
    leading = [condition for condition in c.conditions if not any(condition in piece for piece in c.actions)]
    bare = action
    for condition in own[:1]:
        bare = re.sub(r"\s+(?:and|and again)$", "", strip_end(action[: action.index(condition)])) or action
    if c.actor and not re.match(r"be\s", action):
        return [_by_actor(bare, c, lex, (own or leading))]
    doing = _done(bare, c, lex)
    conditions = own or leading
    if conditions:
        return [
            lex.say("criterion_when", condition=_UNTIL.sub("", _WHEN.sub("", condition)), doing=doing)
            for condition in conditions
        ]
    return [lex.say("criterion_observed", doing=doing)]


def _by_actor(action: str, c: Clause, lex: Lexicon, conditions: list[str]) -> str:
    measure = next(
        (m for m in c.measures if m in action and len(m.split()) > 1 and any(ch.isdigit() for ch in m)), ""
    )
    cut = (
        strip_end(" ".join(action.replace(measure, " ").split()))
        if measure and action.endswith(measure)
        else ""
    )
    who = lower_first(c.actor if len(c.subject) > 60 else c.subject)
    given = " ".join([who, *conditions[:1]]) if lex.language == "en" else "，".join([who, *conditions[:1]])
    if _RECEIVES.match(action) and not c.negated:
        return lex.say("criterion_actor_gets", who=given, action=action)
    if cut:
        return lex.say("criterion_actor_measured", who=given, action=cut, measure=measure)
    return lex.say("criterion_actor_not" if c.negated else "criterion_actor", who=given, action=action)


def _done(action: str, c: Clause, lex: Lexicon, subject: str = "") -> str:
    """Subject and action as a statement of fact: `the system shows ...`, `names are encrypted ...`."""
    subject = subject or (lex.say("system") if c.subject.lower() in SYSTEM else lower_first(c.subject))
    if lex.language == "zh":
        return f"{subject}{'不' if c.negated else ''}{action}"
    several = _several(subject)
    if re.match(r"be\s", action):
        verb = ("are" if several else "is") + (" not" if c.negated else "")
        return f"{subject} {verb} {action[3:]}"
    if c.negated:
        return f"{subject} {'do' if several else 'does'} not {action}"
    return f"{subject} {action if several else _third_person(action)}"


def _several(subject: str) -> bool:
    head = re.split(r"\s+(?:who|that|which|of|with|in|on|for|from)\s", subject.rsplit(":", 1)[-1].strip())[0]
    words = head.split()
    if not words or words[0].lower() in ("each", "every", "a", "an", "it", "this", "any"):
        return False
    return words[-1].lower() in ("they", "people", "staff", "data") or (
        words[-1].lower().endswith("s") and not _PLURAL_NOT.search(words[-1].lower())
    )


def _third_person(action: str) -> str:
    verb, _, rest = action.partition(" ")
    low = verb.lower()
    if low in ("have", "do", "go"):
        said = {"have": "has", "do": "does", "go": "goes"}[low]
    elif re.search(r"(?:s|x|z|ch|sh)$", low):
        said = verb + "es"
    elif re.search(r"[^aeiou]y$", low):
        said = verb[:-1] + "ies"
    else:
        said = verb + "s"
    return f"{said} {rest}".strip()


def base(verb: str, lex: Lexicon) -> str:
    """`converts` -> `convert`."""
    low = verb.lower()
    return next(
        (known for known in lex.verbs if low in (f"{known}s", f"{known}es", f"{known[:-1]}ies")), verb
    )
