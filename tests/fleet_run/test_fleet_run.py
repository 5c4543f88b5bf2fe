"""What a fleet run draws and how it judges; and a small one, with a server, hosts in namespaces of their own, and blows."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fleet_run import drawn, judged
from tests.fleet_run.drawn import Shape
from tests.fleet_run.judged import Interrupted, Struck
from tests.fleet_run.namespaces import why_not
from tests.fleet_run.storm import blows, storm

LEASE = 8.0
SMALL = Shape(tasks=300, hosts=2, blows=6, slots=4, at_once=6, whole=10)


def interrupted(opened: float = 90.0, closed: float = 108.0, again: float | None = 109.0) -> Interrupted:
    return Interrupted("run-2", "TLS-1 DRAFT-001", "far-1", "lost", opened, closed, again, lease_until=107.5)


def test_a_seed_draws_the_same_blows_each_time_a_third_of_each_kind() -> None:
    shape = Shape(temporal=True)

    found = drawn.draw(7, shape)

    assert list(found) == list(drawn.draw(7, shape)) != list(drawn.draw(8, shape))
    kinds = [blow.what for blow in found]
    assert [kinds.count(what) for what in (drawn.KILL, drawn.STOP, drawn.CUT, drawn.RESTART)] == [
        20,
        20,
        20,
        1,
    ]
    assert {blow.target for blow in found if blow.what == drawn.CUT} == {drawn.HOST}
    assert drawn.ENGINE in {blow.target for blow in found}
    assert drawn.ENGINE not in {blow.target for blow in drawn.draw(7, Shape())}


def test_a_delay_is_counted_from_the_blow_that_its_host_met() -> None:
    struck = [
        Struck("kill", drawn.HOST, "far-1", 50.0, 50.0),  # before the run
        Struck("stop", drawn.HOST, "far-1", 100.0, 112.0),
        Struck("cut", drawn.HOST, "far-2", 105.0, 110.0),  # another one's
    ]

    found = judged.delay(interrupted(), struck, LEASE)

    assert found is not None and (found.by, found.seconds, found.away) == ("stop host", 9.0, 0.0)


def test_without_a_blow_a_delay_is_counted_from_the_last_renewal() -> None:
    found = judged.delay(interrupted(), [], LEASE)

    assert found is not None and (found.by, found.seconds) == ("no blow", 109.0 - (107.5 - LEASE))


def test_a_task_that_was_not_to_be_done_again_has_no_delay() -> None:
    assert judged.delay(interrupted(again=None), [], LEASE) is None


def test_the_time_without_a_centre_is_counted_once() -> None:
    struck = [
        Struck("kill", drawn.SERVER, drawn.SERVER, 100.0, 103.0),
        Struck("kill", drawn.COORDINATOR, drawn.COORDINATOR, 102.0, 104.0),
        Struck("restart", drawn.DATABASE, drawn.DATABASE, 90.0, 91.0),  # earlier
        Struck("stop", drawn.SERVER, drawn.SERVER, 108.0, None),  # until the end
        Struck("stop", drawn.ENGINE, drawn.ENGINE, 100.0, 109.0),  # hosts do without it
    ]

    assert judged.away(struck, 99.0, 110.0) == 4.0 + 2.0


@pytest.fixture
def folder() -> Iterator[Path]:
    """With a short path: sockets lie below it."""
    made = Path(tempfile.mkdtemp(prefix="fleet-", dir="/tmp"))
    yield made
    shutil.rmtree(made)


@pytest.mark.scale
@pytest.mark.skipif(why_not() is not None, reason=f"no network namespaces: {why_not()}")
@pytest.mark.parametrize("temporal", [False, True])
def test_a_fleet_under_blows_loses_nothing_and_does_nothing_twice(folder: Path, temporal: bool) -> None:
    shape = replace(SMALL, temporal=temporal)

    outcome = storm(folder, 3, shape)

    found = outcome.found
    assert outcome.faults == []
    assert (found.lost, found.twice, found.broken, found.overlaps, found.late) == (0, 0, 0, 0, 0)
    assert found.tasks["completed"] == shape.tasks and found.agents > 0
    assert blows(outcome.struck).total() + outcome.missed.total() == shape.blows + 1
    assert outcome.missed.total() == 0
