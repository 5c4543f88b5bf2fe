"""doctor: check what is installed, logged in and configured, with a fix for each problem."""

from __future__ import annotations

from orchestrator.cli.agents import COSTS
from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import here
from orchestrator.cli.options import AsJson, Probe
from orchestrator.cli.output import note, paint, print_json, say
from orchestrator.domain.inert import inert
from orchestrator.domain.pauses import EXIT_FAILED


def doctor(probe: Probe = False, as_json: AsJson = False) -> None:
    """Check the installation, project and agents, with a fix for each problem. Exit code 1 if something is broken."""
    from functools import partial

    from orchestrator.views.agents import ask_agents
    from orchestrator.views.doctor import examine

    if probe:
        note(COSTS)
    found = examine(here(), partial(ask_agents, probe=probe))
    if as_json:
        print_json([{"check": c.name, "state": c.state, "says": c.says, "fix": c.fix} for c in found])
    else:
        colours = {"ok": "green", "note": "yellow", "fault": "red"}
        for each in found:
            say(f"{paint(f'{each.state:<5}', colours[each.state])}  {each.name}: {inert(each.says)}")
            for line in each.fix.splitlines():
                say(f"       {inert(line)}")
    if any(each.state == "fault" for each in found):
        raise typer.Exit(EXIT_FAILED)


def register(app: typer.Typer) -> None:
    app.command()(doctor)
