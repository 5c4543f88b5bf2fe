"""Plan tasks carried out by the real clients in their private trees, the stand-in thinking for them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.clients.support import BIN, CLIENTS, GOOD, MISSING, environment, server, settings_of
from tests.e2e.support import ROOT, Lifecycle
from tests.git_world import as_left, git
from tests.stand_in.model_server import FakeModelServer
from tests.work.building import begin, building, subjects, trailers
from tests.work.repositories import COMMON, Change, Edit
from tests.work.scenarios import Scenario, plan_and_review, whole

pytestmark = [
    pytest.mark.clients,
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING}; run `make clients`"),
]

Step = dict[str, Any]
FIXTURE = COMMON["python-unittest"]
FIRST, SECOND = FIXTURE.order()
SOURCE = "recipes/amounts.py"
RUN_TESTS: Step = {"shell": {"command": "python3 -m unittest 2>&1 | tail -n 1"}}
NEVER: Step = {"text": "a beginning", "stall": 600, "times": 1}
WRITING = (
    "openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,link,linkat,"
    "symlink,symlinkat,truncate,mknod,mknodat"
)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_carries_out_the_plan_and_mends_what_a_test_found(tmp_path: Path, name: str) -> None:
    outside = {"shell": {"command": f"echo planted > {tmp_path}/project/planted.txt; git status --short"}}
    tells = {"from": "executor", "operation": "log", "summary": "half of it is done"}
    broken = [outside, RUN_TESTS, *edits(SOURCE, FIXTURE.bad[FIRST, "breaks_a_test"][SOURCE]), said(FIRST)]
    rules = [
        rule("(?=.*cannot land yet).*Your task: IMPL-001", [*writes(FIRST), RUN_TESTS, said(FIRST)]),
        rule("Your task: IMPL-001", broken),
        rule(
            "Your task: IMPL-002",
            [{"call": {"name": "team_msg", "args": tells}}, *writes(SECOND), RUN_TESTS, said(SECOND)],
        ),
    ]
    with server(rules) as models, coding(tmp_path, name, models) as project:
        before = as_left(project.folder)

        done = project.run(*begin(project), env=environment(tmp_path / "home"), timeout=500)

        assert done.code == 0, done.err
        assert_landed(project, name)
        assert as_left(project.folder) == before
        assert project.story("IMPL-001") == project.story("IMPL-002") == ["completed"]
        calls = project.rows("SELECT outcome FROM agent_calls WHERE purpose = 'implementation'")
        assert calls == [("answered",)] * 3, "the work, its repair, and the second task"
        prices = project.rows(
            "SELECT 1.0 * cost_micros / tokens_in FROM agent_calls WHERE cost_source = 'reported'"
        )
        assert len(prices) == (3 if name == "claude" else 0)
        assert all(price == pytest.approx(prices[0][0], rel=0.1) for (price,) in prices), (
            "each turn costs its own"
        )
        told = [each["last_result"] for each in models.log]
        assert any("planted.txt: Read-only file system" in each for each in told)
        assert any(re.search(r"\bOK\b", each) for each in told), "it can run the tests in its tree"
        talks = {each["prompts"] for each in models.log if each["prompt"] and each["tools"]}
        assert talks == {1, 2, 3}, "one conversation"
        assert project.rows("SELECT summary FROM messages WHERE summary LIKE '%half of it%'")
        project.wait(lambda: not project.marked(), "no process of a run lives on", 15)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_that_is_killed_in_mid_edit_leaves_nothing_and_another_attempt_lands(
    tmp_path: Path, name: str
) -> None:
    first, *then = edits(SOURCE, FIXTURE.gold[FIRST][SOURCE])[1:]
    stuck = {**NEVER, "then": then[0]}
    new = next(path for path in FIXTURE.gold[FIRST] if path != SOURCE)
    rest = [*then[1:], {"write": {"path": new, "content": FIXTURE.gold[FIRST][new]}}, said(FIRST)]
    rules = [
        rule("Your task: IMPL-001", [{"read": {"path": SOURCE}}, first, stuck, *rest]),
        rule("Your task: IMPL-002", [*writes(SECOND), said(SECOND)]),
    ]
    with server(rules) as models, coding(tmp_path, name, models) as project:
        before = as_left(project.folder)
        project.run(*begin(project), "--detach", env=environment(tmp_path / "home"))
        project.wait(lambda: any("stall" in each["step"] for each in models.log), "half of it is edited", 120)

        for pid in project.marked():
            if b"guardian" not in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)

        project.wait(lambda: project.status()[0] != "active", "it ends by itself", 400)
        assert_landed(project, name)
        assert as_left(project.folder) == before
        assert len(project.story("IMPL-001")) == 2
        left = project.rows(
            "SELECT t.state IN ('retired', 'trash') FROM trees t JOIN runs r ON t.run_id = r.id "
            "WHERE r.outcome != 'completed'"
        )
        assert left == [(1,)], "its tree is never used again"


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_writes_to_its_tree_and_its_own_folders_alone(tmp_path: Path, name: str) -> None:
    tree = tmp_path / "trees" / "lane" / "work"
    (tmp_path / "project" / ".workflow" / "run").mkdir(parents=True)
    tree.mkdir(parents=True)
    (tree / "a.txt").write_text("one\n")
    steps: list[Step] = [
        {"read": {"path": "a.txt"}},
        {"edit": {"path": "a.txt", "old": "one\n", "new": "two\n"}},
        {"write": {"path": "b.txt", "content": "new\n"}},
        {"shell": {"command": "git status --short; cat a.txt b.txt > c.txt"}},
        {"shell": {"command": "python3 -c 'import tempfile; print(tempfile.mkdtemp())'"}},
        {"json": GOOD},
    ]
    trace = tmp_path / "trace"
    strace = ["strace", "-f", "-qq", "-y", "-z", "-s", "4096", "-e", f"trace={WRITING}", "-o", str(trace)]
    with server([rule("", steps)]) as models:
        done = subprocess.run(
            [*strace, sys.executable, "-m", "tests.clients.one", name, models.url, str(tmp_path), str(tree)],
            cwd=ROOT,
            env={**os.environ, "LIFECYCLE_TEST_CLIENTS": BIN, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=300,
        )

    assert "rating=4" in done.stdout, done.stderr
    assert [(tree / each).read_text() for each in ("a.txt", "b.txt", "c.txt")] == [
        "two\n",
        "new\n",
        "two\nnew\n",
    ]
    assert f"{tmp_path}/project/.workflow/run/tmp/" in models.log[-1]["last_result"]
    own = [tree, tmp_path / "home", tmp_path / "project" / ".workflow" / "run"]
    if name == "claude":
        own.append(Path(f"/tmp/cc-socks-{os.getuid()}"))  # a socket by which its own processes speak
    elsewhere = {path for path in written(trace) if not any(path.is_relative_to(each) for each in own)}
    assert elsewhere == set()


# what the model does


def rule(match: str, steps: list[Step]) -> dict[str, Any]:
    return {"match": match, "tools": True, "steps": steps}


def edits(path: str, change: Change) -> list[Step]:
    """The change by the client's tool for replacements; it reads the file first."""
    assert isinstance(change, Edit)
    replaced = [{"edit": {"path": path, "old": old, "new": new}} for old, new in change.blocks]
    return [{"read": {"path": path}}, *replaced]


