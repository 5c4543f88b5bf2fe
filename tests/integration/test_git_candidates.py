"""What an agent leaves in its tree becomes a commit of ours, whatever it did to its .git or planted there."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.domain.errors import TreeError
from orchestrator.store.deletion import remove_folder
from tests.git_world import GIT, NOON, Plain, as_left, flags, git, plain, repository, write
from workers.git import candidates
from workers.git.candidates import make_candidate, take_snapshot
from workers.git.publishing import Publication, publish


def nest(folder: Path, depth: int) -> None:
    """Folders within folders, deeper than a path can follow, with a file at the end."""
    within = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=within)
        below = os.open("d", os.O_RDONLY, dir_fd=within)
        os.close(within)
        within = below
    os.close(os.open("end", os.O_CREAT | os.O_WRONLY, dir_fd=within))
    os.close(within)


WINDOWS = "one\r\ntwo\r\n"


@pytest.fixture
def tree(tmp_path: Path) -> Plain:
    return plain(tmp_path, repository(tmp_path / "project"))


def test_an_untouched_tree_is_its_base(tree: Plain) -> None:
    snapshot = take_snapshot(tree.store, tree.checkout, tree.base.commit)

    assert snapshot.tree == tree.store.tree_of(tree.base.commit)
    assert not snapshot.changes and not snapshot.flags


@pytest.mark.parametrize(
    ("attributes", "body"),
    [
        ("* text\n", WINDOWS),
        ("* text=auto\n", WINDOWS),
        ("* text eol=crlf\n", "one\r\ntwo\nthree\r\n"),
        ("* ident\n", "$Id: something $\n"),
        ("* working-tree-encoding=UTF-16LE text\n", "one\n"),
        ("", WINDOWS),
    ],
)
def test_line_ends_in_the_base_change_nothing_when_every_file_is_touched(
    tmp_path: Path, attributes: str, body: str
) -> None:
    project = repository(tmp_path / "project", {"a.txt": body, "b.bin": b"\0\r\n"})
    blob = git(project, "hash-object", "-w", "--stdin", stdin=attributes.encode())
    git(project, "update-index", "--add", "--cacheinfo", f"100644,{blob},.gitattributes")
    git(project, "commit", "-q", "-m", "Convert")
    tree = plain(tmp_path, project)
    for path in tree.work.rglob("*.*"):
        if path.is_file() and ".git/" not in os.fspath(path):
            later = time.time() + 5
            os.utime(path, (later, later))

    snapshot = take_snapshot(tree.store, tree.checkout, tree.base.commit)

    assert snapshot.tree == tree.store.tree_of(tree.base.commit)


def test_a_real_change_of_a_file_with_windows_line_ends_counts(tmp_path: Path) -> None:
    project = repository(tmp_path / "project", {"a.txt": WINDOWS, "b.txt": WINDOWS})
    write(project, {".gitattributes": "* text\n"})
    git(project, "add", ".gitattributes")
    git(project, "commit", "-q", "-m", "Convert")
    tree = plain(tmp_path, project)
    write(tree.work, {"a.txt": WINDOWS + "three\r\n", "b.txt": WINDOWS})

    found = tree.candidate()

    assert [change.path for change in found.changes] == [b"a.txt"]


def commits(work: Path) -> None:
    write(work, {"done.py": "done = 1\n"})
    git(work, "add", "-A")
    git(work, "commit", "-q", "-m", "I commit", "--allow-empty")


def stashes(work: Path) -> None:
    write(work, {"app.py": "print(2)\n"})
    git(work, "stash")
    write(work, {"done.py": "done = 1\n"})


def rebases(work: Path) -> None:
    commits(work)
    git(work, "checkout", "-q", "--orphan", "other")
    git(work, "commit", "-q", "-m", "Mine", "--allow-empty")


def deletes(work: Path) -> None:
    shutil.rmtree(work / ".git")
    write(work, {"done.py": "done = 1\n"})


def replaces(work: Path) -> None:
    shutil.rmtree(work / ".git")
    (work / ".git").write_text("gitdir: /nowhere\n")
    write(work, {"done.py": "done = 1\n"})


def hides(work: Path) -> None:
    write(work, {"done.py": "done = 1\n"})
    (work / ".git" / "info").mkdir(exist_ok=True)
    (work / ".git" / "info" / "exclude").write_text("*\n")
    git(work, "update-index", "--assume-unchanged", "app.py")


@pytest.mark.parametrize("act", [commits, stashes, rebases, deletes, replaces, hides])
def test_what_an_agent_does_to_its_git_has_no_effect(tree: Plain, act: Callable[[Path], None]) -> None:
    before = as_left(tree.folder)
    act(tree.work)

    found = tree.candidate()

    assert [change.path for change in found.changes] == [b"done.py"]
    assert tree.store.tree_of(found.commit) == found.tree
    assert git(tree.store.path, "log", "-1", "--format=%P %an %s", found.commit) == (
        f"{tree.base.commit} lifecycle Do it"
    )
    assert as_left(tree.folder) == before


@pytest.mark.parametrize("name", ["-d", "--", ":(top)x", "[a]", "*"])
def test_new_files_in_folders_of_any_name_are_taken(tree: Plain, name: str) -> None:
    write(tree.work, {f"{name}/one.py": "1\n", f"{name}/in/two.py": "2\n"})

    assert {f"{name}/one.py", f"{name}/in/two.py"} <= set(tree.names(tree.candidate().tree))


@pytest.mark.parametrize("name", ["LIB/new.py", "lib/TOOL.py", "lib/Deep/new.py"])
def test_a_new_name_that_differs_in_case_alone_is_flagged_wherever_it_differs(tree: Plain, name: str) -> None:
    write(tree.work, {"lib/deep/old.py": "1\n", name: "2\n"})

    assert ("twin", name) in flags(tree.candidate())


def test_nested_repositories_are_moved_aside_and_their_files_taken(tree: Plain) -> None:
    for name in ("empty", "full", "deep/inner"):
        (tree.work / name).mkdir(parents=True)
        git(tree.work / name, "init", "-q")
    write(
        tree.work, {"empty/a": "1", "full/b": "2", "deep/inner/c": "3", "odd/.GIT/config": "x", "odd/d": "4"}
    )
    git(tree.work / "full", "add", "-A")
    git(tree.work / "full", "commit", "-q", "-m", "Inner")

    found = tree.candidate()

    assert set(tree.names(found.tree)) == {
        *("app.py", "lib/tool.py", "empty/a", "full/b", "deep/inner/c", "odd/d"),
    }
    assert {path for kind, path in flags(found) if kind == "nested"} == {
        *("empty/.git", "full/.git", "deep/inner/.git", "odd/.GIT"),
    }
    assert len(list(tree.checkout.aside.iterdir())) == 4


def head_is_a_fifo(work: Path) -> None:
    fifo(work / "sub" / ".git" / "HEAD")


def configuration_is_a_fifo(work: Path) -> None:
    write(work, {"sub/.git/HEAD": "ref: refs/heads/main\n"})
    fifo(work / "sub" / ".git" / "config")


def branch_is_a_fifo(work: Path) -> None:
    write(work, {"sub/.git/HEAD": "ref: refs/heads/main\n"})
    fifo(work / "sub" / ".git" / "refs" / "heads" / "main")


def repository_is_a_fifo(work: Path) -> None:
    fifo(work / "sub" / ".git")


def repository_lies_elsewhere(work: Path) -> None:
    fifo(work.parent / "elsewhere" / "HEAD")
    write(work, {"sub/.git": f"gitdir: {work.parent / 'elsewhere'}\n"})


def repository_is_a_link(work: Path) -> None:
    fifo(work.parent / "elsewhere" / "HEAD")
    (work / "sub").mkdir()
    (work / "sub" / ".git").symlink_to(work.parent / "elsewhere")


def file_became_a_repository(work: Path) -> None:
    (work / "app.py").unlink()
    fifo(work / "app.py" / ".git" / "HEAD")


def attributes_are_a_fifo(work: Path) -> None:
    fifo(work / ".gitattributes")


def inner_attributes_are_a_fifo(work: Path) -> None:
    fifo(work / "lib" / ".gitattributes")


def rules_are_a_fifo(work: Path) -> None:
    fifo(work / ".gitignore")


def modules_are_a_fifo(work: Path) -> None:
    fifo(work / ".gitmodules")


def linked_rules_are_a_fifo(work: Path) -> None:
    fifo(work.parent / "elsewhere" / "HEAD")
    for name in (".gitattributes", ".gitignore"):
        (work / name).symlink_to(work.parent / "elsewhere" / "HEAD")


def own_repository_is_a_fifo(work: Path) -> None:
    shutil.rmtree(work / ".git")
    fifo(work / ".git" / "HEAD")


def fifo(path: Path) -> None:
    """A FIFO that nobody writes to, with what git takes for a repository's around it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.name == "HEAD":
        for name in ("objects", "refs"):
            (path.parent / name).mkdir()
    os.mkfifo(path)


