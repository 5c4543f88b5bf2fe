"""An agent that answers with the next file of a folder: one made for the kind of question, else one for any."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def take(cassette: Path, hand: Path) -> bytes:
    """The first card that nobody else takes; nothing when there is none left."""
    for card in sorted(cassette.iterdir()) if cassette.is_dir() else ():
        try:
            card.rename(hand)
        except FileNotFoundError:
            continue
        return hand.read_bytes()
    return b""


if __name__ == "__main__":
    table = Path(sys.argv[1])
    hand = table / "dealt" / str(os.getpid())
    os.write(1, take(table / os.environ["LIFECYCLE_KIND"], hand) or take(table / "any", hand))
