"""pytest and unittest."""

from __future__ import annotations

import posixpath
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import ClassVar

from orchestrator.domain.dataclass import dataclass
from workers.evidence.cases import Cases, one_line
from workers.evidence.json_reports import own_cases
from workers.evidence.junit import JUnitCase, junit_cases
from workers.evidence.report_files import parse_file
from workers.evidence.runner import SEPARATOR, Runner, program_missing

UNITTEST_SCRIPT = Path(__file__).with_name("unittest_report.py")
_PROBE_SECONDS = 30.0
_INSTALL = "install Python 3"


@dataclass(frozen=True, slots=True)
class PythonRunner(Runner):
    program: str = "python3"
    sources: tuple[str, ...] = ()  # folders below `root` that packages are imported from, beside it

    @property
    def env(self) -> Mapping[str, str]:
        """The tree comes before everything installed, so that an installed copy of the project is never tested."""
        folders = [str(self.folder), *(str(self.folder / source) for source in self.sources)]
        return {**dict(self.extra_env), "PYTHONPATH": ":".join(folders), "PYTHONDONTWRITEBYTECODE": "1"}

    @property
    def steering_files(self) -> tuple[str, ...]:
        return (
            "conftest.py",
            "pytest.ini",
            ".pytest.ini",
            "pytest.toml",
            ".pytest.toml",
            "tox.ini",
            "noxfile.py",
            "setup.cfg",
            "pyproject.toml",
            ".coveragerc",
            "sitecustomize.py",
            "usercustomize.py",
            "*.pth",
        )

    def missing(self, environ: Mapping[str, str]) -> str | None:
        return program_missing(self.program, environ, _INSTALL)


@dataclass(frozen=True, slots=True)
class Pytest(PythonRunner):
    name: ClassVar[str] = "pytest"
    file_patterns: tuple[str, ...] = ("test_*.py", "*_test.py")
    has_coverage: bool = False  # the project's options ask for it

    def argv(self, report: Path, select: Sequence[str] = ()) -> tuple[str, ...]:
        return (
            *self._command(),
            f"--junitxml={report}",
            *("-o", "junit_family=xunit1", "-o", "junit_logging=no", "-o", "junit_suite_name=pytest"),
            *("--maxfail=0", "--continue-on-collection-errors"),
            *(("--", *(self.below_root(item) for item in select)) if select else ()),
        )

    def _command(self) -> tuple[str, ...]:
        return (
            *(self.program, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", "--rootdir=."),
            *(("--no-cov",) if self.has_coverage else ()),
            *self.extra,
        )

    def collect_argv(self) -> tuple[str, ...] | None:
        return (*self._command(), "--collect-only", "--verbosity=-1")

    def parse_collected(self, out: str) -> tuple[str, ...]:
        return tuple(
            one_line(self._tree_id(line)) for line in out.splitlines() if SEPARATOR in line and line[0] != " "
        )

    def _tree_id(self, node: str) -> str:
        place, separator, name = node.partition(SEPARATOR)
        return f"{self.below_tree(place)}{separator}{name}"

    def parse(self, report: Path, out: str, err: str = "", since: float = 0.0) -> Cases:
        return parse_file(report, since, lambda data: junit_cases(data, NodeIds(self).identify))

    def missing(self, environ: Mapping[str, str]) -> str | None:
        absent = program_missing(self.program, environ, _INSTALL)
        path = environ.get("PATH", "")
        if absent or _imports(
            str(shutil.which(self.program, path=path)), "pytest", environ.get("HOME", "/"), path
        ):
            return absent
        return (
            f"{self.program} on PATH has no pytest: set `work.setup`, or activate an environment that has it"
        )

    def is_test_file(self, path: str) -> bool:
        name = posixpath.basename(path)
        return self.owns(path) and any(fnmatchcase(name, pattern) for pattern in self.file_patterns)


class NodeIds:
    """Node ids from pytest's report, where they are written with dots; each folder is looked at once."""

    def __init__(self, runner: Pytest) -> None:
        self._runner = runner
        self._entries: dict[str, frozenset[str]] = {}  # folder below the runner's -> names in it

    def identify(self, case: JUnitCase) -> tuple[str, str]:
        """The node id and the file of a case: its class name is cut where a file of the tree ends."""
        runner = self._runner
        if not case.classname:  # a file that could not be collected
            file, _ = self._split(case.name.split("."))
            return (file, file) if file else (runner.below_tree(case.name), "")
        parts = case.classname.split(".")
        file, used = self._split(parts)
        if file:
            return SEPARATOR.join([file, *parts[used:], case.name]), file
        place = (runner.tree_path(case.file) if case.file else None) or case.classname
        return f"{place}{SEPARATOR}{case.name}", place

    def _split(self, parts: Sequence[str]) -> tuple[str, int]:
        """The longest file that `parts` begin with, below the tree, and how many parts it takes; empty for none."""
        folder, found = "", ("", 0)
        for used, part in enumerate(parts, 1):
            names = self._names(folder)
            texts = (".txt", ".rst", ".md") if used == len(parts) else ()
            name = next((part + ending for ending in (".py", *texts) if part + ending in names), None)
            if name:
                found = (self._runner.below_tree(f"{folder}{name}"), used)
            if part not in names:
                break
            folder = f"{folder}{part}/"
        return found

    def _names(self, folder: str) -> frozenset[str]:
        if folder not in self._entries:
            try:
                self._entries[folder] = frozenset(
                    path.name for path in (self._runner.folder / folder).iterdir()
                )
            except OSError:  # no folder, or none that may be read: no test is in it
                self._entries[folder] = frozenset()
        return self._entries[folder]


@dataclass(frozen=True, slots=True)
class Unittest(PythonRunner):
    """The standard library's, run by a script of ours because its own command writes no report."""

    name: ClassVar[str] = "unittest"

    def argv(self, report: Path, select: Sequence[str] = ()) -> tuple[str, ...]:
        chosen = (*(self.below_root(item).removeprefix("./") for item in select),)
        return (self.program, str(UNITTEST_SCRIPT), "run", str(report), *chosen)

    def collect_argv(self) -> tuple[str, ...] | None:
        return (self.program, str(UNITTEST_SCRIPT), "list", "-")

    def parse_collected(self, out: str) -> tuple[str, ...]:
        found = own_cases(out.encode("utf-8", "replace"), self.tree_path)
        return tuple(found.by_id)

    def parse(self, report: Path, out: str, err: str = "", since: float = 0.0) -> Cases:
        return parse_file(report, since, lambda data: own_cases(data, self.tree_path))

    def is_test_file(self, path: str) -> bool:
        return self.owns(path) and fnmatchcase(posixpath.basename(path), "test*.py")


@cache
def _imports(program: str, module: str, home: str, path: str) -> bool:
    """Whether the interpreter finds the module; asked outside of any tree, so nothing of it can answer."""
    try:
        done = subprocess.run(
            [
                program,
                "-c",
                f"import importlib.util, sys; sys.exit(not importlib.util.find_spec({module!r}))",
            ],
            cwd="/",
            env={"HOME": home, "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
