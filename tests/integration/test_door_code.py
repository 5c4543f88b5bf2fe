"""Commits on their way between a host elsewhere and the project's machine: what comes, and what is refused whole."""

from __future__ import annotations

import hashlib
import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from orchestrator.coordinator.reconcile import reap
from orchestrator.domain.elsewhere import ROLES_ELSEWHERE
from orchestrator.domain.errors import AnsweredByProxy, LeaseLost, LifecycleError
from orchestrator.door.code_carrier import LARGEST_BUNDLE, LARGEST_PART, MOST_OBJECTS, PART_BYTES, RECEIVED
from orchestrator.door.desk import Desk, Landing, Link, Run, Verdict, new_run_id
from orchestrator.door.http_connections import Connections
from orchestrator.door.http_desk import HttpDesk
from orchestrator.door.wire import DoorRefused
from orchestrator.store import checks, host_tokens, leases
from tests import factories as make
from tests import invariants
from tests.desk_world import START, DeskWorld, done
from tests.door_server import Running, serving
from tests.git_world import git, repository
from workers.git.borrowed_work import borrow_work, copy_of_project
from workers.git.candidates import commit_message
from workers.git.session_work import SessionWork

LEASE = 20.0
NOBODY = "ann", "ann@example.com"
Head = list[bytes]  # the lines before a bundle's objects


@dataclass
class Code:
    """An executor's run elsewhere, with its session's work on that machine."""

    running: Running
    world: DeskWorld
    desk: HttpDesk
    run: Run
    work: SessionWork
    folder: Path

    @property
    def asked(self) -> Desk:
        return self.desk.as_desk()

    @property
    def base(self) -> str:
        return self.work.row().base

    def commit(
        self,
        files: Mapping[str, bytes] | None = None,
        *,
        parent: str | None = None,
        run: str | None = None,
        task: str | None = None,
        mode: str = "100644",
    ) -> tuple[str, str]:
        """A commit of the run's on its base, and its tree."""
        store = self.work.private
        index = store.git.using(index=self.folder / "index")
        index.run("read-tree", parent or self.base)
        for path, body in (files or {"new.py": b"x = 1\n"}).items():
            blob = (
                body.decode()
                if mode == "160000"
                else store.git.run("hash-object", "-w", "--stdin", stdin=body).line
            )
            entry = f"{mode} {blob}\t{path}\0".encode()
            index.run("update-index", "-z", "--index-info", stdin=entry)
        tree = index.run("write-tree").line
        trailers = {"Session": self.run.session_id, "Task": task or self.run.key, "Run": run or self.run.run}
        commit = store.commit_tree(tree, parent or self.base, commit_message("Add a file", trailers), START)
        return commit, tree

    def with_git_folder(self) -> tuple[str, str]:
        """A commit that git's own commands would not make, and its tree."""
        store = self.work.private
        blob = store.git.run("hash-object", "-w", "--stdin", stdin=b"[core]").line
        inner = store.git.run("mktree", stdin=f"100644 blob {blob}\tconfig\n".encode()).line
        tree = store.git.run("mktree", stdin=f"040000 tree {inner}\t.GIT\n".encode()).line
        trailers = {"Session": self.run.session_id, "Task": self.run.key, "Run": self.run.run}
        return store.commit_tree(tree, self.base, commit_message("Add it", trailers), START), tree

    def bundle(self, commit: str, *without: str) -> Path:
        store, file = self.work.private, self.folder / "bundle"
        store.git.run("update-ref", "refs/lifecycle/sent", commit)
        words = ["--not", *without] if without else []
        store.git.run("bundle", "create", "--quiet", str(file), "refs/lifecycle/sent", *words)
        return file

    def hand_in(self, file: Path, commit: str, tree: str, base: str | None = None) -> None:
        self.desk.carrier.hand_in(self.run, file, base or self.base, commit, tree)

    def ask(self, name: str, **given: Any) -> Any:
        question = json.dumps({"run": self.run.run, "host": self.run.host, **given}).encode()
        return self.desk._answered(self.run.run, name, question, 60.0, lambda: False)

    def state(self) -> Any:
        """All that a run can write here, and the refs of its session's store and of the user's repository."""
        project = self.world.store.workflow.parent
        stores = [project, project / ".workflow" / "work" / f"{self.run.session_id}.git"]
        return self.world.rows(), [git(each, "for-each-ref") for each in stores]


