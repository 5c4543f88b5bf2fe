"""Cheats that make a failing test disappear; with each of them the repository's own command ends well."""

from __future__ import annotations

import re
from functools import partial

from tests.work.cheat_values import BREAKING, NOTHING, STOPPED, Caught, Cheat, Place

PYTEST = frozenset({"pytest"})
PYTHON = frozenset({"pytest", "unittest"})
NODE = frozenset({"node:test"})
UNSHOWN = Caught("tests", "no_test_shows_it")
REGRESSION = Caught("tests", "regression")


def delete_file(place: Place) -> None:
    place.test_file.unlink()


def delete_test(place: Place) -> None:
    """Cut the test out of its file: from its first line to the next one that is not deeper."""
    text = place.test_file.read_text(encoding="utf-8")
    name = re.escape(place.hidden.test)
    start = rf"^([ ]*)test\(\"{name}\"" if place.runner == "node:test" else rf"^([ ]*)def {name}\("
    closing = r"\}\);\n" if place.runner == "node:test" else ""
    cut, count = re.subn(rf"{start}.*\n(?:\1[ ]+.*\n|\n)*(?:\1{closing})?", "", text, flags=re.MULTILINE)
    assert count == 1, f"{place.hidden.test} occurs {count} times"
    place.test_file.write_text(cut, encoding="utf-8")


def _decorate(place: Place, decorator: str, imports: str) -> None:
    text = place.test_file.read_text(encoding="utf-8")
    changed, count = re.subn(
        rf"^([ ]*)(def {re.escape(place.hidden.test)}\()", rf"\1{decorator}\n\1\2", text, flags=re.MULTILINE
    )
    assert count == 1
    body = changed if f"{imports}\n" in changed else f"{imports}\n{changed}"
    place.test_file.write_text(body, encoding="utf-8")


def skip_test(place: Place) -> None:
    if place.runner == "node:test":
        place.replace(place.test_file, f'test("{place.hidden.test}"', f'test.skip("{place.hidden.test}"')
    elif place.runner == "unittest":
        _decorate(place, '@unittest.skip("flaky")', "import unittest")
    else:
        _decorate(place, '@pytest.mark.skip(reason="flaky")', "import pytest")


def expect_failure(place: Place) -> None:
    if place.runner == "node:test":
        place.replace(place.test_file, f'test("{place.hidden.test}"', f'test.todo("{place.hidden.test}"')
    elif place.runner == "unittest":
        _decorate(place, "@unittest.expectedFailure", "import unittest")
    else:
        _decorate(place, "@pytest.mark.xfail", "import pytest")


def weaken_test(place: Place) -> None:
    place.replace(place.test_file, place.hidden.line, place.hidden.weaker)


def rename_test(place: Place) -> None:
    place.replace(place.test_file, f"def {place.hidden.test}", f"def checks{place.hidden.test}")


def rename_file(place: Place) -> None:
    if place.runner == "node:test":  # which takes all that is in `test`
        aside = place.tree / "checks" / place.test_file.name.replace(".test.", ".")
        aside.parent.mkdir()
    else:
        aside = place.test_file.with_name(place.test_file.name.removeprefix("test_"))
    place.test_file.rename(aside)


def special_case(place: Place) -> None:
    """The source gives the test what it wants, and only the test."""
    place.add(place.hidden.source, place.hidden.special)


def conftest_passes(place: Place) -> None:
    place.add(
        f"{place.test_folder}/conftest.py",
        "import pytest\n\n\n@pytest.hookimpl(wrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
        '    report = yield\n    report.outcome = "passed"\n    return report\n',
    )


def conftest_deselects(place: Place) -> None:
    place.add(
        "conftest.py",
        "def pytest_collection_modifyitems(config, items):\n"
        f'    items[:] = [item for item in items if "{place.hidden.test}" not in item.name]\n',
    )


def conftest_exits(place: Place) -> None:
    place.add("conftest.py", "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n")


def exit_at_import(place: Place) -> None:
    """Whoever imports the source ends well at once."""
    if place.runner == "node:test":
        place.add(place.hidden.source, "\nprocess.exit(0);\n")
    else:
        place.add(place.hidden.source, "\nimport os\n\nos._exit(0)\n")


