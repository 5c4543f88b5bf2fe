"""Words of a request are kept character by character: in what is read from it, and in the pages that show it."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.unit.builtin_chain import artifact, chain
from workers.builtin.stories import one_of
from workers.documents.escape import cell, inline
from workers.documents.lexicon import detect_language, lexicon
from workers.documents.sentences import sentences

SENTENCES = [
    "The tool must compute 3*4 and 5*6.",
    "The class must define __init__ and _private_ and snake_case_name.",
    "It must hold that a < b, $x_1$ and 2**3 and 4**5.",
    "Paths such as C:\\new and C:\\*tmp* must work.",
    "A call must take *args, **kwargs and `b|c`.",
    "Files like *.py, *.md and */* must be found.",
    "The page https://example.com/a_b*c_d?x=1&y=2#z must load.",
    "See [the guide](https://example.com/guide) before it must start.",
    "<script> tags and <your name> must be shown as &lt; and &amp; are.",
    "iOS clients must send {{ first_name }} | [insert] ~~now~~.",
]


def visible(markdown: str) -> str:
    """What a Markdown renderer shows of a page, in order."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown)
    words = []
    for token in tokens:
        for child in token.children or []:
            words.append("\n" if child.type.endswith("break") else child.content)
        words.append("\n")
    return "".join(words)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_sentence_is_read_and_shown_as_it_was_written(sentence: str) -> None:
    facts = chain(f"# Words\n\n## Requirements\n- {sentence}\n- Users must be able to log in.\n")

    items = facts["requirements"].items
    assert (items[0].statement, items[0].quote) == (sentence, sentence)
    assert facts["discovery"].requirements[0].text == sentence
    page = visible(artifact("requirements", facts))
    assert page.count(sentence) >= 2, "the statement and the quotation"


@pytest.mark.parametrize("sentence", SENTENCES)
def test_request_of_one_line_is_read_as_it_was_written(sentence: str) -> None:
    facts = chain(sentence)

    assert facts["requirements"].items[0].quote == sentence
    assert sentence in visible(artifact("requirements", facts))


FORM = [
    ("**Patients** must *always* be able to join.", "Patients must always be able to join."),
    ("- 系统**必须**支持导出。", "系统必须支持导出。"),
    ("***Note:*** pages must load.", "Note: pages must load."),
    ("> A wrapped line\n> must be joined.", "A wrapped line must be joined."),
    ("1. Members must be able to *log in*.", "Members must be able to log in."),
]


@pytest.mark.parametrize(("markdown", "sentence"), FORM)
def test_emphasis_around_words_lists_and_quotations_are_form(markdown: str, sentence: str) -> None:
    assert [row.text for row in sentences(markdown)] == [sentence]


LEFT_OUT = [
    "<form> fields must be validated.\n\nPages must load.",
    "<script> tags must be escaped.\n\n- Pages must load.",
    "Build a shop.\n\n    It must take cards.\n\nPages must load.",
    "    Everything is indented.\n    Pages must load.",
]


@pytest.mark.parametrize("text", LEFT_OUT)
def test_sentence_that_markdown_takes_for_html_or_code_is_read(text: str) -> None:
    said = " ".join(row.text for row in sentences(text))

    for line in text.splitlines():
        assert line.strip(" -") in said


WORDS = st.text(
    alphabet=string.ascii_letters + string.digits + string.punctuation + "   ", min_size=1, max_size=60
)


@settings(deadline=None, max_examples=300)
@given(WORDS)
def test_any_line_is_shown_character_by_character(text: str) -> None:
    line = " ".join(text.split())
    assume(line)

    assert visible(inline(line)).strip("\n") == line
    assert (
        visible(f"| head |\n| --- |\n| {cell(line)} |\n").strip("\n").removeprefix("head\n").strip("\n")
        == line
    )


@settings(deadline=None, max_examples=300)
@given(WORDS)
@example("[C)")
@example(":<X")
def test_any_sentence_in_a_list_of_requirements_is_read_character_by_character(text: str) -> None:
    line = " ".join(f"It must show {text}".split())
    assume(not re.search(r"\*.*[A-Za-z].*\*", line))  # that may be emphasis
    assume(
        not re.search(r"[(\[【（`]\s*(?:[MSCW]|P\d)\s*[)\]】）`]\s*[.。]?$", line, re.IGNORECASE)
    )  # a priority
    assume(
        not re.search(r":\W*(?:n/?a|none|nil|tb[da])\W*$", line, re.IGNORECASE)
    )  # a field that is not filled in

    read = sentences(f"## Requirements\n- {line}\n")

    said = "".join(row.text for row in read)  # semicolons part what a sentence asks for
    assert re.sub(r"[\s;]", "", said) == re.sub(r"[\s;]", "", line)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("开发应用：ポケモン図鉴", "zh"),
        ("写一个支持 カ タ カ ナ 的应用", "zh"),
        ("予約システムを作る", "en"),
        ("在庫管理システムの開発", "en"),
        ("예약 시스템을 만들어 주세요", "en"),
    ],
)
def test_katakana_in_a_chinese_sentence_is_a_name(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("people", "one"),
    [
        ("Patients", "patient"),
        ("Members of our team", "member of our team"),
        ("Dispatchers and drivers", "dispatcher and driver"),
    ],
)
def test_one_of_a_group_is_named_by_its_head(people: str, one: str) -> None:
    assert one_of(people, lexicon("en")) == one
