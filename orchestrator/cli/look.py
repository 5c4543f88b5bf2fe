"""Looking: check, why, list, show, tasks, artifacts, runs, cost, discuss. None of them writes anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.opening import here, reading
from orchestrator.cli.options import AsJson, InSession, SessionArgument, exclude, one_session
from orchestrator.cli.output import (
    duration,
    money,
    money_in_words,
    note,
    print_json,
    progress,
    say,
    table,
    verdict,
)
from orchestrator.domain.inert import inert, one_line

if TYPE_CHECKING:
    from orchestrator.store.prepared import Row
    from orchestrator.store.store import Tx

TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="A task's id, for example DRAFT-002.")]


def look_at(name: str | None, read: Callable[[Tx, Row], Any]) -> Any:
    """What `read` says of the session that is meant; without a name the unfinished one, else the newest."""
    from orchestrator.views.find import session

    with reading() as opened:
        return opened.store.read(lambda tx: read(tx, session(tx, name, finished=True)))


def check(session: SessionArgument = None, in_session: InSession = None, as_json: AsJson = False) -> None:
    """Show where a session stands: its tasks, who works, what waits, what to do next."""
    from orchestrator.views.check import overview

    found = look_at(one_session(session, in_session), overview)
    if as_json:
        print_json(found)
        return
    from orchestrator.cli.drawing import draw

    draw(found)


def why(task: TaskArgument, in_session: InSession = None, as_json: AsJson = False) -> None:
    """Say why a task is not running."""
    from orchestrator.views import find
    from orchestrator.views.why import why as explain

    found = look_at(in_session, lambda tx, row: explain(tx, row, find.task(tx, row, task)))
    if as_json:
        print_json(found)
        return
    say(f"{found['task']} is {found['status']}: {found['state']}")
    for line in found["because"]:
        say(f"  {inert(line)}")
    for command in found["commands"]:
        say(f"  > {command}")


def list_sessions(
    every: Annotated[bool, typer.Option("--all", "-a", help="Archived ones too.")] = False,
    last: Annotated[int, typer.Option("--last", "-n", min=0, help="Only the newest N; 0: all.")] = 100,
    in_session: InSession = None,
    as_json: AsJson = False,
) -> None:
    """List the sessions of this project."""
    from orchestrator.store.sessions import EVERY
    from orchestrator.views import find
    from orchestrator.views.check import listing, summary

    exclude(all=every, session=in_session is not None)
    if in_session is None and not here().database.exists():
        found = []  # a project without sessions has none to list: nothing is wrong with that
    else:
        with reading() as opened:
            if in_session is not None:
                found = [opened.store.read(lambda tx: summary(tx, find.session(tx, in_session)))]
            else:
                found = opened.store.read(lambda tx: listing(tx, archived=every, limit=last or EVERY))
    if not found:
        note('no sessions here; begin one with `lifecycle start "..."`')
    if in_session is None and len(found) == last:
        note(f"the newest {last}; `lifecycle list -n 0` lists all")
    if as_json:
        print_json(found)
        return
    table(
        ("SESSION", "MODE", "STATUS", "DONE", "TIME", "COST", "TITLE"),
        [
            (
                each["session"],
                each["mode"],
                f"{each['status']}: {each['pause_reason']}" if each["pause_reason"] else each["status"],
                f"{each['progress']['done']}/{each['progress']['total']}",
                duration(each["elapsed_seconds"]),
                money(each["cost"]),
                each["title"],
            )
            for each in found
        ],
    )


def show(session: SessionArgument = None, in_session: InSession = None, as_json: AsJson = False) -> None:
    """Show a session's request, options, scores and decisions."""
    from orchestrator.cli.report import print_pause, print_scores
    from orchestrator.views.check import show as read

    found = look_at(one_session(session, in_session), read)
    if as_json:
        print_json(found)
        return
    for name in ("session", "title", "mode", "status", "language", "workspace", "created_at", "finished_at"):
        if found[name] is not None:
            say(f"{name:<12} {one_line(str(found[name]))}")
    say(f"{'options':<12} {one_line(', '.join(f'{key}={value}' for key, value in found['options'].items()))}")
    say(f"{'tasks':<12} {progress(found['progress'])}, {found['artifacts']} artifacts")
    say(
        f"{'cost':<12} {money(found['cost'])}, {found['cost']['calls']} calls, {duration(found['elapsed_seconds'])}"
    )
    for each in found["decisions"]:
        forced = " (forced)" if each["forced"] else ""
        say(
            f"{'decision':<12} {each['at']} {one_line(each['who'])}: {each['subject']}{forced} {one_line(each['words'])}"
        )
    print_scores(found["scores"])
    if found["pause"]:
        print_pause(found["pause"])
    say("")
    say(inert(found["request"]))


