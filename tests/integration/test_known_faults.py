"""A change that its review blocks: the pull request says so, and only a person who insists merges it."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.commands.apply import applicable
from orchestrator.domain.errors import NotAllowedNow
from tests import invariants
from tests.work.editing import Editing, building
from tests.work.lanes import lanes
from workers.git.applying import squash_message
from workers.landing.reviewed_session import session_work

ONE = lanes(1)


def test_a_review_that_blocks_is_in_the_pull_request_and_keeps_it_from_the_users_branch(
    tmp_path: Path,
) -> None:
    change = {**ONE.gold["TASK-001"], "parts/run.py": "def run(text):\n    return eval(text)\n"}
    harness = building(tmp_path, Editing(ONE, turns={"TASK-001": [change]}))
    harness.run(harness.until("IMPL-001"))
    before = harness.text("qa/pull-request.md")
    assert harness.store.read(lambda tx: applicable(tx, None, force=False)).session_id == harness.session

    reviewing = harness.until("REVIEW-001")
    squashed = squash_message(session_work(harness.context(reviewing)))
    harness.run(reviewing)

    page = harness.text("qa/pull-request.md")
    assert "## Review" not in before
    told = page.partition("## Review\n")[2].partition("## Open\n")[0]
    assert "**BLOCK** (`qa/review-REVIEW-001.md`)" in told and "`parts/run.py:2`" in told
    assert [line for line in page.split("\n") if line.startswith(("# ", "## "))][-3:] == [
        "## Review",
        "## Open",
        "## How to undo",
    ]
    assert (
        "## Evidence" in squashed
        and "How to undo" not in squashed
        and squashed.count("\nLifecycle-Session: ") == 1
    )
    with pytest.raises(NotAllowedNow, match="is known not to work") as refused:
        harness.store.read(lambda tx: applicable(tx, None, force=False))
    assert "qa/review-REVIEW-001.md" in refused.value.why and "--force" in refused.value.fix
    assert "`lifecycle artifacts qa/review-REVIEW-001.md --print`" in refused.value.fix
    assert harness.store.read(lambda tx: applicable(tx, None, force=True)).session_id == harness.session
    invariants.check(harness.store.path)


def test_a_credential_does_not_land(tmp_path: Path) -> None:
    secret = "hunter2" + "-prod-9931"
    change = {**ONE.gold["TASK-001"], "parts/conf.py": f'DB_PASSWORD = "{secret}"\n'}
    agent = Editing(ONE, turns={"TASK-001": [change, {"parts/conf.py": "import os\n"}]})
    harness = building(tmp_path, agent)

    harness.run(harness.until("IMPL-001"))

    asked = [each.prompt for each in agent.requests if each.edits]
    assert len(asked) == 2 and "secret:assigned" in asked[-1] and secret not in asked[-1]
    assert [key for (key,) in harness.rows("SELECT key FROM tasks WHERE status = 'completed'")][
        -1
    ] == "IMPL-001"
