"""What the checks of candidates say of a change that people made: nobody had to declare it, and most of it is no cheat.

The checks are written for agents, which gain by weaker tests. A person who edits tests, steers linters or adds a
dependency does so on purpose: it is said, and only what weakens the tests counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from orchestrator.domain.dataclass import replace
from orchestrator.domain.evidence import CRITICAL, HIGH, LOW, MEDIUM, SEVERITIES, Finding
from orchestrator.domain.inert import one_line
from orchestrator.domain.patterns import expression
from workers.evidence.changed_files import Changes
from workers.evidence.path_kinds import is_manifest, is_test_path

_NOTHING = frozenset(
    {"undeclared_lock", "test_edited", "test_helper_edited", "test_data_edited", "snapshot_edited"}
)
_HOOKS = (".pre-commit-config.yaml", ".pre-commit-config.yml")  # most of its changes are newer versions
_AT_MOST = {
    "undeclared_dependency": MEDIUM,
    "changed_dependency": LOW,
    "nested": LOW,
    "hook": MEDIUM,
    "process_end": LOW,  # of `tampering`: what product code does for reasons of its own
    "runner_import": LOW,
    "test_probe": MEDIUM,
    "runner_patched": MEDIUM,
    "runner_shadowed": MEDIUM,
    "always_equal": LOW,
    "compiled_code": MEDIUM,
    "test_reads_source": LOW,
}
_UNDECLARED = expression(
    r", (?:which the task did not declare|and the (?:plan did not declare it|task declared no new dependency))"
)
_DATA = expression(r"\.(?:jsonl?|toml|ya?ml)$")


def of_person(findings: Iterable[Finding], changes: Changes) -> list[Finding]:
    """The findings as they count for a change of the user's own; some are nothing there."""
    kept = [
        each
        for each in findings
        if each.rule not in _NOTHING and not _only_moved(each, changes) and not _is_sample(each)
    ]
    steering = [each for each in kept if each.rule.endswith("_config") or each.path in _HOOKS]
    others = [_lowered(each) for each in kept if each not in steering]
    if not steering:
        return others
    names = ", ".join(dict.fromkeys(each.path for each in steering))
    text = f"what steers tests, linters, CI or agents is changed: {one_line(names, 500)}"
    return [*others, Finding("paths", LOW, "steering_files", text)]


def _is_sample(finding: Finding) -> bool:
    """Data of tests that cannot be read: it is broken on purpose, or of a newer version than we know."""
    return finding.check == "compile" and is_test_path(finding.path) and bool(_DATA.search(finding.path))


def _only_moved(finding: Finding, changes: Changes) -> bool:
    """Whether a dependency was named by another manifest before."""
    if finding.rule != "undeclared_dependency":
        return False
    name = finding.text.partition(" adds the dependency ")[2].partition(",")[0]
    lines = (line for file in changes.files if is_manifest(file.path_before) for line in file.lines_before)
    return any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", _plain(line)) for line in lines)


def _plain(line: str) -> str:
    """The line with names spelt as package indexes compare them."""
    return re.sub(r"[-_.]+", "-", line.lower())


def _lowered(finding: Finding) -> Finding:
    most = _most(finding)
    text = _UNDECLARED.sub("", finding.text)
    fix = "" if text != finding.text else finding.fix
    if SEVERITIES.index(finding.severity) >= SEVERITIES.index(most):
        return replace(finding, text=text, fix=fix)
    return replace(finding, text=text, fix=fix, severity=most, blocks=False)


def _most(finding: Finding) -> str:
    """The worst that the finding can be in a person's change."""
    in_tests = is_test_path(finding.path)
    if finding.rule in _AT_MOST:
        return _AT_MOST[finding.rule]
    if finding.check == "tests_edited":
        return HIGH
    if finding.check == "secrets" and in_tests:
        return HIGH  # most are made up for the test, and some are not
    return CRITICAL
