"""What the checks of agents' candidates mean in a change of the user's own."""

from __future__ import annotations

import pytest

from orchestrator.domain.evidence import CRITICAL, HIGH, LOW, MEDIUM, Finding
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.people_changes import of_person


@pytest.mark.parametrize(
    ("check", "rule", "path", "severity"),
    [
        ("tests_edited", "test_edited", "tests/test_a.py", None),
        ("dependencies", "undeclared_lock", "uv.lock", None),
        ("dependencies", "undeclared_dependency", "pyproject.toml", MEDIUM),
        ("tests_edited", "assertions_fewer", "tests/test_a.py", HIGH),
        ("tests_edited", "test_removed", "tests/test_a.py", HIGH),
        ("tampering", "test_probe", "app.py", MEDIUM),
        ("tampering", "hidden_encoding", "app.py", CRITICAL),
        ("secrets", "secret:token", "app.py", CRITICAL),
        ("secrets", "secret:token", "tests/test_a.py", HIGH),
        ("compile", "syntax", "app.py", CRITICAL),
        ("paths", "link", "outside", CRITICAL),
    ],
)
def test_only_what_is_a_fault_counts(check: str, rule: str, path: str, severity: str | None) -> None:
    found = of_person([Finding(check, CRITICAL, rule, "it is so", path, blocks=True)], Changes())

    assert [each.severity for each in found] == ([] if severity is None else [severity])
    assert all(each.blocks is (severity == CRITICAL) for each in found)


def test_files_that_steer_are_one_finding() -> None:
    found = of_person(
        [
            Finding("paths", HIGH, "ci_config", "changes CI, which the task did not declare", "ci.yml"),
            Finding("paths", HIGH, "lint_config", "changes a linter", "ruff.toml"),
        ],
        Changes(),
    )

    assert [(each.severity, each.rule) for each in found] == [(LOW, "steering_files")]
    assert "ci.yml, ruff.toml" in found[0].text


def test_a_dependency_that_moves_between_manifests_is_not_new() -> None:
    moved, new = (
        Finding(
            "dependencies",
            CRITICAL,
            "undeclared_dependency",
            f"p adds the dependency {name}, which the task did not declare",
            "p",
        )
        for name in ("typing-extensions", "left-pad")
    )
    before = ChangedFile("setup.py", "M", b"install_requires=['Typing_Extensions>=4']", b"", "setup.py")

    found = of_person([moved, new], Changes([before]))

    assert [each.text for each in found] == ["p adds the dependency left-pad"]


def test_data_of_tests_that_cannot_be_read_is_no_finding() -> None:
    broken = Finding(
        "compile", HIGH, "syntax", "tests/data/broken.json cannot be read", "tests/data/broken.json"
    )

    assert of_person([broken], Changes([])) == []
