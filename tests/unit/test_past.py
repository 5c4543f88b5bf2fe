"""What a session was at an earlier time, by its log: a row a case."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from orchestrator.domain.json_types import Json
from orchestrator.domain.model import TaskStatus
from orchestrator.domain.past import Attempt, Known, Then, asked_after, last_of_report, moments, pause_after


@dataclass(frozen=True)
class Said:
    number: int
    kind: str
    at: int
    type: str
    data: Json = None


def log(*entries: tuple[str, int, str, Json]) -> list[Said]:
    return [Said(number, *each) for number, each in enumerate(entries, 1)]


def report(task: str, at: int) -> tuple[str, int, str, Json]:
    return ("message", at, "draft_ready", {"task": task})


def paused(reason: str, at: int, **detail: Json) -> tuple[str, int, str, Json]:
    return ("event", at, "paused", {"reason": reason, **detail})


RESUMED = ("event", 30, "resumed", None)


@pytest.mark.parametrize(
    ("after", "last"),
    [
        ([], 1),
        ([("event", 10, "advance", {"task": "B"})], 1),
        ([("message", 10, "fast_advance", {"task": "B"}), ("event", 10, "advance", {"task": "B"})], 1),
        ([("event", 10, "revision", {"task": "A"}), ("event", 10, "advance", {"task": "A-R1"})], 2),
        ([paused("checkpoint", 10, task="A")], 2),
        ([("event", 11, "beat", {"offered": ["B"]})], 1),
    ],
)
def test_the_state_after_a_task_ends_where_the_next_run_begins(
    after: list[tuple[str, int, str, Json]], last: int
) -> None:
    assert last_of_report(log(report("A", 10), *after), "A", 10) == last


def test_an_earlier_message_about_the_task_is_not_its_report() -> None:
    entries = log(("message", 5, "error", {"task": "A"}), report("A", 10))

    assert last_of_report(entries, "A", 10) == 2
    assert last_of_report(entries, "A", 11) is None


@pytest.mark.parametrize(
    ("entries", "asked"),
    [
        ([], []),
        ([paused("checkpoint", 10)], ["checkpoint"]),
        ([paused("checkpoint", 10), RESUMED], []),
        ([paused("user", 10)], []),
        ([paused("task_failed", 10)], []),
        ([paused("budget", 10)], []),
        ([paused("discussion_feedback", 10)], ["discussion_feedback"]),
        ([paused("user", 10), ("event", 11, "deferred", {"reason": "checkpoint"})], ["checkpoint"]),
        (
            [
                paused("user", 10),
                ("event", 11, "deferred", {"reason": "checkpoint"}),
                RESUMED,
                paused("checkpoint", 30),
            ],
            ["checkpoint"],
        ),
        (
            [paused("checkpoint", 10), ("event", 11, "deferred", {"reason": "plan_approval"})],
            ["checkpoint", "plan_approval"],
        ),
    ],
)
def test_what_a_person_had_to_answer_about_the_work(
    entries: list[tuple[str, int, str, Json]], asked: list[str]
) -> None:
    assert [each.reason for each in asked_after(log(*entries))] == asked


def test_a_rework_ends_a_pause() -> None:
    now, deferred = pause_after(log(paused("checkpoint", 10), ("event", 20, "rework", {"made": ["A-R1"]})))

    assert (now, deferred) == (None, ())


MADE = Known("A", 1, (), 1, TaskStatus.COMPLETED, 20, (Attempt(10, 20, "offer"),))
NEXT = Known("B", 2, ("A",), 1, None, None, (Attempt(30, 35, "offer"), Attempt(60, None, "offer")))
LATER = Known("A-R1", 3, (), 40, None, None)
HISTORY = log(
    ("event", 1, "created", {"tasks": ["A", "B"]}),
    ("event", 5, "beat", {"offered": ["A"]}),
    report("A", 20),
    ("event", 25, "beat", {"offered": ["B"]}),
    ("message", 35, "error", {"task": "B", "counted": True, "retry_in_seconds": 0.00001}),
    ("event", 50, "beat", {"offered": ["B"]}),
)


@pytest.mark.parametrize(
    ("task", "at", "state"),
    [
        ("A", 4, Then.READY),
        ("A", 9, Then.OFFERED),
        ("A", 10, Then.RUNNING),
        ("A", 19, Then.RUNNING),
        ("A", 20, Then.COMPLETED),
        ("B", 19, Then.BLOCKED),
        ("B", 20, Then.READY),
        ("B", 25, Then.OFFERED),
        ("B", 34, Then.RUNNING),
        ("B", 36, Then.DELAYED),
        ("B", 45, Then.READY),
        ("B", 55, Then.OFFERED),
        ("B", 60, Then.RUNNING),
        ("A-R1", 39, Then.NOT_MADE),
        ("A-R1", 40, Then.READY),
    ],
)
def test_a_task_at_a_time(task: str, at: int, state: Then) -> None:
    before = [each for each in HISTORY if each.at <= at]

    assert moments([MADE, NEXT, LATER], before, at)[task].state is state


def test_a_pause_withdraws_an_offer_and_a_failure_that_stopped_the_session_is_final() -> None:
    ready = Known("A", 1, (), 1, None, None, (Attempt(10, 20, "offer"),))
    failed = log(
        ("event", 5, "beat", {"offered": ["A"]}),
        ("message", 20, "error", {"task": "A", "counted": True, "retry_in_seconds": None}),
        paused("task_failed", 20, task="A"),
    )
    halted = log(("event", 5, "beat", {"offered": ["A"]}), paused("user", 6), ("event", 7, "resumed", None))

    assert moments([ready], failed, 25)["A"].state is Then.FAILED
    assert moments([ready], failed[:2], 9)["A"].state is Then.OFFERED
    assert moments([ready], halted[:2], 6)["A"].state is Then.PAUSED
    assert moments([ready], halted, 8)["A"].state is Then.READY


def test_a_blocker_that_was_added_later_did_not_block_before() -> None:
    old = Known("B", 2, ("A-R1",), 1, None, None)

    assert moments([old, LATER], [], 39)["B"].state is Then.READY
    assert moments([old, LATER], [], 40)["B"].state is Then.BLOCKED
