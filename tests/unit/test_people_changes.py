"""What the checks of agents' candidates mean in a change of the user's own."""

from __future__ import annotations

import pytest

from orchestrator.domain.evidence import CRITICAL, HIGH, LOW, MEDIUM, Finding
from workers.evidence.people_changes import of_person


@pytest.mark.parametrize(
    ("check", "rule", "path", "severity"),
    [
        ("tests_edited", "test_edited", "tests/test_a.py", None),
        ("dependencies", "undeclared_lock", "uv.lock", None),
        ("dependencies", "undeclared_dependency", "pyproject.toml", MEDIUM),
        ("paths", "ci_config", ".github/workflows/x.yml", LOW),
        ("tests_edited", "assertions_fewer", "tests/test_a.py", HIGH),
        ("tests_edited", "test_removed", "tests/test_a.py", HIGH),
        ("tampering", "test_probe", "app.py", MEDIUM),
        ("tampering", "hidden_encoding", "app.py", CRITICAL),
        ("secrets", "secret:token", "app.py", CRITICAL),
        ("secrets", "secret:token", "tests/test_a.py", HIGH),
        ("compile", "syntax", "app.py", CRITICAL),
        ("compile", "syntax", "tests/data/broken.json", LOW),
        ("paths", "link", "outside", CRITICAL),
    ],
)
def test_only_what_is_a_fault_counts(check: str, rule: str, path: str, severity: str | None) -> None:
    found = of_person([Finding(check, CRITICAL, rule, "it is so", path, blocks=True)])

    assert [each.severity for each in found] == ([] if severity is None else [severity])
    assert all(each.blocks is (severity == CRITICAL) for each in found)


def test_nothing_is_made_worse_and_nobody_had_to_declare_it() -> None:
    low = Finding(
        "paths",
        LOW,
        "lint_config",
        "x changes a linter, which the task did not declare",
        "x",
        fix="declare it",
    )

    (found,) = of_person([low])

    assert (found.severity, found.text, found.fix) == (LOW, "x changes a linter", "")
