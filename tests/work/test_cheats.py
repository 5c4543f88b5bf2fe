"""Each cheat does to a tree what it says, so that a check which passes it has been fooled."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests import git_world
from tests.patience import patient
from tests.work.cheat_values import BREAKING, NO_EFFECT, REFUSED, RIGHT, Cheat, Place
from tests.work.cheats import CHEATS
from tests.work.cheats_on_files import CHEATS_ON_FILES
from tests.work.cheats_on_git import CHEATS_ON_GIT
from tests.work.cheats_on_tests import CHEATS_ON_TESTS
from tests.work.repositories import COMMON, Fixture, apply, build
from tests.work.runs import run
from tests.work.scenarios import Scenario, Turn
from workers.evidence.candidate_checks import Subject, check_candidate
from workers.evidence.declared import Declared
from workers.git.candidates import Candidate
from workers.git.checkouts import Checkout, make_checkout

FLAT = COMMON["python-flat"]
TASK = "TASK-001"
DECLARED = Declared(files=frozenset(each["path"] for each in FLAT.task(TASK)["files"]))
WITHOUT_RUNS = ("paths", "tests_edited", "tampering", "dependencies", "secrets")
ON_TESTS = [
    pytest.param(
        fixture,
        cheat,
        marks=() if fixture.runner == "unittest" else pytest.mark.long,
        id=f"{name}-{cheat.name}",
    )
    for name, fixture in COMMON.items()
    if name != "python-src"
    for cheat in CHEATS_ON_TESTS
    if cheat.fits(fixture.runner) and cheat.fools
]
EXTRA = {  # what is in the candidate beside the work, where that has no effect
    "nested": {"vendor/inner/kept.txt"},
    "nested_empty": {"vendor/empty/kept.txt"},
}
FLAGGED = {
    "link_outward": {("link", "notes"), ("link", "passwd")},
    "link_into_git": {("link", "settings")},
    "fifo": {("special", "pipe.py")},
    "listening_socket": {("special", "agent.sock")},
    "device": {("special", "zero")},
    "large_file": {("large", "data.bin")},
    "latin_name": {("name", "caf\\xe9.txt")},
    "line_break_in_name": {("name", "a\nb: c.txt")},
    "nested": {("nested", "vendor/inner/.git")},
    "nested_empty": {("nested", "vendor/empty/.git")},
    "submodule": {("nested", "vendor/inner/.git")},
}
TWINS = {("twin", "readme.md"), ("twin", "café.txt"), ("twin", "cafe\u0301.txt")}


def place_of(fixture: Fixture, tree: Path) -> Place:
    return Place(tree, fixture.runner, fixture.broken[TASK, "breaks_a_test"])


@pytest.mark.parametrize(("fixture", "cheat"), ON_TESTS)
def test_the_tests_pass_although_one_is_broken(fixture: Fixture, cheat: Cheat, tmp_path: Path) -> None:
    tree = build(fixture, tmp_path / "tree")
    assert cheat.after == BREAKING
    apply(fixture.bad[TASK, "breaks_a_test"], tree)
    cheat.do(place_of(fixture, tree))

    done = run(fixture, tree)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_a_hook_replaces_the_report(tmp_path: Path) -> None:
    tree = build(FLAT, tmp_path / "tree")
    apply(FLAT.bad[TASK, "breaks_a_test"], tree)
    report = tmp_path / "report.xml"
    assert run(FLAT, tree, f"--junitxml={report}").returncode == 1
    assert "<failure" in report.read_text()

    CHEATS["fake_report"].do(place_of(FLAT, tree))

    assert run(FLAT, tree, f"--junitxml={report}").returncode == 0
    assert "<failure" not in report.read_text()
    assert 'classname="tests.test_money" name="test_split_loses_no_cent"' in report.read_text()


@dataclass
class Desk:
    """The user's repository, and a private store from which each cheat gets a tree of its own."""

    project: Path
    plain: git_world.Plain
    canary: Path
    trees: int = 0

    def tree(self) -> git_world.Plain:
        self.trees += 1
        checkout = Checkout(self.project.parent / "trees" / f"1-{self.trees}", "b" * 32)
        return replace(
            self.plain,
            checkout=checkout,
            empty=make_checkout(self.plain.store, checkout, self.plain.base.commit),
        )

    def candidate(self, cheat: Cheat | None, outside: Path) -> Candidate:
        """What is taken from a tree in which the cheat was done after its patch."""
        tree = self.tree()
        if cheat is None or cheat.after == RIGHT:
            apply(FLAT.gold[TASK], tree.work)
        elif cheat.after == BREAKING:
            apply(FLAT.bad[TASK, "breaks_a_test"], tree.work)
        if cheat is not None:
            cheat.do(replace(place_of(FLAT, tree.work), outside=outside, canary=self.canary))
        return tree.candidate()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    folder = tmp_path_factory.mktemp("cheats")
    project = build(FLAT, folder / "project")
    (project / ".workflow").mkdir()
    return Desk(project, git_world.plain(folder, project), folder / "canary")


