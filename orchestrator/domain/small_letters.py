"""A second pattern for one that takes capitals for small letters, and a text in which it is found faster.

Python's `re` tries each of hundreds of words at each letter when it ignores capitals; in a pattern that does not, it passes
by those that begin with another letter. So the second one says where the first match may begin: the same alternatives in
small letters, as a tree of what they begin with, for a text in small letters. From there the pattern itself is searched.

That misses nothing where each letter has one small form, of the same length. Of a text or a pattern for which that is not
certain there is no such form (`None`), and the pattern itself is searched from the start.
"""

from __future__ import annotations

import re

_PLAIN = re.compile("[\0-\x7f\xa0-\xb4\xb6-\xff‐-‧‰-⁞€←-↓✓✔]*")  # without µ, which has two small forms
# by number, a letter by its code, flags of its own, a group of all or nothing; equal to a plain letter
_NOT_PLAIN = re.compile(
    r"\\[0-9xuUN]|\(\?(?:P=|-(?!i:)|[(>#aiLmsux])|\)(?:[*+?]|\{[\d,]+\})\+|[\u0130\u0131\u017f\u03bc\u212a\u212b]"
)
_OPENING = re.compile(r"\((?:\?(?:P<\w+>|:|-i:|<?[=!]))?")
_OFTEN = r"(?:(?:[*+?]|\{\d*,?\d*\})[?+]?)?"
_REPEATED = re.compile(_OFTEN)
_PIECE = re.compile(  # a word, or one of anything else
    rf"[^\W_]+(?![*+?{{])|(?:\\.|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|[^()|]){_OFTEN}", re.DOTALL
)
_LETTER = re.compile(r"\\.|[^\W\d_]", re.DOTALL)
_RANGE = re.compile(r"(\\.|[^\\])-(\\.|[^\\])", re.DOTALL)
_EVEN = re.compile(
    "[0-9]{2}|[a-z]{2}|[A-Z]{2}|[à-ÿ]{2}|[ぁ-鿿]{2}"
)  # the ends of a range that has no other letters


def in_small_letters(text: str) -> str | None:
    """The text with each letter small, where a match has the same place in both."""
    return text.lower() if text.isascii() or _PLAIN.fullmatch(text) else None


def first_of(text: str) -> str | None:
    """A pattern in small letters, found where `text` is first found in any."""
    if _NOT_PLAIN.search(text):
        return None
    try:
        return _tree(_alternatives(text, 0)[0], is_whole=True)
    except ValueError:
        return None


def _alternatives(text: str, at: int) -> tuple[list[list[str]], int]:
    """What the bars part up to the end of a group, each taken to pieces; and where that end is."""
    rows: list[list[str]] = [[]]
    while at < len(text) and text[at] != ")":
        if text[at] == "|":
            rows.append([])
            at += 1
        elif opening := _OPENING.match(text, at):
            inner, end = _alternatives(text, opening.end())
            often = _REPEATED.match(text, end + 1)
            before = opening[0] if opening[0][-1] in "=!" else "(?:"
            if "!" in before and "(?-i:" in text[at:end]:
                raise ValueError(text)
            said = "|".join(map("".join, inner)) if "<" in before else _tree(inner)
            rows[-1].append(f"{before}{said}){often[0] if often else ''}")
            at = often.end() if often else end + 1
        elif piece := _PIECE.match(text, at):
            rows[-1].append(_in_small_letters(piece))
            at = piece.end()
        else:
            raise ValueError(text)
    return rows, at


def _in_small_letters(piece: re.Match[str]) -> str:
    for ends in _RANGE.findall(piece["set"][1:-1]) if piece["set"] else ():
        if not _EVEN.fullmatch("".join(ends)):
            raise ValueError(piece["set"])
    return _LETTER.sub(lambda one: one[0] if one[0][0] == "\\" else one[0].lower(), piece[0])


def _tree(rows: list[list[str]], is_whole: bool = False) -> str:
    """Alternatives by what they begin with; of a whole pattern those that go on where another ends are left out."""
    begun = ""
    while len({tuple(row[:1]) for row in rows}) == 1 and rows[0]:
        begun += rows[0][0]
        rows = [row[1:] for row in rows]
    if not any(rows) or (is_whole and not all(rows)):
        return begun
    by_first: dict[str, list[list[str]]] = {}
    for row in rows:
        by_first.setdefault(row[0] if row else "", []).append(row[1:])
    return f"{begun}(?:{'|'.join(first + _tree(rest, is_whole) for first, rest in by_first.items())})"
