"""What the project's machine takes in of a run elsewhere: one commit on top of one that has landed, in a bundle.

    1  what the bundle says of itself   size, number of objects, what it holds and builds on; before git reads it
    2  a repository of its own          git fetches it there and checks every object (fsck)
    3  what the commit is               its base, tree, author and trailers, and the paths that it changes
    4  the session's store              objects, synced, then a ref of the run; until here nothing has changed

Who made it is on another machine and may be anybody with its token: nothing that it says is believed.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import GitError, UsageError
from orchestrator.door.code_carrier import LARGEST_BUNDLE, MOST_OBJECTS
from workers.evidence.path_kinds import private_folder
from workers.git.candidates import GITLINK, Change, changes_between
from workers.git.carrying import FETCH
from workers.git.git_process import Git
from workers.git.private_store import AUTHOR, PrivateStore
from workers.git.session_work import SessionWork

TAKEN = "refs/lifecycle/taken"
FETCH_SECONDS = 300.0  # in which git has read a bundle
LONGEST_HEAD = 64 * 1024  # bytes of a bundle before its objects
MOST_CHANGES = 20_000  # paths that one commit changes
_SIGNATURE = re.compile(rb"# v[23] git bundle\Z")
_PACK = b"PACK"


class BundleRefused(UsageError):
    """What a host elsewhere handed in is not taken."""

    remedy = "it is made anew by the next attempt"


@dataclass(frozen=True, slots=True)
class Offered:
    """What a run says of its bundle, with what the database says of the run."""

    session: str
    task: str
    runs: Collection[str]  # the run, and earlier ones of its task, whose work it may go on with
    run: str
    base: str
    commit: str
    tree: str
    onto: str | None  # a commit of the user's that the run merges


@dataclass(frozen=True, slots=True)
class _Head:
    builds_on: Sequence[str]
    holds: Sequence[tuple[str, str]]  # commit, ref
    objects: int


def take_in(work: SessionWork, file: Path, offered: Offered) -> None:
    """Keep the commit below refs/lifecycle/runs/ of the session's store. Raises BundleRefused, GitError."""
    store = work.private
    _refuse_base(work, offered)
    head = _head_of(file)
    _refuse_head(head, offered)
    with TemporaryDirectory(dir=file.parent, prefix="taken-") as folder:
        apart = Path(folder)
        git = _fetched(store, file, apart, head, offered)
        _refuse_commit(git, offered)
        _refuse_paths(git, offered)
        with store.writing_refs() as (own, _):
            name = f"refs/lifecycle/runs/{offered.run}/{offered.commit}"
            words = ("--no-tags", "--no-write-fetch-head", "--no-auto-maintenance")
            own.using(config=FETCH).run("fetch", "--quiet", *words, os.fspath(apart), f"+{TAKEN}:{name}")


def _refuse_base(work: SessionWork, offered: Offered) -> None:
    row = work.row()
    if offered.base not in {row.base, *(each.commit_id for each in work.desk.commits(offered.session))}:
        raise BundleRefused(
            "the commit does not build on what has landed", why=f"{offered.base[:12]} is not of this session"
        )


# 1


def _head_of(file: Path) -> _Head:
    """Raises BundleRefused for a file that is no bundle, or too large."""
    if file.stat().st_size > LARGEST_BUNDLE:
        raise BundleRefused("the bundle is too large", why=f"at most {LARGEST_BUNDLE >> 20} MiB are taken")
    with file.open("rb") as body:
        text, end, rest = body.read(LONGEST_HEAD).partition(b"\n\n")
        lines = text.split(b"\n")
        if not end or not _SIGNATURE.match(lines[0]) or rest[:4] != _PACK or len(rest) < 12:
            raise BundleRefused("this is no git bundle", why="it does not begin like one")
    builds_on, holds = [], []
    for line in lines[1:]:
        if line.startswith(b"@object-format="):
            continue
        if line.startswith(b"@"):
            raise BundleRefused(
                "the bundle is of a kind that is not taken", why=line[:80].decode("ascii", "replace")
            )
        words = line.decode("utf-8", "replace").split(" ")
        if line.startswith(b"-"):
            builds_on.append(words[0][1:])
        else:
            holds.append((words[0], words[-1]))
    return _Head(builds_on, holds, int.from_bytes(rest[8:12], "big"))


