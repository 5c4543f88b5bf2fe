"""What a session is called: a document's own heading whole, a sentence up to a word's end."""

from __future__ import annotations

import pytest

from orchestrator.views.layout import HEADING_LENGTH, TITLE_LENGTH, title_of
from workers.builtin import analyse_request

HEADING = "Booking for a clinic with four rooms, two receptionists who share a telephone, and patients who call late"
SENTENCE = (
    "Build a tool that counts the words of a text file and prints the ten most frequent of them, in order"
)


@pytest.mark.parametrize(
    ("request_text", "title"),
    [
        ("Build a URL shortener", "Build a URL shortener"),
        (f"# {HEADING}\n\nText.", HEADING),
        (f"\n## {HEADING}\n", HEADING),
        (SENTENCE, "Build a tool that counts the words of a text file and prints the ten most…"),
        ("x" * 100, "x" * (TITLE_LENGTH - 1) + "…"),
        ("建" * 100, "建" * (TITLE_LENGTH - 1) + "…"),
        ("Hi,\n\nwe run a small clinic.", "we run a small clinic."),
        ("Dear all,\nwe need a hall diary.", "we need a hall diary."),
        ("Subject: Hall bookings\n\nDear all,", "Hall bookings"),
        ("Hi", "Hi"),
        ("# Sample Problem\n\n## The Application\n\nBuild a ferry board.", "Build a ferry board."),
        ("# Overview\n\nA board for ferries", "A board for ferries"),
        ("# PRD\n\n## Overview\n\n## Ferry board", "Ferry board"),
        ("- Start Date: 2014\n\n### Feature request :sparkles:\n\nShow ferries", "Show ferries"),
        ("<!-- Fill in the template.\nThen delete this. -->\n# Ferry board", "Ferry board"),
        ("# [FEATURE] Show the ferries", "Show the ferries"),
        ("# 10. Ferry board", "Ferry board"),
        ("# RFC 12: Ferry board", "Ferry board"),
        ("# Feature request", "Feature request"),
        ("# 需求文档\n\n渡轮时刻表", "渡轮时刻表"),
        ("# " + "long " * 100, "long " * 39 + "long…"),
    ],
)
def test_a_title_names_something_and_is_cut_only_behind_a_word(request_text: str, title: str) -> None:
    assert title_of(request_text) == title
    assert len(title) <= HEADING_LENGTH


@pytest.mark.parametrize(
    ("request_text", "title"),
    [
        (
            "# **Sample Problem**\n\n## The Application\n\nBuild a board that shows ferries.\n",
            "board that shows ferries",
        ),
        (
            "# Overview\n\nThe team writes lists. Tides change. We need a board of ferries.\n",
            "Board of ferries",
        ),
        (
            '<!-- LEGACY -->\n<p align="center"><strong>Legacy disclaimer\n<br />This RFC is old.\n</strong></p>\n\n'
            "# Summary\n\nAdd a board of ferries.\n\nTides change.\n",
            "Add a board of ferries",
        ),
        ("# [FEATURE] Ferry board\n\nShow ferries.\n", "Ferry board"),
        (
            "- Start Date: 2014-04-18\n- Rust Issue: [a/b#1](https://example.org/1)\n\n# Summary\n\nAdd a board of ferries. "
            "Tides change.\n\n# Adoption\n\nSlow.\n",
            "Add a board of ferries",
        ),
    ],
)
def test_the_agent_takes_no_comment_or_kind_of_text_for_a_title(request_text: str, title: str) -> None:
    assert analyse_request(request_text).title == title
