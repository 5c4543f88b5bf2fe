"""No block of any text is without a fate: what no rule of the built-in reader takes is kept as a description."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.builtin_chain import ask
from workers.builtin import detect_language
from workers.documents.fates import Ledger, book


def ledger(text: str) -> Ledger:
    return book(text, ask("discovery", request=text, language=detect_language(text), codebase=None)).ledger


HEADINGS = st.sampled_from(
    [
        "Goals",
        "Non-goals",
        "Users",
        "Personas",
        "Requirements",
        "Use cases",
        "Acceptance criteria",
        "Risks",
        "Mitigations",
        "Open questions",
        "Dependencies and assumptions",
        "Constraints",
        "Background",
        "Problem",
        "Principles",
        "FAQ",
        "Glossary",
        "How to use it",
        "Plan",
        "Success metrics",
        "Performance",
        "Colours",
        "用户",
        "需求",
        "风险",
        "Ziele",
        "Zielgruppen",
        "Exigences",
        "Requisitos",
        "要件",
    ]
)
SAYINGS = st.sampled_from(
    [
        "The desk must print a slip.",
        "Nobody pays for it.",
        "They stay on e-mail; the tool sends nothing.",
        "grey if the last count is older than 21 days",
        "Readers: reserve a book",
        "Mitigation: the desk keeps a list",
        "Priority: high",
        "Is it open on Sundays? Yes, from ten.",
        "Who pays?",
        "From 12 % to 4 % by autumn",
        "We already have a card printer.",
        "**Note:**",
        "~~Print a card~~ dropped",
        "FR-1: Readers log in (P0)",
        "See FR-1.",
        "Ines, 34, librarian",
        "As a reader, I want to renew a loan so that I pay no fine",
        "Given a loan, when it ends, then the reader is told",
        "Die Kämmerei bezahlt, arbeitet aber nicht mit dem Programm.",
        "读者可以预约图书。",
        "利用者は本を予約できること。",
        "ok",
        "…",
        "The following applies:",
        "TBD",
    ]
)
WORDS = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=40)
MARKS = st.sampled_from(["", "- ", "  - ", "1. ", "- [x] ", "- [ ] ", "> ", "**Label:** ", "❌ ", "\\"])
LINES = st.one_of(
    st.builds("{} {}".format, st.sampled_from(["#", "##", "###"]), HEADINGS),
    st.builds("{}{}".format, MARKS, st.one_of(SAYINGS, SAYINGS, SAYINGS, WORDS)),
    st.builds(
        "\n| {} | {} |\n|---|---|\n| {} | {} |\n| {} | |\n".format,
        HEADINGS,
        HEADINGS,
        SAYINGS,
        SAYINGS,
        SAYINGS,
    ),
    st.just(""),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(LINES, min_size=1, max_size=14).map("\n".join))
def test_any_markdown_leaves_no_block_without_a_fate(text: str) -> None:
    read = ledger(text)

    assert read.unread() == []
    assert read.fates.taken + read.fates.partly + read.fates.skipped == len(read.entries)


def test_block_that_repeats_another_is_skipped_and_names_it() -> None:
    read = ledger("## Requirements\n- Print a slip\n- Close the desk\n\n## Background\n- Print a slip\n")

    first, second = (entry for entry in read.entries if entry.text == "Print a slip")
    assert (first.fate, second.fate, second.reason) == ("taken", "skipped", f"repeats {first.id}")


def test_block_with_words_beside_those_it_repeats_stays_unread() -> None:
    text = "## Requirements\n- Print a slip\n\n## Notes\nThe cat sleeps. Print a slip\n"
    found = ask("discovery", request=text, language="en", codebase=None).model_copy(update={"situation": []})

    assert [entry.text for entry in book(text, found).ledger.unread()] == ["The cat sleeps. Print a slip"]


def test_same_words_in_a_list_and_in_a_table_below_it_are_read() -> None:
    words = "grey if the last count is older than 21 days"
    table = "| Constraints | Requirements |\n|---|---|\n| Nobody pays for it. | |\n"

    assert ledger(f"- {words}\n\n{table}- {words}").unread() == []
