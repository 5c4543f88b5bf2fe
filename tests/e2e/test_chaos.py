"""One short storm of `make chaos`: real processes killed and stopped at random, and nothing is lost or done twice."""

from __future__ import annotations

from pathlib import Path

from tests.chaos.plan import SHORT
from tests.chaos.storm import storm

SEED = 8


def test_whatever_is_killed_or_stopped_every_session_ends_and_every_answer_given_is_kept(
    tmp_path: Path,
) -> None:
    outcome = storm(tmp_path, SEED, SHORT)

    assert not outcome.faults, f"repeat with: make chaos SEED={SEED} ARGS=--short\n" + "\n".join(
        outcome.faults
    )
    assert (
        outcome.blows.total() > 0
        and outcome.found["session completed"] + outcome.found["session cancelled"] > 0
    )
