"""What a joined host keeps of contents."""

from __future__ import annotations

import hashlib

from orchestrator.door import kept_contents
from orchestrator.door.kept_contents import KeptContents


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def test_a_content_is_kept_by_its_own_digest() -> None:
    kept = KeptContents()

    kept.keep(b"one")

    assert kept.get(digest(b"one")) == b"one"
    assert kept.get(digest(b"two")) is None


def test_what_was_not_used_for_the_longest_time_makes_room() -> None:
    kept = KeptContents(most=2 * (3 + kept_contents.BESIDE))
    for body in (b"one", b"two"):
        kept.keep(body)
    kept.get(digest(b"one"))

    kept.keep(b"six")

    found = [kept.get(digest(body)) for body in (b"one", b"two", b"six")]
    assert found == [b"one", None, b"six"]


def test_one_that_is_kept_twice_takes_its_room_once() -> None:
    kept = KeptContents(most=2 * (3 + kept_contents.BESIDE))
    for body in (b"one", b"one", b"two"):
        kept.keep(body)

    assert kept.get(digest(b"one")) == b"one"


def test_a_large_one_takes_the_room_of_no_others() -> None:
    kept = KeptContents()
    kept.keep(b"one")
    large = bytes(kept_contents.LARGEST + 1)

    kept.keep(large)

    assert kept.get(digest(large)) is None
    assert kept.get(digest(b"one")) == b"one"
