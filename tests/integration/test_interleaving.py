"""Every guarded UPDATE against somebody who was quicker: what was seen before their commit changes nothing after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from orchestrator.domain.errors import LeaseLost, LifecycleError
from orchestrator.domain.model import AdvanceKind, RunOutcome
from orchestrator.domain.pauses import PauseReason
from orchestrator.lifecycle import finished_run, report
from orchestrator.store import claims, leases, sessions, tasks, transitions
from orchestrator.store.rows import Run
from orchestrator.store.store import Store, Tx
from tests import factories as make
from tests import invariants

LOST = "lease lost"
Act = Callable[[Tx, "World"], Any]


@dataclass
class World:
    """Two processes' doors to one database, and what ours has seen: the open run of DRAFT-001, and its successor."""

    ours: Store
    theirs: Store
    session: str
    run: Run
    next: Run

    def facts(self) -> list[Any]:
        """Everything that a transition could change."""
        return self.ours.read(
            lambda tx: [
                [
                    row._asdict() | {"blocked_by": list(row.blocked_by)}
                    for row in tasks.all_tasks(tx, self.session)
                ],
                tasks.open_runs(tx, self.session),
                sessions.get(tx, self.session),
            ]
        )


@pytest.fixture
def world(make_store: Callable[..., Store]) -> Iterator[World]:
    ours = make_store()
    theirs = make.another(ours)
    session = make.make_session(ours)
    make.make_host(ours, "h-1")
    make.make_host(ours, "h-2")
    make.one_beat(ours, session, make.lead(ours))
    first = make.claim(ours, "h-1")
    assert first is not None
    run = make.finish(ours, first).next
    following = ours.read(lambda tx: tasks.task(tx, session, "DRAFT-002"))
    assert run is not None and run.key == "DRAFT-001" and following is not None
    yield World(ours, theirs, session, run, following)
    invariants.check_store(ours)
    ours.close()
    theirs.close()


def done(row: Run) -> finished_run.Report:
    """A report that the close of the run alone must stop: nothing was noted before it."""
    return finished_run.Report(row, "draft_ready", "done", None, True, {}, {})


def complete(tx: Tx, world: World) -> Any:
    return report.complete(tx, done(world.run), make.ALL_ROLES, draining=True).advance.kind


def fail(tx: Tx, world: World, counted: bool = True) -> Any:
    return report.fail(tx, world.run, "boom", counted=counted, backoff=(), timings={})


def give_back(tx: Tx, world: World) -> Any:
    return fail(tx, world, counted=False)


def lose(tx: Tx, world: World) -> Any:
    return transitions.revoke(tx, world.run.run, world.run.id, RunOutcome.LOST, "gone", counted=True)


def release(tx: Tx, world: World) -> Any:
    return transitions.revoke(tx, world.run.run, world.run.id, RunOutcome.RELEASED, "rework", counted=False)


def finish_and_offer(tx: Tx, world: World) -> Any:
    complete(tx, world)
    return transitions.offer(tx, world.next.id)


def start_next(tx: Tx, world: World) -> Any:
    return claims.start_directly(tx, world.next, "h-2", AdvanceKind.LOOP, None)


def finish_and_start(tx: Tx, world: World) -> Any:
    complete(tx, world)
    return start_next(tx, world)


def give_up(tx: Tx, world: World) -> Any:
    """Three counted attempts in one go: the task has failed."""
    tx.opened.cursor.execute(f"UPDATE tasks SET max_attempts = 1 WHERE id = {world.run.id}")
    return fail(tx, world)


def skip_next(tx: Tx, world: World) -> Any:
    return transitions.skip(tx, world.next.id)


def finish_and_skip(tx: Tx, world: World) -> Any:
    """Nothing but its state says that the successor is not to be started: it waits for nobody."""
    complete(tx, world)
    return skip_next(tx, world)


def start_as_it_is(tx: Tx, world: World) -> Any:
    now = tasks.task(tx, world.session, world.next.key)
    assert now is not None
    return claims.start_directly(tx, now, "h-2", AdvanceKind.LOOP, None)


def fail_for_now(tx: Tx, world: World) -> Any:
    """The next attempt waits for its backoff."""
    return report.fail(tx, world.run, "boom", counted=True, backoff=(600,), timings={})


