"""The held-out set's own tools, over two releases of a library made here; nothing is fetched."""

from __future__ import annotations

import ast
import io
import re
import tarfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.heldout import archives, edits
from tests.heldout.__main__ import main, tried
from tests.heldout.admit import Unfit, admitted, row
from tests.heldout.figures import (
    ACCEPTED,
    FAULT,
    OWN_TESTS,
    SOLVED,
    TURNED_AWAY,
    Result,
    Scored,
    failed,
    figures,
)
from tests.heldout.recipes import NODE, PYTHON, Recipe, read_recipes
from tests.heldout.releases import releases

OLD = "def add(a, b):\n    return a + b\n"
NEW = OLD + "\n\ndef double(a):\n    return add(a, a)\n"
TEST = "import unittest\n\nimport sums\n\n\nclass Sums(unittest.TestCase):\n"
TEST_OLD = TEST + "    def test_add(self):\n        self.assertEqual(sums.add(1, 2), 3)\n"
TEST_NEW = TEST_OLD + "\n    def test_double(self):\n        self.assertEqual(sums.double(2), 4)\n"
BASE = {"sums.py": OLD, "test_sums.py": TEST_OLD, "PKG-INFO": "Version: 1"}
RELEASE = {"sums.py": NEW, "test_sums.py": TEST_NEW, "PKG-INFO": "Version: 2", "setup.py": "import sums\n"}
CANDIDATE = Recipe(
    "sums-2", PYTHON, "sums", "1", "2", "", "", "Add double(), the sum of a number and itself.", (), ()
)
HIDDEN = "test_sums.py::Sums::test_double"


