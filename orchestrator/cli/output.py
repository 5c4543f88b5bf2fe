"""Output: data to standard output, progress and errors to standard error; foreign text sanitized."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TextIO

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.inert import inert, inert_json, one_line
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.patterns import expression
from orchestrator.domain.pauses import EXIT_FAILED

PIPE_WIDTH = 120  # columns when standard output is no terminal and COLUMNS says nothing
MIN_WIDTH = 20
LAST_COLUMN = 8  # columns that a table's last one needs
HANGING = "  "  # before the lines that go on with one above
_ID = expression(r"(?:TLS|UAN|TC)-[\w…-]+")
_DATE = expression(r"-\d{4}-\d\d-\d\d(?:-\d+)?$", re.ASCII)
REPEATED = "applied before under this key; nothing was changed"
_COLOURS = {"green": "32", "yellow": "33", "red": "31", "dim": "2", "bold": "1"}


class _State:
    closed = False  # whoever read our output has gone: go on, silently


def say(text: str = "") -> None:
    """Print data. Raises LifecycleError when it cannot be written, unless the pipe was closed."""
    if _State.closed or sys.stdout is None:
        return
    try:
        sys.stdout.write(text + "\n")
    except OSError as error:
        _broken(error)


def raw(body: bytes) -> None:
    """Print bytes unchanged."""
    if _State.closed or sys.stdout is None:
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()
    except OSError as error:
        _broken(error)


def flush() -> bool:
    """Flush the output; False when its reader is gone."""
    if not _State.closed and sys.stdout is not None:
        try:
            sys.stdout.flush()
        except OSError as error:
            _broken(error)
    return not _State.closed


def _broken(error: OSError) -> None:
    """Discard standard output, so that buffered data does not fail again at exit."""
    _State.closed = True
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    if not isinstance(error, BrokenPipeError):
        raise LifecycleError(
            "the output could not be written", why=error.strerror or str(error), fix="redirect it elsewhere"
        ) from error


def end_output(code: int) -> int:
    """Flush the output; return `code`, or 1 when it could not be written."""
    try:
        flush()
    except LifecycleError as error:
        complain(error.what, error.why, error.fix)
        return code or EXIT_FAILED
    return code


def note(text: str = "") -> None:
    """Print one line of progress; a failure to do so is ignored."""
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


def print_json(value: Json) -> None:
    utf8 = sys.stdout is not None and (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    say(inert_json(json.dumps(value, ensure_ascii=not utf8, indent=2)))


def width() -> int:
    return max(MIN_WIDTH, shutil.get_terminal_size((PIPE_WIDTH, 24)).columns)


def is_bounded() -> bool:
    """Whether lines must fit a width: on a terminal, or when COLUMNS is set; never in a plain pipe."""
    return "COLUMNS" in os.environ or (sys.stdout is not None and sys.stdout.isatty())


def is_live(stream: TextIO | None) -> bool:
    """Whether the stream is a terminal that can draw."""
    return stream is not None and stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def paint(text: str, colour: str) -> str:
    if "NO_COLOR" in os.environ or not is_live(sys.stdout):
        return text
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"


def cells(text: str) -> int:
    """The number of columns of a text; East Asian characters take two."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def clip(text: str, columns: int) -> str:
    """One sanitized line of at most `columns` columns."""
    text = one_line(text)
    if cells(text) <= columns:
        return text
    kept = ""
    for char in text:
        if cells(kept + char) > columns - 1:
            break
        kept += char
    return kept + "…"


def shorten(text: str, columns: int) -> str:
    """At most `columns` columns, cut in the middle so that an id keeps its date; `find.session` accepts such an id."""
    if cells(text) <= columns:
        return text
    dated = _DATE.search(text)
    tail = dated[0] if dated and cells(dated[0]) < columns // 2 + 2 else text[-(columns // 3) :]
    head = clip(text, columns - cells(tail))
    return head.removesuffix("…") + "…" + tail


