"""The expected end of a session: from what the same work took before, never invented."""

from __future__ import annotations

from typing import Any

from orchestrator.domain.expected import Begun, Range, Rest, rest_of
from orchestrator.domain.forecast import PastTask
from orchestrator.domain.model import TaskState, TaskStatus


def task(key: str, *blockers: str, status: TaskStatus = TaskStatus.PENDING, **given: Any) -> TaskState:
    return TaskState(key, "writer", key.split("-")[0], status, blockers, **given)


def past(kind: str, seconds: float, micros: int | None = 0, agent: str = "claude") -> PastTask:
    return PastTask(kind, kind.split("-")[0], 1, None, micros, seconds, agent)


def rest(tasks: list[TaskState], history: list[PastTask], **given: Any) -> Rest:
    return rest_of(
        tasks,
        history,
        given.get("agents", {"writer": "claude"}),
        given.get("begun", {}),
        sequential=given.get("sequential", False),
        slots=given.get("slots"),
    )


DIAMOND = [task("A-1"), task("B-1", "A-1"), task("C-1", "A-1"), task("D-1", "B-1", "C-1")]
TOOK = [past("A-1", 10), past("B-1", 5), past("C-1", 50), past("D-1", 1)]


def test_the_longest_chain_decides() -> None:
    found = rest(DIAMOND, TOOK)

    assert found.seconds == Range(61, 61, 61)
    assert found.path == ("A-1", "C-1", "D-1")


def test_what_is_done_skipped_or_cancelled_takes_nothing() -> None:
    ended = (TaskStatus.COMPLETED, TaskStatus.SKIPPED, TaskStatus.CANCELLED)
    for status in ended:
        found = rest([task("A-1", status=status), task("B-1", "A-1")], TOOK)
        assert (found.seconds, found.path) == (Range(5, 5, 5), ("B-1",))


def test_one_task_without_a_history_leaves_no_number() -> None:
    found = rest([*DIAMOND, task("E-1", "D-1")], TOOK)

    assert (found.seconds, found.micros, found.path, found.unknown) == (None, None, (), ("E-1",))


def test_only_the_agent_that_does_the_work_here_counts() -> None:
    history = [past("A-1", 10), past("A-1", 1000, agent="codex")]

    assert rest([task("A-1")], history).seconds == Range(10, 10, 10)
    assert rest([task("A-1")], history, agents={"writer": "gemini"}).unknown == ("A-1",)
    assert rest([task("A-1")], history, agents={}).seconds == Range(10, 505, 1000)


def test_the_same_kind_is_asked_before_the_same_prefix_and_a_revision_is_of_its_originals_kind() -> None:
    history = [past("A-1", 10), past("A-2", 99)]

    assert rest([task("A-1-R1", revision_of="A-1")], history).seconds == Range(10, 10, 10)
    assert rest([task("A-3")], history).seconds == Range(10, 54.5, 99)


def test_the_range_is_of_the_least_and_the_most_that_each_took() -> None:
    history = [past("A-1", value) for value in (2, 4, 9)]

    assert rest([task("A-1"), task("A-1-R1", "A-1", revision_of="A-1")], history).seconds == Range(4, 8, 18)


def test_what_a_running_task_has_taken_is_not_to_come() -> None:
    begun = {"A-1": Begun(7.0, 30)}
    running = task("A-1", status=TaskStatus.IN_PROGRESS)

    found = rest([running], [past("A-1", 10, 100), past("A-1", 5, 20)], begun=begun)

    assert found.seconds == Range(0, 0.5, 3)
    assert found.micros == Range(0, 30, 70)


def test_one_task_at_a_time_takes_the_sum_and_few_slots_their_share() -> None:
    wide = [task(f"A-{n}") for n in range(10)]
    took = [past("A-0", 10)]

    assert rest(wide, took, sequential=True).seconds == Range(100, 100, 100)
    assert rest(wide, took).seconds == Range(10, 10, 10)
    assert rest(wide, took, slots=4).seconds == Range(25, 25, 25)


def test_an_unknown_price_leaves_the_time_known() -> None:
    found = rest([task("A-1")], [past("A-1", 10, None)])

    assert (found.seconds, found.micros, found.unpriced) == (Range(10, 10, 10), None, ("A-1",))


def test_nothing_left_takes_no_time() -> None:
    found = rest([task("A-1", status=TaskStatus.COMPLETED)], [])

    assert (found.seconds, found.micros, found.path) == (Range(0, 0, 0), Range(0, 0, 0), ())
