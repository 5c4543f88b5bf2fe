"""A plan after a change: what is not affected stays word for word, and only the rest is carried out (docs/planning.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from orchestrator.domain.documents import Catalogue
from orchestrator.domain.model import TaskState, TaskStatus
from orchestrator.domain.plan import PlanTask
from orchestrator.domain.plan_checks import Ground, check_plan, with_overlaps
from orchestrator.domain.plan_delta import merged, removable, stale_tasks, to_plan
from orchestrator.domain.revisions import plan_build, plan_rejection, plan_revision
from orchestrator.domain.spec_items import ItemChanges, items_of_pages
from orchestrator.lifecycle.delta_fan_out import DeltaFanOut, plan_delta_fan_out, waiting_for_plan
from orchestrator.lifecycle.delta_plan import carried_digests
from orchestrator.store.checks import Link
from orchestrator.store.rows import Task
from tests import factories as make
from tests.plans import planned, task

FOUR = tuple(task(n, refs=[f"REQ-00{n}"]) for n in range(1, 5))
DONE, PENDING, RUNS = TaskStatus.COMPLETED, TaskStatus.PENDING, TaskStatus.IN_PROGRESS


def reworded(plan_task: PlanTask, **more: object) -> PlanTask:
    return replace(plan_task, title="Other words", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "stale"),
    [
        (ItemChanges(changed=("REQ-002",)), {"TASK-002"}),
        (ItemChanges(withdrawn=("REQ-003",)), {"TASK-003"}),
        (ItemChanges(new=("REQ-009",)), set()),
        (ItemChanges(changed=("G-001", "REQ-007")), set()),
    ],
)
def test_a_task_is_stale_where_an_item_that_it_cites_is_not_what_it_was(
    changes: ItemChanges, stale: set[str]
) -> None:
    assert stale_tasks(FOUR, changes) == stale


def test_only_cited_items_and_new_ones_that_are_built_are_planned() -> None:
    changes = ItemChanges(
        ("G-001", "REQ-002"), ("EPIC-002", "REQ-009", "component:Shelf"), ("REQ-003", "REQ-008")
    )

    assert to_plan(FOUR, changes) == ItemChanges(("REQ-002",), ("REQ-009",), ("REQ-003",))


def test_what_is_not_affected_stays_whatever_was_given_for_it() -> None:
    given = planned(*(reworded(each) for each in FOUR[:3]))

    plan, delta, notes = merged(planned(*FOUR), given, {"TASK-002"}, {each.id for each in FOUR})

    assert [each.digest == old.digest for each, old in zip(plan.tasks, FOUR, strict=True)] == [
        True,
        False,
        True,
        True,
    ]
    assert (delta.kept, delta.changed, delta.new, delta.dropped) == (
        ("TASK-001", "TASK-003", "TASK-004"),
        ("TASK-002",),
        (),
        (),
    )
    assert len(notes) == 2


def test_a_stale_task_that_is_not_given_is_dropped_and_a_new_one_gets_a_number_nobody_had() -> None:
    given = planned(task(5, refs=["REQ-009"], waits=[5]), FOUR[0])

    plan, delta, _ = merged(planned(*FOUR), given, {"TASK-003"}, {"TASK-005"})

    assert (delta.changed, delta.new, delta.dropped) == ((), ("TASK-006",), ("TASK-003",))
    new = plan.task("TASK-006")
    assert new is not None and new.waits_for == ("TASK-006",) and new.criteria[0].id == "TASK-006-C1"


def test_a_task_that_stays_waits_no_more_for_one_that_was_dropped() -> None:
    before = planned(FOUR[0], task(2, refs=["REQ-002"], waits=[1]))

    plan, delta, _ = merged(before, planned(task(3)), {"TASK-001"}, ())

    assert delta.kept == ("TASK-002",)
    assert plan.tasks[0].waits_for == ()


def test_a_persons_words_may_change_any_task() -> None:
    _, delta, notes = merged(planned(*FOUR), planned(reworded(FOUR[0])), (), (), by_words=True)

    assert (delta.kept, delta.changed, notes) == (("TASK-002", "TASK-003", "TASK-004"), ("TASK-001",), [])


def test_a_withdrawn_item_whose_work_has_landed_needs_its_removal() -> None:
    gone = removable(FOUR[:3], ItemChanges(withdrawn=("REQ-002", "REQ-004")))
    ground = Ground(ids=frozenset({"REQ-001", "REQ-002"}), removed=gone)
    removal = replace(task(5, refs=["REQ-002"]), kind="remove")

    assert gone == {"REQ-002"}
    assert [each.text for each in check_plan(planned(FOUR[0]), ground).faults] == [
        "REQ-002 was withdrawn, and no task of kind remove cites it"
    ]
    assert check_plan(planned(FOUR[0], removal), ground).faults == ()
    later = Ground(ids=frozenset({"REQ-001"}), landed=frozenset({"TASK-005"}))  # a plan after that one
    assert check_plan(planned(FOUR[0], removal), later).faults == ()
    assert check_plan(planned(FOUR[0], task(5, refs=["REQ-002"])), ground).faults != ()


def test_tasks_that_have_landed_count_neither_as_many_nor_against_the_files() -> None:
    tasks = [task(n, refs=["REQ-001"]) for n in range(1, 9)]
    there = frozenset(f"src/made_{n}.py" for n in range(1, 8))
    ground = Ground(
        paths=there, ids=frozenset({"REQ-001"}), landed=frozenset(f"TASK-00{n}" for n in range(1, 8))
    )

    assert check_plan(planned(*tasks), ground).faults == ()
    assert check_plan(planned(*tasks), replace(ground, landed=frozenset())).faults != ()


# the graph


def world(**status: TaskStatus) -> dict[str, TaskState]:
    """Four tasks of a plan that are carried out and judged; `status`: what is not completed, by key with _ for -."""
    builds = [f"IMPL-00{n}" for n in range(1, 5)]
    rows = [
        ("PLAN-001", "planner", "PLAN", ()),
        *((key, "executor", "IMPL", ("PLAN-001",)) for key in builds),
        ("TEST-001", "tester", "TEST", tuple(builds)),
        ("REVIEW-001", "reviewer", "REVIEW", tuple(builds)),
    ]
    return {
        key: TaskState(key, role, prefix, status.get(key.replace("-", "_"), DONE), blockers, phase="impl")
        for key, role, prefix, blockers in rows
    }


CARRIERS = {f"TASK-00{n}": f"IMPL-00{n}" for n in range(1, 5)}


def fanned(state: dict[str, TaskState], rerun: Sequence[str], *tasks: PlanTask) -> DeltaFanOut:
    return plan_delta_fan_out(state, CARRIERS, with_overlaps(tasks or FOUR), rerun, "PLAN-001-R1")


def test_only_the_changed_task_and_its_judges_run_again() -> None:
    found = fanned(world(), ["TASK-002"])

    assert {each.key: each.blocked_by for each in found.tasks} == {
        "IMPL-002-R1": ("PLAN-001-R1",),
        "TEST-001-R1": ("IMPL-002-R1",),
        "REVIEW-001-R1": ("IMPL-002-R1",),
    }
    assert found.carried_out == {"IMPL-002-R1": "TASK-002"}
    assert (found.edges, found.release, found.skip) == ((), (), ())


def test_a_new_task_of_the_plan_gets_the_next_number_and_waits_for_what_stays() -> None:
    found = fanned(world(), ["TASK-005"], *FOUR, task(5, refs=["REQ-009"], waits=[2]))

    first = found.tasks[0]
    assert (first.key, first.blocked_by) == ("IMPL-005", ("PLAN-001-R1", "IMPL-002"))
    assert [each.key for each in found.tasks][1:] == ["TEST-001-R1", "REVIEW-001-R1"]


def test_changed_tasks_wait_for_each_other_as_the_plan_says() -> None:
    found = fanned(world(), ["TASK-001", "TASK-002"], FOUR[0], task(2, waits=[1]), *FOUR[2:])

    assert {each.key: each.blocked_by for each in found.tasks}["IMPL-002-R1"] == (
        "PLAN-001-R1",
        "IMPL-001-R1",
    )


def test_what_had_not_landed_ends_and_judges_that_wait_wait_for_the_new() -> None:
    state = world(IMPL_002=PENDING, IMPL_003=RUNS, TEST_001=PENDING, REVIEW_001=RUNS)

    found = fanned(state, ["TASK-002", "TASK-003"])

    assert set(found.skip) == {"IMPL-002", "IMPL-003"}
    assert set(found.release) == {"IMPL-003", "REVIEW-001"}
    assert set(found.edges) == {
        (judge, key) for judge in ("TEST-001", "REVIEW-001") for key in ("IMPL-002-R1", "IMPL-003-R1")
    }
    assert [each.key for each in found.tasks] == ["IMPL-002-R1", "IMPL-003-R1"]


def test_a_task_that_stays_and_has_not_begun_waits_for_what_it_is_built_on() -> None:
    found = fanned(
        world(IMPL_002=PENDING), ["TASK-001"], FOUR[0], task(2, refs=["REQ-002"], waits=[1]), *FOUR[2:]
    )

    assert ("IMPL-002", "IMPL-001-R1") in found.edges


def test_a_task_that_no_plan_asks_for_any_more_ends_where_it_has_not_landed() -> None:
    assert fanned(world(IMPL_004=PENDING, TEST_001=PENDING), [], *FOUR[:3]).skip == ("IMPL-004",)
    assert fanned(world(), [], *FOUR[:3]) == DeltaFanOut({})


def test_stale_work_and_every_judge_wait_for_the_plan_and_the_rest_goes_on() -> None:
    state = world(IMPL_002=RUNS, IMPL_003=RUNS, IMPL_004=PENDING, TEST_001=PENDING)

    assert [each.key for each in waiting_for_plan(state, CARRIERS, {"TASK-001", "TASK-002", "TASK-004"})] == [
        "IMPL-002",
        "IMPL-004",
        "TEST-001",
    ]


def test_revising_a_task_that_changes_code_runs_it_and_its_judges_alone() -> None:
    state = world()
    state["IMPL-003"] = replace(state["IMPL-003"], blocked_by=("PLAN-001", "IMPL-002"))

    found = plan_revision(state, "IMPL-002", make.shipped_pack().documents)

    assert {each.key: each.blocked_by for each in found.tasks} == {
        "IMPL-002-R1": ("IMPL-002",),
        "TEST-001-R1": ("IMPL-002-R1",),
        "REVIEW-001-R1": ("IMPL-002-R1",),
    }
    assert [each.made_for for each in found.tasks] == [True, False, False]


def test_what_has_not_begun_behind_a_revised_task_waits_for_it() -> None:
    state = world(IMPL_003=PENDING, IMPL_004=RUNS, TEST_001=PENDING)
    state |= {key: replace(state[key], blocked_by=("IMPL-002",)) for key in ("IMPL-003", "IMPL-004")}

    found = plan_build(state, "IMPL-002")

    assert {key for key, _ in found.extra_edges} == {"IMPL-003", "TEST-001"}
    assert found.release == ()


FIVE = (*FOUR, task(5, refs=["REQ-005"]))


def planned_later() -> dict[str, TaskState]:
    """A fifth task that a second plan brought, and that repetitions of the judges have judged."""
    state = world()
    made = plan_delta_fan_out(state, CARRIERS, with_overlaps(FIVE), ["TASK-005"], "PLAN-001")
    return state | {each.key: replace(each, status=DONE) for each in made.tasks}


def test_work_that_was_planned_later_is_judged_again_as_well() -> None:
    held = {**CARRIERS, "TASK-005": "IMPL-005"}

    made = plan_delta_fan_out(planned_later(), held, with_overlaps(FIVE), ["TASK-005"], "PLAN-001-R2")

    again = ["IMPL-005-R1", "TEST-001-R2", "REVIEW-001-R2"]
    assert [each.key for each in made.tasks] == again
    assert [each.key for each in plan_build(planned_later(), "IMPL-005").tasks] == again


def test_a_fix_that_is_revised_is_judged_again() -> None:
    state = world()
    judges = ("TEST-001", "REVIEW-001")
    state["IMPL-fix-001"] = replace(state["IMPL-001"], key="IMPL-fix-001", blocked_by=judges)
    for key in judges:
        state[f"{key}-R1"] = replace(
            state[key], key=f"{key}-R1", blocked_by=("IMPL-fix-001",), revision_of=key, revision_no=1
        )

    made = plan_build(state, "IMPL-fix-001").tasks

    assert [each.key for each in made] == ["IMPL-fix-001-R1", "TEST-001-R2", "REVIEW-001-R2"]


def test_a_rejected_plan_that_follows_another_leaves_what_is_carried_out_alone() -> None:
    state = world(IMPL_002=PENDING, IMPL_003=RUNS, TEST_001=PENDING)
    plan = replace(state["PLAN-001"], key="PLAN-001-R1", revision_of="PLAN-001", revision_no=1)
    state["PLAN-001-R1"] = replace(plan, blocked_by=("PLAN-001",))
    state |= {key: replace(state[key], blocked_by=("PLAN-001-R1",)) for key in ("IMPL-002", "TEST-001")}

    found = plan_rejection(state, "PLAN-001-R1", Catalogue({}), is_carried_out=True)

    assert [each.key for each in found.tasks] == ["PLAN-001-R2"]
    assert found.extra_edges == (("IMPL-002", "PLAN-001-R2"), ("TEST-001", "PLAN-001-R2"))
    assert found.release == ()


@pytest.mark.parametrize(
    ("planned_side", "built", "added_side", "made"),
    [
        ("frontend", "DEV-FE-001", "backend", ["IMPL-002", "TEST-001-R1", "REVIEW-001-R1"]),
        ("backend", "IMPL-001", "frontend", ["DEV-FE-002", "QA-FE-001-R1", "REVIEW-001-R1"]),
    ],
)
def test_work_of_a_side_that_no_plan_had_before_goes_to_its_own_role_and_judges(
    planned_side: str, built: str, added_side: str, made: list[str]
) -> None:
    rows = [
        ("PLAN-001", "PLAN", ()),
        ("IMPL-001", "IMPL", ("PLAN-001",)),
        ("DEV-FE-001", "DEV-FE", ("PLAN-001",)),
        ("TEST-001", "TEST", ("IMPL-001",)),
        ("QA-FE-001", "QA-FE", ("DEV-FE-001",)),
        ("REVIEW-001", "REVIEW", ("TEST-001", "QA-FE-001")),
    ]
    state = {key: TaskState(key, prefix, prefix, DONE, above, phase="impl") for key, prefix, above in rows}
    unused = next(key for key in ("IMPL-001", "DEV-FE-001") if key != built)
    state[unused] = replace(state[unused], status=TaskStatus.SKIPPED)
    plan = (replace(task(1), side=planned_side), replace(task(2), side=added_side))

    found = plan_delta_fan_out(state, {"TASK-001": built}, with_overlaps(plan), ["TASK-002"], "PLAN-001-R1")

    assert [each.key for each in found.tasks] == made
    assert found.tasks[0].role == state[unused].role


def test_what_is_being_carried_out_counts_before_what_has_landed() -> None:
    def carried(key: str, digest: str, status: TaskStatus) -> Task:
        row = Task(*(None for _ in Task._fields))
        return row._replace(
            key=key, status=status, payload={"plan_task": "TASK-001", "task_digest": digest}, prefix="IMPL"
        )

    landed = Link("plan_task", "TASK-001", "one", "commit", "c" * 40, None, "made", 1, None, "r")
    first = carried("IMPL-001", "one", DONE)

    assert carried_digests([landed], [first, carried("IMPL-001-R1", "two", RUNS)]) == {"TASK-001": "two"}
    assert carried_digests([landed], [first, carried("IMPL-001-R1", "two", TaskStatus.SKIPPED)]) == {
        "TASK-001": "one"
    }


@pytest.mark.parametrize(
    "line", ["```inline```", "~~~\ncode\n~~~", "```\n# REQ-009 no heading\n```", "````\ncode\n````"]
)
def test_code_on_a_page_hides_none_of_the_items_below_it(line: str) -> None:
    page = f"# REQ-001 One\n\n{line}\n\n# REQ-002 Two\n"

    assert set(items_of_pages({"spec/given.md": page}, Catalogue({}))) >= {"REQ-001", "REQ-002"}
