"""What becomes of the tests that a change removes, moves or rewrites, and of what they test."""

from __future__ import annotations

import pytest

from orchestrator.domain.evidence import FAILED, PASSED, TestRun
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.changed_names import changed_names
from workers.evidence.earlier_tests import earlier_tests
from workers.evidence.earlier_versions import Fates

Files = dict[str, str]
CALC = "def total(xs):\n    return sum(xs)\n"
TEST = "from calc import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
BROKEN = CALC.replace("sum(xs)", "0")
ID = "tests/test_calc.py::test_total"
HOLLOW = (
    "PLACES = ['a', 'b']\n\n\ndef test_total():\n    assert len(PLACES) == 2\n    assert PLACES[0] == 'a'\n"
)
REMOVED = {"calc.py": CALC, "tests/test_calc.py": TEST}


def change(before: Files, after: Files) -> Changes:
    """The change from one set of files to the other; a file that got another name is one gone and one new."""
    return Changes(
        [
            ChangedFile(path, status, *bodies, path_before=path)
            for path in sorted(before.keys() | after.keys())
            if before.get(path) != after.get(path)
            for bodies in [
                tuple(
                    text.encode() if text is not None else None
                    for text in (before.get(path), after.get(path))
                )
            ]
            for status in ["D" if path not in after else "A" if path not in before else "M"]
        ]
    )


def judged(before: Files, after: Files, bad: set[str], passing: set[str]) -> tuple[set[str], list[str]]:
    """The regressions, and the rules of what is said of other expectations; `bad`: ids that fail as they were."""
    changes = change(before, after)
    names = changed_names(changes)
    now = TestRun("pytest", (), dict.fromkeys(passing, PASSED))
    fates = Fates(earlier_tests(changes, names), names, frozenset(bad), now)
    run = TestRun("pytest", (), dict.fromkeys(bad, FAILED))
    return set(fates.charged), [each.rule for each in fates.expectations(run)]


@pytest.mark.parametrize(
    "calc",
    [
        BROKEN,
        "from operator import mul as total\n",
        "globals()['total'] = lambda xs: 0\n",
        "import calc\n\nsetattr(calc, 'total', len)\n",
        "def total(xs:\n    return 0\n",
        BROKEN + "# " + "data " * 1_100 + "\n",
        "".join(f"class C{number}: ...\n" for number in range(401)) + BROKEN,
        "from fast import *\n",
        "def __getattr__(name):\n    return len\n",
    ],
    ids=["edited", "alias", "globals", "setattr", "syntax", "long line", "many names", "star", "getattr"],
)
def test_what_a_removed_test_tested_is_gone_only_where_nothing_has_its_name(calc: str) -> None:
    assert judged(REMOVED, {"calc.py": calc}, {ID}, set()) == ({ID}, [])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "export function total(xs) { return 3 }\n",
            "function sum(xs) { return 0 }\nexport { sum as total }\n",
        ),
        ("export function total(xs) { return 3 }\n", "export * from './sums.js'\n"),
        ("export function total(xs) { return 3 }\n", "exports.total = (xs) => 0\n"),
    ],
)
def test_nor_in_javascript(before: str, after: str) -> None:
    test = "test('adds', () => { const got = total([1, 2]); assert.equal(got, 3); });\n"

    charged, _ = judged(
        {"calc.js": before, "tests/calc.test.js": test},
        {"calc.js": after},
        {"tests/calc.test.js::adds"},
        set(),
    )

    assert charged == {"tests/calc.test.js::adds"}


@pytest.mark.parametrize(
    ("calc", "name"),
    [
        ("def other():\n    # total is no more\n    return 'the total of it'\n", "calc.py"),
        ('def other(bag):\n    """Like total."""\n    return bag.total()\n', "calc.py"),
        ("export function other() { /* total */ return bag.total() }\n", "calc.js"),
        (None, "calc.py"),
    ],
)
def test_a_name_that_is_only_spoken_of_is_gone(calc: str | None, name: str) -> None:
    before = {name: CALC if name == "calc.py" else "export function total() {}\n", "tests/test_calc.py": TEST}

    assert judged(before, {name: calc} if calc else {}, {ID}, set()) == (set(), [])


