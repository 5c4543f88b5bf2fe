"""Only what was shown is approved: after an edit since the pause, `resume` wants the token of what is there now."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.coordinator.projector import project
from orchestrator.domain.pauses import PauseReason
from orchestrator.store import sessions
from tests import factories
from tests.e2e.cli_world import World, make_world, work_off
from tests.e2e.support import Gave, lifecycle

BRIEF = "spec/DRAFT-001.md"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        yield made
        made.store.close()


@pytest.fixture
def session(world: World) -> str:
    """A session that waits for somebody to accept its sign-off, blocked HIGH."""
    made = factories.make_session(world.store, "Some work")
    work_off(world.store, made, low=("QUALITY-001",))
    assert world.life.status(made) == ("paused", "signoff_blocked")
    return made


def edit(world: World, session: str, text: str, path: str = BRIEF) -> None:
    file = world.life.directory(session) / path
    file.write_text(file.read_text() + text)


def approval(world: World) -> dict[str, Any]:
    found = world.life.run("check", "--json").json()["pause"]["approval"]
    assert isinstance(found, dict)
    return found


def decisions(world: World) -> list[tuple[Any, ...]]:
    return world.life.rows("SELECT subject, digest FROM decisions ORDER BY id")


def token_of(refused: Gave) -> str:
    found = re.search(r"--expect (\S+)", refused.err)
    assert found is not None, refused.err
    return found[1]


def test_what_was_shown_is_approved_by_a_plain_resume(world: World, session: str) -> None:
    shown = approval(world)

    resumed = world.life.run("resume", "--detach")

    assert resumed.code == 0, resumed.err
    assert shown["as_shown"] and shown["changes"] == []
    assert decisions(world) == [("accept_signoff QUALITY-001", shown["digest"])]


def test_after_an_edit_a_plain_resume_is_refused_and_changes_nothing(world: World, session: str) -> None:
    edit(world, session, "mine\n")
    before = world.content()

    refused = world.life.run("resume", "--detach")

    assert refused.code == 2
    assert f"{BRIEF} was changed by user" in refused.err
    assert f"lifecycle diff {BRIEF} --from 1" in refused.err
    assert world.content() == before


def test_the_refusal_names_what_leads_on_and_both_commands_work(world: World, session: str) -> None:
    edit(world, session, "mine\n")
    token = token_of(world.life.run("resume", "--detach"))

    diff = world.life.run("diff", BRIEF, "--from", "1")
    shown = approval(world)
    resumed = world.life.run("resume", "--detach", "--expect", token)

    assert "+mine" in diff.out.splitlines()
    assert shown["token"] == token
    assert [(each["path"], each["by"], each["taken_in"]) for each in shown["changes"]] == [
        (BRIEF, "user", False)
    ]
    assert resumed.code == 0, resumed.err
    assert f"{BRIEF} was edited by hand; the edit is now a new version by user" in resumed.err
    assert decisions(world) == [("accept_signoff QUALITY-001", shown["digest"])]
    assert world.life.rows(
        "SELECT version, author FROM artifacts WHERE path = ? ORDER BY version", BRIEF
    ) == [
        (1, "writer"),
        (2, "user"),
    ]


def test_a_change_is_named_also_where_the_clock_stood_still(world: World, session: str) -> None:
    edit(world, session, "mine\n")
    project(world.store, session)
    with sqlite3.connect(world.life.database) as connection:
        at_the_pause = "(SELECT at FROM messages WHERE type = 'paused')"
        connection.execute(f"UPDATE artifacts SET created_at = {at_the_pause}")

    shown = approval(world)

    assert [(each["path"], each["shown"]) for each in shown["changes"]] == [(BRIEF, 1)]
    assert shown["diffs"] == [f"lifecycle diff {BRIEF} --from 1"]


def test_an_edit_that_was_taken_in_since_is_not_approved_either(world: World, session: str) -> None:
    edit(world, session, "mine\n")
    project(world.store, session)
    before = world.content()

    refused = world.life.run("resume", "--detach")
    unchanged = world.content() == before
    resumed = world.life.run("resume", "--detach", "--expect", token_of(refused))

    assert refused.code == 2
    assert unchanged
    assert "in its file" not in refused.err
    assert resumed.code == 0, resumed.err


def test_who_looked_before_somebody_else_edited_approves_nothing(world: World, session: str) -> None:
    edit(world, session, "of the first\n")
    seen = approval(world)["token"]
    edit(world, session, "of the second\n")
    before = world.content()

    plain = world.life.run("resume", "--detach")
    refused = world.life.run("resume", "--detach", "--expect", seen)

    assert (plain.code, refused.code) == (2, 2)
    assert "has changed since you saw that token" in refused.err
    assert token_of(refused) == approval(world)["token"] != seen
    assert world.content() == before


def test_who_saw_an_edit_that_was_taken_back_is_told_so(world: World, session: str) -> None:
    file = world.life.directory(session) / BRIEF
    at_first = file.read_text()
    edit(world, session, "of the first\n")
    seen = approval(world)["token"]
    file.write_text(at_first)

    refused = world.life.run("resume", "--detach", "--expect", seen)

    assert refused.code == 2
    assert "it is as the pause showed it" in refused.err


def test_a_token_of_another_pause_is_refused(world: World, session: str) -> None:
    seen = approval(world)["token"]
    number, _, digest = seen.partition(".")
    before = world.content()

    refused = world.life.run("resume", "--detach", "--expect", f"{int(number) + 1}.{digest}")

    assert refused.code == 2
    assert f"by message {number}, not {int(number) + 1}" in refused.err
    assert token_of(refused) == seen
    assert world.content() == before


def test_the_number_of_a_token_is_that_of_the_pause_in_the_log(world: World, session: str) -> None:
    number = approval(world)["token"].partition(".")[0]

    paused = [each for each in world.life.run("log", "--json").out.splitlines() if '"type": "paused"' in each]

    assert len(paused) == 1
    assert f'"id": "MSG-{int(number):03d}"' in paused[0]


def test_an_edit_that_was_taken_back_needs_no_token(world: World, session: str) -> None:
    file = world.life.directory(session) / BRIEF
    written = file.read_bytes()
    edit(world, session, "mine\n")
    project(world.store, session)
    file.write_bytes(written)

    resumed = world.life.run("resume", "--detach")

    assert resumed.code == 0, resumed.err


def test_an_edit_of_what_is_not_approved_is_taken_in_by_a_plain_resume(world: World, session: str) -> None:
    made = b"a record\n"
    world.store.write(lambda tx: _register(tx, session, "discussions/one.md", made))
    project(world.store, session)
    edit(world, session, "mine\n", "discussions/one.md")

    resumed = world.life.run("resume", "--detach")

    assert resumed.code == 0, resumed.err
    assert "discussions/one.md was edited by hand" in resumed.err


def _register(tx: Any, session: str, path: str, body: bytes) -> None:
    from orchestrator.store import artifacts

    digest = artifacts.put(tx, body)
    artifacts.register(tx, session, path, digest, len(body), "document", author="writer", task=None, run=None)


@pytest.mark.parametrize("reason", ["user", "task_failed", "disk", "agent_unavailable", "stalled"])
def test_a_pause_that_approves_nothing_takes_an_edit_in_without_a_token(world: World, reason: str) -> None:
    made = factories.make_session(world.store, "Some work")
    work_off(world.store, made, until="DRAFT-002")
    world.store.write(lambda tx: sessions.pause(tx, made, PauseReason(reason), {}))
    edit(world, made, "mine\n")

    named = world.life.run("resume", "--detach", "--expect", "1.0123456789abcdef")
    resumed = world.life.run("resume", "--detach")

    assert named.code == 2
    assert f"{made} waits for another answer, not the one you named" in named.err
    assert resumed.code == 0, resumed.err
    assert f"{BRIEF} was edited by hand" in resumed.err


def test_an_edit_made_while_resume_waits_for_the_database_is_not_approved(world: World, session: str) -> None:
    token = approval(world)["token"]
    for options in ([], ["--expect", token]):
        holder = sqlite3.connect(world.life.database, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        resuming = world.life.spawn("resume", "--detach", *options)
        assert resuming.stderr is not None
        waiting = resuming.stderr.readline()  # it has looked, and waits to answer
        edit(world, session, "late\n")
        holder.execute("ROLLBACK")
        holder.close()

        _, said = resuming.communicate(timeout=60)

        assert "waiting for the database" in waiting
        assert resuming.returncode == 2, said
        assert "--expect" in said
        assert world.life.status(session) == ("paused", "signoff_blocked")
        assert decisions(world) == []


def test_of_two_who_approve_at_once_one_does(world: World, session: str) -> None:
    edit(world, session, "mine\n")
    token = approval(world)["token"]

    both = [world.life.spawn("resume", "--detach", "--expect", token) for _ in range(2)]
    said = [process.communicate(timeout=90)[1] for process in both]

    assert sorted(process.returncode for process in both) == [0, 2], said
    assert len(decisions(world)) == 1


def test_a_failed_gate_needs_force_and_an_edit_its_token_besides(world: World) -> None:
    made = factories.make_session(world.store, "Some work")
    work_off(world.store, made, until="QUALITY-001")
    world.store.write(lambda tx: sessions.set_gate(tx, made, "FAIL", 41.0))
    world.store.write(lambda tx: sessions.pause(tx, made, PauseReason.CHECKPOINT, {}))
    edit(world, made, "mine\n")

    plain = world.life.run("resume", "--detach")
    forced = world.life.run("resume", "--detach", "--force")
    token = token_of(forced)
    unforced = world.life.run("resume", "--detach", "--expect", token)
    both = world.life.run("resume", "--detach", "--force", "--expect", token)

    assert [plain.code, forced.code, unforced.code, both.code] == [2, 2, 2, 0]
    assert "--force" in plain.err and "--force" in unforced.err
    assert f"lifecycle resume --force --expect {token}" in forced.err


def test_an_approval_that_fell_due_during_another_pause_is_for_what_was_scored(world: World) -> None:
    made = factories.make_session(world.store, "Some work")
    work_off(world.store, made, until="QUALITY-001")

    def unit(tx: Any) -> None:
        sessions.pause(tx, made, PauseReason.USER, {})
        sessions.defer_approval(tx, made, PauseReason.CHECKPOINT, {"task": "QUALITY-001"})

    world.store.write(unit)
    edit(world, made, "mine\n")

    first = world.life.run("resume", "--detach")
    refused = world.life.run("resume", "--detach")

    assert first.code == 0, first.err
    assert refused.code == 2
    assert f"lifecycle diff {BRIEF} --from 1" in refused.err
    assert world.life.status(made) == ("paused", "checkpoint")
