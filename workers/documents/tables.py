"""What only a whole table says: which column names ways of testing, what its codes stand for, which needs group its rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from orchestrator.domain.dataclass import replace
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk
from workers.documents.item_marks import ID
from workers.documents.outline import Block
from workers.documents.quantities import quantities
from workers.documents.reading_words import column_of
from workers.documents.states import state_of

_CODES = expression(
    r"\W*(?:code|symbol|mark|letter|sign|abbreviation|abbr|short|status|state|key|icon|colou?r|kürzel|zeichen"
    r"|sigle|símbolo|符号|代码|记号)s?\W*$"
)
_MEANINGS = expression(
    r"\W*(?:meaning|means|stands for|explanation|what it means|bedeutung|signification|significado|含义|意味)\W*$"
)
_TITLES = expression(r"\W*(?:title|name|titel|titre|título|titolo|标题|名称)\W*$", re.IGNORECASE)
_CODE = 16  # characters of a code
_CONDITION, _CONDITION_HAN = 4, 6  # words, or characters of Chinese, from which a cell states a condition
_LEVELS = {"H": "High", "M": "Medium", "L": "Low"}
_GROUPS = frozenset({"goal", "needs", "purpose"})  # columns that may hold what several rows serve


def with_tables(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, their tables' rows with the cells that tell something of them."""
    tables = [
        list(rows)
        for _, rows in groupby(blocks, key=lambda block: (block.kind, block.section, _headers(block)))
    ]
    used = {cell for rows in tables if not _is_legend(rows) for row in rows for _, cell in row.cells}
    legends = [rows for rows in tables if _is_legend(rows) and any(code in used for code, _ in _codes(rows))]
    codes = {code: said for rows in legends for code, said in _codes(rows) if code and said}
    return [
        block for rows in tables for block in (_explained(rows) if rows in legends else _told(rows, codes))
    ]


def _headers(block: Block) -> tuple[str, ...]:
    return tuple(header for header, _ in block.cells)


def _told(rows: list[Block], codes: Mapping[str, str]) -> Iterator[Block]:
    headers = _headers(rows[0])
    if len(rows) < 2 or len(set(headers)) < max(2, len(headers)):
        yield from rows
        return
    kinds = {header: column_of(header) for header in headers}
    if "id" not in kinds.values() and not kinds[headers[0]] and _are_keys(_column(rows, headers[0])):
        rows = [
            replace(row, cells=(("ID", row.cells[0][1]), *row.cells[1:])) for row in rows
        ]  # `SR | Requirement`
        kinds, headers = {**kinds, "ID": "id"}, ("ID", *headers[1:])
    if not {"requirement", "description"} & {*kinds.values()} and {"priority", "criterion"} & {
        *kinds.values()
    }:
        rows = [_with_statement(row) for row in rows] if "id" in kinds.values() else rows
        headers = _headers(rows[0])
        kinds = {header: column_of(header) for header in headers}
    tests = {
        header for header in headers if kinds[header] == "criterion" and not _states(_column(rows, header))
    }
    wanted = next((header for header in headers if kinds[header] == "requirement"), "")
    keyed = bool(wanted) and _are_keyed(_column(rows, wanted))
    groups = {
        header for header in headers if wanted and kinds[header] in _GROUPS and _groups(rows, header, wanted)
    }
    levels = {
        header for header in headers if kinds[header] == "priority" and _are_levels(_column(rows, header))
    }
    for row in rows:
        cells = {header: cell for header, cell in row.cells if header not in tests}
        for header in groups:
            said = cells.pop(header, "")
            if said:
                yield replace(row, id=f"{row.id}a", text=said, cells=(("Goal", said),))
        key = ID.match(cells.get(wanted, "")) if keyed else None
        if key:
            cells[wanted] = cells[wanted][key.end() :]
            cells |= {header: key[1] or "" for header in cells if kinds[header] == "id"}
        for header, cell in cells.items():
            meant = codes.get(cell, "") if kinds[header] == "status" else ""
            if meant and (state_of(meant) or not state_of(cell)):
                cells[header] = meant
            elif header in levels:
                cells[header] = _LEVELS.get(cell.strip().upper(), cell)
        yield replace(row, cells=tuple(cells.items()))


def _with_statement(row: Block) -> Block:
    """A row with an id and a priority, whose title is all that says what is asked for."""
    cells = tuple(("Requirement" if _TITLES.match(header) else header, cell) for header, cell in row.cells)
    return replace(row, cells=cells)


def _explained(rows: Sequence[Block]) -> Iterator[Block]:
    """The rows of a legend as those of a glossary."""
    return (
        replace(row, cells=(("Term", code), ("Meaning", said)))
        for row, (code, said) in zip(rows, _codes(rows), strict=True)
    )


def _column(rows: Sequence[Block], header: str) -> list[str]:
    """The cells of a column that hold something."""
    return [
        cell for row in rows for name, cell in row.cells if name == header and any(map(str.isalnum, cell))
    ]


def _is_legend(rows: Sequence[Block]) -> bool:
    """Whether a table explains codes: `Code | Meaning`."""
    headers = [header.casefold() for header in _headers(rows[0])]
    return (
        len(headers) == 2
        and _CODES.match(headers[0]) is not None
        and _MEANINGS.match(headers[1]) is not None
        and all(len(row.cells) == 2 and len(row.cells[0][1]) <= _CODE for row in rows)
    )


def _codes(rows: Sequence[Block]) -> Iterator[tuple[str, str]]:
    return ((row.cells[0][1], row.cells[1][1]) for row in rows)


def _states(cells: Sequence[str]) -> bool:
    """Whether half the cells of a column state conditions, rather than name a way of testing, a person or a source."""
    said = [
        len(cell) >= _CONDITION_HAN
        if is_cjk(cell)
        else len(cell.split()) >= _CONDITION or any(quantities(cell))
        for cell in cells
    ]
    return 2 * sum(said) >= len(said)


def _are_keyed(cells: Sequence[str]) -> bool:
    """Whether most cells begin with an identifier: `SR1.1 Look a family up`."""
    keys = [ID.match(cell) for cell in cells]
    return 2 * sum(
        key is not None and key.end() < len(cell) for key, cell in zip(keys, cells, strict=True)
    ) > len(keys)


def _are_keys(cells: Sequence[str]) -> bool:
    """Whether a column holds nothing but identifiers."""
    return bool(cells) and all(ID.fullmatch(cell) is not None for cell in cells)


def _are_levels(cells: Sequence[str]) -> bool:
    """Whether letters of a column are high, medium and low, so that `M` is no `Must`."""
    letters = {cell.strip().upper() for cell in cells}
    return bool(letters & {"H", "L"}) and letters <= _LEVELS.keys()


def _groups(rows: Sequence[Block], header: str, wanted: str) -> bool:
    """Whether a cell of a column stands for the rows below it, too, in which it is empty."""
    filled = [bool(dict(row.cells).get(header, "").strip()) for row in rows]
    below = (
        not said and before and dict(row.cells).get(wanted, "").strip()
        for row, said, before in zip(rows[1:], filled[1:], filled, strict=False)
    )
    return filled[0] and any(below)
