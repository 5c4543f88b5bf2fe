"""Messages of failed tests are cut in their middle, and the line that names the error is found."""

import pytest

from workers.evidence.error_text import error_line, shortened
from workers.evidence.junit import JUnitCase, junit_cases

FRAMES = "".join(f"lib/module_{n}.py:{n}: in load\n    load()\n" for n in range(4_000))
NOT_COLLECTED = (
    f"ImportError while importing test module\nTraceback:\n{FRAMES}E   ImportError: cannot import name 'x'"
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (NOT_COLLECTED, "ImportError: cannot import name 'x'"),
        (
            "E     File t.py, line 1\nE       def f(: pass\nE   SyntaxError: invalid syntax",
            "SyntaxError: invalid syntax",
        ),
        ("a.py:3: in <module>\nE   ValueError: bad\n\na.py:3: ValueError", "ValueError: bad"),
        ("SyntaxError: Unexpected token\n    at compile (node:vm:1)", "SyntaxError: Unexpected token"),
        ("# example.com/calc\n./calc_test.go:5:2: undefined: Add", "./calc_test.go:5:2: undefined: Add"),
        ("test failed", "test failed"),
        (
            "Error [ERR_MODULE_NOT_FOUND]: no x\n{\n  code: 1\n}\n\nNode.js v20",
            "Error [ERR_MODULE_NOT_FOUND]: no x",
        ),
        ("", ""),
    ],
)
def test_the_line_that_names_the_error_is_found(text: str, line: str) -> None:
    assert error_line(text) == line


def test_a_report_keeps_the_begin_and_the_end_of_what_a_broken_file_says() -> None:
    report = (
        '<testsuites><testsuite><testcase classname="" name="t"><error message="collection failure">'
        f"{NOT_COLLECTED.replace('<', '&lt;')}</error></testcase></testsuite></testsuites>"
    )

    def name(case: JUnitCase) -> tuple[str, str]:
        return case.name, ""

    said = junit_cases(report.encode(), name).by_id["t"].message

    assert said.startswith("collection failure\nImportError while importing") and len(said) <= 2_000
    assert error_line(shortened(said, 800)) == "ImportError: cannot import name 'x'"
