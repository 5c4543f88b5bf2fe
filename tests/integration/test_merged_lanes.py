"""Another lane lands while an agent works: the merge of both is tested before it lands, and mended where it fails."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from orchestrator import failpoints
from orchestrator.domain.run_phases import WAITS_TO_RESOLVE
from orchestrator.store import work
from tests import factories as make
from tests import invariants
from tests.git_world import git
from tests.patience import patient
from tests.runtime_harness import HOST, RuntimeHarness
from tests.work.editing import Deed, Editing, building, landed, skip, until_idle, without_review
from tests.work.lanes import lanes
from tests.work.repositories import Fixture, apply
from workers.evidence import merged_evidence
from workers.git.merging import merge
from workers.landing.reviewed_session import session_work

TWO = lanes(2)
QUICK = 600.0  # seconds that tests take here at most, on any machine
OLDER = "tests/test_base.py::Base::test_the_package_is_there"
ALONE = """
import pathlib
import unittest


class Alone(unittest.TestCase):
    def test_there_is_no_other_part(self):
        self.assertEqual([], [path.name for path in pathlib.Path("parts").glob("part_1.py")])
"""


COUNT = """
import pathlib
import unittest


class Count(unittest.TestCase):
    def test_there_are_few_parts(self):
        self.assertLess(len(list(pathlib.Path("parts").glob("part_*.py"))), 2)
