"""An answer in JSON, by the encoder of pydantic: for thousands of tasks it takes a third of the time of Python's own."""

from __future__ import annotations

from pydantic_core import to_json
from starlette.responses import Response

from orchestrator.domain.json_types import Json


class JsonAnswer(Response):
    media_type = "application/json"

    def render(self, content: Json) -> bytes:
        return to_json(content, inf_nan_mode="null")
