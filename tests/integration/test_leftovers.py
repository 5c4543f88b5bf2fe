"""How often a host looks for processes of closed runs: not every few seconds while it has no work."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import structlog

from orchestrator.door.local_desk import LocalDesk
from tests import factories as make
from workers.host import leftovers
from workers.host.leftovers import Leftovers

OF_AN_OPEN_RUN = {"r" * 32: [1]}


@pytest.mark.parametrize(
    ("living", "worked", "again"),
    [
        ({}, -1.0, False),
        ({}, 3600.0, True),
        (OF_AN_OPEN_RUN, -1.0, True),
    ],
    ids=["idle", "has worked since", "something lives"],
)
def test_an_idle_host_looks_for_leftovers_less_often(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    living: dict[str, list[int]],
    worked: float,
    *,
    again: bool,
) -> None:
    scans = []

    def scan(name: str) -> dict[str, list[int]]:
        scans.append(name)
        return living

    monkeypatch.setattr(leftovers, "by_mark", scan)
    store = make.make_store(tmp_path)
    looking = Leftovers(LocalDesk(store), 0.0, structlog.get_logger())

    looking.poll(time.monotonic() + worked)
    looking.poll(time.monotonic() + worked)

    assert len(scans) == 1 + again
    store.close()
