"""Answers that almost fit their schema, made to fit it.

What is unambiguous is put right without a word: another spelling of a choice or a key, "2/5" for a rating, one string
where a list is wanted, a string where an object of one text is wanted. What is ambiguous or cannot be read is left out
and told, so that the agent can be asked again; what decides a verdict is never left out in favour of something friendlier
(docs/decisions/0022).
"""

from __future__ import annotations

import copy
import json
import re
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from workers.agents.choices import (
    GRADES,
    NOTHING,
    choice_of,
    grade_marked,
    grade_of,
    gravest_in,
    plain,
    speaks_of_critical,
)
from workers.agents.ratings import RATINGS, UNREAD_RATING, lowest_meant, rating_of

UNREAD_GRADE = "high"
QUOTED = 60  # characters of what could not be read that are shown
PASSES = 5  # over what still does not fit: leaving out one thing can show another
NO_WORDS = "(its words could not be read)"


class Mended(NamedTuple):
    value: dict[str, Any]
    lost: tuple[str, ...]  # what could not be read, in words the agent can use


class Kept(NamedTuple):
    model: BaseModel | None  # None: nothing was left that says anything
    lost: tuple[str, ...]


def mend(value: Mapping[str, Any], schema: type[BaseModel]) -> Mended:
    """`value` as `schema` wants it, as far as that is clear; what fits is as it was."""
    mending = _Mending()
    return Mended(mending.fields(value, schema, ()), tuple(mending.lost))


def keep_readable(value: dict[str, Any], schema: type[BaseModel]) -> Kept:
    """The model of what fits in a mended value; entries and optional fields that do not are left out and told."""
    value = copy.deepcopy(value)
    lost: dict[str, None] = {}
    if "rating" in schema.model_fields and not (
        type(value.get("rating")) is int and value["rating"] in RATINGS
    ):
        lowest = lowest_meant(value.get("rating"))
        if lowest is None and not _says_something(value):
            return Kept(None, ())
        said = _quoted(value["rating"]) if value.get("rating") is not None else "what is missing"
        lost[f"rating: {said} is no whole number from {RATINGS[0]} to {RATINGS[-1]}"] = None
        value["rating"] = lowest or UNREAD_RATING
    for _ in range(PASSES):
        try:
            return Kept(schema.model_validate(value), tuple(lost))
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=False, include_input=False)
        places = {_place_of(fault["loc"], value, schema) for fault in faults}
        if () in places:
            break
        lost |= dict.fromkeys(f"{_dotted(fault['loc'])}: {fault['msg']}" for fault in faults)
        for place in sorted(places, key=lambda each: [str(step).zfill(9) for step in each], reverse=True):
            if not any(place[: len(each)] == each for each in places - {place}):
                _remove(value, place)
    return Kept(None, ())


OTHER_NAMES = {"severity": ("level", "grade", "priority")}  # of fields, where the field itself is not given


class _LeftOut:
    """Stands for a value that its field is better without."""


_LEFT_OUT = _LeftOut()


class _Mending:
    def __init__(self) -> None:
        self.lost: dict[str, None] = {}  # in order, each once

    def fields(
        self, value: Mapping[str, Any], schema: type[BaseModel], place: tuple[Any, ...]
    ) -> dict[str, Any]:
        spelled = {plain(str(key)): key for key in reversed(list(value))}
        made: dict[str, Any] = {}
        used = set()
        for name, info in schema.model_fields.items():
            names = (plain(name), *OTHER_NAMES.get(name, ()))
            key = name if name in value else next((spelled[each] for each in names if each in spelled), None)
            if key is None:
                continue
            used.add(key)
            given = self._any(value[key], info.annotation, info.metadata, (*place, name))
            if given is not _LEFT_OUT:
                made[name] = given
        text = _text_field(schema)
        if place and text is not None and text not in made:
            self._find_text(made, [value[key] for key in value if key not in used], text, schema, place)
        return made

    def _find_text(
        self,
        made: dict[str, Any],
        others: Iterable[Any],
        text: str,
        schema: type[BaseModel],
        place: tuple[Any, ...],
    ) -> None:
        """The one text of an entry stands under another name; a grave entry counts without its words too."""
        words = _longest(others)
        if words:
            made[text] = words
        elif made.get("severity") in GRADES[2:]:
            self._lose((*place, text), "is missing")
            made[text] = NO_WORDS

    def _any(self, value: Any, kind: Any, rules: Sequence[Any], place: tuple[Any, ...]) -> Any:
        origin, inner = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self._any(value, inner[0], inner[1:], place)
        if origin in (Union, types.UnionType):
            (only,) = (each for each in inner if each is not types.NoneType)
            if value is None or (isinstance(value, str) and plain(value) in NOTHING):
                return None
            return self._any(value, only, rules, place)
        if value is None and kind is not int:
            return _LEFT_OUT
        if origin is Literal:
            return self._choice(value, inner, place)
        if origin is list:
            return self._list(value, inner[0], rules, place)
        if kind is str:
            return self._words(value, rules)
        if kind is int:
            return rating_of(value)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return self._entry(value, kind, place)
        return value

    def _entry(self, value: Any, schema: type[BaseModel], place: tuple[Any, ...]) -> Any:
        if isinstance(value, str):
            text = _text_field(schema)
            if text is None or not value.strip():
                return value
            value = {text: value}
            if "severity" in schema.model_fields and (grade := grade_marked(value[text])) is not None:
                value["severity"] = grade
            elif "severity" in schema.model_fields and speaks_of_critical(value[text]):
                self._lose((*place, "severity"), "is not given")
                value["severity"] = UNREAD_GRADE
        return self.fields(value, schema, place) if isinstance(value, Mapping) else value

    def _list(self, value: Any, kind: Any, rules: Sequence[Any], place: tuple[Any, ...]) -> Any:
        entries = [
            self._any(each, kind, (), (*place, number)) for number, each in enumerate(_entries(value, kind))
        ]
        made = [each for each in entries if each is not _LEFT_OUT]
        if not made and isinstance(value, bool | int | float):
            self._lose(place, f"{_quoted(value)} is no list")
        longest = next((rule.max_length for rule in rules if getattr(rule, "max_length", None)), len(made))
        if len(made) > longest:
            self._lose(place, f"{len(made)} entries, {longest} at most")
        return made[:longest]

    def _words(self, value: Any, rules: Sequence[Any]) -> Any:
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        elif isinstance(value, list) and all(isinstance(each, str) for each in value):
            value = "\n".join(value)
        elif isinstance(value, Mapping):
            value = _longest(value.values()) or value
        if not isinstance(value, str):
            return value
        if not value.strip() and any(getattr(rule, "min_length", None) for rule in rules):
            return _LEFT_OUT
        longest = next((rule.max_length for rule in rules if getattr(rule, "max_length", None)), None)
        return (
            value if longest is None or len(value.strip()) <= longest else value.strip()[: longest - 1] + "…"
        )

    def _choice(self, value: Any, known: tuple[Any, ...], place: tuple[Any, ...]) -> Any:
        if value in known:
            return value
        if isinstance(value, str) and (meant := choice_of(value, known)) is not None:
            return meant
        self._lose(place, f"{_quoted(value)} is none of {', '.join(map(repr, known))}")
        if place[-1] not in ("severity", "risk_level"):
            return _LEFT_OUT
        return gravest_in(str(value)) or UNREAD_GRADE

    def _lose(self, place: tuple[Any, ...], why: str) -> None:
        self.lost.setdefault(f"{_dotted(place)}: {why}")


