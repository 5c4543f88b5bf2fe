"""Whole specifications written and discussed by the real clients, the stand-in thinking for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.clients.support import CLIENTS, MISSING, environment, server, settings_of
from tests.e2e.support import Lifecycle, lifecycle

pytestmark = [
    pytest.mark.clients,
    pytest.mark.timeout(600),  # a client starts in up to ten seconds, and a session starts it twenty times
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING}; run `make clients`"),
]

REQUEST = "The catalogue must show where an object lies"
DOCUMENTS = json.loads((Path(__file__).parents[1] / "data" / "catalogue.json").read_text())
ASKED_BY = {  # words of the prompt -> what it asks for; the first that is found counts
    "read one artifact critically": "critique",
    '"concerns"': "architecture_review",
    "Your task: RESEARCH-001": "discovery",
    "Your task: DRAFT-001": "brief",
    "Your task: DRAFT-002": "requirements",
    "Your task: DRAFT-003": "architecture",
    "Your task: DRAFT-004": "epics",
}
RULES = [{"match": words, "steps": [{"json": DOCUMENTS[kind]}]} for words, kind in ASKED_BY.items()]
ROLES = ("analyst", "writer", "reviewer")
PERSPECTIVES = ("product", "technical", "quality", "risk", "coverage")


def configure(project: Lifecycle, url: str, names: tuple[str, ...], *, everywhere: bool, **more: Any) -> None:
    lines = [
        f"[agents.{name}]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in settings_of(name, url).items())
        for name in names
    ]
    if everywhere:
        lines.append("[roles]\n" + "".join(f"{role} = {json.dumps(names)}\n" for role in ROLES))
        lines.append("[perspectives]\n" + "".join(f"{each} = {json.dumps(names)}\n" for each in PERSPECTIVES))
    off = [name for name in CLIENTS if name not in names]
    project.configure(
        {"agents_off": off, "critics": "separate", "idle_exit_seconds": 120, **more}, "\n".join(lines)
    )


def conversations(project: Lifecycle, agent: str) -> dict[str, Any]:
    """Task of the writer -> the conversation it ended with."""
    rows = project.rows(
        "SELECT t.key, r.accumulator FROM runs r JOIN tasks t ON t.id = r.task_id WHERE t.role = 'writer'"
    )
    return {key: json.loads(passed_on)["clients"][agent].partition(":")[0] for key, passed_on in rows}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_writes_a_whole_specification_in_one_conversation(tmp_path: Path, name: str) -> None:
    with server(RULES) as models, lifecycle(tmp_path / "p") as project:
        configure(project, models.url, (name,), everywhere=True)

        done = project.run("start", REQUEST, env=environment(tmp_path / "home"), timeout=500)

        assert done.code == 0, done.err + done.out
        calls = project.rows("SELECT agent, outcome, tokens_in, tokens_out FROM agent_calls")
        assert {(agent, outcome) for agent, outcome, *_ in calls} == {(name, "answered")}
        assert all(read and written for _, _, read, written in calls)
        talks = conversations(project, name)
        assert set(talks) == {"DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004"}
        assert len(set(talks.values())) == 1, "the inner loop is one conversation"
        spec = project.directory() / "spec"
        assert (spec / "epics" / "_index.md").exists() and (spec / "readiness-report.md").exists()
        project.wait(lambda: not project.marked(), "no process of a run lives on", 15)


def test_each_perspective_speaks_through_the_client_of_the_table(tmp_path: Path) -> None:
    with server(RULES) as models, lifecycle(tmp_path / "p") as project:
        configure(project, models.url, CLIENTS, everywhere=False)

        done = project.run("start", REQUEST, env=environment(tmp_path / "home"), timeout=500)

        assert done.code == 0, done.err + done.out
        spoken = dict(
            project.rows(
                "SELECT perspective, group_concat(DISTINCT agent) FROM critiques GROUP BY perspective"
            )
        )
        assert spoken == {
            "product": "gemini",
            "technical": "codex",
            "quality": "claude",
            "risk": "gemini",
            "coverage": "gemini",
        }


TELLS = {
    "match": "Your task: DRAFT-001",
    "tools": True,
    "steps": [
        {
            "call": {
                "name": "team_msg",
                "args": {"operation": "log", "from": "user", "summary": "half of it is done"},
            }
        },
        {"json": DOCUMENTS["brief"]},
    ],
}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_speaks_to_the_team_while_it_writes(tmp_path: Path, name: str) -> None:
    rules = [*RULES[:3], TELLS, *RULES[3:]]
    with server(rules) as models, lifecycle(tmp_path / "p") as project:
        configure(project, models.url, (name,), everywhere=True, hand_over_mcp=True)

        done = project.run(
            "start", REQUEST, "--discuss", "off", env=environment(tmp_path / "home"), timeout=300
        )

        assert done.code == 0, done.err + done.out
        said = project.rows("SELECT sender, summary FROM messages WHERE summary LIKE '%half of it%'")
        assert said == [("writer", "[writer] half of it is done")], "in its role's name, whatever it says"
