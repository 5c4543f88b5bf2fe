"""A person's agent begins a session over MCP: real server, real coordinator, real worker host."""

from __future__ import annotations

from tests.e2e.support import Lifecycle
from tests.mcp_clients import over_stdio


def test_an_agent_begins_a_session_watches_it_and_ends_it(project: Lifecycle) -> None:
    name, *arguments = project.command("mcp", "--project", str(project.folder))

    with over_stdio({"command": name, "args": arguments, "env": project.environment}) as agent:
        session = agent.call("session_start", task="Build a URL shortener with an admin page")["session"]
        project.wait(lambda: agent.call("task_get", task="RESEARCH-001")["mark"] == "done", "the first task")
        found = agent.call("artifact_read", artifact="discovery-context.json")
        spoke = {each["member"] for each in agent.msg("status")}
        ended = agent.call("session_command", command="cancel", words="seen enough")

    assert found["content"].startswith("{")
    assert "analyst" in spoke
    assert ended["status"] == "cancelled"
    assert project.status(session) == ("cancelled", None)
