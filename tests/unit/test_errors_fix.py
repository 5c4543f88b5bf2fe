"""Every error says what to do: where it is raised, or by its class."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.domain.errors import ConfigError, LifecycleError, UnknownName

ROOT = Path(__file__).resolve().parents[2]
SAY_THEMSELVES = (UnknownName, ConfigError)  # their constructors always give one
MAKE_THEIR_OWN = ("SeveralSessions", "InTheWay", "UnclearFeedback")  # in their constructors
DEFINES = re.compile(
    r"^class \w+\(\w*(Error|NotAllowedNow|UnknownName|Agent\w+|Cassette\w+|Database\w+)\):", re.M
)
MODULES = sorted(path for package in ("orchestrator", "workers") for path in (ROOT / package).rglob("*.py"))


def tree() -> dict[str, type[LifecycleError]]:
    """Every error of the product by the name it is raised by."""
    for path in MODULES:
        if DEFINES.search(path.read_text()):
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    found: dict[str, type[LifecycleError]] = {}
    waiting = [LifecycleError]
    for each in waiting:
        found[each.__name__] = each
        waiting += each.__subclasses__()
    return found


def made(
    path: Path, known: dict[str, type[LifecycleError]]
) -> Iterator[tuple[ast.Call, type[LifecycleError]]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in known:
                yield node, known[name]


def choices(given: ast.expr) -> list[ast.expr]:
    """What an expression may come to."""
    return [*choices(given.body), *choices(given.orelse)] if isinstance(given, ast.IfExp) else [given]


def says_what_to_do(call: ast.Call, error: type[LifecycleError]) -> bool:
    given = next((each.value for each in call.keywords if each.arg == "fix"), None)
    if given is not None:
        return not any(isinstance(part, ast.Constant) and part.value == "" for part in choices(given))
    own = "__init__" in vars(error) and error.__name__ in MAKE_THEIR_OWN
    return bool(error.remedy) or issubclass(error, SAY_THEMSELVES) or own


def test_every_error_that_is_made_says_what_to_do() -> None:
    known = tree()

    found = [(path, call, error) for path in MODULES for call, error in made(path, known)]
    silent = [
        f"{path.relative_to(ROOT)}:{call.lineno} {error.__name__}"
        for path, call, error in found
        if not says_what_to_do(call, error)
    ]

    assert silent == []
    assert len(found) > 200


@pytest.mark.parametrize("known", [(), ("depth", "coverage")])
def test_an_unknown_name_always_says_what_to_do(known: tuple[str, ...]) -> None:
    assert UnknownName("dimension", "beauty", known).fix


def test_an_unknown_name_near_a_known_one_is_told_of_it() -> None:
    assert UnknownName("dimension", "dept", ["depth", "coverage"]).fix == "did you mean 'depth'?"


def test_of_many_known_names_the_nearest_are_listed_by_their_last_part_too() -> None:
    known = [f"spec/requirements/REQ-{n:03d}-some-long-title.md" for n in range(40)] + [
        "spec/product-brief.md"
    ]

    why = UnknownName("artifact", "product-breif.md", known).why

    assert why.startswith("nearest of 41: spec/product-brief.md, ")
    assert why.count(",") == 4


def test_what_is_said_where_it_is_raised_goes_before_what_its_kind_says() -> None:
    class Broken(LifecycleError):
        """It is broken."""

        remedy = "mend it"

    assert (Broken().fix, Broken(fix="buy another").fix) == ("mend it", "buy another")
