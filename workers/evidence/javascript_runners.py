"""vitest, jest, mocha and node:test."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from pathspec import GitIgnoreSpec

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.evidence import ERROR
from orchestrator.domain.inert import inert
from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression
from workers.evidence.cases import BUILD, MAX_MESSAGE, Case, Cases
from workers.evidence.json_reports import jest_cases, mocha_cases, own_cases
from workers.evidence.report_files import MAX_JSON_BYTES, parse_file
from workers.evidence.repository_files import RepositoryFiles
from workers.evidence.runner import Runner, program_missing, split_id

NODE_REPORTER = Path(__file__).with_name("node_reporter.mjs")
_TEST_NAME = expression(r"(^|/)(?:[^/]+[.\-_](?:test|spec)|test(?:-[^/]*)?)\.[cm]?[jt]sx?$")
_IN_TEST_FOLDER = expression(r"(^|/)(?:__tests__|tests?|spec)/(?:.*/)?[^/]+\.[cm]?[jt]sx?$")
_OPERATORS = expression(r"[|<>`$()\n\\{}]")
_ASSIGNMENT = expression(r"([A-Za-z_]\w*)=(.*)")
_NOT_TAKEN = expression(  # they change where results go, or whether the run ends
    r"--?(?:watch\w*|w|u|update|updateSnapshot|ui|open|coverage.*|collectCoverage.*|reporters?|R|reporter-options?|O"
    r"|outputFile|json|bail|b|silent|verbose|onlyChanged|o|changedSince|passWithNoTests|test-reporter.*"
    r"|experimental-test-coverage|test-only|test|test-update-snapshots|forbid-only)(?:[.=].*)?"
)
_TAKES_VALUE = frozenset(
    {
        "--reporter",
        "-R",
        "--reporters",
        "--outputFile",
        "-O",
        "--reporter-option",
        "--reporter-options",
        "--test-reporter",
        "--test-reporter-destination",
    }
)
_INTERFACE = frozenset({"-u", "--ui"})  # of mocha; with others -u changes snapshots
_WRAPPERS = frozenset({"cross-env", "npx", "env", "exec", "--no-install", "--no", "c8", "nyc"})
_PROGRAMS = frozenset({"node", "jest", "mocha", "vitest", "borp"})
_MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
_HAS_VALUE = frozenset(  # of options that are kept
    {
        *(
            "--import",
            "--require",
            "-r",
            "--loader",
            "--experimental-loader",
            "--conditions",
            "-C",
            "--env-file",
        ),
        *("--config", "-c", "--project", "--environment", "--pool", "--dir", "--mode", "--root", "--rootDir"),
        *("--maxWorkers", "--testEnvironment", "--testPathPattern", "--testTimeout", "--test-concurrency"),
        *(
            "--test-timeout",
            "--timeout",
            "-t",
            "--extension",
            "--file",
            "--grep",
            "-g",
            "--ignore",
            "--exclude",
        ),
        *("--retries", "--jobs", "-j", "--package", "--ui", "--spec", "--test-name-pattern"),
    }
)


@dataclass(frozen=True, slots=True)
class JavaScriptRunner(Runner):
    selects: ClassVar[str] = "files"

    @property
    def env(self) -> Mapping[str, str]:
        return {**dict(self.extra_env), "CI": "1", "FORCE_COLOR": "0", "NO_COLOR": "1"}

    @property
    def steering_files(self) -> tuple[str, ...]:
        return (
            "package.json",
            "vitest.config.*",
            "vitest.workspace.*",
            "vitest.setup.*",
            "vite.config.*",
            "jest.config.*",
            "jest.setup.*",
            "jest-*.config.*",
            "setupTests.*",
            ".mocharc.*",
            "mocha.opts",
            ".nycrc*",
            "babel.config.*",
            ".babelrc*",
            "__snapshots__/",
            "*.snap",
            "__mocks__/",
        )

    def installed(self) -> str:
        """The program in the nearest node_modules, or its name for PATH."""
        folders = [self.root]
        while folders[-1]:
            folders.append(posixpath.dirname(folders[-1]))
        for folder in folders:
            path = self.tree / folder / "node_modules" / ".bin" / self.name
            if path.exists():
                return str(path)
        return self.name

    def missing(self, environ: Mapping[str, str]) -> str | None:
        absent = program_missing("node", environ, "install Node.js")
        if absent or self.installed() != self.name:
            return absent
        return program_missing(
            self.name, environ, "install the project's packages (`npm ci`), or set `work.setup`"
        )

    def is_test_file(self, path: str) -> bool:
        return (
            self.owns(path)
            and "node_modules/" not in path
            and bool(_TEST_NAME.search(path) or _IN_TEST_FOLDER.search(path))
        )

    def arguments(self, select: Sequence[str]) -> tuple[str, ...]:
        """What the script gives it; without the files it names where others are selected."""
        options, names = split_arguments(self.extra)
        return options if select else (*options, *names)

    def files(self, select: Sequence[str]) -> tuple[str, ...]:
        """The selected files below `folder`."""
        return tuple(dict.fromkeys(self.below_root(split_id(item)[0]) for item in select))


@dataclass(frozen=True, slots=True)
class Vitest(JavaScriptRunner):
    name: ClassVar[str] = "vitest"

    def argv(self, report: Path, select: Sequence[str] = ()) -> tuple[str, ...]:
        return (
            *(self.installed(), "run", *self.arguments(select), "--reporter=json", f"--outputFile={report}"),
            *("--coverage.enabled=false", "--bail=0", *self.files(select)),
        )

    def parse(self, report: Path, out: str, err: str = "", since: float = 0.0) -> Cases:
        return parse_file(report, since, lambda data: jest_cases(data, self.tree_path), MAX_JSON_BYTES)


@dataclass(frozen=True, slots=True)
class Jest(JavaScriptRunner):
    name: ClassVar[str] = "jest"

    def argv(self, report: Path, select: Sequence[str] = ()) -> tuple[str, ...]:
        chosen = ("--runTestsByPath", *self.files(select)) if select else ()
        return (
            *(self.installed(), *self.arguments(select), "--ci", "--json", f"--outputFile={report}"),
            *("--coverage=false", "--bail=0", *chosen),
        )

    def parse(self, report: Path, out: str, err: str = "", since: float = 0.0) -> Cases:
        return parse_file(report, since, lambda data: jest_cases(data, self.tree_path), MAX_JSON_BYTES)


_NOT_LOADED = expression(r"^[ \t]*Exception during run:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Mocha(JavaScriptRunner):
    name: ClassVar[str] = "mocha"

    def argv(self, report: Path, select: Sequence[str] = ()) -> tuple[str, ...]:
        return (
            *(
                self.installed(),
                *self.arguments(select),
                "--reporter",
                "json",
                "--reporter-option",
                f"output={report}",
            ),
            *("--no-bail", *self.files(select)),
        )

    def parse(self, report: Path, out: str, err: str = "", since: float = 0.0) -> Cases:
        if not report.exists() and (
            broken := _NOT_LOADED.search(err)
        ):  # one file, and it runs none of the others
            return Cases({BUILD: Case(BUILD, ERROR, inert(err[broken.start() :][:MAX_MESSAGE]))})
        return parse_file(report, since, lambda data: mocha_cases(data, self.tree_path), MAX_JSON_BYTES)


@dataclass(frozen=True, slots=True)
class NodeTest(JavaScriptRunner):
    """node:test, with a reporter of ours: the built-in JUnit reporter leaves out in which file a test is."""

    name: ClassVar[str] = "node:test"

    def argv(self, report: Path, select: Sequence[str] = ()) -> tuple[str, ...]:
        options, names = split_arguments(self.extra)
        return (
            *("node", *options, "--test"),
            *(f"--test-reporter={NODE_REPORTER}", f"--test-reporter-destination={report}"),
            *(self.files(select) or self._expanded(names)),
        )

    def _expanded(self, names: Sequence[str]) -> tuple[str, ...]:
        """The files that patterns stand for, as a shell expands them for the script and node 20 does not."""
        patterns = [name.removeprefix("./") for name in names if any(c in name for c in "*?[")]
        if not patterns:
            return tuple(names)
        spec = GitIgnoreSpec.from_lines(f"/{pattern}" for pattern in patterns)
        found = (self.below_root(path) for path in RepositoryFiles(self.tree).paths if self.owns(path))
        return (*(n for n in names if n.removeprefix("./") not in patterns), *spec.match_files(found))

    def missing(self, environ: Mapping[str, str]) -> str | None:
        return program_missing("node", environ, "install Node.js")

    def parse(self, report: Path, out: str, err: str = "", since: float = 0.0) -> Cases:
        return parse_file(report, since, lambda data: own_cases(data, self.tree_path))


def split_arguments(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Options with their values, and the other words, which are files or patterns."""
    options, names, takes = [], [], False
    for word in words:
        if word.startswith("-") or takes:
            options.append(word)
            takes = not takes and word in _HAS_VALUE
        else:
            names.append(word)
    return tuple(options), tuple(names)