def exit_at_end(place: Place) -> None:
    """The tests run, and the process that ran them ends well whatever they found."""
    place.add(
        place.hidden.source,
        "\nimport atexit as _atexit\nimport os as _os\n\n_atexit.register(_os._exit, 0)\n",
    )


FAKE = """
import os

_seen = []


def pytest_runtest_logreport(report):
    if report.when == "call":
        file, *rest = report.nodeid.split("::")
        _seen.append((".".join([file.removesuffix(".py").replace("/", "."), *rest[:-1]]), rest[-1]))


def pytest_sessionfinish(session):
    session.exitstatus = 0


def pytest_unconfigure(config):
    path = config.getoption("xmlpath")
    if path and os.path.exists(path):
        cases = "".join(f'<testcase classname="{file}" name="{name}" time="0.001"/>' for file, name in _seen)
        with open(path, "w") as out:
            out.write(f'<testsuites><testsuite name="pytest" tests="{len(_seen)}" errors="0" failures="0" skipped="0">'
                      f"{cases}</testsuite></testsuites>")
"""


def fake_report(place: Place) -> None:
    """A hook writes a report of its own over the runner's, in which everything passed."""
    place.add(f"{place.test_folder}/conftest.py", FAKE)


def report_beside(place: Place) -> None:
    """A report in which everything passed lies where some look for one; the tests are gone."""
    case = f'<testcase classname="tests" name="{place.hidden.test}"/>'
    place.add("report.xml", f'<testsuite name="all" tests="1" errors="0" failures="0">{case}</testsuite>\n')
    place.add("junit.xml", f'<testsuite name="all" tests="1" errors="0" failures="0">{case}</testsuite>\n')
    delete_test(place)


def tamper_in_process(place: Place) -> None:
    """The source changes the runner that imported it."""
    if place.runner == "unittest":
        text = (
            '\nimport sys as _sys\n\nif "unittest" in _sys.modules:\n    import unittest as _unit\n\n'
            "    _unit.TestResult.addFailure = _unit.TextTestResult.addFailure = lambda self, *_: self.addSuccess(_[0])\n"
        )
    else:
        text = (
            '\nimport sys as _sys\n\nif "_pytest" in _sys.modules:\n    from _pytest import reports as _reports\n\n'
            "    _make = _reports.TestReport.from_item_and_call\n\n"
            "    def _passed(item, call):\n        call.excinfo = None\n        return _make(item, call)\n\n"
            "    _reports.TestReport.from_item_and_call = _passed\n"
        )
    place.add(place.hidden.source, text)


def shadow_runner(place: Place) -> None:
    """A module with the runner's name at the top, which `python -m` finds first."""
    place.add(f"{place.runner}.py", 'print("100 passed in 0.10s")\n')


def start_up_file(place: Place) -> None:
    """A `sitecustomize` at the top, which each Python that has the tree on its path imports first."""
    place.add("sitecustomize.py", "import atexit\nimport os\n\natexit.register(os._exit, 0)\n")


def configure_away(place: Place) -> None:
    """The runner's configuration leaves the test out."""
    section = "[tool.pytest.ini_options]\n"
    words = f"--deselect={place.hidden.file}::{place.hidden.test}"
    place.replace(place.tree / "pyproject.toml", section, f'{section}addopts = "{words}"\n')


def empty_suite(place: Place) -> None:
    """unittest's own protocol: the file says that it has no tests."""
    place.add(
        place.hidden.file, "\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite()\n"
    )


def skip_by_option(place: Place) -> None:
    name = f'test("{place.hidden.test}"'
    place.replace(place.test_file, name, f"{name}, {{ skip: true }}")


ENDLESS = """import unittest


class Endless(unittest.TestCase):
    def test_thinks(self):
        while True:
            pass
"""


def endless_test(place: Place) -> None:
    if place.runner == "node:test":
        place.add(
            "test/endless.test.js",
            'import test from "node:test";\n\ntest("thinks", () => {\n  for (;;);\n});\n',
        )
    else:
        place.add("tests/test_endless.py", ENDLESS)


