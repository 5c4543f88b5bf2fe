"""A session whose request asks for nothing to be built: its checkpoint asks what is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.cli.report import print_pause
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.pauses import PauseReason
from orchestrator.store import sessions
from orchestrator.store.store import Tx
from orchestrator.views.next_steps import pause_view
from tests import factories as make

LOG = "2026-05-01 10:00:01 INFO started\n2026-05-01 10:00:02 ERROR users must log in\n" * 4


def test_checkpoint_of_a_log_asks_what_is_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = make.make_store(tmp_path)

    def paused(request: str) -> JsonObject:
        session = make.make_session(store, request)

        def view(tx: Tx) -> JsonObject | None:
            sessions.pause(tx, session, PauseReason.CHECKPOINT, {})
            row = sessions.get(tx, session)
            assert row is not None
            return pause_view(tx, row)

        found = store.write(view)
        assert found is not None
        return found

    print_pause(paused(LOG))

    assert "question: the request reads like a log and asks for nothing" in " ".join(
        capsys.readouterr().out.split()
    )
    assert paused("Build a wiki")["question"] is None