def store(cache: Path, version: str, files: Mapping[str, str]) -> None:
    """Put a release into the cache, as its registry would give it."""
    file = cache / "archives" / PYTHON / f"sums-{version}.tgz"
    file.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(file, "w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(f"sums-{version}/{name}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with both releases, whose tests need nothing beside Python."""
    monkeypatch.setattr(archives, "RUNNERS", ())
    store(tmp_path, "1", BASE)
    store(tmp_path, "2", RELEASE)
    made = archives.environment_folder(tmp_path, CANDIDATE)
    made.mkdir(parents=True)
    (made / archives.MADE).touch()
    return tmp_path


def test_a_candidate_is_admitted_with_its_digests_and_hidden_tests(cache: Path, tmp_path: Path) -> None:
    found = admitted(CANDIDATE, cache)

    assert found.hidden == (HIDDEN,)
    (tmp_path / "recipes.toml").write_text(row(found), encoding="utf-8")
    assert read_recipes(tmp_path / "recipes.toml") == {"sums-2": found}
    with releases(found, cache) as of:
        assert (of.source, of.tests) == (["sums.py"], ["test_sums.py"])


UNFIT = {
    "differ in no source": {**RELEASE, "sums.py": OLD},
    "differ in no test": {**RELEASE, "test_sums.py": TEST_OLD},
    "no test fails with the base's source": {**RELEASE, "test_sums.py": TEST_OLD + "\n"},
    "breaks test_sums.py::Sums::test_add": {
        **RELEASE,
        "sums.py": NEW.replace("a + b", "a + b if a == b else 0"),
    },
    "new tests of the release fail here: test_sums.py::Sums::test_half": {
        **RELEASE,
        "test_sums.py": TEST_NEW + "\n    def test_half(self):\n        self.assertEqual(sums.half(4), 2)\n",
    },
    "runs do not agree": {
        **RELEASE,
        "test_sums.py": TEST_NEW
        + "".join(
            f"\n    def test_{n}(self):\n        if __import__('random').random() < 0.5: self.skipTest('')\n"
            for n in range(40)
        ),
    },
}


@pytest.mark.parametrize("why", UNFIT)
def test_releases_that_make_no_task_are_not_admitted(why: str, cache: Path) -> None:
    store(cache, "2", UNFIT[why])

    with pytest.raises(Unfit, match=re.escape(why)):
        admitted(CANDIDATE, cache)


def test_another_archive_is_refused(cache: Path) -> None:
    changed = replace(CANDIDATE, release_sha256="0" * 64)

    with pytest.raises(archives.FetchError, match="has the digest"), releases(changed, cache):
        pass


@pytest.mark.long
def test_the_own_change_is_accepted_and_nothing_else_but_by_tests_of_its_own(cache: Path) -> None:
    """That `mark_done` is accepted shows as well that the measurement sees it when something wrong is accepted."""
    recipe = replace(CANDIDATE, hidden=(HIDDEN,))

    found = tried(recipe, ["gold", "empty", "empty_tests", "mark_done", "impossible", "skip_tests"], cache)

    assert {name: each.word for name, each in found.attempts.items()} == {
        "gold": SOLVED,
        "empty": TURNED_AWAY,
        "empty_tests": TURNED_AWAY,
        "mark_done": OWN_TESTS,
        "impossible": TURNED_AWAY,  # and `skip_tests` is for pytest
    }
    assert "new and fails" in found.attempts["impossible"].why


def test_packages_that_a_sandbox_would_hide_are_refused_before_anything_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    node = next(name for name, recipe in read_recipes().items() if archives.setup(recipe, Path("made")))

    assert main(["--recipes", node, "--cache", "/tmp/heldout-of-nobody"]) == 2
    assert node in capsys.readouterr().err
    assert not Path("/tmp/heldout-of-nobody").exists()


def test_an_attempt_that_cannot_be_made_is_no_refusal(cache: Path) -> None:
    recipe = replace(CANDIDATE, hidden=("test_sums.py::Sums::test_nothing",))

    found = tried(recipe, ["gold", "delete_tests"], cache)

    assert found.attempts["gold"].word == ACCEPTED  # its hidden test does not pass
    assert found.attempts["delete_tests"].word == FAULT
    assert failed([found])


@pytest.mark.parametrize(
    ("word", "fails"),
    [(SOLVED, False), (TURNED_AWAY, False), (OWN_TESTS, False), (ACCEPTED, True), (FAULT, True)],
)
def test_only_what_is_accepted_unsolved_or_not_tried_fails(word: str, fails: bool) -> None:
    results = [Result("a", {"gold": Scored(SOLVED, "", 1), "empty": Scored(word, "", 1)})]

    assert failed(results) is fails
    assert figures(results)["accepted_though_unsolved"] == (word == ACCEPTED)


def test_each_recipe_names_everything() -> None:
    recipes = read_recipes().values()

    assert sum(each.stack == PYTHON for each in recipes) >= 20
    assert sum(each.stack == NODE for each in recipes) >= 5
    for each in recipes:
        digests = each.base_sha256 + each.release_sha256
        assert re.fullmatch("[0-9a-f]{128}", digests), each.name
        assert len(each.request) > 40 and each.hidden, each.name
        assert all("==" in wanted or "@" in wanted[1:] for wanted in each.requirements), each.name


CLASSES = """class A:
    @mark
    def test_x(self):
        assert f(
            1) == "ä"  # why

class B:
    def test_x(self):
        self.assertEqual(1, 2)

    def test_raises(self):
        with self.assertRaises(ValueError, msg="x"):
            int("x")
            assert "this is never reached"
"""


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (edits.delete, "class A:\n    pass\n"),
        (edits.rename, "class A:\n    @mark\n    def checks_test_x(self):\n"),
        (edits.decorate("@skip"), "class A:\n    @skip\n    @mark\n    def test_x(self):\n"),
        (edits.hollow("assert True"), "class A:\n    @mark\n    def test_x(self):\n        assert True\n"),
        (
            edits.turn_round,
            "class A:\n    @mark\n    def test_x(self):\n        assert not (f(1) == 'ä')  # why\n",
        ),
    ],
)
def test_one_test_of_a_file_is_changed(change: edits.Change, left: str, tmp_path: Path) -> None:
    file = tmp_path / "test_a.py"
    file.write_text(CLASSES, encoding="utf-8")

    edits.edit(file, ["test_a.py::A::test_x[1]"], change)

    text = file.read_text(encoding="utf-8")
    assert text.startswith(left)
    assert text.endswith(CLASSES.partition("\n\n")[2])
    ast.parse(text)


def test_an_assertion_of_unittest_and_of_node_is_turned_round(tmp_path: Path) -> None:
    file = tmp_path / "test_a.py"
    file.write_text(CLASSES, encoding="utf-8")
    script = "test('a', t => {})\ntest('it adds', (t) => {\n  t.assert.strictEqual(1, 1)\n})\n"

    edits.edit(file, ["test_a.py::B::test_x", "test_a.py::B::test_raises"], edits.turn_round)

    assert "self.assertNotEqual(1, 2)" in file.read_text(encoding="utf-8")
    assert 'self.assertRaises(ZeroDivisionError, msg="x")' in file.read_text(encoding="utf-8")
    assert "t.assert.notStrictEqual(1, 1)" in edits.turn_js_round(script, "it adds")
    assert edits.mark_js(script, ["it adds"], "skip").count("test.skip('it adds'") == 1
    with pytest.raises(ValueError, match="no assertion"):
        edits.turn_js_round("test('a', t => {})\n", "a")
