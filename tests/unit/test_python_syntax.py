"""Threads of the worker host read Python at the same time."""

from __future__ import annotations

import ast
import gc
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from workers.host.python_syntax import parse_python

SOURCES = [path.read_text() for path in sorted(Path(__file__).parents[2].glob("workers/evidence/*.py"))[:20]]


class LetsOthersGoOn:
    """Garbage in a circle, whose finalizer gives the interpreter away, as that of a file or a process does."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        time.sleep(0)


@pytest.fixture
def _often_collected() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(200)
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("_often_collected")
def test_four_threads_parse_at_the_same_time_while_garbage_is_collected() -> None:
    def parse_all(times: int) -> int:
        return sum(bool(parse_python(source).body) for _ in range(times) for source in SOURCES if _litter())

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(parse_all, [3] * 4)) == [3 * len(SOURCES)] * 4


def _litter() -> bool:
    LetsOthersGoOn()
    return True


@pytest.mark.parametrize(("source", "error"), [("def", SyntaxError), ("x = '\0'", (SyntaxError, ValueError))])
def test_what_is_no_python_is_refused_and_the_next_source_is_read(
    source: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        parse_python(source)

    assert isinstance(parse_python(b"x = 1"), ast.Module)
