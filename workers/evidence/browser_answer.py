"""The answer of a browser's visit, read as what it is: a file that code of the project could have written."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, TypeAdapter, ValidationError

from orchestrator.domain.json_types import JsonObject


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Screen(_Answer):
    width: int
    scheme: Literal["light", "dark"]
    file: Annotated[str, StringConstraints(pattern=r"^\d+-\d+-(light|dark)\.png$")]


class _Node(_Answer):
    html: str
    target: str
    why: str
    impact: str | None = None
    where: str


class _Rule(_Answer):
    id: str
    impact: str | None = None
    help: str
    nodes: list[_Node]


class _Page(_Answer):
    page: str
    title: str
    why_not: str | None
    screens: list[_Screen] = []
    violations: list[_Rule] = []
    errors: list[str] = []
    missing: list[str] = []
    outside: list[str] = []
    sideways: list[str] = []


class _Visit(_Answer):
    browser: str
    pages: list[_Page]


_VISIT = TypeAdapter(_Visit)


def read_answer(body: bytes, asked: Collection[str]) -> tuple[str, dict[str, JsonObject]]:
    """The browser's version, and what was seen of each page that was asked for.

    Raises ValueError, which says what is wrong.
    """
    try:
        visit = _VISIT.validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{place}: {first['msg']}" if place else first["msg"]) from None
    pages = {each.page: each.model_dump(mode="json") for each in visit.pages}
    if set(pages) != set(asked):
        raise ValueError("it is about other pages")
    return visit.browser, pages
