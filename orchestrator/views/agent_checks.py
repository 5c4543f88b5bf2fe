"""What `doctor` finds out about agents, and about what keeps them and tests in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.json_types import JsonObject
from orchestrator.project import read_settings
from orchestrator.views.agents import limits_of
from orchestrator.views.examination import Check
from orchestrator.views.limits import in_words, way_on

if TYPE_CHECKING:
    from orchestrator.project import Project


def agents_found(project: Project, found: JsonObject) -> Check:
    usable = [_usable(each) for each in found["agents"] if each["usable"]]
    unusable = "\n".join(_unusable(each) for each in found["agents"] if not each["usable"])
    if not usable:
        return Check("agents", "fault", "none is available", unusable)
    says = f"available: {', '.join(usable)}"
    silent = [each["name"] for each in found["agents"] if each.get("probe") and not each["usable"]]
    if silent:
        return Check("agents", "fault", f"no answer from {', '.join(silent)}; {says}", unusable)
    held = (f"{in_words(each)}; {way_on(each['account'])}" for each in limits_of(project))
    notes = "\n".join(filter(None, [unusable, *held]))
    return Check("agents", "note" if notes else "ok", says, notes)


def _usable(agent: JsonObject) -> str:
    probe = agent.get("probe")
    return str(agent["name"]) if probe is None else f"{agent['name']} (answered{probe_cost(probe)})"


def _unusable(agent: JsonObject) -> str:
    name, fault = str(agent["name"]), str(agent["fault"])
    return fault if fault.startswith(name) else f"{name}: {fault}"


def probe_cost(probe: JsonObject) -> str:
    """The duration and cost of the question."""
    cost = "unknown cost" if probe["usd"] is None else f"${probe['usd']:.4f}"
    return f" in {probe['seconds']:g} s, {cost}"


def read_only(project: Project, why_not: str | None) -> Check:
    if why_not is None:
        free = [name for name, agent in read_settings(project).agents.items() if not agent.confine]
        but = f", except {', '.join(free)} (`confine = false`)" if free else ""
        return Check("read-only", "ok", f"agents in read-only mode cannot write to the project{but}")
    says = f"agents in read-only mode could write to the project ({why_not}); changes are reported"
    return Check("read-only", "note", says, "docs/configuration.md, `confine`, explains what is needed")


def sandbox(project: Project, why_not: str | None) -> Check:
    if why_not is None:
        return Check("sandbox", "ok", "tests can write to their own tree alone, and have no network")
    if read_settings(project).work.unconfined:
        says = f"tests and coding agents run without a sandbox ({why_not}), as `work.unconfined` allows"
        return Check("sandbox", "note", says)
    says = (
        f"there is no sandbox for tests ({why_not}): they are not run, and agents that edit are not started"
    )
    fix = "docs/evidence.md explains what is needed; or set `work.unconfined = true`"
    return Check("sandbox", "note", says, fix)


def browser(why_not: str | None, fix: str) -> Check:
    if why_not is None:
        return Check("browser", "ok", "the audit of frontend work opens its pages in Chromium")
    says = f"no browser for the audit of frontend work ({why_not}): it goes by rules and agents alone"
    return Check("browser", "note", says, fix)
