"""A cap is reached, the session pauses before the next call, and goes on with a higher one: nothing is done twice."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.e2e.support import agent_toml, lifecycle

SCRIPT = Path(__file__).parent / "agents" / "payer.py"
PACK = """\
extends: default
pipelines:
  brief-only:
    title: a product brief and nothing more
    tasks:
      - {key: RESEARCH-001, round: DISCUSS-001}
      - {key: DRAFT-001, round: DISCUSS-002, blocked_by: [RESEARCH-001]}
"""
BUILTIN = '\n[roles]\nanalyst = ["builtin"]\nwriter = ["builtin"]\n'


def test_a_cap_pauses_the_session_and_a_higher_one_goes_on_with_nothing_done_twice(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    extra = agent_toml("payer", [sys.executable, "-S", str(SCRIPT), str(calls), "0.1"]) + BUILTIN
    with lifecycle(tmp_path / "p", extra=extra) as project:
        packs = project.folder / ".workflow" / "packs"
        packs.mkdir()
        (packs / "brief.yaml").write_text(PACK)

        started = project.run("start", "Build a URL shortener", "--mode", "brief-only", "--max-usd", "0.45")
        shown, cost = project.run("check"), project.run("cost")
        refused = project.run("resume")
        before = calls.read_text().splitlines()
        resumed = project.run("resume", "--max-usd", "2")

        assert started.code == 3, started.err
        assert "unknown: no history of what payer costs" in started.err
        assert "at most $0.45" in started.err and "the price of payer is unknown" in started.err
        assert "80 % of a cap on the session is used" in started.err
        assert "Waiting for you: budget" in started.out
        assert "Cap   $0.50 of $0.45 (111 %)" in shown.out
        assert "lifecycle resume --max-usd 1.2" in shown.out
        assert "$0.50   " in cost.out and "payer: payer-1" in cost.out
        assert (refused.code, len(before)) == (2, 5)  # the two calls in flight as the cap was reached
        assert resumed.code == 0, resumed.err
        every = calls.read_text().splitlines()
        assert len(every) == len(set(every)) == 7
        assert project.rows("SELECT sum(cost_micros) FROM agent_calls") == [(700_000,)]
        assert project.rows(
            "SELECT DISTINCT cost_source, tokens_in, model FROM agent_calls WHERE metered = 1"
        ) == [("reported", 1_000, "payer-1")]
        assert project.story("DRAFT-001") == ["released", "completed"]
        assert project.rows("SELECT sum(attempts) FROM tasks") == [(0,)]
