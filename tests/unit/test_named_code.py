"""Code that a criterion names, and whether a test can show it."""

from __future__ import annotations

import pytest

from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.named_code import Mentions, code_names

TESTS = """
from calc import snore

def helper():
    return whisper(1)

def test_snore():
    assert snore() == "zzz"

def test_low():
    assert helper() == 1
"""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Add a function mumble(text) that returns it in lower case", ("mumble",)),
        ("`mumble` returns 3 for `calc.loud(2)`", ("mumble", "loud")),
        ("calc.mumble gives 3, max_items is 12 and getName works", ("mumble", "max_items", "getName")),
        ("Expired links answer with 410 (gone), see https://example.com/a_b and page(s) of JavaScript", ()),
        ("`--json` prints `404` and `a b`", ()),
        ("It returns 3.5, e.g. for 2.5", ()),
        ("The page index.html works on an iPhone and with Node.js, as app.js at example.com says", ()),
    ],
)
def test_names_of_code_are_told_by_their_form(text: str, names: tuple[str, ...]) -> None:
    assert code_names(text) == names


@pytest.mark.parametrize(
    ("test", "names", "is_shared", "connected"),
    [
        ("tests/test_calc.py::test_snore", ["snore"], True, True),
        ("tests/test_calc.py::test_snore", ["mumble"], False, False),
        (
            "tests/test_calc.py::test_snore",
            ["shout"],
            False,
            True,
        ),  # added, and nothing else is said of the test
        ("tests/test_calc.py::test_snore", ["shout"], True, False),
        ("tests/test_calc.py::test_low", ["whisper"], True, True),  # by its helper
        ("tests/test_other.py::test_old", ["mumble"], True, True),  # its text is not known
        ("tests/test_calc.py::test_snore", [], True, True),
    ],
)
def test_a_test_is_connected_by_what_it_and_the_change_mention(
    test: str, names: list[str], is_shared: bool, connected: bool
) -> None:
    code = b"def snore():\n    return 'zzz'\n\ndef shout():\n    pass\n"
    changes = Changes(
        [
            ChangedFile("calc.py", "A", None, code, "calc.py"),
            ChangedFile("tests/test_calc.py", "A", None, TESTS.encode(), "tests/test_calc.py"),
        ]
    )

    assert Mentions(changes).connects(test, names, is_shared=is_shared) is connected


def test_a_go_test_is_looked_for_in_the_files_of_its_package() -> None:
    body = b"package calc\n\nfunc TestSnore(t *testing.T) {\n\tif Snore() != 1 {\n\t\tt.Fatal()\n\t}\n}\n"
    changes = Changes([ChangedFile("calc/calc_test.go", "A", None, body, "calc/calc_test.go")])

    assert Mentions(changes).connects("calc::TestSnore", ["Snore"], is_shared=True)
    assert not Mentions(changes).connects("calc::TestSnore", ["Mumble"], is_shared=True)
