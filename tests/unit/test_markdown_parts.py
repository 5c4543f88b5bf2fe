"""A text that is parsed by its parts has the tokens that it has as a whole, in either dialect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from workers.documents import markdown_parts, outline, reader
from workers.documents.markdown_parts import KNOWN_CHARS, Dialect, parse

DIALECTS = [reader._PAGE, outline._REQUEST]
CORPUS = sorted((Path(__file__).parents[1] / "corpus").glob("*.md"))[::5]
LINES = some.sampled_from(
    """\
# A heading
## Another
###### The deepest
---
===
- an item
  - an inner item
    two more spaces
-     code in an item
1. first
10) tenth
> quoted
>     code in a quote
> - an item in a quote
| a | b |
|---|---|
| 1 | `x|y` |
```
~~~
    indented
\tby a tab
<!-- section: goals -->
<!-- open
-->
<div>
</div>
<script>
[label]: https://example.org "title"
see [label], [text](page.md#part), ![image](a.png) and <https://example.org>
plain words, no mark: nothing at all!
some *emphasis*, __strong__, ~~gone~~ and `code`
a \\* star &amp; an entity
- [ ] a box
- [x] a ticked one
term
: its definition
  : not one
a colon: in words
$%^{}@=+:|]!

""".splitlines()
)


def _whole(text: str, dialect: Dialect) -> list[dict[str, Any]]:
    """As the parser without anything of ours has it."""
    made = dialect.make.__wrapped__() if hasattr(dialect.make, "__wrapped__") else dialect.make()
    return [_values(token, 0) for token in made.parse(text)]


def _in_parts(text: str, dialect: Dialect) -> list[dict[str, Any]]:
    return [_values(token, part.line) for part in parse(text, dialect) for token in part.tokens]


def _values(token: Any, line: int) -> dict[str, Any]:
    found = token.as_dict(meta_serializer=str)
    if token.map:
        found["map"] = token.map[0] + line  # the blank lines behind a list count as its own, or not
    for child in found["children"] or []:
        assert child["map"] is None
    return dict(found)


@pytest.fixture(autouse=True)
def _nothing_is_known() -> None:
    markdown_parts.forget()


@settings(max_examples=400)
@given(some.lists(LINES, max_size=14).map("\n".join))
def test_any_text_has_the_same_tokens_in_parts_and_as_a_whole(text: str) -> None:
    for dialect in DIALECTS:  # what one has parsed, the other may take
        assert _in_parts(text, dialect) == _whole(text, dialect)


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.name)
def test_requests_have_the_same_tokens(file: Path) -> None:
    text = file.read_text(encoding="utf-8")

    for dialect in DIALECTS:
        assert _in_parts(text, dialect) == _whole(text, dialect)


@pytest.mark.parametrize(
    "text",
    [
        "one\n\n```\ncode\n\n# no heading\n```\n",
        "<!-- one\n\n# no heading\n-->\n",
        "[a]\n\n# heading\n\n[a]: https://example.org\n",
        "- item\n\n# heading\n\n- item\n\n  more\n\n---\nfront: x\n---\n\n# next\n",
        "a\r\n\r\n# b\r\n",
    ],
    ids=[
        "a fence goes on",
        "a comment goes on",
        "a link defined elsewhere",
        "lists and front matter",
        "CRLF",
    ],
)
def test_what_reaches_beyond_a_heading_is_parsed_as_one(text: str) -> None:
    for dialect in DIALECTS:
        assert _in_parts(text, dialect) == _whole(text, dialect)


def test_a_part_is_parsed_once_for_all_pages_and_both_dialects() -> None:
    body = "## Goals\n\n- G-001 Links expire.\n\n"

    texts = (f"# One\n\n{body}# End\n", f"# Two\n\n{body}# Stop\n")

    first, second = (parse(text, dialect)[1].tokens for text, dialect in zip(texts, DIALECTS, strict=True))

    assert first is second


def test_what_is_remembered_has_a_bound_and_ends_with_the_run() -> None:
    page = reader._PAGE
    known = markdown_parts._remembered

    for number in range(300):
        parse(f"# {number}\n\n{'word ' * 200}\n", page)
        assert known.chars <= KNOWN_CHARS
        assert known.chars == sum(len(piece) for piece, _ in known.parts)
    assert known.parts
    markdown_parts.forget()

    assert (known.parts, known.chars) == ({}, 0)