def broken(text: str, columns: int) -> list[str]:
    """Lines of at most `columns` columns, broken at spaces; a longer word is split, an id shortened."""
    if "\n" not in text and cells(inert(text)) <= columns:
        return [inert(text)]
    if _ID.fullmatch(text):
        return [shorten(text, columns)]
    lines = [""]
    for word in one_line(text).split(" "):
        if _ID.fullmatch(word):
            word = shorten(word, columns - len(HANGING))
        room = columns - cells(lines[-1])
        if lines[-1].strip() and cells(word) < room:
            lines[-1] += " " + word
        elif not lines[-1].strip() and cells(word) <= room:
            lines[-1] += word
        else:
            if lines[-1].strip():
                lines.append(HANGING)
            for char in word:
                if cells(lines[-1] + char) > columns:
                    lines.append(HANGING)
                lines[-1] += char
    return lines


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a line; its first `painted` characters (None: all) have a colour."""

    text: str
    colour: str = ""
    painted: int | None = None

    def shown(self, line: str, first: bool) -> str:
        if not self.colour or (self.painted is not None and not first):
            return line
        end = len(line) if self.painted is None else self.painted
        return paint(line[:end], self.colour) + line[end:]


def flow(pieces: Iterable[Piece], columns: int, gap: str = "   ") -> list[str]:
    """Lines of as many pieces as fit side by side; a piece wider than a line is broken."""
    lines: list[str] = []
    used = 0
    for piece in pieces:
        for number, line in enumerate(broken(piece.text, columns) if is_bounded() else [piece.text]):
            shown = piece.shown(line, number == 0)
            if lines and number == 0 and used + len(gap) + cells(line) <= columns:
                lines[-1] += gap + shown
                used += len(gap) + cells(line)
            else:
                lines.append(shown)
                used = cells(line)
    return lines


def say_wrapped(text: str, indent: str = "") -> None:
    """Print data as lines that fit the width, if there is one."""
    for line in broken(text, width() - len(indent)) if is_bounded() else [text]:
        say(f"{indent}{line}")


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print columns as wide as needed, the last one as wide as is left; if they do not fit, a row takes several lines."""
    shown = [[one_line(str("" if cell is None else cell)) for cell in row] for row in rows]
    every = [list(headings), *shown]
    widths = [max(cells(row[n]) for row in every) for n in range(len(headings))]
    left = width() - sum(widths[:-1]) - 2 * (len(widths) - 1)
    if is_bounded() and left < min(widths[-1], LAST_COLUMN):
        _stacked(every)
        return
    for row in every:
        padded = [
            cell + " " * (columns - cells(cell)) for cell, columns in zip(row[:-1], widths[:-1], strict=True)
        ]
        last = clip(row[-1], left) if is_bounded() else row[-1]
        say("  ".join([*padded, last]).rstrip())


def _stacked(rows: list[list[str]]) -> None:
    """Print the first cell of each row on a line of its own and the others below it."""
    columns = width() - len(HANGING)
    for first, *others in rows:
        say(shorten(first, width()))
        pieces = [Piece(cell) for cell in others[:-1] if cell] + [Piece(clip(others[-1], columns))]
        for line in flow([piece for piece in pieces if piece.text], columns, gap="  "):
            say(f"{HANGING}{line}")


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


def money(cost: JsonObject) -> str:
    """`$0.41`, with a `+` when the price of some calls is unknown; `unknown` when that of all paid calls is."""
    if cost["unpriced"] and not cost["usd"]:
        return "unknown"
    return f"${cost['usd']:.2f}{'+' if cost['unpriced'] else ''}"


def money_in_words(cost: JsonObject) -> str:
    """`$0.41`, or `at least $1.20, 3 calls of unknown price`."""
    if not cost["unpriced"]:
        return money(cost)
    known = f"at least ${cost['usd']:.2f}, " if cost["usd"] else ""
    return f"{known}{cost['unpriced']} call{'s' if cost['unpriced'] > 1 else ''} of unknown price"


def bar(percent: float, columns: int = 20) -> str:
    done = round(max(0.0, min(100.0, percent)) / 100 * columns)
    return "#" * done + "-" * (columns - done)


def progress(found: dict[str, int], noun: str = "") -> str:
    """`4/10`, with what was left out: `2/6 tasks, 4 cancelled`."""
    left_out = [f", {found[state]} {state}" for state in ("skipped", "cancelled") if found[state]]
    return f"{found['done']}/{found['total']}{noun}{''.join(left_out)}"


def verdict(found: JsonObject | None) -> str:
    """`4.3`, or `2.7 MEDIUM` where the round was blocked."""
    if found is None:
        return ""
    mean = "" if found["mean"] is None else f"{found['mean']:.1f}"
    return f"{mean} {found['severity'] or ''}".strip()


def alone(found: JsonObject) -> str:
    """Says behind a verdict that no model has judged."""
    return " (by rules alone)" if found["by_rules"] else ""


def say_done(session: str, what: str, then: str, as_json: bool, repeated: bool = False) -> None:
    """Print the new state of a session and the command that usually follows.

    `repeated`: the command was applied before, under its key.
    """
    if as_json:
        print_json({"session": session, "done": what, "repeated": repeated})
        return
    if repeated:
        note(REPEATED)
    say(f"{session} is {what}" + (f"   ({then})" if then else ""))
