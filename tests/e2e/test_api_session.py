"""A whole specification by a model API: every role and every perspective, through the real command."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.config.shipped import shipped_documents
from tests.e2e.support import lifecycle
from tests.runtime_harness import REQUEST, RuntimeHarness, Told
from tests.stand_in.model_server import FakeModelServer
from workers.agents.protocol import AgentReply, AgentRequest
from workers.builtin import BuiltinAgent
from workers.roles.writer import REVIEW

pytest.importorskip("pydantic_ai", reason="team-lifecycle[api] is not installed")

KEY = "sk-test-0123456789abcdef"
VIEWS = ("product", "technical", "quality", "risk", "coverage")


class Recorder(Told):
    """The built-in agent, whose answers are kept by kind."""

    said: dict[str, Any]

    def ask(self, request: AgentRequest) -> AgentReply:
        reply = replace(BuiltinAgent().ask(request), agent=self.name)
        assert reply.data is not None
        self.said = {**getattr(self, "said", {}), request.kind: reply.data.model_dump(mode="json")}
        return reply


def valid_answers(folder: Path) -> dict[str, Any]:
    """What a model would have to say for a good specification of REQUEST."""
    recorder = Recorder()
    folder.mkdir()
    harness = RuntimeHarness(folder, recorder, discuss="off")
    row = None
    for _ in range(6):
        row = harness.run(row)
    return recorder.said


GOALS = {each.kind: each.purpose for each in shipped_documents() if not each.is_report}
GOALS["architecture_review"] = REVIEW


@pytest.mark.long
def test_a_model_api_makes_a_whole_specification(tmp_path: Path) -> None:
    answers = valid_answers(tmp_path / "harness")
    rules = [{"match": re.escape(goal), "steps": [{"json": answers[kind]}]} for kind, goal in GOALS.items()]
    critique = {"rating": 5, "strengths": ["It says what is wanted."]}
    with FakeModelServer([*rules, {"steps": [{"json": critique}]}]) as server:
        config = f"""
[agents.model]
kind = "api"
model = "anthropic:claude-opus-4-8"
base_url = "{server.url}"
key_env = "MODEL_KEY"

[prices."claude-opus-4-8"]
input = 5
output = 25

[roles]
{"".join(f'{role} = ["model"]' + chr(10) for role in ("analyst", "writer", "reviewer"))}
[perspectives]
{"".join(f'{view} = ["model"]' + chr(10) for view in VIEWS)}
"""
        with lifecycle(tmp_path / "p", extra=config) as life:
            gave = life.run("start", REQUEST, env={"MODEL_KEY": KEY})

            assert gave.code == 0, gave.err
            assert life.status() == ("completed", None)
            calls = life.rows(
                "SELECT agent, outcome, retries, tokens_in > 0, cost_micros > 0 FROM agent_calls"
            )
            again = {0, 1}  # a rating that names no place of its artifact is asked for once more
            assert {(agent, *paid) for agent, outcome, _, *paid in calls} == {("model", 1, 1)}
            assert {outcome for _, outcome, *_ in calls} == {"answered"}
            assert {retries for _, _, retries, *_ in calls} <= again
            assert sum(1 + retries for _, _, retries, *_ in calls) == len(server.log)
            spec = life.directory() / "spec"
            assert answers["brief"]["title"] in (spec / "product-brief.md").read_text()
            assert json.loads((life.directory() / "team-session.json").read_text())
            kept = [file.read_bytes() for file in life.folder.rglob("*") if file.is_file()]
            assert not any(KEY.encode() in content for content in kept)
