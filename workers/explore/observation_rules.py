"""config/observations.yaml: what the rules of a perspective look for in lines, and the sentences of what they find."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from orchestrator.config import resources, shipped_yaml


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Sentence(_Row):
    """One sentence in each language of documents."""

    en: str
    zh: str

    def told(self, language: str, **values: object) -> str:
        """The sentence with values in its places; in English where `language` is neither."""
        return (self.zh if language == "zh" else self.en).format(**values)


class Rule(_Row):
    """One row of `lines`."""

    id: str
    pattern: re.Pattern[str]
    text: Sentence
    do: Sentence
    priority: Literal["high", "medium", "low"]
    languages: tuple[str, ...] = ()
    comments: bool = False  # lines of comments, and no others
    strings: bool = False  # inside a string too
    tests: bool = False  # test files, and no others
    unless: re.Pattern[str] | None = None  # not where a line of the block below has it


class ObservationRules(_Row):
    lines: dict[str, tuple[Rule, ...]]  # perspective -> rules
    sayings: dict[str, Sentence]
    terms: dict[str, str]  # word of a question -> what it is in the language of most code


def in_code(question: str) -> str:
    """The question with its words as code has them."""
    terms = observation_rules().terms
    return " ".join([question, *(said for word, said in terms.items() if word in question)])


@cache
def observation_rules() -> ObservationRules:
    return ObservationRules.model_validate(shipped_yaml.read(resources() / "config" / "observations.yaml"))
