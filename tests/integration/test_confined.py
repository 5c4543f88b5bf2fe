"""An agent in read-only mode cannot write to the user's project; where that cannot be had, what changed is reported."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.config.settings import AgentSettings
from orchestrator.coordinator.projector import project
from orchestrator.domain.errors import AgentCrashed, AgentUnavailable
from orchestrator.store import edits, messages
from orchestrator.wakeup import Waker
from tests import factories as make
from tests.places import Place
from tests.runtime_harness import RuntimeHarness
from workers.agents.programs import read_only
from workers.agents.programs.command import Plain
from workers.agents.programs.dialect import Call
from workers.agents.programs.editing import CAN_WRITE
from workers.agents.programs.external import ExternalAgent
from workers.agents.programs.mcp import server_for
from workers.agents.programs.process import Confinement
from workers.agents.protocol import AgentRequest, Protected
from workers.host.marked_processes import marked

ROOT = Path(__file__).resolve().parents[2]
confined = pytest.mark.usefixtures("confinable")
READ_ONLY = "Read-only file system"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    found = Place(tmp_path / "pro ject", f"run-{uuid.uuid4().hex}")
    found.document.parent.mkdir(parents=True)
    found.document.write_text("# Brief\n")
    found.folder.mkdir(parents=True)
    (found.root / "code.py").write_text("answer = 42\n")
    (tmp_path / "link").symlink_to(found.root)
    yield found
    for pid in marked("LIFECYCLE_RUN", found.run):
        os.kill(pid, signal.SIGKILL)


TRIES = """
import pathlib
root = pathlib.Path(sys.argv[1])
def attempt(deed):
    try:
        deed()
        print("done")
    except OSError as error:
        print(error.strerror)
for deed in (
    lambda: (root / "new").write_text("mine"),
    lambda: (root / "code.py").write_text("mine"),
    lambda: (root / "code.py").unlink(),
    lambda: (root / "code.py").rename(root / "other.py"),
    lambda: (root.parent / "link" / "code.py").write_text("mine"),
    lambda: (root / ".workflow/.team/TLS-x/spec/brief.md").write_text("mine"),
    lambda: (root / ".workflow/config.toml").write_text("mine"),
    lambda: pathlib.Path("/proc/self/cwd/../../../code.py").write_text("mine"),
    lambda: os.chmod(root / "code.py", 0o777),
):
    attempt(deed)
"""


@confined
def test_one_that_is_only_asked_cannot_write_to_the_project_by_any_path(place: Place) -> None:
    before = place.tree()

    reply = place.ask(TRIES, str(place.root))

    assert reply.text.split("\n") == [READ_ONLY] * 9 + [""]
    assert place.tree() == before
    assert reply.notes == ()


@confined
def test_nor_can_what_it_starts_or_one_that_arranges_mounts_of_its_own(place: Place) -> None:
    script = """
        target = sys.argv[1]
        ways = [
            ["sh", "-c", 'echo mine > "$0"', target],
            ["setsid", "-f", "sh", "-c", 'echo mine > "$0"', target],
            ["mount", "-o", "remount,bind,rw", os.path.dirname(target)],
            ["umount", os.path.dirname(target)],
            ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
             'mount -o remount,bind,rw "$(dirname "$0")"; umount "$(dirname "$0")"; echo mine > "$0"', target],
            ["sh", "-c", 'echo mine > /proc/$PPID/root"$0"; echo mine > "/proc/$1/root$0"', target, sys.argv[2]],
        ]
        print([subprocess.run(way).returncode for way in ways])
        try:
            os.write(os.open(target, os.O_WRONLY), b"mine")
        except OSError as error:
            print(error.strerror)
    """

    reply = place.ask(script, str(place.root / "code.py"), str(os.getpid()))

    codes, said, *_ = reply.text.split("\n")
    assert 0 not in json.loads(codes)[:1] + json.loads(codes)[2:]
    assert said == READ_ONLY
    assert (place.root / "code.py").read_text() == "answer = 42\n"


@confined
def test_what_it_writes_in_folders_of_its_own_stays_possible(place: Place) -> None:
    home = place.root / ".home"
    home.mkdir()
    script = """
        for folder in (os.getcwd(), os.environ["TMPDIR"], os.environ["HOME"], sys.argv[1]):
            open(os.path.join(folder, "own"), "w").write("mine")
        print("good")
    """
    loop = place.folder.with_name("loop-1")
    loop.mkdir()

    reply = place.ask(script, str(loop), home=home)

    assert reply.text == "good\n"
    assert (place.folder / "own").exists() and (loop / "own").exists() and (home / "own").exists()


EDITS = """
    import pathlib
    root, trees = map(pathlib.Path, sys.argv[1:])
    for path in (pathlib.Path("code.py"), pathlib.Path(os.environ["TMPDIR"], "new"), root / "code.py",
                 root / ".workflow/work/store", trees / "other-1/work/code.py", trees / "new"):
        try:
            path.write_text("mine")
            print("done")
        except OSError as error:
            print(error.strerror)
