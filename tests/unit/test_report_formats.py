"""Reports of test runs in their public formats, and what is no report: values or faults, never an exception."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workers.evidence.cargo_lines import cargo_cases
from workers.evidence.cases import BUILD, MAX_ID, Cases
from workers.evidence.compiled_runners import Cargo, Gradle, Maven, OwnCommand
from workers.evidence.javascript_runners import Mocha
from workers.evidence.json_reports import go_cases, jest_cases, mocha_cases, own_cases
from workers.evidence.junit import junit_cases
from workers.evidence.python_runners import NodeIds, Pytest

TREE = Path("/nowhere")
OWN = OwnCommand(TREE, command=("check", "{report}"))


def outcomes(cases: Cases) -> dict[str, str]:
    return {id: case.outcome for id, case in cases.by_id.items()}


def junit(data: bytes) -> Cases:
    return junit_cases(data, OWN.identify)


SUITE = '<testsuite name="s">{}</testsuite>'
JUNIT = {
    "each outcome": (
        SUITE.format(
            '<testcase classname="a.B" name="good"/>'
            '<testcase classname="a.B" name="bad"><failure message="no">trace</failure></testcase>'
            '<testcase classname="a.B" name="broken"><error/></testcase>'
            '<testcase classname="a.B" name="later"><skipped/></testcase>'
        ),
        {"a.B::good": "passed", "a.B::bad": "failed", "a.B::broken": "error", "a.B::later": "skipped"},
    ),
    "cases below testsuites and in nested suites": (
        '<testsuites><testcase name="top"/><testsuite name="g"><testsuite name="h"><testcase name="deep"/>'
        "</testsuite></testsuite></testsuites>",
        {"::top": "passed", "g > h::deep": "passed"},
    ),
    "a module that could not be loaded": (
        SUITE.format(
            '<testcase classname="" name="tests.test_new"><error message="collection failure"/></testcase>'
        ),
        {"tests.test_new": "error"},
    ),
    "an error without a class keeps the id that it has when it passes": (
        SUITE.format('<testcase name="works"><error message="no"/></testcase>'),
        {"s::works": "error"},
    ),
    "an id twice keeps the worst": (
        SUITE.format(
            '<testcase classname="c" name="n"><error/></testcase><testcase classname="c" name="n"/>'
            '<testcase classname="c" name="m"/><testcase classname="c" name="m"><skipped/></testcase>'
        ),
        {"c::n": "error", "c::m": "skipped"},
    ),
    "a rerun that passed, and a failure inside the output": (
        SUITE.format(
            '<testcase classname="c" name="n"><flakyFailure message="x"/><system-out>&lt;failure/&gt;</system-out>'
            "</testcase>"
            '<testcase classname="c" name="m"><properties><failure/></properties></testcase>'
        ),
        {"c::n": "passed", "c::m": "passed"},
    ),
    "a name space": (
        '<t:testsuite xmlns:t="urn:x"><t:testcase classname="c" name="n"><t:failure/></t:testcase></t:testsuite>',
        {"c::n": "failed"},
    ),
    "names of several lines": (
        SUITE.format('<testcase classname="c" name="a&#10;b"/>'),
        {"c::a\\nb": "passed"},
    ),
}


@pytest.mark.parametrize("case", JUNIT)
def test_junit_is_read(case: str) -> None:
    text, expected = JUNIT[case]

    found = junit(text.encode())

    assert found.faults == ()
    assert outcomes(found) == expected


def test_junit_in_another_encoding_is_read() -> None:
    text = '<?xml version="1.0" encoding="{}"?>' + SUITE.format('<testcase classname="c" name="größe"/>')

    for encoding in ("utf-8", "iso-8859-1", "utf-16"):
        assert outcomes(junit(text.format(encoding).encode(encoding))) == {"c::größe": "passed"}


NO_JUNIT = {
    "empty": b"",
    "no XML": b"all tests passed",
    "cut short": b'<testsuite><testcase name="a"/>',
    "another document": b"<html><testsuite/></html>",
    "a document type": b'<!DOCTYPE x [<!ENTITY a "b">]><testsuite><testcase name="&a;"/></testsuite>',
    "an outer entity": b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuite/>',
    "too deep": b"<testsuite>" * 200,
    "bytes of no encoding": b'<testsuite><testcase name="\xff\xfe"/></testsuite>',
    "an unknown encoding": b'<?xml version="1.0" encoding="klingon"?><testsuite/>',
    "colour codes": b'<testsuite><testcase name="\x1b[31mred"/></testsuite>',
    "a case inside a case": b'<testsuite><testcase name="a"><testcase name="b"/></testcase></testsuite>',
    "no name": b"<testsuite><testcase/></testsuite>",
    "an endless name": b'<testsuite><testcase name="' + b"x" * (MAX_ID + 1) + b'"/></testsuite>',
}


@pytest.mark.parametrize("case", NO_JUNIT)
def test_what_is_no_junit_is_a_fault(case: str) -> None:
    ids = NodeIds(Pytest(TREE))

    assert junit(NO_JUNIT[case]).faults
    assert junit_cases(NO_JUNIT[case], ids.identify).faults


def below(path: str) -> str | None:
    return path.removeprefix("/tree/") if path.startswith("/tree/") else None


JEST = {
    "testResults": [
        {
            "name": "/tree/a.test.js",
            "status": "failed",
            "assertionResults": [
                {"ancestorTitles": ["", "g"], "title": "t", "status": "passed"},
                {"ancestorTitles": [], "title": "f", "status": "failed", "failureMessages": ["\x1b[31mno"]},
                {"ancestorTitles": [], "title": "d", "status": "todo"},
                {"ancestorTitles": [], "title": "odd", "status": "exploded"},
            ],
        },
        {
            "name": "/tree/b.test.js",
            "status": "failed",
            "message": "Cannot find module",
            "assertionResults": [],
        },
    ]
}
MOCHA = {
    "tests": [
        {"file": "/tree/a.js", "fullTitle": "g t", "err": {}},
        {"file": "/tree/a.js", "fullTitle": "f", "err": {"message": "no"}},
        {"file": "/tree/a.js", "fullTitle": "d", "err": {}},
    ],
    "pending": [{"file": "/tree/a.js", "fullTitle": "d"}],
    "failures": [
        {"file": "/tree/a.js", "fullTitle": "f", "err": {"message": "no"}},
        {"file": "/tree/a.js", "fullTitle": "h hook", "err": {"message": "no"}},
    ],
}


def test_jest_and_vitest_are_read() -> None:
    found = jest_cases(json.dumps(JEST).encode(), below)

    assert outcomes(found) == {
        "a.test.js::g > t": "passed",
        "a.test.js::f": "failed",
        "a.test.js::d": "skipped",
        "a.test.js::odd": "error",
        "b.test.js": "error",
    }
    assert found.by_id["a.test.js::f"].message == "\\x1b[31mno"


def test_mocha_is_read() -> None:
    found = mocha_cases(json.dumps(MOCHA).encode(), below)

    assert outcomes(found) == {
        "a.js::g t": "passed",
        "a.js::f": "failed",
        "a.js::d": "skipped",
        "a.js::h hook": "error",
    }


GO = """
{"Action":"start","Package":"example.com/m/ledger"}
{"Action":"run","Package":"example.com/m/ledger","Test":"TestAdd"}
{"Action":"run","Package":"example.com/m/ledger","Test":"TestAdd/neg"}
{"Action":"output","Package":"example.com/m/ledger","Test":"TestAdd/neg","Output":"    want 3\\n"}
{"Action":"fail","Package":"example.com/m/ledger","Test":"TestAdd/neg","Elapsed":0}
{"Action":"fail","Package":"example.com/m/ledger","Test":"TestAdd","Elapsed":0}
{"Action":"run","Package":"example.com/m/ledger","Test":"TestLater"}
{"Action":"skip","Package":"example.com/m/ledger","Test":"TestLater","Elapsed":0}
{"Action":"fail","Package":"example.com/m/ledger","Elapsed":0.1}
{"Action":"run","Package":"example.com/m","Test":"TestTop"}
{"Action":"pass","Package":"example.com/m","Test":"TestTop","Elapsed":0}
{"Action":"pass","Package":"example.com/m","Elapsed":0.1}
{"Action":"run","Package":"example.com/m/dies","Test":"TestPanics"}
{"Action":"output","Package":"example.com/m/dies","Test":"TestPanics","Output":"panic: no\\n"}
{"Action":"fail","Package":"example.com/m/dies","Elapsed":0.1}
{"ImportPath":"example.com/m/broken [example.com/m/broken.test]","Action":"build-output","Output":"./x.go:3: undefined: y\\n"}
{"Action":"fail","Package":"example.com/m/broken","Elapsed":0}
{"Action":"run","Package":"example.com/m/slow","Test":"TestForever"}
? example.com/m/none [no test files]
"""


def test_a_go_package_that_is_not_built_is_an_error_though_its_line_is_no_json() -> None:
    printed = json.dumps(
        {"Action": "output", "Package": "m/b", "Test": "TestB", "Output": "FAIL\tm/c [build failed]\n"}
    )
    out = f'FAIL\tm/a [build failed]\n{{"Action": "run", "Package": "m/b", "Test": "TestB"}}\n{printed}\n'
    ended = '{"Action": "pass", "Package": "m/b", "Test": "TestB"}\n'

    found = go_cases(out + ended, lambda package: package.removeprefix("m/"))

    assert {id: case.outcome for id, case in found.by_id.items()} == {"a": "error", "b::TestB": "passed"}


def test_mocha_that_cannot_load_a_file_has_run_nothing(tmp_path: Path) -> None:
    said = "\n Exception during run: Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/x/src/new.js'\n"
    runner = Mocha(tmp_path)

    broken = runner.parse(tmp_path / "report.json", "", said)
    silent = runner.parse(tmp_path / "report.json", "", "")

    assert {id: case.outcome for id, case in broken.by_id.items()} == {BUILD: "error"}
    assert not silent.by_id and silent.faults


def test_go_is_read() -> None:
    found = go_cases(GO, lambda package: package.removeprefix("example.com/m").strip("/") or ".")

    assert outcomes(found) == {
        "ledger::TestAdd/neg": "failed",
        "ledger::TestAdd": "failed",
        "ledger::TestLater": "skipped",
        ".::TestTop": "passed",
        "dies::TestPanics": "error",
        "broken": "error",
        "slow::TestForever": "error",
    }
    assert found.by_id["broken"].message == "./x.go:3: undefined: y\n"


CARGO_ERR = """   Compiling ledger v0.1.0 (/tree)
     Running unittests src/lib.rs (target/debug/deps/ledger-0123456789abcdef)
     Running tests/it.rs (target/debug/deps/it-fedcba9876543210)
   Doc-tests ledger