def test_a_module_that_became_a_folder_is_there_still() -> None:
    test = TEST.replace("from calc import total", "import calc").replace("total([", "calc.total([")

    assert judged(
        {"calc.py": CALC, "tests/test_calc.py": test}, {"calc/__init__.py": BROKEN}, {ID}, set()
    ) == ({ID}, [])


def test_words_of_a_syntax_tree_are_no_names_of_the_source() -> None:
    before = CALC + "\n\ndef value():\n    return 1\n\n\ndef args():\n    return 2\n"

    assert judged({"calc.py": before, "tests/test_calc.py": TEST}, {"calc.py": BROKEN}, {ID}, set()) == (
        {ID},
        [],
    )


@pytest.mark.parametrize("place", ["tests/test_places.py", "tests/test_calc.py"])
def test_a_test_of_the_same_name_that_tests_nothing_stands_for_no_removed_one(place: str) -> None:
    there = place.replace("places", "places") + "::test_total"

    assert judged(REMOVED, {"calc.py": BROKEN, place: HOLLOW}, {ID}, {there}) == ({ID}, [])


def test_a_moved_test_is_one_that_is_run() -> None:
    after = {"calc.py": BROKEN, "tests/test_sums.py": TEST.replace("== 3", "== 0")}

    assert judged(REMOVED, after, {ID}, {"tests/test_sums.py::test_total"}) == (
        set(),
        ["expectation_changed"],
    )
    assert judged(REMOVED, after, {ID}, set()) == ({ID}, [])
    skipped = "import pytest\n\npytest.skip('later', allow_module_level=True)\n"
    after["tests/test_sums.py"] = skipped + TEST
    assert judged(REMOVED, after, {ID}, {"tests/test_sums.py::test_total"}) == ({ID}, [])


@pytest.mark.parametrize(
    "after",
    [
        TEST.replace("from calc", "from tests.fake"),
        TEST.replace("assert total", "assert sum"),
        TEST.replace("3", "0"),
    ],
    ids=["another import", "nothing", "value"],
)
def test_a_test_that_asserts_as_much_and_fails_as_it_was_is_never_passed_over(after: str) -> None:
    charged, said = judged(REMOVED, {"calc.py": BROKEN, "tests/test_calc.py": after}, {ID}, {ID})

    assert charged or said == ["expectation_changed"]


def test_a_value_in_a_list_beside_the_test_is_an_expectation_too() -> None:
    test = "from calc import total\n\nWANTED = 3\n\n\ndef test_total():\n    assert total([1, 2]) == WANTED\n"
    before = {"calc.py": CALC, "tests/test_calc.py": test}

    after = {"calc.py": BROKEN, "tests/test_calc.py": test.replace("3", "0")}

    assert judged(before, after, {ID}, {ID}) == (set(), ["expectation_changed"])


TIMEOUT = "from conf import timeout\n\n\ndef test_timeout_is_30():\n    assert timeout() == 30\n"


@pytest.mark.parametrize(
    ("test", "is_charged"),
    [
        (TIMEOUT.replace("30", "60"), False),
        (TIMEOUT.replace("30", "60") + "    assert timeout() > 1\n", False),
        (TIMEOUT.replace("30", "60").replace("timeout() ==", "60 =="), True),
        (TIMEOUT.replace("_30", "_60").replace("assert timeout() == 30", "timeout()"), True),
    ],
    ids=["value", "more", "another subject", "less"],
)
def test_an_expectation_in_the_name_of_a_test_changes_with_it(test: str, is_charged: bool) -> None:
    old, new = "tests/test_conf.py::test_timeout_is_30", "tests/test_conf.py::test_timeout_is_60"
    before = {"conf.py": "def timeout():\n    return 30\n", "tests/test_conf.py": TIMEOUT}

    after = {"conf.py": "def timeout():\n    return 60\n", "tests/test_conf.py": test}

    assert judged(before, after, {old}, {new}) == (
        ({old}, []) if is_charged else (set(), ["expectation_changed"])
    )