"""


@pytest.fixture
def while_judged() -> Iterator[pytest.MonkeyPatch]:
    """For `two_lanes`."""
    with pytest.MonkeyPatch.context() as patch:
        yield patch


def two_lanes(
    folder: Path,
    *,
    alone: bool = False,
    fixture: Fixture = TWO,
    more: Mapping[str, Sequence[Deed]] | None = None,
    judged: pytest.MonkeyPatch | None = None,
) -> tuple[RuntimeHarness, Editing]:
    """A build whose first task is still being worked on while the second one lands.

    `more`: what the tasks do in their turns, beside what they do in any case. `judged`: with it the second one lands while
    the first is judged, on the head of before.
    """
    added = {key: list(deeds) for key, deeds in (more or {}).items()}

    def first(tree: Path) -> None:
        apply(fixture.gold["TASK-001"], tree)
        do(added.get("TASK-001", ()), tree)
        if judged is None:
            land_second()
        else:
            judged.setattr(failpoints, "hit", hit)

    def hit(name: str) -> None:
        if judged is not None and name == "base.tested":
            judged.undo()
            land_second()

    def land_second() -> None:
        other = make.claim(harness.store, HOST)
        assert other is not None and other.key == "IMPL-002"
        harness.run(other)

    def second(tree: Path) -> None:
        apply(fixture.gold["TASK-002"], tree)
        do(added.get("TASK-002", ()), tree)
        if alone:
            (tree / "tests" / "test_alone.py").write_text(ALONE)

    def mend(tree: Path) -> None:
        (tree / "parts" / "part_1.py").rename(tree / "parts" / "first.py")
        test = tree / "tests" / "test_part_1.py"
        test.write_text(test.read_text().replace("parts.part_1", "parts.first"))

    agent = Editing(fixture, turns={"TASK-001": [first, mend], "TASK-002": [second]})
    harness = building(folder, agent)
    return harness, agent


def choosing(monkeypatch: pytest.MonkeyPatch, seconds: float = 0.0) -> None:
    """Let tests that take longer than `seconds` not all be run over a merge."""
    monkeypatch.setattr(merged_evidence, "QUICK_SECONDS", seconds)


def do(deeds: Sequence[Deed], tree: Path) -> None:
    for deed in deeds:
        if callable(deed):
            deed(tree)
        else:
            apply(deed, tree)


def suites(harness: RuntimeHarness, tree: str) -> list[dict[str, str]]:
    """The outcomes of each run of tests that is kept of a tree."""
    rows = harness.rows(
        "SELECT json_extract(data, '$.run.outcomes') FROM checks WHERE kind = 'tests' AND tree_id = ? ORDER BY id",
        tree,
    )
    return [json.loads(outcomes) for (outcomes,) in rows]


def head(harness: RuntimeHarness) -> str:
    """The tree that landed last."""
    return harness.store.read(lambda tx: work.commits_of(tx, harness.session))[-1].tree_id


def test_what_lands_after_a_merge_was_tested_as_it_lands(tmp_path: Path) -> None:
    harness, _ = two_lanes(tmp_path, alone=False)

    harness.run(harness.until("IMPL-001"))

    assert landed(harness) == ["Part 2", "Part 1"]
    commits = harness.store.read(lambda tx: work.commits_of(tx, harness.session))
    tested = {tree for (tree,) in harness.rows("SELECT tree_id FROM checks WHERE kind = 'tests'")}
    assert {each.tree_id for each in commits} <= tested
    invariants.check(harness.store.path)


def test_a_change_is_judged_on_what_has_landed_while_its_agent_worked(tmp_path: Path) -> None:
    harness, _ = two_lanes(tmp_path)

    harness.run(harness.until("IMPL-001"))

    assert landed(harness) == ["Part 2", "Part 1"]
    (whole,) = suites(harness, head(harness))
    assert set(whole) == {*(f"tests/test_part_{n}.py::Part::test_it_says_its_number" for n in (1, 2)), OLDER}
    _second, own = (tree for (tree,) in harness.rows("SELECT tree_id FROM candidates ORDER BY id"))
    assert own != head(harness) and suites(harness, own) == []
    record = json.loads(harness.text("qa/impl-IMPL-001.json"))
    assert record["tests"]["bites"] is True
    told = harness.text("qa/pull-request.md")
    assert "`parts/part_1.py`" in told and "`parts/part_2.py`" in told
    invariants.check(harness.store.path)


@pytest.mark.parametrize("is_judged", [False, True])
def test_a_change_that_others_have_landed_meanwhile_lands_no_second_time(
    tmp_path: Path, while_judged: pytest.MonkeyPatch, is_judged: bool
) -> None:
    harness, agent = two_lanes(tmp_path, judged=while_judged if is_judged else None)
    (first, _) = agent.turns["TASK-001"]
    agent.turns = {"TASK-001": [first, lambda _: None], "TASK-002": [TWO.gold["TASK-001"]]}
    agent.answers = {"TASK-001": {**TWO.answer("TASK-001"), "no_change": "Part 1 is there."}}

    harness.run(harness.until("IMPL-001"))

    assert landed(harness) == ["Part 2"]
    asked = [each.prompt for each in agent.requests if each.edits]
    assert len(asked) == 3 and "already_landed" in asked[-1]
    record = json.loads(harness.text("qa/impl-IMPL-001.json"))
    assert (record["commit"], record["files"]) == (None, [])
    assert {each["verified"] for each in record["criteria"]} == {"test"}
    invariants.check(harness.store.path)


def test_what_conflicts_with_what_has_landed_is_not_tested_before_that_is_resolved(tmp_path: Path) -> None:
    more = {"TASK-001": [{"shared.py": "NAMES = ['1']\n"}], "TASK-002": [{"shared.py": "NAMES = ['2']\n"}]}
    harness, agent = two_lanes(tmp_path, more=more)
    (first, _) = agent.turns["TASK-001"]
    agent.turns = {**agent.turns, "TASK-001": [first, {"shared.py": "NAMES = ['1', '2']\n"}]}

    harness.run(harness.until("IMPL-001"))

    assert landed(harness) == ["Part 2", "Part 1"]
    assert [each.task for each in agent.requests if each.edits] == ["IMPL-001", "IMPL-002", "IMPL-001"]
    record = json.loads(harness.text("qa/impl-IMPL-001.json"))
    assert record["resolved"] == ["shared.py"]
    assert "resolved a conflict with what had landed meanwhile in `shared.py`" in harness.text(
        "qa/pull-request.md"
    )
    trees = [tree for (tree,) in harness.rows("SELECT tree_id FROM candidates ORDER BY id")]
    _landed, conflicting, resolved = (trees[n] for n in (0, 1, 2))
    assert suites(harness, conflicting) == [] and len(suites(harness, resolved)) == 1
    assert git(harness.project, "show", f"lifecycle/{harness.session}:shared.py") == "NAMES = ['1', '2']"
    invariants.check(harness.store.path)


def test_what_waits_is_tested_as_it_would_land(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choosing(monkeypatch, QUICK)
    harness = building(tmp_path, Editing(TWO))
    first = harness.until("IMPL-001")
    second = make.claim(harness.store, HOST)
    assert second is not None
    private = session_work(harness.context(second)).private
    has_ticket = threading.Event()

    def tested_ahead() -> bool:
        proposed = [commit for (commit,) in harness.rows("SELECT commit_id FROM candidates ORDER BY ticket")]
        if len(proposed) < 2:
            return False
        return bool(suites(harness, merge(private, *proposed).tree))

    def hit(name: str) -> None:
        if name == "land.ticket" and threading.current_thread() is not threading.main_thread():
            has_ticket.set()
            deadline = time.monotonic() + patient(60)
            while not tested_ahead():
                assert time.monotonic() < deadline, "the other one waits, and is not tested"
                time.sleep(0.05)  # between two looks

    monkeypatch.setattr(failpoints, "hit", hit)
    with ThreadPoolExecutor(1) as beside:
        landing = beside.submit(harness.run, first)
        assert has_ticket.wait(patient(60)), landing.exception(0)
        harness.run(second)
        landing.result()

    assert landed(harness) == ["Part 1", "Part 2"]
    assert len(suites(harness, head(harness))) == 1
    invariants.check(harness.store.path)


def test_a_conflict_with_what_has_landed_is_resolved_while_others_are_to_land(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    three = lanes(3)
    has_ticket, resolving = threading.Event(), threading.Event()
    landing: list[Future[Any]] = []

    def hit(name: str) -> None:
        if name == "land.ticket" and threading.current_thread() is not threading.main_thread():
            has_ticket.set()
            assert resolving.wait(patient(60)), "what conflicts in any case waits for its turn"

    def second(tree: Path) -> None:
        apply(three.gold["TASK-002"], tree)
        (tree / "shared.py").write_text("NAMES = ['2']\n")
        third = make.claim(harness.store, HOST)
        assert third is not None and third.key == "IMPL-003"
        harness.run(third)
        landing.append(beside.submit(harness.run, first))
        assert has_ticket.wait(patient(60))

    def resolve(tree: Path) -> None:
        resolving.set()
        (tree / "shared.py").write_text("NAMES = ['2', '3']\n")

    shared = {**three.gold["TASK-003"], "shared.py": "NAMES = ['3']\n"}
    harness = building(tmp_path, Editing(three, turns={"TASK-002": [second, resolve], "TASK-003": [shared]}))
    first = harness.until("IMPL-001")
    row = make.claim(harness.store, HOST)
    assert row is not None and row.key == "IMPL-002"
    monkeypatch.setattr(failpoints, "hit", hit)

    with ThreadPoolExecutor(1) as beside:
        harness.run(row)
        landing[0].result()

    assert landed(harness) == ["Part 3", "Part 1", "Part 2"]
    invariants.check(harness.store.path)


def test_of_lanes_with_one_file_in_common_each_resolves_once(tmp_path: Path) -> None:
    four = lanes(4, seconds=0.5)
    waited: list[str] = []

    def another_waits() -> bool:
        open_runs = harness.rows(
            "SELECT t.key FROM runs r JOIN tasks t ON t.id = r.task_id WHERE r.phase = ? AND r.outcome IS NULL",
            WAITS_TO_RESOLVE,
        )
        return bool(open_runs)

    def resolve(tree: Path) -> None:
        deadline = time.monotonic() + patient(60)
        while not waited and not another_waits():
            assert time.monotonic() < deadline, "nobody waits while the first conflict is resolved"
            time.sleep(0.05)  # between two looks
        waited.append(tree.name)
        file = tree / "CHANGES"
        lines = file.read_text().splitlines(keepends=True)
        file.write_text(
            "".join(each for each in lines if not each.startswith(("<<<<<<<", ">>>>>>>", "=======")))
        )

    def turns(number: int) -> Sequence[Deed]:
        return [{**four.gold[f"TASK-{number:03d}"], "CHANGES": f"part {number}\n"}, resolve]

    agent = Editing(four, turns={f"TASK-{number:03d}": turns(number) for number in range(1, 5)})
    harness = building(tmp_path, agent)
    rows = [harness.until("IMPL-001"), *(make.claim(harness.store, HOST) for _ in range(3))]

    with ThreadPoolExecutor(len(rows)) as pool:
        list(pool.map(harness.run, rows))

    outcomes = harness.rows(
        "SELECT r.outcome FROM runs r JOIN tasks t ON t.id = r.task_id WHERE t.key LIKE 'IMPL%'"
    )
    assert outcomes == [("completed",)] * 4
    assert len([each for each in agent.requests if each.edits]) == 4 + 3
    changes = git(harness.project, "show", f"lifecycle/{harness.session}:CHANGES").splitlines()
    assert sorted(changes) == [f"part {number}" for number in range(1, 5)]
    invariants.check(harness.store.path)


@pytest.mark.long
def test_a_merge_whose_tests_fail_is_mended_on_the_new_head_before_it_lands(tmp_path: Path) -> None:
    harness, agent = two_lanes(tmp_path, alone=True)

    harness.run(harness.until("IMPL-001"))

    assert landed(harness) == ["Part 2", "Part 1"]
    assert [each.task for each in agent.requests if each.edits] == ["IMPL-001", "IMPL-002", "IMPL-001"]
    names = git(harness.project, "ls-tree", "--name-only", f"lifecycle/{harness.session}", "parts/")
    assert {"parts/first.py", "parts/part_2.py"} < set(names.split())
    assert "parts/part_1.py" not in names
    invariants.check(harness.store.path)


def test_over_a_merge_the_tests_that_its_sides_can_affect_are_run_and_the_others_are_as_they_were(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    while_judged: pytest.MonkeyPatch,
) -> None:
    choosing(monkeypatch)
    harness, _ = two_lanes(tmp_path, judged=while_judged)

    harness.run(harness.until("IMPL-001"))

    assert landed(harness) == ["Part 2", "Part 1"]
    ran, together = suites(harness, head(harness))
    parts = {f"tests/test_part_{n}.py::Part::test_it_says_its_number" for n in (1, 2)}
    assert set(ran) == parts
    assert set(together) == {*parts, OLDER}
    assert set(together.values()) == {"passed"}
    record = json.loads(harness.text("qa/impl-IMPL-001.json"))
    assert sorted(record["tests"]["chosen"]) == ["tests/test_part_1.py", "tests/test_part_2.py"]
    assert (record["tests"]["passed"], record["tests"]["bites"]) == (3, True)
    invariants.check(harness.store.path)


def test_over_a_merge_behind_the_last_tester_all_tests_are_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, while_judged: pytest.MonkeyPatch
) -> None:
    choosing(monkeypatch)
    harness, _ = two_lanes(tmp_path, judged=while_judged)
    skip(harness, "TEST-001")

    harness.run(harness.until("IMPL-001"))

    assert landed(harness) == ["Part 2", "Part 1"]
    (ran,) = suites(harness, head(harness))
    assert set(ran) == {*(f"tests/test_part_{n}.py::Part::test_it_says_its_number" for n in (1, 2)), OLDER}
    assert json.loads(harness.text("qa/impl-IMPL-001.json"))["tests"]["chosen"] is None
    invariants.check(harness.store.path)


@pytest.mark.long
def test_a_merge_that_breaks_what_one_side_imports_of_the_other_is_mended_before_it_lands(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second task takes a function away that the first one begins to use; neither touches the other's files."""
    choosing(monkeypatch)
    fixture = lanes(2, files={"parts/names.py": "def old():\n    return 1\n"})
    renamed = {"parts/names.py": "def new():\n    return 1\n"}
    uses = {"parts/part_1.py": "from parts.names import old\n\n\ndef say():\n    return old()\n"}
    mended = {"parts/part_1.py": "from parts.names import new\n\n\ndef say():\n    return new()\n"}
    harness, agent = two_lanes(tmp_path, fixture=fixture, more={"TASK-001": [uses], "TASK-002": [renamed]})
    (first, _) = agent.turns["TASK-001"]
    agent.turns = {**agent.turns, "TASK-001": [first, mended]}

    harness.run(harness.until("IMPL-001"))

    assert landed(harness) == ["Part 2", "Part 1"]
    assert [each.task for each in agent.requests if each.edits] == ["IMPL-001", "IMPL-002", "IMPL-001"]
    asked = [each.prompt for each in agent.requests if each.edits][-1]
    assert "tests/test_part_1.py" in asked and "old" in asked
    assert "new()" in git(harness.project, "show", f"lifecycle/{harness.session}:parts/part_1.py")
    invariants.check(harness.store.path)