def start_again(tx: Tx, world: World) -> Any:
    now = tasks.task(tx, world.session, world.run.key)
    assert now is not None
    return claims.start_directly(tx, now, "h-2", AdvanceKind.LOOP, None)


def offer_and_drain(tx: Tx, world: World) -> Any:
    finish_and_offer(tx, world)
    return leases.renew(tx, "h-2", [], 30, draining=True)


def finish_and_drain(tx: Tx, world: World) -> Any:
    complete(tx, world)
    return leases.renew(tx, "h-2", [], 30, draining=True)


def pause(tx: Tx, world: World) -> Any:
    return sessions.pause(tx, world.session, PauseReason.USER, {})


def finish_and_pause(tx: Tx, world: World) -> Any:
    complete(tx, world)
    return pause(tx, world)


def cancel(tx: Tx, world: World) -> Any:
    lose_to_person = transitions.revoke(
        tx, world.run.run, world.run.id, RunOutcome.CANCELLED, "cancelled", counted=False
    )
    transitions.cancel_all(tx, world.session)
    return lose_to_person and sessions.cancel(tx, world.session)


def new_blocker(tx: Tx, world: World) -> Any:
    """The successor waits for a new task: it is not ready any more."""
    complete(tx, world)
    new = {"key": "IMPROVE-depth-001", "seq": 99, "role": "writer", "prefix": "IMPROVE", "phase": "spec"}
    task = transitions.add_task(tx, world.session, {**new, "payload": {}, "max_attempts": 3})
    return transitions.add_edge(tx, world.session, world.next.id, task)


def end_host(tx: Tx, world: World) -> Any:
    return leases.end_host(tx, "h-1")


OF_RUN = {
    "phase": lambda tx, world: claims.note_phase(tx, world.run.run, world.run.host, "produce"),
    "product": lambda tx, world: claims.note_produced(
        tx, world.run.run, world.run.host, "digest", "builtin", {}
    ),
    "hold": lambda tx, world: claims.assert_lease(tx, world.run.run, world.run.host),
    "complete": complete,
    "fail": fail,
    "give back": give_back,
}
QUICKER = {
    "lost": lose,
    "released": release,
    "cancelled": cancel,
    "completed": complete,
    "failed": fail,
    "given up": give_up,
    "its host has ended": end_host,
}
STALE: dict[str, tuple[Act, Act, Any]] = {  # what they do, what we do then, what it gives
    "offer twice": (finish_and_offer, lambda tx, world: transitions.offer(tx, world.next.id), False),
    "offer in a paused session": (
        finish_and_pause,
        lambda tx, world: transitions.offer(tx, world.next.id),
        False,
    ),
    "offer what waits again": (new_blocker, lambda tx, world: transitions.offer(tx, world.next.id), False),
    "offer what was skipped": (
        finish_and_skip,
        lambda tx, world: transitions.offer(tx, world.next.id),
        False,
    ),
    "start what is offered": (finish_and_offer, start_next, None),
    "start what was started": (finish_and_start, start_next, None),
    "start what was offered and withdrawn": (
        lambda tx, world: (finish_and_offer(tx, world), withdraw(tx, world)),
        start_next,
        None,
    ),
    "start in a paused session": (finish_and_pause, start_next, None),
    "start what waits again": (new_blocker, start_next, None),
    "start what was skipped": (finish_and_skip, start_next, None),
    "start what is seen to be offered": (finish_and_offer, start_as_it_is, None),
    "start what was cancelled": (cancel, start_next, None),
    "start before the backoff is over": (fail_for_now, start_again, None),
    "start on a host that drains": (finish_and_drain, start_next, None),
    "claim on a host that drains": (
        offer_and_drain,
        lambda tx, world: claims.claim(tx, "h-2", make.ALL_ROLES),
        None,
    ),
    "take away what is completed": (complete, lose, None),
    "take away twice": (lose, lose, None),
    "take away what was given back": (give_back, release, None),
    "skip what runs": (finish_and_start, skip_next, False),
    "skip twice": (skip_next, skip_next, False),
    "retry what was retried": (
        lambda tx, world: (give_up(tx, world), transitions.retry(tx, world.run.id, 3)),
        lambda tx, world: transitions.retry(tx, world.run.id, 3),
        False,
    ),
    "retry what was skipped": (
        lambda tx, world: (give_up(tx, world), transitions.skip(tx, world.run.id)),
        lambda tx, world: transitions.retry(tx, world.run.id, 3),
        False,
    ),
    "new input for what runs": (
        finish_and_start,
        lambda tx, world: transitions.set_payload(tx, world.next.id, {"feedback": ["more"]}),
        False,
    ),
    "pause twice": (pause, pause, False),
    "pause what was cancelled": (cancel, pause, False),
    "resume for another reason": (
        pause,
        lambda tx, world: sessions.resume(tx, world.session, PauseReason.CHECKPOINT),
        False,
    ),
    "complete what was paused": (pause, lambda tx, world: sessions.complete(tx, world.session), False),
    "reopen what was cancelled": (cancel, lambda tx, world: sessions.reopen(tx, world.session), False),
    "cancel twice": (cancel, lambda tx, world: sessions.cancel(tx, world.session), False),
    "claim what was withdrawn": (
        lambda tx, world: (finish_and_offer(tx, world), transitions.withdraw_offers(tx, world.session)),
        lambda tx, world: claims.claim(tx, "h-2", make.ALL_ROLES),
        None,
    ),
    "claim what was started": (
        finish_and_start,
        lambda tx, world: claims.claim(tx, "h-2", make.ALL_ROLES),
        None,
    ),
    "renew a run that was lost": (
        lose,
        lambda tx, world: len(leases.renew(tx, "h-1", [world.run.run], 30)[1]),
        1,
    ),
}