NESTED = {("nested", "sub/.git")}


@pytest.mark.timeout(60)  # git itself would wait for as long as it may run
@pytest.mark.parametrize(
    ("act", "flagged"),
    [
        (head_is_a_fifo, NESTED),
        (configuration_is_a_fifo, NESTED),
        (branch_is_a_fifo, NESTED),
        (repository_is_a_fifo, NESTED),
        (repository_lies_elsewhere, NESTED),
        (repository_is_a_link, NESTED),
        (file_became_a_repository, {("nested", "app.py/.git")}),
        (attributes_are_a_fifo, {("special", ".gitattributes")}),
        (inner_attributes_are_a_fifo, {("special", "lib/.gitattributes")}),
        (rules_are_a_fifo, {("special", ".gitignore")}),
        (modules_are_a_fifo, {("special", ".gitmodules")}),
        (linked_rules_are_a_fifo, {("link", ".gitattributes"), ("link", ".gitignore")}),
        (own_repository_is_a_fifo, set()),
    ],
)
def test_no_snapshot_waits_for_who_writes_to_a_fifo(
    tree: Plain, act: Callable[[Path], None], flagged: set[tuple[str, str]]
) -> None:
    write(tree.work, {"lib/tool.py": "x = 2\n", "lib/new.py": "1\n"})
    act(tree.work)

    found = tree.candidate()

    assert flags(found) == flagged
    assert {"lib/tool.py", "lib/new.py"} <= {os.fsdecode(change.path) for change in found.changes}
    again = take_snapshot(tree.store, tree.checkout, found.commit)
    assert again.tree == found.tree


