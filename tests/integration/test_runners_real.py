"""Real runs of pytest, unittest and node:test over small projects: what is found, run, reported and believed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from orchestrator.config.settings import WorkSettings
from orchestrator.domain.evidence import TestRun
from workers.evidence.execution import Executed
from workers.evidence.reports import read_report, report_path
from workers.evidence.runner import Runner
from workers.evidence.runners import find_runners

ENVIRON = {
    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    "HOME": os.environ.get("HOME", "/"),
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # our own plugins take longer than these tests
}


def write(tree: Path, files: Mapping[str, str]) -> Path:
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    return tree


def execute(argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> Executed:
    done = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True, timeout=120, check=False)
    return Executed(done.returncode, done.stdout, done.stderr)


def run(runner: Runner, select: Sequence[str] = (), expected: Sequence[str] = ()) -> TestRun:
    outside = runner.tree.parent / "out"
    outside.mkdir(exist_ok=True)
    report, started = report_path(outside), time.time()
    done = execute(runner.argv(report, select), runner.folder, {**ENVIRON, **runner.env})
    return read_report(runner, report, done, started=started, expected=expected)


def only(tree: Path) -> Runner:
    found = find_runners(tree, WorkSettings(), ENVIRON)
    assert len(found.runners) == 1, found.why
    return found.runners[0]


PYTEST = {
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-x -q'\n",
    "src/shop/__init__.py": "",
    "src/shop/cart.py": "def total(prices):\n    return sum(prices)\n",
    "tests/test_cart.py": """
import pytest
from shop.cart import total
@pytest.mark.parametrize("text", ["a::b", "c[d]", "e f"])
def test_params(text): pass
def test_wrong(): assert total([1]) == 2, "the sum"
class TestCart:
    def test_sum(self): assert total([1, 2]) == 3
    class TestInner:
        def test_deep(self): pass
@pytest.mark.skip(reason="later")
def test_later(): pass
@pytest.mark.xfail
def test_expected(): assert False
@pytest.fixture
def torn():
    yield
    raise OSError("teardown")
def test_torn(torn): pass
""",
    "tests/deep/test_inherit.py": "from test_base import Base\nclass TestChild(Base): pass\n",
    "tests/deep/test_base.py": "class Base:\n    def test_it(self): pass\n",
}
PYTEST_OUTCOMES = {
    "tests/deep/test_inherit.py::TestChild::test_it": "passed",
    "tests/test_cart.py::test_params[a::b]": "passed",
    "tests/test_cart.py::test_params[c[d]]": "passed",
    "tests/test_cart.py::test_params[e f]": "passed",
    "tests/test_cart.py::test_wrong": "failed",
    "tests/test_cart.py::TestCart::test_sum": "passed",
    "tests/test_cart.py::TestCart::TestInner::test_deep": "passed",
    "tests/test_cart.py::test_later": "skipped",
    "tests/test_cart.py::test_expected": "skipped",
    "tests/test_cart.py::test_torn": "error",
}


def test_pytest_reports_every_test_by_its_node_id(tmp_path: Path) -> None:
    runner = only(write(tmp_path / "work", PYTEST))

    done = run(runner, expected=list(PYTEST_OUTCOMES))
    listed = execute(runner.collect_argv() or (), runner.folder, {**ENVIRON, **runner.env})

    assert (runner.name, done.faults, done.exit) == ("pytest", (), 1)
    assert done.outcomes == PYTEST_OUTCOMES
    assert set(runner.parse_collected(listed.out)) == set(PYTEST_OUTCOMES)


def test_pytest_runs_selected_tests_alone(tmp_path: Path) -> None:
    runner = only(write(tmp_path / "work", PYTEST))
    chosen = ["tests/test_cart.py::test_params[a::b]", "tests/test_cart.py::TestCart::test_sum"]

    done = run(runner, select=runner.selection(chosen), expected=chosen)

    assert done.outcomes == dict.fromkeys(chosen, "passed")
    assert done.faults == ()


UNITTEST = {
    "shop.py": "def total(prices):\n    return sum(prices)\n",
    "tests/__init__.py": "",
    "tests/test_shop.py": """
