"""What the built-in agent knows of kinds of requests, things, decisions and verbs: data in config/labels, read once."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Any

from orchestrator.config import resources
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from workers.builtin.phrases import upper_first

_LEADING = expression(r"^an?\s+", re.IGNORECASE)
_NEVER = expression(r"(?!)")


@dataclass(frozen=True, slots=True)
class Ask:
    """What a kind of short request calls done, and what it leaves to be asked."""

    kind: str
    thing: str
    goal: str
    metric: str
    target: str
    criteria: tuple[str, ...]
    questions: tuple[str, ...]
    keep: tuple[str, ...]  # title, statement, criterion, reason of what must stay as it is
    exists: bool  # it is about something that is there already
    decides: tuple[str, ...] | None  # the only decisions it may call for; None: any


@dataclass(frozen=True, slots=True)
class Row:
    """A row that is used when its words are found, with its texts in one language."""

    name: str
    words: re.Pattern[str]
    unless: re.Pattern[str]
    texts: Any
    anywhere: bool  # the words count wherever they stand

    def fits(self, text: str, excluded: str) -> bool:
        return self.words.search(text) is not None and self.unless.search(excluded) is None


@cache
def _data(name: str) -> dict[str, Any]:
    path = resources() / "config" / "labels" / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE) if text else _NEVER


@cache
def rows(name: str, language: str) -> tuple[Row, ...]:
    """The rows of `decisions` or `shapes`."""
    return tuple(
        Row(
            key,
            _pattern(row["words"]),
            _pattern(row.get("unless", "")),
            row[language],
            bool(row.get("anywhere")),
        )
        for key, row in _data(name).items()
    )


@cache
def ask_of(text: str, language: str) -> Ask:
    """What kind of short request a text is; the last row of the table takes any."""
    plain = text.strip().rstrip(" .。!！")
    for kind, row in _data("asks").items():  # noqa: B007 - the last one is meant
        known = row[language]
        found = _pattern(known["words"]).search(plain)
        if found:
            break
    groups = found.groupdict() if found else {}
    thing = (groups.get("thing") or groups.get("other") or text).strip(" .。,，")
    thing = _LEADING.sub("the ", thing) if language == "en" else thing

    def say(words: str) -> str:
        filled = words.replace("{Thing}", upper_first(thing)).replace("{thing}", thing)
        return upper_first(filled)

    return Ask(
        kind,
        thing,
        say(known["goal"]),
        say(known["metric"]),
        known.get("target", ""),
        tuple(map(say, known["criteria"])),
        tuple(map(say, known["ask"])),
        tuple(map(say, known.get("keep", ()))),
        bool(row.get("exists")),
        tuple(row["decides"]) if "decides" in row else None,
    )


@cache
def outcomes(language: str) -> dict[str, str]:
    """What can be observed after a verb."""
    found: dict[str, str] = {}
    for row in _data("outcomes").values():
        for verb in row[f"{language}_verbs"].split():
            found.setdefault(verb, row[language])
    return found
