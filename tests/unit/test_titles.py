"""What a session is called: a document's own heading whole, a sentence up to a word's end."""

from __future__ import annotations

import pytest

from orchestrator.views.layout import HEADING_LENGTH, TITLE_LENGTH, title_of

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
        ("# " + "long " * 100, "long " * 39 + "long…"),
    ],
)
def test_a_title_is_cut_only_behind_a_word(request_text: str, title: str) -> None:
    assert title_of(request_text) == title
    assert len(title) <= HEADING_LENGTH
