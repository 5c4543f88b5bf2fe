"""A check that stands beside a type, as `Annotated[str, After(check)]`: for pydantic, and for who checks without it.

The bounds are those of `annotated_types`, which is asked for them by pydantic alone: to load it takes longer than all
settings do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import Json

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


@dataclass(frozen=True, slots=True)
class Before:
    """`check` gets the value as it was given, and returns what is to be of the type. It raises ValueError."""

    check: Callable[[Json], Json]

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(self.check, handler(source))


@dataclass(frozen=True, slots=True)
class After:
    """`check` gets a value of the type, and returns it. It raises ValueError."""

    check: Callable[[str], str]

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(self.check, handler(source))


class _Bound:
    """Pydantic takes it apart into those of `annotated_types`: here that of the same name."""

    __is_annotated_types_grouped_metadata__: ClassVar = True

    def __iter__(self) -> Iterator[object]:
        import annotated_types

        yield getattr(annotated_types, type(self).__name__)(self.bound)  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Gt(_Bound):
    bound: float


@dataclass(frozen=True, slots=True)
class Ge(_Bound):
    bound: float


@dataclass(frozen=True, slots=True)
class Le(_Bound):
    bound: float


@dataclass(frozen=True, slots=True)
class MinLen(_Bound):
    bound: int


@dataclass(frozen=True, slots=True)
class MaxLen(_Bound):
    bound: int
