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


def test_an_agent_forks_a_session_and_compares_both(project: Lifecycle) -> None:
    name, *arguments = project.command("mcp", "--project", str(project.folder))

    with over_stdio({"command": name, "args": arguments, "env": project.environment}) as agent:
        source = agent.call("session_start", task="Build a URL shortener with an admin page")["session"]
        project.wait(
            lambda: agent.call("task_get", session=source, task="RESEARCH-001")["mark"] == "done", "the first"
        )
        asked = {"session": source, "at": "RESEARCH-001"}
        planned = agent.call("session_fork", **asked, plan=True)
        made = agent.call("session_fork", **asked)
        again = agent.call("session_fork", **asked)
        compared = agent.call("session_compare", a=source, b=made["session"])
        then = agent.call("task_get", session=source, task="RESEARCH-001", at="MSG-001")["why"]
        for session in (source, made["session"]):
            agent.call("session_command", command="cancel", session=session)

    assert (planned["session"], planned["plan"]["copied"]) == (None, ["RESEARCH-001"])
    assert (made["created"], again["created"], again["session"]) == (True, False, made["session"])
    assert compared["related"] == {"source": source, "task": "RESEARCH-001", "how": "fork"}
    assert then["state"] == "ready"
