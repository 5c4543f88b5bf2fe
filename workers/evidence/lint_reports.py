"""What linters print, as values: a report that cannot be understood is a fault and never an exception."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Iterator

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.evidence import CRITICAL, HIGH, LOW, MEDIUM
from orchestrator.domain.inert import inert, one_line
from orchestrator.domain.json_types import Json

LARGEST_REPORT = 50_000_000  # characters
MOST_HITS = 50_000


@dataclass(frozen=True, slots=True)
class Hit:
    """One complaint of a linter about one place."""

    rule: str  # with the linter's name: "ruff:F401"
    path: str  # relative to the tree
    line: int  # from 1; 0: the whole file
    text: str
    severity: str = MEDIUM


@dataclass(frozen=True, slots=True)
class LintReport:
    """What one linter found in one tree."""

    hits: list[Hit] = field(default_factory=list)
    fault: str = ""  # why the report is not believed


Reader = Callable[[str], Iterator[Hit]]


def read_lint_report(linter: str, out: str, tree: str = "") -> LintReport:
    """The hits in the output of one of `READERS`; `tree`: the folder that absolute paths are cut by."""
    if len(out) > LARGEST_REPORT:
        return LintReport(fault=f"the report of {linter} has more than {LARGEST_REPORT // 1_000_000} MB")
    hits: list[Hit] = []
    try:
        for hit in READERS[linter](out):
            hits.append(
                Hit(
                    f"{linter}:{one_line(hit.rule, 100)}",
                    _path(hit.path, tree),
                    hit.line,
                    one_line(hit.text, 400),
                    hit.severity,
                )
            )
            if len(hits) > MOST_HITS:
                return LintReport(hits, f"{linter} printed more than {MOST_HITS} findings")
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as error:
        return LintReport(
            fault=one_line(f"the report of {linter} cannot be read: {type(error).__name__} {error}", 300)
        )
    return LintReport(list(dict.fromkeys(hits)))  # clippy tells each once a target


def _path(path: str, tree: str) -> str:
    top = tree.rstrip("/") + "/"
    return posixpath.normpath(inert(path.removeprefix(top) if tree else path))


def _number(value: Json) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _ruff(out: str) -> Iterator[Hit]:
    for each in json.loads(out):
        code = each["code"] or "syntax"  # no code: a fault of syntax
        severity = HIGH if str(code).startswith(("F82", "F7", "E9", "syntax", "invalid-syntax")) else MEDIUM
        yield Hit(
            str(code), str(each["filename"]), _number(each["location"]["row"]), str(each["message"]), severity
        )


def _bandit(out: str) -> Iterator[Hit]:
    levels = {"HIGH": HIGH, "MEDIUM": MEDIUM}
    for each in json.loads(out[max(out.find("{"), 0) :])["results"]:
        severity = levels.get(str(each["issue_severity"]).upper(), LOW)
        yield Hit(
            str(each["test_id"]),
            str(each["filename"]),
            _number(each["line_number"]),
            str(each["issue_text"]),
            severity,
        )


def _semgrep(out: str) -> Iterator[Hit]:
    levels = {"ERROR": HIGH, "WARNING": MEDIUM, "CRITICAL": CRITICAL, "HIGH": HIGH, "MEDIUM": MEDIUM}
    for each in json.loads(out)["results"]:
        extra = each["extra"]
        severity = levels.get(str(extra.get("severity")).upper(), LOW)
        yield Hit(
            str(each["check_id"]),
            str(each["path"]),
            _number(each["start"]["line"]),
            str(extra["message"]),
            severity,
        )


def _eslint(out: str) -> Iterator[Hit]:
    for file in json.loads(out):
        for each in file["messages"]:
            rule = each.get("ruleId") or ("syntax" if each.get("fatal") else "none")
            severity = HIGH if each.get("fatal") else MEDIUM if each.get("severity") == 2 else LOW
            yield Hit(
                str(rule), str(file["filePath"]), _number(each.get("line")), str(each["message"]), severity
            )


def _clippy(out: str) -> Iterator[Hit]:
    levels = {"error": HIGH, "warning": MEDIUM}
    for line in out.splitlines():
        if not line.startswith("{"):
            continue
        record = json.loads(line)
        if record.get("reason") != "compiler-message":
            continue
        message = record["message"]
        span = next((each for each in message["spans"] if each["is_primary"]), None)
        if span is None or message["level"] not in levels:
            continue
        code = str((message.get("code") or {}).get("code") or message["level"]).removeprefix("clippy::")
        yield Hit(
            str(code),
            str(span["file_name"]),
            _number(span["line_start"]),
            str(message["message"]),
            levels[message["level"]],
        )


def _golangci(out: str) -> Iterator[Hit]:
    for each in json.loads(out[max(out.find("{"), 0) :].split("\n", 1)[0])["Issues"] or ():
        place = each["Pos"]
        severity = HIGH if each["FromLinter"] in ("typecheck", "gosec", "govet", "staticcheck") else MEDIUM
        yield Hit(
            str(each["FromLinter"]),
            str(place["Filename"]),
            _number(place["Line"]),
            str(each["Text"]),
            severity,
        )


def _gitleaks(out: str) -> Iterator[Hit]:
    for each in json.loads(out or "[]") or ():  # it prints the secret in other fields, which are not taken
        yield Hit(
            str(each["RuleID"]),
            str(each["File"]),
            _number(each["StartLine"]),
            str(each["Description"]),
            CRITICAL,
        )


READERS: dict[str, Reader] = {
    "ruff": _ruff,
    "bandit": _bandit,
    "semgrep": _semgrep,
    "eslint": _eslint,
    "clippy": _clippy,
    "golangci-lint": _golangci,
    "gitleaks": _gitleaks,
}
