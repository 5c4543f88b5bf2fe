"""The user's repository in every state: each is worked on, or refused with the reason, and left as it was to the byte."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orchestrator.domain.errors import GitError, GitOutputTooLarge, GitTimedOut, RepositoryUnusable
from tests.git_world import GIT, NOON, Plain, as_left, flags, git, plain, repository, write
from workers.git import candidates
from workers.git.checkouts import refuse_twins
from workers.git.git_process import Git
from workers.git.private_store import create_store, fix_base, open_store, snapshot_of_user
from workers.git.publishing import Publication, Published, publish
from workers.git.tree_files import settle
from workers.git.tree_scan import Scan, scan
from workers.git.user_repository import find_repository


def land(tree: Plain) -> Published:
    """A change in the tree, on the user's branch."""
    write(tree.work, {"landed.py": "x = 1\n"})
    found = publish(tree.store, tree.candidate().commit, None, tree.base.commit)
    if found.what == Publication.DONE:
        assert git(tree.folder, "show", f"{found.branch}:landed.py") == "x = 1"
        git(tree.folder, "fsck", "--connectivity-only")
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return repository(
        tmp_path / "project",
        {"app.py": "print(1)\n", "lib/tool.py": "x = 1\n", ".gitignore": ".workflow/\nbuild/\n"},
    )


def make_dirty(project: Path) -> None:
    write(project, {"app.py": "print(2)\n", "new file.py": "new = 1\n", "build/out": "x"})
    (project / "lib" / "tool.py").unlink()
    write(project, {"staged.py": "staged = 1\n"})
    git(project, "add", "staged.py")
    git(project, "stash", "push", "-q", "--", "app.py")
    write(project, {"app.py": "print(3)\n"})


def test_a_dirty_repository_is_worked_on_from_its_head_and_the_count_is_told(
    tmp_path: Path, project: Path
) -> None:
    make_dirty(project)
    before = as_left(project)

    tree = plain(tmp_path, project)

    assert tree.base.commit == git(project, "rev-parse", "HEAD") and tree.base.left_out == 4
    assert (tree.work / "app.py").read_text() == "print(1)\n" and not (tree.work / "new file.py").exists()
    assert land(tree).what == Publication.DONE
    assert as_left(project) == before


