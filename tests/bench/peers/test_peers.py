"""What can be known of the comparison without any peer: the whole is run by `make bench-peers`."""

from __future__ import annotations

import ast
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.bench.peers import floor, ours
from tests.bench.peers.adapters.steps import MARKS, STEPS
from tests.bench.peers.peers import PEERS, Peer
from tests.bench.peers.run import ADAPTERS, Marks


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_a_peer_has_pinned_versions_and_an_adapter_that_submits(peer: Peer) -> None:
    adapter = ast.parse((ADAPTERS / f"{peer.adapter}.py").read_text())

    functions = {each.name for each in adapter.body if isinstance(each, ast.FunctionDef)}

    assert all("==" in requirement for requirement in peer.requirements)
    assert "submit" in functions


def test_one_of_our_completions_is_counted_in_statements(tmp_path: Path) -> None:
    work = ours.work(tmp_path)

    assert work.updates >= 3  # the run, the task and the next one's
    assert work.inserts >= 2  # a message and a run


def test_the_limit_completes_every_chain_in_its_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(floor, "CHAINS", 8)

    figures = floor.measure(tmp_path, floor.Work(reads=1, updates=3, inserts=2), batch=4)

    with closing(sqlite3.connect(tmp_path / floor.DATABASE)) as connection:
        done = connection.execute("SELECT count(*) FROM task WHERE status = 'completed'").fetchone()
        events = connection.execute("SELECT count(*) FROM event").fetchone()
    assert (done, events) == ((8 * STEPS,), (8 * STEPS * 2,))
    assert figures["tasks_per_s"] > 0


def test_a_half_written_mark_is_read_when_it_is_whole(tmp_path: Path) -> None:
    marks = Marks(tmp_path)
    lines = "".join(json.dumps(["one", step, step * 1_000_000]) + "\n" for step in range(1, STEPS + 1))
    (tmp_path / MARKS).write_text(lines[:-4])

    early = marks.begun(["one"], STEPS)
    (tmp_path / MARKS).write_text(lines)

    assert not early
    assert marks.begun(["one"], STEPS)
    assert marks.hops_ms("one") == [1.0] * (STEPS - 1)
