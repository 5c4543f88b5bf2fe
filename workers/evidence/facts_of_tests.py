"""What a test file holds, as far as a comparison of two versions needs it."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class TestFact:
    """One test as it is written."""

    __test__ = False  # pytest collects by name

    name: str  # with its classes or groups
    line: int
    body: str  # all of its code in one form: equal when nothing that runs differs
    assertions: tuple[str, ...] = ()  # those that can fail
    skips: tuple[str, ...] = ()  # what keeps it from running or counting: skip, xfail, todo, ...
    cases: int = 0  # of a parametrized test, where they are written out


@dataclass(frozen=True, slots=True)
class TestFileFacts:
    """One file of tests as it is written."""

    __test__ = False

    tests: Mapping[str, TestFact] = field(default_factory=dict)
    skips: Mapping[str, int] = field(default_factory=dict)  # what holds for the whole file -> line
    hooks: Mapping[str, tuple[int, str]] = field(default_factory=dict)  # name -> line and code
    helpers: Mapping[str, str] = field(
        default_factory=dict
    )  # fixtures and functions beside the tests -> code
    tampering: Mapping[str, int] = field(default_factory=dict)  # what falsifies outcomes -> line
    is_readable: bool = True
