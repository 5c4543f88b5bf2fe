"""The rules of the lint as config/lint.toml lists them, and a finding in the words of a language."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Any, Literal

from orchestrator.config import resources
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
_PLACE = expression(r"\{\w+\}")
_SHOWN = 300  # characters of what was found that a finding repeats


@dataclass(frozen=True, slots=True)
class Rule:
    key: str
    severity: Severity
    dimension: str  # of the score
    concerns: tuple[str, ...]  # the perspectives that answer for it
    wording: dict[str, tuple[str, str]]  # language -> what is wrong, what to do


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a specification: where it is, which rule it breaks, what to do."""

    document: str  # kind: brief, requirements ...
    place: str  # an identifier, a section, or the beginning of a text
    rule: str
    severity: Severity
    text: str
    fix: str
    asked: bool = False  # the document asks about it, which makes an error a warning
    about: str = ""  # what was found, word for word
    other: str = ""  # the item or sentence it does not agree with

    @property
    def concerns(self) -> tuple[str, ...]:
        """The perspectives that answer for it."""
        return rules()[self.rule].concerns


@cache
def rules() -> dict[str, Rule]:
    """All rules by key."""
    return {
        key: Rule(
            key,
            row["severity"],
            row["dimension"],
            tuple(row["concerns"]),
            {name: tuple(row[name]) for name in ("en", "zh")},
        )
        for key, row in _read()["rules"].items()
    }


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads((resources() / "config" / "lint.toml").read_text(encoding="utf-8"))


def is_finding(text: str) -> bool:
    """Whether a text is a finding in our own wording, or its fix: a remark about a document, no wish."""
    return _own_wording().match(text.strip()) is not None


@cache
def _own_wording() -> re.Pattern[str]:
    lines = [line for rule in rules().values() for pair in rule.wording.values() for line in pair]
    patterns = [_PLACE.sub(".+", re.escape(line).replace(r"\{", "{").replace(r"\}", "}")) for line in lines]
    return re.compile(rf"(?:rated \d of 5: )?(?:{'|'.join(patterns)})", re.DOTALL)


def words_of(name: str) -> str:
    """A list of words, or a pattern, by its name."""
    return str(_read()["words"][name])


def table_of(name: str) -> dict[str, str]:
    """A table of words by its name."""
    return {str(key): str(said) for key, said in _read()[name].items()}


def opposites() -> list[tuple[str, str]]:
    """Pairs of patterns, each of which turns a statement that holds the other."""
    return [(left, right) for left, right in _read()["opposites"]["pairs"]]


def finding(
    rule: str, document: str, place: str, text: str = "", *, language: str, other: str = ""
) -> Finding:
    """A finding in the words of a language."""
    known = rules()[rule]
    said, fix = known.wording["zh" if language == "zh" else "en"]
    values = {"{place}": short(place, 80), "{text}": short(text), "{other}": short(other)}
    return Finding(
        document,
        place,
        rule,
        known.severity,
        _filled(said, values),
        _filled(fix, values),
        about=text,
        other=other,
    )


def _filled(wording: str, values: dict[str, str]) -> str:
    """One pass, so that a brace in a document's words stays what it is."""
    parts = wording.split("{")
    filled = [parts[0]]
    for part in parts[1:]:
        name, _, rest = part.partition("}")
        filled.append(values[f"{{{name}}}"] + rest)
    return "".join(filled).strip()


def short(text: str, most: int = _SHOWN) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
