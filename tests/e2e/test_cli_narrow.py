"""What a terminal shows keeps its width: verdicts of followed events at 80 columns, `list` and `check` at 40."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import termios
from collections.abc import Iterator

import pytest

from orchestrator.cli.output import cells
from orchestrator.domain.pauses import PauseReason
from orchestrator.store import sessions
from tests import factories
from tests.e2e.cli_world import World, cancelled, make_world, work_off
from tests.e2e.support import Lifecycle, lifecycle

LONG = "Build a URL shortener with an administration and statistics of every link"
WIDE = "构建一个带有管理和统计功能的短链接服务，链接必须在三十天后过期，并且可以导出"
PAINT = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Sessions with long and with wide names: blocked with faults, edited since, cancelled, at work."""
    with lifecycle(tmp_path_factory.mktemp("narrow") / "p") as life:
        made = make_world(life)
        for request in (LONG, WIDE):
            blocked = factories.make_session(made.store, request)
            work_off(made.store, blocked, low=("QUALITY-001",))
            (life.directory(blocked) / "spec" / "DRAFT-001.md").write_text("# Mine\n")
            at_work = factories.make_session(made.store, request)
            work_off(made.store, at_work, until="DRAFT-002")
            cancelled(made.store, request)
            stalled = factories.make_session(made.store, request)
            detail = {"unmet": ["DRAFT-001 waits for something that will never be there again"]}
            made.store.write(
                lambda tx, stalled=stalled, detail=detail: sessions.pause(  # type: ignore[misc]
                    tx, stalled, PauseReason.STALLED, detail
                )
            )
        yield made
        made.store.close()


def every(world: World) -> list[str]:
    return [row[0] for row in world.life.rows("SELECT id FROM sessions ORDER BY id")]


def too_wide(shown: str, columns: int) -> list[str]:
    return [line for line in PAINT.sub("", shown).splitlines() if cells(line) > columns]


@pytest.mark.parametrize("columns", [20, 40, 60, 80])
def test_list_and_check_keep_the_width(world: World, columns: int) -> None:
    width = {"COLUMNS": str(columns)}

    shown = [world.life.run("list", env=width)]
    shown += [world.life.run("check", session, env=width) for session in every(world)]

    assert [gave.code for gave in shown] == [0] * len(shown)
    assert [too_wide(gave.out, columns) for gave in shown] == [[]] * len(shown)


def test_a_terminal_of_40_columns_is_kept_without_being_told(world: World) -> None:
    shown = [
        on_terminal(world.life, 40, "list"),
        *(on_terminal(world.life, 40, "check", s) for s in every(world)),
    ]

    assert all("TLS-" in each for each in shown)
    assert [too_wide(each, 40) for each in shown] == [[]] * len(shown)


def test_an_id_that_was_shortened_names_its_session(world: World) -> None:
    listed = world.life.run("list", env={"COLUMNS": "40"}).out
    shortened = re.findall(r"^TLS-\S*…\S*$", listed, re.M)

    found = [world.life.run("check", name, "--json").json()["session"] for name in shortened]

    assert len(shortened) >= 4
    assert all(cells(name) <= 40 for name in shortened)
    assert len(set(found)) == len(shortened)


def test_a_command_of_a_narrow_check_can_be_given_as_it_is_shown(world: World) -> None:
    session = next(each for each in every(world) if world.life.status(each) == ("paused", "signoff_blocked"))
    shown = world.life.run("check", session, env={"COLUMNS": "40"}).out
    command = re.search(r"lifecycle (diff .*?)\n {6}shows", shown, re.S)
    assert command is not None, shown

    given = world.life.run(*command[1].split())

    assert given.code == 0, given.err
    assert "+# Mine" in given.out


def test_a_pipe_has_one_line_a_session_whatever_it_takes(world: World) -> None:
    listed = world.life.run("list").out.splitlines()

    assert [line.split()[0] for line in listed[1:]] == [
        row[0] for row in world.life.rows("SELECT id FROM sessions ORDER BY created_at, id")
    ]


def on_terminal(life: Lifecycle, columns: int, *arguments: str) -> str:
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.chdir(life.folder)
        command = life.command(*arguments)
        os.execve(command[0], command, {**life.environment, "TERM": "xterm"})
    shown = b""
    while True:
        try:
            part = os.read(terminal, 65_536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(terminal)
    assert code == 0, shown
    return shown.decode(errors="replace").replace("\r\n", "\n")
