"""Our part of the comparison and the peers that are installed, with tiny numbers: the whole is `make bench-peers`."""

from __future__ import annotations

import ast
import json
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.bench.measure import TINY
from tests.bench.peers import floor, ours
from tests.bench.peers.adapters.steps import MARKS, STEPS
from tests.bench.peers.peers import PEERS, Peer
from tests.bench.peers.run import ADAPTERS, Figures, Marks, Run

# Those without a server that are installed beside the tests; huey always is.
AT_HAND = [peer for peer in PEERS if not peer.server and (peer.name == "huey" or find_spec(peer.name))]


def assert_measured(figures: Figures) -> None:
    assert 0 < figures.hop_median_ms <= figures.hop_p95_ms
    assert figures.tasks_per_s > 0
    assert figures.memory_mb and figures.memory_mb > 1
    assert figures.cold_start_s and figures.cold_start_s > 0


@pytest.mark.parametrize("peer", AT_HAND, ids=lambda peer: peer.name)
def test_a_peer_gives_its_figures(peer: Peer, tmp_path: Path) -> None:
    few = replace(peer, chains=1, many=2)

    with Run(few, Path(sys.prefix), tmp_path) as run:
        figures = run.measure(kill_window=0.5)

    assert_measured(figures)
    assert figures.killed and figures.killed.startswith(("yes", "no", "only"))


@pytest.mark.long
def test_we_give_our_figures_and_finish_what_a_killed_worker_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TINY, "1")

    figures = ours.measure()

    assert_measured(figures)
    assert figures.killed == "yes"


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
