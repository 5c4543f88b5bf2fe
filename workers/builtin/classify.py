"""Sorts sentences: requirement, limit, exclusion, goal, actor, dependency, question, or a description of the present.

The order of the rules is the order of trust: what the section says (its heading or label), then what the sentence says
(modal verbs, exclusions, questions), then its form (imperative, measured).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

from orchestrator.domain.text import is_cjk
from workers.builtin import names
from workers.builtin.analysis import Category, Goal, Kind, Need
from workers.builtin.clauses import Clause, actor_name, clause, first_modal
from workers.builtin.language import Lexicon, lexicon_of
from workers.builtin.markup import spoken
from workers.builtin.sentences import Sentence
from workers.documents.content import Moscow

_TRIM = " \t.,;:!?。，；：！？、"
_MUST = r"\b(?:must|shall|should|has to|have to)\b"
_TWO = re.compile(
    rf"^(.+?{_MUST}.+?),\s+(?:and|but)\s+((?:the|an?|each|every|all|its|their|it|they)\s.{{0,60}}?{_MUST}.+)$",
    re.IGNORECASE,
)
_SAID_IN_MANUAL = 5  # first sentences of a manual that stand for the request when nothing in it is asked for
_PROMISES = 15  # of the sentences in which a manual says what the thing does
_IS_A = re.compile(r"^(\S+(?: \S+){0,2}?) (?:is|are) (?:an?|the)\s")
_PRONOUN = re.compile(r"(?:they|he|she|and)\s", re.IGNORECASE)


class Reader:
    """Reads the sentences of one request in order and sorts them."""

    def __init__(self, found: list[Sentence]) -> None:
        self.found = found
        self.rich = any(row.role in ("requirements", "limits") for row in found)
        self.manual = _is_manual(found)
        self.needs: list[Need] = []
        self.goals: list[Goal] = []
        self.actors: dict[str, tuple[str, ...]] = {}
        self.situation: list[str] = []
        self.dependencies: list[str] = []
        self.questions: list[str] = []
        self.other: list[Sentence] = []

    def read(self) -> None:
        for row in self.found:
            for piece in _two_wishes(row):
                self._one(piece, lexicon_of(piece.text))
        told = subject_of(self.found) if self.manual else None
        if told and told[1].text not in self.situation:
            self.situation.insert(0, told[1].text)
        if not any(need.kind != "exclusion" for need in self.needs):
            stated = self._promised(told[0]) if told else []
            for row in (
                stated or self.other[: _SAID_IN_MANUAL if self.manual else None]
            ):  # a request without one wish in it: its statements are what there is
                self._need(row, lexicon_of(row.text), by_default=True)
                if row.text in self.situation:
                    self.situation.remove(row.text)

    def _promised(self, name: str) -> list[Sentence]:
        """Of a manual, the sentences that say what the thing does: `Rich can render tables.`"""
        does = re.compile(
            rf"^(?:The )?{re.escape(name)}(?: \w+)? (?!is\b|are\b|was\b|has been)[a-z]+\s", re.ASCII
        )
        found = [
            row
            for row in self.found
            if does.match(spoken(row.text))
            and not _IS_A.match(spoken(row.text))
            and not row.text.endswith((":", "?"))
        ]
        return list({row.text: row for row in found}.values())[:_PROMISES]

    def _one(self, row: Sentence, lex: Lexicon) -> None:
        text = row.text
        if not re.search(r"\w", text):
            return
        if text.rstrip().endswith(("?", "？")) or lex.find("question", text) or row.role == "questions":
            self.questions.append(row.quote)
            return
        if row.role == "out" or row.priority == "Won't" or self._excluded(row, lex):
            self._need(row, lex, exclusion=True)
            if lex.find("dependency", text):
                self.dependencies.append(text)
            return
        if row.role == "goals":
            self.goals.append(goal_of(text, lex))
            return
        modal = first_modal(text, lex)
        if lex.find("dependency", text) and (row.role == "dependencies" or not self.manual):
            self.dependencies.append(text)
            if not modal and row.role not in ("requirements",) and not _imperative(text, lex):
                return
        if row.role == "users":
            self._user(row, lex, strong=bool(modal and modal[0] != "Could"))
            return
        if self._background(row, lex):
            (self._wanted if lex.find("want", text) and not self._now(text, lex) else self._situated)(
                row, lex
            )
            return
        if row.role == "instructions" or (self.manual and self._described(row, modal)):
            if modal and modal[0] == "Must" and not re.search(r"\byou\b|[你您]", text, re.IGNORECASE):
                self._need(row, lex)
            else:
                self.other.append(row)
            return
        if lex.find("want", text) and not modal and row.role != "requirements" and self.rich:
            self._wanted(row, lex)
            return
        if modal or row.role in ("requirements", "limits") or row.priority:
            if text.endswith((":", "：")) and not row.item:
                return
            self._need(row, lex, by_default=not modal and not row.priority)
            return
        if (
            lex.weak.search(text)
            or (
                is_cjk(text) and lex.language != "zh"
            )  # Japanese, Korean: no rules tell a wish from a description
            or _imperative(text, lex)
            or (self._category(text, lex) and any(c.isdigit() for c in text))
        ):
            self._need(row, lex, by_default=True)
            return
        self._situated(row, lex)

    def _described(self, row: Sentence, modal: tuple[str, re.Match[str]] | None) -> bool:
        """In a manual, only the items of a list of wishes and sentences with a strong modal ask for something."""
        return not (row.role == "requirements" and row.item and not re.search(r"https?:", row.text)) and not (
            modal and modal[0] == "Must"
        )

    def _excluded(self, row: Sentence, lex: Lexicon) -> bool:
        if row.role in ("background", "users", "instructions") or self.manual:
            return False
        if lex.find("exclusion", row.text):
            return True
        return (
            bool(lex.find("bare_no", row.text))
            and row.role == "requirements"
            and not first_modal(row.text, lex)
        )

    def _now(self, text: str, lex: Lexicon) -> bool:
        return bool(lex.find("now", text))

    def _background(self, row: Sentence, lex: Lexicon) -> bool:
        """Whether the sentence describes the present rather than asking for something."""
        if self._now(row.text, lex) and not re.search(r"\b(?:must|shall|should)\b|必须|应该|应当", row.text):
            return True
        if row.role != "background" and not (row.role == "" and row.intro and self.rich):
            return False
        strong = re.search(r"\b(?:must|shall|should)\b|必须|应该|应当", row.text, re.IGNORECASE)
        return not strong or self._now(row.text, lex)

    def _situated(self, row: Sentence, lex: Lexicon) -> None:
        self.situation.append(row.text)
        self.other.append(row)

    def _wanted(self, row: Sentence, lex: Lexicon) -> None:
        self.goals.append(goal_of(row.text, lex))
        self.other.append(row)

    def _user(self, row: Sentence, lex: Lexicon, *, strong: bool) -> None:
        if strong and not row.item:
            self._need(row, lex)
            return
        if lex.language == "zh" and not row.item:
            for name in re.split(r"[、,，和及]", row.text.strip(_TRIM)):
                if 1 < len(name.strip()) <= 20:
                    self.actors.setdefault(name.strip(), ())
            return
        name = actor_name(row.text)
        if name and len(name) <= 60:
            rest = row.text.strip(_TRIM)
            self.actors.setdefault(name, (rest,) if len(rest) > len(name) + 3 else ())
        if strong:
            self._need(row, lex)

    def _category(self, text: str, lex: Lexicon) -> Category:
        return next((cast(Category, name) for name, pattern in lex.categories if pattern.search(text)), "")

    def _need(
        self, row: Sentence, lex: Lexicon, *, by_default: bool = False, exclusion: bool = False
    ) -> None:
        known = tuple(self.actors)
        taken = clause(row.text, known)
        modal = first_modal(row.text, lex)
        if not taken.actor and _PRONOUN.match(row.text) and self.needs and self.needs[-1].quote == row.quote:
            taken = replace(taken, actor=self.needs[-1].clause.actor)
        moscow: Moscow = "Won't" if exclusion else (modal[0] if modal else row.priority or "Must")  # type: ignore[assignment]
        category = self._category(row.text, lex)
        kind: Kind = "exclusion" if exclusion else self._kind(row, lex, taken, category)
        category = category if kind == "nonfunctional" else ""
        self.needs.append(Need(row.text, row.quote, kind, moscow, category, taken, by_default and not modal))
        if taken.actor and taken.able and not exclusion:
            self._actor(taken.actor, row.text)

    def _kind(self, row: Sentence, lex: Lexicon, taken: Clause, category: str) -> Kind:
        if row.role == "limits":
            return "nonfunctional" if category else "constraint"
        if not category or taken.actor or _imperative(row.text, lex):
            return "functional"
        if category in ("P", "SC") and (taken.conditions or not any(c.isdigit() for c in row.text)):
            return "functional"
        return "nonfunctional"

    def _actor(self, name: str, text: str) -> None:
        same = [known for known in self.actors if same_person(known, name)]
        if not same and len(name) <= 60:
            self.actors[name] = ()
            same = [name]
        for known in same[:1]:
            if len(self.actors[known]) < 6 and text not in self.actors[known]:
                self.actors[known] = (*self.actors[known], text)


def subject_of(found: list[Sentence]) -> tuple[str, Sentence] | None:
    """What a manual is about, by its first `X is a ...`."""
    for row in found[:15]:
        match = _IS_A.match(spoken(row.text))
        if match and match[1].lower() not in ("this", "it", "there", "that", "here"):
            return match[1], row
    return None


def _is_manual(found: list[Sentence]) -> bool:
    """Whether the text explains something that exists, as a README does: sections on use, sentences to `you`."""
    told = sum(bool(re.search(r"\byou(?:r|'re|'ll)?\b|[你您]", row.text, re.IGNORECASE)) for row in found)
    sections = {row.heading for row in found if row.role == "instructions"}
    return len(sections) >= 2 or told > 3 + len(found) // 8


def _two_wishes(row: Sentence) -> list[Sentence]:
    """`Pages must ..., and the queue must ...` asks for two things of two subjects."""
    match = _TWO.match(row.text)
    return [replace(row, text=match[1]), replace(row, text=match[2])] if match else [row]


def same_person(one: str, other: str) -> bool:
    a, b = names.singular(one.lower()), names.singular(other.lower())
    return a == b or (len(a) > 3 and a.endswith(b)) or (len(b) > 3 and b.endswith(a))


def _imperative(text: str, lex: Lexicon) -> bool:
    if lex.language == "zh":
        return any(text.startswith(verb) for verb in lex.verbs) or bool(re.match(r"(?:请|帮我|为|给)", text))
    first = re.match(r"(?:please\s+|also\s+|then\s+)?([A-Za-z]+)\s+\S", text, re.IGNORECASE)
    return bool(first) and first is not None and first[1].lower() in lex.verbs


def goal_of(text: str, lex: Lexicon) -> Goal:
    """A goal with its measure, when the sentence states one."""
    found = max(
        (m for m in lex.patterns["target"].finditer(text) if m[0].strip(_TRIM)),
        key=lambda m: (_is_bound(m[0]), -m.start()),
        default=None,
    )
    if not found:
        return Goal(text.strip())
    metric = " ".join((text[: found.start()] + " " + text[found.end() :]).split()).strip(_TRIM)
    metric = re.sub(r"^of\s+", "", metric)
    if lex.language == "zh":
        metric = (text[: found.start()] + text[found.end() :]).strip(_TRIM)
    return Goal(text.strip(), metric, found[0].strip(_TRIM))


def _is_bound(phrase: str) -> int:
    return int("%" in phrase) + 2 * int(bool(re.match(r"[A-Za-z一-鿿]{2,}", phrase)))
