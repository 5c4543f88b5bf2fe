"""Requests told in paragraphs: what leads to code or a list, what is wanted among what is so, lines that are wrapped."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from workers.builtin import analyse_request
from workers.builtin.analysis import RequestAnalysis

CODE = "\n\n```json\n{}\n```\n"


def asked(read: RequestAnalysis) -> list[str]:
    return [need.text for need in read.requirements]


@pytest.mark.parametrize(
    ("paragraph", "statements"),
    [
        ("The service must answer with the price of a stay:", ["The service must answer with the price of a stay"]),
        (
            "The price must be shown in the currency of the car park. For example:",
            ["The price must be shown in the currency of the car park."],
        ),
        (
            "Wardens must be able to replace all rates, which looks like this:",
            ["Wardens must be able to replace all rates"],
        ),
        ("We need an endpoint that replaces all rates:", ["We need an endpoint that replaces all rates"]),
        ("接口必须返回停车价格和币种，如下所示：", ["接口必须返回停车价格和币种"]),
    ],
)  # fmt: skip
def test_a_paragraph_above_code_is_read(paragraph: str, statements: list[str]) -> None:
    assert asked(analyse_request(f"# Parking\n\n{paragraph}{CODE}")) == statements


@pytest.mark.parametrize("paragraph", ["Example:", "Here is what it looks like today:", "Consider the following rates:"])  # fmt: skip
def test_what_only_leads_to_code_asks_for_nothing(paragraph: str) -> None:
    read = analyse_request(f"# Parking\n\nThe price must be shown.\n\n{paragraph}{CODE}")

    assert asked(read) == ["The price must be shown."]


def test_only_the_last_sentence_of_a_paragraph_leads_to_its_list() -> None:
    read = analyse_request(
        "# Parking\n\nA closed car park must not be offered. Wardens can close it for:\n\n- one day\n- several days\n"
    )

    assert "A closed car park must not be offered." in asked(read)
