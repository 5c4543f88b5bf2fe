"""`apply`: the session's work in what the user has checked out, or nothing changed at all."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from orchestrator.domain.errors import GitError, GitMissing, NotAllowedNow
from tests.git_world import GIT, World, as_left, git, repository, world, write
from workers.git.applying import Applied, apply, patch_of
from workers.git.rebasing import users_branch
from workers.git.session_work import SessionWork

LINES = "".join(f"line {number}\n" for number in range(30))
START = {"app.py": LINES, "lib/tool.py": "x = 1\n", ".gitignore": ".workflow/\nignored.py\n"}
WORK: dict[str, str | bytes] = {"app.py": LINES.replace("line 3\n", "line three\n"), "new.py": "new = 1\n"}


@pytest.fixture(autouse=True)
def _as_ann(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own git is that of a person without any configuration."""
    for name, value in GIT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def here(tmp_path: Path) -> World:
    return world(tmp_path, repository(tmp_path / "project", START))


def landed(
    here: World, files: dict[str, str | bytes] | None = None, gone: tuple[str, ...] = ()
) -> SessionWork:
    """The session's work with one commit that writes these files."""
    work = here.begin()
    run = here.claim()
    tree = work.open_tree(run, 0)
    write(tree.checkout.work, WORK if files is None else files)
    for name in gone:
        (tree.checkout.work / name).unlink()
    here.land(work, run, tree)
    return work


def applied(here: World, work: SessionWork, *, squash: bool = False) -> Applied:
    return apply(work, here.folder, squash=squash, umask=0o022)


def state(folder: Path) -> tuple[str, ...]:
    """What the user sees: the branch, its commit, what is staged, what is changed."""
    return (
        git(folder, "rev-parse", "HEAD"),
        git(folder, "ls-files", "-s"),
        git(folder, "status", "--porcelain", "--ignored"),
        git(folder, "stash", "list"),
    )


def hook(folder: Path, name: str, body: str) -> None:
    file = folder / ".git" / "hooks" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)


def test_a_branch_that_has_not_moved_gets_exactly_the_sessions_tree(
    here: World, capfd: pytest.CaptureFixture[str]
) -> None:
    work = landed(here)

    done = applied(here, work)

    said = capfd.readouterr()
    assert "option ignored" not in said.out + said.err
    assert (done.what, done.commit) == ("fast_forwarded", work.row().head)
    assert git(here.folder, "status", "--porcelain") == ""
    assert (here.folder / "new.py").read_text() == "new = 1\n"
    assert stat.S_IMODE((here.folder / "new.py").stat().st_mode) == 0o644
    assert sorted(done.paths) == [b"app.py", b"new.py"]


def test_a_branch_that_has_moved_gets_a_merge_by_the_users_own_git(here: World) -> None:
    work = landed(here)
    write(here.folder, {"lib/tool.py": "x = 2\n"})
    git(here.folder, "commit", "-qam", "Mine")
    before = git(here.folder, "rev-parse", "HEAD")
    hook(here.folder, "pre-merge-commit", "touch hook-ran")

    done = applied(here, work)

    assert done.what == "merged" and done.before == before
    assert git(here.folder, "log", "-1", "--format=%P %an").split() == [before, work.row().head, "ann"]
    assert here.session in git(here.folder, "log", "-1", "--format=%B")
    assert (here.folder / "hook-ran").exists()
    assert applied(here, work).what == "already"


def test_a_rebase_of_what_was_fast_forwarded_says_that_it_is_applied(here: World) -> None:
    work = landed(here)
    applied(here, work)

    with pytest.raises(NotAllowedNow, match=r"has everything of .* already") as refused:
        users_branch(work)

    assert "lifecycle apply" not in refused.value.fix


def test_squash_makes_one_commit_with_the_headings_of_its_message(here: World) -> None:
    work = landed(here)
    before = git(here.folder, "rev-parse", "HEAD")

    done = applied(here, work, squash=True)

    assert git(here.folder, "log", "-1", "--format=%P") == before
    assert git(here.folder, "rev-parse", "HEAD^{tree}") == work.private.tree_of(work.row().head)
    message = git(here.folder, "log", "-1", "--format=%B")
    assert (
        message.startswith("Build a tool\n\n- IMPL-001\n") and f"Lifecycle-Session: {here.session}" in message
    )
    assert done.what == "squashed" and git(here.folder, "status", "--porcelain") == ""
    assert [applied(here, work, squash=again).what for again in (False, True)] == ["already", "already"]
    assert git(here.folder, "rev-parse", "HEAD") == done.commit


