"""Answers that almost fit their schema, made to fit it.

What is unambiguous is put right without a word: another spelling of a choice or a key, "2/5" for a rating, one string
where a list is wanted, a string where an object of one text is wanted. What is ambiguous or cannot be read is left out
and told, so that the agent can be asked again; what decides a verdict is never left out in favour of something friendlier
(docs/decisions/0022).
"""

from __future__ import annotations

import copy
import json
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from orchestrator.domain.graph import Place
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.named_tuple import NamedTuple
from workers.agents.choices import (
    GRADES,
    NOTHING,
    choice_of,
    grade_marked,
    grade_of,
    gravest_in,
    plain,
    says_none,
    speaks_of_critical,
)
from workers.agents.entries import (
    OTHER_NAMES,
    entries_of,
    inside_of,
    is_list_of,
    is_model,
    longest_of,
    text_field,
    unwrapped,
    words_in,
)
from workers.agents.ratings import RATINGS, UNREAD_RATING, lowest_meant, rating_of

UNREAD_GRADE = "high"
QUOTED = 60  # characters of what could not be read that are shown
PASSES = 5  # over what still does not fit: leaving out one thing can show another
NO_WORDS = "(its words could not be read)"


class Mended(NamedTuple):
    value: JsonObject
    lost: tuple[str, ...]  # what could not be read, in words the agent can use


class Kept(NamedTuple):
    model: BaseModel | None  # None: nothing was left that says anything
    lost: tuple[str, ...]


def mend(value: Mapping[str, Json], schema: type[BaseModel]) -> Mended:
    """`value` as `schema` wants it, as far as that is clear; what fits is as it was."""
    mending = _Mending()
    return Mended(mending.fields(value, schema, ()), tuple(mending.lost))


def keep_readable(value: JsonObject, schema: type[BaseModel]) -> Kept:
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


class _LeftOut:
    """Stands for a value that its field is better without."""


_LEFT_OUT = _LeftOut()


