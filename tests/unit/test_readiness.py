"""Ready, offers, and the advance table of domain section 7, row by row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.domain.model import AdvanceKind, TaskState, TaskStatus
from orchestrator.domain.scheduling import Candidate, Situation, advance, offers, topological, unmet

NOW = 1_000


def state(
    key: str,
    *,
    seq: int = 0,
    status: TaskStatus = TaskStatus.PENDING,
    blocked_by: tuple[str, ...] = (),
    **more: object,
) -> TaskState:
    return TaskState(key, "writer", "DRAFT", status, blocked_by, seq=seq, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("blocker", "ready"),
    [
        (TaskStatus.PENDING, False),
        (TaskStatus.IN_PROGRESS, False),
        (TaskStatus.FAILED, False),
        (TaskStatus.CANCELLED, False),
        (TaskStatus.COMPLETED, True),
        (TaskStatus.SKIPPED, True),
    ],
)
def test_a_task_is_ready_when_its_blocker_is_completed_or_skipped(blocker: TaskStatus, ready: bool) -> None:
    graph = {"A-001": state("A-001", status=blocker), "B-001": state("B-001", blocked_by=("A-001",))}

    assert unmet(graph["B-001"], graph) == ([] if ready else ["A-001"])


def test_parallel_offers_everything_ready_and_due_that_is_not_offered() -> None:
    ready = [
        state("A-001", seq=3),
        state("B-001", seq=1),
        state("C-001", offered=True),
        state("D-001", not_before=NOW + 1),
        state("E-001", seq=9, not_before=NOW),
    ]

    assert offers(ready, open_runs=5, sequential=False, now=NOW) == ["B-001", "A-001", "E-001"]


@pytest.mark.parametrize(
    ("open_runs", "offered", "expected"), [(0, False, ["B-001"]), (1, False, []), (0, True, [])]
)
def test_sequential_offers_the_lowest_and_only_when_nothing_runs_or_is_offered(
    open_runs: int, offered: bool, expected: list[str]
) -> None:
    ready = [state("A-001", seq=3), state("B-001", seq=1)] + (
        [state("C-001", offered=True)] if offered else []
    )

    assert offers(ready, open_runs=open_runs, sequential=True, now=NOW) == expected


ONE = Candidate("DRAFT-001", "writer", frozenset({"RESEARCH-001"}))
TWO = Candidate("DRAFT-009", "writer", frozenset({"RESEARCH-001"}))
BASE = Situation(
    done="RESEARCH-001",
    originals=frozenset(),
    halted=None,
    inner_loop=False,
    in_loop=None,
    ready=(ONE,),
    other_open_runs=0,
    sequential=False,
    host_roles=frozenset({"writer"}),
    older_offer=False,
)

ROWS = {
    "a HIGH verdict reports": (
        replace(BASE, halted="the verdict is HIGH", in_loop=ONE, inner_loop=True),
        "report",
        None,
        True,
    ),
    "a serial successor of an inner loop goes on": (
        replace(BASE, inner_loop=True, in_loop=ONE),
        "loop",
        "DRAFT-001",
        False,
    ),
    "an inner loop takes the lowest and leaves the rest to a beat": (
        replace(BASE, inner_loop=True, in_loop=ONE, ready=(ONE, TWO)),
        "loop",
        "DRAFT-001",
        True,
    ),
    "without an inner loop the one ready task is fast": (BASE, "fast", "DRAFT-001", False),
    "several ready tasks report": (replace(BASE, ready=(ONE, TWO)), "report", None, True),
    "nothing ready, others running reports": (
        replace(BASE, ready=(), other_open_runs=1),
        "report",
        None,
        True,
    ),
    "nothing ready, nothing running reports": (replace(BASE, ready=()), "report", None, True),
    "a joining task reports": (
        replace(BASE, ready=(replace(ONE, blockers=frozenset({"RESEARCH-001", "PLAN-001"})),)),
        "report",
        None,
        True,
    ),
    "a task that waited for something else reports": (
        replace(BASE, ready=(replace(ONE, blockers=frozenset({"PLAN-001"})),)),
        "report",
        None,
        True,
    ),
    "a revision's originals count as itself": (
        replace(
            BASE,
            done="RESEARCH-001-R1",
            originals=frozenset({"RESEARCH-001"}),
            ready=(replace(ONE, blockers=frozenset({"RESEARCH-001", "RESEARCH-001-R1"})),),
        ),
        "fast",
        "DRAFT-001",
        False,
    ),
    "sequential with another open run reports": (
        replace(BASE, sequential=True, other_open_runs=1),
        "report",
        None,
        True,
    ),
    "parallel with another open run is fast": (replace(BASE, other_open_runs=1), "fast", "DRAFT-001", False),
    "a host without the role reports": (
        replace(BASE, host_roles=frozenset({"analyst"})),
        "report",
        None,
        True,
    ),
    "an offered successor reports": (
        replace(BASE, ready=(replace(ONE, offered=True),)),
        "report",
        None,
        True,
    ),
    "a delayed successor reports": (replace(BASE, ready=(replace(ONE, due=False),)), "report", None, True),
    "an older offer elsewhere makes a fast advance yield": (
        replace(BASE, older_offer=True),
        "yield",
        "DRAFT-001",
        False,
    ),
    "an older offer elsewhere makes an inner loop yield": (
        replace(BASE, older_offer=True, inner_loop=True, in_loop=ONE),
        "yield",
        "DRAFT-001",
        False,
    ),
}


@pytest.mark.parametrize(("situation", "kind", "task", "wake"), ROWS.values(), ids=ROWS)
def test_advance_table(situation: Situation, kind: str, task: str | None, wake: bool) -> None:
    decided = advance(situation)

    assert (decided.kind, decided.task, decided.wake) == (AdvanceKind(kind), task, wake)


def test_topological_order_names_blockers_first_and_finds_cycles() -> None:
    assert topological({"B": ["A"], "A": [], "C": ["B", "A"]}) == ["A", "B", "C"]
    assert topological({"A": ["B"], "B": ["A"]}) is None
