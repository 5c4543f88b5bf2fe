"""The state of a session at each of its messages, from rows, is what the session was when that message was its last."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from orchestrator.domain.model import TaskStatus
from orchestrator.domain.past_state import Lived, status_then
from orchestrator.store import sessions, tasks
from orchestrator.store.store import Tx
from orchestrator.views.past import state_at
from tests.integration.test_state_machine import Lifecycles
from tests.patience import patient

Seen = tuple[str, str | None, dict[str, str]]


def now(tx: Tx, session: str) -> tuple[int, Seen]:
    """The session's last message, its status, reason and tasks."""
    row = sessions.get(tx, session)
    assert row is not None
    states = {task.key: task.status for task in tasks.all_tasks(tx, session)}
    return row.messages, (row.status, row.pause_reason, states)


def then(tx: Tx, session: str, number: int) -> Seen:
    row = sessions.get(tx, session)
    assert row is not None
    found = state_at(tx, row, f"MSG-{number:03d}")
    assert found["message"] == number
    states = {task["task"]: task["status"] for task in found["tasks"]}
    return found["status"], found["pause_reason"], states


class Replayed(Lifecycles):
    """Any order of steps; what was seen at each message is kept, and compared when the run is over."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[tuple[str, int], Seen] = {}
        tick = self.clock.tick

        def keep_and_tick(*given: Any) -> None:
            self.keep_what_is_seen()
            tick(*given)

        self.clock.tick = keep_and_tick  # type: ignore[method-assign]

    def keep_what_is_seen(self) -> None:
        """Before each tick: what has the same time has been written by then."""
        for session in self.model.sessions:
            number, seen = self.store.read(lambda tx, session=session: now(tx, session))
            self.seen.setdefault((session, number), seen)

    def everything_ends(self) -> None:
        super().everything_ends()
        self.replay()

    def replay(self) -> None:
        for (session, number), (status, reason, states) in self.seen.items():
            last, current = self.store.read(lambda tx, session=session: now(tx, session))
            found = self.store.read(lambda tx, at=(session, number): then(tx, *at))
            if number == last:
                assert found == current
                continue
            assert found[:2] == (status, reason), (session, number)
            assert found[2] == {key: _kept(then_, current[2][key]) for key, then_ in states.items()}, number


def _kept(then: str, now: str) -> str:
    """A failure that was retried or skipped later shows as pending."""
    return TaskStatus.PENDING if then == "failed" and now != "failed" else then


Replayed.TestCase.settings = settings(
    max_examples=5,
    stateful_step_count=40,
    derandomize=True,
    database=None,
    deadline=None,
    phases=(Phase.generate,),
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.timeout(patient(100))
class TestReplayed(Replayed.TestCase):  # type: ignore[misc, valid-type]
    pass


@pytest.mark.parametrize(
    ("given", "at", "status"),
    [
        ({"status": TaskStatus.COMPLETED, "finished_at": 30}, 9, None),
        ({"status": TaskStatus.COMPLETED, "finished_at": 30}, 10, TaskStatus.PENDING),
        ({"status": TaskStatus.COMPLETED, "finished_at": 30, "runs": ((20, 30),)}, 20, TaskStatus.IN_PROGRESS),
        ({"status": TaskStatus.COMPLETED, "finished_at": 30, "runs": ((20, 30),)}, 29, TaskStatus.IN_PROGRESS),
        ({"status": TaskStatus.COMPLETED, "finished_at": 30, "runs": ((20, 30),)}, 30, TaskStatus.COMPLETED),
        ({"status": TaskStatus.COMPLETED, "finished_at": 40, "runs": ((20, 25), (30, 40))}, 25, TaskStatus.PENDING),
        ({"status": TaskStatus.IN_PROGRESS, "finished_at": None, "runs": ((20, None),)}, 99, TaskStatus.IN_PROGRESS),
        ({"status": TaskStatus.FAILED, "finished_at": 30, "runs": ((20, 30),)}, 30, TaskStatus.FAILED),
        ({"status": TaskStatus.SKIPPED, "finished_at": 30}, 30, TaskStatus.SKIPPED),
        ({"status": TaskStatus.SKIPPED, "finished_at": 30}, 29, TaskStatus.PENDING),
    ],
)  # fmt: skip
def test_a_task_is_what_its_times_say(given: dict[str, Any], at: int, status: TaskStatus | None) -> None:
    assert status_then(Lived("A-1", created_at=10, **given), at) == status
