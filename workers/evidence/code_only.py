"""Source text without what is said in it: comments and the insides of strings become blanks, every other character keeps its
place. Rules for lines can then look at code and never at a sentence about code."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache, cached_property, lru_cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from orchestrator.domain.dataclass import dataclass

if TYPE_CHECKING:
    from tree_sitter import Language

LARGEST_TEXT = 500_000  # characters that are parsed
_GRAMMARS = {  # suffix -> language, the package of its grammar, the function in it
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), ("javascript", "tree_sitter_javascript", "language")),
    **dict.fromkeys((".ts", ".mts", ".cts"), ("javascript", "tree_sitter_typescript", "language_typescript")),
    ".tsx": ("javascript", "tree_sitter_typescript", "language_tsx"),
    ".go": ("go", "tree_sitter_go", "language"),
    ".rs": ("rust", "tree_sitter_rust", "language"),
    ".java": ("java", "tree_sitter_java", "language"),
}
_SAID = frozenset(
    """
    comment line_comment block_comment hash_bang_line string template_string string_literal raw_string_literal
    interpreted_string_literal char_literal character_literal rune_literal regex jsx_text text_block
    """.split()  # noqa: SIM905 - a list of words is read more easily as words
)
_COMMENTS = frozenset({"comment", "line_comment", "block_comment", "hash_bang_line"})
_LINE_BREAKS = frozenset(b"\r\n")


@dataclass(frozen=True)
class Code:
    """A source file, and the same with only its code. Offsets and line numbers agree between the two."""

    language: str
    text: str  # characters outside ASCII are `?`: one character, one byte
    code: str
    has_errors: bool  # the grammar could not read all of it

    def line_at(self, offset: int) -> int:
        """The line number, from 1, of an offset."""
        return bisect_right(self._line_starts, offset)

    def end_of(self, start: int) -> int:
        """The offset after the bracket that closes the one at `start`; the end of the line when none does."""
        end = self._ends.get(start) or self.code.find("\n", start)
        return end if end >= 0 else len(self.code)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(at + 1 for at, char in enumerate(self.code) if char == "\n")]

    @cached_property
    def _ends(self) -> dict[int, int]:
        ends: dict[int, int] = {}
        for opened, closed in ("()", "[]", "{}"):
            waiting: list[int] = []
            for found in re.finditer(rf"[\{opened}\{closed}]", self.code):
                if found[0] == opened:
                    waiting.append(found.start())
                elif waiting:
                    ends[waiting.pop()] = found.end()
        return ends


def language_of(path: str) -> str:
    """javascript (with TypeScript), go, rust, java, python; empty for others."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in (".py", ".pyi"):
        return "python"
    return _GRAMMARS[suffix][0] if suffix in _GRAMMARS else ""


@lru_cache(maxsize=64)
def code_of(path: str, text: str) -> Code | None:
    """The file's code; None for a language without a grammar here, and for a text that is too large."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix not in _GRAMMARS or len(text) > LARGEST_TEXT:
        return None
    from tree_sitter import Parser

    language, package, function = _GRAMMARS[suffix]
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    data = lines.encode("ascii", "replace")
    tree = Parser(_grammar(package, function)).parse(data)
    blanked = bytearray(data)
    cursor = tree.walk()
    going = True
    while going:
        node = cursor.node
        assert node is not None
        if node.type in _SAID:
            kept = 0 if node.type in _COMMENTS or node.type == "jsx_text" else 1  # quotes stay
            for at in range(node.start_byte + kept, node.end_byte - kept):
                if blanked[at] not in _LINE_BREAKS:
                    blanked[at] = 32
        elif cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                going = False
                break
    return Code(language, data.decode(), blanked.decode(), tree.root_node.has_error)


@cache
def _grammar(package: str, function: str) -> Language:
    from tree_sitter import Language

    return Language(getattr(import_module(package), function)())
