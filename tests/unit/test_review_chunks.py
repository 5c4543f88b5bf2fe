"""How a change is shown to an agent: whole where it is short, around its changes where it is long, never too much."""

from __future__ import annotations

from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.review_chunks import (
    CHUNK_CHARACTERS,
    MOST_CHUNKS,
    PIECE_CHARACTERS,
    chunked,
)


def changed(path: str, before: str, after: str) -> ChangedFile:
    return ChangedFile(path, "M", before.encode(), after.encode(), path)


def test_a_short_file_is_shown_whole_with_marks_and_numbers() -> None:
    found = chunked(Changes([changed("a.py", "one\ntwo\nthree\n", "one\n2\nthree\nfour\n")]))

    ((piece,),) = found.chunks
    assert piece.text.splitlines()[1:] == [
        "      1 | one",
        "-       | two",
        "+     2 | 2",
        "      3 | three",
        "+     4 | four",
    ]


def test_a_long_file_is_shown_around_its_changes() -> None:
    lines = [f"line {n} " + "x" * 60 for n in range(3_000)]
    after = [*lines[:1_500], "new line", *lines[1_500:]]

    ((piece,),) = chunked(Changes([changed("a.py", "\n".join(lines), "\n".join(after))])).chunks

    assert "+  1501 | new line" in piece.text
    assert "[1485 unchanged lines]" in piece.text
    assert len(piece.text) < 5_000


def test_a_large_change_comes_in_bounded_chunks_and_loses_no_line() -> None:
    files = [
        changed(f"{n:02}.py", "", "\n".join(f"{n} {m} " + "y" * 80 for m in range(900))) for n in range(4)
    ]

    found = chunked(Changes(files))

    assert len(found.chunks) > 1
    assert all(sum(len(piece.text) for piece in each) <= CHUNK_CHARACTERS for each in found.chunks)
    assert all(len(piece.text) <= PIECE_CHARACTERS + 200 for each in found.chunks for piece in each)
    shown = "\n".join(piece.text for each in found.chunks for piece in each)
    assert all(f"| {n} {m} y" in shown for n in range(4) for m in range(900))


def test_what_is_left_out_is_named_with_the_reason() -> None:
    huge = "\n".join("z" * 90 for _ in range(900))
    files = [
        ChangedFile("logo.png", "A", None, b"\x89PNG\0\0", "logo.png"),
        changed("uv.lock", "a", "b"),
        *(changed(f"{n:03}.py", "", huge) for n in range(30)),
    ]

    found = chunked(Changes(files))

    assert len(found.chunks) == MOST_CHUNKS
    assert {"logo.png", "uv.lock", "029.py"} <= set(found.left_out)


def test_of_a_deleted_file_only_its_size_is_shown() -> None:
    file = ChangedFile("a.py", "D", b"one\ntwo\n", None, "a.py")

    ((piece,),) = chunked(Changes([file])).chunks

    assert piece.text == "File: a.py  (deleted)\n(2 lines)"
