"""A hundred hostile documents (tests/hostile_documents.py) as pages: each is text or safe markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.domain.inert import inert
from orchestrator.web.document_links import LinkRules
from orchestrator.web.document_parts import parse
from orchestrator.web.document_text import Heading, changed_since, without_noise
from orchestrator.web.markdown import (
    ATTRIBUTES,
    OUTPUT_LIMIT,
    RENDER_LIMIT,
    TAGS,
    Rendered,
    rendered,
)
from tests.hostile_documents import BOMBS, HOSTILE, SMALL

KNOWN = {"spec/brief.md", "spec/requirements/_index.md"}
LINKS = LinkRules("spec/brief.md", KNOWN, lambda path: f"/p/x/s/y/doc/{path}")
DRAWN = {"svg", "g", "rect", "path", "text", "tspan", "title", "figcaption"}
DRAWN_ATTRIBUTES = {"class", "viewbox", "width", "height", "aria-hidden", "focusable", "x", "y", "rx", "d"}
OUTSIDE = re.compile(r"(?:https?://|mailto:)\S+")
INSIDE = re.compile(r"/p/x/s/y/doc/(?:spec/brief\.md|spec/requirements/_index\.md)(?:#doc-\S*)?|#doc-\S*")


class Strict(HTMLParser):
    """Notes whatever is not on the lists."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.hrefs: list[str] = []
        self.shown = ""
        self._in_figure = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_figure += tag == "figure"
        if tag not in TAGS and not (self._in_figure and tag in DRAWN):
            self.faults.append(f"<{tag}>")
        allowed = ATTRIBUTES.get(tag, set()) | (
            DRAWN_ATTRIBUTES | {"data-diagram", "tabindex"} if self._in_figure else set()
        )
        self.faults += [f"{tag} {name}={value}" for name, value in attrs if name not in allowed]
        values = dict(attrs)
        if tag == "a":
            self.hrefs.append(href := values.get("href") or "")
            if OUTSIDE.fullmatch(href):
                if values.get("rel") != "noopener noreferrer nofollow":
                    self.faults.append(f"link without rel: {href}")
            elif not INSIDE.fullmatch(href):
                self.faults.append(f"link to {href}")
        named = values.get("id") or ""
        if named and not named.startswith(("doc-", "section-")):
            self.faults.append(f"id {named}")

    def handle_endtag(self, tag: str) -> None:
        self._in_figure -= tag == "figure"

    def handle_data(self, data: str) -> None:
        self.shown += data

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"comment {data}")

    def handle_decl(self, decl: str) -> None:
        self.faults.append(f"declaration {decl}")


def read(text: str) -> tuple[Rendered, Strict]:
    page = rendered(text.encode("utf-8", "surrogateescape"), LINKS)
    strict = Strict()
    strict.feed(page.html)
    strict.close()
    return page, strict


def test_there_are_a_hundred() -> None:
    assert len(HOSTILE) >= 100


@pytest.mark.parametrize("name", SMALL)
def test_a_hostile_document_is_text_or_safe_markup(name: str) -> None:
    page, strict = read(SMALL[name])

    assert not strict.faults
    assert inert(page.html) == page.html
    assert not page.plain


@pytest.mark.parametrize("name", [name for name, text in SMALL.items() if "alert(1)" in text])
def test_what_could_not_run_is_shown(name: str) -> None:
    page, strict = read(SMALL[name])

    shown = strict.shown + "".join(key + value for key, value in page.front)
    assert "alert(1" in shown or any("alert(1" in href for href in strict.hrefs)


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_bounded_by_its_size(name: str) -> None:
    page, strict = read(BOMBS[name][: RENDER_LIMIT // 40])

    assert not strict.faults
    assert len(page.html) <= OUTPUT_LIMIT


@pytest.mark.long
@pytest.mark.parametrize("name", BOMBS)
def test_a_whole_bomb_is_bounded_by_its_size(name: str) -> None:
    page, strict = read(BOMBS[name])

    assert not strict.faults
    assert len(page.html) <= max(OUTPUT_LIMIT, 6 * RENDER_LIMIT)
    assert page.shown_bytes is None or page.shown_bytes <= RENDER_LIMIT


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(
            [
                *"[]()<>!`*_#|-&;:\"'\n \\",
                "a",
                "```",
                "<b",
                "](",
                "javascript:",
                "http://a",
                "---\n",
                "\u202e",
            ]
        ),
        max_size=60,
    ).map("".join)
)
def test_any_text_is_text_or_safe_markup(text: str) -> None:
    assert not read(text)[1].faults


