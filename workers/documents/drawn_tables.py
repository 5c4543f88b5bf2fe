"""Tables of plain text whose lines are drawn, or whose columns a rule of dashes or the header marks, as Markdown.

ID   | What   | Status         +------+--------+        ID    What      Status
-----+--------+-------         | ID   | What   |        ----  --------  ------
A-1  | Print  | open           +------+--------+        A-1   Print     open
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from orchestrator.domain.patterns import expression
from workers.documents.reading_words import column_of

_BARS = str.maketrans("│┃║", "|||")
_RULE = expression(
    r"[ \t]*[|+├┌└╔╠╚╟┣┏┗]?(?:[-=─═━:]{2,}[+┼┬┴╪╬╦╩╫╤╧┿┳┻╋]){1,40}(?:[-=─═━:]{2,}[|+┤┐┘╣╗╝╢┫┓┛]?)?[ \t]*$"
)
_JOINTS = expression(r"[-=─═━:]{2,}")
_SPACED = expression(r"[ \t]*[-=]{2,}(?: +[-=]{2,}){1,40}[ \t]*$")
_CELL = expression(r"\S+(?: \S+)*")
_STATING = frozenset({"requirement", "description", "needs", "goal", "risk", "question"})  # columns
_RANKING = frozenset({"priority", "status", "release", "criterion", "target"})  # columns beside it
_FENCE = ("```", "~~~")


def with_drawn_tables(text: str) -> str:
    """The text, its drawn tables as Markdown's; what stands in a fence is code."""
    made: list[str] = []
    fenced = False
    for blank, group in groupby(text.split("\n"), key=lambda line: not line.strip()):
        lines = list(group)
        fences = sum(line.lstrip().startswith(_FENCE) for line in lines)
        table = [] if blank or fenced or fences else _drawn(lines) or _spaced(lines) or _headed(lines)
        made += table or lines
        fenced = fenced != (fences % 2 == 1)
    return "\n".join(made)


def _drawn(lines: Sequence[str]) -> list[str]:
    """A table of cells between bars, with its rules; empty when the lines hold anything else."""
    rules = [_RULE.match(line) is not None for line in lines]
    begin = rules.index(True) if any(rules) else -1
    if begin < 0:
        return []
    begin = begin if begin == 0 or "|" not in _barred(lines[begin - 1]) else begin - 1
    width = len(_JOINTS.findall(next(line for line, is_rule in zip(lines, rules, strict=True) if is_rule)))
    inside = list(zip(lines[begin:], rules[begin:], strict=True))
    if width < 2 or any(not is_rule and _barred(line).count("|") < width - 1 for line, is_rule in inside):
        return []
    groups = [
        [_cells(line, width) for line, _ in rows]
        for is_rule, rows in groupby(inside, key=lambda row: row[1])
        if not is_rule
    ]
    return [*lines[:begin], *_table(groups, width)]


def _spaced(lines: Sequence[str]) -> list[str]:
    """A table whose columns begin where the runs of a rule do; empty when there is none."""
    at = next((at for at in range(1, len(lines) - 1) if _SPACED.match(lines[at])), 0)
    if not at or _SPACED.match(lines[at - 1]):
        return []
    starts = [run.start() for run in re.finditer(r"[-=]+", lines[at])]
    body = [line for line in lines[at + 1 :] if not _SPACED.match(line)]
    return _in_columns(lines[: at - 1], [lines[at - 1], *body], starts)


def _headed(lines: Sequence[str]) -> list[str]:
    """A table without a rule, whose columns begin where those of its first line do, which names what they hold."""
    cells = [*_CELL.finditer(lines[0])] if "  " in lines[0].strip() else []
    kinds = [column_of(cell[0]) for cell in cells]
    stating = _STATING & {*kinds} and _RANKING & {*kinds}
    if len(lines) < 3 or len(cells) < 3 or not stating:
        return []
    return _in_columns([], lines, [cell.start() for cell in cells])


def _in_columns(before: Sequence[str], lines: Sequence[str], starts: Sequence[int]) -> list[str]:
    """The lines, the first of them the header, as a table of columns that begin there; empty when words run over an edge."""
    ends = [*starts[1:], None]
    rows = [[_cell(line[start:end]) for start, end in zip(starts, ends, strict=True)] for line in lines]
    if any(line[start - 1 : start].strip() for line in lines for start in starts[1:]) or not all(rows[0][:2]):
        return []
    return [*before, *_table([rows[:1], rows[1:]], len(starts))]


def _table(groups: list[list[list[str]]], width: int) -> list[str]:
    """Groups of rows between rules, the first of them the header, as lines of Markdown."""
    if len(groups) < 2:
        return []
    head, *bodies = groups
    rows = [row for body in bodies for row in _rows(body, parted=len(bodies) > 1)]
    shown = (f"| {' | '.join(row)} |" for row in rows)
    return ["", f"| {' | '.join(_merged(head))} |", "|" + "---|" * width, *shown, ""]


def _rows(body: Sequence[list[str]], *, parted: bool) -> Iterator[list[str]]:
    """The rows of one group: a line without a first cell goes on with the row above it."""
    whole = parted and len(body) > 1 and not all(row[0] for row in body)
    open_rows: list[list[str]] = []
    for row in body:
        goes_on = not row[0] and (whole or 2 * sum(map(bool, row)) <= len(row))
        if open_rows and goes_on:
            open_rows.append(row)
            continue
        if open_rows:
            yield _merged(open_rows)
        open_rows = [row]
    if open_rows:
        yield _merged(open_rows)


def _merged(rows: Sequence[Sequence[str]]) -> list[str]:
    return [" ".join(cell for cell in column if cell) for column in zip(*rows, strict=True)]


def _barred(line: str) -> str:
    return line.translate(_BARS)


def _cells(line: str, width: int) -> list[str]:
    """As many cells as the rule has; what a bar parts within the last one stays together."""
    bare = _barred(line).strip()
    bare = bare.removeprefix("|") if bare.count("|") >= width else bare
    bare = bare.removesuffix("|") if bare.count("|") >= width else bare
    cells = [_cell(cell) for cell in bare.split("|", width - 1)]
    return cells + [""] * (width - len(cells))


def _cell(text: str) -> str:
    return text.strip().replace("|", "/")