@pytest.mark.long
def test_a_merge_of_a_path_that_both_sides_changed_is_judged_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choosing(monkeypatch)
    lines = "".join(f"{n} = {n}\n" for n in "abcdefgh")
    fixture = lanes(2, files={"parts/names.py": lines})
    more = {
        "TASK-001": [{"parts/names.py": lines.replace("a = a", "a = 1")}],
        "TASK-002": [{"parts/names.py": lines.replace("h = h", "h = 8")}],
    }
    harness, _ = two_lanes(tmp_path, fixture=fixture, more=more)

    harness.run(harness.until("IMPL-001"))

    assert landed(harness) == ["Part 2", "Part 1"]
    (whole,) = suites(harness, head(harness))
    assert OLDER in whole
    assert "chosen" not in json.loads(harness.text("qa/impl-IMPL-001.json"))["tests"]


@pytest.mark.long
def test_names_that_two_changes_write_differently_do_not_land_together(tmp_path: Path) -> None:
    more = {"TASK-001": [{"parts/Names.py": "A = 1\n"}], "TASK-002": [{"parts/names.py": "B = 1\n"}]}
    harness, agent = two_lanes(tmp_path, more=more)
    (first, _) = agent.turns["TASK-001"]

    def rename(tree: Path) -> None:
        (tree / "parts/Names.py").rename(tree / "parts/other.py")

    agent.turns = {**agent.turns, "TASK-001": [first, rename]}

    harness.run(harness.until("IMPL-001"))

    assert landed(harness) == ["Part 2", "Part 1"]
    assert "parts/Names.py" in [each.prompt for each in agent.requests if each.edits][-1]
    names = git(harness.project, "ls-tree", "--name-only", f"lifecycle/{harness.session}", "parts/").split()
    assert {"parts/names.py", "parts/other.py"} < set(names) and "parts/Names.py" not in names


