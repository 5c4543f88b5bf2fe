"""Which statements of a taken block gave nothing: a sentence beside one that became a requirement may still be lost."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.documents.block_parts import reads_as_rule, statements
from workers.documents.passage import ASKED, Passage

DESCRIBES = "situation"  # the kind of item that carries a statement as a description only
_HELD = 0.5  # share of a statement's words that its items hold together, from which it is taken
_CLOSE = 0.4  # share of common words from which an item in other words belongs to a statement
_WHOLE = frozenset({"user", "done", "data"})  # roles whose blocks say one thing in several sentences
_JUDGED = ASKED | {"", "constraint", "goal"}  # roles under which a rule is no description
_MARKS = expression(r"[\W_]+")


def plain(text: str) -> str:
    """A text without its marks."""
    return f" {_MARKS.sub(' ', text.casefold()).strip()} "


def left_in(passage: Passage, items: Sequence[tuple[str, str]], everything: str) -> tuple[str, ...]:
    """The statements that no item holds, and rules that are kept as a description.

    `items`: (kind, text) of what was found at the block. `everything`: the plain texts of all items but descriptions.
    """
    if passage.role in _WHOLE or plain(passage.text) in everything:
        return ()
    parts = [(part, plain(part), keywords(part)) for part in statements(passage)]
    held: list[set[str]] = [set() for _ in parts]
    told = [plain(text) for kind, text in items if kind == DESCRIBES]
    for text in (text for kind, text in items if kind != DESCRIBES):
        said, words = plain(text), keywords(text)
        inside = [at for at, (_, own, _) in enumerate(parts) if said in own or own in said]
        for at in inside or _closest(words, [own for _, _, own in parts]):
            held[at] |= words
    return tuple(
        part
        for (part, own, words), found in zip(parts, held, strict=True)
        if len(words & found) < _HELD * len(words)
        and own not in everything
        and not (_is_told(own, told) and not (passage.role in _JUDGED and reads_as_rule(part)))
    )


def _closest(words: frozenset[str], parts: Sequence[frozenset[str]]) -> list[int]:
    """The statement that an item in other words is most like."""
    scored = [(2 * len(words & own) / (len(words) + len(own)), -at) for at, own in enumerate(parts) if own]
    share, at = max(scored, default=(0.0, 0))
    return [-at] if share >= _CLOSE else []


def _is_told(part: str, told: Sequence[str]) -> bool:
    """Whether a description holds the statement, or is a part of it."""
    return any(part in text or text in part for text in told)
