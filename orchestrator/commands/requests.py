"""Reads the request: a sentence, a file (`@idea.md`, or one word that names one), or standard input."""

from __future__ import annotations

import os
import select
import stat
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from orchestrator.domain import secrets
from orchestrator.domain.errors import UsageError
from orchestrator.domain.patterns import expression

MAX_BYTES = 1024 * 1024  # of a request; a larger one is a document set, not a request
STDIN_SECONDS = 60.0
_TEXT_SUFFIXES = (".md", ".txt")
_WORD = expression(r"[^\W_]")  # a letter, a digit or a character, of any script


def read_request(argument: str, folder: Path, environ: Mapping[str, str]) -> str:
    """The request's text, checked and masked. Raises UsageError; reading a FIFO or an endless input does not hang."""
    if argument in ("-", "@-"):
        text = _decode(_read_stdin(), "standard input")
    elif _names_file(argument, folder):
        text = read_text(folder, argument[1:])
    elif " " not in argument and argument.endswith(_TEXT_SUFFIXES) and (folder / argument).is_file():
        text = read_text(folder, argument)
    else:
        text = argument
    return checked(text, environ)


def read_words(argument: str) -> str:
    """What a person says to a session: the words themselves, or those of a file (`@notes.md`) or of standard input.

    Raises UsageError.
    """
    if argument in ("-", "@-"):
        return _decode(_read_stdin(), "standard input")
    if _names_file(argument, Path()):
        return read_text(Path(), argument[1:])
    return argument


def _names_file(argument: str, folder: Path) -> bool:
    """Whether it is `@` and the name of a file: words, as `@anna wants ...`, are none, unless there is such a file."""
    name = argument.removeprefix("@")
    if name == argument:
        return False
    return len(name.split()) < 2 or name.endswith(_TEXT_SUFFIXES) or os.path.lexists(folder / name)


def checked(text: str, environ: Mapping[str, str]) -> str:
    """The request's text without the secrets in it, when it can be a request. Raises UsageError.

    Masked here, before anything is made of it: what agents say is masked too, and their documents are held against the
    request's own words.
    """
    if not _WORD.search(text):
        raise UsageError(
            "the task is empty",
            why="it contains no words",
            fix='say what to do: lifecycle start "Build a URL shortener"',
        )
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise UsageError(
            "the task is too long",
            why=f"more than {MAX_BYTES} bytes",
            fix="shorten it",
        )
    clean = text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}").strip()
    return secrets.mask(clean, secrets.known(environ))


def read_text(folder: Path, name: str) -> str:
    """A text file below `folder` or elsewhere, read once and within a limit. Raises UsageError."""
    if not name:
        raise UsageError("no file is named after @", fix="write @idea.md, or @- for standard input")
    path = folder / Path(name).expanduser()
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(
            f"cannot read {name!r}", why=why, fix="name a text file that you may read"
        ) from error
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise UsageError(f"{name!r} is not a file", why=_kind(found.st_mode), fix="name a text file")
    with os.fdopen(descriptor, "rb") as file:
        if found.st_size > MAX_BYTES:
            raise UsageError(
                f"{name!r} is too large", why=f"{found.st_size} bytes, at most {MAX_BYTES}", fix="shorten it"
            )
        return _decode(file.read(MAX_BYTES + 1), name)


def _kind(mode: int) -> str:
    kinds = {
        stat.S_ISDIR: "a directory",
        stat.S_ISFIFO: "a FIFO",
        stat.S_ISCHR: "a device",
        stat.S_ISBLK: "a device",
    }
    return next((words for test, words in kinds.items() if test(mode)), "neither file nor directory")


def _read_stdin() -> bytes:
    """Everything up to the end, within a limit of bytes and of time."""
    if sys.stdin is None or sys.stdin.closed:
        raise UsageError("standard input is closed", fix="pipe the request in, or name a file with @")
    if sys.stdin.isatty():
        print("Type the task, then Ctrl-D.", file=sys.stderr)  # noqa: T201 - a person waits at the terminal
    descriptor = sys.stdin.fileno()
    deadline = None if sys.stdin.isatty() else time.monotonic() + STDIN_SECONDS
    parts: list[bytes] = []
    while sum(map(len, parts)) <= MAX_BYTES:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        if not select.select([descriptor], [], [], left)[0]:
            raise UsageError(
                "standard input does not end",
                why=f"no end within {STDIN_SECONDS:.0f} s",
                fix="close the pipe",
            )
        part = os.read(descriptor, 65_536)
        if not part:
            return b"".join(parts)
        parts.append(part)
    raise UsageError("standard input is too large", why=f"at most {MAX_BYTES} bytes", fix="shorten it")


def _decode(raw: bytes, name: str) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name!r} is not UTF-8 text", why=f"byte {error.start} cannot be read", fix="save it as UTF-8"
        ) from error
    if "\0" in text:
        raise UsageError(f"{name!r} is binary", why="it contains NUL bytes", fix="name a text file")
    return text
