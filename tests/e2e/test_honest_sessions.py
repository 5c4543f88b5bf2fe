"""Honest judging stalls no session without a model: each real request ends without a revision that nobody can mend."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.labelled import HERE, paths
from tests.e2e.support import lifecycle

ROOT = Path(__file__).parents[2]
IDEAS = ROOT / "tests" / "data" / "ideas"
REQUESTS = [*(f"@{path}" for path in paths(HERE)), *(f"@{path}" for path in sorted(IDEAS.glob("*.md")))]
ONE_LINERS = [line for line in (IDEAS / "one-liners.txt").read_text().splitlines() if line]


def ends_well(request: str, folder: Path) -> None:
    with lifecycle(folder) as life:
        life.run("start", request, timeout=600)

        ((status, pause),) = life.rows("SELECT status, pause_reason FROM sessions")
        assert (status, pause) in (("completed", None), ("paused", "signoff_blocked"))


def test_one_line_ends_without_a_pause(tmp_path: Path) -> None:
    ends_well(ONE_LINERS[0], tmp_path / "p")


@pytest.mark.long
@pytest.mark.parametrize("request_text", [*REQUESTS, *ONE_LINERS, f"@{ROOT / 'README.md'}"])
def test_request_ends_without_revisions_exhausted(request_text: str, tmp_path: Path) -> None:
    ends_well(request_text, tmp_path / "p")