RUNNERS: dict[str, type[JavaScriptRunner]] = {
    "vitest": Vitest,
    "jest": Jest,
    "mocha": Mocha,
    "node:test": NodeTest,
}


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """How a script of package.json starts a runner."""

    runner: str
    arguments: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()


def script_calls(script: str, scripts: Mapping[str, Json] | None = None) -> list[ScriptCall]:
    """The runners that a script starts, in order; a part with shell operators keeps its runner's name alone.

    `scripts`: those of the package, by name; `npm run NAME` in a script stands for that one, with its words.
    """
    found: list[ScriptCall] = []
    others = dict(scripts or {})
    for part in re.split(r"&&|\|\||;", script):
        plain = not _OPERATORS.search(part.replace("node_modules/.bin/", ""))
        try:
            words = shlex.split(part)
        except ValueError:
            words, plain = part.split(), False
        if named := _named_script(words):
            inner = others.pop(named, None)  # one that names itself is followed once
            found += script_calls(inner, others) if isinstance(inner, str) else []
        elif call := _call(words):
            found.append(call if plain else ScriptCall(call.runner))
    return found


def _named_script(words: Sequence[str]) -> str | None:
    """The script of the package that a command runs."""
    plain = [word for word in words if word not in _WRAPPERS and not word.startswith("-")]
    if len(plain) > 1 and plain[0] in _MANAGERS:
        if plain[1] in ("run", "run-script"):
            return plain[2] if len(plain) > 2 else None
        return plain[1] if plain[1] == "test" or plain[0] != "npm" else None
    return None