@pytest.mark.parametrize("place", ["info/exclude", "default", "home", "included", "repository"])
def test_what_the_users_git_ignores_is_neither_counted_nor_taken_over(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    setting = "[core]\n\texcludesFile = ~/mine\n"
    files = {
        "info/exclude": {project / ".git/info/exclude": "secret.env\n"},
        "default": {home / ".config/git/ignore": "secret.env\n"},
        "home": {home / ".gitconfig": setting, home / "mine": "secret.env\n"},
        "included": {
            home / ".gitconfig": "[include]\n\tpath = ~/more\n",
            home / "more": setting,
            home / "mine": "secret.env\n",
        },
        "repository": {
            home / ".gitconfig": "[core]\n\texcludesFile = ~/other\n",
            home / "mine": "secret.env\n",
        },
    }[place]
    for path, body in files.items():
        write(path.parent, {path.name: body})
    if place == "repository":
        git(project, "config", "core.excludesFile", str(home / "mine"))
    write(project, {"secret.env": "KEY=1\n", "new.py": "new = 1\n"})
    before = as_left(project)

    tree = plain(tmp_path, project, include_dirty=True)
    _, count = snapshot_of_user(tree.store, project, git(project, "rev-parse", "HEAD"))

    assert (tree.work / "new.py").exists() and not (tree.work / "secret.env").exists()
    assert count == 1
    assert as_left(project) == before


def test_changes_of_the_users_are_taken_over_when_asked_for(tmp_path: Path, project: Path) -> None:
    make_dirty(project)
    before = as_left(project)

    tree = plain(tmp_path, project, include_dirty=True)

    assert tree.base.left_out == 0
    assert (tree.work / "app.py").read_text() == "print(3)\n" and (tree.work / "new file.py").exists()
    assert not (tree.work / "lib" / "tool.py").exists() and not (tree.work / "build").exists()
    assert git(tree.store.path, "rev-parse", f"{tree.base.commit}^") == git(project, "rev-parse", "HEAD")
    assert land(tree).what == Publication.DONE
    assert as_left(project) == before


def test_a_detached_head_is_a_base_like_any_other(tmp_path: Path, project: Path) -> None:
    git(project, "checkout", "-q", "--detach")
    before = as_left(project)

    assert land(plain(tmp_path, project)).what == Publication.DONE
    assert as_left(project) == before


def test_a_linked_work_tree_is_a_project_of_its_own(tmp_path: Path, project: Path) -> None:
    git(project, "worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    write(tmp_path / "linked", {"side.py": "1"})
    git(tmp_path / "linked", "add", "-A")
    git(tmp_path / "linked", "commit", "-q", "-m", "Side")
    before = as_left(project), as_left(tmp_path / "linked")

    tree = plain(tmp_path, tmp_path / "linked")

    assert (tree.work / "side.py").exists() and land(tree).what == Publication.DONE
    assert (as_left(project), as_left(tmp_path / "linked")) == before


def test_a_bare_repository_is_worked_on(tmp_path: Path, project: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(project), "bare.git")
    before = as_left(tmp_path / "bare.git")

    assert land(plain(tmp_path, tmp_path / "bare.git")).what == Publication.DONE
    assert as_left(tmp_path / "bare.git") == before


def test_a_bare_repository_without_a_commit_is_refused(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "bare.git")

    with pytest.raises(RepositoryUnusable, match="bare and has no commit"):
        plain(tmp_path, tmp_path / "bare.git")


@pytest.mark.parametrize("with_git", [True, False])
def test_a_folder_without_a_commit_begins_with_a_snapshot(tmp_path: Path, with_git: bool) -> None:
    project = tmp_path / "project"
    write(
        project, {"app.py": "1", ".gitignore": "build/\n", "build/out": "x", ".workflow/lifecycle.db": "ours"}
    )
    if with_git:
        git(project, "init", "-q", "-b", "main")
    (project / "inner").mkdir()
    git(project / "inner", "init", "-q")
    write(project, {"inner/file": "1"})

    tree = plain(tmp_path, project)

    assert (tree.base.origin, tree.base.nested) == ("snapshot", ("inner",))
    assert tree.names(tree.base.commit) == [".gitignore", "app.py"]
    assert land(tree).what == Publication.NOWHERE
    assert (project / "inner" / ".git" / "HEAD").exists()


def test_hooks_and_signing_of_the_users_do_not_run(tmp_path: Path, project: Path) -> None:
    for name in ("pre-commit", "reference-transaction", "post-checkout", "post-index-change"):
        hook = project / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n")
        hook.chmod(0o755)
    git(project, "config", "commit.gpgSign", "true")
    before = as_left(project)

    assert land(plain(tmp_path, project)).what == Publication.DONE
    assert not (tmp_path / "ran").exists() and as_left(project) == before


def test_filters_are_programs_and_pointers_stay_as_they_are(tmp_path: Path, project: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n"
    write(project, {".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "a.bin": pointer})
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "Large")
    for name in ("clean", "smudge", "process"):
        git(project, "config", f"filter.lfs.{name}", f"touch {tmp_path}/ran")
    git(project, "config", "filter.lfs.required", "true")

    tree = plain(tmp_path, project)

    assert (tree.work / "a.bin").read_text() == pointer and not tree.candidate().changes
    assert land(tree).what == Publication.DONE and not (tmp_path / "ran").exists()


def with_submodule(tmp_path: Path, project: Path) -> Path:
    inner = repository(tmp_path / "inner", {"inner.py": "inner = 1\n"})
    git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "deps/inner")
    git(project, "commit", "-q", "-m", "Depend")
    return project


def test_submodules_are_filled_from_the_users_objects_and_changes_below_are_flagged(
    tmp_path: Path, project: Path
) -> None:
    tree = plain(tmp_path, with_submodule(tmp_path, project))
    before = as_left(project)

    assert (tree.work / "deps/inner/inner.py").read_text() == "inner = 1\n" and not tree.empty
    found = tree.candidate()
    assert not found.changes and not found.flags
    write(tree.work, {"deps/inner/inner.py": "inner = 2\n"})
    found = tree.candidate()
    assert not found.changes and flags(found) == {("submodule", "deps/inner")}
    write(tree.work, {"deps/inner/inner.py": "inner = 1\n"})
    git(tree.work / "deps/inner", "init", "-q")
    assert flags(tree.candidate()) == {("nested", "deps/inner/.git")}
    assert land(tree).what == Publication.DONE and as_left(project) == before


def plant(folder: Path, tmp_path: Path) -> None:
    """A repository that leaves a file where git asks it what has changed there."""
    git(folder, "init", "-q")
    git(folder, "fetch", "-q", str(tmp_path / "inner"), "main")
    git(folder, "reset", "-q", "FETCH_HEAD")
    git(folder, "config", "filter.planted.clean", f"sh -c 'touch {tmp_path}/ran; cat'")
    write(folder, {".gitattributes": "* filter=planted\n", "inner.py": "inner = 2\n"})


def test_a_repository_in_a_submodules_place_is_not_asked_beside_the_agent(
    tmp_path: Path, project: Path
) -> None:
    tree = plain(tmp_path, with_submodule(tmp_path, project))
    plant(tree.work / "deps/inner", tmp_path)
    os.utime(tree.checkout.index, (1, 1))  # git looks anew at what is as old as that

    settle(tree.checkout.git(tree.store))

    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("kept", [False, True], ids=["gone", "moved"])
def test_a_link_above_a_submodule_is_flagged(tmp_path: Path, project: Path, kept: bool) -> None:
    tree = plain(tmp_path, with_submodule(tmp_path, project))
    (tree.work / "deps").rename(tree.work / "elsewhere")
    (tree.work / "deps").symlink_to("elsewhere" if kept else "nowhere")

    assert ("submodule", "deps/inner") in flags(tree.candidate())


@pytest.mark.parametrize("late", [False, True], ids=["before", "during"])
def test_a_repository_in_a_submodules_place_is_never_asked(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    """Git asks it what has changed there, with its configuration: a filter would run as we do.

    `late`: what an agent left running plants it when we have looked for such.
    """
    tree = plain(tmp_path, with_submodule(tmp_path, project))
    inner = tree.work / "deps/inner"

    def looked(top: Path) -> Scan:
        found = scan(top)
        plant(inner, tmp_path)
        return found

    if late:
        monkeypatch.setattr(candidates, "scan", looked)
    else:
        plant(inner, tmp_path)

    found = tree.candidate()

    assert ("submodule", "deps/inner") in flags(found) and not (tmp_path / "ran").exists()


def test_a_submodule_without_its_data_is_an_empty_folder_that_is_told(tmp_path: Path, project: Path) -> None:
    with_submodule(tmp_path, project)
    git(tmp_path, "clone", "-q", str(project), "clone")

    tree = plain(tmp_path, tmp_path / "clone")

    assert [module.path for module in tree.empty] == [b"deps/inner"]
    assert list((tree.work / "deps/inner").iterdir()) == [] and not tree.candidate().flags
    write(tree.work, {"deps/inner/own.py": "1"})
    assert flags(tree.candidate()) == {("submodule", "deps/inner")}


def test_a_submodule_whose_repository_was_deleted_keeps_its_commit(tmp_path: Path, project: Path) -> None:
    with_submodule(tmp_path, project)
    shutil.rmtree(project / ".git" / "modules")
    write(project, {"new.py": "new = 1\n"})
    before = as_left(project)

    tree = plain(tmp_path, project, include_dirty=True)

    assert "new.py" in tree.names(tree.base.commit)
    assert git(tree.store.path, "rev-parse", f"{tree.base.commit}:deps/inner") == git(
        project, "rev-parse", "HEAD:deps/inner"
    )
    assert [module.path for module in tree.empty] == [b"deps/inner"]
    assert as_left(project) == before


def test_a_removed_submodule_is_flagged(tmp_path: Path, project: Path) -> None:
    tree = plain(tmp_path, with_submodule(tmp_path, project))
    shutil.rmtree(tree.work / "deps")

    found = tree.candidate()
    assert not found.changes and flags(found) == {("submodule", "deps/inner")}
    write(tree.work, {"deps/inner": "a file\n"})
    assert ("submodule", "deps/inner") in flags(tree.candidate())


def test_a_submodule_left_out_by_a_sparse_checkout_is_none_removed(tmp_path: Path, project: Path) -> None:
    with_submodule(tmp_path, project)
    git(project, "sparse-checkout", "set", "--cone", "lib")

    tree = plain(tmp_path, project)

    assert not (tree.work / "deps").exists()
    found = tree.candidate()
    assert not found.changes and not found.flags


@pytest.mark.parametrize("cone", ["--cone", "--no-cone"])
def test_a_sparse_checkout_is_sparse_in_the_tree_and_loses_nothing(
    tmp_path: Path, project: Path, cone: str
) -> None:
    write(project, {"far/away.py": "1", "far/off.py": "2"})
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "Grow")
    git(project, "sparse-checkout", "set", cone, "lib")
    before = as_left(project)

    tree = plain(tmp_path, project)

    assert tree.base.left_out == 0 and not (tree.work / "far").exists()
    assert (tree.work / "lib/tool.py").exists() and not tree.candidate().changes
    assert git(tree.work, "status", "--porcelain") == ""
    write(tree.work, {"far/new.py": "3"})
    found = tree.candidate()
    assert [change.path for change in found.changes] == [b"far/new.py"]
    assert "far/away.py" in tree.names(found.tree)
    assert land(tree).what == Publication.DONE and as_left(project) == before


def grow(project: Path, count: int = 3) -> None:
    for number in range(count):
        write(project, {"app.py": f"print({number + 10})\n"})
        git(project, "commit", "-q", "-am", f"Step {number}")


def test_a_shallow_clone_is_worked_on(tmp_path: Path, project: Path) -> None:
    grow(project)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{project}", "clone")
    before = as_left(tmp_path / "clone")

    tree = plain(tmp_path, tmp_path / "clone")

    assert tree.store.has(tree.base.commit) and land(tree).what == Publication.DONE
    assert git(tree.work, "log", "--format=%s") == "Step 2"
    assert as_left(tmp_path / "clone") == before


def partial(tmp_path: Path, project: Path, *words: str) -> Path:
    grow(project)
    git(project, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", *words, f"file://{project}", "clone")
    return tmp_path / "clone"


def test_a_partial_clone_that_has_its_newest_commit_is_worked_on(tmp_path: Path, project: Path) -> None:
    clone = partial(tmp_path, project)
    before = as_left(clone)

    tree = plain(tmp_path, clone)

    assert (tree.work / "app.py").read_text() == "print(12)\n"
    assert tree.store.has(tree.base.commit) and land(tree).what == Publication.DONE
    assert as_left(clone) == before


def test_a_partial_clone_that_lacks_files_of_its_newest_commit_is_refused_with_the_fix(
    tmp_path: Path, project: Path
) -> None:
    clone = partial(tmp_path, project, "--no-checkout")

    with pytest.raises(RepositoryUnusable, match="lacks files") as refused:
        plain(tmp_path, clone)

    assert "--refetch" in refused.value.fix
    git(clone, "fetch", "-q", "--refetch", "--no-filter")
    assert create_store(clone / ".workflow", "TLS-later", clone).session == "TLS-later"
    store = create_store(clone / ".workflow", "TLS-plain", clone)
    assert fix_base(store, clone, NOON).commit == git(clone, "rev-parse", "HEAD")


def test_a_repository_with_sha256_is_worked_on(tmp_path: Path) -> None:
    project = repository(tmp_path / "project", None, "--object-format=sha256")
    before = as_left(project)

    tree = plain(tmp_path, project)

    assert len(tree.base.commit) == 64 and land(tree).what == Publication.DONE
    assert as_left(project) == before


def test_packed_refs_and_packed_objects_are_read(tmp_path: Path, project: Path) -> None:
    grow(project)
    git(project, "gc", "-q")

    assert land(plain(tmp_path, project)).what == Publication.DONE


def test_the_base_survives_a_rewritten_history_and_garbage_collection(tmp_path: Path, project: Path) -> None:
    grow(project)
    tree = plain(tmp_path, project)
    git(project, "checkout", "-q", "--orphan", "fresh")
    git(project, "commit", "-q", "-m", "Rewritten")
    git(project, "branch", "-q", "-D", "main")
    git(project, "reflog", "expire", "--expire=now", "--all")
    git(project, "gc", "-q", "--prune=now")

    assert tree.store.has(tree.base.commit) and land(tree).what == Publication.DONE


def test_a_moved_project_is_borrowed_from_at_its_new_place(tmp_path: Path, project: Path) -> None:
    tree = plain(tmp_path, project)
    write(tree.work, {"landed.py": "x = 1\n"})
    commit = tree.candidate().commit
    project.rename(tmp_path / "moved")

    store = open_store(tmp_path / "moved" / ".workflow", "TLS-plain", tmp_path / "moved")

    assert store.has(commit)
    assert publish(store, commit, None, tree.base.commit).what == Publication.DONE


def test_a_repository_that_is_gone_is_told(tmp_path: Path, project: Path) -> None:
    plain(tmp_path, project)
    shutil.rmtree(project / ".git")

    with pytest.raises(RepositoryUnusable, match="is gone"):
        open_store(project / ".workflow", "TLS-plain", project)


def test_a_base_whose_pin_was_removed_and_that_git_has_deleted_is_told(tmp_path: Path, project: Path) -> None:
    tree = plain(tmp_path, project)
    git(project, "checkout", "-q", "--orphan", "fresh")
    git(project, "commit", "-q", "-m", "Rewritten")
    git(project, "branch", "-q", "-D", "main")
    git(project, "update-ref", "-d", "refs/lifecycle/TLS-plain/base")
    git(project, "reflog", "expire", "--expire=now", "--all")
    git(project, "gc", "-q", "--prune=now")

    with pytest.raises(RepositoryUnusable, match="builds on is gone") as refused:
        open_store(project / ".workflow", "TLS-plain", project)

    assert (
        tree.base.commit in refused.value.why and f"git fetch REMOTE {tree.base.commit}" in refused.value.fix
    )


def test_a_damaged_head_is_an_error_and_no_empty_repository(tmp_path: Path, project: Path) -> None:
    commit = git(project, "rev-parse", "HEAD")
    (project / ".git" / "objects" / commit[:2] / commit[2:]).unlink()

    with pytest.raises(GitError):
        plain(tmp_path, project)


def test_names_that_collide_on_a_file_system_are_listed() -> None:
    with pytest.raises(RepositoryUnusable) as refused:
        refuse_twins([b"README", b"Readme", b"src/a", b"SRC/b", b"other"])

    assert "Readme" in refused.value.why and "other" not in refused.value.why


@pytest.mark.parametrize("name", ["with space", "quote'd", "caf\udce9", "-dash", "${HOME}", "colon:path"])
def test_a_projects_path_may_have_any_name(tmp_path: Path, name: str) -> None:
    assert land(plain(tmp_path, repository(tmp_path / name))).what == Publication.DONE


def test_names_that_are_not_utf8_are_checked_out_and_land(tmp_path: Path) -> None:
    project = repository(tmp_path / "project", {"caf\udce9/\udcff.py": "x"})

    tree = plain(tmp_path, project)

    assert (tree.work / "caf\udce9" / "\udcff.py").exists() and not tree.candidate().changes
    assert land(tree).what == Publication.DONE


def test_variables_of_a_hook_that_calls_us_do_not_reach_git(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other")
    for name, value in {
        "GIT_DIR": other / ".git",
        "GIT_WORK_TREE": other,
        "GIT_INDEX_FILE": other / ".git" / "index",
        "GIT_OBJECT_DIRECTORY": other / ".git" / "objects",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": f"touch {tmp_path}/ran",
    }.items():
        monkeypatch.setenv(name, str(value))
    before = as_left(other)

    assert land(plain(tmp_path, project)).what == Publication.DONE
    assert as_left(other) == before and not (tmp_path / "ran").exists()


def test_settings_that_lead_a_fetch_elsewhere_do_not_get_there(tmp_path: Path, project: Path) -> None:
    git(project, "config", f"url.{tmp_path}/nowhere.insteadOf", str(project))
    git(project, "config", "fetch.prune", "true")
    git(project, "config", "remote.pushDefault", "x")
    before = as_left(project)

    with pytest.raises(GitError):
        land(plain(tmp_path, project))
    assert as_left(project) == before


def test_a_command_that_takes_too_long_is_stopped_with_all_of_its_group(tmp_path: Path) -> None:
    git_ = Git(None, cwd=tmp_path, config=("alias.hang=!echo $$ > pid; sleep 600",), seconds=0.5)

    with pytest.raises(GitTimedOut, match="git hang"):
        git_.run("hang")

    pid = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.timeout(60)
def test_a_command_is_stopped_with_all_of_its_group_when_it_is_said_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pid")
    stop, stopping = os.pipe()
    git_ = Git(None, cwd=tmp_path, config=("alias.hang=!echo $$ > pid; sleep 600",))

    def stop_it() -> int:
        pid = int((tmp_path / "pid").read_text())  # waits until it runs
        os.write(stopping, b".")
        return pid

    with ThreadPoolExecutor(1) as other:
        hanging = other.submit(stop_it)
        with pytest.raises(GitError, match="git hang") as failed:
            git_.run("hang", stop=stop)

    assert failed.value.why == "it was stopped"
    with pytest.raises(ProcessLookupError):
        os.kill(hanging.result(), 0)
    os.close(stop)
    os.close(stopping)


def test_output_without_end_is_stopped(tmp_path: Path) -> None:
    git_ = Git(None, cwd=tmp_path, config=("alias.flood=!yes",), output_bytes=1 << 20)

    with pytest.raises(GitOutputTooLarge):
        git_.run("flood")


def test_a_failed_command_is_named_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="`git rev-parse") as failed:
        Git(None, cwd=tmp_path).run("rev-parse", "HEAD")

    assert "not a git repository" in failed.value.why


def test_a_folder_that_is_no_repository_has_none(tmp_path: Path) -> None:
    assert find_repository(tmp_path) is None
    subprocess.run(["git", "init", "-q", tmp_path / "a"], env=GIT, check=True)
    (tmp_path / "a" / "b").mkdir()
    found = find_repository(tmp_path / "a" / "b")
    assert found is not None and found.top == tmp_path / "a" and found.head() is None


def test_tasks_that_begin_side_by_side_choose_one_base(tmp_path: Path) -> None:
    project = repository(tmp_path / "p", {"a.py": "a = 1\n"})
    (project / "a.py").write_text("a = 2\n")
    store = create_store(tmp_path / "workflow", "S-1", project)
    together = threading.Barrier(4)

    def begin(number: int) -> str:
        together.wait()
        return fix_base(store, project, NOON + number * 1_000_000, include_dirty=True).commit

    with ThreadPoolExecutor(4) as threads:
        chosen = set(threads.map(begin, range(4)))

    assert len(chosen) == 1
    assert git(store.path, "show", f"{chosen.pop()}:a.py") == "a = 2"