@pytest.mark.long
def test_a_detached_head_is_moved_and_no_branch(here: World) -> None:
    work = landed(here)
    git(here.folder, "checkout", "-q", "--detach")
    main = git(here.folder, "rev-parse", "main")

    done = applied(here, work).as_json()

    assert git(here.folder, "rev-parse", "HEAD") == work.row().head
    assert git(here.folder, "rev-parse", "main") == main
    assert (done["branch"], done["keep"]) == (None, "git switch -c NAME")
    assert applied(here, work).as_json()["keep"] == done["keep"]


def test_what_was_applied_names_the_branch_that_has_it(here: World) -> None:
    done = applied(here, landed(here)).as_json()

    assert (done["branch"], done["keep"]) == ("main", None)


@pytest.mark.long
def test_a_branch_of_the_session_that_is_checked_out_gets_what_has_landed_since(here: World) -> None:
    work = landed(here)
    git(here.folder, "switch", "-q", f"lifecycle/{here.session}")
    run = here.claim()
    tree = work.open_tree(run, 1)
    write(tree.checkout.work, {"second.py": "2\n"})
    here.land(work, run, tree)

    applied(here, work)

    assert git(here.folder, "rev-parse", "HEAD") == work.row().head
    assert (here.folder / "second.py").exists()


def conflict(here: World) -> None:
    write(here.folder, {"app.py": LINES.replace("line 3\n", "line 3 of mine\n")})
    git(here.folder, "commit", "-qam", "Mine")


def dirty(here: World) -> None:
    write(here.folder, {"app.py": LINES + "mine\n"})


def staged_elsewhere(here: World) -> None:
    git(here.folder, "commit", "-q", "--allow-empty", "-m", "Mine")
    staged_before_a_fast_forward(here)


def staged_before_a_fast_forward(here: World) -> None:
    write(here.folder, {"lib/tool.py": "x = 3\n"})
    git(here.folder, "add", "lib/tool.py")


def untracked(here: World) -> None:
    write(here.folder, {"new.py": "mine\n"})


def ignored(here: World) -> None:
    write(here.folder, {"ignored.py": "mine\n"})


def merging(here: World) -> None:
    git(here.folder, "switch", "-q", "-c", "other")
    write(here.folder, {"lib/tool.py": "x = 5\n"})
    git(here.folder, "commit", "-qam", "Other")
    git(here.folder, "switch", "-q", "main")
    git(here.folder, "merge", "-q", "--no-ff", "--no-commit", "other")


def unborn(here: World) -> None:
    git(here.folder, "checkout", "-q", "--orphan", "empty")


def locked_index(here: World) -> None:
    (here.folder / ".git" / "index.lock").touch()


def locked_branch(here: World) -> None:
    (here.folder / ".git" / "refs" / "heads" / "main.lock").touch()


def bisecting(here: World) -> None:
    git(here.folder, "bisect", "start")


def unrelated(here: World) -> None:
    git(here.folder, "checkout", "-q", "--orphan", "other")
    git(here.folder, "commit", "-q", "-m", "Another beginning")


REFUSED = {
    "conflict": (conflict, "app.py"),
    "dirty": (dirty, "app.py"),
    "staged": (staged_elsewhere, "lib/tool.py"),
    "staged, fast-forward": (staged_before_a_fast_forward, "lib/tool.py"),
    "untracked": (untracked, "new.py"),
    "ignored": (ignored, "ignored.py"),
    "merging": (merging, "MERGE_HEAD"),
    "unborn": (unborn, "another one"),
    "locked index": (locked_index, "index.lock is there"),
    "locked branch": (locked_branch, "main.lock is there"),
    "bisecting": (bisecting, "BISECT_LOG"),
    "unrelated": (unrelated, "your branch does not have"),
}


@pytest.mark.parametrize("case", ["conflict", "dirty", "ignored"])
def test_what_is_in_the_way_is_named_and_nothing_is_touched(here: World, case: str) -> None:
    refuses(here, case)


@pytest.mark.long
@pytest.mark.parametrize("case", sorted({*REFUSED} - {"conflict", "dirty", "ignored"}))
def test_whatever_else_is_in_the_way_is_named_too(here: World, case: str) -> None:
    refuses(here, case)


