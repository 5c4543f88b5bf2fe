"""What a command agent tells of its usage: a last line of JSON on standard error, believed only as far as it can be."""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from orchestrator.domain.json_types import Json
from orchestrator.domain.prices import COST_LIMIT, TOKENS_LIMIT, Usage

KEY = "lifecycle_usage"
LINE_LIMIT = 2_000  # characters

_Tokens = Annotated[StrictInt, Field(ge=0, le=TOKENS_LIMIT)]


class _ReportedUsage(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    model: Annotated[StrictStr, Field(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$")] | None = None
    tokens_in: _Tokens | None = None
    tokens_cached: _Tokens | None = None
    tokens_cache_written: _Tokens | None = None
    tokens_cache_written_1h: _Tokens | None = None
    tokens_out: _Tokens | None = None
    cost_usd: Annotated[float, Field(ge=0, le=COST_LIMIT, allow_inf_nan=False)] | None = None


def usage_in(errors: str) -> tuple[Usage, str | None]:
    """The usage told at the end of standard error, and what was wrong with it; unknown where nothing was told."""
    lines = errors.rstrip().splitlines()
    line = lines[-1].strip() if lines else ""
    if KEY not in line:
        return Usage(), None
    try:
        return _read(line), None
    except (ValueError, RecursionError) as error:
        return Usage(), f"its usage was not understood: {_why(error)}"


def _read(line: str) -> Usage:
    if len(line) > LINE_LIMIT:
        raise ValueError(f"the line has more than {LINE_LIMIT} characters")
    given: Json = json.loads(line)
    if not isinstance(given, dict) or given.keys() != {KEY}:
        raise ValueError(f"the line is not one object with {KEY}")
    told = _ReportedUsage.model_validate(given[KEY])
    if (told.tokens_cached or 0) + (told.tokens_cache_written or 0) > (told.tokens_in or 0):
        raise ValueError("tokens_cached: they are some of tokens_in, as those written into a cache are")
    if (told.tokens_cache_written_1h or 0) > (told.tokens_cache_written or 0):
        raise ValueError("tokens_cache_written_1h: they are some of tokens_cache_written")
    return Usage(**told.model_dump())


def _why(error: ValueError | RecursionError) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        return f"{'.'.join(map(str, first['loc'])) or KEY}: {first['msg']}"
    return str(error)[:200]
