"""Refused commands: exit 2, one clear line of what, why and what to do, and nothing is changed."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.commands import rework
from tests import factories
from tests.e2e.cli_world import World, cancelled, make_world, note, work_off
from tests.e2e.support import Gave, lifecycle

DONE = "TLS-finished"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One unfinished session (RESEARCH-001 done), a finished and a cancelled one."""
    with lifecycle(tmp_path_factory.mktemp("refusals") / "project") as life:
        made = make_world(life)
        finished = factories.make_session(made.store, "Finished work")
        work_off(made.store, finished)
        cancelled(made.store, "Cancelled work")
        running = factories.make_session(made.store, "Running work")
        work_off(made.store, running, until="DRAFT-001")
        made.store.close()
        yield made


def refused(gave: Gave) -> None:
    assert gave.code == 2, (gave.code, gave.err)
    assert "Error: " in gave.err
    assert "\n  try: " in gave.err or "Try 'lifecycle" in gave.err
    assert "Traceback" not in gave.err + gave.out
    assert gave.out == "" or set(json.loads(gave.out)) == {"error"}  # the latter under `--json` alone


REFUSED = {
    "1 empty task": ["start", ""],
    "1 blank task": ["start", " \t\n "],
    "1 only markup": ["start", "# --- ***"],
    "3 missing file": ["start", "@nowhere.md"],
    "3 directory": ["start", "@."],
    "3 device": ["start", "@/dev/zero"],
    "3 no name": ["start", "@"],
    "4 closed stdin": ["start", "-"],
    "6 unknown session": ["check", "TLS-nothing"],
    "6 unknown session by option": ["tasks", "--session", "TLS-nothing"],
    "6 ambiguous session": ["check", "TLS-"],
    "6 unknown task": ["why", "DRAFT-009"],
    "6 unknown task to revise": ["revise", "DRAFT-009", "more"],
    "6 unknown round": ["discuss", "D9"],
    "130 unknown item": ["impact", "REQ-999"],
    "130 file outside": ["impact", "../../etc/passwd"],
    "130 absolute file": ["impact", "/etc/passwd"],
    "130 nothing": ["impact", " "],
    "130 long": ["impact", "x" * 600],
    "130 escape": ["impact", "REQ-\x1b[31m"],
    "6 unknown artifact": ["open", "nothing.md"],
    "6 unknown version": ["open", "RESEARCH-001.md", "--version", "9"],
    "7 id with dots": ["check", "../etc"],
    "7 id with percent": ["check", "TLS-%2e%2e"],
    "7 id with quote": ["check", "TLS-'--"],
    "7 long id": ["check", "T" * 300],
    "7 escape in id": ["check", "TLS-\x1b[31m"],
    "8 negative number": ["log", "-n", "-1"],
    "8 word for a number": ["log", "-n", "5min"],
    "8 zero slots": ["worker", "--slots", "0"],
    "8 huge number": ["worker", "--slots", "1000000"],
    "8 infinite number": ["log", "-n", "1e309"],
    "9 plan and detach": ["start", "Build a shop", "--plan", "--detach"],
    "9 plan and key": ["start", "Build a shop", "--plan", "--key", "k"],
    "9 retry and skip": ["resume", "--retry", "DRAFT-001", "--skip", "DRAFT-001"],
    "9 retry and force": ["resume", "--retry", "DRAFT-001", "--force"],
    "9 decision and force": ["resume", "--decide", "yes", "--force"],
    "9 record and replay": ["start", "Build a shop", "--record", "a", "--replay", "b"],
    "9 perspectives and no discussion": [
        "start",
        "Build a shop",
        "--discuss",
        "off",
        "--perspectives",
        "product",
    ],
    "9 no perspectives": ["start", "Build a shop", "--perspectives", " , "],
    "9 supervise without documents": ["start", "Build a shop", "--supervise", "--mode", "analyze-quick"],
    "9 print and edit": ["open", "RESEARCH-001.md", "--print", "--edit"],
    "9 json and edit": ["open", "RESEARCH-001.md", "--json", "--edit"],
    "9 all and one": ["cost", "--all", "--session", "TLS-running"],
    "9 list all and one": ["list", "--all", "--session", "TLS-running"],
    "9 probe and release": ["agents", "--probe", "--release", "claude"],
    "9 port without http": ["mcp", "--port", "8080"],
    "9 two sessions": ["check", "TLS-one", "--session", "TLS-two"],
    "10 revise unfinished": ["revise", "DRAFT-002", "more"],
    "10 improve without report": ["improve", "depth", "--session", "TLS-running"],
    "10 recheck without report": ["recheck", "--session", "TLS-running"],
    "10 retry of a task that did not fail": ["resume", "TLS-running", "--retry", "RESEARCH-001"],
    "10 skip of a running task": ["resume", "TLS-running", "--skip", "DRAFT-001"],
    "10 resume of a finished session": ["resume", "TLS-finished"],
    "10 resume of a cancelled session": ["resume", "TLS-cancelled"],
    "10 pause of a finished session": ["pause", "TLS-finished"],
    "10 archive of an unfinished session": ["archive", "TLS-running"],
    "10 delete of an unfinished session": ["delete", "TLS-running", "--yes"],
    "10 delete without asking anybody": ["delete", "TLS-finished"],
    "10 empty feedback": ["feedback", "  "],
    "10 empty decision": ["resume", "--decide", " "],
    "10 decision without a question": ["resume", "TLS-running", "--decide", "yes"],
    "unknown mode": ["start", "Build a shop", "--mode", "waterfall"],
    "mode not built": ["start", "shop", "--mode", "dynamic"],
    "unknown perspective": ["start", "Build a shop", "--perspectives", "product,nobody"],
    "unknown discuss form": ["start", "Build a shop", "--discuss", "loud"],
    "unknown execution": ["start", "Build a shop", "--execution", "random"],
    "unknown dimension": ["improve", "beauty", "--session", "TLS-finished"],
    "unusable key": ["start", "Build a shop", "--key", " "],
    "spec not there": ["start", "Build a shop", "--spec", "spec/"],
    "unknown option": ["check", "--colour"],
    "unknown command": ["chek"],
    "missing argument": ["why"],
    "msg delete": ["msg", "delete", "--id", "MSG-001"],
    "msg clear": ["msg", "clear"],
    "msg without words": ["msg", "log", "--summary", " "],
    "msg data that is no JSON": ["msg", "log", "--summary", "x", "--data", "{"],
    "msg data that is NaN": ["msg", "log", "--summary", "x", "--data", "NaN"],
    "msg from nobody": ["msg", "log", "--summary", "x", "--from", "a b"],
    "msg unknown id": ["msg", "read", "--id", "MSG-999"],
    "msg bad id": ["msg", "read", "--id", "../1"],
    "import of nothing": ["import", "nothing.zip"],
    "import of something else": ["import", ".workflow/config.toml"],
    "diff of one version": ["diff", "RESEARCH-001.md"],
    "project that is no folder": ["daemon", "run", "--project", "nowhere"],
}


