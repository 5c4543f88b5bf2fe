"""What every test runner can tell about itself: its command, its report, and which files are its tests."""

from __future__ import annotations

import os
import posixpath
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

from orchestrator.domain.dataclass import dataclass, replace
from workers.evidence.cases import BUILD, Cases

SEPARATOR = "::"  # between the file or package of a test and its name


@dataclass(frozen=True, slots=True)
class Runner(ABC):
    """The tests of one folder of a tree. Nothing is run here; every answer is a value."""

    name: ClassVar[str]
    selects: ClassVar[str] = "tests"  # what can be run alone: tests, files, or nothing
    tree: Path
    root: str = ""  # folder below the tree, with `/`; empty: the tree itself
    extra: tuple[str, ...] = ()  # arguments that the project's own script gives it
    extra_env: tuple[tuple[str, str], ...] = ()  # variables that the project's own script sets

    @abstractmethod
    def argv(self, report: Path, select: Sequence[str] = ()) -> tuple[str, ...]:
        """The command, to be run in `folder`; `select` holds test ids or files below the tree, empty for all tests."""

    @abstractmethod
    def parse(self, report: Path, out: str, err: str = "", since: float = 0.0) -> Cases:
        """What the run came to. Reports older than `since` (seconds since 1970) do not count; it never raises."""

    @abstractmethod
    def missing(self, environ: Mapping[str, str]) -> str | None:
        """Why its program cannot be run with this environment and what to do, as one sentence; None when it can."""

    @abstractmethod
    def is_test_file(self, path: str) -> bool:
        """Whether the file below the tree holds tests that this runner collects."""

    @property
    @abstractmethod
    def steering_files(self) -> tuple[str, ...]:
        """Patterns of file names, as in .gitignore, that steer the tests of the whole tree beside the tests."""

    def collect_argv(self) -> tuple[str, ...] | None:
        """The command that lists the tests without running them; None when the runner has none."""
        return None

    def parse_collected(self, out: str) -> tuple[str, ...]:
        """The ids that `collect_argv` printed."""
        return ()

    @property
    def folder(self) -> Path:
        """Where its commands are run."""
        return self.tree / self.root if self.root else self.tree

    @property
    def env(self) -> Mapping[str, str]:
        """Variables to set for its commands, beside those of the sandbox."""
        return dict(self.extra_env)

    def at(self, tree: Path) -> Self:
        """The same runner for another checkout."""
        return replace(self, tree=tree)

    def owns(self, path: str) -> bool:
        """Whether the file lies below the runner's folder."""
        return not self.root or path == self.root or path.startswith(self.root + "/")

    def selection(self, ids: Sequence[str]) -> tuple[str, ...]:
        """The smallest `select` that runs these tests: themselves, their files, or empty for everything."""
        if BUILD in ids:
            return ()
        if self.selects == "tests":
            return tuple(dict.fromkeys(ids))
        if self.selects == "files":
            return tuple(dict.fromkeys(id.partition(SEPARATOR)[0] for id in ids))
        return ()

    def below_tree(self, path: str) -> str:
        """A path below `folder`, as the runner prints it, as a path below the tree."""
        return posixpath.normpath(posixpath.join(self.root, path.replace("\\", "/")))

    def below_root(self, path: str) -> str:
        """A path below the tree as a path below `folder`, which never reads as an option."""
        inner = path.removeprefix(self.root + "/") if self.root else path
        return f"./{inner}" if inner.startswith("-") else inner

    def tree_path(self, path: str) -> str | None:
        """The path below the tree of an absolute path in a report, or of one below `folder`; None for one outside."""
        if path.startswith("file://"):
            path = path.removeprefix("file://")
        if not posixpath.isabs(path):
            inner = self.below_tree(path)
            return None if inner.startswith("../") or inner == ".." else inner
        for tree in (str(self.tree), os.path.realpath(self.tree)):
            if path.startswith(tree + "/"):
                inner = posixpath.normpath(path[len(tree) + 1 :])
                return None if inner.startswith("..") else inner
        return None

    def has_file(self, path: str) -> bool:
        """Whether the tree has such a file; False for what cannot be a path at all, as in a hostile report."""
        try:
            return (self.tree / path).is_file()
        except (OSError, ValueError):
            return False


def program_missing(program: str, environ: Mapping[str, str], hint: str) -> str | None:
    """Why `program` cannot be started with this PATH; None when it can."""
    if shutil.which(program, path=environ.get("PATH", "")):
        return None
    return f"{program} is not on PATH: {hint}"


def split_id(id: str) -> tuple[str, str]:
    """The file or package of a test id and the test's name; the name is empty when the id is a file."""
    place, _, name = id.partition(SEPARATOR)
    return place, name


def exact_pattern(names: Sequence[str]) -> str:
    """A regular expression for exactly these names, for runners that select by one."""
    return "^(" + "|".join(re.escape(name) for name in names) + ")$"
