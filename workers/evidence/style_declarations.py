"""The declarations of style sheets with their lines, selectors and the conditions around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import tinycss2
from tinycss2.ast import AtRule, Declaration, Node, QualifiedRule

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression

DEPTH = 50  # of nested rules
LARGEST = 1_000_000  # characters
_SIDE_COMMENT = expression(r"(?<![:\"'(\w])//[^\n]*")  # of SCSS


@dataclass(frozen=True, slots=True)
class StyleDeclaration:
    """`name: value` in a rule."""

    name: str
    value: str
    line: int
    selector: str  # of nested rules the innermost one, behind those around it
    conditions: tuple[str, ...] = ()  # the @media and others around it


def read_styles(text: str, *, line: int = 1, is_scss: bool = False) -> list[StyleDeclaration]:
    """Every declaration of a style sheet that begins on `line`; what cannot be read is left out.

    Nothing of one that is nested beyond all sense, or too large to be written by hand.
    """
    if len(text) > LARGEST:
        return []
    if is_scss:
        text = _SIDE_COMMENT.sub(lambda found: " " * len(found[0]), text)
    rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
    try:
        return list(_of_rules(rules, line - 1, "", (), 0))
    except RecursionError:  # of tinycss2, which writes a value out as deeply as it is nested
        return []


def _of_rules(
    nodes: Sequence[Node], shift: int, selector: str, conditions: tuple[str, ...], depth: int
) -> Iterator[StyleDeclaration]:
    if depth > DEPTH:
        return
    for node in nodes:
        if isinstance(node, Declaration):
            value = tinycss2.serialize(node.value).strip()
            yield StyleDeclaration(node.name, value, node.source_line + shift, selector, conditions)
        elif isinstance(node, QualifiedRule):
            own = " ".join(tinycss2.serialize(node.prelude).split())
            inner = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
            yield from _of_rules(inner, shift, f"{selector} {own}".strip(), conditions, depth + 1)
        elif isinstance(node, AtRule) and node.content is not None:
            around = f"@{node.lower_at_keyword} {' '.join(tinycss2.serialize(node.prelude).split())}".strip()
            inner = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
            yield from _of_rules(inner, shift, selector, (*conditions, around), depth + 1)
