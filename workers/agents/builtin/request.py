"""Takes a request apart: what it asks for, for whom, within which limits, and what it leaves open.

The order of the rules is the order of trust: what the section says (its heading or label), then what the sentence says
(modal verbs, exclusions, questions), then its form (imperative, measured). Nothing is added that the text does not say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from workers.agents.builtin import names
from workers.agents.builtin.clauses import Clause, actor_name, clause, first_modal, is_person
from workers.agents.builtin.language import Lexicon, detect_language, lexicon_of
from workers.agents.builtin.reading import Sentence, blocks, lexicon_for, role_of, sentences, split
from workers.content import Moscow

Kind = Literal[
    "functional", "nonfunctional", "constraint", "exclusion", "goal"
]  # a goal only where coverage compares
Category = Literal["", "P", "S", "SC", "U"]

__all__ = ["Actor", "Goal", "Need", "RequestAnalysis", "analyse_request", "detect_language"]

MAX_NEEDS = 400
_TRIM = " \t.,;:!?。，；：！？、"
_MUST = r"\b(?:must|shall|should|has to|have to)\b"
_TWO = re.compile(
    rf"^(.+?{_MUST}.+?),\s+(?:and|but)\s+((?:the|an?|each|every|all|its|their|it|they)\s.{{0,60}}?{_MUST}.+)$",
    re.IGNORECASE,
)
_MAKE = re.compile(
    r"^(?:please\s+)?(?:(?:i|we)\s+(?:want|need|would like)\s+(?:to\s+)?)?"
    r"(?:(?:build|create|make|write|develop|implement|design)\s+(?:me |us )?)?(?:an?\s+|the\s+)?",
    re.IGNORECASE,
)
_STOP = frozenset(
    [
        "with",
        "for",
        "that",
        "which",
        "to",
        "into",
        "from",
        "where",
        "when",
        "in",
        "on",
        "at",
        "by",
        "and",
        "or",
        "of",
        "so",
        "is",
        "are",
        "as",
        "via",
        "using",
    ]
)
_PRONOUN = re.compile(r"(?:they|he|she|and)\s", re.IGNORECASE)
_THAT = re.compile(r"\s(?:that|which)\s+(?=\w+s\s)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Need:
    """One requirement, constraint or exclusion of the request."""

    text: str
    quote: str  # the sentence it stands in, word for word
    kind: Kind
    moscow: Moscow
    category: Category = ""
    clause: Clause = field(default_factory=lambda: Clause("", "en"))
    by_default: bool = False  # no modal verb said its priority
    part: bool = False  # a "with ..." part of a one-line request


@dataclass(frozen=True, slots=True)
class Goal:
    text: str
    metric: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class Actor:
    name: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestAnalysis:
    """What a request says, sorted. Every text is taken from the request."""

    text: str
    language: str
    title: str
    needs: tuple[Need, ...] = ()
    goals: tuple[Goal, ...] = ()
    actors: tuple[Actor, ...] = ()
    situation: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    technologies: tuple[tuple[str, str], ...] = ()  # (name, layer)
    domain: str = ""
    thin: bool = False  # a request of one or two sentences: there is little to be carried
    ui: bool = False

    @property
    def requirements(self) -> tuple[Need, ...]:
        """Everything to be carried by a REQ or NFR: all needs but the exclusions."""
        return tuple(need for need in self.needs if need.kind != "exclusion")

    @property
    def exclusions(self) -> tuple[Need, ...]:
        return tuple(need for need in self.needs if need.kind == "exclusion")

    @property
    def constraints(self) -> tuple[Need, ...]:
        return tuple(need for need in self.needs if need.kind in ("constraint", "nonfunctional"))


class _Reader:
    def __init__(self, found: list[Sentence]) -> None:
        self.found = found
        self.rich = any(row.role in ("requirements", "limits") for row in found)
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
        if not any(need.kind != "exclusion" for need in self.needs):
            for row in self.other:  # a request without one wish in it: its statements are what there is
                self._need(row, lexicon_of(row.text), by_default=True)
                if row.text in self.situation:
                    self.situation.remove(row.text)

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
        if lex.find("dependency", text):
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
        if row.role == "instructions":
            if modal and modal[0] == "Must" and not re.search(r"\byou\b|[你您]", text, re.IGNORECASE):
                self._need(row, lex)
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
            or _imperative(text, lex)
            or (self._category(text, lex) and any(c.isdigit() for c in text))
        ):
            self._need(row, lex, by_default=True)
            return
        self._situated(row, lex)

    def _excluded(self, row: Sentence, lex: Lexicon) -> bool:
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
        if len(self.needs) >= MAX_NEEDS:
            return
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
        same = [known for known in self.actors if _same_person(known, name)]
        if not same and len(name) <= 60:
            self.actors[name] = ()
            same = [name]
        for known in same[:1]:
            if len(self.actors[known]) < 6 and text not in self.actors[known]:
                self.actors[known] = (*self.actors[known], text)


def _two_wishes(row: Sentence) -> list[Sentence]:
    """`Pages must ..., and the queue must ...` asks for two things of two subjects."""
    match = _TWO.match(row.text)
    return [replace(row, text=match[1]), replace(row, text=match[2])] if match else [row]


def _same_person(one: str, other: str) -> bool:
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
    if lex.language == "zh":
        metric = (text[: found.start()] + text[found.end() :]).strip(_TRIM)
    return Goal(text.strip(), metric, found[0].strip(_TRIM))


def _is_bound(phrase: str) -> int:
    return int("%" in phrase) + 2 * int(bool(re.match(r"[A-Za-z一-鿿]{2,}", phrase)))


def _title(text: str, found: list[Sentence], lex: Lexicon) -> str:
    heading = next((block.text for block in blocks(text) if block.kind == "heading"), "")
    if heading and not role_of(heading, lexicon_of(heading)):
        return heading[:120]
    first = found[0].text.strip(_TRIM) if found else text.strip()[:80]
    if lex.language == "zh":
        for_whom = re.match(
            r"^(?:请|帮我)?(?:为|给).{1,14}?(?:做|写|开发|设计|搭建|实现|增加|添加|加上)(?:一[个套款])?(.+)$",
            first,
        )
        short = (
            for_whom[1]
            if for_whom
            else re.sub(
                r"^(?:请|帮我|我们|想要?|需要)*(?:做|写|开发|设计|搭建|实现)(?:一[个套款])?", "", first
            )
        )
        return re.split(r"[,，。;；]", short)[0][:40] or first[:40]
    short = _MAKE.sub("", first)
    pieces = re.split(r"[.,;:]\s|\s(?:so that|which|because)\s", short)
    short = pieces[0] if len(pieces[0].split()) > 1 else short
    words = short.split()
    return (" ".join(words[:12]) or first[:80])[:100]


def _with_parts(need: Need, lex: Lexicon) -> list[Need]:
    """`a URL shortener with an admin dashboard`: the parts after "with" are asked for as well."""
    text = need.text.strip(_TRIM)
    if lex.language == "zh":
        parts = [
            piece
            for match in lex.patterns["with"].finditer(text)
            for piece in re.split(r"[、，和及]", match[1] or match[2])
        ]
    else:
        pieces = lex.patterns["with"].split(text, maxsplit=1)
        if len(pieces) < 2:
            pieces = _THAT.split(text, maxsplit=1)
            if len(pieces) < 2 or not re.search(r"\s+and\s+|,", pieces[1]):
                return []
        parts = re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", pieces[1])
    return [
        Need(
            part.strip(_TRIM),
            need.quote,
            "functional",
            need.moscow,
            "",
            Clause(part, lex.language, actions=(part.strip(_TRIM),)),
            need.by_default,
            True,
        )
        for part in parts
        if len(part.strip(_TRIM)) > 1
    ]


def _asked_thing(title: str, lex: Lexicon) -> tuple[str, ...]:
    """What a one-line request is about: the noun phrase after its verb."""
    if lex.language == "zh":
        bare = re.sub(r"^带有?.+?的", "", title)
        return (re.split(r"[,，。]", bare)[0][:20],)
    words = title.split()
    if len(words) > 1 and words[0].lower() in lex.verbs:
        words = words[1:]
    while len(words) > 1 and words[0].lower() in ("the", "a", "an", "our", "my", "your", "from", "to"):
        words = words[1:]
    stop = next((i for i, word in enumerate(words) if i and word.lower().strip(_TRIM) in _STOP), len(words))
    return (" ".join(words[: min(stop, 4)]).strip(_TRIM) or title,)


def analyse_request(text: str, language: str | None = None) -> RequestAnalysis:
    """Take a request apart. Deterministic, never raises, invents nothing; works in English and Chinese."""
    lex = lexicon_for(language, text)
    found = sentences(text)
    reader = _Reader(found)
    reader.read()
    needs = reader.needs
    thin = len(found) <= 2 and len(text) < 600
    if thin:
        needs = [
            piece
            for need in needs
            for piece in (need, *(_with_parts(need, lex) if need.kind == "functional" else []))
        ]
    for pattern, whole in (("as_a", text), ("for_person", text if thin else "")):
        for match in lex.patterns[pattern].finditer(whole):
            if pattern == "as_a" or is_person(match[1], lex) or lex.language == "zh":
                name = actor_name(match[1])
                if (
                    name
                    and name not in ("我们", "我", "大家", "自己")
                    and not any(_same_person(name, old) for old in reader.actors)
                ):
                    reader.actors[name] = ()
    actors = tuple(Actor(name, said) for name, said in reader.actors.items())
    title = _title(text, found, lex)
    sayings = [need.text for need in needs if need.kind != "exclusion"]
    things = _asked_thing(title, lex) if thin else names.entities(sayings, tuple(reader.actors))
    named = {word.lower() for word, _ in names.technologies(text)}
    things = tuple(thing for thing in things if thing.lower() not in named or thin)
    return RequestAnalysis(
        text=text,
        language=lex.language,
        title=title or "-",
        needs=tuple(needs),
        goals=tuple(reader.goals),
        actors=actors,
        situation=tuple(dict.fromkeys(reader.situation)),
        dependencies=tuple(dict.fromkeys(reader.dependencies)),
        questions=tuple(dict.fromkeys(reader.questions)),
        entities=things,
        technologies=names.technologies(text),
        domain=names.domain(text, lex, title or "-"),
        thin=thin,
        ui=bool(lex.find("ui", text)),
    )


def quotes(text: str) -> list[str]:
    """The sentences of a short text such as feedback, in order."""
    return [piece for block in blocks(text) for piece in split(block.text, lexicon_of(block.text))]
