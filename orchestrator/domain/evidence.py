"""What is found out about a tree of files, as values: findings, runs of tests, and what they amount to (docs/evidence.md)."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.dataclass import asdict, dataclass, field, fields
from orchestrator.domain.json_types import Json, JsonObject

CRITICAL, HIGH, MEDIUM, LOW = "critical", "high", "medium", "low"
SEVERITIES = (CRITICAL, HIGH, MEDIUM, LOW)

PASSED, FAILED, ERROR, SKIPPED = "passed", "failed", "error", "skipped"  # of one test
BAD = frozenset({FAILED, ERROR})

REFUSED_TURN = "refused_turn"  # the kind of checks that say what refused a turn of an agent, each of its run


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or worth knowing, with the place where it can be seen."""

    check: str  # what found it: secrets, paths, tests, lint, compile, ...
    severity: str
    rule: str  # the exact rule: "ruff:F401", "test_removed"
    text: str  # one sentence for people
    path: str = ""  # below the tree
    line: int = 0  # from 1; 0: the whole file
    quote: str = ""  # the line itself
    fix: str = ""
    source: str = "tool"  # or "agent"
    blocks: bool = False  # a candidate with it must not land

    def as_json(self) -> JsonObject:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> Finding:
        """What `as_json` gave; unknown names are left out."""
        return cls(**{each.name: value[each.name] for each in fields(cls) if each.name in value})

    @property
    def place(self) -> str:
        """`path:line`, as an editor takes it."""
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class TestRun:
    """One execution of a test runner over one tree."""

    __test__ = False  # pytest collects by name

    runner: str
    command: tuple[str, ...]
    outcomes: Mapping[str, str]  # test id -> passed, failed, error or skipped
    faults: tuple[str, ...] = ()  # why the report is not believed; empty: it is
    exit: int | None = None
    seconds: float = 0.0
    tail: str = ""  # the end of what it printed
    confined: bool = True  # False: it ran without the sandbox
    messages: Mapping[str, str] = field(default_factory=dict)  # what the first of the tests that failed say

    @property
    def is_believed(self) -> bool:
        return not self.faults

    @property
    def bad(self) -> frozenset[str]:
        """The tests that failed."""
        return frozenset(test for test, outcome in self.outcomes.items() if outcome in BAD)

    def as_json(self) -> JsonObject:
        return {
            **asdict(self),
            "command": list(self.command),
            "faults": list(self.faults),
            "outcomes": dict(self.outcomes),
            "messages": dict(self.messages),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> TestRun:
        """What `as_json` gave."""
        known = {each.name: value[each.name] for each in fields(cls) if each.name in value}
        return cls(**{**known, "command": tuple(value["command"]), "faults": tuple(value["faults"])})
