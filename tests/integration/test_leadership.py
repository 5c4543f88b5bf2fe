"""The leader lease as the daemon holds it."""

from __future__ import annotations

from pathlib import Path

import structlog

from orchestrator.coordinator.leadership import Leader, Leadership
from tests import factories


class LosesAtTheFirstRead(Leader):
    """A timer loses the lease between any two reads of the attribute."""

    @property
    def leadership(self) -> Leadership | None:
        found, self._held = self._held, None
        return found

    @leadership.setter
    def leadership(self, lead: Leadership | None) -> None:
        self._held = lead


def test_a_lease_lost_while_it_is_asked_for_does_not_look_like_another_leader(tmp_path: Path) -> None:
    store = factories.make_store(tmp_path)
    leader = LosesAtTheFirstRead(store, 30.0, structlog.get_logger(), lambda: None)

    first, second = leader.take(), leader.take()

    assert first is not None
    assert second is not None
    store.close()


def test_a_second_daemon_is_told_that_another_leads(tmp_path: Path) -> None:
    store = factories.make_store(tmp_path)
    one, other = (Leader(store, 30.0, structlog.get_logger(), lambda: None) for _ in range(2))

    lead, refused = one.take(), other.take()
    one.leave()

    assert lead is not None and refused is None
    assert other.take() is not None
    store.close()