def _call(words: list[str]) -> ScriptCall | None:
    env: list[tuple[str, str]] = []
    while words:
        if match := _ASSIGNMENT.fullmatch(words[0]):
            env.append((match[1], match[2]))
        elif words[0] not in _WRAPPERS:
            break
        words = words[1:]
        if words and words[0].startswith("-"):  # the options of what measures coverage
            known = (n for n, word in enumerate(words) if posixpath.basename(word) in _PROGRAMS)
            words = words[next(known, len(words)) :]
    if not words:
        return None
    program, rest = posixpath.basename(words[0]), words[1:]
    if program == "node":
        if "--test" in rest:
            return ScriptCall("node:test", _kept(rest, "node:test"), tuple(env))
        for i, word in enumerate(rest):  # node --experimental-vm-modules node_modules/.bin/jest
            name = posixpath.basename(word).removesuffix(".js").removesuffix(".mjs")
            if name in ("jest", "mocha", "vitest") and not word.startswith("-"):
                options = " ".join(rest[:i])
                extra = [("NODE_OPTIONS", options)] if options else []
                return ScriptCall(name, _kept(rest[i + 1 :], name), tuple(env + extra))
        return None
    if program == "borp":
        return ScriptCall("node:test", (), tuple(env))
    if program in ("jest", "mocha", "vitest"):
        given = [word for word in rest if program != "vitest" or word != "run"]
        return ScriptCall(program, _kept(given, program), tuple(env))
    return None


def _kept(words: Sequence[str], runner: str) -> tuple[str, ...]:
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if runner == "mocha" and word.partition("=")[0] in _INTERFACE:
            kept.append(f"--ui={word.partition('=')[2] or next(rest, 'bdd')}")
        elif not _NOT_TAKEN.fullmatch(word):
            kept.append(word)
        elif word in _TAKES_VALUE:
            next(rest, None)
    return tuple(kept)