def test_links_show_where_they_lead() -> None:
    page, strict = read(
        "[good](https://good@evil.example/x 'hidden') [in](requirements/_index.md#req-001) [top](#goals) ![pic](https://e.example/p.png)"
    )

    assert strict.hrefs == [
        "https://good@evil.example/x",
        "/p/x/s/y/doc/spec/requirements/_index.md#doc-req-001",
        "#doc-goals",
        "https://e.example/p.png",
    ]
    assert "good (evil.example) “hidden”" in strict.shown
    assert "pic (image, not loaded) (e.example)" in strict.shown
    assert "<img" not in page.html


def test_sections_become_anchors_and_front_matter_rows() -> None:
    page = rendered(
        b'---\nstatus: "draft"\ndependencies: ["a", "b"]\n---\n# Brief\n'
        b"<!-- section: vision -->\n## Die Vision\n\ntext\n\n## Die Vision\n",
        LINKS,
        frozenset({"doc-die-vision"}),
    )

    assert page.front == (("status", "draft"), ("dependencies", "a, b"))
    assert [(each.level, each.anchor, each.section) for each in page.headings] == [
        (1, "doc-brief", ""),
        (2, "doc-die-vision", "vision"),
        (2, "doc-die-vision-1", ""),
    ]
    assert (
        '<span id="section-vision"></span><h2 id="doc-die-vision">Die Vision '
        '<span class="tag changed">changed</span></h2>'
    ) in page.html
    assert "&lt;!--" not in page.html


def test_text_that_is_too_deep_for_the_parser_is_shown_as_its_source() -> None:
    page, strict = read("> " * 60 + "hidden demand")

    assert page.plain
    assert "hidden demand" in strict.shown


def test_only_the_beginning_of_a_long_document_is_rendered() -> None:
    page, _ = read(f"{'word ' * 1_000}\n\n" * 60)

    assert page.shown_bytes is not None
    assert page.shown_bytes <= RENDER_LIMIT


def test_our_flowcharts_are_drawn_and_other_diagrams_are_source() -> None:
    page, strict = read(
        '```mermaid\nflowchart LR\n    a["One #60;b#62;"]\n    a --> b\n```\n\n```mermaid\npie\n```'
    )

    assert page.html.count("<svg") == 1
    assert "One &lt;b&gt;</tspan>" in page.html
    assert "data-diagram" in page.html
    assert not strict.faults


def test_a_section_counts_as_changed_when_its_own_text_is_other() -> None:
    def headings(text: str) -> tuple[Heading, ...]:
        return parse(text).headings

    then = headings("# A\nWritten by the agent x (task T-1, version 1).\n## B\nb\n## C\nc")
    now = headings("# A\nWritten by the agent y (task T-2, version 2).\n## B\nb2\n## C\nc\n## D\nd")

    assert changed_since(now, then) == {"doc-b", "doc-d"}


def test_a_comparison_leaves_out_front_matter_authors_and_sources_of_diagrams() -> None:
    text = (
        "---\nversion: 2\n---\n# A\n\nWritten by the agent x (task T-1, version 1).\n"
        "<!-- section: b -->\n```mermaid\nflowchart LR\n```\n```python\nkept\n```"
    )

    assert without_noise(text) == ["# A", "", "```python", "kept", "```"]
