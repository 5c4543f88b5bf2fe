"""From a Markdown specification to an approved plan: the real command, daemon and worker host, and a program as planner."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.e2e.support import ROOT, agent_toml, lifecycle
from tests.git_world import as_left, repository
from tests.plans import CODE

PACK = "extends: default\nroles: {executor: {installed: true}, tester: {installed: true}}\n"
PAGE = "# Names\n\nREQ-001: The service must return 404 for an unknown name.\n"


@pytest.mark.long
def test_a_specification_becomes_a_plan_that_a_person_edits_and_approves(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    agent = [sys.executable, str(ROOT / "tests" / "e2e" / "agents" / "planner.py"), str(notes)]
    orders = '[roles]\nplanner = ["scripted", "builtin"]\n'
    with lifecycle(tmp_path / "p", extra=agent_toml("scripted", agent) + orders) as life:
        repository(life.folder, {**CODE, ".gitignore": ".workflow/\n"})
        (life.folder / ".workflow" / "packs").mkdir()
        (life.folder / ".workflow" / "packs" / "team.yaml").write_text(PACK)
        (tmp_path / "idea.md").write_text(PAGE)
        before = as_left(life.folder)
        words = ("start", "Build what it says", "--mode", "impl-only", "--spec", str(tmp_path / "idea.md"))

        ahead = life.run(*words, "--plan")
        refused = life.run(*words[:-1], "missing.md")
        begun = life.run(*words, "--approve-plan")

        assert "1 file(s)" in ahead.out
        assert (refused.code, "there is no such file" in refused.err) == (2, True)
        assert begun.code == 3, begun.err
        assert life.status() == ("paused", "plan_approval")
        assert life.tasks() == {
            "PLAN-001": "completed",
            "IMPL-001": "pending",
            "TEST-001": "pending",
            "REVIEW-001": "pending",
        }
        assert "src/gone.py is not there" in (notes / "PLAN-001-plan").read_text()
        shown = life.run("check")
        assert "TASK-002 Change src/other.py [M]: modify src/other.py" in shown.out
        assert "lifecycle resume" in shown.out and 'feedback "' in shown.out

        file = life.directory() / "plan" / ".task" / "TASK-002.json"
        life.wait(file.is_file, "the plan is written")
        value = json.loads(file.read_text())
        file.write_text(
            json.dumps({**value, "files": [{"path": "src/app.py", "action": "remove"}]}, indent=1)
        )
        faulty = life.run("resume", "--detach")
        file.write_text(
            json.dumps({**value, "files": [{"path": "src/app.py", "action": "modify"}]}, indent=1)
        )
        unseen = life.run("resume", "--detach")
        token = re.search(r"--expect (\S+)", unseen.err)
        assert token is not None, unseen.err
        approved = life.run("resume", "--detach", "--expect", token[1])

        assert faulty.code == 2
        assert re.search(
            r"plan/\.task/TASK-002\.json:\d+: files\.0\.action: unknown action 'remove'", faulty.err
        )
        assert approved.code in (0, 130), approved.err
        assert "IMPL-002" in life.tasks()
        edges = life.rows(
            "SELECT b.key FROM edges e JOIN tasks t ON t.id = e.task_id JOIN tasks b ON b.id = e.blocker_id "
            "WHERE t.key = 'IMPL-002' ORDER BY b.key"
        )
        assert edges == [("IMPL-001",), ("PLAN-001",)]
        assert life.run("cancel").code in (0, 1)
        assert as_left(life.folder) == before