error: test failed, to rerun pass `--lib`
"""
CARGO_OUT = """
running 3 tests
test tests::later ... ignored, later
test tests::panics - should panic ... ok
test tests::wrong ... FAILED

failures:

---- tests::wrong stdout ----
running 1 test
test tests::forged ... ok
test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out

failures:
    tests::wrong

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s


running 1 test
test outer ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s


running 1 test
test src/lib.rs - add (line 3) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
"""


def test_cargo_is_read_and_what_a_test_prints_is_not() -> None:
    found = cargo_cases(CARGO_OUT, CARGO_ERR)

    assert found.faults == ()
    assert outcomes(found) == {
        "ledger/src/lib.rs::tests::later": "skipped",
        "ledger/src/lib.rs::tests::panics": "passed",
        "ledger/src/lib.rs::tests::wrong": "failed",
        "it/tests/it.rs::outer": "passed",
        "ledger/doc::src/lib.rs - add": "passed",
    }


def test_cargo_lines_that_do_not_add_up_are_a_fault() -> None:
    assert cargo_cases(CARGO_OUT, CARGO_ERR.replace("   Doc-tests ledger\n", "")).faults
    assert cargo_cases(CARGO_OUT.replace("test outer ... ok\n", ""), CARGO_ERR).faults
    assert cargo_cases(
        CARGO_OUT[: CARGO_OUT.index("failures:")], CARGO_ERR.partition("     Running tests")[0]
    ).faults


def test_cargo_lines_that_agree_with_their_sum_but_not_with_their_list_are_a_fault() -> None:
    out = "running 3 tests\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"

    found = cargo_cases(out, "     Running tests/it.rs (target/debug/deps/it-fedcba9876543210)\n")

    assert found.faults == ("it/tests/it.rs did not print each of its tests to the end",)


def test_our_own_lines_need_their_end() -> None:
    line = b'{"outcome": "passed", "file": "/tree/a.js", "name": "n"}\n'

    assert own_cases(line + b'{"end": true}\n', below) == own_cases(
        b"noise\n" + line + b'{"end": true}', below
    )
    assert outcomes(own_cases(line + b'{"end": true}\n', below)) == {"a.js::n": "passed"}
    assert own_cases(line + b'{"end": true}\n', below).faults == ()
    assert own_cases(line, below).faults == ("its report is cut short: the run did not reach its end",)


def test_code_that_does_not_compile_is_an_error_of_the_build() -> None:
    maven = Maven(TREE).parse(TREE, "[ERROR] COMPILATION ERROR :\n[ERROR] /tree/A.java:[3,1] no\n")
    gradle = Gradle(TREE).parse(TREE, "", "/tree/A.java:3: error: no\n")
    cargo = Cargo(TREE).parse(TREE, "", "error[E0425]: cannot find value `c`\n")

    assert [outcomes(found) for found in (maven, gradle, cargo)] == [{"the build": "error"}] * 3


PARSERS: dict[str, Callable[[bytes], Cases]] = {
    "junit": junit,
    "pytest": lambda data: junit_cases(data, NodeIds(Pytest(TREE)).identify),
    "jest": lambda data: jest_cases(data, below),
    "mocha": lambda data: mocha_cases(data, below),
    "own": lambda data: own_cases(data, below),
    "go": lambda data: go_cases(data.decode("utf-8", "replace"), lambda package: package),
    "cargo": lambda data: cargo_cases(data.decode("utf-8", "replace"), data.decode("utf-8", "replace")),
}
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "testResults",
                    "assertionResults",
                    "name",
                    "title",
                    "status",
                    "ancestorTitles",
                    "tests",
                    "err",
                    "file",
                    "fullTitle",
                    "failures",
                    "pending",
                    "Action",
                    "Package",
                    "Test",
                    "Output",
                    "outcome",
                    "end",
                    "message",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
_PIECES = st.sampled_from(
    [
        b"<testsuite>",
        b"</testsuite>",
        b'<testcase name="a">',
        b"</testcase>",
        b"<failure>",
        b"</failure>",
        b"\xff",
        b"running 1 test\n",
        b"test a ... ok\n",
        b"failures:\n",
        b"     Running x (deps/x-0)\n",
        b"{",
        b'"',
        b"\x1b[0m",
    ]
)
_HOSTILE = (
    st.binary(max_size=60)
    | st.lists(_PIECES, max_size=8).map(b"".join)
    | _VALUES.map(lambda value: json.dumps(value).encode())
    | st.lists(_VALUES, max_size=4).map(lambda values: "\n".join(json.dumps(v) for v in values).encode())
)


@pytest.mark.parametrize("parser", PARSERS)
@given(data=_HOSTILE)
@example(data=b"[" * 100_000)
@example(data=b'{"testResults": ' + b"9" * 5000 + b"}")
def test_no_bytes_break_a_parser(parser: str, data: bytes) -> None:
    found = PARSERS[parser](data)

    assert all(id == case.id and "\n" not in id for id, case in found.by_id.items())
    assert all(case.outcome in ("passed", "failed", "error", "skipped") for case in found.by_id.values())