def writes(task: str) -> list[Step]:
    """The right patch as whole files, by the client's tool for that; what is there already it reads first."""
    steps: list[Step] = []
    for path, text in whole(FIXTURE, task).items():
        steps += [{"read": {"path": path}}] if path in FIXTURE.files else []
        steps.append({"write": {"path": path, "content": text}})
    return steps


def said(task: str) -> Step:
    return {"json": FIXTURE.answer(task)}


# the session


def test_a_client_builds_from_a_request_through_its_specification(tmp_path: Path) -> None:
    rules = [
        rule(f"Your task: IMPL-00{n}", [*writes(key), said(key)]) for n, key in ((1, FIRST), (2, SECOND))
    ]
    with server(rules) as models, coding(tmp_path, "codex", models) as project:
        env = environment(tmp_path / "home")
        before = as_left(project.folder)

        begun = project.run("start", FIXTURE.request, "--mode", "full-lifecycle", env=env, timeout=300)
        done = project.run("resume", env=env, timeout=500)

        assert begun.code == 3, begun.out + begun.err
        assert done.code == 0, done.out + done.err
        assert_landed(project, "codex")
        assert as_left(project.folder) == before


@contextmanager
def coding(folder: Path, name: str, models: FakeModelServer) -> Iterator[Lifecycle]:
    """A project whose executor is the client; the scripted agent plans and reviews."""
    given = "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings_of(name, models.url).items())
    settings = {"agents_off": [each for each in CLIENTS if each != name], "hand_over_mcp": True}
    roles = {"executor": name, "reviewer": "scripted"}
    others = Scenario(plan_and_review(FIXTURE))
    agents = f"[agents.{name}]\n{given}"
    with building(folder, FIXTURE, others, settings, roles=roles, agents=agents) as project:
        yield project


def assert_landed(project: Lifecycle, name: str) -> None:
    """Both tasks are commits of the client, and the branch's tests pass by the repository's own command."""
    assert project.status() == ("completed", None)
    assert subjects(project) == [str(task["title"]) for task in FIXTURE.tasks]
    assert trailers(project, "Agent") == [name, name]
    clone = project.folder.parent / "clone"
    git(
        project.folder.parent,
        "clone",
        "-q",
        "--branch",
        f"lifecycle/{project.session()}",
        "project",
        str(clone),
    )
    for key in (FIRST, SECOND):
        for path, text in whole(FIXTURE, key).items():
            assert (clone / path).read_text() == text
    tests = subprocess.run(FIXTURE.command, cwd=clone, capture_output=True, text=True, check=False)
    assert tests.returncode == 0, tests.stdout + tests.stderr


# what was written

_CALL = re.compile(r"(\w+)\((.*)\) = \d+(?:<([^>]*)>)?")
_PLACE = re.compile(r'(?:<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
_FOR_WRITING = re.compile(r"O_(?:WRONLY|RDWR|CREAT|TRUNC)")
_NO_FILES = ("/dev", "/proc", "/newroot")  # the last is how codex sees its own namespace while it is made


def written(trace: Path) -> Iterator[Path]:
    """Every path at which a call of the trace made, opened for writing, renamed or removed something."""
    for line in trace.read_text(errors="replace").splitlines():
        call = _CALL.search(line)
        if call is None:
            continue
        kind, arguments, opened = call.groups()
        places = _PLACE.findall(arguments)
        if kind in ("open", "openat"):
            if not _FOR_WRITING.search(arguments):
                continue
            places = [("", opened)] if opened else places
        elif kind.startswith("symlink"):
            places = places[1:]  # what it points to is no place that is written
        for folder, name in places:
            path = os.path.normpath(os.path.join(folder, name))  # noqa: PTH118 - no link is followed
            if not path.startswith(_NO_FILES):
                yield Path(path)
