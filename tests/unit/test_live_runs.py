"""How long a run may still be reported."""

from __future__ import annotations

import threading
import time

import pytest

from tests import factories as make
from workers.host.live_runs import LiveRun, LiveRuns


@pytest.mark.parametrize(("why", "may"), [("drained", True), ("revoked", False), ("lease", False)])
def test_a_run_that_is_stopped_while_it_waits_may_be_reported_only_when_it_was_drained(
    why: str, may: bool
) -> None:
    lives = LiveRuns()
    live = lives.add(make.a_run(), time.monotonic() + 60)
    found: list[bool] = []
    waits = threading.Thread(target=lambda: found.append(live.lasts(30)))
    waits.start()

    lives.stop("r-1", why)
    waits.join(20)

    assert found == [may]


def test_a_run_whose_lease_is_over_may_not() -> None:
    live = LiveRun(make.a_run(), time.monotonic() - 1, why="drained")

    assert not live.lasts(30)
