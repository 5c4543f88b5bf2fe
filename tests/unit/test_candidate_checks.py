"""Each way to cheat is caught by the check that is named beside it; honest work that looks like it is let through."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from orchestrator.domain.evidence import Finding
from tests.cheats import CHEATS, EDITS, HONEST, SOURCE
from tests.git_world import git, plain, repository, write
from tests.two_trees import two_trees
from workers.evidence.candidate_checks import Subject, check_candidate
from workers.evidence.declared import Declared
from workers.git.private_store import PrivateStore


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> PrivateStore:
    """All the trees of the two tables."""
    pairs = {_ref(name): (case[0], case[1]) for name, case in (CHEATS | HONEST).items()}  # type: ignore[operator]
    return two_trees(tmp_path_factory.mktemp("pairs"), pairs)


def _ref(name: str) -> str:
    return name.replace(" ", "-")


def check(store: PrivateStore, name: str, declared: Declared | None = None) -> list[Finding]:
    ref = _ref(name)
    return check_candidate(Subject(store, f"base/{ref}", f"tree/{ref}", declared=declared or Declared()))


def rules(found: Sequence[Finding], *, blocking: bool = True) -> set[str]:
    return {finding.rule for finding in found if finding.blocks or not blocking}


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_is_caught_and_blocks(store: PrivateStore, name: str) -> None:
    found = check(store, name)

    assert CHEATS[name][2] in rules(found), found
    assert all(finding.severity == "critical" for finding in found if finding.blocks)


@pytest.mark.parametrize("name", HONEST)
def test_honest_work_that_looks_like_a_cheat_is_not_blocked(store: PrivateStore, name: str) -> None:
    assert rules(check(store, name)) == set()


def test_an_edit_of_source_is_no_edit_of_the_tests_in_its_file(store: PrivateStore) -> None:
    assert check(store, "changes Rust source beside its tests") == []


@pytest.mark.parametrize("name", ["removes an assertion", "skips a test", "removes a test"])
def test_a_declared_reason_lets_a_test_prove_less_and_is_quoted(store: PrivateStore, name: str) -> None:
    declared = Declared(tests_may_change={"tests/test_app.py": "REQ-004 was withdrawn"})

    found = check(store, name, declared)

    assert rules(found) == set()
    assert any("REQ-004 was withdrawn" in finding.text for finding in found)


@pytest.mark.parametrize("name", ["removes an assertion", "skips a test", "deselects in a hook"])
def test_a_declaration_without_a_reason_allows_an_edit_and_nothing_more(
    store: PrivateStore, name: str
) -> None:
    declared = Declared(tests_may_change={"tests/": " "})

    found = check(store, name, declared)

    assert rules(found)
    assert not rules(found, blocking=False) & {"test_edited", "test_helper_edited"}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("changes an expected value", "== 4", "== 5"),
        ("changes an expected value in JavaScript", "toBe(4)", "toBe(5)"),
    ],
)
def test_an_edit_of_a_test_says_what_it_asserts_no_longer(
    edits: PrivateStore, name: str, before: str, after: str
) -> None:
    (found,) = (each for each in check(edits, name) if each.rule == "test_edited")

    lost, _, instead = found.text.partition("no longer: ")[2].partition("; instead: ")
    assert before in lost and after in instead


def test_no_declaration_allows_an_outcome_to_be_falsified(store: PrivateStore) -> None:
    declared = Declared(files=frozenset({"tests/"}), tests_may_change={"tests/": "because"})

    assert "outcome_falsified" in rules(check(store, "sets the exit status", declared))


def test_a_declared_dependency_may_be_added(store: PrivateStore) -> None:
    declared = Declared(new_dependencies=frozenset({"Left_Pad>=1"}))

    assert rules(check(store, "adds a dependency", declared)) == set()


@pytest.fixture(scope="module")
def edits(tmp_path_factory: pytest.TempPathFactory) -> PrivateStore:
    pairs = {_ref(name): (case[0], case[1]) for name, case in EDITS.items()}
    return two_trees(tmp_path_factory.mktemp("edits"), pairs)


@pytest.mark.parametrize("name", EDITS)
def test_an_undeclared_edit_of_what_steers_tests_is_high_and_a_declared_one_is_nothing(
    edits: PrivateStore, name: str
) -> None:
    path = next(iter(EDITS[name][1]))
    declared = Declared(files=frozenset({path}), tests_may_change={path: ""})

    found = {finding.rule: finding.severity for finding in check(edits, name)}

    expected = "critical" if EDITS[name][2] in ("git_config", "hook", "ci_config") else "high"
    assert found.get(EDITS[name][2]) == expected, found
    assert EDITS[name][2] not in rules(check(edits, name, declared), blocking=False)


def test_what_a_snapshot_flags_blocks_unless_it_can_be_declared(tmp_path: Path) -> None:
    tree = plain(tmp_path, repository(tmp_path / "project", {"app.py": SOURCE}))
    write(
        tree.work,
        {"big.bin": b"\1" * 10_000_001, "aux.txt": "1\n", "App.py": SOURCE, "deep/inner.txt": "1\n"},
    )
    (tree.work / "out").symlink_to("/etc/passwd")
    os.mkfifo(tree.work / "pipe")
    git(tree.work / "deep", "init", "-q")
    candidate = tree.candidate()
    declared = Declared(files=frozenset({"big.bin", "out"}))

    found = check_candidate(Subject(tree.store, candidate.base, candidate.tree, candidate.flags))
    allowed = check_candidate(Subject(tree.store, candidate.base, candidate.tree, candidate.flags, declared))

    assert rules(found) >= {"large", "name", "twin", "link", "special"}
    assert "nested" in rules(found, blocking=False) - rules(found)
    assert "large" not in rules(allowed) and "link" in rules(allowed)


def test_a_task_stays_in_its_part_of_the_project(tmp_path: Path) -> None:
    store = two_trees(
        tmp_path, {"x": ({"api/a.py": "a = 1\n"}, {"api/a.py": "a = 2\n", "web/b.js": "let b\n"})}
    )
    declared = Declared(forbidden=frozenset({"api/"}))

    found = check(store, "x", declared)

    assert [(finding.rule, finding.path) for finding in found if finding.blocks] == [
        ("forbidden", "api/a.py")
    ]


def test_a_secret_is_never_quoted(store: PrivateStore) -> None:
    for name in ("adds a token", "adds a password in an address", "adds a key in a binary file"):
        told = str([finding.as_json() for finding in check(store, name)])

        assert "a1B2a1B2" not in told and "hT7qpz1" not in told and "ABCD1234" not in told
        assert "[masked]" in told


def test_a_secret_of_this_machine_is_found_whatever_its_form(tmp_path: Path) -> None:
    store = two_trees(tmp_path, {"x": ({}, {"notes.md": "the word is open sesame\n"})})
    subject = Subject(store, "base/x", "tree/x", secrets=frozenset({"open sesame"}))

    assert rules(check_candidate(subject)) == {"secret:known"}
    assert rules(check(store, "x")) == set()


def test_names_with_control_characters_are_escaped_in_findings(tmp_path: Path) -> None:
    tree = plain(tmp_path, repository(tmp_path / "project", {"app.py": SOURCE}))
    write(tree.work, {"a\x1b[31m\nb.py": "def (:\n"})
    candidate = tree.candidate()

    found = check_candidate(Subject(tree.store, candidate.base, candidate.tree, candidate.flags))

    assert rules(found) >= {"name", "syntax"}
    assert all(finding.path == "a\\x1b[31m\\nb.py" for finding in found)
