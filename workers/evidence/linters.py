"""The linters that a project has configured and this machine has installed, over two trees, and what is new at the later.

Ruff, bandit and clippy also run without a configuration, by rules that mean bugs: a stranger's style is no fault. A
finding is new when its rule, path (through renames) and line, however often the line is there, are at head and not at base.
"""

from __future__ import annotations

import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.evidence import CRITICAL, LOW, Finding
from orchestrator.domain.inert import one_line
from orchestrator.domain.secrets import mask
from orchestrator.store import files
from workers.evidence.changed_files import Changes, split_lines
from workers.evidence.execution import Execute, why_ended
from workers.evidence.lint_reports import Hit, LintReport, read_lint_report

CHECK = "lint"
_AT_ONCE = 200  # files that one program gets
_LARGEST_BYTES = 10_000_000
_BUGS = "F,E9,B"  # of ruff, without those of B that are a matter of taste
_TASTE = "B005,B007,B008,B010,B009,B011,B017,B018,B020,B024,B026,B027,B028,B904,B905,B909,F403,F405"
_EXPORTS = ("--per-file-ignores", "__init__.py:F401")  # what a package imports is what it offers
_SCRIPT = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte")


@dataclass(frozen=True, slots=True)
class Linter:
    """One linter as it is run here."""

    name: str  # one of `lint_reports.READERS`
    argv: tuple[str, ...]
    suffixes: tuple[str, ...] = ()  # of the files that it gets; none: it looks at the whole tree
    codes: frozenset[int] = frozenset({0})  # exit codes of a run that ended well

    def takes(self, path: str) -> bool:
        return path.endswith(self.suffixes)

    def takes_some(self, paths: Sequence[str]) -> bool:
        """Whether there is anything for it to look at in a change of these files."""
        return bool(paths) and (not self.suffixes or any(map(self.takes, paths)))


def find_linters(tree: Path, environ: Mapping[str, str]) -> list[Linter]:
    """The linters to run: installed on the PATH of `environ`, and configured at the top of the tree."""

    def has(*patterns: str) -> str:
        return next((found.name for pattern in patterns for found in sorted(tree.glob(pattern))), "")

    def program(name: str) -> str | None:
        return shutil.which(name, path=environ.get("PATH", ""))

    tools = _tools(tree)
    words: tuple[str, ...]
    rules: tuple[str, ...]
    found: list[Linter] = []
    if ruff := program("ruff"):
        own = "ruff" in tools or has("ruff.toml", ".ruff.toml")
        rules = () if own else ("--isolated", "--select", _BUGS, "--ignore", _TASTE, *_EXPORTS)
        words = (
            "check",
            "--output-format",
            "json",
            "--no-cache",
            "--no-fix",
            "--exit-zero",
            "--quiet",
            "--force-exclude",
        )
        found.append(Linter("ruff", (ruff, *words, *rules, "--"), (".py", ".pyi")))
    if bandit := program("bandit"):
        config = "pyproject.toml" if "bandit" in tools else has("bandit.yaml", "bandit.yml")
        rules = ("-c", config) if config else () if has(".bandit") else ("-lll",)
        found.append(Linter("bandit", (bandit, "-f", "json", "-q", "--exit-zero", *rules), (".py",)))
    if (semgrep := program("semgrep")) and (config := has(".semgrep.yml", ".semgrep.yaml", ".semgrep")):
        words = (
            "scan",
            "--json",
            "--quiet",
            "--metrics",
            "off",
            "--disable-version-check",
            "--config",
            config,
            "--",
        )
        found.append(Linter("semgrep", (semgrep, *words), ("",)))
    own_eslint = tree / "node_modules" / ".bin" / "eslint"
    eslint = str(own_eslint) if own_eslint.exists() else program("eslint")
    if eslint and ("eslintConfig" in tools or has("eslint.config.*", ".eslintrc*")):
        words = ("-f", "json", "--no-error-on-unmatched-pattern", "--")
        found.append(Linter("eslint", (eslint, *words), _SCRIPT, frozenset({0, 1})))
    if (cargo := program("cargo")) and program("cargo-clippy") and has("Cargo.toml"):
        words = ("clippy", "--offline", "--quiet", "--message-format", "json", "--all-targets")
        is_own = has("clippy.toml", ".clippy.toml") or any(
            "[lints" in line for line in _read(tree, "Cargo.toml")
        )
        rules = (
            ()
            if is_own
            else ("--", "-A", "clippy::all", "-W", "clippy::correctness", "-W", "clippy::suspicious")
        )
        found.append(Linter("clippy", (cargo, *words, *rules), (), frozenset({0, 101})))
    if (golangci := program("golangci-lint")) and (
        config := has(".golangci.yml", ".golangci.yaml", ".golangci.toml")
    ):
        is_second = re.search(r"(?m)^version[\"']?\s*[:=]\s*[\"']?2", "\n".join(_read(tree, config)))
        words = ("--output.json.path", "stdout") if is_second else ("--out-format", "json")
        found.append(Linter("golangci-lint", (golangci, "run", *words), (), frozenset({0, 1})))
    if (gitleaks := program("gitleaks")) and has(".gitleaks.toml"):
        words = (
            "dir",
            ".",
            "--report-format",
            "json",
            "--report-path",
            "-",
            "--no-banner",
            "--redact",
            "--exit-code",
            "0",
        )
        found.append(Linter("gitleaks", (gitleaks, *words)))
    return found


