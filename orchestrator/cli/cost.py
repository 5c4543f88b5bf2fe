"""cost: what agents used and cost."""

from __future__ import annotations

from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import read_session, reading
from orchestrator.cli.options import AsJson, InSession, exclude
from orchestrator.cli.output import (
    money,
    money_in_words,
    print_json,
    say,
    table,
)


def cost(
    in_session: InSession = None,
    every: Annotated[bool, typer.Option("--all", "-a", help="All sessions of this project.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what the agents of a session, or of all sessions, cost: by role, task, agent and model."""
    from orchestrator.views.cost import cost_view

    exclude(all=every, session=in_session is not None)
    if every:
        with reading() as opened:
            found = opened.store.read(lambda tx: cost_view(tx, None))
    else:
        found = read_session(in_session, lambda tx, row: cost_view(tx, row.id))
    if as_json:
        print_json(found)
        return
    say(f"{found['session'] or 'all sessions'}   {money_in_words(found)}   {found['calls']} calls")
    if before := found.get("inherited"):
        say(
            f"taken over from {before['source']}, which paid for it: {money_in_words(before)}   {before['calls']} calls"
        )
    for name in ("session", "role", "task", "agent", "model"):
        rows = found.get(f"by_{name}")
        if rows is None or (name == "model" and not any(each["model"] for each in rows)):
            continue
        say()
        table(
            (name.upper(), "COST", "CALLS", "UNPRICED", "UNCACHED IN", "CACHED IN", "TOKENS OUT"),
            [
                (
                    f"{e['agent']}: {e['model'] or 'unknown'}" if name == "model" else e[name],
                    money(e),
                    e["calls"],
                    e["unpriced"],
                    e["tokens_in"] - e["tokens_cached"],
                    e["tokens_cached"],
                    e["tokens_out"],
                )
                for e in rows
            ],
        )


def register(app: typer.Typer) -> None:
    app.command()(cost)