"""


def trees_of(place: Place) -> Path:
    trees = place.root.parent / "trees"
    for lane in ("mine-1", "other-1"):
        (trees / lane / "work").mkdir(parents=True)
        (trees / lane / "work/code.py").write_text("answer = 42\n")
    (place.root / ".workflow/work").mkdir()
    return trees


def editing(place: Place, trees: Path, **more: Any) -> AgentRequest:
    protected = Protected(place.root, place.root / ".workflow/lifecycle.db", trees=trees)
    return place.request(tree=trees / "mine-1/work", protected=protected, **more)


@confined
def test_one_that_edits_can_write_to_its_own_tree_and_not_to_the_project_or_to_other_trees(
    place: Place,
) -> None:
    trees = trees_of(place)
    before = place.tree()
    agent = place.agent(EDITS, str(place.root), str(trees), edits_files=True)

    reply = agent.work(editing(place, trees))

    assert reply.text.split("\n") == ["done", "done", *[READ_ONLY] * 4, ""]
    assert reply.notes == ()
    assert (trees / "mine-1/work/code.py").read_text() == "mine"
    assert place.tree() == before


@confined
def test_one_that_edits_the_project_itself_cannot_write_to_our_state(place: Place) -> None:
    trees = trees_of(place)
    agent = place.agent(EDITS, str(place.root), str(trees), edits_files=True)

    reply = agent.work(replace(editing(place, trees), tree=place.root))

    assert reply.text.split("\n") == ["done", "done", "done", *[READ_ONLY] * 3, ""]


def test_one_that_edits_is_not_started_where_it_cannot_be_confined_unless_that_is_allowed(
    place: Place,
) -> None:
    trees = trees_of(place)
    agent = place.agent(EDITS, str(place.root), str(trees), edits_files=True, home=place.root)

    with pytest.raises(AgentUnavailable) as met:
        agent.work(editing(place, trees))
    assert met.value.why.startswith("HOME is the project itself")
    assert (trees / "mine-1/work/code.py").read_text() == "answer = 42\n"

    reply = agent.work(editing(place, trees, unconfined=True))
    (note,) = reply.notes
    assert note.startswith("it could write to the project and to the trees of others (HOME is ")
    assert reply.text == "done\n" * 6


def test_one_that_edits_and_is_not_to_be_confined_runs_with_a_note(place: Place) -> None:
    trees = trees_of(place)
    agent = place.agent(EDITS, str(place.root), str(trees), edits_files=True, confine=False)

    reply = agent.work(editing(place, trees))

    assert reply.text == "done\n" * 6
    assert reply.notes == (CAN_WRITE.format("`confine = false`"),)


def test_one_that_is_not_to_be_confined_may_write_and_nothing_is_said(place: Place) -> None:
    script = "open(sys.argv[1], 'w').write('mine'); print('done')"

    reply = place.ask(script, str(place.root / "log"), agent={"confine": False})

    assert (place.root / "log").read_text() == "mine"
    assert reply.notes == ()


@pytest.mark.parametrize(
    ("home", "writable"),
    [
        ("..", []),
        (".", None),
        (".home", [".home"]),
        ("not-there", None),
        (".workflow/runs/RUN/not-there", []),
    ],
)
def test_a_home_in_the_project_stays_writable_or_nothing_is_confined(
    place: Place, home: str, writable: list[str] | None
) -> None:
    (place.root / ".home").mkdir()
    env = {"CODEX_HOME": str(place.root / home.replace("RUN", place.run))}

    found = read_only.confinement(place.request().protected, env, [place.folder], database=False)

    if writable is None:
        assert str(found).startswith("CODEX_HOME is ")
    else:
        own = [str(place.folder), *(str(place.root / each) for each in writable)]
        assert found == Confinement([str(place.root)], own)


def test_the_whole_file_system_is_no_project_that_can_be_read_only() -> None:
    protected = Protected(Path("/"), Path("/.workflow/lifecycle.db"))

    assert read_only.confinement(protected, {}, [], database=False) == "the project is the whole file system"


AS_ROOT_OF_ITS_OWN = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
ELSEWHERE = """
import json, os, sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from tests.places import Place
reply = Place(Path(sys.argv[1]), "run-elsewhere").ask(*sys.argv[2:])
print(json.dumps([reply.text, reply.notes]))
"""


def asked_after(setup: str, place: Place, *words: str) -> tuple[str, list[str]]:
    """The answer and the notes, of a host on which a shell did `setup` as root of a user namespace."""
    host = [sys.executable, "-c", ELSEWHERE, str(place.root), *words]
    done = subprocess.run(
        [*AS_ROOT_OF_ITS_OWN, f'{setup} && exec "$@"', "sh", *host],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PROJECT": str(place.root)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    text, notes = json.loads(done.stdout)
    return text, notes


@confined
def test_what_is_mounted_below_the_project_is_read_only_too_and_keeps_its_flags(place: Place) -> None:
    (place.root / "disk").mkdir()
    setup = 'mount -t tmpfs -o nosuid,nodev,noexec disk "$PROJECT/disk"'
    script = """
        try:
            open(sys.argv[1] + "/disk/new", "w")
        except OSError as error:
            print(error.strerror)
        print([line.split()[5] for line in open("/proc/self/mountinfo") if "- tmpfs disk" in line][-1])
    """

    text, notes = asked_after(setup, place, script, str(place.root))

    said, options, _ = text.split("\n")
    assert (said, notes) == (READ_ONLY, [])
    assert {"ro", "nosuid", "nodev", "noexec"} <= set(options.split(","))


WRITES = "open(sys.argv[1], 'w').write('mine'); os.remove(sys.argv[2]); print('good')"


@confined
def test_without_namespaces_the_answer_counts_and_what_changed_is_told(place: Place) -> None:
    words = (WRITES, str(place.root / "new"), str(place.root / "code.py"))

    text, notes = asked_after("echo 0 > /proc/sys/user/max_user_namespaces", place, *words)

    assert text == "good\n"
    assert notes == [
        "the project could not be made read-only for it (unshare: No space left on device), "
        "and these files changed while it was asked: code.py, new"
    ]


def test_a_client_whose_home_is_the_project_is_not_confined_but_compared(place: Place) -> None:
    """It could not keep its login."""
    reply = place.ask(WRITES, str(place.root / "new"), str(place.root / "code.py"), home=place.root)

    (note,) = reply.notes
    assert "(HOME is " in note and note.endswith("these files changed while it was asked: code.py, new")


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("os.chmod(sys.argv[1] + '/code.py', 0o600)", "code.py"),
        (  # as long as before, and with the time it had
            "f = sys.argv[1] + '/code.py'; t = os.stat(f); open(f, 'r+').write('a'); os.utime(f, ns=(1, t.st_mtime_ns))",
            "code.py",
        ),
        ("os.mkdir(sys.argv[1] + '/folder')", "folder"),
        ("os.symlink('/etc', sys.argv[1] + '/etc')", "etc"),
        ("open(sys.argv[1] + '/.git/hooks/pre-commit', 'w')", ".git/hooks/pre-commit"),
        ("open(sys.argv[1] + '/.git/objects/ab', 'w')", None),
        ("open(sys.argv[1] + '/.workflow/lifecycle.log', 'w')", None),
        (
            "open(sys.argv[1] + '/.workflow/.team/TLS-x/spec/brief.md', 'w')",
            ".workflow/.team/TLS-x/spec/brief.md",
        ),
        ("open(sys.argv[1] + '/a\\nb\\x1b[2J', 'w')", "a b\\x1b[2J"),
        ("open(os.fsencode(sys.argv[1]) + b'/\\xff', 'w')", "\N{REPLACEMENT CHARACTER}"),
        ("pass", None),
    ],
)
def test_a_comparison_sees_what_was_written_and_passes_over_our_own_state(
    place: Place, script: str, found: str | None
) -> None:
    for folder in ("hooks", "objects"):
        (place.root / ".git" / folder).mkdir(parents=True)

    reply = place.ask(f"{script}; print('good')", str(place.root), home=place.root)

    told = [note.partition("asked: ")[2] for note in reply.notes]
    assert told == ([] if found is None else [found])


def test_a_failure_tells_what_changed_as_well(place: Place) -> None:
    script = "open(sys.argv[1], 'w'); sys.exit('no idea')"

    with pytest.raises(AgentCrashed) as met:
        place.ask(script, str(place.root / "new"), home=place.root)

    assert met.value.why.startswith("no idea; the project could not be made read-only")
    assert met.value.why.endswith("new")


def test_a_project_that_is_too_large_is_not_compared_and_that_is_said(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_only, "ENTRIES", 3)

    reply = place.ask("print('good')", home=place.root)

    (note,) = reply.notes
    assert note.endswith("and is too large to be compared")


def test_a_document_is_ours_until_somebody_else_has_written_it(tmp_path: Path) -> None:
    harness = RuntimeHarness(tmp_path)
    harness.run()
    project(harness.store, harness.session)
    folder = edits.session_directory(harness.store.workflow, harness.session)
    document = folder / "spec" / "discovery-context.json"
    stray = folder / "spec" / "more.md"

    def ours() -> list[bool]:
        paths = (document, stray, folder / "team-session.json", folder / "spec", tmp_path / "project" / "x")
        return [edits.is_ours(harness.store, path) for path in paths]

    assert ours() == [True, False, True, True, False]

    document.write_text("{}")
    assert ours()[0] is False

    edits.adopt(harness.store, harness.session)
    assert ours()[0] is False, "taken in, and still not ours"

    document.unlink()
    assert ours()[0] is False


SPEAKS = """
    import json
    server = json.loads(os.environ["SERVER"])
    talk = subprocess.Popen([server["command"], *server["args"]], env={**os.environ, **server["env"]},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    def send(method, number=None, **params):
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({"id": number} if number else {})
        talk.stdin.write(json.dumps(message) + "\\n")
        talk.stdin.flush()
        return json.loads(talk.stdout.readline()) if number else None
    send("initialize", 1, protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "x", "version": "1"})
    send("notifications/initialized")
    said = send("tools/call", 2, name="team_msg", arguments={"operation": "log", "summary": "half of it is done"})
    talk.stdin.close()
    talk.wait()
    print(said)
    for path in ("config.toml", ".team/new", "lifecycle.db-other"):
        try:
            open(sys.argv[1] + "/.workflow/" + path, "w")
        except OSError as error:
            print(error.strerror)
