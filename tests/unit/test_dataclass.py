"""`orchestrator.domain.dataclass` beside Python's: the same classes, made by both."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
import threading
from types import ModuleType
from typing import Any

import pytest
from pydantic import TypeAdapter

from orchestrator.domain import dataclass as ours

SOURCE = """
from __future__ import annotations
from typing import ClassVar

@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    tags: tuple[str, ...] = field(default=(), repr=False)
    seen: list[int] = field(default_factory=list, compare=False)
    of_all: ClassVar[int] = 7

    def double(self) -> int:
        return 2 * self.x

@dataclass(frozen=True, slots=True)
class Named(Point):
    y: int = 3
    name: str = field(kw_only=True)

@dataclass
class Plain:
    first: str
    second: int = 0
    third: list[int] = field(default_factory=list)
    made: int = field(init=False)
    kept: dict[str, int] = field(init=False, default_factory=dict)
    fixed: int = field(init=False, default=4)

    def __post_init__(self) -> None:
        self.made = len(self.first)

@dataclass(frozen=True, kw_only=True)
class ByName:
    a: int
    b: str = "b"

    def __repr__(self) -> str:
        return "hidden"

@dataclass(slots=True)
class Open:
    value: float

@dataclass(frozen=True, eq=False)
class Same:
    value: int

@dataclass(frozen=True, slots=True)
class Empty:
    pass

@dataclass
class Again(Plain):
    second: int
    kept = 7

@dataclass(frozen=True)
class Odd:
    _set: int
    _factory: list[int] = field(default_factory=list)
"""
ARGUMENTS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "Point": ((1,), {"seen": [5]}),
    "Named": ((1,), {"name": "n", "tags": ("t",)}),
    "Plain": (("abc", 1), {}),
    "ByName": ((), {"a": 1}),
    "Open": ((float("nan"),), {}),
    "Same": ((3,), {}),
    "Empty": ((), {}),
    "Again": (("a",), {}),
    "Odd": ((1,), {}),
}


def _classes(of: Any, name: str) -> dict[str, Any]:
    """In a module of its own: Python's looks there for what an annotation names, and pickle for a class."""
    module = sys.modules[name] = ModuleType(name)
    module.__dict__.update(dataclass=of.dataclass, field=of.field)
    exec(SOURCE, module.__dict__)
    return module.__dict__


OURS, PYTHONS = _classes(ours, "_made_by_ours"), _classes(dataclasses, "_made_by_pythons")
Point, Named = OURS["Point"], OURS["Named"]


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_class_is_what_python_makes_of_it(name: str) -> None:
    args, given = ARGUMENTS[name]
    mine, other = OURS[name](*args, **given), PYTHONS[name](*args, **given)

    assert repr(mine) == repr(other)
    assert dataclasses.asdict(mine).keys() == dataclasses.asdict(other).keys()
    assert OURS[name].__match_args__ == PYTHONS[name].__match_args__
    assert OURS[name].__dict__.get("__slots__") == PYTHONS[name].__dict__.get("__slots__")
    assert (OURS[name].__hash__ is None) == (PYTHONS[name].__hash__ is None)
    assert (mine == copy.copy(mine)) == (other == copy.copy(other))
    assert mine != other


@pytest.mark.parametrize("name", ARGUMENTS)
def test_its_parameters_are_the_same(name: str) -> None:
    def shown(cls: type) -> list[tuple[str, str, str]]:
        found = inspect.signature(cls).parameters.values()
        return [(each.name, str(each.kind), repr(each.default)) for each in found]

    assert shown(OURS[name]) == shown(PYTHONS[name])


@pytest.mark.parametrize("name", ARGUMENTS)
def test_dataclasses_finds_the_same_fields(name: str) -> None:
    def shown(cls: type) -> list[tuple[Any, ...]]:
        return [
            (each.name, each.type, each.init, each.repr, each.compare, each.kw_only, each.default)
            for each in dataclasses.fields(cls)
        ]

    assert shown(OURS[name]) == shown(PYTHONS[name])
    assert OURS[name].__dataclass_params__.frozen == PYTHONS[name].__dataclass_params__.frozen


