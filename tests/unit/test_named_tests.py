"""Which tests a name stands for, by the ids of each kind of runner."""

import pytest

from orchestrator.domain.evidence import TestRun
from workers.evidence import named_tests
from workers.evidence.candidate_evidence import Tested
from workers.evidence.named_tests import TestsByPlace, meant_by
from workers.evidence.suites import Suite

PYTEST = [
    "t/test_a.py::test_n[x]",
    "t/test_a.py::test_n[y]",
    "t/test_a.py::test_name",
    "t/test_a.py::Some::test_n[x]",
]
NODE = [
    "a.test.js::sums",
    "a.test.js::sums > of two",
    "a.test.js::sums > of 1 and 2",
    "a.test.js::sums > of 3 and 4",
]
MOCHA = ["t/a.js::sums of two", "t/a.js::sums of three", "t/a.js::text"]
GO = ["calc::TestAdd", "calc::TestAdd/one", "calc::TestAdd/two", "calc::TestAddAll", ".::TestRoot"]
JAVA = [
    "core/a.b.SumTest::adds(int, int)[1]",
    "core/a.b.SumTest::adds(int, int)[2]",
    "core/a.b.SumTest::addsAll",
    "a.b.OtherTest::adds[0]",
]
RUST = [
    "calc/src/lib.rs::tests::adds::case_1",
    "calc/src/lib.rs::tests::adds::case_2",
    "calc/tests/whole.rs::adds_up",
]


@pytest.mark.parametrize(
    ("tests", "name", "expected"),
    [
        (PYTEST, "t/test_a.py::test_n", [0, 1]),
        (PYTEST, "./t/test_a.py::test_n[x]", [0]),
        (PYTEST, "t/test_a.py::test_n[z]", []),
        (PYTEST, "test_a.py::test_name", [2]),
        (PYTEST, "test_n", [0, 1, 3]),
        (PYTEST, "t/test_a.py::Some", [3]),
        (PYTEST, "t/test_a.py", [0, 1, 2, 3]),
        (PYTEST, "test_na", []),
        (NODE, "a.test.js::sums", [0, 1, 2, 3]),
        (NODE, "a.test.js::of two", [1]),
        (NODE, "a.test.js::of %i and %i", [2, 3]),
        (NODE, "of ${a} and $b", [2, 3]),
        (NODE, "a.test.js::%s", []),
        (NODE, "a.test.js::of", []),
        (MOCHA, "t/a.js::sums", [0, 1]),
        (MOCHA, "t/a.js::of two", [0]),
        (GO, "calc::TestAdd", [0, 1, 2]),
        (GO, "calc/calc_test.go::TestAdd/one", [1]),
        (GO, "root_test.go::TestRoot", [4]),
        (GO, "calc/calc_test.go", [0, 1, 2, 3]),
        (JAVA, "core/src/test/java/a/b/SumTest.java::adds", [0, 1]),
        (JAVA, "SumTest::adds", [0, 1]),
        (JAVA, "SumTest::addsAll()", [2]),
        (JAVA, "OtherTest", [3]),
        (RUST, "crates/calc/src/lib.rs::tests::adds", [0, 1]),
        (RUST, "tests/whole.rs", [2]),
        (RUST, "adds", [0, 1]),
        (PYTEST, " ", []),
        (PYTEST, "py", []),
        (NODE, "test.js", []),
        (RUST, "rs", []),
    ],
)
def test_a_name_stands_for_itself_and_for_its_cases(tests: list[str], name: str, expected: list[int]) -> None:
    assert [tests.index(each) for each in meant_by(name, tests, spaced=tests is MOCHA)] == expected


def test_a_name_shows_something_where_all_its_cases_passed_and_each_name_counts_for_itself() -> None:
    outcomes = {"t.py::test_a[1]": "passed", "t.py::test_a[2]": "failed", "t.py::test_b[1]": "passed"}
    suite = Suite(TestRun("pytest", (), outcomes))
    tested = Tested(suite, suite, None, None, None)

    named = tested.named(["test_a", "test_b", "test_a[1]", "test_c"])

    assert tested.passing(named) == ("t.py::test_b[1]", "t.py::test_a[1]")
    assert [name for name, meant in named.items() if not meant] == ["test_c"]
    unknown = Tested(suite, Suite(None, "no runner"), None, None, None)
    assert unknown.named(["test_c"]) == {}


@pytest.mark.parametrize(
    ("tests", "path", "own", "expected"),
    [
        (PYTEST, "t/test_a.py", "test_n", [0, 1]),
        (PYTEST, "t/test_a.py", "Some::test_n", [3]),
        (PYTEST, "t/test_b.py", "test_n", []),
        (NODE, "a.test.js", "sums > of %i and %i", [2, 3]),
        (GO, "calc/calc_test.go", "TestAdd", [0, 1, 2]),
        (JAVA, "core/src/test/java/a/b/SumTest.java", "adds", [0, 1]),
        (RUST, "calc/src/lib.rs", "adds", [0, 1]),
    ],
)
def test_a_test_of_a_known_file_is_looked_for_there_alone(
    tests: list[str], path: str, own: str, expected: list[int]
) -> None:
    others = ["t/test_c.py::test_n", "b.test.js::sums > of 1 and 2", "other::TestAdd", "x/src/main.rs::adds"]

    found = TestsByPlace([*tests, *others]).of_test(path, own)

    assert [tests.index(each) for each in found] == expected


def test_many_names_that_no_file_has_cost_no_search_through_all_tests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[int] = []
    one = named_tests.meant_by
    monkeypatch.setattr(
        named_tests, "meant_by", lambda name, tests: read.append(len(tests)) or one(name, tests)
    )
    known = TestsByPlace(f"t/test_{number % 100}.py::test_{number}" for number in range(2_000))

    for _ in range(3):
        for number in range(200):
            known.of_test(f"t/test_{number % 100}.py", f"test_other_{number}")

    assert read == [20] * 200
