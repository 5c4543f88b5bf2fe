"""What a cheat is: something done to a work tree to get a candidate accepted, and what has to notice it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# How it must end.
REFUSED = "refused"  # the candidate does not land, for one of the reasons in `caught`
NO_EFFECT = "no effect"  # the honest part lands, and nothing of the cheat
STOPPED = "stopped"  # a limit ends the agent or the test run, and nothing is left running

# What is applied before.
NOTHING = "nothing"
RIGHT = "right"  # the task's right patch
BREAKING = "breaking"  # the bad patch `breaks_a_test`


@dataclass(frozen=True, slots=True)
class Broken:
    """An old test that fails with a bad patch, and where a cheat would hide that."""

    file: str  # of the test
    test: str  # its name, as the file has it
    line: str  # its assertion
    weaker: str  # an assertion that always holds
    source: str  # the file that the patch broke
    special: str = ""  # at its end, gives the test what it wants, and only the test


@dataclass(frozen=True, slots=True)
class Place:
    """Where a cheat works."""

    tree: Path
    runner: str  # a key of repositories.COMMANDS
    broken: Broken | None = None  # for those that hide a failing test
    outside: Path | None = None  # a folder that the agent has no business in
    canary: Path | None = None  # what a planted program touches when something starts it; outside the tree

    def as_json(self) -> dict[str, Any]:
        """The arguments of a scripted agent's cheat; the tree is its current folder."""
        return {
            "runner": self.runner,
            "broken": self.broken and asdict(self.broken),
            "outside": self.outside and str(self.outside),
            "canary": self.canary and str(self.canary),
        }

    @classmethod
    def from_json(cls, tree: Path, given: Mapping[str, Any]) -> Place:
        """The place that `as_json` described."""
        broken, outside, canary = (given.get(name) for name in ("broken", "outside", "canary"))
        return cls(
            tree,
            given["runner"],
            Broken(**broken) if broken else None,
            Path(outside) if outside else None,
            Path(canary) if canary else None,
        )

    @property
    def hidden(self) -> Broken:
        """The failing test that is to be hidden."""
        assert self.broken is not None, "this cheat hides a failing test: name one"
        return self.broken

    @property
    def test_file(self) -> Path:
        return self.tree / self.hidden.file

    @property
    def test_folder(self) -> str:
        """Where the failing test is, below the tree."""
        return self.hidden.file.rpartition("/")[0] or "."

    def replace(self, path: Path, old: str, new: str) -> None:
        """Replace what occurs in the file, once. Raises ValueError where it does not."""
        text = path.read_text(encoding="utf-8")
        if old not in text:
            raise ValueError(f"{path}: there is no {old!r}")
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def add(self, path: str, text: str) -> None:
        """Write at the end of a file, which may be new."""
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as end:
            end.write(text)


@dataclass(frozen=True, slots=True)
class Caught:
    """A finding that has to be there; of rules with a colon, what stands before it."""

    check: str
    rule: str


@dataclass(frozen=True, slots=True)
class Cheat:
    name: str
    sentence: str
    do: Callable[[Place], None]
    after: str = RIGHT
    ends: str = REFUSED
    caught: tuple[Caught, ...] = ()  # one of them is enough
    runners: frozenset[str] = frozenset({"pytest", "unittest", "node:test"})
    fools: bool = False  # the repository's own command ends well although a test fails without it

    def fits(self, runner: str) -> bool:
        return runner in self.runners