def refuses(here: World, case: str) -> None:
    prepare, named = REFUSED[case]
    work = landed(here, {**WORK, "ignored.py": "theirs\n"} if case == "ignored" else None)
    if case == "ignored":
        assert "ignored.py" not in git(here.folder, "ls-tree", "-r", "--name-only", work.row().head)
        work = forced(here, work)
    prepare(here)
    before = as_left(here.folder)

    with pytest.raises(NotAllowedNow) as refused:
        applied(here, work)

    assert named in refused.value.why and refused.value.fix
    assert as_left(here.folder) == before


def test_a_repository_of_another_user_is_refused_with_the_way_on(
    here: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = landed(here)
    before = as_left(here.folder)
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")

    with pytest.raises(NotAllowedNow, match="belongs to another user") as refused:
        applied(here, work)

    monkeypatch.undo()
    assert f"safe.directory {here.folder}" in refused.value.fix
    assert as_left(here.folder) == before


def test_a_git_that_is_too_old_where_the_user_is_changes_nothing(
    here: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = landed(here)
    before = as_left(here.folder)
    old = tmp_path / "old" / "git"
    old.parent.mkdir()
    real = shutil.which("git")
    old.write_text(
        f'#!/bin/sh\nfor each; do last="$each"; done\n'
        f'[ "$last" = version ] && echo "git version 2.30.2" && exit\nexec {real} "$@"\n'
    )
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:{os.environ['PATH']}")

    with pytest.raises(GitMissing) as refused:
        applied(here, work)

    assert "2.30.2" in refused.value.why and "2.38" in refused.value.fix
    assert as_left(here.folder) == before


def forced(here: World, work: SessionWork) -> SessionWork:
    """The work with a commit that tracks a file which the user's .gitignore hides."""
    run = here.claim()
    tree = work.open_tree(run, 1)
    write(tree.checkout.work, {".gitignore": ".workflow/\n", "ignored.py": "theirs\n"})
    here.land(work, run, tree)
    return work


def test_uncommitted_changes_elsewhere_stay(here: World) -> None:
    work = landed(here)
    write(here.folder, {"lib/tool.py": "x = 3\n", "notes.txt": "mine\n"})

    applied(here, work)

    assert git(here.folder, "rev-parse", "HEAD") == work.row().head
    assert git(here.folder, "status", "--porcelain").split() == ["M", "lib/tool.py", "??", "notes.txt"]


@pytest.mark.parametrize(
    "squash", [False, pytest.param(True, marks=pytest.mark.long)], ids=["merge", "squash"]
)
def test_a_hook_that_refuses_leaves_everything_as_it_was(here: World, squash: bool) -> None:
    work = landed(here)
    git(here.folder, "commit", "-q", "--allow-empty", "-m", "Mine")
    write(here.folder, {"lib/tool.py": "x = 3\n"})
    hook(here.folder, "commit-msg", "exit 1")
    before = state(here.folder)

    with pytest.raises(GitError, match="everything is as it was"):
        applied(here, work, squash=squash)

    assert state(here.folder) == before
    assert not (here.folder / ".git" / "MERGE_HEAD").exists()
    assert not (here.folder / ".git" / "SQUASH_MSG").exists()


@pytest.mark.long
def test_a_signature_that_fails_leaves_everything_as_it_was(here: World) -> None:
    work = landed(here)
    git(here.folder, "commit", "-q", "--allow-empty", "-m", "Mine")
    git(here.folder, "config", "commit.gpgSign", "true")
    git(here.folder, "config", "gpg.program", "false")
    before = state(here.folder)

    for squash in (False, True):
        with pytest.raises(GitError, match="everything is as it was"):
            applied(here, work, squash=squash)
        assert state(here.folder) == before


@pytest.mark.long
def test_an_inherited_repository_is_not_taken_for_the_users(
    here: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = landed(here)
    other = repository(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", os.fspath(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", os.fspath(other / ".git" / "index"))

    applied(here, work)

    monkeypatch.undo()
    assert git(here.folder, "rev-parse", "HEAD") == work.row().head


def test_a_patch_brings_the_same_tree_and_touches_nothing(here: World, tmp_path: Path) -> None:
    work = landed(here, {**WORK, "raw.bin": bytes(range(256))}, gone=("lib/tool.py",))
    before = as_left(here.folder)

    body = patch_of(work)

    assert as_left(here.folder) == before
    git(tmp_path, "clone", "-q", os.fspath(here.folder), "clone")
    git(tmp_path / "clone", "apply", "--index", stdin=body)
    assert git(tmp_path / "clone", "write-tree") == work.private.tree_of(work.row().head)


def test_without_a_landed_commit_there_is_nothing_to_apply(here: World) -> None:
    with pytest.raises(NotAllowedNow, match="no work to apply"):
        applied(here, here.begin())


@pytest.fixture
def plain_folder(tmp_path: Path) -> World:
    """A project that is no repository."""
    write(
        tmp_path / "project", {"app.py": LINES, "old.py": "old\n", "deep/er/gone.py": "gone\n", "keep": "k\n"}
    )
    return world(tmp_path, tmp_path / "project")


def test_files_are_written_where_there_is_no_commit(plain_folder: World) -> None:
    work = landed(plain_folder, {**WORK, "sub/run.sh": "#!/bin/sh\n"}, gone=("old.py", "deep/er/gone.py"))

    done = applied(plain_folder, work)

    folder = plain_folder.folder
    assert done.what == "written" and len(done.paths) == 5
    assert "line three" in (folder / "app.py").read_text() and (folder / "sub" / "run.sh").exists()
    assert not (folder / "old.py").exists() and not (folder / "deep").exists()
    assert stat.S_IMODE((folder / "new.py").stat().st_mode) == 0o644
    assert (folder / "keep").read_text() == "k\n"
    assert applied(plain_folder, work).what == "already"


@pytest.mark.parametrize("name", ["app.py", pytest.param("new.py", marks=pytest.mark.long)])
def test_a_file_that_was_changed_since_keeps_all_from_being_written(plain_folder: World, name: str) -> None:
    work = landed(plain_folder)
    write(plain_folder.folder, {name: "mine\n"})
    before = {path: path.read_bytes() for path in plain_folder.folder.glob("*.py")}

    with pytest.raises(NotAllowedNow, match="changed since") as refused:
        applied(plain_folder, work)

    assert refused.value.why == name
    assert {path: path.read_bytes() for path in plain_folder.folder.glob("*.py")} == before


@pytest.mark.long
def test_a_folder_that_became_a_link_is_not_followed(plain_folder: World, tmp_path: Path) -> None:
    work = landed(plain_folder, {"deep/er/new.py": "1\n"})
    outside = tmp_path / "outside"
    (plain_folder.folder / "deep").rename(outside)
    (plain_folder.folder / "deep").symlink_to(outside)

    with pytest.raises(NotAllowedNow):
        applied(plain_folder, work)

    assert not (outside / "er" / "new.py").exists()


@pytest.mark.long
def test_a_write_that_was_cut_off_is_finished_by_the_next_call(plain_folder: World) -> None:
    work = landed(plain_folder)
    write(plain_folder.folder, {"new.py": "new = 1\n"})

    done = applied(plain_folder, work)

    assert b"app.py" in done.paths
    assert "line three" in (plain_folder.folder / "app.py").read_text()


@pytest.mark.long
def test_a_linked_work_tree_gets_the_work_and_the_main_one_stays(tmp_path: Path) -> None:
    main = repository(tmp_path / "main", START)
    git(main, "worktree", "add", "-q", "-b", "side", os.fspath(tmp_path / "linked"))
    here = world(tmp_path, tmp_path / "linked")
    work = landed(here)
    before = state(main)

    applied(here, work)

    assert git(here.folder, "rev-parse", "side") == work.row().head
    assert (here.folder / "new.py").exists() and state(main) == before


@pytest.mark.long
def test_a_project_in_a_folder_of_the_repository_gets_the_whole_work(tmp_path: Path) -> None:
    top = repository(tmp_path / "top", {f"part/{name}": body for name, body in START.items()})
    here = world(tmp_path, top / "part")
    work = landed(here, {"part/new.py": "1\n", "beside.py": "2\n"})
    write(top, {"beside.py": "mine\n"})

    with pytest.raises(NotAllowedNow, match="in the way") as refused:
        applied(here, work)
    (top / "beside.py").unlink()
    applied(here, work)

    assert refused.value.why == "beside.py"
    assert git(top, "rev-parse", "HEAD") == work.row().head and (top / "beside.py").read_text() == "2\n"


@pytest.mark.long
def test_names_that_are_no_text_are_shown_escaped(here: World) -> None:
    name = os.fsdecode(b"caf\xe9\x1b[31m.py")
    work = landed(here, {name: "1\n"})
    write(here.folder, {name: "mine\n"})

    with pytest.raises(NotAllowedNow) as refused:
        applied(here, work)

    assert "\x1b" not in refused.value.why and "caf\\xe9" in refused.value.why