def _refuse_head(head: _Head, offered: Offered) -> None:
    if head.objects > MOST_OBJECTS:
        raise BundleRefused(
            "the bundle has too many objects", why=f"{head.objects}, at most {MOST_OBJECTS} are taken"
        )
    if [each for each, _ in head.holds] != [offered.commit]:
        raise BundleRefused("the bundle does not hold the commit alone", why=f"{len(head.holds)} refs")
    if strange := set(head.builds_on) - {offered.base, offered.onto}:
        raise BundleRefused(
            "the bundle builds on other commits than its base", why=", ".join(sorted(strange))[:200]
        )


# 2


def _fetched(store: PrivateStore, file: Path, apart: Path, head: _Head, offered: Offered) -> Git:
    """Git on a repository that borrows the session's objects and has the bundle's. Raises BundleRefused, GitError."""
    form = store.git.run("rev-parse", "--show-object-format").line
    outside = Git(None, cwd=file.parent)
    outside.run("init", "--quiet", "--bare", "--template=", f"--object-format={form}", os.fspath(apart))
    (apart / "objects" / "info").mkdir(exist_ok=True)
    (apart / "objects" / "info" / "alternates").write_bytes(os.fsencode(store.path / "objects") + b"\n")
    if (store.path / "shallow").is_file():
        shutil.copyfile(store.path / "shallow", apart / "shallow")
    limits = ("fetch.unpackLimit=1", f"pack.packSizeLimit={LARGEST_BUNDLE}")
    git = Git(apart, cwd=apart, config=(*FETCH, *limits), seconds=FETCH_SECONDS)
    for number, commit in enumerate(head.builds_on):
        git.run("update-ref", f"refs/lifecycle/there/{number}", commit)
    words = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance")
    try:
        git.run(*words, os.fspath(file), f"+{head.holds[0][1]}:{TAKEN}")
    except GitError as error:
        raise BundleRefused("the bundle is damaged, or lacks something", why=error.why) from error
    return git


# 3


def _refuse_commit(git: Git, offered: Offered) -> None:
    """Raises BundleRefused for a commit that we would not have made of this base for this run."""
    commit = offered.commit
    told = git.run("log", "-1", "--format=%H%n%T%n%P%n%an%n%ae%n%cn%n%ce", TAKEN).out.decode(
        "utf-8", "replace"
    )
    found, tree, parents, *who = told.splitlines()
    if (found, tree) != (commit, offered.tree):
        raise BundleRefused(
            "the bundle holds another commit than it says", why=f"{found[:12]}, tree {tree[:12]}"
        )
    first, *others = parents.split() or [""]
    if first != offered.base or any(each != offered.onto for each in others):
        raise BundleRefused("the commit does not build on its base", why=f"its parents are {parents[:200]}")
    count = git.run("rev-list", "--count", TAKEN, "--not", *parents.split()).line
    if count != "1":
        raise BundleRefused("the bundle holds more than the commit", why=f"{count} commits")
    if tuple(who) != AUTHOR * 2:
        raise BundleRefused("the commit is another author's", why=", ".join(who)[:200])
    form = "%(trailers:key=Lifecycle-{},valueonly,separator=%x2C)"
    names = ("Session", "Task", "Run")
    said = git.run("log", "-1", f"--format={'%n'.join(form.format(each) for each in names)}", TAKEN)
    session, task, run = [*said.out.decode("utf-8", "replace").splitlines(), "", "", ""][:3]
    if (session, task) != (offered.session, offered.task) or run not in offered.runs:
        raise BundleRefused("the commit is not of this run", why=f"{session[:60]}, {task[:30]}, {run[:40]}")


def _refuse_paths(git: Git, offered: Offered) -> None:
    """Raises BundleRefused for changes that no task may make."""
    changes = _own_changes(git, offered)
    if len(changes) > MOST_CHANGES:
        raise BundleRefused(
            "the commit changes too many files", why=f"{len(changes)}, at most {MOST_CHANGES} are taken"
        )
    for change in changes:
        path = change.path.decode("utf-8", "backslashreplace")
        if GITLINK in (change.mode, change.mode_before):
            raise BundleRefused("the commit changes a submodule", why=path)
        if private := private_folder(path):
            raise BundleRefused(f"the commit changes files in {private}", why=path)


def _own_changes(git: Git, offered: Offered) -> list[Change]:
    """What differs from the base, and from the user's commit that was merged."""
    changes = changes_between(git, offered.base, TAKEN)
    if offered.onto is None:
        return changes
    theirs = {change.path for change in changes_between(git, offered.onto, TAKEN)}
    return [change for change in changes if change.path in theirs]
