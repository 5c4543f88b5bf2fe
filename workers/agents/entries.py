"""The entries of a list, and the words of an entry, in the forms that agents give them."""

from __future__ import annotations

import json
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, TypeGuard, Union, get_args, get_origin

from pydantic import BaseModel

from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression
from workers.agents.choices import NOTHING, grade_of, plain, says_none

LISTS = ("weakness", "weaknesses", "issues", "problems", "concerns", "findings")
OTHER_NAMES = {  # of fields: of one value where the field itself is not given, of a list besides the field itself
    "severity": ("level", "grade", "priority", "severitylevel", "criticality"),
    "weaknesses": LISTS,
    "concerns": LISTS,
}


def names_of(schema: type[BaseModel]) -> frozenset[str]:
    """What the fields of a schema are called, in plain letters."""
    return frozenset(
        plain(each) for name in schema.model_fields for each in (name, *OTHER_NAMES.get(name, ()))
    )


def inside_of(kind: object) -> object:
    """What a list, an optional or an annotated type is made of."""
    while get_origin(kind) in (Annotated, Union, types.UnionType, list):
        kind = next(each for each in get_args(kind) if each is not types.NoneType)
    return kind


def is_model(kind: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def entries_of(value: Json, kind: object) -> list[Json]:
    """The entries of what should be a list of `kind`."""
    if isinstance(value, list):
        return _flat(value) if is_model(kind) and "severity" in kind.model_fields else value
    if isinstance(value, str):
        return _lines(value)
    if not isinstance(value, Mapping):
        return []
    if not is_model(kind):
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


def _graded(entry: Json, grade: str | None, kind: type[BaseModel]) -> Json:
    """An entry that was listed under its severity."""
    if grade is None or "severity" not in kind.model_fields or (isinstance(entry, str) and says_none(entry)):
        return entry
    if isinstance(entry, str):
        return {text_field(kind): entry, "severity": grade}
    return {"severity": grade, **entry} if isinstance(entry, Mapping) else entry


def is_list_of(
    key: str, value: Mapping[str, Json], names: Iterable[str], schema: type[BaseModel], taken: Sequence[str]
) -> bool:
    """Whether more entries of a list stand under `key`; a whole answer that is wrapped in it is none."""
    if key in taken or plain(str(key)) not in names:
        return False
    inside = value[key]
    return not (isinstance(inside, Mapping) and names_of(schema) & {plain(str(each)) for each in inside})


def _flat(entries: Iterable[Json]) -> list[Json]:
    """Lists in a list are more entries, save one with a severity in it: that is an entry itself."""
    made: list[Json] = []
    for each in entries:
        split = isinstance(each, list) and not any(isinstance(one, str) and grade_of(one) for one in each)
        made += _flat(each) if split else [each]
    return made


def unwrapped(entry: list[Json] | Mapping[str, Json], text: str) -> Mapping[str, Json]:
    """An entry as one mapping: what its text wraps is part of it."""
    if isinstance(entry, list):
        return {str(number): each for number, each in enumerate(entry)}
    inside = entry.get(text)
    if isinstance(inside, bool):
        inside = []
    if isinstance(inside, list) and (
        not inside or not all(isinstance(each, str) and not grade_of(each) for each in inside)
    ):
        inside = {str(number): each for number, each in enumerate(inside)}
    if not isinstance(inside, Mapping):
        return entry
    return {**inside, **{key: each for key, each in entry.items() if key != text and each is not None}}


def words_in(value: Json) -> list[str]:
    """The words in a value, however deep; not what says that there are none, and no severities."""
    if isinstance(value, str):
        return [] if says_none(value) or grade_of(value) else [value.strip()]
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [words for each in inside for words in words_in(each)]


def _lines(text: str) -> list[Json]:
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


def text_field(schema: type[BaseModel]) -> str | None:
    """The one text that an entry consists of, where all its other fields can be left out."""
    required = [name for name, info in schema.model_fields.items() if info.is_required()]
    return required[0] if len(required) == 1 and schema.model_fields[required[0]].annotation is str else None


def longest_of(values: Iterable[Json]) -> str:
    return max((each for each in values if isinstance(each, str)), key=len, default="").strip()


_BULLET = expression(r"^[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+")