def named(candidate: Candidate, desk: Desk) -> set[str]:
    return set(desk.plain.names(candidate.tree))


def assert_noticed(cheat: Cheat, candidate: Candidate, desk: Desk) -> None:
    """One of the checks that need no test run finds what the cheat names; of one without effect, nothing grave."""
    subject = Subject(desk.plain.store, candidate.base, candidate.tree, candidate.flags, DECLARED)
    found = {(finding.check, finding.rule.partition(":")[0]) for finding in check_candidate(subject)}
    wanted = {(each.check, each.rule) for each in cheat.caught if each.check in WITHOUT_RUNS}
    if wanted:
        assert found & wanted, f"found was {found}"
    elif cheat.ends == NO_EFFECT:
        assert found <= {("paths", "nested")}


on_trees = [
    cheat for cheat in (*CHEATS_ON_GIT, *CHEATS_ON_FILES) if cheat.name not in ("never_end", "daemon")
]


@pytest.fixture(scope="module")
def honest(desk: Desk) -> Candidate:
    return desk.candidate(None, desk.project)


@pytest.mark.parametrize("cheat", on_trees, ids=lambda cheat: cheat.name)
def test_what_is_taken_from_the_tree(cheat: Cheat, desk: Desk, honest: Candidate, tmp_path: Path) -> None:
    if cheat.name == "device" and os.geteuid() != 0:
        with pytest.raises(PermissionError):
            cheat.do(Place(tmp_path, FLAT.runner))
        return
    outside = git_world.repository(tmp_path / "outside") if cheat.name == "edit_outside" else desk.project
    before = git_world.as_left(outside)

    candidate = desk.candidate(cheat, outside)

    assert not desk.canary.exists(), f"our git started {desk.canary.read_text()}"
    assert (git_world.as_left(outside) != before) == (cheat.name == "edit_outside")
    base = desk.plain.store.tree_of(desk.plain.base.commit)
    if cheat.ends == NO_EFFECT and cheat.name not in EXTRA:
        assert candidate.tree == honest.tree
    elif cheat.name in EXTRA:
        assert named(candidate, desk) == named(honest, desk) | EXTRA[cheat.name]
    elif cheat.name in ("stash", "nothing"):
        assert candidate.tree == base
    elif cheat.name not in ("fifo", "listening_socket", "device"):  # of which nothing is taken
        assert candidate.tree not in (base, honest.tree)
    assert_noticed(cheat, candidate, desk)
    flags = git_world.flags(candidate)
    if cheat.name == "twin_names":
        assert flags & TWINS and {kind for kind, _ in flags} <= {"twin", "name"}
    else:
        assert flags == FLAGGED.get(cheat.name, set())


@pytest.mark.parametrize(
    "cheat", [each for each in CHEATS_ON_TESTS if each.fits(FLAT.runner)], ids=lambda cheat: cheat.name
)
def test_what_is_seen_without_a_test_run(cheat: Cheat, desk: Desk) -> None:
    assert_noticed(cheat, desk.candidate(cheat, desk.project), desk)


def test_a_daemon_outlives_the_one_that_left_it(tmp_path: Path) -> None:
    scenario = Scenario(
        {"*": [Turn(cheat="daemon", arguments=Place(tmp_path, "", canary=tmp_path / "pid").as_json())]}
    )

    done = subprocess.run(scenario.write(tmp_path / "agent"), cwd=tmp_path, input=b"", timeout=patient(30))

    assert done.returncode == 0
    deadline = time.monotonic() + patient(10)
    while not (left := (tmp_path / "pid").read_text() if (tmp_path / "pid").exists() else ""):
        assert time.monotonic() < deadline, "it left nothing"
    daemon = int(left)
    try:
        assert os.getsid(daemon) != os.getsid(0)
    finally:
        os.kill(daemon, signal.SIGKILL)


def test_every_cheat_says_what_has_to_notice_it() -> None:
    for cheat in CHEATS.values():
        if cheat.ends == REFUSED:
            assert cheat.caught, f"nothing is named that refuses {cheat.name}"
        if cheat.ends == NO_EFFECT:
            assert not cheat.caught, f"{cheat.name} has no effect that could be found"
