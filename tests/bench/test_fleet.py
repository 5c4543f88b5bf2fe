"""The simulation of a million sessions agrees with the design's table where it is fed with the design's figures."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.bench import fleet
from tests.bench.fleet import Costs, Servers

SECONDS = 5.0


def test_fed_with_the_designs_figures_no_row_is_off(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"

    code = fleet.main(["--seconds", str(SECONDS), "--json", str(file)])

    content = json.loads(file.read_text())
    assert [row["name"] for row in content["rows"] if row["off"]] == []
    assert code == 0 and len(content["rows"]) == 21


def test_a_dearer_task_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "costs.json"
    file.write_text(json.dumps({"postgres_ms": 8.0, "lease_seconds": 20.0}))

    code = fleet.main(["--seconds", str(SECONDS), "--costs", str(file)])

    off = [line for line in capsys.readouterr().out.splitlines() if "**off**" in line]
    assert code == 1
    assert any("PostgreSQL, a cell on 16 cores" in line for line in off)
    assert any("in an outage of 30 s" in line for line in off)
    assert not any("renewals" in line for line in off)


@pytest.mark.parametrize("text", ['{"postgres": 4}', '{"door_ms": 0}', '{"door_ms": "4"}', "[]"])
def test_what_is_no_cost_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "costs.json"
    file.write_text(text)

    with pytest.raises(ValueError, match="is to"):
        Costs.read(file)


def test_whoever_comes_waits_for_the_first_that_is_free() -> None:
    servers = Servers(2)

    for at in (0.0, 0.0, 0.5, 5.0):
        servers.serve(at, 1.0)

    assert servers.waits == [0.0, 0.0, 0.5, 0.0] and servers.busy == 4.0


def test_an_outage_within_the_lease_ends_no_agent() -> None:
    chance = random.Random(1)

    lost = [fleet.ended_by_outage(Costs(), seconds, 1_000, chance) for seconds in (39.9, 47.5, 55.1)]

    assert lost[0] == 0 and lost[2] == 1 and 0.4 < lost[1] < 0.6
