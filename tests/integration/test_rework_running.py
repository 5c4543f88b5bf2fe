"""feedback and revise, given while the task they concern is in the hands of an agent, at each moment of its run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.commands import manage, rework
from orchestrator.domain.errors import AgentLimited, NotAllowedNow
from tests import invariants
from tests.runtime_harness import RuntimeHarness, Told, says
from workers.agents.protocol import AgentRequest

WORDS = "The vision forgets schools"
BRIEF = "DRAFT-001"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    invariants.check(tmp_path / ".workflow" / "lifecycle.db")


class Author(Told):
    """Lets a person speak once, while it works on the brief: on the document itself or on one perspective of its round."""

    def __init__(self, moment: str, speak: Any) -> None:
        super().__init__("author")
        self.harness: RuntimeHarness | None = None
        self.spoken: list[Any] = []
        self.answers = {f"{BRIEF}/{moment}": self._interrupted}
        self._speak = speak

    def _interrupted(self, _: AgentRequest) -> Any:
        if not self.spoken:
            assert self.harness is not None
            self.spoken.append(self._speak(self.harness))
        return None

    def prompts(self, kind: str) -> list[str]:
        return [each.prompt for each in self.requests if each.kind == kind and each.task == BRIEF]


def feedback(harness: RuntimeHarness) -> Any:
    return rework.feedback(harness.store, harness.session, WORDS, who="me", max_attempts=3)


def at_work(folder: Path, moment: str, speak: Any = feedback) -> tuple[RuntimeHarness, Author]:
    """A harness whose author has been interrupted at its brief."""
    author = Author(moment, speak)
    harness = RuntimeHarness(folder, author, roles={"writer": ["author"], "analyst": ["builtin"]})
    author.harness = harness
    harness.run(harness.until(BRIEF))
    return harness, author


def story(harness: RuntimeHarness, key: str = BRIEF) -> list[tuple[str, int]]:
    return harness.rows(
        "SELECT outcome, counted FROM runs WHERE task_id = ? ORDER BY epoch", harness.task(key).id
    )


@pytest.mark.parametrize("moment", ["brief", "product"])
def test_feedback_on_a_running_task_starts_it_again_and_its_document_answers_it(
    folder: Path, moment: str
) -> None:
    harness, author = at_work(folder, moment)
    interrupted = story(harness)

    harness.run()

    asked = author.prompts("brief")
    done, target = author.spoken[0]
    assert (target.action, target.task, len(done.released)) == ("restart", BRIEF, 1)
    assert interrupted == [("released", 0)]
    assert story(harness) == [("released", 0), ("completed", 0)]
    assert [WORDS in prompt for prompt in asked] == [False, True], (
        "what was made before is not taken up again"
    )


def test_nothing_of_the_attempt_that_was_interrupted_counts(folder: Path) -> None:
    harness, _ = at_work(folder, "product")

    counted = harness.rows("SELECT count(*) FROM artifacts WHERE path LIKE 'spec/product-brief%'")
    calls = {call.outcome for call in harness.calls() if call.task == BRIEF}

    assert counted == [(0,)]
    assert "cut_off" in calls
    assert harness.task(BRIEF).payload["feedback"] == [WORDS]


def test_words_given_one_after_the_other_are_all_answered(folder: Path) -> None:
    harness, author = at_work(folder, "brief")
    more = rework.feedback(harness.store, harness.session, "The vision is too long", who="me", max_attempts=3)

    harness.run()

    last = author.prompts("brief")[-1]
    assert more[1].action == "add"
    assert WORDS in last and "The vision is too long" in last
    assert harness.task(BRIEF).attempts == 0


def test_feedback_while_a_person_has_paused_the_session_waits_with_it(folder: Path) -> None:
    def speak(harness: RuntimeHarness) -> Any:
        manage.pause(harness.store, harness.session, who="me")
        return feedback(harness)

    harness, _ = at_work(folder, "brief", speak)

    harness.beat()

    assert (harness.state().status, harness.state().pause_reason) == ("paused", "user")
    assert story(harness) == [("released", 0)]
    assert harness.task(BRIEF).offered_at is None


def test_a_running_task_cannot_be_revised_and_goes_on(folder: Path) -> None:
    def speak(harness: RuntimeHarness) -> Any:
        with pytest.raises(NotAllowedNow, match="in_progress") as refused:
            rework.revise(harness.store, harness.session, BRIEF, WORDS, force=True, who="me", max_attempts=3)
        return refused.value

    harness, author = at_work(folder, "brief", speak)

    assert "feedback" in author.spoken[0].fix
    assert story(harness) == [("completed", 0)]


def test_feedback_on_a_task_that_waits_for_an_account_leaves_it_waiting(folder: Path) -> None:
    author = Told("author", {"brief": AgentLimited("limit", why="weekly")})
    harness = RuntimeHarness(folder, author, roles={"writer": ["author"], "analyst": ["builtin"]})
    harness.run(harness.until(BRIEF))
    before = harness.task(BRIEF)

    done, target = feedback(harness)
    harness.beat()

    after = harness.task(BRIEF)
    assert (target.action, done.released) == ("add", ())
    assert (after.not_before, after.limited_by) == (before.not_before, "author")
    assert after.offered_at is None


def test_feedback_on_a_revision_that_runs_starts_that_one_again(folder: Path) -> None:
    low = dict.fromkeys((f"{BRIEF}/product", f"{BRIEF}/technical", f"{BRIEF}/coverage"), says(1))
    author = Author("brief", feedback)
    author.answers = low | {f"{BRIEF}-R1/brief": author._interrupted}
    harness = RuntimeHarness(folder, author, roles={"writer": ["author"], "analyst": ["builtin"]})
    author.harness = harness
    harness.run(harness.until(BRIEF))

    harness.run()
    harness.run()

    assert author.spoken[0][1].task == f"{BRIEF}-R1"
    assert story(harness, f"{BRIEF}-R1") == [("released", 0), ("completed", 0)]
    assert WORDS in next(each.prompt for each in author.requests[::-1] if each.kind == "brief")
