"""go, cargo, maven, gradle, and the command that a project's settings name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.evidence import ERROR
from orchestrator.domain.inert import inert
from orchestrator.domain.patterns import expression
from workers.evidence.cargo_lines import cargo_cases
from workers.evidence.cases import BUILD, MAX_MESSAGE, Case, CaseList, Cases
from workers.evidence.json_reports import go_cases
from workers.evidence.junit import JUnitCase, Name, junit_cases
from workers.evidence.report_files import UnbelievableReport, parse_file, read_report_file, reports_below
from workers.evidence.runner import SEPARATOR, Runner, exact_pattern, program_missing, split_id

REPORT = "{report}"  # in a configured command: the name of the report of this run
MAVEN_SETTINGS = Path(__file__).with_name("maven_settings.xml")
# What is in the local repository counts, whatever mirror it came from: the settings that name the mirror are not read.
MAVEN_ANY_SOURCE = "-Daether.enhancedLocalRepository.trackingFilename=none"


@dataclass(frozen=True, slots=True)
class Go(Runner):
    name: ClassVar[str] = "go"
    module: str = ""  # the path in go.mod

    def argv(self, report: Path, select: Sequence[str] = ()) -> tuple[str, ...]:
        if not select:
            return ("go", "test", "-json", "-count=1", "./...")
        packages, names = [], []
        for item in select:
            place, name = split_id(item)
            folder = posixpath.dirname(place) if place.endswith(".go") else place
            packages.append("./" + self.below_root(folder).removeprefix("./"))
            names.append(name.partition("/")[0])
        chosen = ("-run", exact_pattern(sorted(set(names)))) if all(names) else ()
        return ("go", "test", "-json", "-count=1", *chosen, *dict.fromkeys(packages))

    @property
    def env(self) -> Mapping[str, str]:
        mode = "vendor" if (self.folder / "vendor" / "modules.txt").is_file() else "readonly"
        return {**dict(self.extra_env), "GOFLAGS": f"-mod={mode}", "GOPROXY": "off", "GOTOOLCHAIN": "local"}

    def parse(self, report: Path, out: str, err: str = "", since: float = 0.0) -> Cases:
        return go_cases(out, self._place)

    def _place(self, package: str) -> str:
        if package == self.module or package.startswith(self.module + "/"):
            return self.below_tree(package[len(self.module) + 1 :] or ".")
        return package

    def missing(self, environ: Mapping[str, str]) -> str | None:
        return program_missing("go", environ, "install Go")

    def is_test_file(self, path: str) -> bool:
        return self.owns(path) and path.endswith("_test.go")

    @property
    def steering_files(self) -> tuple[str, ...]:
        return ("testdata/",)


@dataclass(frozen=True, slots=True)
class Cargo(Runner):
    name: ClassVar[str] = "cargo"

    def argv(self, report: Path, select: Sequence[str] = ()) -> tuple[str, ...]:
        names = dict.fromkeys(name for item in select if (name := split_id(item)[1]))
        chosen = ("--", "--exact", *names) if names and len(names) <= len(select) else ()
        return ("cargo", "test", "--workspace", "--no-fail-fast", "--color=never", *chosen)

    @property
    def env(self) -> Mapping[str, str]:
        return {**dict(self.extra_env), "CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never"}

    def parse(self, report: Path, out: str, err: str = "", since: float = 0.0) -> Cases:
        return cargo_cases(out, err)

    def missing(self, environ: Mapping[str, str]) -> str | None:
        return program_missing("cargo", environ, "install Rust")

    def is_test_file(self, path: str) -> bool:
        """Files below `tests/`; tests inside a source file are part of that file."""
        inner = "/" + (path.removeprefix(self.root + "/") if self.root else path)
        return self.owns(path) and inner.endswith(".rs") and "/tests/" in inner

    @property
    def steering_files(self) -> tuple[str, ...]:
        return (".cargo/config.toml", ".cargo/config", "nextest.toml", "*.snap", "snapshots/")


_COMPILE_ERRORS = expression(r"^(?:\[ERROR\] (?:COMPILATION ERROR|/.*)|.*: error: .*|e: .*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Jvm(Runner):
    """Reports that only the build tool can place: below the tree, one a class."""

    reports: ClassVar[tuple[str, ...]] = ()

    def parse(self, report: Path, out: str, err: str = "", since: float = 0.0) -> Cases:
        found = parse_below(self.folder, self.reports, since, self._identify_in)
        if not found.by_id and (broken := _COMPILE_ERRORS.findall(f"{out}\n{err}")):
            return Cases({BUILD: Case(BUILD, ERROR, inert("\n".join(broken)[:MAX_MESSAGE]))})
        return found

    def _identify_in(self, path: str) -> Name:
        module = self.below_tree(re.split(r"(?:^|/)(?:target|build)/", path)[0] or ".")
        prefix = "" if module == "." else module + "/"

        def identify(case: JUnitCase) -> tuple[str, str]:
            name = case.name.removesuffix("()")
            place = case.classname or (case.suites[-1] if case.suites else "")
            return f"{prefix}{place}{SEPARATOR}{name}", ""

        return identify

    def is_test_file(self, path: str) -> bool:
        return self.owns(path) and (
            bool(re.search(r"(^|/)src/(test|it|integrationTest|testFixtures)/", path))
            or bool(re.search(r"(Tests?|IT|Spec)\.(java|kt|groovy|scala)$", path))
        )

    def classes(self, select: Sequence[str]) -> list[tuple[str, str]]:
        """Class and method of each selected test; a file stands for its class."""
        found = []
        for item in select:
            place, name = split_id(item)
            found.append(
                (posixpath.basename(place).partition(".java")[0], name.partition("(")[0].partition("[")[0])
            )
        return list(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Maven(Jvm):
    name: ClassVar[str] = "maven"
    reports: ClassVar[tuple[str, ...]] = (
        "**/target/surefire-reports/TEST-*.xml",
        "**/target/failsafe-reports/TEST-*.xml",
    )

    def argv(self, report: Path, select: Sequence[str] = ()) -> tuple[str, ...]:
        chosen = ",".join(f"{a}#{b}" if b else a for a, b in self.classes(select))
        return (
            *("mvn", "--batch-mode", "--offline", "--fail-at-end", "-Dstyle.color=never"),
            *("--settings", str(MAVEN_SETTINGS), MAVEN_ANY_SOURCE, "test"),
            *((f"-Dtest={chosen}", "-Dsurefire.failIfNoSpecifiedTests=false") if chosen else ()),
        )

    def missing(self, environ: Mapping[str, str]) -> str | None:
        return program_missing("mvn", environ, "install Maven")

    @property
    def steering_files(self) -> tuple[str, ...]:
        return ("pom.xml", "junit-platform.properties", ".mvn/", "surefire*.xml", "testng.xml")


@dataclass(frozen=True, slots=True)
class Gradle(Jvm):
    name: ClassVar[str] = "gradle"
    reports: ClassVar[tuple[str, ...]] = ("**/build/test-results/**/TEST-*.xml",)

    def argv(self, report: Path, select: Sequence[str] = ()) -> tuple[str, ...]:
        chosen = [("--tests", f"{a}.{b}" if b else a) for a, b in self.classes(select)]
        return (
            *("gradle", "--offline", "--no-daemon", "--console=plain", "--continue", "cleanTest", "test"),
            *(word for pair in chosen for word in pair),
        )

    def missing(self, environ: Mapping[str, str]) -> str | None:
        return program_missing("gradle", environ, "install Gradle; the wrapper would download it")

    @property
    def steering_files(self) -> tuple[str, ...]:
        return (
            "build.gradle",
            "build.gradle.kts",
            "gradle.properties",
            "junit-platform.properties",
            "testng.xml",
        )


NOT_COLLECTED = "collection failure"  # what pytest's report says of a module that it could not load


@dataclass(frozen=True, slots=True)
class OwnCommand(Runner):
    """What `work.test_command` says; its tests are known if it writes JUnit (`work.test_report`, or `{report}`)."""

    name: ClassVar[str] = "own command"
    selects: ClassVar[str] = "nothing"
    command: tuple[str, ...] = ()
    reports: str | None = None  # a pattern below the tree

    def argv(self, report: Path, select: Sequence[str] = ()) -> tuple[str, ...]:
        return tuple(word.replace(REPORT, str(report)) for word in self.command)

    @property
    def has_report(self) -> bool:
        """Whether single tests are known; without, the exit status is all there is."""
        return self.reports is not None or any(REPORT in word for word in self.command)

    def parse(self, report: Path, out: str, err: str = "", since: float = 0.0) -> Cases:
        if any(REPORT in word for word in self.command):
            return parse_file(report, since, lambda data: junit_cases(data, self.identify))
        if self.reports is None:
            return Cases()
        return parse_below(self.folder, (self.reports,), since, lambda _: self.identify)

    def identify(self, case: JUnitCase) -> tuple[str, str]:
        """The file of the case if the report has one that lies in the tree, else its class, else its suites.

        Of a module that pytest could not collect it is the file alone, else the module's name.
        """
        file = self.tree_path(case.file) if case.file else None
        if not case.classname and case.results.get("error", "").startswith(NOT_COLLECTED):
            return (file, file) if file and self.has_file(file) else (case.name, "")
        if file and self.has_file(file):
            inner = case.classname.rpartition(".")[2]
            stem = posixpath.basename(file).partition(".")[0]
            middle = [inner] if inner and inner != stem else []
            return SEPARATOR.join([file, *middle, case.name]), file
        return SEPARATOR.join([case.classname or " > ".join(case.suites), case.name]), ""

    def missing(self, environ: Mapping[str, str]) -> str | None:
        return program_missing(self.command[0], environ, "see `work.test_command`")

    def is_test_file(self, path: str) -> bool:
        """By the names that the common runners collect; what the command names is a test, too."""
        return bool(COMMON_TEST_NAME.search(path)) or path in self._named

    @property
    def steering_files(self) -> tuple[str, ...]:
        return tuple(f"/{path}" for path in sorted(self._named) if self.has_file(path))

    @property
    def _named(self) -> frozenset[str]:
        """The words of the command that may be a file below the tree."""
        words = (part for word in self.command for part in word.split())
        return frozenset(part.removeprefix("./") for part in words if not posixpath.isabs(part))


COMMON_TEST_NAME = expression(
    r"(^|/)(tests?|__tests__|spec)/|(^|/)(test_[^/]*|tests?)\.py$|_test\.(py|go|rb|exs)$|[.-](test|spec)\.[cm]?[jt]sx?$"
    r"|(Tests?|IT|Spec)\.(java|kt|scala|groovy|cs)$|_spec\.rb$|(^|/)conftest\.py$",
)


def parse_below(
    folder: Path,
    patterns: tuple[str, ...],
    since: float,
    identify_in: Callable[[str], Name],
) -> Cases:
    """The cases of all reports below `folder` that are not older than `since`."""
    into = CaseList()
    try:
        paths = reports_below(folder, patterns, since)
        if not paths:
            into.fault("it wrote no report")
        for path in paths:
            into.merge(junit_cases(read_report_file(folder, path, since), identify_in(path)))
    except UnbelievableReport as error:
        into.fault(str(error))
    return into.done()