@pytest.mark.long
@pytest.mark.parametrize("is_quick", [True, False])
def test_an_older_test_that_two_changes_break_together_is_mended_before_or_after_they_land(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, while_judged: pytest.MonkeyPatch, is_quick: bool
) -> None:
    """What the test reads is seen by no import: quick tests are all run over the merge, others at the end."""
    choosing(monkeypatch, QUICK if is_quick else 0.0)
    fixture = lanes(2, files={"tests/test_count.py": COUNT})
    harness, agent = two_lanes(tmp_path, fixture=fixture, judged=while_judged)

    def mend(tree: Path) -> None:
        (tree / "parts" / "part_1.py").rename(tree / "parts" / "first.py")
        test = tree / "tests" / "test_part_1.py"
        test.write_text(test.read_text().replace("parts.part_1", "parts.first"))

    agent.turns = {**agent.turns, "TEST-001": [mend]}
    agent.answers = {
        "TEST-001": {"summary": "Named it otherwise.", "criteria": [], "no_change": None, "needs": None}
    }
    without_review(harness)

    harness.run(harness.until("IMPL-001"))
    until_idle(harness)

    mended_by = [each.task for each in agent.requests if each.edits][2:]
    assert mended_by == (["IMPL-001"] if is_quick else ["TEST-001"])
    *_, last = suites(harness, head(harness))
    assert last["tests/test_count.py::Count::test_there_are_few_parts"] == "passed"
    assert json.loads(harness.text("qa/test-TEST-001.json"))["verdict"] == "PASS"
    invariants.check(harness.store.path)


