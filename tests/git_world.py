"""Real repositories, a session that works on them, and the proof that the user's is as it was before."""

from __future__ import annotations

import hashlib
import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator import failpoints
from orchestrator.coordinator.leadership import Leadership
from orchestrator.domain.errors import HeadMoved
from orchestrator.domain.model import RunOutcome
from orchestrator.door.local_desk import LocalDesk
from orchestrator.lifecycle import finished_run, report
from orchestrator.store import artifacts, claims, sessions, transitions
from orchestrator.store import work as work_rows
from orchestrator.store.rows import Run
from orchestrator.store.store import Store, Tx
from orchestrator.store.work_rows import Proposed
from tests import factories as make
from workers.git.candidates import Candidate, make_candidate
from workers.git.checkouts import Checkout, make_checkout
from workers.git.private_store import Base, PrivateStore, create_store, fix_base
from workers.git.publishing import is_ancestor
from workers.git.session_work import Integration, OpenTree, SessionWork, begin_work, open_work
from workers.git.user_repository import Submodule

OURS = ("refs/lifecycle", "refs/heads/lifecycle")
GIT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ALLOW_PROTOCOL": "file",
    **{f"GIT_{role}_NAME": "ann" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "ann@example.com" for role in ("AUTHOR", "COMMITTER")},
}


def git(folder: Path, *words: str | bytes, stdin: bytes = b"", **environment: str) -> str:
    """What the user's own git prints. Raises CalledProcessError."""
    done = subprocess.run(
        ["git", *words], cwd=folder, env=GIT | environment, input=stdin, capture_output=True, check=True
    )
    return os.fsdecode(done.stdout).rstrip("\n")


def repository(folder: Path, files: dict[str, str | bytes] | None = None, *words: str) -> Path:
    """A repository with one commit of these files; `words` go to `git init`."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main", *words)
    write(folder, files if files is not None else {"app.py": "print(1)\n", "lib/tool.py": "x = 1\n"})
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    return folder


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, body in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body.encode() if isinstance(body, str) else body)


def as_left(folder: Path) -> dict[str, str]:
    """Everything of the user's repository and folder but what is ours: path -> digest of its bytes; refs; work trees."""
    found: dict[str, str] = {}
    inside = Path(git(folder, "rev-parse", "--absolute-git-dir"))
    for top in {folder, inside}:
        for here, folders, files in os.walk(top):
            folders[:] = [name for name in folders if name not in (".workflow", "objects")]
            for name in (*files, *folders):
                path = Path(here, name)
                if not _is_ours(path, inside):
                    found[os.fspath(path)] = _digest(path)
    for line in git(inside, "for-each-ref", "--format=%(refname) %(objectname) %(symref)").splitlines():
        if not line.startswith(OURS):
            found[f"ref {line}"] = ""
    found["worktrees"] = git(inside, "worktree", "list", "--porcelain")
    return found


def _is_ours(path: Path, inside: Path) -> bool:
    try:
        name = path.relative_to(inside).as_posix().removeprefix("logs/")
    except ValueError:
        return False
    return name in ("logs", "refs") or name.startswith(OURS) or path.name == "packed-refs"


def _digest(path: Path) -> str:
    status = path.lstat()
    if path.is_symlink():
        return f"link {path.readlink()}"
    body = path.read_bytes() if path.is_file() else b""
    return f"{status.st_mode:o} {hashlib.sha256(body).hexdigest()}"


@dataclass
class World:
    """A project with its database, a session with implementation tasks that wait for nothing, and a host."""

    store: Store
    folder: Path
    trees: Path
    session: str
    host: str
    leadership: Leadership

    def begin(self, **options: bool) -> SessionWork:
        return begin_work(LocalDesk(self.store), self.folder, self.session, self.trees, **options)[0]

    def reopen(self) -> SessionWork:
        return open_work(LocalDesk(self.store), self.folder, self.session, self.trees)

    def claim(self) -> Run:
        """The next task's run, after a beat of this session."""
        make.one_beat(self.store, self.session, self.leadership)
        row = make.claim(self.store, self.host)
        assert row is not None
        return row

    def lose(self, row: Run) -> None:
        """Revoke the run, as when its host died."""
        lost = RunOutcome.LOST
        self.store.write(lambda tx: transitions.revoke(tx, row.run, row.id, lost, "died", counted=True))

    def report(
        self,
        work: SessionWork,
        row: Run,
        landing: tuple[Proposed, Integration] | None = None,
    ) -> bool:
        """Report the run, landing in the same transaction if it is to land; whether the head had not moved."""

        done = _report(row)
        if landing is not None:
            done = replace(done, landing=work.landing(row, *landing))

        def unit(tx: Tx) -> None:
            claims.note_produced(tx, row.run, row.host, "digest", "builtin", {})
            artifacts.produce(tx, row.run, {f"spec/{row.key}.md": (b"# made\n", "document")})
            report.complete(tx, done, make.ALL_ROLES, draining=True)

        try:
            self.store.write(unit)
        except HeadMoved:
            return False
        failpoints.hit("head.stored")
        return True

    def land(self, work: SessionWork, row: Run, tree: OpenTree) -> tuple[Proposed, Integration]:
        """The whole way from what is in the tree to the published branch."""
        proposed, _ = work.propose(row, tree, "input", f"Do {row.key}", {"Agent": "scripted"})
        work.queue(row, proposed)
        landing = proposed, work.integrate(proposed)
        assert work.is_its_turn(proposed) and self.report(work, row, landing)
        work.follow()
        return landing


