"""Options that several commands share."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote
from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.domain.errors import UsageError
from orchestrator.domain.inert import one_line
from orchestrator.domain.patterns import expression

_SESSION = expression(r"(?:TLS|UAN|TC)-\w")  # how ids of sessions begin, and those of tasks never do

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON with stable keys (docs/cli.md).")]
Probe = Annotated[
    bool, typer.Option("--probe", help="Ask each available agent a short question; may cost a little.")
]
InSession = Annotated[
    str | None,
    typer.Option(
        "--session",
        "-s",
        metavar="ID",
        help="The session, or its first letters; default the unfinished or newest one.",
    ),
]
SessionArgument = Annotated[
    str | None, typer.Argument(metavar="SESSION", help="The session, or the first letters of its id.")
]
TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="A task's id, for example DRAFT-002.")]
Words = Annotated[
    str, typer.Option("--words", "-m", metavar="TEXT", help="Your reason, recorded with the decision.")
]
Named = Annotated[str, typer.Argument(metavar="SESSION", help="The session, or the first letters of its id.")]
Key = Annotated[
    str | None,
    typer.Option("--key", metavar="KEY", help="Idempotency key: the same key twice applies it once."),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
ProjectOption = Annotated[Path | None, typer.Option("--project", metavar="DIR", help="The project's folder.")]
ARTIFACT_HELP = (
    "Its path in the session, the end of it (product-brief.md), or the task that wrote it (DRAFT-001)."
)
ArtifactArgument = Annotated[
    str,
    typer.Argument(metavar="ARTIFACT", help=ARTIFACT_HELP),
]
Detach = Annotated[
    bool,
    typer.Option("--detach", "-d", help="Do not follow: return as soon as the coordinator has accepted it."),
]
Open = Annotated[
    bool, typer.Option("--open", help="Open the session in a browser too; starts the dashboard if needed.")
]
MaxUsd = Annotated[float | None, typer.Option("--max-usd", metavar="AMOUNT", help="Budget in US dollars.")]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", metavar="N", help="Budget in tokens, input and output.")
]
MaxTurns = Annotated[int | None, typer.Option("--max-turns", metavar="N", help="Budget in agent turns.")]
MaxMinutes = Annotated[
    float | None,
    typer.Option("--max-minutes", metavar="N", help="Budget in minutes of agent time."),
]


def one_session(argument: str | None, option: str | None) -> str | None:
    """The session named by argument or by --session. Raises UsageError when they differ."""
    if argument is not None and option is not None and argument != option:
        raise UsageError(
            "two sessions are named",
            why=f"the argument {argument!r} and --session {option!r}",
            fix="name only one",
        )
    return option if argument is None else argument


def refuse_session(given: str | None, what: str, command: str) -> None:
    """Raise UsageError when a session is named where `what` belongs; `command` takes it as an option."""
    if given is not None and _SESSION.match(given):
        raise UsageError(
            f"{one_line(given, 100)} is a session, not {what}",
            why="these commands take the session as an option",
            fix=f"lifecycle {command} --session {quote(given)}",
        )


def can_ask() -> bool:
    """Whether somebody at a terminal can be asked."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def choose(count: int, otherwise: str) -> int:
    """The number, from 1, that somebody at the terminal gives; `otherwise`: the command that names it. Raises UsageError."""
    number = int(typer.prompt("Which one", type=int, err=True))
    if not 1 <= number <= count:
        raise UsageError(f"there is no number {number}", why=f"1 to {count}", fix=otherwise)
    return number


def exclude(**flags: bool) -> None:
    """Raise UsageError when more than one of the flags is given; a name in capitals is that of an argument."""
    given = [
        name if name.isupper() else f"--{name.replace('_', '-')}" for name, value in flags.items() if value
    ]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} exclude each other", fix="give only one of them")


def caps_given(
    usd: float | None, tokens: int | None, turns: int | None, minutes: float | None, prefix: str = ""
) -> dict[str, float] | None:
    """The caps that are given, by name."""
    every = {"usd": usd, "tokens": tokens, "turns": turns, "minutes": minutes}
    return {f"{prefix}{name}": cap for name, cap in every.items() if cap is not None} or None


def names_in(perspectives: str | None) -> tuple[str, ...]:
    """The names in a comma-separated list. Raises UsageError when the list is empty."""
    names = tuple(filter(None, (name.strip() for name in (perspectives or "").split(","))))
    if perspectives is not None and not names:
        raise UsageError(
            "--perspectives names nobody",
            why="the list is empty",
            fix="leave it out, or name some: --perspectives product,risk; --discuss off for no discussion",
        )
    return names