@pytest.fixture
def code(tmp_path: Path) -> Iterator[Code]:
    clock = make.SetClock(START)
    store = make.make_store(tmp_path / "here", clock=clock)
    repository(tmp_path / "here")
    far = tmp_path / "far"
    far.mkdir()
    with serving(store) as running:
        token = running.token("far-1", ROLES_ELSEWHERE, 4)
        world = DeskWorld(store, clock, running.site.door.local)
        desk = HttpDesk(running.connections(token), far / "state", patience=1.0, monotonic=clock.monotonic)
        desk.as_desk().register("h-1", roles=ROLES_ELSEWHERE, slots=4, lease_seconds=LEASE)
        run = executor_run(world, desk.as_desk())
        work, base = borrow_work(desk.as_desk(), desk.carrier, run, far / "trees", lambda: False)
        assert base.commit == git(tmp_path / "here", "rev-parse", "HEAD")
        yield Code(running, world, desk, run, work, far)
    invariants.check_store(store)
    store.close()


def executor_run(world: DeskWorld, desk: Desk, host: str = "h-1", **columns: str) -> Run:
    """The first task of a new session, as one of an executor."""
    session = world.offered()
    told = {"role": "executor", "prefix": "IMPL", "key": "IMPL-001", **columns}
    changes = ", ".join(f"{name} = '{value}'" for name, value in told.items())
    make.execute(world.store, f"UPDATE tasks SET {changes} WHERE session_id = '{session}' AND seq = 1")
    run = desk.claim(host, ROLES_ELSEWHERE, new_run_id())
    assert run is not None
    return run


def test_a_commit_comes_is_proposed_and_lands(code: Code) -> None:
    commit, tree = code.commit()
    file = code.bundle(commit, code.base)

    code.hand_in(file, commit, tree)
    code.hand_in(file, commit, tree)  # asked again, as after a lost answer

    here = code.world.store.workflow / "work" / f"{code.run.session_id}.git"
    assert git(here, "rev-parse", f"refs/lifecycle/runs/{code.run.run}/{commit}^{{tree}}") == tree
    assert not list((code.world.store.workflow / "work" / "incoming").rglob("*taken*"))
    candidate = code.asked.propose(code.run, "digest", code.base, commit, tree, [])
    code.asked.take_ticket(code.run, candidate.id)
    landing = Landing(candidate.id, code.base, commit, tree)
    code.asked.report(done(code.run, landing=landing), ROLES_ELSEWHERE, draining=False)
    assert code.work.row().head == commit


def test_what_a_machine_has_is_not_lent_again(code: Code) -> None:
    commit, tree = code.commit()
    code.hand_in(code.bundle(commit, code.base), commit, tree)
    lent = code.desk.carrier.lend(code.run, [code.base], code.folder / "again", lambda: False)

    assert lent.sha256 is None and lent.tips == [code.base] and not (code.folder / "again").exists()
    assert git(copy_of_project(code.desk.workflow), "fsck", "--full") == ""


def _damaged(file: Path) -> None:
    body = bytearray(file.read_bytes())
    body[-30] ^= 0xFF
    file.write_bytes(body)


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-25])


def _with_head(change: Callable[[Head], Head]) -> Callable[[Path], None]:
    def changed(file: Path) -> None:
        head, _, rest = file.read_bytes().partition(b"\n\n")
        file.write_bytes(b"\n".join(change(head.split(b"\n"))) + b"\n\n" + rest)

    return changed


