"""Answers of the API say what Python's own encoder would say."""

from __future__ import annotations

import json

import pytest

from orchestrator.domain.json_types import Json
from orchestrator.domain.model import TaskStatus
from orchestrator.web.json_answer import JsonAnswer


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"state": TaskStatus.PENDING, TaskStatus.FAILED: 1},
        {"floats": [0.1, 1.0, 1e-7, 1e22, 4.35], "large": 2**63, "by number": {1: True}},
        {"texts": ["", "需求 é \u2028 \x00 \x1f \u202e", '</script>\\"', "😀"], "tuple": (1, None)},
    ],
)
def test_it_reads_back_as_what_pythons_encoder_writes(value: Json) -> None:
    answer = JsonAnswer(value)

    assert json.loads(bytes(answer.body)) == json.loads(json.dumps(value))
    assert answer.headers["content-type"] == "application/json"
