"""Writing to the terminal: data to standard output, progress and faults to standard error, strangers' text made inert."""

from __future__ import annotations

import json
import os
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.inert import inert, inert_json, one_line
from orchestrator.domain.states import EXIT_FAILED

PIPE_WIDTH = 120  # columns when standard output is no terminal and COLUMNS says nothing
MIN_WIDTH = 20
_COLOURS = {"green": "32", "yellow": "33", "red": "31", "dim": "2", "bold": "1"}


class _State:
    closed = False  # whoever read our output has gone: go on, silently


def say(text: str = "") -> None:
    """One line (or several) of data. Raises LifecycleError when it cannot be written, a closed pipe excepted."""
    if _State.closed or sys.stdout is None:
        return
    try:
        sys.stdout.write(text + "\n")
    except OSError as error:
        _broken(error)


def raw(body: bytes) -> None:
    """Bytes as they are."""
    if _State.closed or sys.stdout is None:
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()
    except OSError as error:
        _broken(error)


def flush() -> bool:
    """Let everything written be seen; False when nobody reads any more."""
    if not _State.closed and sys.stdout is not None:
        try:
            sys.stdout.flush()
        except OSError as error:
            _broken(error)
    return not _State.closed


def _broken(error: OSError) -> None:
    """Standard output is of no use any more: what is still buffered must not fail a second time at exit."""
    _State.closed = True
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    if not isinstance(error, BrokenPipeError):
        raise LifecycleError(
            "the output could not be written", why=error.strerror or str(error), fix="give it somewhere to go"
        ) from error


def end_output(code: int) -> int:
    """Flush; `code`, or 1 when the last of the output could not be written."""
    try:
        flush()
    except LifecycleError as error:
        complain(error.what, error.why, error.fix)
        return code or EXIT_FAILED
    return code


def note(text: str = "") -> None:
    """One line of progress; nobody is hurt when it cannot be shown."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except OSError:
        return  # there is no third place to say that the second one is closed


def complain(what: str, why: str = "", fix: str = "") -> None:
    note(f"Error: {one_line(what)}")
    for label, text in (("why", why), ("try", fix)):
        lines = [line for line in inert(text).splitlines() if line.strip()]
        for number, line in enumerate(lines):
            note(f"  {label + ':' if number == 0 else '    '} {line.strip()}")


def print_json(value: Any) -> None:
    utf8 = sys.stdout is not None and (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    say(inert_json(json.dumps(value, ensure_ascii=not utf8, indent=2)))


def width() -> int:
    return max(MIN_WIDTH, shutil.get_terminal_size((PIPE_WIDTH, 24)).columns)


def is_live(stream: Any) -> bool:
    """Whether a person looks at the stream on a terminal that can draw."""
    return stream is not None and stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def paint(text: str, colour: str) -> str:
    if "NO_COLOR" in os.environ or not is_live(sys.stdout):
        return text
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"


def cells(text: str) -> int:
    """How many columns a text takes: East Asian characters take two."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def clip(text: str, columns: int) -> str:
    """One line, inert, of at most `columns` columns."""
    text = one_line(text)
    if cells(text) <= columns:
        return text
    kept = ""
    for char in text:
        if cells(kept + char) > columns - 1:
            break
        kept += char
    return kept + "…"


def table(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Columns as wide as they need; the last one takes what is left of the terminal's width."""
    shown = [[one_line(str("" if cell is None else cell)) for cell in row] for row in rows]
    every = [list(headings), *shown]
    widths = [max(cells(row[n]) for row in every) for n in range(len(headings))]
    left = max(MIN_WIDTH, width() - sum(widths[:-1]) - 2 * (len(widths) - 1))
    for row in every:
        padded = [
            cell + " " * (columns - cells(cell)) for cell, columns in zip(row[:-1], widths[:-1], strict=True)
        ]
        say("  ".join([*padded, clip(row[-1], left)]).rstrip())


def duration(seconds: float) -> str:
    """`45s`, `12m 08s`, `3h 05m`, `2d 04h`."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02d}s"
    if whole < 86_400:
        return f"{whole // 3600}h {whole % 3600 // 60:02d}m"
    return f"{whole // 86_400}d {whole % 86_400 // 3600:02d}h"


def money(cost: dict[str, Any]) -> str:
    """`$0.41`, with a `+` when some calls have no known price; `unknown` when none of those that cost something has."""
    if cost["unpriced"] and not cost["usd"]:
        return "unknown"
    return f"${cost['usd']:.2f}{'+' if cost['unpriced'] else ''}"


def money_in_words(cost: dict[str, Any]) -> str:
    """`$0.41`, or `at least $1.20, 3 calls of unknown price`."""
    if not cost["unpriced"]:
        return money(cost)
    known = f"at least ${cost['usd']:.2f}, " if cost["usd"] else ""
    return f"{known}{cost['unpriced']} call{'s' if cost['unpriced'] > 1 else ''} of unknown price"


def bar(percent: float, columns: int = 20) -> str:
    done = round(max(0.0, min(100.0, percent)) / 100 * columns)
    return "#" * done + "-" * (columns - done)
