"""`orchestrator.domain.named_tuple` beside Python's: the same classes, made by both."""

from __future__ import annotations

import copy
import inspect
import pickle
import sys
import threading
import typing
from types import ModuleType
from typing import Any

import pytest

from orchestrator.domain import named_tuple as ours

SOURCE = """
from __future__ import annotations

class Row(NamedTuple):
    \"\"\"A row.\"\"\"

    id: int
    name: str | None
    tags: tuple[str, ...] = ()
    more: dict[str, int] = {}

    @property
    def double(self) -> int:
        return 2 * self.id

class Bare(NamedTuple):
    only: str
"""


def _classes(base: Any, name: str) -> dict[str, Any]:
    """In a module of its own, where pickle finds a class."""
    module = sys.modules[name] = ModuleType(name)
    module.__dict__["NamedTuple"] = base
    exec(SOURCE, module.__dict__)
    return module.__dict__


OURS, PYTHONS = _classes(ours.NamedTuple, "_rows_of_ours"), _classes(typing.NamedTuple, "_rows_of_pythons")
Row = OURS["Row"]


def test_a_row_is_what_python_makes_of_it() -> None:
    mine, other = Row(1, name="n"), PYTHONS["Row"](1, name="n")

    assert mine == other == (1, "n", (), {})
    assert repr(mine) == repr(other)
    assert (mine._fields, mine._field_defaults) == (other._fields, other._field_defaults)
    assert (mine._asdict(), mine.double, Row.__doc__) == (other._asdict(), other.double, "A row.")
    assert mine._replace(id=2) == other._replace(id=2)
    assert Row._make([1, "n", (), {}]) == mine
    assert Row.__match_args__ == PYTHONS["Row"].__match_args__
    assert inspect.signature(Row).parameters.keys() == inspect.signature(PYTHONS["Row"]).parameters.keys()
    assert OURS["Bare"]("x") == PYTHONS["Bare"]("x") == ("x",)
    assert not hasattr(mine, "__dict__")


@pytest.mark.parametrize("base", [ours.NamedTuple, typing.NamedTuple])
def test_what_is_wrong_is_refused_as_python_does(base: Any) -> None:
    row = (OURS if base is ours.NamedTuple else PYTHONS)["Row"]

    with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'name'"):
        row(1)
    with pytest.raises(TypeError, match="Expected 4 arguments, got 1"):
        row._make([1])
    with pytest.raises((TypeError, ValueError), match="unexpected field names"):
        row(1, "n")._replace(other=1)
    with pytest.raises(AttributeError):
        row(1, "n").id = 2
    for body in ("_x: int", "x: int = 1\n    y: int"):
        with pytest.raises((TypeError, ValueError)):
            exec(f"from __future__ import annotations\nclass Odd(N):\n    {body}\n", {"N": base})


def test_rows_travel_and_are_copied() -> None:
    one = Row(1, "n")

    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert (type(other), other) == (Row, one)


def test_threads_that_make_the_first_row_together_get_whole_ones() -> None:
    for _ in range(50):
        fresh = _classes(ours.NamedTuple, "_fresh_rows")["Row"]
        gate, made = threading.Barrier(4), []

        def make(fresh: Any = fresh, gate: threading.Barrier = gate, made: list[Any] = made) -> None:
            gate.wait()
            made.append(fresh(1, name="n"))

        threads = [threading.Thread(target=make) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

        assert made == [(1, "n", (), {})] * 4