def _many_objects(file: Path) -> None:
    head, end, rest = file.read_bytes().partition(b"\n\n")
    file.write_bytes(head + end + rest[:8] + (MOST_OBJECTS + 1).to_bytes(4, "big") + rest[12:])


SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "corrupt": (_damaged, "is damaged"),
    "cut off": (_cut, "is damaged"),
    "no bundle": (lambda file: file.write_text("PACK of nothing"), "no git bundle"),
    "too many objects": (_many_objects, "too many objects"),
    "two refs": (_with_head(lambda head: [*head, head[-1] + b"2"]), "does not hold the commit alone"),
    "another base": (
        _with_head(lambda head: [head[0], b"-" + b"1" * 40 + b" x", *head[2:]]),
        "other commits",
    ),
    "a capability": (_with_head(lambda head: [head[0], b"@filter=blob:none", *head[1:]]), "not taken"),
}


def test_a_bundle_that_is_not_as_it_should_be_is_refused_and_nothing_changes(code: Code) -> None:
    commit, tree = code.commit()
    before = code.state()

    for name, (spoil, says) in SPOILT.items():
        file = code.bundle(commit, code.base)
        spoil(file)
        with pytest.raises(LifecycleError, match=says):
            code.hand_in(file, commit, tree)
        assert code.state() == before, name

    code.hand_in(code.bundle(commit, code.base), commit, tree)


def test_a_commit_that_is_not_the_runs_own_on_its_base_is_refused(code: Code) -> None:
    own, tree = code.commit()
    second, second_tree = code.commit({"b.py": b"y = 2\n"}, parent=own)
    strange = (
        code.work.private.git.using(
            environment=[
                (f"GIT_{who}_{part}", value)
                for who in ("AUTHOR", "COMMITTER")
                for part, value in zip(("NAME", "EMAIL"), NOBODY, strict=True)
            ]
        )
        .run("commit-tree", tree, "-p", code.base, "-m", "Mine")
        .line
    )
    empty = "0" * 40
    cases: dict[str, tuple[str, str, str, tuple[str, ...], str]] = {
        "another run's": (*code.commit(run=new_run_id()), code.base, (code.base,), "not of this run"),
        "another task's": (*code.commit(task="IMPL-009"), code.base, (code.base,), "not of this run"),
        "somebody's": (strange, tree, code.base, (code.base,), "another author"),
        "of another tree": (own, second_tree, code.base, (code.base,), "another commit than it says"),
        "two commits": (second, second_tree, code.base, (code.base,), "does not build on its base"),
        "on what has not landed": (second, second_tree, own, (own,), "does not build on what has landed"),
        "a submodule": (
            *code.commit({"sub": b"1" * 40}, mode="160000"),
            code.base,
            (code.base,),
            "submodule",
        ),
        "our folder": (
            *code.commit({".workflow/config.toml": b"x"}),
            code.base,
            (code.base,),
            "files in .workflow",
        ),
        "git's folder": (*code.with_git_folder(), code.base, (code.base,), r"damaged|files in"),
        "nowhere": (own, tree, empty, (code.base,), "does not build on what has landed"),
    }
    before = code.state()

    for name, (commit, of_tree, base, without, says) in cases.items():
        file = code.bundle(commit, *without)
        with pytest.raises(LifecycleError, match=says):
            code.hand_in(file, commit, of_tree, base)
        assert code.state() == before, name