def world(
    folder: Path, project: Path, *, tasks: int = 3, host: str = "h-1", store: Store | None = None
) -> World:
    """A world around the repository or folder `project`, its database in it unless a `store` is given."""
    store = store or make.make_store(project)
    session = make.make_session(store, "Build a tool")
    store.write(lambda tx: _add_tasks(tx, session, tasks))
    return World(store, project, folder / "trees", session, make.make_host(store, host), make.lead(store))


def another_session(beside: World) -> World:
    """A second session in the same project."""
    session = make.make_session(beside.store, "Build another tool")
    beside.store.write(lambda tx: _add_tasks(tx, session, 2))
    return replace(beside, session=session)


def same_world(folder: Path, project: Path, host: str = "h-1") -> World:
    """The world that another process made."""
    store = Store(project / ".workflow" / "lifecycle.db")
    session = store.read(sessions.all_sessions)[0].id
    return World(store, project, folder / "trees", session, host, Leadership("d-test", 1))


def _add_tasks(tx: Tx, session: str, count: int) -> None:
    for number in range(1, count + 1):
        values: dict[str, object] = {
            "key": f"IMPL-{number:03}",
            "seq": 100 + number,
            "role": "writer",
            "prefix": "IMPL",
            "phase": "impl",
            "priority": 10,
            "max_attempts": 3,
            "payload": {},
        }
        transitions.add_task(tx, session, values)


def _report(row: Run) -> finished_run.Report:
    return finished_run.Report(
        row=row,
        message_type="draft_ready",
        summary=f"{row.key} complete",
        ref=f"spec/{row.key}.md",
        inner_loop=False,
        accumulator={"task": row.key},
        timings={},
    )


@dataclass(frozen=True, slots=True)
class Plain:
    """A private store and a tree at its base, without rows."""

    folder: Path
    store: PrivateStore
    base: Base
    checkout: Checkout
    empty: list[Submodule]

    @property
    def work(self) -> Path:
        return self.checkout.work

    def candidate(self) -> Candidate:
        return make_candidate(self.store, self.checkout, self.base.commit, "runs/r", "Do it\n", NOON)

    def names(self, tree: str) -> list[str]:
        return git(self.store.path, "ls-tree", "-r", "-z", "--name-only", tree).split("\0")[:-1]


NOON = 1_750_000_000_000_000  # microseconds


def plain(folder: Path, project: Path, *, include_dirty: bool = False) -> Plain:
    """A store for the repository `project`, and a tree at its base."""
    store = create_store(project / ".workflow", "TLS-plain", project)
    base = fix_base(store, project, NOON, include_dirty=include_dirty)
    checkout = Checkout(folder / "trees" / "0-1", "a" * 32)
    empty = make_checkout(store, checkout, base.commit)
    return Plain(project, store, base, checkout, empty)


def flags(candidate: Candidate) -> set[tuple[str, str]]:
    return {(flag.kind, flag.shown) for flag in candidate.flags}


def assert_whole(here: World) -> None:
    """Every commit in the database is in the store with all that it reaches, and no branch leads the head."""
    row = here.store.read(lambda tx: work_rows.work_of(tx, here.session))
    if row is None:
        return
    found = here.reopen().private
    for commit in here.store.read(lambda tx: work_rows.commits_of(tx, here.session)):
        assert found.has(commit.commit_id), commit
    assert found.has(row.base) and found.has(row.head)
    repository = found.repository
    for at in (found.ref(found.branch), None if repository is None else repository.ref(found.branch)):
        assert at is None or is_ancestor(found, at, row.head)
