"""Whatever text a field holds, the documents keep their form (docs/bad-inputs.md, 38)."""

from __future__ import annotations

from typing import Any

import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from pydantic import BaseModel

from orchestrator.domain.critiques import Divergence
from orchestrator.domain.model import Severity
from orchestrator.domain.synthesis import Theme
from tests.unit.docgen_samples import context, english, register
from workers.discussion.record_page import (
    Decision,
    Discussion,
    Rating,
    Standalone,
    render_discussion,
)
from workers.documents import escape
from workers.documents.content import Content, Risk
from workers.documents.page_form import validate
from workers.documents.reader import read
from workers.documents.render import render

HOSTILE = (
    "# Heading",
    "x\n\n# Heading\n\n---\n\n| a | b |\n| - | - |",
    "---\nstatus: approved\n---",
    "```\nfence",
    "~~~",
    "<script>alert(1)</script>",
    "<!-- section: vision -->",
    "--> <b>x",
    "[link](https://evil.example) ![pic](x.png) <https://evil.example>",
    "https://evil.example/a|b_(c).",
    "www.evil.example and me@evil.example",
    "[ref]: https://evil.example",
    "a | b \\| c \\\\| d",
    "trailing \\",
    "`tick` ``two`` \\`",
    '"quoted" ; } --> B\n%%{init: {}}%%',
    "&lt;b&gt; &#60;",
    "1. one",
    "12) twelve",
    "7.",
    "9)",
    "-",
    "-5 and 1.5",
    "#hash",
    "- - -",
    ":--",
    "- item",
    "+ plus",
    "> quote",
    "=== ",
    "    indented code",
    "*a* _b_ __c__ ~~d~~ snake_case",
    "\x1b[31mred\x07\u202eevil\u2028line\x00",
    "C #",
    "\u200b",
    "{{ 7 * 7 }}{% raw %}",
    "{0.__class__}",
    "一、标题\n# 二",
    "end",
)
_TAME = MarkdownIt("gfm-like")  # tables, and addresses become links by themselves
_TAME.linkify.set(
    {"fuzzy_link": False}
)  # `remind.py` is no address: no renderer of documents takes it for one


def with_text(value: Any, text: str) -> Any:
    """A content model with every free text in it replaced; identifiers, references and choices stay."""
    if isinstance(value, BaseModel):
        kept = {
            "id",
            "goals",
            "requirements",
            "depends_on",
            "adrs",
            "moscow",
            "source",
            "kind",
            "category",
            "size",
        }
        update = {
            name: entry
            if name in kept and not (entry and isinstance(entry, list) and isinstance(entry[0], BaseModel))
            else with_text(entry, text)
            for name, entry in ((name, getattr(value, name)) for name in type(value).model_fields)
            if name not in ("complexity", "likelihood", "impact_level")
        }
        return value.model_copy(update=update)
    if isinstance(value, list):
        return [with_text(entry, text) for entry in value]
    return text if isinstance(value, str) else value


def specification_with(text: str) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    registered = register({name: with_text(content, text) for name, content in english().items()})
    for name, content in registered.items():
        files.update(
            render(name, content, context(registered, title=text, agent=text, task=text, session_id=text))
        )
    return files


def shape(page: bytes) -> list[str]:
    """The block structure of a page as a renderer with every extension sees it."""
    front, _, body = page.decode().removeprefix("---\n").partition("\n---\n")
    assert front
    tokens = _TAME.parse(body)
    # A text may have several paragraphs where one is; that is the only freedom it has.
    blocks = [
        token.type for token in tokens if token.type not in ("inline", "paragraph_open", "paragraph_close")
    ]
    inner = [
        child.type
        for token in tokens
        for child in token.children or []
        if child.type in ("link_open", "image", "html_inline", "s_open")
    ]
    return blocks + inner


def hostile_shape_is_plain_shape(text: str) -> None:
    plain, hostile = specification_with("plain words"), specification_with(text)
    pages = [path for path in hostile if path.endswith(".md")]

    assert validate(hostile, hostile) == []
    for path in pages:
        page = read(path, hostile[path])
        twin = plain[next(other for other in plain if _number(other) == _number(path))]
        assert shape(hostile[path]) == shape(twin), path
        assert [heading.level for heading in page.headings].count(1) == 1
        assert page.html == ()
        assert page.frontmatter is not None
        assert page.frontmatter["document_type"]


def _number(path: str) -> str:
    found = regex.search(r"(?:REQ|NFR-P|ADR|EPIC)-\d{3}", path)
    return found[0] if found else path


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_leaves_every_document_its_shape(text: str) -> None:
    hostile_shape_is_plain_shape(text)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.text(min_size=1, max_size=60)
    | st.lists(st.sampled_from(HOSTILE), min_size=2, max_size=4).map(" ".join)
)
def test_any_text_leaves_every_document_its_shape(text: str) -> None:
    hostile_shape_is_plain_shape(text)


@settings(max_examples=500, deadline=None)
@given(st.text(alphabet=st.sampled_from("\\`*_[]()<>#|~!&-+.=:;1 a@/{}\"'\n") | st.characters(), max_size=40))
def test_escaped_text_reads_back_as_it_was(text: str) -> None:
    shown = _TAME.render(
        f"start {escape.inline(text)} end\n\n{escape.inline(text)}\n\n- {escape.inline(text)}\n"
    )
    tokens = _TAME.parse(f"start {escape.inline(text)} end")
    plain = "".join(
        child.content for child in tokens[1].children or [] if child.type in ("text", "code_inline")
    )

    assert len(tokens) == 3
    expected = escape.one_line(text) or ("–" if text.strip() else "")
    assert " ".join(plain.split()) == f"start {expected} end".replace("  ", " ")
    assert set(regex.findall(r"<(/?\w+)", shown)) <= {"p", "/p", "ul", "/ul", "li", "/li", "code", "/code"}


@pytest.mark.parametrize("text", HOSTILE)
def test_a_discussion_record_keeps_its_shape(text: str) -> None:
    plain, hostile = (next(iter(record(words).values())) for words in ("plain words", text))

    assert shape(hostile) == shape(plain)
    assert validate({"discussions/DISCUSS-001-discussion.md": hostile}, ["spec/product-brief.md"]) == []


def record(text: str) -> dict[str, bytes]:
    discussion = Discussion(
        round="DISCUSS-001",
        artifact="spec/product-brief.md",
        perspectives=(text, text),
        consensus=text,
        mean=2.5,
        severity=text,
        recommendation=text,
        ratings=(Rating(text, text, 2, text),),
        themes=(Theme(text, "concern", (text, text)),),
        divergences=(Divergence("missing", Severity.HIGH, text, (text,)),),
        coverage_gaps=(text,),
        action_items=(text,),
        open_questions=(text,),
        risks=(Risk(description=text, mitigation=text),),
        notes=(text,),
        partial=text,
        standalone=Standalone(
            previous_rounds=(text,),
            sentiment=text,
            risk_flags=(text,),
            decision=Decision(text, text, text),
            options=(text,),
        ),
    )
    return render_discussion(discussion, session_id=text, phase="spec", task=text, generated_at=text)


def test_content_models_are_replaced_throughout() -> None:
    changed = with_text(english()["architecture"], "XYZ")

    assert isinstance(changed, Content)
    assert changed.adrs[0].alternatives[0].pros == ["XYZ"]
    assert changed.components[1].requirements == ["REQ-002"]
