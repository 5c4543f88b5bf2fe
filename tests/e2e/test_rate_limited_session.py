"""A limit of an account outlasts every process of the project, holds for every session, and ends by a person's word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import invariants
from tests.e2e.support import lifecycle
from tests.stand_in.model_server import FakeModelServer

pytest.importorskip("pydantic_ai", reason="team-lifecycle[api] is not installed")

KEY = {"MODEL_KEY": "sk-test-0123456789abcdef"}
LIMIT = {"status": 429, "error": "weekly limit", "retry_after": 5 * 3600}


@pytest.mark.long
def test_no_process_of_the_project_asks_an_account_before_its_limit_ends_or_a_person_says_so(
    tmp_path: Path,
) -> None:
    with FakeModelServer([{"steps": [LIMIT]}]) as server:
        config = f"""
[agents.model]
kind = "api"
model = "anthropic:claude-opus-4-8"
base_url = "{server.url}"
key_env = "MODEL_KEY"
account = "work"

[roles]
analyst = ["model"]
"""
        with lifecycle(tmp_path / "p", extra=config) as life:
            assert life.run("start", "Build a URL shortener", "--detach", env=KEY).code == 0
            life.wait(lambda: life.story("RESEARCH-001") == ["released"], "the limit is met")
            first = len(server.log)
            life.kill_everything()

            assert life.run("daemon", "start", env=KEY).code == 0
            assert life.run("start", "Build a bookmark list", "--detach", env=KEY).code == 0
            life.wait(lambda: life.story("RESEARCH-001") == ["released"], "another session has met it too")
            known = len(server.log)
            looked = life.run("check", life.session())
            released = life.run("agents", "--release", "work", "--json", env=KEY)
            life.wait(lambda: life.story("RESEARCH-001") == ["released"] * 2, "it is tried again")
            invariants.check(life.database)

            assert known == first
            assert "account work is not used before" in looked.out and "weekly limit" in looked.out
            assert [each["task"] for each in released.json()["tasks"]] == ["RESEARCH-001"] * 2
            assert len(server.log) > first
            assert life.rows("SELECT sum(attempts) FROM tasks") == [(0,)]
