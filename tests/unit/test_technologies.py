"""Which words of a text are technologies."""

from __future__ import annotations

import pytest

from workers.documents.technologies import technologies


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Use Go and Postgres on Azure", ["Go", "Postgres", "Azure"]),
        ("Go live in March", []),
        ("| 3 | Go live | C |", []),
        ("Written in C, not in Rust", ["C"]),
        ("An R package for plots", ["R"]),
        ("Staff sign in with Azure AD", []),
        ("- Teams can meet\n- results are sent to Teams", ["Teams"]),
        ("It speaks REST and CAN, as far as it can", ["REST", "CAN"]),
    ],
)
def test_an_ordinary_word_counts_only_where_it_is_written_as_a_name(text: str, named: list[str]) -> None:
    assert [name for name, _ in technologies(text)] == named