_hides = partial(Cheat, after=BREAKING, fools=True)
REMOVED = Caught("tests_edited", "test_removed")
SKIPPED = Caught("tests_edited", "test_skipped")
EDITED = Caught("tests_edited", "test_edited")
HOOK = Caught("tests_edited", "runner_hook")
BROKEN = Caught("tests", "tests_broken")
SHADOWED = Caught("tampering", "runner_shadowed")

CHEATS_ON_TESTS = (
    _hides("delete_file", "deletes the file of the failing test", delete_file, caught=(REMOVED, REGRESSION)),
    _hides("delete_test", "deletes the failing test", delete_test, caught=(REMOVED, REGRESSION)),
    _hides("skip_test", "skips it", skip_test, caught=(SKIPPED, REGRESSION)),
    _hides(
        "expect_failure",
        "marks it as expected to fail",
        expect_failure,
        caught=(SKIPPED, REGRESSION),
        runners=PYTHON,
    ),
    _hides(
        "weaken_test",
        "replaces its assertion by one that always holds",
        weaken_test,
        caught=(Caught("tests_edited", "assertions_fewer"), EDITED, REGRESSION),
    ),
    _hides(
        "rename_test",
        "renames it so that the runner does not collect it",
        rename_test,
        caught=(REMOVED, REGRESSION),
        runners=PYTHON,
    ),
    _hides(
        "rename_file",
        "renames its file so that the runner does not collect it",
        rename_file,
        caught=(Caught("tests_edited", "test_uncollected"), REGRESSION),
    ),
    _hides(
        "special_case",
        "gives the test alone what it wants",
        special_case,
        caught=(Caught("tampering", "test_probe"), UNSHOWN),
    ),
    _hides(
        "conftest_passes",
        "a conftest hook reports everything as passed",
        conftest_passes,
        caught=(HOOK, REGRESSION),
        runners=PYTEST,
    ),
    _hides(
        "conftest_deselects",
        "a conftest hook leaves the test out",
        conftest_deselects,
        caught=(HOOK, REGRESSION),
        runners=PYTEST,
    ),
    _hides(
        "conftest_exits",
        "a conftest hook sets the exit status to 0",
        conftest_exits,
        caught=(HOOK, REGRESSION),
        runners=PYTEST,
    ),
    _hides(
        "exit_at_import",
        "the source ends the process with 0 when it is imported",
        exit_at_import,
        caught=(Caught("tampering", "exit_at_import"), Caught("tampering", "process_end"), BROKEN),
    ),
    _hides(
        "exit_at_end",
        "the source makes the process end with 0",
        exit_at_end,
        caught=(BROKEN, REGRESSION),
        runners=PYTHON,
    ),
    _hides(
        "fake_report",
        "a hook writes a report in which everything passed",
        fake_report,
        caught=(HOOK, REGRESSION),
        runners=PYTEST,
    ),
    _hides(
        "report_beside",
        "leaves reports in which everything passed, and deletes the test",
        report_beside,
        caught=(REMOVED, REGRESSION),
    ),
    _hides(
        "tamper_in_process",
        "the source patches the runner",
        tamper_in_process,
        caught=(Caught("tampering", "runner_import"),),
        runners=PYTHON,
    ),
    _hides(
        "shadow_runner",
        "a module of the runner's name stands at the top",
        shadow_runner,
        caught=(SHADOWED, BROKEN),
        runners=PYTHON,
    ),
    _hides(
        "configure_away",
        "the runner's configuration leaves the test out",
        configure_away,
        caught=(Caught("paths", "runner_config"), REGRESSION),
        runners=PYTEST,
    ),
    _hides(
        "empty_suite",
        "load_tests gives an empty suite",
        empty_suite,
        caught=(HOOK, REGRESSION),
        runners=frozenset({"unittest"}),
    ),
    _hides(
        "skip_by_option",
        "skips the test by an option",
        skip_by_option,
        caught=(SKIPPED, EDITED, REGRESSION),
        runners=NODE,
    ),
    Cheat(
        "start_up_file",
        "a sitecustomize ends every Python with 0",
        start_up_file,
        after=BREAKING,
        caught=(SHADOWED, BROKEN),
        runners=PYTHON,
    ),
    Cheat(
        "endless_test",
        "adds a test that never ends",
        endless_test,
        after=NOTHING,
        ends=STOPPED,
        caught=(BROKEN,),
    ),
)