class _Mending:
    def __init__(self) -> None:
        self.lost: dict[str, None] = {}  # in order, each once

    def fields(self, value: Mapping[str, Json], schema: type[BaseModel], place: Place) -> JsonObject:
        spelled = {plain(str(key)): key for key in reversed(list(value))}
        made: JsonObject = {}
        used = set()
        for name, info in schema.model_fields.items():
            names = (plain(name), *OTHER_NAMES.get(name, ()))
            keys = [name] if name in value else [spelled[each] for each in names if each in spelled][:1]
            if name in OTHER_NAMES and get_origin(info.annotation) is list:
                keys += [key for key in spelled.values() if is_list_of(key, value, names, schema, keys)]
            if not keys:
                continue
            used.update(keys)
            kind = inside_of(info.annotation)
            said = (
                value[keys[0]]
                if len(keys) == 1
                else [e for key in keys for e in entries_of(value[key], kind)]
            )
            given = self._any(said, info.annotation, info.metadata, (*place, name))
            if given is not _LEFT_OUT:
                made[name] = given
        others = {key: each for key, each in value.items() if key not in used}
        text = text_field(schema)
        if place and text is not None:
            if "severity" in schema.model_fields and made.get("severity") is None:
                self._find_severity(made, others, text, place)
            if text not in made:
                self._find_text(made, others.values(), text, place)
        elif not place and "rating" in schema.model_fields:
            for key, each in others.items():
                if isinstance(each, list | Mapping) and any(words_in(each)):
                    self._lose((str(key)[:QUOTED],), "is none of the fields that were asked for")
        return made

    def _find_severity(self, made: JsonObject, others: Mapping[str, Json], text: str, place: Place) -> None:
        """The severity stands under another name, as a name, or in the text."""
        said = made.get(text, "")
        marks = [grade_of(str(key)) for key, each in others.items() if any(words_in(each)) or each is True]
        marks += [
            grade_of(each) or grade_marked(each) for each in (*others.values(), said) if isinstance(each, str)
        ]
        # What is low by another name, such as the effort, does not make the weakness milder.
        own = grade_marked(said) if isinstance(said, str) else None
        found = [each for each in marks if each is not None and (each != GRADES[0] or each == own)]
        if found:
            made["severity"] = max(found, key=GRADES.index)
        elif isinstance(said, str) and speaks_of_critical(said) and not says_none(said):
            self._lose((*place, "severity"), "is not given")
            made["severity"] = UNREAD_GRADE

    def _find_text(
        self,
        made: JsonObject,
        others: Iterable[Json],
        text: str,
        place: Place,
    ) -> None:
        """The one text of an entry stands under another name; a grave entry counts without its words too."""
        others = [each for each in others if not (isinstance(each, str) and grade_of(each))]
        words = longest_of(others)
        if "severity" in made:
            words = words or "; ".join(words_in(others))
        if words:
            made[text] = words
        elif made.get("severity") in GRADES[2:]:
            self._lose((*place, text), "is missing")
            made[text] = NO_WORDS

    def _any(self, value: Json, kind: object, rules: Sequence[object], place: Place) -> Json:
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
        if is_model(kind):
            return self._entry(value, kind, place)
        return value

    def _entry(self, value: Json, schema: type[BaseModel], place: Place) -> Json:
        text = text_field(schema)
        if isinstance(value, str):
            if text is None or not value.strip():
                return value
            value = {text: value}
        if text is None or "severity" not in schema.model_fields:
            return self.fields(value, schema, place) if isinstance(value, Mapping) else value
        if not isinstance(value, list | Mapping):
            return value
        made = self.fields(unwrapped(value, text), schema, place)
        none = isinstance(made.get(text), str) and says_none(made[text])
        return _LEFT_OUT if none and "severity" not in made else made

    def _list(self, value: Json, kind: object, rules: Sequence[object], place: Place) -> Json:
        entries = [
            self._any(each, kind, (), (*place, number)) for number, each in enumerate(entries_of(value, kind))
        ]
        made = [each for each in entries if each is not _LEFT_OUT]
        if not made and isinstance(value, bool | int | float):
            self._lose(place, f"{_quoted(value)} is no list")
        longest = _longest(rules) or len(made)
        if len(made) > longest:
            self._lose(place, f"{len(made)} entries, {longest} at most")
        return made[:longest]

    def _words(self, value: Json, rules: Sequence[object]) -> Json:
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        elif isinstance(value, list) and all(isinstance(each, str) for each in value):
            value = "\n".join(value)
        elif isinstance(value, Mapping):
            value = longest_of(value.values()) or value
        if not isinstance(value, str):
            return value
        if not value.strip() and any(getattr(rule, "min_length", None) for rule in rules):
            return _LEFT_OUT
        longest = _longest(rules)
        return (
            value if longest is None or len(value.strip()) <= longest else value.strip()[: longest - 1] + "…"
        )

    def _choice(self, value: Json, known: tuple[Json, ...], place: Place) -> Json:
        if value in known:
            return value
        if isinstance(value, str) and (meant := choice_of(value, known)) is not None:
            return meant
        self._lose(place, f"{_quoted(value)} is none of {', '.join(map(repr, known))}")
        if place[-1] not in ("severity", "risk_level"):
            return _LEFT_OUT
        return gravest_in(str(value)) or UNREAD_GRADE

    def _lose(self, place: Place, why: str) -> None:
        self.lost.setdefault(f"{_dotted(place)}: {why}")


def _longest(rules: Iterable[object]) -> int | None:
    """The most entries or characters that a field's rules allow; None without such a rule."""
    return next((most for rule in rules if (most := getattr(rule, "max_length", None))), None)


# leaving out what does not fit


def _place_of(loc: Sequence[int | str], value: Json, schema: type[BaseModel]) -> Place:
    """What to leave out for a fault: the innermost list entry or optional field around it; () when there is none."""
    place: list[int | str] = []
    found: Place = ()
    kind: object = schema
    for step in loc:
        if isinstance(step, int):
            if not isinstance(value, list) or step >= len(value):
                break
            place.append(step)
            value, found = value[step], tuple(place)
        else:
            if not isinstance(value, dict) or step not in value or not is_model(kind):
                break
            info = kind.model_fields[step]
            place.append(step)
            value, kind = value[step], inside_of(info.annotation)
            found = found if info.is_required() else tuple(place)
    return found


def _remove(value: Json, place: Place) -> None:
    for step in place[:-1]:
        value = value[step]
    del value[place[-1]]


def _says_something(value: Mapping[str, Json]) -> bool:
    return any(each not in (None, "", [], {}) for name, each in value.items() if name != "rating")


def _dotted(loc: Iterable[object]) -> str:
    return ".".join(map(str, loc))


def _quoted(value: Json) -> str:
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return shown if len(shown) <= QUOTED else shown[: QUOTED - 1] + "…"
