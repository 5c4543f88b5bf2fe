"""What no rule took: statements that are kept as a description, so that no block of a request is without a fate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workers.builtin.wishes import two_wishes
from workers.documents.block_parts import MAX_SENTENCE
from workers.documents.fates import reason_of
from workers.documents.passage import Passage
from workers.documents.sentences import Sentence


def remainder(
    found: Sequence[Sentence], read: Sequence[Passage], said: set[str], names: Sequence[str]
) -> Iterator[str]:
    """The statements of a request of which nothing was recorded, in order: sentences, then blocks without one.

    `said`: every text that was recorded. `names`: the users; a statement about users may be recorded by a name alone.
    """
    for row in found:
        texts = {row.text, row.quote, *(piece.text for piece in two_wishes(row))}
        named = row.role == "user" and any(name in row.text for name in names)
        if texts.isdisjoint(said) and not named and any(c.isalnum() for c in row.text):
            yield row.text
    stating = {row.passage.block.id for row in found}
    for passage in read:
        text = passage.text
        if passage.block.id not in stating and text not in said and not reason_of(passage):
            yield from (text[at : at + MAX_SENTENCE] for at in range(0, len(text), MAX_SENTENCE))