import unittest
from shop import total
class Shop(unittest.TestCase):
    def test_sum(self): self.assertEqual(total([1, 2]), 3)
    def test_wrong(self): self.assertEqual(total([1]), 2, "the sum")
    def test_parts(self):
        for n in range(3):
            with self.subTest(n=n): self.assertNotEqual(n, 1)
    @unittest.skip("later")
    def test_later(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    @unittest.expectedFailure
    def test_unexpected(self): pass
class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise OSError("no database")
    def test_never(self): pass
class Left(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("elsewhere")
    def test_never(self): pass
""",
    "tests/deep/__init__.py": "",
    "tests/deep/test_more.py": "import unittest\nclass More(unittest.TestCase):\n    def test_it(self): print('ok')\n",
    "tests/test_import.py": "import unittest, nowhere\n",
    "checks/test_flat.py": "import unittest\nclass Flat(unittest.TestCase):\n    def test_it(self): pass\n",
}
UNITTEST_OUTCOMES = {
    "checks/test_flat.py::Flat::test_it": "passed",
    "tests/deep/test_more.py::More::test_it": "passed",
    "tests/test_import.py": "error",
    "tests/test_shop.py::Shop::test_sum": "passed",
    "tests/test_shop.py::Shop::test_wrong": "failed",
    "tests/test_shop.py::Shop::test_parts": "failed",
    "tests/test_shop.py::Shop::test_later": "skipped",
    "tests/test_shop.py::Shop::test_expected": "skipped",
    "tests/test_shop.py::Shop::test_unexpected": "failed",
    "tests/test_shop.py::Broken::test_never": "error",
    "tests/test_shop.py::Left::test_never": "skipped",
    "tests/test_shop.py::setUpClass (tests.test_shop.Left)": "skipped",
    "tests/test_shop.py::setUpClass (tests.test_shop.Broken)": "error",
}


def test_unittest_reports_every_test(tmp_path: Path) -> None:
    runner = only(write(tmp_path / "work", UNITTEST))

    done = run(runner)

    assert (runner.name, done.faults, done.exit) == ("unittest", (), 1)
    assert done.outcomes == UNITTEST_OUTCOMES


def test_unittest_lists_and_selects(tmp_path: Path) -> None:
    runner = only(write(tmp_path / "work", UNITTEST))
    chosen = ("tests/test_shop.py::Shop::test_sum", "tests/deep/test_more.py")

    listed = execute(runner.collect_argv() or (), runner.folder, {**ENVIRON, **runner.env})
    done = run(runner, select=chosen)

    assert "tests/test_shop.py::Broken::test_never" in runner.parse_collected(listed.out)
    assert set(done.outcomes) == {
        "tests/test_shop.py::Shop::test_sum",
        "tests/deep/test_more.py::More::test_it",
    }


NODE = {
    "package.json": '{"type": "module", "scripts": {"test": "NODE_ENV=test node --test test/*.check.js"}}',
    "test/a.check.js": """
import test, { describe, it } from 'node:test';
import assert from 'node:assert';
test('plain', () => assert.equal(process.env.NODE_ENV, 'test'));
test('wrong', () => assert.equal(1, 2));
test.skip('later', () => {});
test.todo('never');
describe('group', () => { describe('inner', () => { it('<&"> deep', () => {}); }); });
test('parent', async (t) => { await t.test('child', () => {}); });
""",
    "test/b.check.js": "import test from 'node:test';\ntest('plain', () => {});\n",
    "test/c.check.js": "import './nowhere.js';\n",
    "test/helper.js": "throw new Error('no test');\n",
}
NODE_OUTCOMES = {
    "test/a.check.js::plain": "passed",
    "test/a.check.js::wrong": "failed",
    "test/a.check.js::later": "skipped",
    "test/a.check.js::never": "skipped",
    'test/a.check.js::group > inner > <&"> deep': "passed",
    "test/a.check.js::parent": "passed",
    "test/a.check.js::parent > child": "passed",
    "test/b.check.js::plain": "passed",
    "test/c.check.js": "error",
}


@pytest.mark.long
@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_node_reports_every_test_with_its_file(tmp_path: Path) -> None:
    runner = only(write(tmp_path / "work", NODE))

    done = run(runner)
    alone = run(runner, select=runner.selection(["test/b.check.js::plain"]))

    assert (runner.name, done.faults, done.exit) == ("node:test", (), 1)
    assert done.outcomes == NODE_OUTCOMES
    assert alone.outcomes == {"test/b.check.js::plain": "passed"}


def test_a_file_that_no_longer_loads_fails_its_tests(tmp_path: Path) -> None:
    tree = write(tmp_path / "work", PYTEST)
    (tree / "src/shop/cart.py").write_text("def total(:\n")

    done = run(only(tree), expected=["tests/test_cart.py::TestCart::test_sum"])

    assert done.faults == ()
    assert done.outcomes["tests/test_cart.py::TestCart::test_sum"] == "error"
    assert done.exit == 1
    assert done.outcomes["tests/deep/test_inherit.py::TestChild::test_it"] == "passed"
