"""The content of a document on standard output."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from orchestrator.cli.output import is_live, raw, say
from orchestrator.domain.inert import inert, inert_json


def print_document(path: str, body: bytes) -> None:
    """Print a document: unchanged to a pipe (JSON with the same values); sanitized to a terminal, through $PAGER if set."""
    is_json = path.endswith(".json")
    if not is_live(sys.stdout):
        raw(inert_json(body.decode("utf-8", "surrogateescape")).encode() if is_json else body)
        return
    print_text((inert_json if is_json else inert)(body.decode("utf-8", "replace")))


def print_text(text: str) -> None:
    """Print sanitized text, on a terminal through $PAGER if set."""
    pager = program("PAGER") if is_live(sys.stdout) else None
    if pager is None:
        say(text)
        return
    subprocess.run(pager, input=text.encode("utf-8", "replace"), check=False)


def program(variable: str) -> list[str] | None:
    """The program and arguments in an environment variable, split as a shell would but never run by one."""
    import shlex

    try:
        words = shlex.split(os.environ.get(variable, ""))
    except ValueError:
        return None
    return words if words and shutil.which(words[0]) else None
