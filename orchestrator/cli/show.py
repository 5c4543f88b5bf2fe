"""show: everything about one session."""

from __future__ import annotations

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import read_session
from orchestrator.cli.options import AsJson, InSession, SessionArgument, one_session
from orchestrator.cli.output import (
    duration,
    money,
    print_json,
    progress,
    say,
)
from orchestrator.domain.inert import inert, one_line


def show(session: SessionArgument = None, in_session: InSession = None, as_json: AsJson = False) -> None:
    """Show a session's request, options, scores and decisions."""
    from orchestrator.cli.report import print_pause, print_scores
    from orchestrator.views.check import show as read
    from orchestrator.views.measured import in_words

    found = read_session(one_session(session, in_session), read)
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
    if found["effects"]["findings"]:
        say(f"{'discussed':<12} {in_words(found['effects'])}")
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


def register(app: typer.Typer) -> None:
    app.command()(show)