def _tools(tree: Path) -> frozenset[str]:
    """The linters that pyproject.toml and package.json have a section for."""
    try:
        tools = tomllib.loads("\n".join(_read(tree, "pyproject.toml"))).get("tool", {})
    except (ValueError, RecursionError):
        tools = {}
    found = set(tools) if isinstance(tools, dict) else set()
    if any('"eslintConfig"' in line for line in _read(tree, "package.json")):
        found.add("eslintConfig")
    return frozenset(found)


def lint(
    linter: Linter, execute: Execute, tree: Path, paths: Sequence[str], environ: Mapping[str, str]
) -> LintReport:
    """What the linter says of these files of a tree, or of the whole tree where it takes no files."""
    if not linter.suffixes:
        return _lint_once(linter, [], execute, tree, environ)
    given = [f"./{path}" for path in paths if linter.takes(path) and (tree / path).is_file()]
    hits: list[Hit] = []
    for at in range(0, len(given), _AT_ONCE):
        part = _lint_once(linter, given[at : at + _AT_ONCE], execute, tree, environ)
        if part.fault:
            return part
        hits += part.hits
    return LintReport(hits)


def _lint_once(
    linter: Linter, given: Sequence[str], execute: Execute, tree: Path, environ: Mapping[str, str]
) -> LintReport:
    done = execute([*linter.argv, *given], tree, environ)
    if done.exit not in linter.codes:
        why = one_line(mask(done.err.strip()[-300:])) or why_ended(done.ended_by)
        return LintReport(fault=f"{linter.name} ended with {done.exit}: {why}")
    return read_lint_report(linter.name, done.out, str(tree))


def lint_changes(
    changes: Changes,
    execute: Execute,
    put_base: Callable[[], Path],
    tree: Path,
    environ: Mapping[str, str],
) -> list[Finding]:
    """Findings that are new in `tree`, a folder with the candidate's files, against the base.

    `put_base`: gives a folder with the base's files, which may be the same: nothing is read of the candidate after it. It is
    not asked for where nothing is found in the candidate.
    A linter that cannot be run on the candidate, or on the base where it has to be, is a low finding with the reason. A
    critical one blocks.
    """
    found: list[Finding] = []
    now = [file.path for file in changes.files if not file.is_deleted and not file.is_link]
    before = [file.path_before for file in changes.files if not file.is_new and file.mode_before != "120000"]
    heads = [(linter, lint(linter, execute, tree, now, environ)) for linter in find_linters(tree, environ)]
    lines = _lines_below(tree)
    for hit in (hit for _, head in heads for hit in head.hits):
        lines(hit.path)
    base = put_base() if any(head.hits for _, head in heads) else None
    for linter, head in heads:
        old = LintReport() if base is None or not head.hits else lint(linter, execute, base, before, environ)
        if fault := head.fault or old.fault:
            text = f"{linter.name} could not compare the trees: {fault}"
            found.append(Finding(CHECK, LOW, f"{linter.name}:fault", text))
        elif base is not None:
            found += new_findings(old, head, changes.renames, _lines_below(base), lines)
    return found


Lines = Callable[[str], Sequence[str]]


def new_findings(
    base: LintReport, head: LintReport, renames: Mapping[str, str], lines_base: Lines, lines_head: Lines
) -> list[Finding]:
    """The hits at head that base does not have; `renames`: path at base -> path at head."""
    known = Counter(_key(hit, renames.get(hit.path, hit.path), lines_base) for hit in base.hits)
    found = []
    for hit in sorted(head.hits, key=lambda hit: (hit.path, hit.line)):
        key = _key(hit, hit.path, lines_head)
        if known[key] > 0:
            known[key] -= 1
            continue
        quote = one_line(mask(_line(hit, lines_head).strip()), 200)
        blocks = hit.severity == CRITICAL
        found.append(
            Finding(CHECK, hit.severity, hit.rule, hit.text, hit.path, hit.line, quote, blocks=blocks)
        )
    return found


def _key(hit: Hit, path: str, lines: Lines) -> tuple[str, str, str]:
    return hit.rule, path, " ".join(_line(hit, lines).split()) or hit.text


def _line(hit: Hit, lines: Lines) -> str:
    all_lines = lines(hit.path)
    return all_lines[hit.line - 1] if 0 < hit.line <= len(all_lines) else ""


def _lines_below(tree: Path) -> Lines:
    """Reads lines of files below a folder, never through a link; none where a path is no file there."""
    known: dict[str, Sequence[str]] = {}

    def lines(path: str) -> Sequence[str]:
        if path not in known:
            known[path] = list(_read(tree, path))
        return known[path]

    return lines


def _read(tree: Path, path: str) -> Iterator[str]:
    try:
        body = files.read(tree, path, _LARGEST_BYTES)
    except (files.UnsafePath, OSError):
        return
    yield from split_lines((body or b"").decode("utf-8-sig", "replace"))
