"""Reading and managing sessions: what people and programs get, on whatever terminal."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.commands import rework
from orchestrator.coordinator.projector import project
from orchestrator.store import messages
from tests import factories
from tests.e2e.cli_world import World, make_world, work_off
from tests.e2e.support import Lifecycle, lifecycle

DOCS = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
REQUEST = "Build it \x1b[31mred\x1b[0m \u202eevil"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A finished session whose DRAFT-001 was revised, in a project with a difficult name."""
    with lifecycle(tmp_path_factory.mktemp("reading") / "pro ject \N{ROCKET}\nline") as life:
        made = make_world(life)
        session = factories.make_session(made.store, REQUEST)
        work_off(made.store, session)
        rework.revise(made.store, session, "DRAFT-001", "bolder", force=False, who="tester", max_attempts=3)
        work_off(made.store, session)
        made.store.write(
            lambda tx: messages.say(tx, session, "writer", "odd_type", "hello\x1b]0;title\x07", ref="a.md")
        )
        project(made.store, session)
        made.store.close()
        yield made


def keys_of(value: Any) -> set[str]:
    """Every key of ours in a JSON value; what agents and users named is theirs."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    free = {"options", "data", "reply", "detail", "timings", "dimensions", "agents"}
    return set(value) | set().union(*(keys_of(inner) for name, inner in value.items() if name not in free))


VIEWS = {
    "check": "check",
    "inbox": "inbox",
    "list": "list",
    "show": "show",
    "tasks": "tasks",
    "one task": "tasks DRAFT-001",
    "grouped tasks": "tasks --grouped",
    "artifacts": "artifacts",
    "why": "why DRAFT-002",
    "runs": "runs DRAFT-001",
    "all runs": "runs",
    "cost": "cost",
    "discuss": "discuss D2",
    "discussions": "discuss",
    "open": "open DRAFT-001.md",
    "open a list": "open",
    "msg list": "msg list",
    "msg status": "msg status",
    "msg read": "msg read --id MSG-001",
    "daemon status": "daemon status",
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
def test_every_view_has_json_with_documented_keys_and_plain_text(world: World, view: str) -> None:
    plain, as_json = world.life.run(*view.split()), world.life.run(*view.split(), "--json")

    assert (plain.code, as_json.code) == (0, 0), plain.err + as_json.err
    assert plain.out.strip()
    assert "\x1b" not in plain.out + as_json.out
    undocumented = {key for key in keys_of(as_json.json()) if f"`{key}`" not in DOCS}
    assert undocumented == set()


def test_check_shows_marks_rounds_and_gate(world: World) -> None:
    out = world.life.run("check").out

    assert "done RESEARCH-001 +D1 4.0" in out
    assert "completed" in out
    assert "REVIEW 72.5 %" in out


def test_without_an_argument_all_discussions_runs_and_artifacts_are_listed(world: World) -> None:
    discussions, runs, artifacts = (world.life.run(command).out for command in ("discuss", "runs", "open"))

    assert "DISCUSS-002  DRAFT-001-R1" in discussions
    assert {"DRAFT-001", "DRAFT-001-R1", "QUALITY-001"} <= {line.split()[1] for line in runs.splitlines()}
    assert artifacts == world.life.run("artifacts").out
    refused = world.life.run("open", "--print")
    assert (refused.code, refused.out) == (2, "")


def test_the_id_of_a_task_opens_its_document(world: World) -> None:
    by_task, by_path = (
        world.life.run("open", name, "--json").json() for name in ("draft-002", "DRAFT-002.md")
    )

    assert by_task == by_path
    assert by_task["path"] == "spec/DRAFT-002.md"


def test_why_names_the_run_that_finished_a_task(world: World) -> None:
    found = world.life.run("why", "DRAFT-002", "--json").json()
    (run,) = world.life.run("runs", "DRAFT-002", "--json").json()

    (because,) = found["because"]
    assert because.startswith(f"completed at {run['closed_at']} by run {run['run'][-8:]} ")
    assert "lifecycle runs DRAFT-002" in found["commands"]


def test_help_is_a_command_too(world: World) -> None:
    for command in ([], ["start"], ["msg", "list"]):
        assert world.life.run("help", *command).out.strip() == world.life.run(*command, "--help").out.strip()
    unknown = world.life.run("help", "statr")

    assert (unknown.code, unknown.out) == (2, "")
    assert "lifecycle help" in unknown.err


def test_help_as_json_names_commands_arguments_and_options(world: World) -> None:
    every = world.life.run("help", "--json").json()
    start = world.life.run("help", "start", "--json").json()
    hosts = world.life.run("help", "host", "--json").json()

    assert {"start", "check", "host"} <= {each["name"] for each in every["commands"]}
    assert start["command"] == "lifecycle start" and start["help"].startswith("Start a session")
    assert [each["names"] for each in start["arguments"]] == [["task"]]
    options = {name: each for each in start["options"] for name in each["names"]}
    assert not options["--mode"]["flag"] and options["--json"]["flag"] and options["--mode"]["help"]
    assert {"add", "revoke"} <= {each["name"] for each in hosts["commands"]}


def test_a_project_without_sessions_has_a_sentence_instead_of_an_empty_table(tmp_path: Path) -> None:
    with lifecycle(tmp_path) as life:
        listed = life.run("list")

    assert (listed.code, listed.out) == (0, "")
    assert "there are no sessions here yet" in listed.err


def test_the_log_is_json_lines_in_order(world: World) -> None:
    lines = [json.loads(line) for line in world.life.run("log", "--json").out.splitlines()]

    assert [line["id"] for line in lines] == [f"MSG-{n:03d}" for n in range(1, len(lines) + 1)]
    assert lines[0]["type"] == "created"
    assert len(world.life.run("log", "--last", "3").out.splitlines()) == 3


def test_what_strangers_wrote_is_shown_with_its_controls_written_out(world: World) -> None:
    shown = [world.life.run(*view.split()) for view in ("show", "list", "log", "msg list")]

    for each in shown:
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", each.out)
    assert "\\x1b[31mred" in shown[0].out


@pytest.mark.parametrize(
    "surroundings",
    [
        {"COLUMNS": "20"},
        {"COLUMNS": "abc"},
        {"COLUMNS": "-5"},
        {"TERM": "dumb"},
        {"NO_COLOR": "1"},
        {"HOME": ""},
        {"LANG": "", "LC_ALL": "POSIX"},
        {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"},
    ],
    ids=str,
)
def test_every_terminal_works(world: World, surroundings: dict[str, str]) -> None:
    gave = [
        world.life.run(*view.split(), env=surroundings) for view in ("check", "list", "tasks", "show --json")
    ]

    assert [each.code for each in gave] == [0, 0, 0, 0], [each.err for each in gave]
    assert json.loads(gave[3].out)["title"]


def test_without_home_it_works(world: World) -> None:
    bare = {key: value for key, value in world.life.environment.items() if key in ("PATH", "PYTHONPATH")}

    done = subprocess.run(
        world.life.command("config", "check"),
        cwd=world.life.folder,
        env=bare,
        capture_output=True,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr


def shell(life: Lifecycle, script: str) -> subprocess.CompletedProcess[str]:
    """The command as `"$@"` in a shell, for pipes and closed descriptors."""
    return subprocess.run(
        ["bash", "-c", script, "bash", *life.command()],
        cwd=life.folder,
        env=life.environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_reader_that_leaves_early_is_no_fault(world: World) -> None:
    done = shell(world.life, '"$@" log --json | true; echo "${PIPESTATUS[0]}"')

    assert done.stdout.strip() == "0"
    assert done.stderr == ""


def test_a_full_disk_behind_the_output_is_told(world: World) -> None:
    done = shell(world.life, '"$@" check > /dev/full')

    assert done.returncode == 1
    assert "could not be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_closed_descriptors_do_no_harm(world: World) -> None:
    before = world.content()

    codes = [
        shell(world.life, f'"$@" check {how}').returncode for how in (">&-", "2>&-", "<&-", ">&- 2>&- <&-")
    ]

    assert codes == [0, 0, 0, 0]
    assert world.content() == before


def test_diff_and_open_find_an_artifact_by_the_end_of_its_path(world: World) -> None:
    where = world.life.run("open", "DRAFT-001.md").out.strip("\n")
    printed = world.life.run("open", "spec/DRAFT-001.md", "--print").out

    assert where.endswith("/spec/DRAFT-001.md")
    assert printed == Path(where).read_text()


def test_artifacts_prints_the_one_that_is_named(world: World) -> None:
    printed, opened = (world.life.run(verb, "DRAFT-001.md", "--print").out for verb in ("artifacts", "open"))
    row = world.life.run("artifacts", "DRAFT-001.md").out
    refused = world.life.run("artifacts", "--print")

    assert printed == opened != ""
    assert "spec/DRAFT-001.md" in row and "DRAFT-002.md" not in row
    assert (refused.code, refused.out) == (2, "")


def test_an_edit_by_hand_is_a_version_that_diff_shows(world: World) -> None:
    file = world.life.directory() / "spec" / "DRAFT-002.md"
    file.write_text(file.read_text() + "mine\n")

    repaired = world.life.run("repair", "--json")
    diff = world.life.run("diff", "DRAFT-002.md")

    assert repaired.code == 0, repaired.err
    assert repaired.json()["edited"] == ["spec/DRAFT-002.md"]
    assert "+mine" in diff.out.splitlines()
    assert "by user" in diff.out


def test_repair_rebuilds_the_directory_byte_for_byte(world: World) -> None:
    world.life.run("repair")
    directory = world.life.directory()
    before = {file: file.read_bytes() for file in directory.rglob("*") if file.is_file()}
    mirror = directory / ".msg" / "messages.jsonl"
    mirror.write_text("tampered\n" * len(mirror.read_text().splitlines()))
    for file in list(before)[::2]:
        if file.name != "messages.jsonl":
            file.unlink()

    done = world.life.run("repair")

    assert done.code == 0, done.err
    assert {file: file.read_bytes() for file in directory.rglob("*") if file.is_file()} == before


def test_repair_names_what_it_cannot_mend_and_exits_1(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        session = factories.make_session(made.store, "Some work")
        work_off(made.store, session)
        made.store.close()
        connection = sqlite3.connect(life.database)
        connection.execute(
            "UPDATE contents SET body = x'00' WHERE sha256 = (SELECT sha256 FROM artifacts LIMIT 1)"
        )
        connection.commit()

        done = life.run("repair", "--json")

        assert done.code == 1
        assert "does not match its digest" in done.json()["faults"][0]


def test_repair_mends_a_counter_that_keeps_a_task_waiting(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        session = factories.make_session(made.store, "Some work")
        made.store.close()
        connection = sqlite3.connect(life.database)
        connection.execute("UPDATE tasks SET unmet = 3 WHERE key = 'DRAFT-001'")
        connection.commit()

        done = life.run("repair", "--json")

        assert done.code == 0, done.err
        assert "DRAFT-001" in done.json()["fixed"][0]
        assert life.rows("SELECT unmet FROM tasks WHERE key = 'DRAFT-001' AND session_id = ?", session) == [
            (1,)
        ]


def test_an_exported_session_is_the_same_after_import(world: World, tmp_path: Path) -> None:
    file = tmp_path / "session.zip"
    assert world.life.run("export", "--output", str(file)).code == 0

    with lifecycle(tmp_path / "elsewhere") as other:
        taken = other.run("import", str(file), "--json")
        again = other.run("import", str(file))

        assert taken.code == 0, taken.err
        assert again.code == 2
        for view in ("tasks", "artifacts", "cost", "runs DRAFT-001", "discuss D2"):
            mine, theirs = (each.run(*view.split(), "--json").json() for each in (world.life, other))
            assert theirs == mine, view
        log = [other.run("log", "--json").out.splitlines(), world.life.run("log", "--json").out.splitlines()]
        assert log[0][:-1] == log[1]
        assert (
            other.run("open", "DRAFT-001.md", "--print").out
            == world.life.run("open", "DRAFT-001.md", "--print").out
        )
        session = str(taken.json()["session"])
        shown = [each.directory(session) / "spec" / "DRAFT-001.md" for each in (other, world.life)]
        assert shown[0].read_bytes() == shown[1].read_bytes()
        assert not other.rows("SELECT id FROM sessions WHERE projected < messages")
        assert other.run("repair").code == 0


def test_the_files_that_a_killed_import_did_not_write_are_written_by_the_next_command(
    world: World, tmp_path: Path
) -> None:
    file = tmp_path / "session.zip"
    world.life.run("export", "--output", str(file))
    kill = {"LIFECYCLE_FAILPOINT": "projector.before_rename=kill"}

    with lifecycle(tmp_path / "elsewhere") as other:
        killed = other.run("import", str(file), env=kill, start_new_session=True)
        ((session,),) = other.rows("SELECT id FROM sessions WHERE projected = 0")
        archived = other.run("archive", session)

        assert (killed.code, archived.code) == (-signal.SIGKILL, 0), archived.err
        assert not other.rows("SELECT id FROM sessions WHERE projected < messages")
        shown = [each.directory(session) / "spec" / "DRAFT-001.md" for each in (other, world.life)]
        assert shown[0].read_bytes() == shown[1].read_bytes()


def test_an_import_whose_files_cannot_be_written_says_so_and_stands(world: World, tmp_path: Path) -> None:
    file = tmp_path / "session.zip"
    world.life.run("export", "--output", str(file))

    with lifecycle(tmp_path / "elsewhere") as other:
        factories.make_store(other.folder).close()
        (other.folder / ".workflow" / ".team").write_text("mine")
        taken = other.run("import", str(file), "--json")

        assert taken.code == 0, taken.err
        assert f"lifecycle repair {taken.json()['session']}" in taken.err
        assert "Traceback" not in taken.err
        assert (other.folder / ".workflow" / ".team").read_text() == "mine"


def test_a_session_exported_while_it_runs_arrives_paused_with_nothing_under_way(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life, lifecycle(tmp_path / "q") as other:
        made = make_world(life)
        session = factories.make_session(made.store, "Some work")
        work_off(made.store, session, until="DRAFT-002")
        made.store.close()
        file = life.folder / f"{session}.lifecycle.zip"

        out = life.run("export")
        taken = other.run("import", str(file))

        assert out.stdout.strip() == file.name
        assert file.stat().st_mode & 0o777 == 0o600
        assert taken.code == 0, taken.err
        assert other.status() == ("paused", "user")
        assert other.tasks()["DRAFT-002"] == "pending"
        assert other.story("DRAFT-002") == ["released"]


def test_a_tampered_export_is_refused_and_leaves_nothing(world: World, tmp_path: Path) -> None:
    file = tmp_path / "session.zip"
    world.life.run("export", "--output", str(file))
    evil = tmp_path / "evil.zip"
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(evil, "w") as new:
        for member in old.infolist():
            body = old.read(member)
            if member.filename == "rows/artifacts.json":
                body = body.replace(b"spec/DRAFT-001.md", b"../../escaped.md")
            new.writestr(member.filename, body)

    with lifecycle(tmp_path / "q") as other:
        done = other.run("import", str(evil))

        assert done.code == 2
        assert "unsafe path" in done.err
        assert not other.database.exists()


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("tasks", {"status": "donee"}),
        ("edges", {"blocker_id": 99_999}),
        ("runs", {"host": "nobody"}),
        ("messages", {"number": 0}),
        ("artifacts", {"version": "one"}),
        ("sessions", {"gate": [1]}),
        ("sessions", {"messages": 1}),
    ],
)
def test_an_export_whose_rows_do_not_fit_is_refused_as_a_whole(
    world: World, tmp_path: Path, table: str, change: dict[str, Any]
) -> None:
    file, evil = tmp_path / "session.zip", tmp_path / "evil.zip"
    world.life.run("export", "--output", str(file))
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(evil, "w") as new:
        for member in old.infolist():
            body = old.read(member)
            if member.filename == f"rows/{table}.json":
                rows = json.loads(body)
                rows[0] |= change
                body = json.dumps(rows).encode()
            new.writestr(member.filename, body)

    with lifecycle(tmp_path / "q") as other:
        done = other.run("import", str(evil))

        assert done.code == 2, done.err
        assert "Traceback" not in done.err
        counted = "SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM contents)"
        assert not other.database.exists() or other.rows(counted) == [(0,)]


def test_an_export_never_overwrites(world: World, tmp_path: Path) -> None:
    file = tmp_path / "precious"
    file.write_text("mine")

    done = world.life.run("export", "--output", str(file))

    assert done.code == 2
    assert file.read_text() == "mine"


def test_a_message_of_the_bus_comes_back_as_it_was_said(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        session = factories.make_session(made.store, "Some work")
        made.store.close()

        said = life.run(
            "msg", "log", "--team", session, "--from", "writer", "--to", "coordinator", "--type", "draft_ready",
            "--summary", "done", "--ref", "spec/a.md", "--data", '{"options": [1]}', "--json",
        )  # fmt: skip
        life.run("msg", "broadcast", "--summary", "to all", "--type", "my_own")
        read = life.run("msg", "read", "--id", said.json()["id"], "--json").json()
        listed = life.run("msg", "list", "--json").json()

        assert (read["from"], read["to"], read["type"], read["summary"]) == (
            "writer",
            "coordinator",
            "draft_ready",
            "[writer] done",
        )
        assert (read["ref"], read["data"], read["known_type"]) == ("spec/a.md", {"options": [1]}, True)
        assert [each["known_type"] for each in listed] == [True, False]
        assert [each["to"] for each in life.run("msg", "list", "--to", "all", "--json").json()] == ["all"]
        assert {each["member"] for each in life.run("msg", "status", "--json").json()} == {
            "coordinator",
            "user",
            "writer",
        }


def test_a_session_is_paused_cancelled_archived_and_deleted(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        session = factories.make_session(made.store, "Some work")
        project(made.store, session)
        made.store.close()

        paused = life.run("pause", "--words", "lunch")
        twice = life.run("pause")
        why = life.run("why", "RESEARCH-001").out
        cancelled = life.run("cancel")
        archived = life.run("archive", session)
        listed = [life.run("list", *flags, "--json").json() for flags in ([], ["--all"])]
        deleted = life.run("delete", session, "--yes")

        assert [each.code for each in (paused, twice, cancelled, archived, deleted)] == [0, 2, 0, 0, 0]
        assert "paused" in why and "user" in why
        assert [len(each) for each in listed] == [0, 1]
        assert life.rows("SELECT count(*) FROM sessions") == [(0,)]
        assert life.rows("SELECT name FROM commands WHERE session_id = ?", session) == [("delete",)]
        assert not life.directory(session).exists()


def test_doctor_and_agents_answer(world: World) -> None:
    found = {each["check"]: each for each in world.life.run("doctor", "--json").json()}

    assert found["database"]["state"] == "ok"
    assert found["agents"]["state"] == "ok"
    assert "builtin" in world.life.run("agents").out


def test_doctor_names_each_fault_and_exits_1(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        (life.folder / ".workflow" / "config.toml").write_text("slotz = 3\n")
        life.database.write_bytes(b"")

        done = life.run("doctor", "--json")
        life.database.unlink()

        found = {each["check"]: each for each in done.json()}
        assert done.code == 1
        assert found["database"]["state"] == "fault"
        assert "config.toml:1" in found["configuration"]["fix"]


def test_a_starting_configuration_is_written_once_and_has_no_fault(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        (life.folder / ".workflow" / "config.toml").unlink()

        first, second = life.run("config", "init"), life.run("config", "init")

        assert (first.code, second.code) == (0, 2)
        assert life.run("config", "check").code == 0
        assert "lease_seconds" in life.run("config", "show").out


def test_an_internal_error_is_no_traceback_unless_asked_for(world: World) -> None:
    broken = {
        "PYTHONPATH": f"{Path(__file__).parent / 'broken'}{os.pathsep}{world.life.environment['PYTHONPATH']}"
    }

    plain, debug = (world.life.run(*given, env=broken) for given in (["check"], ["check", "--debug"]))

    assert (plain.code, debug.code) == (1, 1)
    assert "internal error" in plain.err
    assert "Traceback" not in plain.err
    assert "Traceback" in debug.err