def test_half_an_upload_does_not_count_and_goes_on(code: Code) -> None:
    commit, tree = code.commit({"large.bin": hashlib.shake_256(b"x").digest(2 * PART_BYTES)})
    body = code.bundle(commit, code.base).read_bytes()
    sha256 = hashlib.sha256(body).hexdigest()
    named = {"sha256": sha256, "base": code.base, "commit": commit, "tree": tree}
    before = code.state()

    def part(offset: int, size: int, digest: str = sha256) -> int:
        sent = urlsafe_b64encode(body[offset : offset + size] or b"x" * size).decode()
        return int(json.loads(code.ask("part", sha256=digest, offset=offset, body=sent))["bytes"])

    with pytest.raises(LifecycleError, match="nothing of the bundle has come"):
        code.ask("hand-in", **named)
    assert part(0, PART_BYTES) == PART_BYTES
    assert part(2 * PART_BYTES, 10) == PART_BYTES, "a part that is too early is passed over"
    assert part(0, PART_BYTES) == PART_BYTES, "and one that is here already"
    with pytest.raises(LifecycleError, match="not whole"):
        code.ask("hand-in", **named)
    with pytest.raises(LifecycleError, match="too large"):
        part(LARGEST_BUNDLE, 1)
    with pytest.raises(LifecycleError, match="named by its SHA-256"):
        part(0, 1, "../" + "a" * 61)
    with pytest.raises(LifecycleError, match=r"the part is too large|request is too large"):
        part(0, LARGEST_PART + 1)
    assert code.state() == before

    code.hand_in(code.folder / "bundle", commit, tree)


