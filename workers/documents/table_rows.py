"""Rows of tables: their columns' headers say what each cell is, and so what the row is about."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from workers.documents.item_marks import is_left_open
from workers.documents.outline import Block
from workers.documents.passage import ASKED, Passage
from workers.documents.reading_words import column_of, is_done, label_role, priority_of, release_of, role_of

_BEATEN = frozenset(
    {"non_goal", "done", "glossary", "meta", "contents", "risk", "question", "problem", "plan", "acceptance"}
)
_ANSWERED = re.compile(
    r"\W*(?:answered|resolved|closed|decided|settled|done|no longer|beantwortet|entschieden|geklärt|répondu|résolu|resuelt|已(?:定|解决|回答|确认|关闭))",
    re.IGNORECASE,
)
_TYPES = frozenset({"risk", "dependency", "constraint", "question", "assumption"})
_BESIDE = frozenset(
    {"id", "priority", "status", "aside", "likelihood", "impact"}
)  # columns beside the statement
_ROLE_HEADERS = re.compile(
    r"^\W*(?:user )?(?:role|type|who|角色|用户类型|rolle|rôle|rol|役割)", re.IGNORECASE
)


_PROPERTIES = frozenset({"id", "priority", "status", "description", "criterion"})


def properties(blocks: Sequence[Block]) -> frozenset[str]:
    """The ids of rows of tables that describe one statement: `Priority | high` below `Description | ...`."""
    found: set[str] = set()
    for _, rows in groupby(blocks, key=lambda block: (block.kind, block.section, len(block.cells))):
        table = list(rows)
        keys = {_key(block) for block in table if block.kind == "row" and len(block.cells) == 2}
        if len(keys & _PROPERTIES) > 1:
            found |= {block.id for block in table}
    return frozenset(found)


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


def row_of(base: Passage) -> Passage:
    """A row by what its columns hold; it is what its table is about."""
    given = tuple((header, "" if is_left_open(cell) else cell) for header, cell in base.block.cells)
    if not any(cell and column_of(header) not in ("id", "priority", "status") for header, cell in given):
        return replace(base, role="template")
    base = replace(base, block=replace(base.block, cells=given))
    values: dict[str, str] = {}
    for header, cell in given:
        kind = column_of(header)
        if kind and cell and (kind not in values or (kind == "user" and _ROLE_HEADERS.match(header))):
            values[kind] = cell.strip()
    kinds = {column_of(header) for header, _ in base.block.cells} - {""}
    role, main = _table_role(kinds, base.role)
    typed = role_of(values.get("category", "")) if kinds & {"category"} and "id" not in kinds else ""
    if typed in _TYPES and typed != role:
        role, main = (
            typed,
            next((kind for kind in (typed, "requirement", "description") if kind in values), ""),
        )
    if values.get("goal") and "target" not in kinds and "metric" in kinds and role == "metric":
        values["target"] = values.pop("goal")
    metric, colon, target = (
        re.split(r"([:：])\s*", values.get("target", ""), maxsplit=1)
        if re.search(r"[:：]\s*\S", values.get("target", ""))
        else ("", "", "")
    )
    if colon and not re.search(r"\d", metric):
        values["metric"], values["target"] = values.get("metric") or metric, target
    text, title = _said(base, values, main, role)
    priority = priority_of(values.get("priority", "")) or base.priority
    finished = is_done(values.get("status", "")) and role in ASKED | {"goal", "plan", ""}
    if role == "question" and _ANSWERED.match(values.get("status", "")):
        role = "answered"
    if role == "done" and values.get("status") and not is_done(values["status"]):
        role = "requirement"
    return replace(
        base,
        text=text,
        title=title,
        role="done" if finished else role,
        id=values.get("id", ""),
        priority=priority,
        release=release_of(values.get("release", "")) or values.get("release", "") or base.release,
        values=values,
    )


def _table_role(kinds: set[str], section: str) -> tuple[str, str]:
    """(role of the rows, the column that makes the statement)."""
    for kind, role in (("field", "data"), ("member", "plan")):
        if kind in kinds and "requirement" not in kinds:
            return role, ""
    if section in _BEATEN:
        main = {"risk": "risk", "question": "question", "acceptance": "criterion"}.get(section, "")
        return section, main if main in kinds else ""
    for kind, role in (
        ("risk", "risk"),
        ("question", "question"),
        ("in_scope", "requirement"),
        ("non_goal", "non_goal"),
        ("term", "glossary"),
    ):
        if kind in kinds:
            return role, kind
    if section in ASKED and "user" in kinds and not kinds & {"needs", "purpose", "requirement", "goal"}:
        return section, ""
    if ("user" in kinds and not kinds & {"goal", "requirement", "purpose"}) or (
        section == "user" and "user" in kinds
    ):
        return ("use_case", "needs") if {"needs", "purpose"} <= kinds else ("user", "user")
    if "user" in kinds and {"needs", "purpose"} <= kinds:
        return "use_case", "needs"
    if (
        "metric" in kinds
        or (kinds & {"target", "baseline"} and section in ("goal", "metric", "nonfunctional"))
    ) and "requirement" not in kinds:
        if section == "nonfunctional" or section == "constraint":
            return section, ""
        return ("goal", "goal") if "goal" in kinds and "target" in kinds else ("metric", "metric")
    if "requirement" in kinds:
        return (
            section if section in ASKED | {"constraint", "dependency", "goal", "non_goal"} else "requirement"
        ), "requirement"
    for kind, role in (
        ("goal", "goal"),
        ("dependency", "dependency"),
        ("constraint", "constraint"),
        ("criterion", "acceptance"),
    ):
        if kind in kinds:
            return section or role, kind
    if "user" in kinds and "needs" in kinds:
        return "user", "user"
    return section, ""


def _said(base: Passage, values: Mapping[str, str], main: str, role: str) -> tuple[str, str]:
    """(the statement a row makes, its short name)."""
    if role == "use_case" and main == "needs" and values.get("user"):
        cells = [
            cell
            for header, cell in base.block.cells
            if column_of(header) in ("user", "needs", "purpose") and cell
        ]
        return " | ".join(cells), ""
    description, named = values.get("description", ""), values.get(main, "") if main else ""
    if named and role == "nonfunctional" and values.get("target") and values["target"] not in named:
        return f"{named} | {values['target']}", ""
    if named and description and (main == "requirement" or (main == "goal" and len(named.split()) < 4)):
        longer = len(description.split()) > 2 or len(description) > 8
        told = description if longer and len(named) < max(60, len(description)) else named
        return told, "" if told == named else named
    if role in ASKED and not named and description:
        return description, ""
    if named:
        return named, ""
    beside = (
        _BESIDE | {"release"} if role in ASKED else _BESIDE | ({"purpose"} if role == "constraint" else set())
    )
    if role in ("user", "risk") and not main:
        first = next(
            (
                cell
                for header, cell in base.block.cells
                if re.search(r"[^\W\d]", cell) and column_of(header) not in _BESIDE
            ),
            "",
        )
        if first:
            return first, ""
    content = [cell for header, cell in base.block.cells if cell and column_of(header) not in beside]
    if len(content) > 2 and values.get("description") in content:
        content.remove(values["description"])
    if role == "nonfunctional" and values.get("category") in content and len(content) > 1:
        content.remove(values["category"])
    return " | ".join(content) or base.text, ""
