"""What `start --plan` says that a session will send."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.views.layout import StartOptions, plan
from orchestrator.views.sending import sending
from tests import factories as make
from tests.corpus.long_request import long_request

TASKS = ("RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004")
VIEWS = ("product", "technical", "quality", "risk", "coverage")


def sent(request: str, critics: Any, by: dict[str, str | None], tmp_path: Any) -> dict[str, int]:
    planned = plan(request, StartOptions(mode="spec-only", critics=critics), make.shipped_pack(), tmp_path)
    return sending(planned, dict.fromkeys(TASKS, "mine"), by)


@pytest.mark.parametrize(("critics", "calls"), [("separate", 6 + 21), ("merged", 6 + 6), ("auto", 6 + 6)])
def test_calls_follow_who_shares_one(critics: str, calls: int, tmp_path: Any) -> None:
    found = sent("Build a URL shortener.", critics, dict.fromkeys(VIEWS, "mine"), tmp_path)

    assert found["calls"] == calls
    assert found["characters"] > calls * 4_000 and found["tokens"] == round(found["characters"] / 4)


def test_rules_are_sent_nothing(tmp_path: Any) -> None:
    assert sent("Build it.", "separate", dict.fromkeys(VIEWS, None), tmp_path)["calls"] == 5


def test_the_estimate_is_near_what_was_measured_on_a_long_request(tmp_path: Any) -> None:
    found = sent(long_request(20), "merged", dict.fromkeys(VIEWS, "mine"), tmp_path)

    assert 400_000 < found["characters"] < 900_000  # tests/prompt_cost.py: between 510 and 670 thousand