@pytest.mark.parametrize("arguments", REFUSED.values(), ids=REFUSED.keys())
def test_a_refused_command_says_why_and_changes_nothing(world: World, arguments: list[str]) -> None:
    before = world.content()

    gave = world.life.run(*arguments)

    refused(gave)
    assert world.content() == before


CONTRADICTING = [name for name in REFUSED if name.startswith("9 ") and " and " in name]


@pytest.mark.parametrize("name", CONTRADICTING)
def test_contradicting_flags_are_both_named(world: World, name: str) -> None:
    flags = [word for word in REFUSED[name] if word.startswith("--")]

    gave = world.life.run(*REFUSED[name])

    assert [flag for flag in flags if flag not in gave.err.splitlines()[0]] == []
    assert "exclude each other" in gave.err


def test_perspectives_against_a_setting_without_discussions_are_refused(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p", {"discuss": "off"}) as life:
        gave = life.run("start", "Build a shop", "--perspectives", "product")
        other = life.run(
            "start", "Build a shop", "--perspectives", "product", "--discuss", "inline", "--plan"
        )

        refused(gave)
        assert "perspectives and discuss off exclude each other" in gave.err
        assert other.code == 0
        assert not life.database.exists()


FILES = {
    "binary": b"words\0words",
    "utf16": "words".encode("utf-16"),
    "latin": b"caf\xe9",
    "large": b"word " * 10_000_000,
    "empty": b"",
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_no_request_is_refused(world: World, kind: str, tmp_path: Path) -> None:
    file = note(tmp_path, f"{kind}.md", FILES[kind])
    before = world.content()

    gave = world.life.run("start", f"@{file}")

    refused(gave)
    assert world.content() == before


def test_a_fifo_and_a_socket_do_not_hang(world: World, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))

        gave = [world.life.run("start", f"@{tmp_path / name}", timeout=20) for name in ("fifo", "s")]

    for each in gave:
        refused(each)


def test_an_endless_standard_input_is_refused(world: World) -> None:
    with Path("/dev/zero").open("rb") as endless:
        gave = world.life.run("start", "-", stdin=endless, timeout=60)

    refused(gave)


def test_a_long_argument_is_refused_and_told_of_the_pipe(world: World) -> None:
    gave = world.life.run("start", "word " * 22_000)

    refused(gave)
    assert "@-" in gave.err


def test_an_unknown_name_lists_the_known_ones(world: World) -> None:
    gave = world.life.run("revise", "DRAFT-009", "more")

    assert all(key in gave.err for key in ("RESEARCH-001", "DRAFT-001", "QUALITY-001"))


def test_check_shows_each_of_several_unfinished_sessions_and_gives_a_program_one(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        unfinished = [factories.make_session(made.store, title) for title in ("One", "Two")]
        made.store.close()

        gave, program = life.run("check"), life.run("check", "--json")

        assert gave.code == 0
        assert [each for each in unfinished if f"{each}   " not in gave.out] == []
        refused(program)


def test_an_unknown_mode_is_told_before_a_task_that_says_nothing(world: World) -> None:
    gave = world.life.run("start", "x y z", "--mode", "fulllifecycle")

    refused(gave)
    assert "unknown mode 'fulllifecycle'" in gave.err and "did you mean 'full-lifecycle'?" in gave.err


@pytest.mark.parametrize(
    ("words", "fixes"),
    [
        (("show", "draft-002"), ["lifecycle tasks DRAFT-002", "lifecycle impact DRAFT-002"]),
        (("why", "REQ-002"), ["lifecycle impact REQ-002"]),
    ],
)
def test_a_name_of_another_kind_is_told_the_command_that_takes_it(
    world: World, words: tuple[str, ...], fixes: list[str]
) -> None:
    gave = world.life.run(*words)

    refused(gave)
    assert [each for each in fixes if f"`{each}`" not in gave.err] == []


def test_an_unknown_dimension_is_named_with_the_known_ones_whatever_the_session_does(world: World) -> None:
    for session in ("TLS-finished", "TLS-running", "TLS-cancelled"):
        gave = world.life.run("improve", "beauty", "--session", session)

        refused(gave)
        assert "unknown dimension 'beauty'" in gave.err
        known = ("completeness", "consistency", "traceability", "depth", "coverage")
        assert all(name in gave.err for name in known)


def test_an_ambiguous_session_lists_the_candidates(world: World) -> None:
    gave = world.life.run("check", "TLS-")

    assert "TLS-finished" in gave.err
    assert "TLS-cancelled" in gave.err


def test_a_stranger_s_id_cannot_colour_the_terminal(world: World) -> None:
    gave = world.life.run("check", "TLS-\x1b[31mred\x07")

    assert "\x1b" not in gave.err
    assert "\x07" not in gave.err


def test_looking_never_writes(world: World) -> None:
    before = world.content()
    looks = (
        "check",
        "status",
        "list",
        "show",
        "tasks",
        "artifacts",
        "log",
        "cost",
        "msg list",
        "msg status",
        "msg state",
    )

    gave = [world.life.run(*look.split(), "--session", "TLS-running") for look in looks]

    assert [each.code for each in gave] == [0] * len(looks)
    assert world.content() == before


def test_commands_in_an_empty_folder_make_nothing(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        (life.folder / ".workflow" / "config.toml").unlink()
        (life.folder / ".workflow").rmdir()
        (life.folder / ".git").mkdir()

        gave = [
            life.run(*command.split())
            for command in (
                "check",
                "resume",
                "pause",
                "cancel",
                "repair",
                "daemon stop",
                "revise DRAFT-001",
                "export",
            )
        ]

        for each in gave:
            refused(each)
        assert life.run("list").code == 0
        assert life.run("start", "Build a shop", "--plan").code == 0
        assert [path.name for path in life.folder.iterdir()] == [".git"]


def test_two_unfinished_sessions_must_be_told_apart(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        both = [factories.make_session(made.store, words) for words in ("First work", "Second work")]
        made.store.close()
        before = made.content()

        gave = life.run("resume")

        refused(gave)
        assert all(session in gave.err for session in both)
        assert made.content() == before


def test_a_third_revision_needs_force(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        session = factories.make_session(made.store, "Some work")
        work_off(made.store, session)
        for _ in range(2):
            rework.revise(made.store, session, "DRAFT-004", "again", force=False, who="t", max_attempts=3)
            work_off(made.store, session)
        made.store.close()
        before = made.content()

        gave = life.run("revise", "DRAFT-004", "once more", "--detach")

        refused(gave)
        assert "--force" in gave.err
        assert made.content() == before


def test_configuration_faults_come_all_at_once_with_their_lines(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        (life.folder / ".workflow" / "config.toml").write_text('slots = 0\nslotz = 3\nexecution = "never"\n')

        gave = life.run("start", "Build a shop")

        refused(gave)
        assert all(f"config.toml:{line}" in gave.err for line in (1, 2, 3))
        assert not life.database.exists()


def test_a_project_that_cannot_hold_a_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".workflow").write_text("a file in its place")

    gave = subprocess.run(
        [sys.executable, "-P", "-m", "orchestrator", "start", "Build a shop"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert gave.returncode == 2, gave.stderr
    assert "Traceback" not in gave.stderr
    assert (tmp_path / ".workflow").read_text() == "a file in its place"


@pytest.mark.parametrize("body", [b"", b"not a database at all, just words " * 100], ids=["empty", "text"])
def test_a_database_that_is_none_is_left_alone(tmp_path: Path, body: bytes) -> None:
    with lifecycle(tmp_path / "p") as life:
        life.database.write_bytes(body)

        gave = [life.run("check"), life.run("start", "Build a shop")]
        left = life.database.read_bytes()
        life.database.unlink()

        for each in gave:
            refused(each)
        assert left == body


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        make_world(life).store.close()
        connection = sqlite3.connect(life.database)
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
        connection.close()

        gave = life.run("check")

        refused(gave)
        assert "newer" in gave.err


def test_a_deleted_folder_is_refused(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        command = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'

        done = subprocess.run(
            ["sh", "-c", command, "sh", *life.command("check")],
            cwd=tmp_path,
            env=life.environment,
            capture_output=True,
            text=True,
            timeout=60,
        )

        assert done.returncode == 2, done.stderr
        assert "folder" in done.stderr
        assert "Traceback" not in done.stderr


def test_the_inside_of_a_repository_s_own_folder_is_no_project(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        inside = life.folder / ".git" / "hooks"
        inside.mkdir(parents=True)

        gave = life.run("start", "Build a shop", cwd=inside)

        refused(gave)
        assert list(inside.iterdir()) == []