def test_what_conflicts_with_a_change_that_is_checked_waits_until_that_has_landed(
    tmp_path: Path, while_judged: pytest.MonkeyPatch
) -> None:
    fixture = lanes(3)
    mine, both = {"shared.txt": "mine\n"}, {"shared.txt": "mine\nand the second's\n"}
    gold = fixture.gold["TASK-002"]
    agent = Editing(
        fixture,
        turns={
            "TASK-001": [{**fixture.gold["TASK-001"], **mine}],
            "TASK-002": [{**gold, "shared.txt": "the second's\n"}, both],
        },
    )
    harness = building(tmp_path, agent)
    done: list[Future[Any]] = []

    def hit(name: str) -> None:
        if name != "base.tested":
            return
        while_judged.undo()
        second, third = make.claim(harness.store, HOST), make.claim(harness.store, HOST)
        assert second is not None and third is not None
        done.append(pool.submit(harness.run, second))
        until(harness, "SELECT 1 FROM checks WHERE kind = 'claims' AND run_id = ?", second.run)
        harness.run(third)  # that begins later, and has the turn that the second could have

    with ThreadPoolExecutor(1) as pool:
        first = harness.until("IMPL-001")
        while_judged.setattr(failpoints, "hit", hit)
        harness.run(first)
        done[0].result(patient(60))

    assert landed(harness) == ["Part 3", "Part 1", "Part 2"]
    assert git(harness.project, "show", f"lifecycle/{harness.session}:shared.txt") == "mine\nand the second's"
    trees = harness.rows(
        "SELECT tree_id FROM candidates WHERE task_id = (SELECT id FROM tasks WHERE key = 'IMPL-002')"
    )
    assert len(trees) == 2 and suites(harness, trees[0][0]) == []
    invariants.check(harness.store.path)


def until(harness: RuntimeHarness, query: str, *values: Any) -> None:
    """Wait until the query has a row."""
    until = time.monotonic() + patient(60)
    while not harness.rows(query, *values):
        assert time.monotonic() < until, query
        time.sleep(0.02)
