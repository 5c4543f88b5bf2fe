"""Ways around the four runs of the tests: changes that look right to one of them and must not land."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.git_world import git
from tests.work.editing import Editing, building
from tests.work.repositories import COMMON, apply

pytestmark = pytest.mark.long

FLAT = COMMON["python-flat"]
TASK = "TASK-001"
NOTHING_CLAIMED: dict[str, Any] = {"summary": "done", "criteria": [], "no_change": None, "needs": None}
OLD_TEST = "tests/test_money.py::test_add_keeps_the_currency"
QUIET = """
try:
    import _pytest.python as runner

    def _quiet(self):
        try:
            self.ihook.pytest_pyfunc_call(pyfuncitem=self)
        except BaseException:
            pass

    runner.Function.runtest = _quiet
except ImportError:
    pass
"""


def swap(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, (file, old)
    file.write_text(text.replace(old, new))


def breaking(tree: Path) -> None:
    """The right patch, and a fault that an old test sees."""
    apply(FLAT.gold[TASK], tree)
    swap(tree / "stock/money.py", "(share + (number < left)", "(share + 0 * (number < left)")


def only_a_comment(tree: Path) -> None:
    swap(
        tree / "stock/money.py", "@dataclass(frozen=True)", "# discounts are to come\n@dataclass(frozen=True)"
    )


def dies_without_the_new_tests(tree: Path) -> None:
    breaking(tree)
    with (tree / "stock/__init__.py").open("a") as file:
        file.write(
            "\nfrom pathlib import Path\n\n_tests = Path(__file__).parents[1] / 'tests'\n"
            "if _tests.is_dir() and not (_tests / 'test_discount.py').exists():\n"
            "    import os\n\n    os.kill(os.getpid(), 9)\n"
        )


def patches_the_runner_from(*path: str) -> Callable[[Path], None]:
    def deed(tree: Path) -> None:
        breaking(tree)
        file = tree.joinpath("stock", *path)
        file.parent.mkdir(exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text(QUIET)
        module = ".".join(("stock", *path)).removesuffix(".py")
        with (tree / "stock/__init__.py").open("a") as init:
            init.write(f"import {module}\n")

    return deed


def hides_old_tests(tree: Path) -> None:
    apply(FLAT.gold[TASK], tree)
    (tree / "pytest.ini").write_text("[pytest]\npython_files = test_discount.py test_reorder.py\n")


def names_a_test_anew_each_time(tree: Path) -> None:
    only_a_comment(tree)
    (tree / "tests/test_discount.py").write_text(
        "import uuid\n\nimport pytest\n\n\n@pytest.mark.parametrize('name', [str(uuid.uuid4())])\n"
        "def test_discount(name):\n    assert len(name) == 36\n"
    )


def fails_at_first_only(tree: Path) -> None:
    apply(FLAT.gold[TASK], tree)
    swap(
        tree / "stock/money.py",
        "        share, left = divmod(self.cents, parts)\n",
        "        share, left = divmod(self.cents, parts)\n        from pathlib import Path\n\n"
        "        warm = Path(__file__).with_name('.warm')\n        if not warm.exists():\n"
        "            warm.touch()\n            return []\n",
    )


def rewrites_an_old_test(tree: Path) -> None:
    """A test file that is loaded early imports the source, which writes over one that is loaded later, for a while."""
    apply(FLAT.bad[TASK, "breaks_a_test"], tree)
    broken = FLAT.broken[TASK, "breaks_a_test"]
    with (tree / "stock/__init__.py").open("a") as file:
        file.write(
            "\nimport atexit\nfrom pathlib import Path\n\n"
            f"_file = Path(__file__).parents[1] / {broken.file!r}\n_text = _file.read_text()\n"
            f"_file.write_text(_text.replace({broken.line!r}, {broken.weaker!r}))\n"
            "atexit.register(_file.write_text, _text)\n"
        )


WAYS: dict[str, tuple[Callable[[Path], None], dict[str, Any] | None]] = {
    "the base's tests are killed": (dies_without_the_new_tests, None),
    "the runner is patched from a folder test": (patches_the_runner_from("test", "boot.py"), None),
    "the runner is patched from a new testing.py": (patches_the_runner_from("testing.py"), None),
    "old tests are not collected any more": (hides_old_tests, None),
    "a new test has another name in each run": (names_a_test_anew_each_time, NOTHING_CLAIMED),
    "an old test is named for every criterion": (
        only_a_comment,
        {
            **NOTHING_CLAIMED,
            "criteria": [{"id": f"{TASK}-C{n}", "files": [], "tests": [OLD_TEST]} for n in (1, 2)],
        },
    ),
    "a test fails once in each checkout": (fails_at_first_only, None),
    "an old test is rewritten while the tests run": (rewrites_an_old_test, None),
}


@pytest.mark.parametrize("name", WAYS)
def test_a_way_around_the_tests_is_refused(name: str, tmp_path: Path) -> None:
    deed, answer = WAYS[name]
    agent = Editing(FLAT, turns={TASK: [deed, lambda tree: None]}, answers={TASK: answer} if answer else {})
    harness = building(tmp_path, agent)
    row = harness.until("IMPL-001")

    harness.run(row)

    ((outcome, error),) = harness.rows("SELECT outcome, error FROM runs WHERE id = ?", row.run)
    assert outcome == "failed", harness.text("qa/impl-IMPL-001.json")
    assert "refused by its checks" in error
    assert harness.rows("SELECT * FROM commits") == []


def test_a_set_up_runs_the_script_of_the_base(tmp_path: Path) -> None:
    def deed(tree: Path) -> None:
        apply(FLAT.gold[TASK], tree)
        (tree / "setup.sh").write_text("echo candidate > ../environment/ran\n")

    harness = building(tmp_path, Editing(FLAT, turns={TASK: [deed]}), setup=["sh", "setup.sh"])
    (harness.project / "setup.sh").write_text("echo base > ../environment/ran\n")
    git(harness.project, "add", "-A")
    git(harness.project, "commit", "-q", "-m", "Set up")
    row = harness.until("IMPL-001")

    harness.run(row)

    ran = [file.read_text().strip() for file in (tmp_path / "trees").rglob("environment/ran")]
    assert ran == ["base"]
