"""agents: which are available, which accounts have reached a limit, and which agents each role and perspective uses."""

from __future__ import annotations

from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import here
from orchestrator.cli.options import AsJson, Probe, exclude
from orchestrator.cli.output import note, print_json, say, table
from orchestrator.domain.inert import inert

COSTS = "asking each available agent a short question, which may cost a little"


def agents(
    probe: Probe = False,
    release: Annotated[
        str | None,
        typer.Option("--release", metavar="ACCOUNT", help="Use an account again before its limit ends."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the agents: which are available, which accounts have reached a limit, which each role and perspective uses."""
    from orchestrator.views.agent_checks import probe_cost

    exclude(probe=probe, release=release is not None)
    if release is not None:
        _release(release, as_json)
        return
    from orchestrator.views.agents import ask_agents, cassettes_of, limits_of
    from orchestrator.views.limits import in_words

    project = here()
    if probe:
        note(COSTS)
    found = ask_agents(project, probe=probe) | {
        "limits": limits_of(project),
        "sessions": cassettes_of(project),
    }
    if as_json:
        print_json(found)
        return
    for each in found["sessions"]:
        how = "replays" if each["does"] == "replay" else "records into"
        say(f"{each['session']} {how} {inert(each['folder'])}")
    for each in found["limits"]:
        say(inert(in_words(each)))
    asked = {
        a["name"]: f"{'yes' if a['usable'] else 'no'},{probe_cost(a['probe'])}"
        for a in found["agents"]
        if "probe" in a
    }
    table(
        ("AGENT", "USABLE", "EDITS FILES", "VERSION", *(["ANSWERED"] if probe else []), "WHY NOT"),
        [
            (
                a["name"],
                "yes" if a["usable"] else "no",
                "yes" if a["edits_files"] else "no",
                a["version"],
                *([asked.get(a["name"], "not asked")] if probe else []),
                (a["fault"] or "").removeprefix(f"{a['name']}: "),
            )
            for a in found["agents"]
        ],
    )
    say()
    for title, key in (("ROLE", "roles"), ("PERSPECTIVE", "perspectives")):
        table((title, "ASKS"), [(name, ", ".join(chosen) or "nobody") for name, chosen in found[key].items()])
        say()


def _release(account: str, as_json: bool) -> None:
    """End the limit of an account early, as the user says. Raises UnknownName."""
    from orchestrator.cli.opening import changing, who
    from orchestrator.project import ensure_daemon
    from orchestrator.views.limits import release

    with changing() as opened:
        waited = release(opened.store, account, who())
        if waited:
            ensure_daemon(opened.project, opened.store)
    if as_json:
        print_json({"account": account, "done": "released", "tasks": waited})
        return
    say(f"account {inert(account)}: released")
    for each in waited:
        say(f"  {each['session']} {each['task']} is tried now")


def register(app: typer.Typer) -> None:
    app.command()(agents)