"""


class Client(Plain):
    """A program that is told of the servers it may start."""

    def call(self, request: AgentRequest, prompt: str, resume: str | None, folder: Path) -> Call:
        return Call(self._argv, {"SERVER": json.dumps(request.mcp["team"])})


@confined
def test_the_server_of_a_run_writes_to_the_database_and_wakes_the_coordinator(
    tmp_path: Path,
) -> None:
    root = tmp_path
    store = make.make_store(root)
    session = make.make_session(store)
    host = make.make_host(store, seconds=3600.0)
    make.one_beat(store, session, make.lead(store))
    row = make.claim(store, host)
    assert row is not None
    (root / ".workflow" / ".team").mkdir()
    (root / ".workflow" / ".gitignore").write_text("*\n")
    script = "import os, subprocess, sys\n" + textwrap.dedent(SPEAKS)
    environ = {"PATH": os.environ["PATH"], "HOME": "/"}
    given = AgentSettings(command=[sys.executable, "-c", script, str(root)])
    dialect = Client(sys.executable, given, environ)
    agent = ExternalAgent("client", sys.executable, dialect, environ=environ)
    waker = Waker(store.path, "daemon")

    reply = agent.ask(
        Place(root, row.run).request(
            mcp={"team": server_for(row.run, root, os.environ)},
            protected=Protected(root, store.path),
            folder=None,
        )
    )

    assert "MSG-" in reply.text, reply.text
    assert reply.text.split("\n")[1:] == [READ_ONLY] * 3 + [""]
    said = [one for one in store.read(lambda tx: messages.after(tx, session)) if one.kind == "message"]
    assert [(one.sender, one.summary) for one in said] == [(row.role, f"[{row.role}] half of it is done")]
    assert waker.wait(5.0)
    assert reply.notes == ()
    waker.close()
    store.close()
