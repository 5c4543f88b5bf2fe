"""Settings made of values that are evidently right, without pydantic: importing it takes longer than all else here.

Whatever is not of exactly its type and within its bounds is left to pydantic, which converts it or says what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from orchestrator.config.value_checks import After, Before, Ge, Gt, Le, MaxLen, MinLen
from orchestrator.domain.dataclass import annotated
from orchestrator.domain.json_types import Json

T = TypeVar("T")


class _Doubtful(Exception):
    """A value that pydantic has to look at."""


def made(kind: type[T], values: Json) -> T | None:
    """An instance of the dataclass; None where a value is not evidently right."""
    try:
        found: T = _made(kind, values)
    except (_Doubtful, ValueError):
        return None
    return found


def _made(kind: Any, value: Json) -> Any:
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _checked(parts[0], parts[1:], value)
    if origin in (Union, UnionType):
        return None if value is None and NoneType in parts else _made(parts[0], value)
    if origin is Literal:
        return value if isinstance(value, str) and value in parts else _doubt()
    if origin is list:
        return [_made(parts[0], each) for each in value] if isinstance(value, list) else _doubt()
    if origin is dict:
        return {_made(parts[0], key): _made(parts[1], each) for key, each in _table(value).items()}
    fields = annotated(kind)
    if fields is not None:
        return _part(kind, fields, _table(value))
    if kind is float and type(value) is int and abs(value) < 2**53:
        return float(value)
    if type(value) is not kind or (kind is float and not math.isfinite(value)):
        return _doubt()
    if kind is str:
        value.encode()  # raises ValueError for half a character
    return value


def _part(kind: Any, fields: Mapping[str, tuple[Any, bool]], given: Mapping[str, Json]) -> Any:
    if given.keys() - fields.keys() or any(
        wanted and name not in given for name, (_, wanted) in fields.items()
    ):
        return _doubt()
    return kind(**{name: _made(fields[name][0], value) for name, value in given.items()})


def _checked(kind: Any, checks: tuple[object, ...], value: Json) -> Any:
    for check in checks:
        if isinstance(check, Before):
            value = check.check(value)
    found = _made(kind, value)
    for check in checks:
        match check:
            case Before():
                keeps = True
            case After():
                found, keeps = check.check(found), True
            case Gt(least):
                keeps = found > least
            case Ge(least):
                keeps = found >= least
            case Le(most):
                keeps = found <= most
            case MinLen(least):
                keeps = len(found) >= least
            case MaxLen(most):
                keeps = len(found) <= most
            case _:
                keeps = False  # unknown here
        if not keeps:
            return _doubt()
    return found


def _table(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else _doubt()


def _doubt() -> Any:
    raise _Doubtful
