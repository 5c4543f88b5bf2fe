"""The checks of `doctor`: each examines one thing and reports its state and, if needed, the fix.

None of them changes anything. An examination that breaks is itself a fault that is shown, not a traceback.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from orchestrator.domain.errors import ConfigError, LifecycleError
from orchestrator.domain.json_types import JsonObject
from orchestrator.views import agent_checks, machine_checks, process_checks
from orchestrator.views.examination import Check

if TYPE_CHECKING:
    from orchestrator.project import Project

AskAgents = Callable[["Project"], JsonObject]


def examine(project: Project, ask_agents: AskAgents) -> list[Check]:
    """All checks, in order."""
    return _each_fault_once(_all(project, ask_agents))


def _all(project: Project, ask_agents: AskAgents) -> list[Check]:
    checks = [_guarded(name, check, project) for name, check in _CHECKS.items()]
    try:
        found = ask_agents(project)
    except ConfigError:
        return [*checks, Check("agents", "fault", "not asked", "fix the configuration first")]
    except (LifecycleError, OSError) as error:
        return [*checks, _broken("agents", error)]
    both: dict[str, Callable[[Project], Check]] = {
        "agents": lambda at: agent_checks.agents_found(at, found),
        "read-only": lambda at: agent_checks.read_only(at, found["not_read_only"]),
        "sandbox": lambda at: agent_checks.sandbox(at, found["no_sandbox"]),
        "browser": lambda _: agent_checks.browser(found["no_browser"], found.get("browser_fix", "")),
    }
    return checks + [_guarded(name, check, project) for name, check in both.items()]


def examine_quickly(project: Project) -> list[Check]:
    """The checks that start no process and do not read the whole database."""
    return _each_fault_once(
        [_guarded(name, check, project) for name, check in _CHECKS.items() if name not in _SLOW]
    )


def _each_fault_once(checks: list[Check]) -> list[Check]:
    """The same, in which what keeps several checks from being made is told by the first of them."""
    told: dict[tuple[str, str], str] = {}
    for number, check in enumerate(checks):
        if check.state == "fault" and check.fix:
            first = told.setdefault((check.says, check.fix), check.name)
            if first != check.name:
                checks[number] = Check(check.name, "fault", f"not looked at: see {first}")
    return checks


def _guarded(name: str, check: Callable[[Project], Check], project: Project) -> Check:
    try:
        return check(project)
    except (LifecycleError, OSError) as error:
        return _broken(name, error)


def _broken(name: str, error: LifecycleError | OSError) -> Check:
    if isinstance(error, LifecycleError):
        return Check(name, "fault", f"{error.what} ({error.why})" if error.why else error.what, error.fix)
    return Check(name, "fault", str(error), "check the permissions of what it names")


_CHECKS: dict[str, Callable[[Project], Check]] = {
    "program": machine_checks.program,
    "system": machine_checks.system,
    "clock": machine_checks.clock,
    "project": machine_checks.folder,
    "disk": machine_checks.disk,
    "sqlite": machine_checks.sqlite_works,
    "database": process_checks.database,
    "wake": machine_checks.sockets,
    "configuration": machine_checks.configuration,
    "coordinator": process_checks.coordinator,
    "servers": process_checks.servers_up,
    "hosts": process_checks.hosts,
    "engine": process_checks.engine_answers,
    "traces": process_checks.traces,
    "git": machine_checks.git,
    "mcp": machine_checks.mcp,
    "dashboard": machine_checks.dashboard,
}
_SLOW = ("database", "engine", "traces", "git", "mcp")
