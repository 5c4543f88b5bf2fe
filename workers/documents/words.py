"""What of a request's Markdown is form, and what are its words: words are kept character by character.

Emphasis counts as form only where nobody can mean its asterisks: around words, between spaces or punctuation. In
`3*4 and 5*6`, `__init__` and `*.py, *.md` CommonMark sees emphasis too, and their authors do not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.domain.patterns import expression

if TYPE_CHECKING:
    from markdown_it.token import Token

_CJK_JOIN = expression(r"(?<=[　-鿿＀-￯])[ \t]*\n[ \t]*(?=[　-鿿＀-￯])")
_EMPHASIS = expression(
    r"(?P<code>(?<!`)`++[^`]++`++)|(?<![A-Za-z0-9_*\\])(?P<mark>\*{1,3})(?P<inner>(?:`[^`]++`|[^*`])+)(?P=mark)(?![A-Za-z0-9_*])"
)
_OPENS, _CLOSES = "`\"'“‘「([<", "`\"'”’」)]>.,:;!?%。，：；！？"
_LINK = expression(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)")
_BREAK = expression(r"\s*<br ?/?>\s*", re.IGNORECASE)
_LAYOUT = expression(
    r"</?(?:p|div|center|strong|b|i|em|a|span|sub|sup|small|font|h[1-6])(?:\s[^<>]*)?/?>", re.IGNORECASE
)
_PROSE = expression(r"<[A-Za-z][\w-]*>(?!.*</)[^\n]*\w")


def shown(inline: Token) -> str:
    """The text as a reader of the rendered page sees it, on one line."""
    words = []
    for child in inline.children or []:
        if child.type in ("text", "code_inline", "text_special"):
            words.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            words.append("\n")
    return _on_one_line("".join(words))


def written(inline: Token) -> str:
    """The text as its author wrote it, on one line; emphasis is taken off. Empty when it holds images or tags alone."""
    if not shown(inline):
        return ""
    source = inline.content
    if any(child.type in ("em_open", "strong_open") for child in inline.children or []):
        return bare(source)
    return _on_one_line(source)


def bare(source: str) -> str:
    """One line of Markdown as its author wrote it; emphasis is taken off."""
    return _on_one_line(_EMPHASIS.sub(_bare, _EMPHASIS.sub(_bare, source)))  # twice: emphasis inside emphasis


def spoken(text: str) -> str:
    """`text` with links reduced to their words, where it is to be read aloud: in a title, or to find its verb."""
    return _LINK.sub(r"\1", text)


def is_prose(html: str) -> bool:
    """Whether what Markdown takes for an HTML block is a sentence about a tag: `<script> tags must be escaped`."""
    return _PROSE.match(html.partition("\n")[0]) is not None


def untagged(html: str) -> str:
    """What such a block says without the tags that only place or stress it; each of its lines stays one."""
    return _LAYOUT.sub("", _BREAK.sub("\n\n", html))


def _on_one_line(text: str) -> str:
    return " ".join(_CJK_JOIN.sub("", text).split())


def _bare(found: re.Match[str]) -> str:
    inner = found["inner"]
    if found["code"] or not any(c.isalpha() for c in inner):
        return found[0]
    opens = inner[0].isalnum() or inner[0] in _OPENS or inner[0] > "\u2190"  # a symbol
    closes = inner[-1].isalnum() or inner[-1] in _CLOSES
    return inner if opens and closes else found[0]
