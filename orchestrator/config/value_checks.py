"""A check that stands beside a type, as `Annotated[str, After(check)]`: for pydantic, and for who checks without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

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