# leaving out what does not fit


def _place_of(loc: Sequence[int | str], value: Any, schema: type[BaseModel]) -> tuple[int | str, ...]:
    """What to leave out for a fault: the innermost list entry or optional field around it; () when there is none."""
    place: list[int | str] = []
    found: tuple[int | str, ...] = ()
    kind: Any = schema
    for step in loc:
        if isinstance(step, int):
            if not isinstance(value, list) or step >= len(value):
                break
            place.append(step)
            value, found = value[step], tuple(place)
        else:
            if not isinstance(value, dict) or step not in value or not _is_model(kind):
                break
            info = kind.model_fields[step]
            place.append(step)
            value, kind = value[step], _inside(info.annotation)
            found = found if info.is_required() else tuple(place)
    return found


def _inside(kind: Any) -> Any:
    """What a list, an optional or an annotated type is made of."""
    while get_origin(kind) in (Annotated, Union, types.UnionType, list):
        kind = next(each for each in get_args(kind) if each is not types.NoneType)
    return kind


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _remove(value: Any, place: Sequence[int | str]) -> None:
    for step in place[:-1]:
        value = value[step]
    del value[place[-1]]


def _says_something(value: Mapping[str, Any]) -> bool:
    return any(each not in (None, "", [], {}) for name, each in value.items() if name != "rating")


# reading values


def _entries(value: Any, kind: Any) -> list[Any]:
    """The entries of what should be a list of `kind`."""
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        return _lines(value)
    if not isinstance(value, Mapping):
        return []
    if not _is_model(kind):
        return [
            each for inside in value.values() for each in (inside if isinstance(inside, list) else [inside])
        ]
    if {plain(name) for name in kind.model_fields} & {plain(str(key)) for key in value}:
        return [value]
    return [
        _graded(each, grade_of(str(key)), kind)
        for key, inside in value.items()
        for each in (inside if isinstance(inside, list) else [inside])
    ]


def _graded(entry: Any, grade: str | None, kind: Any) -> Any:
    """An entry that was listed under its severity."""
    if grade is None or "severity" not in kind.model_fields:
        return entry
    if isinstance(entry, str):
        return {_text_field(kind): entry, "severity": grade}
    return {"severity": grade, **entry} if isinstance(entry, Mapping) else entry


def _lines(text: str) -> list[Any]:
    """A list that was written as one string: JSON in it, or a line each."""
    if text.lstrip()[:1] in ("[", "{"):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            pass
        else:
            return found if isinstance(found, list) else [found]
    lines = (_BULLET.sub("", line).strip() for line in text.splitlines())
    return [line for line in lines if plain(line) not in NOTHING]


def _text_field(schema: type[BaseModel]) -> str | None:
    """The one text that an entry consists of, where all its other fields can be left out."""
    required = [name for name, info in schema.model_fields.items() if info.is_required()]
    return required[0] if len(required) == 1 and schema.model_fields[required[0]].annotation is str else None


def _longest(values: Iterable[Any]) -> str:
    return max((each for each in values if isinstance(each, str)), key=len, default="").strip()


def _dotted(loc: Iterable[Any]) -> str:
    return ".".join(map(str, loc))


def _quoted(value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return shown if len(shown) <= QUOTED else shown[: QUOTED - 1] + "…"


_BULLET = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+")
