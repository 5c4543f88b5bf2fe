"""A command under a key is applied once, whoever sends it how often, and gets the answer that it got first."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.commands import advise, manage, portable, repair, resume, rework
from orchestrator.commands.by_name import COMMANDS, run
from orchestrator.commands.caller import Caller
from orchestrator.commands.command_arguments import PersonCommand, SessionCommand
from orchestrator.coordinator.projector import project
from orchestrator.domain.approvals import parse_token
from orchestrator.domain.command_keys import KEPT_DAYS, KEY_LENGTH
from orchestrator.domain.errors import Changed, KeyReused, NotAllowedNow, UsageError
from orchestrator.domain.pauses import PauseReason
from orchestrator.project import Project
from orchestrator.store import decisions, sessions
from orchestrator.store.store import Store
from orchestrator.views.next_steps import pause_view
from tests import factories as make
from tests import invariants
from tests.e2e.cli_world import work_off

pytestmark = pytest.mark.usefixtures("named_sessions")
WHO = "ann"
Do = Callable[[Store, str, str | None], Any]


@pytest.fixture
def store(tmp_path: Path) -> Any:
    made = make.make_store(tmp_path)
    yield made
    made.close()
    invariants.check(tmp_path / ".workflow" / "lifecycle.db")


def paused(store: Store) -> str:
    """A session that waits for somebody to accept its sign-off."""
    session = make.make_session(store, "Some work")
    work_off(store, session, low=("QUALITY-001",))
    row = store.read(lambda tx: sessions.get(tx, session))
    assert row is not None and row.pause_reason == PauseReason.SIGNOFF_BLOCKED
    return session


def rows(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    connection = sqlite3.connect(store.path, isolation_level=None)
    try:
        names = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names}
    finally:
        connection.close()


GIVEN = {"who": WHO, "max_attempts": 3}
COMMANDS_OF_A_PAUSE: dict[str, Do] = {
    "resume": lambda store, session, key: resume.resume(
        store, session, resume.Answer(WHO, "fine", force=True), more_attempts=3, key=key
    ),
    "revise": lambda store, session, key: rework.revise(
        store, session, "DRAFT-001", "bolder", force=False, key=key, **GIVEN
    ),
    "feedback": lambda store, session, key: rework.feedback(
        store, session, "add CSV", task="DRAFT-002", key=key, **GIVEN
    ),
    "recheck": lambda store, session, key: rework.recheck(store, session, key=key, **GIVEN),
    "improve": lambda store, session, key: rework.improve(store, session, "depth", key=key, **GIVEN),
    "advise": lambda store, session, key: advise.advise(
        store, session, advise.asked("is it sound?", None, None), key=key, **GIVEN
    ),
    "cancel": lambda store, session, key: manage.cancel(store, session, who=WHO, words="no", key=key),
    "repair": lambda store, session, key: repair.repair(store, session, key),
}


def repeated(answer: Any) -> bool:
    found = answer[0] if isinstance(answer, tuple) else answer
    return bool(found["repeated"] if isinstance(found, dict) else found.repeated)


@pytest.mark.parametrize("name", COMMANDS_OF_A_PAUSE)
def test_the_second_of_two_equal_commands_changes_nothing_and_gets_the_same_answer(
    store: Store, name: str
) -> None:
    session = paused(store)
    do = COMMANDS_OF_A_PAUSE[name]
    first = do(store, session, "k-1")
    before = rows(store)

    second = do(store, session, "k-1")

    assert (repeated(first), repeated(second)) == (False, True)
    assert plain(second) == plain(first)
    assert rows(store) == before
    assert len(before["commands"]) == 1


def plain(answer: Any) -> Any:
    """The answer without the mark of a repetition."""
    if isinstance(answer, tuple):
        return (plain(answer[0]), answer[1])
    found = dict(answer) if isinstance(answer, dict) else {n: getattr(answer, n) for n in answer.__slots__}
    found.pop("repeated", None)
    return found


def test_pause_archive_and_delete_take_a_key_too(store: Store) -> None:
    session = make.make_session(store)
    for _ in range(2):
        assert manage.pause(store, None, who=WHO, key="p").session == session
    manage.cancel(store, session, who=WHO)
    for _ in range(2):
        manage.archive(store, session, key="a")
    project(store, session)
    directory = store.workflow / ".team" / session
    assert directory.is_dir()

    gone = [manage.delete(store, session, who=WHO, key="d") for _ in range(2)]

    assert [each.repeated for each in gone] == [False, True]
    assert not directory.exists()
    assert [row[1] for row in rows(store)["commands"]].count("delete") == 1


def test_a_deletion_that_was_cut_off_before_the_files_is_finished_by_the_same_command(store: Store) -> None:
    session = make.make_session(store)
    manage.cancel(store, session, who=WHO)
    manage.delete(store, session, who=WHO, key="d")
    left = store.workflow / ".team" / session
    left.mkdir(parents=True)
    (left / "session.json").write_text("{}")

    manage.delete(store, session, who=WHO, key="d")

    assert not left.exists()


def test_a_repeated_deletion_leaves_a_session_alone_that_was_imported_again(
    store: Store, tmp_path: Path
) -> None:
    session = make.make_session(store)
    manage.cancel(store, session, who=WHO)
    portable.export(store, session, tmp_path / "kept.zip")
    manage.delete(store, session, who=WHO, key="d")
    portable.take_in(store, portable.read(tmp_path / "kept.zip"), store.workflow.parent, who=WHO)
    project(store, session)

    manage.delete(store, session, who=WHO, key="d")

    assert (store.workflow / ".team" / session).is_dir()


@pytest.mark.parametrize("other", ["another person", "other words", "another command"])
def test_a_key_that_was_for_another_command_is_refused_and_changes_nothing(store: Store, other: str) -> None:
    session = make.make_session(store)
    manage.pause(store, session, who=WHO, words="wait", key="k")
    before = rows(store)

    with pytest.raises(KeyReused, match="was used for another command") as refused:
        if other == "another command":
            manage.cancel(store, session, who=WHO, words="wait", key="k")
        else:
            who, words = ("bob", "wait") if other == "another person" else (WHO, "halt")
            manage.pause(store, session, who=who, words=words, key="k")

    assert refused.value.exit_code == 2
    assert refused.value.fix
    assert rows(store) == before


def test_a_refused_command_leaves_its_key_free(store: Store) -> None:
    session = make.make_session(store)
    with pytest.raises(NotAllowedNow):
        manage.archive(store, session, key="k")
    manage.cancel(store, session, who=WHO)

    assert not manage.archive(store, session, key="k").repeated


def test_without_a_session_named_the_command_is_the_same_though_another_one_is_meant_now(
    store: Store,
) -> None:
    first = make.make_session(store, "One")
    manage.cancel(store, None, who=WHO, key="k")
    second = make.make_session(store, "Two")

    assert manage.cancel(store, None, who=WHO, key="k").session == first
    assert store.read(lambda tx: sessions.session_state(tx, second)).status == "active"


@pytest.mark.parametrize("key", ["", " ", "a\nb", "x" * (KEY_LENGTH + 1), "a\u202eb"])
def test_a_key_that_nobody_can_repeat_is_refused(store: Store, key: str) -> None:
    make.make_session(store)

    with pytest.raises(UsageError, match="the key is not valid"):
        manage.pause(store, None, who=WHO, key=key)


def test_many_at_once_under_one_key_are_one(store: Store, tmp_path: Path) -> None:
    session = paused(store)
    other = Store(store.path)  # as another process would have it
    answers: list[Any] = []
    barrier = threading.Barrier(8)

    def send(through: Store) -> None:
        barrier.wait()
        answers.append(COMMANDS_OF_A_PAUSE["revise"](through, session, "k"))

    threads = [threading.Thread(target=send, args=((store, other)[n % 2],)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()

    assert sorted(repeated(each) for each in answers) == [False] + [True] * 7
    assert len({each.made for each in answers}) == 1
    assert {key for key in make.keys(store, session) if key.startswith("DRAFT-001-")} == {"DRAFT-001-R1"}


def test_old_keys_are_forgotten_but_for_those_that_made_or_removed_a_session(store: Store) -> None:
    kept, gone = make.make_session(store, "Kept", key="s"), make.make_session(store, "Gone")
    manage.cancel(store, gone, who=WHO, key="c")
    manage.delete(store, gone, who=WHO, key="d")
    day = 86_400 * 1_000_000
    connection = sqlite3.connect(store.path, isolation_level=None)
    connection.execute("UPDATE commands SET at = at - ?", (KEPT_DAYS * day + day,))
    connection.close()
    manage.pause(store, kept, who=WHO, key="p")

    assert store.write(decisions.forget_old_keys) == 1

    assert {row[0] for row in rows(store)["commands"]} == {"s", "d", "p"}


def test_each_command_by_name_takes_a_key(tmp_path: Path, store: Store) -> None:
    session = paused(store)
    caller = Quiet(Project(tmp_path), "ann (web)")
    asked = SessionCommand(command="revise", session=session, task="DRAFT-001", text="x", key="k")

    first, second = run(caller, asked), run(caller, asked)

    assert (first["repeated"], second["repeated"]) == (False, True)
    assert first["made"] == second["made"]
    assert {"resume", "pause", "archive", "repair"} <= COMMANDS.keys()


def test_a_person_may_answer_with_a_new_budget_and_their_agent_may_not(tmp_path: Path, store: Store) -> None:
    session = make.make_session(store, budget={"session": {"turns": 1}})
    store.write(lambda tx: sessions.pause(tx, session, PauseReason.BUDGET, {"scope": "session"}))

    with pytest.raises(ValueError, match="max_turns"):
        SessionCommand.model_validate({"command": "resume", "max_turns": 9})
    done = run(Quiet(Project(tmp_path), WHO), PersonCommand(command="resume", max_turns=9))

    assert (done["answered"], done["status"]) == ("budget", "active")


class Quiet(Caller):
    """Starts no coordinator."""

    def wake(self, *_: object, **__: object) -> list[str]:
        return []


ANSWERS = {
    PauseReason.USER: resume.Answer(WHO),
    PauseReason.TASK_FAILED: resume.Answer(WHO),
    PauseReason.STALLED: resume.Answer(WHO),
    PauseReason.AGENT_UNAVAILABLE: resume.Answer(WHO),
    PauseReason.DISK: resume.Answer(WHO),
    PauseReason.BUDGET: resume.Answer(WHO, caps={"turns": 9}),
    PauseReason.WORK_QUESTION: resume.Answer(WHO, decide="the first"),
    PauseReason.SIGNOFF_BLOCKED: resume.Answer(WHO),
    PauseReason.REVISION_EXHAUSTED: resume.Answer(WHO),
    PauseReason.DISCUSSION_BLOCKED: resume.Answer(WHO, decide="the first"),
    PauseReason.SUPERVISION_BLOCKED: resume.Answer(WHO),
    PauseReason.CHECKPOINT: resume.Answer(WHO),
}


def token(store: Store, session: str) -> Any:
    row = store.read(lambda tx: sessions.get(tx, session))
    assert row is not None
    view = store.read(lambda tx: pause_view(tx, row))
    assert view is not None
    return parse_token(view["token"])


@pytest.mark.parametrize("reason", ANSWERS)
def test_the_token_of_any_pause_answers_that_pause_and_no_later_one(
    store: Store, reason: PauseReason
) -> None:
    session = make.make_session(store, budget={"session": {"turns": 1}})
    detail = {"task": "DRAFT-001", "question": "which?"}
    store.write(lambda tx: sessions.pause(tx, session, reason, detail))
    answer = replace(ANSWERS[reason], expect=token(store, session))

    resume.resume(store, session, answer, more_attempts=3)
    with pytest.raises(Changed) as over:
        resume.resume(store, session, answer, more_attempts=3)
    store.write(lambda tx: sessions.pause(tx, session, reason, detail))
    before = rows(store)
    with pytest.raises(Changed) as later:
        resume.resume(store, session, answer, more_attempts=3)

    assert over.value.token is None
    assert later.value.token == str(token(store, session)) != str(answer.expect)
    assert rows(store) == before