@pytest.mark.parametrize("quicker", QUICKER)
@pytest.mark.parametrize("write", OF_RUN)
def test_no_write_of_a_worker_counts_after_its_run_was_closed(world: World, write: str, quicker: str) -> None:
    world.theirs.write(lambda tx: QUICKER[quicker](tx, world))
    before = world.facts()

    with pytest.raises(LeaseLost):
        world.ours.write(lambda tx: OF_RUN[write](tx, world))

    assert world.facts() == before


@pytest.mark.parametrize("name", STALE)
def test_what_was_seen_before_another_was_quicker_changes_nothing(world: World, name: str) -> None:
    theirs, ours, answer = STALE[name]
    world.theirs.write(lambda tx: theirs(tx, world))
    before = world.facts()

    given = world.ours.write(lambda tx: ours(tx, world))

    assert given == answer
    if not name.startswith("renew"):
        assert world.facts() == before


def withdraw(tx: Tx, world: World) -> Any:
    return transitions.withdraw_offers(tx, world.session)


def offer_anew(tx: Tx, world: World) -> Any:
    withdraw(tx, world)
    return transitions.offer(tx, world.next.id)


def claim_it(tx: Tx, world: World) -> Any:
    return claims.claim(tx, "h-1", make.ALL_ROLES)


@pytest.mark.parametrize("quicker", [withdraw, offer_anew, claim_it, pause, cancel])
def test_an_offer_seen_before_another_was_quicker_is_not_claimed(
    world: World, quicker: Act, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.theirs.write(lambda tx: finish_and_offer(tx, world))
    seen = world.ours.read(lambda tx: tasks.oldest_offer(tx, make.ALL_ROLES))
    world.theirs.write(lambda tx: quicker(tx, world))
    before = world.facts()
    monkeypatch.setattr(claims, "oldest_offer", lambda *_, **__: seen)  # as READ COMMITTED may see it

    assert world.ours.write(lambda tx: claims.claim(tx, "h-2", make.ALL_ROLES)) is None

    assert seen is not None and world.facts() == before


@pytest.mark.parametrize("host", ["h-2", "h-nobody"])
@pytest.mark.parametrize("write", OF_RUN)
def test_no_host_writes_for_another_ones_run(world: World, write: str, host: str) -> None:
    own, world.run = world.run, world.run._replace(host=host)
    before = world.facts()

    with pytest.raises(LifecycleError):
        world.ours.write(lambda tx: OF_RUN[write](tx, world))

    assert world.facts() == before
    world.run = own
    assert world.ours.write(lambda tx: complete(tx, world)) is not None