def test_each_renamed_test_has_a_successor_of_its_own() -> None:
    before = TIMEOUT + "\n\ndef test_both_is_30():\n    assert timeout() == 30 and pause() == 30\n"
    after = (
        "from conf import pause, timeout\n\n\ndef test_both_60():\n    assert timeout() == 60 == pause()\n\n\n"
        "def test_timeout_60():\n    assert timeout() == 60\n"
    )
    conf = "def timeout():\n    return 30\n\n\ndef pause():\n    return 30\n"
    changes = change(
        {"conf.py": conf, "tests/test_conf.py": before},
        {"conf.py": conf.replace("30", "60"), "tests/test_conf.py": after},
    )

    found = earlier_tests(changes, changed_names(changes))

    assert [(each.fact.name, each.successor and each.successor.test.name) for each in found] == [
        ("test_timeout_is_30", "test_timeout_60"),
        ("test_both_is_30", "test_both_60"),
    ]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_case_goes_with_the_value_that_it_tests(is_there: bool) -> None:
    fmt = "def load(kind):\n    return {'json': 1, 'xml': 2}[kind]\n"
    test = (
        "import pytest\nfrom fmt import load\n\n\n@pytest.mark.parametrize('kind', ['json', 'xml'])\n"
        "def test_load(kind):\n    assert load(kind)\n"
    )
    xml, json = "tests/test_fmt.py::test_load[xml]", "tests/test_fmt.py::test_load[json]"
    after = {
        "fmt.py": fmt.replace("2", "0") if is_there else fmt.replace(", 'xml': 2", ""),
        "tests/test_fmt.py": test.replace(", 'xml'", ""),
    }

    charged, _ = judged({"fmt.py": fmt, "tests/test_fmt.py": test}, after, {xml}, {json})

    assert charged == ({xml} if is_there else set())


def test_a_title_with_a_dot_and_a_call_behind_a_keyword_are_read_whole() -> None:
    calc = "export function total(xs) { return 3 }\n"
    test = "test('adds 1.5 and 2', () => { assert.equal(total([1.5, 2]), 3); });\n"
    id = "tests/calc.test.js::adds 1.5 and 2"
    after = {
        "calc.js": calc.replace("3", "0"),
        "tests/calc.test.js": "test('adds 1.5 and 2', async () => { assert.equal(await total([1.5, 2]), 0); });\n",
    }

    assert judged({"calc.js": calc, "tests/calc.test.js": test}, after, {id}, {id}) == (
        set(),
        ["expectation_changed"],
    )
    assert judged({"calc.js": calc, "tests/calc.test.js": test}, {"calc.js": after["calc.js"]}, {id}, set())[
        0
    ] == {id}


@pytest.mark.parametrize("value", ["3", "0"])
def test_where_the_old_file_cannot_be_loaded_only_other_values_are_told(value: str) -> None:
    before = {
        "calc.py": CALC + "\n\nSPARE = 1\n",
        "tests/test_calc.py": TEST.replace("total\n", "SPARE, total\n", 1),
    }
    changes = change(before, {"calc.py": BROKEN, "tests/test_calc.py": TEST.replace("3", value)})
    names = changed_names(changes)
    fates = Fates(earlier_tests(changes, names), names, frozenset({ID}), TestRun("pytest", (), {ID: PASSED}))

    found = [each.rule for each in fates.expectations(TestRun("pytest", (), {"tests/test_calc.py": FAILED}))]

    assert found == (["expectation_changed"] if value == "0" else [])
