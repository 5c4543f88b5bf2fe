"""What of a specification was given: by the request, the repository, or a person since; the rest its writer proposed.

A `source` is a claim of the author: a statement counts as given when it claims to be, and the sources hold its words. What a
person said in feedback or answers, wrote into a page by hand, or approved and nobody has changed since, is given whatever
its `source`; what a person denies is not. Texts in another script than the request cannot be compared; then the claim counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from orchestrator.domain.basis import Basis, Question
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.patterns import expression
from workers.documents.content import Brief, Content, Goal, Requirement, Requirements
from workers.documents.lint import Sources
from workers.documents.lint.comparing import (
    CARRIED,
    Carriers,
    carries,
    hollow_words,
    is_negative,
    is_one_script,
    numbers,
    plain,
    share,
    tells,
    words,
)

_PIECES = expression(r"(?<=[^\d.])[.!?](?=\s|$)|[;。；！？|\n]")


@dataclass(frozen=True)
class Grounds:
    """The documents of one specification, and what they are held against."""

    contents: Mapping[str, Content]
    sources: Sources
    confirmed: frozenset[str] = field(
        default_factory=frozenset
    )  # items and documents a person wrote or approved
    mistaken: frozenset[str] = field(default_factory=frozenset)  # goals that the request names as no goal

    @cached_property
    def requirements(self) -> dict[str, Requirement]:
        """The given requirements that hold in this version, by id."""
        return {item.id: item for item in self._requirements if self._is_requirement_given(item)}

    @cached_property
    def goals(self) -> dict[str, Goal]:
        """The given goals, by id."""
        return {
            goal.id: goal
            for kind, brief in self._briefs
            for goal in brief.goals
            if goal.id not in self.mistaken and self._is_given(goal.source, [goal.text], goal.id, kind)
        }

    @cached_property
    def basis(self) -> Basis | None:
        """What the specification rests on; None where no document has goals or requirements.

        A question is answered by words that say what is meant: a heading with `Be better` below it answers none.
        """
        if not self._briefs and not self._requirements:
            return None
        every = sum(len(brief.goals) for _, brief in self._briefs) + len(self._requirements)
        given = len(self.goals) + len(self.requirements)
        answers = {
            Question.WHAT: any(tells(item.statement) for item in self.requirements.values()),
            Question.WHY: any(tells(goal.text) for goal in self.goals.values()) or self._tells_situation,
            Question.WHO: any(tells(name) for name in self._users),
            Question.MEASURE: self._is_measured,
            Question.BOUNDS: any(tells(text) for text in self._limits)
            or any(
                tells(item.statement) for item in self.requirements.values() if item.kind == "nonfunctional"
            ),
        }
        return Basis(given, every - given, frozenset(each for each, said in answers.items() if said))

    def is_criterion_given(self, text: str) -> bool:
        """Whether a criterion says what the sources say: most of its words are theirs, and all of its numbers."""
        if not self._is_comparable(text) or self._is_said(text):
            return True
        own = words(text) - hollow_words()
        return numbers(text) <= numbers(self._text) and share(own, words(self._text)) >= CARRIED

    def proposed_sections(self) -> Iterator[tuple[str, str]]:
        """Kind and key of the sections in which nobody but the writer has said anything."""
        for kind, brief in self._briefs:
            if kind in self.confirmed:
                continue
            scope = [(row.source, row.text) for row in (*brief.in_scope, *brief.out_of_scope)]
            said = {
                "problem": self._has_situation,
                "target_users": self._has_users,
                "goals_and_metrics": bool(self.goals),
                "scope": any(self._is_given(source, [text]) for source, text in scope),
                "constraints": self._has_limits,
            }
            yield from ((kind, key) for key, is_said in said.items() if not is_said)
        for kind, content in self.contents.items():
            if not isinstance(content, Requirements) or kind in self.confirmed:
                continue
            criteria = [text for item in content.items for text in item.acceptance_criteria]
            said = {
                "goals": bool(self.goals),
                "requirements": bool(self.requirements),
                "user_stories": self._has_users,
                "acceptance_criteria": any(map(self.is_criterion_given, criteria)),
                "non_functional": self._has_qualities,
            }
            yield from ((kind, key) for key, is_said in said.items() if not is_said)

    @cached_property
    def _briefs(self) -> list[tuple[str, Brief]]:
        return [(kind, found) for kind, found in self.contents.items() if isinstance(found, Brief)]

    @cached_property
    def _requirements(self) -> list[Requirement]:
        found = (content for content in self.contents.values() if isinstance(content, Requirements))
        return [item for content in found for item in content.items if item.moscow != "Won't"]

    @cached_property
    def _text(self) -> str:
        return "\n".join((self.sources.request, *self.sources.said))

    @cached_property
    def _said(self) -> Carriers:
        return Carriers(_pieces(self.sources.said))

    @cached_property
    def _pieces(self) -> Carriers:
        return Carriers(_pieces([self._text]))

    def _is_said(self, text: str) -> bool:
        """Whether a person has said it since, in a sentence that does not deny it."""
        near = (self._said.items[at] for at in self._said.near(text))
        return any(carries(text, piece) and is_negative(text) == is_negative(piece) for piece in near)

    def _is_comparable(self, text: str) -> bool:
        """An answer in another script changes nothing of what can be held against the request."""
        return is_one_script(text, self.sources.request)

    def _holds(self, text: str) -> bool:
        """Whether the sources hold a statement, as far as the two can be compared."""
        if not self._is_comparable(text) or plain(text) in plain(self._text):
            return True
        if self._pieces.carry(text):
            return True
        # a statement made of a heading and its sentence, or of a row's cells, is in no single piece
        return numbers(text) <= numbers(self._text) and share(words(text), words(self._text)) >= 1.0

    def _is_given(self, source: str, texts: Iterable[str], *names: str) -> bool:
        if self.confirmed.intersection(names):
            return True
        found = [text for text in texts if text]
        if source == "proposed":
            return any(map(self._is_said, found))
        return source == "repository" or any(map(self._holds, found))

    def _is_requirement_given(self, item: Requirement) -> bool:
        return self._is_given(item.source, (item.quote, item.statement), item.id)

    @cached_property
    def _has_situation(self) -> bool:
        return any(
            kind in self.confirmed or any(map(self._holds, _pieces([brief.situation])))
            for kind, brief in self._briefs
        )

    @cached_property
    def _tells_situation(self) -> bool:
        return any(
            tells(piece) and (kind in self.confirmed or self._holds(piece))
            for kind, brief in self._briefs
            for piece in _pieces([brief.situation])
        )

    @cached_property
    def _users(self) -> list[str]:
        return [
            user.name
            for kind, brief in self._briefs
            for user in brief.users
            if self._is_given(user.source, [user.name], kind)
        ]

    @property
    def _has_users(self) -> bool:
        return bool(self._users)

    @cached_property
    def _limits(self) -> list[str]:
        return [
            row.text
            for kind, brief in self._briefs
            for row in (*brief.constraints, *brief.out_of_scope, *brief.dependencies)
            if self._is_given(row.source, [row.text], kind)
        ]

    @property
    def _has_limits(self) -> bool:
        return bool(self._limits)

    @cached_property
    def _has_qualities(self) -> bool:
        return any(item.kind == "nonfunctional" for item in self.requirements.values())

    @cached_property
    def _is_measured(self) -> bool:
        figures = [f"{goal.text} {goal.target}" for goal in self.goals.values()]
        figures += [item.statement for item in self.requirements.values() if item.kind == "nonfunctional"]
        if any(numbers(text) & numbers(self._text) for text in figures):
            return True
        found = self.sources.discovery
        return found is not None and any(self._holds(row.text) for row in found.acceptance)


def _pieces(texts: Iterable[str]) -> list[str]:
    """Sentences, items and cells."""
    return [piece.strip() for text in texts for piece in _PIECES.split(text) if piece.strip()]
