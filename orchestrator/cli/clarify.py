"""Asks the author of a request, on a terminal, what it leaves open; nothing is made before, every question can be skipped."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from orchestrator.cli.output import note
from orchestrator.domain.clarified import ANSWER_LENGTH, Answer
from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.pauses import EXIT_DETACHED


class Interrupted(LifecycleError):
    """Ctrl-C, before anything was begun."""

    exit_code = EXIT_DETACHED


def clarify(request: str, project: Path) -> tuple[Answer, ...]:
    """The answers to at most five questions about what the request does not say; the end of the input ends them.

    Raises Interrupted.
    """
    from orchestrator.dispatch.asking import have_done

    try:
        return _ask(have_done("request-gaps", project, given=request)["gaps"])
    except KeyboardInterrupt as error:
        raise Interrupted(
            "interrupted",
            why="nothing was begun, and no answer is kept",
            fix="repeat the command; with --yes it asks nothing",
        ) from error


def _ask(gaps: Sequence[JsonObject]) -> tuple[Answer, ...]:
    answers: list[Answer] = []
    if gaps:
        count = "One short question" if len(gaps) == 1 else f"{len(gaps)} short questions"
        note(f"{count} before it starts: Enter skips one, Ctrl-D the rest, --yes all of them.")
    for number, gap in enumerate(gaps, 1):
        note(f"{number}/{len(gaps)}  {gap['question']}")
        words = _answer()
        if words is None:
            break
        if words:
            answers.append(Answer(gap["key"], gap["question"], gap["heading"], words))
    return tuple(answers)


def _answer() -> str | None:
    """One line without the secrets in it; empty where nothing is said, None at the end of the input."""
    from orchestrator.commands.requests import checked

    while True:
        sys.stderr.write("     > ")
        sys.stderr.flush()
        line = sys.stdin.buffer.readline()
        if not line.endswith(b"\n"):
            note("")
        if not line:
            return None
        words = " ".join(line.decode("utf-8", "replace").split())
        if len(words) > ANSWER_LENGTH:
            note(f"     at most {ANSWER_LENGTH} characters, please")
            continue
        try:
            return checked(words, os.environ)
        except UsageError:  # no word in it
            return ""
