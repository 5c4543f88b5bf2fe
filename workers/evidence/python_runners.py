"""pytest and unittest."""

from __future__ import annotations

import posixpath
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import ClassVar

from workers.evidence.cases import Cases
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
            "--maxfail=0",
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
        return tuple(self._tree_id(line) for line in out.splitlines() if SEPARATOR in line and line[0] != " ")

    def _tree_id(self, node: str) -> str:
        place, separator, name = node.partition(SEPARATOR)
        return f"{self.below_tree(place)}{separator}{name}"

    def parse(self, report: Path, out: str, err: str = "", since: float = 0.0) -> Cases:
        return parse_file(report, since, lambda data: junit_cases(data, self.identify))

    def identify(self, case: JUnitCase) -> tuple[str, str]:
        """The node id of a case: its class name is the node id with dots, cut where a file of the tree ends."""
        if not case.classname:  # a file that could not be collected
            file = self._module(case.name.split("."))
            return (file, file) if file else (self.below_tree(case.name), "")
        parts = case.classname.split(".")
        for end in range(len(parts), 0, -1):
            if file := self._module(parts[:end]):
                return SEPARATOR.join([file, *parts[end:], case.name]), file
        file = self.tree_path(case.file) or case.file if case.file else case.classname
        return f"{file}{SEPARATOR}{case.name}", file

    def _module(self, parts: Sequence[str]) -> str | None:
        """The file below the tree whose path without its ending is `parts`."""
        inner = "/".join(parts)
        if not inner or ".." in inner or inner.startswith("/"):
            return None
        for ending in (".py", ".txt", ".rst", ".md"):
            if (self.folder / f"{inner}{ending}").is_file():
                return self.below_tree(f"{inner}{ending}")
        return None

    def missing(self, environ: Mapping[str, str]) -> str | None:
        absent = program_missing(self.program, environ, _INSTALL)
        if absent or _imports(
            str(shutil.which(self.program, path=environ.get("PATH", ""))), "pytest", environ.get("HOME", "/")
        ):
            return absent
        return f"{self.program} on PATH has no pytest: set `work.setup`, or install it there"

    def is_test_file(self, path: str) -> bool:
        name = posixpath.basename(path)
        return self.owns(path) and any(fnmatchcase(name, pattern) for pattern in self.file_patterns)


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
def _imports(program: str, module: str, home: str) -> bool:
    """Whether the interpreter finds the module; asked outside of any tree, so nothing of it can answer."""
    try:
        done = subprocess.run(
            [
                program,
                "-c",
                f"import importlib.util, sys; sys.exit(not importlib.util.find_spec({module!r}))",
            ],
            cwd="/",
            env={"HOME": home, "PATH": "/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
