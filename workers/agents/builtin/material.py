"""Everything one answer is made from: the facts of the task, the request taken apart, the repository as it was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from orchestrator.domain.text import keywords, overlap
from workers.agents.builtin.language import Lexicon, lexicon
from workers.agents.builtin.names import LAYER_OF
from workers.agents.builtin.request import RequestAnalysis, analyse_request

_TRIM = " \t.,;:!?。，；：！？、"
_MAX_LINE = 2_000


@dataclass(frozen=True, slots=True)
class Repository:
    """What an exploration found; every word of it stands in the repository."""

    files: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    frameworks: tuple[tuple[str, str], ...] = ()  # (name, layer)
    tests: tuple[str, ...] = ()
    entry_points: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Material:
    facts: Mapping[str, Any]
    analysis: RequestAnalysis
    lex: Lexicon
    repository: Repository | None
    check: Callable[[], None]  # raises when the run is over

    def say(self, key: str, **values: object) -> str:
        return re.sub("…[.。]", "…", self.lex.say(key, **values))[:_MAX_LINE]

    def layer(self, name: str) -> str:
        """The name of a layer in the document's language; layers that an exploration names itself stay as they are."""
        return self.lex.wording.get(f"layer_{name}", name)

    @property
    def feedback(self) -> list[str]:
        return [str(piece) for piece in self.facts.get("feedback") or [] if str(piece).strip()]

    def actor_names(self) -> list[str]:
        return [actor.name for actor in self.analysis.actors]

    def main_actor(self) -> str:
        return self.analysis.actors[0].name if self.analysis.actors else self.say("user")

    def things(self) -> list[str]:
        return list(self.analysis.entities) or [self.analysis.title]


def material(facts: Mapping[str, Any], check: Callable[[], None]) -> Material:
    language = facts.get("language")
    analysis = _analysed(str(facts.get("request") or ""), language if language in ("en", "zh") else None)
    codebase = facts.get("codebase")
    repository = read_repository(codebase) if isinstance(codebase, Mapping) and codebase else None
    return Material(facts, analysis, lexicon(analysis.language), repository, check)


@lru_cache(maxsize=16)
def _analysed(text: str, language: str | None) -> RequestAnalysis:
    return analyse_request(text, language)


def read_repository(exploration: Mapping[str, Any]) -> Repository:
    """Read an exploration, whatever of it is there; unknown shapes are passed over."""
    inner = exploration.get("codebase")
    code: Mapping[str, Any] = inner if isinstance(inner, Mapping) else exploration
    found: dict[str, tuple[str, str]] = {}
    for row in _rows(code.get("stack")):
        name, layer = str(row["name"]), str(row.get("layer") or LAYER_OF.get(str(row["name"]).lower(), ""))
        if layer and layer not in ("language", "test framework"):
            found.setdefault(name.lower(), (name, layer))
    return Repository(
        files=tuple(_words(exploration.get("relevant_files"))),
        languages=tuple(_words(code.get("languages"))[:6]),
        frameworks=tuple(found.values())[:12],
        tests=tuple(_words(code.get("test_frameworks"))[:4]),
        entry_points=tuple(_words(code.get("entry_points"))[:6]),
    )


def _rows(value: Any) -> list[Mapping[str, Any]]:
    """Records with a name, whether given as records or as plain names."""
    pieces = value if isinstance(value, (list, tuple)) else []
    rows = [piece if isinstance(piece, Mapping) else {"name": piece} for piece in pieces]
    return [row for row in rows if isinstance(row.get("name"), str) and row["name"].strip()]


def _words(value: Any) -> list[str]:
    """Names in a list of strings, a list of records, or the keys of a table."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        nested = [
            word for piece in value.values() if isinstance(piece, (list, tuple)) for word in _words(piece)
        ]
        return [*map(str, value), *nested]
    found = []
    for piece in value if isinstance(value, (list, tuple)) else ():
        if isinstance(piece, str):
            found.append(piece)
        elif isinstance(piece, Mapping):
            name = next(
                (
                    piece[key]
                    for key in ("path", "name", "framework", "language")
                    if isinstance(piece.get(key), str)
                ),
                None,
            )
            found += [name] if name else []
    return [word for word in dict.fromkeys(found) if word.strip()]


def upper_first(text: str) -> str:
    return text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """For use inside a sentence; acronyms and names keep their form."""
    word = re.match(r"\w+", text)
    return (
        text if not word or (len(word[0]) > 1 and not word[0][1:].islower()) else text[:1].lower() + text[1:]
    )


def short(text: str, limit: int = 76) -> str:
    """The beginning of a text as a title, cut between words."""
    clean = " ".join(text.split()).strip(_TRIM)
    if len(clean) <= limit:
        return clean or "-"
    cut = clean[:limit]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut).strip(_TRIM) + "…"


def strip_end(text: str) -> str:
    return text.strip().rstrip(_TRIM)


def best(text: str, choices: Iterable[tuple[str, str]]) -> tuple[float, str]:
    """(share, key) of the choice whose text shares most words with `text`; ties go to the first."""
    wanted = keywords(text)
    scored = [(_share(wanted, keywords(other)), key) for key, other in choices]
    return max(scored, key=lambda row: row[0], default=(0.0, ""))


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))


def carries(text: str, carrier: str) -> bool:
    """Whether one item already says what `text` says."""
    return text.strip(_TRIM) in carrier or overlap(text, keywords(carrier)) >= 0.85


def unique(lines: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(line for line in (piece.strip() for piece in lines) if line))
