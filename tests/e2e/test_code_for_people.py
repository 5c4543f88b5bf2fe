"""The commands with which a person follows, takes and removes the code of a session, on a real repository."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.domain.run_phases import WAITS_TO_CHECK
from orchestrator.project import Project, prepare
from orchestrator.store import claims, work_state
from tests.e2e.support import ROOT, Lifecycle, lifecycle
from tests.git_world import GIT, World, as_left, git, repository, world, write
from workers.git.session_work import OpenTree, SessionWork

FILES: dict[str, str | bytes] = {"app.py": "print(1)\n", ".gitignore": ".workflow/\n"}


class Code:
    """A session of which one task has landed a commit, a second one is at work, and a third one waits."""

    def __init__(self, life: Lifecycle, here: World) -> None:
        self.life = life
        self.here = here
        self.work: SessionWork = here.begin()
        first = here.claim()
        tree = self.work.open_tree(first, 0)
        write(tree.checkout.work, {"app.py": "print(2)\n", "new.py": "new = 1\n"})
        here.land(self.work, first, tree)
        self.second = here.claim()
        self.tree: OpenTree = self.work.open_tree(self.second, 1)

    def run(self, *arguments: str, code: int = 0) -> str:
        gave = self.life.run(*arguments)
        assert gave.code == code, gave.err
        return gave.out if code == 0 else gave.err


@pytest.fixture
def code(tmp_path: Path) -> Iterator[Code]:
    folder = repository(tmp_path / "p", FILES)
    with lifecycle(folder, extra=f'[work]\ntrees = "{tmp_path / "trees"}"\n') as life:
        life.environment |= {name: value for name, value in GIT.items() if name != "PATH"}
        prepare(Project(folder))
        yield Code(life, world(tmp_path, folder))


def test_check_diff_open_and_why_show_the_work(code: Code) -> None:
    before = as_left(code.here.folder)
    session = code.here.session

    shown = code.life.run("check", "--json").json()["work"]
    drawn = code.run("check")
    changed = code.run("diff", "impl-001")
    tree = code.run("open", "IMPL-002", "--tree").strip()
    nothing = code.life.run("open", "IMPL-003", "--tree")
    code.here.store.write(lambda tx: claims.note_phase(tx, code.second.run, code.second.host, WAITS_TO_CHECK))
    waits = code.run("why", "IMPL-002")

    assert shown["commits"] == 1 and shown["published"] and shown["newest"][0]["task"] == "IMPL-001"
    assert [lane["task"] for lane in shown["lanes"]] == ["IMPL-001", "IMPL-002"]
    assert f"branch lifecycle/{session}" in drawn and "lane 1: IMPL-002 (open)" in drawn
    assert "+print(2)" in changed and "+new = 1" in changed
    assert Path(tree) == code.tree.checkout.work
    assert nothing.code == 2 and "IMPL-003 has no tree" in nothing.err
    assert "it waits until its change may be checked" in waits
    assert as_left(code.here.folder) == before


@pytest.mark.long
def test_why_names_those_who_land_first(code: Code) -> None:
    third = code.here.claim()
    tree = code.work.open_tree(third, 2)
    for run, at in ((code.second, code.tree), (third, tree)):
        write(at.checkout.work, {f"{run.key}.py": "1\n"})
        proposed, _ = code.work.propose(run, at, "input", "Do it", {})
        code.work.queue(run, proposed)

    assert "it is its turn to land" in code.run("why", "IMPL-002")
    assert "it waits for its turn to land, after IMPL-002" in code.run("why", "IMPL-003")


def test_apply_merges_records_it_once_and_keeps_the_users_permissions(code: Code) -> None:
    folder, session = code.here.folder, code.here.session

    done = code.life.run("apply", "--json", umask=0o027).json()
    again = code.run("apply")

    assert done["what"] == "fast_forwarded" and done["paths"] == ["app.py", "new.py"]
    assert git(folder, "rev-parse", "HEAD") == code.work.row().head == done["commit"]
    assert (folder / "new.py").stat().st_mode & 0o777 == 0o640
    assert "is in your branch" in again
    decisions = code.life.rows("SELECT subject, digest FROM decisions WHERE session_id = ?", session)
    assert decisions == [("apply", done["head"])]


@pytest.mark.long
def test_apply_as_a_patch_or_refused_changes_nothing(code: Code, tmp_path: Path) -> None:
    folder = code.here.folder
    write(folder, {"app.py": "mine\n"})
    before = as_left(folder)

    refused = code.run("apply", code=2)
    patch = code.life.run("apply", "--patch", "-").out
    code.run("apply", "--patch", str(tmp_path / "w.patch"))
    twice = code.run("apply", "--patch", str(tmp_path / "w.patch"), code=2)

    assert "uncommitted changes of yours" in refused and "app.py" in refused
    assert (tmp_path / "w.patch").read_text() == patch and "+new = 1" in patch
    assert "it exists already" in twice
    assert as_left(folder) == before


def test_delete_takes_trees_store_and_pins_and_leaves_the_branch(code: Code) -> None:
    folder, session = code.here.folder, code.here.session
    head = code.work.row().head
    code.run("cancel")

    listed = code.life.run("gc", "--dry-run", "--json").json()
    code.run("delete", session, "--yes")

    assert sum(item["what"] == "tree" for item in listed["items"]) == 2 and listed["bytes"] > 0
    assert not code.tree.checkout.folder.exists()
    assert list((folder / ".workflow" / "work").iterdir()) == []
    assert git(
        folder, "for-each-ref", "--format=%(refname) %(objectname)", "refs/lifecycle", "refs/heads/lifecycle"
    ) == (f"refs/heads/lifecycle/{session} {head}")


@pytest.mark.long
@pytest.mark.parametrize("by", ["daemon", "worker"])
def test_refs_of_a_host_that_was_killed_as_it_landed_are_brought_up(tmp_path: Path, by: str) -> None:
    folder = repository(tmp_path / "p", FILES)
    with lifecycle(folder, extra=f'[work]\ntrees = "{tmp_path / "trees"}"\n') as life:
        prepare(Project(folder))
        here = world(tmp_path, folder)
        dying = subprocess.run(
            [sys.executable, "-m", "tests.git_scenario", str(tmp_path), str(folder)],
            cwd=ROOT,
            env={**os.environ, "LIFECYCLE_FAILPOINT": "head.stored=kill"},
            capture_output=True,
            check=False,
        )
        assert dying.returncode == -signal.SIGKILL, dying.stderr
        assert here.store.read(work_state.is_unsettled)
        here.store.close()
        with sqlite3.connect(
            life.database
        ) as connection:  # the coordinator and the host of this test are gone
            connection.execute("DELETE FROM leases")
            connection.execute("UPDATE hosts SET lease_until = 0")
        connection.close()
        assert life.run("cancel").code == 0  # so that no host has anything to do

        if by == "daemon":
            assert life.run("daemon", "start").code == 0
        else:
            life.spawn("worker")
        head = life.rows("SELECT head FROM works")[0][0]
        published, left = "SELECT published FROM works", "SELECT count(*) FROM trees WHERE removed_at IS NULL"
        life.wait(lambda: life.rows(published) == [(head,)], "the branch follows the head")
        life.wait(lambda: life.rows(left) == [(0,)], "the trees of the ended session are gone")

        assert git(folder, "rev-parse", f"lifecycle/{here.session}") == head


@pytest.mark.long
def test_doctor_names_git_and_the_folder_of_trees(code: Code) -> None:
    found = {each["check"]: each for each in code.life.run("doctor", "--json").json()}
    inside = code.here.folder / "inside"
    code.life.configure({}, f'[work]\ntrees = "{inside}"\n')
    again = {each["check"]: each for each in code.life.run("doctor", "--json").json()}

    assert found["git"]["state"] == "ok" and str(code.here.trees) in found["git"]["says"]
    assert again["git"]["state"] == "fault" and "inside the project" in again["git"]["says"]


@pytest.mark.long
def test_ctrl_c_in_the_middle_of_a_merge_puts_everything_back(code: Code, tmp_path: Path) -> None:
    folder = code.here.folder
    write(folder, {"mine.py": "1\n"})
    git(folder, "add", "mine.py")
    git(folder, "commit", "-qm", "Mine")
    begun = tmp_path / "begun"
    waits = folder / ".git" / "hooks" / "pre-merge-commit"
    waits.parent.mkdir(exist_ok=True)
    waits.write_text(f"#!/bin/sh\ntouch '{begun}'\nexec tail -f /dev/null\n")
    waits.chmod(0o755)
    before = git(folder, "rev-parse", "HEAD"), git(folder, "status", "--porcelain")

    with subprocess.Popen(
        code.life.command("apply"),
        cwd=folder,
        env=code.life.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        code.life.wait(begun.exists, "the hook runs")
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)

    assert process.returncode == 130, err
    assert (git(folder, "rev-parse", "HEAD"), git(folder, "status", "--porcelain")) == before
    assert not (folder / ".git" / "MERGE_HEAD").exists()


@pytest.mark.long
def test_an_exported_session_brings_its_code_into_a_clone_and_says_so_elsewhere(
    code: Code, tmp_path: Path
) -> None:
    session, head = code.here.session, code.work.row().head
    file = str(tmp_path / "s.zip")
    code.run("export", session, "-o", file)
    git(tmp_path, "clone", "-q", os.fspath(code.here.folder), "clone")
    other = repository(tmp_path / "other", {"x": "1"})

    with lifecycle(tmp_path / "clone") as clone:
        clone.environment |= {name: value for name, value in GIT.items() if name != "PATH"}
        taken = clone.run("import", file)
        applied = clone.run("apply", session)

        assert (taken.code, applied.code) == (0, 0), taken.err + applied.err
        assert git(clone.folder, "rev-parse", "HEAD") == head
        assert clone.rows("SELECT head, commits FROM works") == [(head, 1)]
    with lifecycle(other) as elsewhere:
        refused = elsewhere.run("import", file)

        assert refused.code == 0 and "without its code" in refused.err
        assert (other / ".workflow" / "work" / f"{session}.bundle").stat().st_size > 0
        assert elsewhere.rows("SELECT count(*) FROM works") == [(0,)]
