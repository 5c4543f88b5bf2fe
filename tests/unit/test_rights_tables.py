"""A table of rights is read as rules: who may do what, and what not."""

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import ask
from workers.builtin import analyse_request
from workers.documents.fates import book
from workers.documents.rights import rule_of

MATRIX = """# Role matrix for the admin area

| Role | View invoices | Edit invoices | Delete invoices |
|---|---|---|---|
| Admin | yes | yes | yes |
| Accountant | yes | yes | no |
| Sales | yes | no | no |

Please implement this. Deleting must ask for a second confirmation.
"""
ACTIONS = ("Role", "View invoices", "Edit invoices", "Delete invoices")
PEOPLE = ("Permission", "Admin", "Accountant", "Sales")


@pytest.mark.parametrize(
    ("headers", "cells", "rule"),
    [
        (ACTIONS, ("Admin", "yes", "yes", "yes"), "Admin may view, edit and delete invoices."),
        (ACTIONS, ("Guest", "no", "no", "no"), "Guest may not view, edit or delete invoices."),
        (
            ACTIONS,
            ("Clerk", "✓ (own only)", "✗", "–"),
            "Clerk may view invoices (own only), and not edit or delete invoices.",
        ),
        (
            PEOPLE,
            ("Delete invoices", "x", "", ""),
            "Admin may delete invoices, and Accountant and Sales may not.",
        ),
        (("角色", "查看发票", "删除发票"), ("会计", "是", "否"), "会计可以查看发票，不能删除发票。"),
        (("Role", "Name", "Phone"), ("Admin", "Ada", "12"), ""),
        (("Feature", "Us", "Them"), ("Export", "yes", "no"), ""),
        (ACTIONS, ("Admin", "", "", ""), ""),
    ],
)
def test_a_row_of_rights_is_one_rule(headers: tuple[str, ...], cells: tuple[str, ...], rule: str) -> None:
    assert rule_of(list(zip(headers, cells, strict=True)))[0] == rule


def test_each_row_is_a_requirement_of_its_people_and_so_it_stands_in_the_ledger() -> None:
    found = analyse_request(MATRIX)
    booked = book(MATRIX, ask("discovery", request=MATRIX, language="en", codebase=None))

    assert [(need.moscow, need.text) for need in found.needs] == [
        ("Must", "Admin may view, edit and delete invoices."),
        ("Must", "Accountant may view and edit invoices, and not delete them."),
        ("Must", "Sales may view invoices, and not edit or delete them."),
        ("Must", "Deleting must ask for a second confirmation."),
    ]
    assert [actor.name for actor in found.actors] == ["Admin", "Accountant", "Sales"]
    rows = [entry for entry in booked.ledger.entries if entry.kind == "row"]
    assert all(any(line.startswith("requirement") for line in entry.taken_as) for entry in rows)
