"""Everything one answer is made from: the facts of the task, the request taken apart, the repository as it was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TypeVar

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression
from workers.builtin.analysis import Need, RequestAnalysis
from workers.builtin.described import sentences_of, with_identifiers
from workers.builtin.known_kinds import Ask, ask_of, rows
from workers.builtin.names import plural
from workers.builtin.phrases import lower_first, strip_end, upper_first
from workers.builtin.request import analyse_request
from workers.builtin.said_sections import section_rows, with_sections
from workers.builtin.uncertain import is_hedged, only_asks
from workers.builtin.verb_forms import names_verb
from workers.documents.content import Brief, Content, Discovery, Goal, Requirement, Requirements
from workers.documents.lexicon import Lexicon, lexicon, lexicon_of
from workers.documents.repository import Repository, read_repository
from workers.documents.sentences import Sentence
from workers.documents.technologies import technologies

C = TypeVar("C", bound=Content)
_MAX_LINE = 2_000
_NO_LONGER = expression(  # what stands before a technology that is not wanted, with its name
    r"\b(?:instead of|rather than|in place of|no longer|not|no|without|remove|drop|replace)\s+"
    r"((?:the |use |using |any )?[\w.+#-]+(?: [A-Z][\w.+#-]+)?)|(?:而不是|不(?:再)?(?:使用|用)|替换)\s*([\w.+#-]+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Material:
    facts: Mapping[str, Json]
    analysis: RequestAnalysis
    lex: Lexicon
    repository: Repository | None
    check: Callable[[], None]  # raises when the run is over
    sections: tuple[Sentence, ...] = ()  # what a person said later under the name of a section

    def say(self, key: str, **values: object) -> str:
        words = {"product": "", "title": self.analysis.title, **values}
        if "{product}" in self.lex.wording[key] and not words["product"]:
            words["product"] = self.product
        text = re.sub("…[.。]", "…", self.lex.say(key, **words))[:_MAX_LINE]
        if self.analysis.manual and self.product[:1].isupper():  # a name stays a name behind a colon
            text = re.sub(
                rf"(?<=[:;] ){re.escape(self.product[:1].lower() + self.product[1:])}\b", self.product, text
            )
        return upper_first(text) if text.endswith((".", "?")) else text

    def given(self, model: type[C]) -> C | None:
        """The document of a kind that this one is drafted from or beside; None where there is none."""
        found = self.facts.get(model.__name__.lower())
        return found if isinstance(found, model) else None

    def before(self, model: type[C]) -> C | None:
        """The version of this document that is to be revised."""
        found = self.facts.get("previous")
        return found if isinstance(found, model) else None

    @property
    def wanted(self) -> list[Requirement]:
        """The requirements that are not ruled out."""
        found = self.given(Requirements)
        return [item for item in found.items if item.moscow != "Won't"] if found else []

    @property
    def withdrawn(self) -> frozenset[str]:
        """The identifiers of the requirements that are ruled out."""
        found = self.given(Requirements)
        return frozenset(item.id for item in found.items if item.moscow == "Won't") if found else frozenset()

    @property
    def goals(self) -> list[Goal]:
        brief = self.given(Brief)
        return brief.goals if brief else []

    def layer(self, name: str) -> str:
        """The name of a layer in the document's language; layers that an exploration names itself stay as they are."""
        return self.lex.wording.get(f"layer_{name}", name)

    @property
    def feedback(self) -> list[str]:
        """A person's words."""
        return self._pieces("feedback")

    @property
    def remarks(self) -> list[str]:
        """What a discussion said of the version before."""
        return self._pieces("remarks")

    def _pieces(self, key: str) -> list[str]:
        return [str(piece) for piece in self.facts.get(key) or [] if str(piece).strip()]

    def actor_names(self) -> list[str]:
        return [actor.name for actor in self.analysis.actors]

    def main_actor(self) -> str:
        """The only kind of people that the request names; a user where it names several or none."""
        return self.analysis.actors[0].name if len(self.analysis.actors) == 1 else self.say("user")

    def things(self) -> list[str]:
        return list(self.analysis.entities) or [self.analysis.title]

    @property
    def product(self) -> str:
        """What is asked for, as a sentence speaks of it: `the URL shortener`, `the work on billing`, `the product`."""
        if (
            self.lex.language == "en"
            and self.analysis.product == self.lex.say("change")
            and self.analysis.entities
        ):
            return f"the work on {self._with_determiner(self.analysis.entities[0])}"
        return self.analysis.product or self.lex.say("product")

    @property
    def ask(self) -> Ask | None:
        """What is known of the kind of a short request; None for a longer one and one of too few words."""
        a = self.analysis
        return ask_of(self._thing_asked(), self.lex.language) if a.thin and not a.vague else None

    def _thing_asked(self) -> str:
        """What a short request says it is for, up to the thing whose parts are told behind it."""
        named = self.analysis.told.title if self.analysis.told else ""
        at = self.called.casefold().find(named.casefold()) if named else -1
        return self.called[: at + len(named)] if at >= 0 else self.called

    @property
    def called(self) -> str:
        """What a request says it is for: a short one whole or by the clause that asks for it, a longer one by its title."""
        a = self.analysis
        if not a.thin or "\n" in a.asked.strip():
            return a.title
        clauses = [need.text for need in a.needs if not need.part]
        return clauses[0] if len(clauses) > 1 and a.asked.strip().startswith(clauses[0]) else a.asked

    @property
    def whole(self) -> str:
        """What is asked for, as the name of its only part."""
        thing = self.ask.thing if self.ask else self.analysis.title
        return upper_first(re.sub(r"^(?:the|our|my|your)\s+", "", thing))

    @property
    def excluded(self) -> str:
        """What the request does not want, one statement a line."""
        return "\n".join(need.text for need in self.analysis.exclusions)

    @property
    def technologies(self) -> list[tuple[str, str]]:
        """(name, layer) of those that are asked for or given; what is only complained of or excluded is none."""
        a = self.analysis
        said = [a.asked if a.thin else a.title, *(need.text for need in a.requirements), *a.dependencies]
        asked, given = "\n".join(said).lower(), "\n".join(a.dependencies).lower()
        return [
            (name, layer)
            for name, layer in a.technologies
            if _names(name, asked) and (_names(name, given) or not _names(name, self.excluded.lower()))
        ]

    @property
    def asked_later(self) -> tuple[list[tuple[str, str]], list[str]]:
        """(name, layer) of the technologies that a person's words ask for, and the names of those they no longer want."""
        lines = [line for line in sentences_of(self.feedback) if not (is_hedged(line) or only_asks(line))]
        text = "\n".join(lines)
        gone = {name for found in _NO_LONGER.finditer(text) for name, _ in technologies(found[1] or found[2])}
        kept = _NO_LONGER.sub(" ", text)
        return [each for each in technologies(kept) if each[0] not in gone], sorted(gone)

    def told_things(self, most: int = 4) -> list[str]:
        """The things as prose speaks of them: `the billing module`, `clinics`."""
        if self.lex.language == "zh":
            return self.things()[:most]
        if not self.analysis.entities:
            return [self.product]
        if self.analysis.thin:
            return [self._with_determiner(thing) for thing in self.things()[:most]]
        return [plural(thing) for thing in self.things()[:most]]

    def _with_determiner(self, thing: str) -> str:
        found = re.search(rf"\b(an?|the|our|my|your)\s+{re.escape(thing)}", self.analysis.text, re.IGNORECASE)
        if not found:
            return thing
        return f"{found[1].lower() if found[1].lower() not in ('a', 'an') else 'the'} {thing}"

    def statement(self, need: Need) -> str:
        """A need as a sentence; a part of a one-line request is no sentence yet."""
        if not need.part:
            return need.text
        verb, _, rest = need.text.partition(" ")
        does = self.lex.language == "en" and rest and names_verb(verb, self.lex)
        return upper_first(
            self.say("part_does" if does else "part_has", product=self.product, text=need.text)
        )

    def is_product(self, thing: str) -> bool:
        """Whether a thing is what is asked for as a whole, and so no part of it and no data in it."""
        return self.analysis.thin and (self.product.endswith(thing) or self.analysis.title.endswith(thing))

    @property
    def keeps_data(self) -> bool:
        """Whether the request asks for something that has to be kept."""
        known = {row.name: row for row in rows("decisions", self.lex.language)}["store"]
        return any(known.fits(need.text, self.excluded) for need in self.analysis.requirements)

    def said_actors(self, most: int = 5) -> str:
        """The people, inside a sentence: `patients, doctors and the clinic manager`."""
        if self.lex.language == "zh":
            return self.lex.join(self.actor_names()[:most] or [self.main_actor()])
        return self.lex.join(
            [self.the_people(n) for n in self.actor_names()[:most] or [f"{self.main_actor()}s"]]
        )

    def the_people(self, name: str) -> str:
        """`patients`, `the clinic manager`."""
        if self.lex.language == "zh":
            return name
        low = lower_first(name)
        return low if plural(low) == low else f"the {low}"

    def personal(self) -> list[str]:
        """Sentences of the request that concern personal data, those about protecting it first."""
        found = [need for need in self.analysis.needs if lexicon_of(need.text).find("personal", need.text)]
        return [need.text for need in sorted(found, key=lambda need: need.category != "S")]

    def several(self, texts: Iterable[str]) -> str:
        """Sentences in a row inside one sentence."""
        return ("；" if self.lex.language == "zh" else "; ").join(strip_end(text) for text in texts)


_analysed = lru_cache(maxsize=16)(analyse_request)


def material(facts: Mapping[str, Json], check: Callable[[], None]) -> Material:
    facts = _with_identifiers(facts)
    language = facts.get("language")
    analysis = _analysed(str(facts.get("request") or ""), language if language in ("en", "zh") else None)
    rows = section_rows(str(piece) for piece in facts.get("feedback") or [])
    analysis = with_sections(analysis, rows)
    codebase = facts.get("codebase")
    repository = read_repository(codebase) if isinstance(codebase, Mapping) and codebase else None
    return Material(facts, analysis, lexicon(analysis.language), repository, check, tuple(rows))


def _with_identifiers(facts: Mapping[str, Json]) -> Mapping[str, Json]:
    """The facts, in whose feedback requirements that are described are named; the brief comes before these."""
    previous, said = facts.get("previous"), facts.get("feedback")
    known = previous if isinstance(previous, Requirements) else facts.get("requirements")
    if not isinstance(known, Requirements) or isinstance(previous, Brief | Discovery) or not said:
        return facts
    return {**facts, "feedback": [with_identifiers(str(piece), known.items) for piece in said]}


def _names(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w]){re.escape(name.lower())}(?![\w])", text) is not None
