"""A short storm of `make web-long`: daemon, host and server are killed while people send commands and a browser looks on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.patience import patient
from tests.web_load.blows import STALE, TARGETS, storm
from workers.evidence.browsers import why_no_browser

MISSING = why_no_browser(os.environ)
SECONDS = 30.0


@pytest.mark.long
@pytest.mark.skipif(bool(MISSING), reason=f"{MISSING}")
def test_whatever_is_killed_every_answer_given_is_kept_and_no_page_shows_an_old_state_as_live(
    tmp_path: Path,
) -> None:
    seen = storm(tmp_path, SECONDS)

    assert not seen.faults, "\n".join(seen.faults)
    assert set(seen.blows) == set(TARGETS)
    assert seen.commands["ok"] > 0
    assert max(seen.oldest) < patient(STALE)
    assert len(seen.returns) == len(seen.noticed) == seen.blows["server"]
    assert max(seen.returns) < patient(STALE)
    assert max(seen.noticed) < patient(STALE)