def test_a_large_change_passes_a_proxy_that_takes_no_request_of_a_mebibyte(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, tree = code.commit({"large.bin": hashlib.shake_256(b"x").digest(3 << 20)})
    asking, refused = Connections.ask, []

    def proxy(self: Connections, name: str, body: bytes, seconds: float, **more: Any) -> Any:
        if len(body) > (1 << 20):  # nginx, `client_max_body_size`, where nobody has set it
            refused.append(name)
            return 413, Message(), b"<html><title>413 Request Entity Too Large</title></html>"
        return asking(self, name, body, seconds, **more)

    monkeypatch.setattr(Connections, "ask", proxy)

    code.hand_in(code.bundle(commit, code.base), commit, tree)

    assert refused == []
    with pytest.raises(AnsweredByProxy, match="answered 413") as caught:
        code.ask("part", sha256="a" * 64, offset=0, body="A" * (2 << 20))
    assert "client_max_body_size" in caught.value.fix and "Too Large" in caught.value.why


def test_one_that_is_too_large_is_not_sent(code: Code) -> None:
    file = code.folder / "large"
    with file.open("wb") as body:
        body.truncate(LARGEST_BUNDLE + 1)

    with pytest.raises(LifecycleError, match="too large to be handed in"):
        code.hand_in(file, "1" * 40, "2" * 40)

    assert not (code.world.store.workflow / "work" / "incoming").exists()


def test_a_run_that_is_over_hands_nothing_in(code: Code) -> None:
    commit, tree = code.commit()
    file = code.bundle(commit, code.base)
    code.world.pass_lease()
    reap(code.world.store, None)
    before = code.state()

    with pytest.raises(LeaseLost):
        code.hand_in(file, commit, tree)
    with pytest.raises(LeaseLost):
        code.desk.carrier.lend(code.run, [], code.folder / "more", lambda: False)
    with pytest.raises(LeaseLost):
        code.asked.propose(code.run, "digest", code.base, commit, tree, [])

    assert code.state() == before


def test_only_what_has_come_is_proposed_and_lands(code: Code) -> None:
    commit, tree = code.commit()
    code.hand_in(code.bundle(commit, code.base), commit, tree)
    never, of_never = code.commit({"b.py": b"y = 2\n"})
    candidate = code.asked.propose(code.run, "digest", code.base, commit, tree, [])
    code.asked.take_ticket(code.run, candidate.id)
    before = code.state()

    with pytest.raises(DoorRefused, match="has not come here"):
        code.asked.propose(code.run, "digest", code.base, never, of_never, [])
    with pytest.raises(DoorRefused, match="has not come here"):
        code.asked.propose(code.run, "digest", commit, commit, tree, [])
    with pytest.raises(DoorRefused, match="noted by the server"):
        code.asked.add_check(code.run, of_never, RECEIVED, never, "passed", {"base": code.base})
    for landing, says in (
        (Landing(candidate.id, code.base, never, of_never), "has not come here"),
        (Landing(candidate.id, never, commit, tree), "has not come here"),
        (Landing(candidate.id + 1, code.base, commit, tree), "not of this run"),
    ):
        with pytest.raises(DoorRefused, match=says):
            code.asked.report(done(code.run, landing=landing), ROLES_ELSEWHERE, draining=False)
    for given, says in (
        ({"verdict": Verdict("test", {"verdict": "PASS", "head": code.base})}, "no verdict of that kind"),
        ({"fan_out": {"tasks": []}}, "plans nothing"),
        ({"links": [Link("req", "1", None, "file", "x", None, "by", 0, None, "another")]}, "made itself"),
    ):
        with pytest.raises(DoorRefused, match=says):
            code.asked.report(done(code.run, **given), ROLES_ELSEWHERE, draining=False)

    assert code.state() == before


def test_a_tester_vouches_for_no_commit_that_has_not_landed(code: Code) -> None:
    make.execute(
        code.world.store, f"UPDATE tasks SET role = 'tester', prefix = 'TEST' WHERE id = {code.run.id}"
    )
    verdict = Verdict("test", {"verdict": "PASS", "head": "1" * 40})

    with pytest.raises(DoorRefused, match="has not landed"):
        code.asked.report(done(code.run, verdict=verdict), ROLES_ELSEWHERE, draining=False)


def test_trees_are_of_the_machine_that_made_them(code: Code) -> None:
    asked, session = code.asked, code.run.session_id
    tree = asked.open_tree(code.run, asked.lane_for(code.run, code.work.folder), code.work.folder, code.base)
    asked.make_live(code.run, tree.id)
    other = code.running.connections(code.running.token("far-2", ROLES_ELSEWHERE, 1))
    theirs = HttpDesk(
        other, code.folder / "two", patience=1.0, monotonic=code.world.clock.monotonic
    ).as_desk()
    theirs.register("h-2", roles=ROLES_ELSEWHERE, slots=1, lease_seconds=LEASE)
    executor_run(code.world, theirs, "h-2")
    before = code.state()

    assert [each.id for each in asked.left_trees(session)] == [tree.id]
    assert code.world.desk.left_trees(session) == [], "it is not on this machine"
    assert [each.trees for each in code.world.desk.work_states()] == [0]
    with pytest.raises(DoorRefused, match="that session is not this host's"):
        theirs.retire_tree(session, tree.id)
    for ask in (theirs.discard_tree, theirs.retire_tree):
        with pytest.raises(DoorRefused, match="that tree is not this host's"):
            ask(_own_session(code.world, "h-2"), tree.id)
    with pytest.raises(DoorRefused, match="by its whole path"):
        asked.open_tree(code.run, 5, Path("trees"), code.base)
    assert code.state() == before


def _own_session(world: DeskWorld, host: str) -> str:
    def read(tx: Any) -> str:
        tx.opened.cursor.execute(f"SELECT session_id FROM runs WHERE host = '{host}'")
        return str(tx.opened.cursor.fetchone()[0])

    return world.store.read(read)


def test_a_host_that_works_on_no_commits_is_lent_none(code: Code) -> None:
    run = executor_run(code.world, code.asked, role="writer", prefix="DRAFT")

    with pytest.raises(DoorRefused, match="works on no commits"):
        code.desk.carrier.lend(run, [], code.folder / "more", lambda: False)
    with pytest.raises(DoorRefused, match="begin_work is not for hosts on another machine"):
        code.asked.begin_work(code.run.session_id, "repository", code.base)


def test_a_revoked_token_is_lent_nothing(code: Code) -> None:
    code.world.store.write(lambda tx: host_tokens.revoke(tx, "far-1"))

    with pytest.raises(DoorRefused, match="does not know the token"):
        code.desk.carrier.lend(code.run, [], code.folder / "more", lambda: False)
    assert code.world.store.read(leases.live_hosts) == []
    assert code.world.store.read(lambda tx: checks.checks_of(tx, code.run.session_id)) == []
