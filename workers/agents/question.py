"""What an agent is asked, without what differs from run to run: the one place that says which two prompts are the same.

Session and run ids, the times our own documents carry, our folders: they become names.
A time that the request itself states stays, for it is a part of what is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from orchestrator.domain import secrets
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from orchestrator.store import cassettes
from workers.agents import prompts

_TIME = expression(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)")


@dataclass(frozen=True)
class Question:
    """A prompt's named parts. Two questions with one digest are the same question."""

    task: str
    role: str
    kind: str
    perspective: str | None
    parts: tuple[tuple[str, str], ...]

    @cached_property
    def digest(self) -> str:
        return cassettes.digest_of(self.task, self.role, self.kind, self.perspective, self.parts)

    @property
    def stem(self) -> str:
        """How the files of its answers begin."""
        return cassettes.stem_of(self.task, self.kind, self.perspective, self.digest)


@dataclass(frozen=True)
class Names:
    """What is replaced by a name in every prompt of a run."""

    values: tuple[tuple[str, str], ...]  # (value, name), the longest value first
    stated: frozenset[str]  # times that the request states

    @classmethod
    def of(cls, values: Mapping[str, str], request: str) -> Names:
        """`values`: what to replace -> its name."""
        ordered = sorted(
            (pair for pair in values.items() if len(pair[0]) > 3), key=lambda pair: -len(pair[0])
        )
        return cls(tuple(ordered), frozenset(_TIME.findall(request)))

    def put(self, text: str) -> str:
        for value, name in self.values:
            text = text.replace(value, name)
        return _TIME.sub(lambda found: found[0] if found[0] in self.stated else "<time>", text)


def normal(
    parts: Iterable[tuple[str, str]], names: Names, known: secrets.Known
) -> tuple[tuple[str, str], ...]:
    return tuple((names.put(name), names.put(secrets.mask(text, known))) for name, text in parts)


def ask_for(
    prompt: str,
    *,
    task: str,
    role: str,
    kind: str,
    perspective: str | None,
    names: Names,
    known: secrets.Known,
) -> Question:
    return Question(task, role, kind, perspective, normal(prompts.parts(prompt), names, known))
