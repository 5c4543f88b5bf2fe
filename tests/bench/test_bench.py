"""Every figure of `make bench` can be measured, and one that cannot is no reason to lose the others."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench.__main__ import FIGURES, main
from tests.bench.engine import DIRECT, STEPS, milliseconds
from tests.bench.fleet import Costs
from tests.bench.measure import TINY, Figure
from tests.bench.team import team

SLOW = {  # they do whole sessions, whose parts the common suite tests elsewhere
    "fan-out": pytest.mark.long,
    "thinking": pytest.mark.long,
    "fleet-costs": pytest.mark.scale,
}


@pytest.mark.parametrize("name", [pytest.param(name, marks=SLOW.get(name, ())) for name in FIGURES])
def test_a_figure_is_measured_with_tiny_numbers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TINY, "1")

    found = list(FIGURES[name]())

    assert found
    for figure in found:
        is_difference = "more than" in figure.name
        assert figure.name and figure.unit
        assert figure.samples and all(map(math.isfinite, figure.samples))
        assert is_difference or min(figure.samples) >= 0


def _good() -> Iterator[Figure]:
    yield Figure("a good one", "ms", [1.0, 2.0, 3.0], below=5)


def _slow() -> Iterator[Figure]:
    yield Figure("a slow one", "ms", [7.0], below=5)


def _broken() -> Iterator[Figure]:
    yield Figure("a part of a broken one", "ms", [4.0])
    raise ValueError("no such table: runs | tasks\nand more")


def test_a_failed_figure_is_named_with_its_cause_and_loses_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bench.json"

    code = main(["--json", str(file)], {"broken": _broken, "good": _good})

    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines()]
    assert code == 1
    assert [row[:2] for row in rows[2:]] == [
        ["a part of a broken one", "4 ms"],
        ["broken", "**failed**"],
        ["a good one", "2 ms"],
    ]
    assert rows[3][-1] == "ValueError: no such table: runs / tasks"
    assert all(len(row) == len(rows[0]) for row in rows)
    written = json.loads(file.read_text())
    assert [each["name"] for each in written["figures"]] == ["a part of a broken one", "a good one"]
    assert written["failed"]["broken"].startswith("ValueError: no such table")


def test_a_row_is_printed_before_the_next_figure_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    before = []

    def later() -> Iterator[Figure]:
        before.append(capsys.readouterr().out)
        yield from _good()

    main([], {"first": _slow, "later": later})

    assert "a slow one" in before[0]


@pytest.mark.parametrize(
    ("words", "code"),
    [([], 1), (["--tiny"], 0), (["good"], 0)],
    ids=["a bound is not kept", "tiny numbers have no bounds", "only what was named"],
)
def test_the_exit_code_says_whether_the_bounds_are_kept(
    words: list[str], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TINY, "")  # given back at the end: --tiny sets it

    given = main(words, {"good": _good, "slow": _slow})

    assert given == code


def test_what_is_a_cost_is_written_for_the_simulation(tmp_path: Path) -> None:
    file = tmp_path / "costs.json"

    def measured() -> Iterator[Figure]:
        yield from _good()
        yield Figure("a task", "ms", [3.0, 4.0, 8.0], more={"cost": "postgres_ms"})

    assert main(["--costs", str(file)], {"measured": measured}) == 0

    assert Costs.read(file) == Costs(postgres_ms=4.0)


def test_slots_that_begin_together_go_straight_on_to_each_successor() -> None:
    with team() as made:
        made.begin(4, beats=True)

        run = made.work(4 * STEPS, slots=4, together=4)

    assert len(milliseconds(run, *DIRECT)) == 4 * (STEPS - 1)
    assert set(run["hops"]) <= set(DIRECT)
