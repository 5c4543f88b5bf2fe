"""Rows of tables that describe one statement or person: `Priority | high` below `Description | ...`, under its heading."""
# ruff: noqa: E501 - a list of words is read whole

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from orchestrator.domain.dataclass import replace
from workers.documents.item_marks import is_left_open
from workers.documents.outline import Block
from workers.documents.passage import Passage
from workers.documents.reading_words import attribute_of, column_of, label_role

_NOTHING = frozenset(
    {
        "none",
        "no",
        "nothing",
        "keine",
        "kein",
        "aucun",
        "aucune",
        "ninguno",
        "ninguna",
        "nessuno",
        "无",
        "没有",
        "なし",
    }
)
_NAMES_PROPERTIES = frozenset(
    "attribute attributes aspect characteristic characteristics property field trait detail category item 属性 项目 特征 merkmal eigenschaft attribut caractéristique atributo característica".split()  # noqa: SIM905
)  # headers of columns that name what a row says of somebody
_PROPERTIES = frozenset({"id", "priority", "status", "description", "criterion"})


def properties(blocks: Sequence[Block]) -> frozenset[str]:
    """The ids of rows of tables that describe one statement: `Priority | high` below `Description | ...`."""
    found: set[str] = set()
    for _, rows in groupby(blocks, key=lambda block: (block.kind, block.section, len(block.cells))):
        table = list(rows)
        keys = {_key(block) for block in table if block.kind == "row" and len(block.cells) == 2}
        aside = sum(attribute_of(block.cells[0][1]) == "aside" for block in table if len(block.cells) == 2)
        if len(keys & _PROPERTIES) > 1 or aside > 1:
            found |= {block.id for block in table}
    return frozenset(found)


def is_of_person(block: Block) -> bool:
    """Whether a row says one thing of a person: `Tech comfort | Low` below `Attribute | Nora`."""
    return len(block.cells) > 1 and block.cells[0][0].strip(" *:").casefold() in _NAMES_PROPERTIES


def says_nothing(cell: str) -> bool:
    """Whether a cell about a person holds nothing, or says that there is nothing: `None`."""
    return is_left_open(cell) or cell.strip(" *.-").casefold() in _NOTHING


def of_person(base: Passage) -> Passage:
    """Such a row of a table with one person: who somebody is, or what is said of the person in the heading above it."""
    (_, name), (_, said) = base.block.cells
    kind = attribute_of(name.strip(" *"))
    if says_nothing(said) or (not base.parent and kind != "occupation"):
        return replace(base, role="aside", text=said)
    if kind == "occupation" and base.parent:
        return replace(base, role="attribute", label=name, text=said, values={kind: said})
    return replace(
        base, label=name, text=said if kind == "occupation" else f"{name.strip(' *')}: {said}", values={}
    )


def _key(block: Block) -> str:
    """What the first cell of a row names, as a column's header would."""
    return column_of(block.cells[0][1])


def property_of(base: Passage) -> Passage:
    """A row that says one thing of the statement in the heading above it."""
    name, said = (cell for _, cell in base.block.cells)
    kind = _key(base.block)
    if not base.parent or is_left_open(said):
        return replace(base, role="meta")
    if kind in _PROPERTIES | {"release", "metric", "target"}:
        return replace(base, role="attribute", label=name, text=said, values={kind: said})
    role = label_role(name)
    return replace(
        base, role=role if role in ("constraint", "dependency", "risk", "question") else "aside", text=said
    )
