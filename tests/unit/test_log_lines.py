"""Each line of the log is a JSON object, whoever writes it, and without secrets."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from orchestrator import log

SECRET = "a-token-of-no-use-4711"


@pytest.fixture
def as_before() -> Iterator[None]:
    """What is set for the whole process, set back."""
    root = logging.getLogger()
    handlers, level = [*root.handlers], root.level
    yield
    root.handlers[:], root.level = handlers, level
    structlog.reset_defaults()


@pytest.mark.usefixtures("as_before")
def test_what_a_library_logs_is_a_line_of_json_as_ours_is(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    ours = log.configure(file, environ={"SOME_API_KEY": SECRET})

    ours.bind(session="S").info("offered", task="T-1", said=SECRET)
    logging.getLogger("apscheduler.scheduler").warning("Execution of %s skipped", SECRET)
    try:
        raise ValueError("broken")
    except ValueError:
        logging.getLogger("a.library").exception("it failed")

    own, skipped, failed = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert (own["event"], own["session"], own["task"], own["level"]) == ("offered", "S", "T-1", "info")
    assert "logger" not in own
    assert (skipped["logger"], skipped["level"]) == ("apscheduler.scheduler", "warning")
    assert skipped["event"].startswith("Execution of ") and skipped["event"].endswith(" skipped")
    assert SECRET not in file.read_text(encoding="utf-8")
    assert (failed["event"], failed["level"]) == ("it failed", "error")
    assert "ValueError: broken" in failed["exception"]