def test_equal_by_the_fields_that_are_compared() -> None:
    one, two = Point(1, seen=[1]), Point(1, seen=[2])

    assert one == two
    assert hash(one) == hash(PYTHONS["Point"](1))
    assert one != Point(2)
    assert one != Named(1, name="n")


def test_a_value_that_is_unequal_to_itself_compares_as_in_python() -> None:
    nan = float("nan")

    assert (OURS["Open"](nan) == OURS["Open"](nan)) == (PYTHONS["Open"](nan) == PYTHONS["Open"](nan))


def test_two_instances_share_no_default() -> None:
    one, two = Point(1), Point(1)

    one.seen.append(1)

    assert two.seen == []


def test_a_frozen_one_keeps_its_fields_and_takes_no_others() -> None:
    for name in ("x", "other"):
        with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot assign to field '{name}'"):
            setattr(Point(1), name, 2)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del Point(1).x


def test_a_missing_argument_is_named_with_its_class() -> None:
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) missing 1 required positional argument: 'x'"):
        Point()


def test_replaced_values_are_those_of_a_new_instance() -> None:
    found = ours.replace(Named(1, name="n"), x=5)

    assert (type(found), found.x, found.y, found.name) == (Named, 5, 3, "n")
    with pytest.raises(ValueError, match="init=False"):
        ours.replace(OURS["Plain"]("a"), made=3)
    assert ours.replace(PYTHONS["Point"](1), x=2) == PYTHONS["Point"](2)


def test_frozen_instances_travel_and_are_copied() -> None:
    one = Named(1, name="n", seen=[1])

    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert (other, other.seen) == (one, [1])


def test_threads_that_make_the_first_instance_together_get_whole_ones() -> None:
    for _ in range(50):
        fresh = _classes(ours, "_fresh")["Named"]
        gate, made = threading.Barrier(4), []

        def make(fresh: Any = fresh, gate: threading.Barrier = gate, made: list[Any] = made) -> None:
            gate.wait()
            made.append(fresh(1, name="n"))

        threads = [threading.Thread(target=make) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

        assert [(each.x, each.y, each.name) for each in made] == [(1, 3, "n")] * 4


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("x: InitVar[int]", "InitVar"),
        ("x: int\n    _: KW_ONLY", "KW_ONLY"),
        ("x: list[int] = []", "default_factory"),
        ("x: int\n    def __eq__(self, other): return True", "made here"),
        ("x: int = 1\n    y: int", "y has no default"),
        ("x = field(default=1)", "without an annotation"),
    ],
)
def test_what_is_not_made_here_is_refused_with_the_class(body: str, told: str) -> None:
    source = f"from __future__ import annotations\n@dataclass\nclass Odd:\n    {body}\n"

    with pytest.raises((TypeError, ValueError), match=f"Odd.*{told}"):
        exec(source, {"dataclass": ours.dataclass, "field": ours.field, "__name__": __name__})


@pytest.mark.parametrize(("base", "frozen"), [("Plain", True), ("Point", False)])
def test_frozen_and_open_classes_are_no_bases_of_each_other(base: str, frozen: bool) -> None:
    made = type("Odd", (OURS[base],), {"__annotations__": {}})

    with pytest.raises(TypeError, match="one is frozen"):
        ours.dataclass(frozen=frozen)(made)


def test_pydantic_reads_and_writes_them() -> None:
    adapter = TypeAdapter(dict[str, Named])
    one = adapter.validate_python({"a": {"x": "3", "name": "n", "tags": ["t"]}})["a"]

    assert one == Named(3, name="n", tags=("t",))
    assert adapter.validate_json(adapter.dump_json({"a": one})) == {"a": one}


def test_a_base_of_pythons_is_refused() -> None:
    with pytest.raises(TypeError, match="made by dataclasses"):
        ours.dataclass(type("Odd", (PYTHONS["Plain"],), {"__annotations__": {}}))


def test_nothing_is_compiled_and_dataclasses_not_loaded_before_the_first_instance() -> None:
    program = (
        "import sys; from orchestrator.domain.model import TaskDef; "
        "assert type(TaskDef.__dict__['__init__']).__name__ == '_Init'; print('dataclasses' in sys.modules)"
    )

    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "False"