def test_a_repository_that_cannot_be_moved_aside_is_said(tree: Plain) -> None:
    git(tree.work / "lib", "init", "-q")
    (tree.checkout.aside / "1" / "taken").mkdir(parents=True)

    with pytest.raises(TreeError, match="moved out of the tree"):
        tree.candidate()


def test_a_repository_behind_a_link_stays_where_it_is(tree: Plain) -> None:
    (tree.work / "lib").rename(tree.work / "before")  # while it was walked
    (tree.work / "lib").symlink_to(tree.folder)

    with pytest.raises(TreeError, match="moved out of the tree"):
        candidates._move_aside(tree.checkout, b"lib/.git")
    assert (tree.folder / ".git" / "HEAD").is_file()


def test_what_git_cannot_store_or_a_check_must_decide_on_is_flagged(tree: Plain, tmp_path: Path) -> None:
    os.mkfifo(tree.work / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(tree.work)
        listening.bind("socket")
        os.chdir(here)
    (tree.work / "out").symlink_to("../../owner.json")
    (tree.work / "root").symlink_to("/etc/passwd")
    (tree.work / "into").symlink_to(".git/config")
    (tree.work / "fine").symlink_to("lib/tool.py")
    write(
        tree.work,
        {"large.bin": b"x" * 10_000_001, "APP.py": "twin", "é": "1", "e\u0301": "2", "aux.c": "device"},
    )
    write(tree.work, {"LIB/other.py": "twin of a folder"})

    found = tree.candidate()

    assert flags(found) == {
        ("special", "pipe"),
        ("special", "socket"),
        ("link", "out"),
        ("link", "root"),
        ("link", "into"),
        ("large", "large.bin"),
        ("twin", "APP.py"),
        ("twin", "LIB/other.py"),
        ("twin", "é"),
        ("twin", "e\u0301"),
        ("name", "e\u0301"),
        ("name", "aux.c"),
    }
    assert "pipe" not in tree.names(found.tree) and "fine" in tree.names(found.tree)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_a_device_is_not_taken(tree: Plain) -> None:
    os.mknod(tree.work / "null", 0o600 | 0o020000, os.makedev(1, 3))

    assert flags(tree.candidate()) == {("special", "null")}


def test_a_folder_nested_deeper_than_a_path_can_follow_is_named_and_goes_with_its_tree(tree: Plain) -> None:
    nest(tree.work, 3_000)

    try:
        assert flags(tree.candidate()) == {("name", "d")}
    finally:
        remove_folder(tree.work)
    assert not tree.work.exists()


def test_names_that_are_not_utf8_and_with_line_breaks_are_taken(tree: Plain) -> None:
    names = [b"caf\xe9.py", b"two\nlines", b"-rf", b'quo"te', b"tab\tbed", b":(exclude)x", b" lead"]
    for name in names:
        (tree.work / os.fsdecode(name)).write_text("x")

    found = tree.candidate()

    assert {change.path for change in found.changes} == set(names)
    assert ("name", "caf\\xe9.py") in flags(found)
    again = take_snapshot(tree.store, tree.checkout, found.commit)
    assert again.tree == found.tree and not again.changes


def test_the_index_a_killed_snapshot_was_at_is_not_in_the_way_of_the_next(tree: Plain) -> None:
    write(tree.work, {"new.py": "1"})
    for name in ("index.next", "index.next.lock"):
        (tree.checkout.folder / name).write_bytes(b"half")

    found = tree.candidate()

    assert [(change.path, change.status) for change in found.changes] == [(b"new.py", "A")]
    assert not [path for path in tree.checkout.folder.iterdir() if path.name.startswith("index.next")]


def test_a_second_snapshot_sees_removals_renames_and_modes(tree: Plain) -> None:
    write(tree.work, {"new.py": "1"})
    first = tree.candidate()
    (tree.work / "new.py").rename(tree.work / "newer.py")
    (tree.work / "app.py").chmod(0o755)
    (tree.work / "lib" / "tool.py").unlink()

    second = tree.candidate()

    assert first.tree != second.tree
    assert {(change.path, change.status) for change in second.changes} == {
        (b"newer.py", "A"),
        (b"app.py", "M"),
        (b"lib/tool.py", "D"),
    }


def test_a_tree_that_is_not_ours_any_more_is_not_read(tree: Plain) -> None:
    (tree.checkout.folder / "owner.json").write_text('{"nonce": "other"}')

    with pytest.raises(TreeError):
        tree.candidate()


def test_a_work_tree_replaced_by_a_link_is_not_followed(tree: Plain) -> None:
    shutil.rmtree(tree.work)
    tree.work.symlink_to(tree.folder)

    with pytest.raises(TreeError):
        tree.candidate()


def test_a_file_that_cannot_be_read_is_an_error_that_names_it(
    tree: Plain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() == 0:  # root may read everything: git runs without that right
        program = tmp_path / "bin" / "git"
        program.parent.mkdir()
        program.write_text(
            f'#!/bin/sh\nexec setpriv --bounding-set=-dac_override,-dac_read_search {shutil.which("git")} "$@"\n'
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    write(tree.work, {"closed": "x"})
    (tree.work / "closed").chmod(0)

    with pytest.raises(TreeError) as refused:
        tree.candidate()

    assert "closed" in refused.value.why


def test_nothing_that_was_planted_runs(tmp_path: Path) -> None:
    project = repository(
        tmp_path / "project", {"a.txt": "1\n", ".gitattributes": "*.txt filter=evil diff=evil merge=evil\n"}
    )
    ran = tmp_path / "ran"
    program = tmp_path / "evil.sh"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {ran}\ncat\n')
    program.chmod(0o755)
    evil = {
        "core.fsmonitor": program,
        "core.hooksPath": tmp_path / "hooks",
        "core.sshCommand": program,
        "core.pager": program,
        "core.editor": program,
        "filter.evil.clean": program,
        "filter.evil.smudge": program,
        "filter.evil.process": program,
        "filter.evil.required": "true",
        "diff.evil.command": program,
        "diff.evil.textconv": program,
        "diff.external": program,
        "merge.evil.driver": program,
        "gpg.program": program,
        "commit.gpgSign": "true",
        "credential.helper": program,
        "uploadpack.packObjectsHook": program,
    }
    hooks = [
        *(
            "pre-commit",
            "post-checkout",
            "post-index-change",
            "reference-transaction",
            "update",
            "post-update",
        ),
        *("post-commit", "pre-auto-gc", "post-rewrite", "fsmonitor-watchman", "proc-receive", "pre-receive"),
    ]
    (tmp_path / "hooks").mkdir()
    for name in hooks:
        shutil.copy(program, tmp_path / "hooks" / name)

    def plant(inside: Path) -> None:
        for name, value in evil.items():
            subprocess.run(["git", "config", "-f", inside / "config", name, str(value)], env=GIT, check=True)
        (inside / "hooks").mkdir(exist_ok=True)
        for name in hooks:
            shutil.copy(program, inside / "hooks" / name)
        (inside / "info").mkdir(exist_ok=True)
        (inside / "info" / "attributes").write_text("* filter=evil\n")
        (inside / "objects" / "info" / "alternates").write_text(str(tmp_path / "elsewhere") + "\n")

    plant(project / ".git")
    (project / ".git" / "objects" / "info" / "alternates").unlink()
    tree = plain(tmp_path, project)
    plant(tree.work / ".git")
    write(tree.work, {"a.txt": "2\n", "b.txt": "3\n", ".gitattributes": "* filter=evil text eol=crlf\n"})

    found = tree.candidate()

    assert publish(tree.store, found.commit, None, tree.base.commit).what == Publication.DONE
    assert not ran.exists(), ran.read_text()
    assert git(project, "show", "refs/heads/lifecycle/TLS-plain:b.txt") == "3"
    git(project, "update-ref", "refs/heads/other", "HEAD")
    assert ran.exists()  # what was planted does run where nothing forbids it


def test_a_clock_that_goes_backwards_changes_only_dates(tree: Plain) -> None:
    write(tree.work, {"a.py": "1"})
    first = tree.candidate()

    later = make_candidate(tree.store, tree.checkout, tree.base.commit, "runs/r", "Do it\n", NOON - 10**12)
    at_the_epoch = make_candidate(tree.store, tree.checkout, tree.base.commit, "runs/r", "Do it\n", 0)

    assert {first.tree, later.tree, at_the_epoch.tree} == {first.tree}
    assert len({first.commit, later.commit, at_the_epoch.commit}) == 3
