"""The generated repositories are what they claim to be: their own tests are the judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.git_world import git
from tests.work.repositories import COMMON, STACKS, Fixture, Patch, apply, build, is_test
from tests.work.runs import restore, run
from tests.work.scenarios import patched

QUICK = ("python-flat", "python-unittest")
fixtures = pytest.mark.parametrize(
    "fixture",
    [
        pytest.param(fixture, id=name, marks=() if name in QUICK else pytest.mark.long)
        for name, fixture in COMMON.items()
    ],
)


@pytest.mark.parametrize(
    "fixture", [COMMON["python-src"], COMMON["node-esm"]], ids=("python-src", "node-esm")
)
def test_the_right_patches_pass(fixture: Fixture, tmp_path: Path) -> None:
    tree = build(fixture, tmp_path / "tree")
    for key in fixture.order():
        apply(fixture.gold[key], tree)

    assert (gold := run(fixture, tree)).returncode == 0, gold.stdout + gold.stderr


@fixtures
def test_the_right_patches_pass_and_their_tests_see_them(fixture: Fixture, tmp_path: Path) -> None:
    tree = build(fixture, tmp_path / "tree")
    assert git(tree, "rev-list", "--count", "HEAD") == "3"
    assert (base := run(fixture, tree)).returncode == 0, base.stdout + base.stderr

    for key in fixture.order():
        apply(fixture.gold[key], tree)
    assert (gold := run(fixture, tree)).returncode == 0, gold.stdout + gold.stderr

    restore(tree)
    for key in fixture.order():
        apply({path: body for path, body in fixture.gold[key].items() if is_test(path)}, tree)
        assert fixture.new_tests(key)
        assert run(fixture, tree, *fixture.new_tests(key)).returncode != 0, f"{key} is done on the base"


@fixtures
def test_a_bad_patch_breaks_the_test_it_names(fixture: Fixture, tmp_path: Path) -> None:
    tree = build(fixture, tmp_path / "tree")

    assert fixture.broken
    for which, broken in fixture.broken.items():
        apply(fixture.bad[which], tree)
        done = run(fixture, tree)
        assert done.returncode != 0
        assert broken.test in done.stdout + done.stderr
        assert broken.line in (tree / broken.file).read_text()
        restore(tree)


def patches(fixture: Fixture) -> list[tuple[str, list[Patch]]]:
    """Each task with the patches that may be applied when those it depends on are."""
    return [
        (key, [*(patch for (task, _), patch in fixture.bad.items() if task == key), fixture.gold[key]])
        for key in fixture.order()
    ]


@pytest.mark.parametrize("fixture", [*COMMON.values(), *STACKS.values()], ids=lambda fixture: fixture.name)
def test_the_plan_tells_what_the_patches_do(fixture: Fixture) -> None:
    files = fixture.files
    for key, choices in patches(fixture):
        task = fixture.task(key)
        planned = {each["path"]: each["action"] for each in task["files"]}
        assert planned.keys() == fixture.gold[key].keys()
        for path, action in planned.items():
            assert (action == "create") == (path not in files), f"{key}: {path}"
        for patch in choices:
            after = patched(files, patch)
            assert after != files
        files = after
    assert fixture.plan["task_ids"] == [task["id"] for task in fixture.tasks]
    for which, broken in fixture.broken.items():
        text = fixture.files[broken.file]
        assert text.count(broken.line) == 1 and broken.test in text, which
        assert broken.source in fixture.bad[which]


def test_each_repository_is_always_the_same(tmp_path: Path) -> None:
    for name, fixture in COMMON.items():
        one, other = (git(build(fixture, tmp_path / name / each), "rev-parse", "HEAD") for each in "ab")

        assert one == other