def tasks(in_session: InSession = None, as_json: AsJson = False) -> None:
    """List the tasks of a session."""
    from orchestrator.views.check import task_views

    found = look_at(in_session, task_views)
    if as_json:
        print_json(found)
        return
    table(
        ("TASK", "ROLE", "STATUS", "ROUND", "VERDICT", "ATTEMPTS", "WAITS FOR"),
        [
            (
                each["task"],
                each["role"],
                "offered" if each["offered"] else each["status"],
                each["round"],
                verdict(each["verdict"]),
                each["attempts"],
                ", ".join(each["waits_for"]),
            )
            for each in found
        ],
    )


def artifacts(in_session: InSession = None, as_json: AsJson = False) -> None:
    """List the newest version of every artifact."""
    from orchestrator.views.check import artifact_views

    found = look_at(in_session, lambda tx, row: artifact_views(tx, row.id))
    if as_json:
        print_json(found)
        return
    table(
        ("VERSION", "BYTES", "BY", "TASK", "AT", "PATH"),
        [(f"v{a['version']}", a["size"], a["author"], a["task"], a["at"], a["path"]) for a in found],
    )


def runs(task: TaskArgument, in_session: InSession = None, as_json: AsJson = False) -> None:
    """List every attempt at a task: who, how long, how it ended."""
    from orchestrator.views import find
    from orchestrator.views.cost import run_views

    found = look_at(in_session, lambda tx, row: run_views(tx, row.id, find.task(tx, row, task).key))
    if as_json:
        print_json(found)
        return
    table(
        ("RUN", "OPENED BY", "AT", "TIME", "OUTCOME", "CHARGED", "AGENT", "CALLS", "ERROR"),
        [
            (
                each["run"][-8:],
                each["opened_by"],
                each["opened_at"],
                duration(each["seconds"]),
                each["outcome"],
                "yes" if each["charged"] else "no",
                each["agent"],
                len(each["calls"]),
                each["error"],
            )
            for each in found
        ],
    )


def cost(
    in_session: InSession = None,
    every: Annotated[bool, typer.Option("--all", "-a", help="All sessions of this project.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what a session's agents cost, or those of all: by role, task, agent and model."""
    from orchestrator.views.cost import cost_view

    exclude(all=every, session=in_session is not None)
    if every:
        with reading() as opened:
            found = opened.store.read(lambda tx: cost_view(tx, None))
    else:
        found = look_at(in_session, lambda tx, row: cost_view(tx, row.id))
    if as_json:
        print_json(found)
        return
    say(f"{found['session'] or 'all sessions'}   {money_in_words(found)}   {found['calls']} calls")
    for name in ("session", "role", "task", "agent", "model"):
        rows = found.get(f"by_{name}")
        if rows is None or (name == "model" and not any(each["model"] for each in rows)):
            continue
        say()
        table(
            (name.upper(), "COST", "CALLS", "UNPRICED", "TOKENS IN", "TOKENS OUT"),
            [
                (
                    f"{e['agent']}: {e['model'] or 'not told'}" if name == "model" else e[name],
                    money(e),
                    e["calls"],
                    e["unpriced"],
                    e["tokens_in"],
                    e["tokens_out"],
                )
                for e in rows
            ],
        )


def discuss(
    round_key: Annotated[str, typer.Argument(metavar="ROUND", help="DISCUSS-002, D2 or 2.")],
    in_session: InSession = None,
    as_json: AsJson = False,
) -> None:
    """Show a discussion: its verdict, ratings, divergences and action items."""
    from orchestrator.views.discuss import discussion

    found = look_at(in_session, lambda tx, row: discussion(tx, row.id, round_key))
    if as_json:
        print_json(found)
        return
    severity = f" {found['severity']}" if found["severity"] else ""
    say(f"{found['round']} after {found['task']}: {found['consensus']}{severity}, mean {found['mean']:.1f}")
    for each in found["ratings"]:
        reply = each["reply"] if isinstance(each["reply"], dict) else {}
        say(
            f"  {each['perspective']:<10} {each['rating']}/5  {each['agent']}  {one_line(_key_finding(reply), 200)}".rstrip()
        )
    for each in found["findings"]:
        marks = " ".join(filter(None, (each["kind"], each["severity"], each["perspective"])))
        say(f"  - {marks}: {one_line(each['text'])}")
    if found["record"]:
        say(f"Record: {found['record']}   (lifecycle open {found['record']})")


def _key_finding(reply: dict[str, Any]) -> str:
    for name in ("key_finding", "missing_requirements", "weaknesses", "strengths"):
        value = reply.get(name)
        if value:
            first = value[0] if isinstance(value, list) else value
            return str(first.get("text", first)) if isinstance(first, dict) else str(first)
    return ""


def register(app: typer.Typer) -> None:
    app.command()(check)
    app.command("status", hidden=True)(check)
    app.command()(why)
    app.command("list")(list_sessions)
    for command in (show, tasks, artifacts, runs, cost, discuss):
        app.command()(command)
