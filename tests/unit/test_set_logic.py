"""What four runs of the tests say about a change (docs/evidence.md)."""

import pytest

from orchestrator.domain.evidence import TestRun
from workers.evidence.cases import BUILD
from workers.evidence.set_logic import compare, findings_of


def run(**outcomes: str) -> TestRun:
    return TestRun("pytest", ("pytest",), {f"t.py::{name}": outcome for name, outcome in outcomes.items()})


BASE = run(a="passed", b="passed", old="failed")


@pytest.mark.parametrize(
    ("candidate", "protected", "bite", "rules"),
    [
        (run(a="passed", b="passed", old="failed"), None, None, []),
        (run(a="passed", b="failed", old="failed"), None, None, ["regression"]),
        (run(a="passed", old="failed"), None, None, ["test_missing"]),
        (run(a="passed", b="skipped", old="failed"), None, None, ["test_skipped"]),
        (run(a="passed", b="passed", old="passed"), None, None, []),
        (run(a="passed", b="passed", new="failed"), None, None, ["new_test_fails"]),
        # the candidate's own tests pass, those of the base do not: they were weakened
        (run(a="passed", b="passed"), run(a="passed", b="failed", old="failed"), None, ["regression"]),
        # gone from the candidate, though the base's tests pass with its source: the next change has nothing to hold it
        (run(a="passed"), run(a="passed", b="passed", old="failed"), None, ["test_missing"]),
        # the edited tests fail, the base's pass
        (run(a="error", b="passed"), run(a="passed", b="passed", old="failed"), None, ["regression"]),
        (run(a="passed", b="passed", new="passed"), None, run(a="passed", b="passed", new="failed"), []),
        (run(a="passed", b="passed", new="passed"), None, TestRun("pytest", (), {"t.py": "error"}), []),
        (  # by a report that has modules and classes instead of files
            TestRun(
                "own command", (), {f"t.py::{name}": "passed" for name in "ab"} | {"t.new.Part::it": "passed"}
            ),
            None,
            TestRun("own command", (), {"t.new": "error"}),
            [],
        ),
        # compiled languages: what the new tests call is not there, so that nothing is built
        (run(a="passed", b="passed", new="passed"), None, TestRun("cargo", (), {BUILD: "error"}), []),
        # the change does not build: said once, for all tests
        (TestRun("cargo", (), {BUILD: "error"}), None, None, ["regression"]),
        (  # an id that neither run knows: a name that is made up anew each time
            run(a="passed", b="passed", new="passed"),
            None,
            run(a="passed", b="passed"),
            ["tests_do_not_see_the_change"],
        ),
        (
            run(a="passed", b="passed", new="passed"),
            None,
            run(a="passed", b="passed", new="passed"),
            ["tests_do_not_see_the_change"],
        ),
    ],
)
def test_the_sets_charge_what_the_change_did(
    candidate: TestRun, protected: TestRun | None, bite: TestRun | None, rules: list[str]
) -> None:
    found = compare(BASE, candidate, protected, bite)

    assert [each.rule for each in findings_of(found, candidate)] == rules
    assert all(each.blocks for each in findings_of(found, candidate))


def test_what_failed_before_is_charged_to_nobody() -> None:
    found = compare(BASE, run(a="passed", b="passed", old="error"))

    assert found.preexisting == {"t.py::old"}
    assert found.is_clean


def test_an_edited_test_that_fails_without_the_change_is_a_bite() -> None:
    candidate = run(a="passed", b="passed", old="failed")
    bite = run(a="failed", b="passed", old="failed")

    assert compare(BASE, candidate, BASE, bite, changed_tests=["t.py::a"]).bites is True
    assert compare(BASE, candidate, BASE, candidate, changed_tests=["t.py::a"]).bites is False


def test_many_failures_are_named_up_to_a_limit_and_then_counted() -> None:
    many = {f"t{n}": "passed" for n in range(50)}
    found = compare(run(**many), run(**dict.fromkeys(many, "failed")))

    findings = findings_of(found, run())

    assert len(findings) == 21
    assert "30 more tests" in findings[-1].text


def test_tests_that_the_plan_lets_go_are_not_missed_and_still_must_not_fail() -> None:
    gone = run(a="passed", old="failed")
    failing = run(a="passed", b="failed", old="failed")

    assert compare(BASE, gone, may_go=["t.py"]).is_clean
    assert compare(BASE, gone, may_go=["other.py"]).missing == {"t.py::b"}
    assert compare(BASE, failing, may_go=["t.py"]).regressions == {"t.py::b"}


def test_a_test_that_failed_before_and_passes_now_shows_the_change() -> None:
    found = compare(BASE, run(a="passed", b="passed", old="passed"))

    assert found.biting == {"t.py::old"}
    assert found.bites is None


def test_a_file_that_cannot_be_read_is_said_once_with_its_error_and_before_the_tests_that_fail() -> None:
    said = "ImportError while importing test module\nTraceback:\nold.py:1: in <module>\nE   ImportError: no name x\nold.py:1"
    outcomes = {"t.py::a": "failed", "old.py": "error", "new.py": "error"}
    candidate = TestRun("pytest", (), outcomes, messages={"old.py": said})
    base = TestRun("pytest", (), {"t.py::a": "passed", "old.py::b": "passed", "old.py::c": "passed"})

    found = compare(base, candidate, may_go=["old.py"])

    told = [(each.rule, each.severity, each.text) for each in findings_of(found, candidate)]
    assert told == [
        ("new_test_fails", "high", "new.py cannot be imported"),
        (
            "regression",
            "critical",
            "old.py cannot be imported: ImportError: no name x; 2 tests passed before the change",
        ),
        ("regression", "critical", "t.py::a passed before the change and fails now"),
    ]
