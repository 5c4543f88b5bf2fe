"""All that is checked of a candidate without running its tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.evidence import SEVERITIES, Finding
from orchestrator.domain.secrets import Known, mask
from workers.evidence.added_secrets import added_secrets
from workers.evidence.changed_files import Changes, read_changes
from workers.evidence.compiles import syntax_faults
from workers.evidence.declared import Declared
from workers.evidence.execution import Execute
from workers.evidence.forbidden import changed_dependencies, flagged, forbidden_paths
from workers.evidence.import_cycles import added_cycles
from workers.evidence.linters import lint_changes
from workers.evidence.path_kinds import is_test_path
from workers.evidence.review_rules import review_changes
from workers.evidence.set_logic import MORE
from workers.evidence.tampering import tampering
from workers.evidence.tests_of_words import tests_of_words
from workers.evidence.weakened_tests import edited_tests
from workers.git.private_store import PrivateStore
from workers.git.tree_scan import Flag

TOLD_BY_TESTS = ("tests", "bite")  # checks whose findings are what a cause in the code leads to


@dataclass(frozen=True, slots=True)
class Subject:
    """What is checked: the tree of a candidate against its base, and what its task declared."""

    store: PrivateStore
    base: str  # commit or tree
    tree: str  # commit or tree
    flags: Sequence[Flag] = ()
    declared: Declared = field(default_factory=Declared)
    is_test: Callable[[str], bool] = is_test_path  # whether the protected run takes a path from the base
    secrets: Known = frozenset()  # of this machine's environment (`orchestrator.domain.secrets.known`)


@dataclass(frozen=True, slots=True)
class Checkouts:
    """Where programs can look at the two trees, each a plain folder with just its files, and how they are started."""

    execute: Execute
    tree: Path
    put_base: Callable[[], Path] | None = None  # asked for last; None: no linters, which compare with it
    environ: Mapping[str, str] = field(
        default_factory=dict
    )  # all that the programs get; its PATH says what is installed


def changes_of(subject: Subject) -> Changes:
    """What the candidate changes. Raises GitError."""
    return read_changes(subject.store.git, subject.base, subject.tree)


def check_candidate(subject: Subject, checkouts: Checkouts | None = None) -> list[Finding]:
    """Everything found, the worst first; a candidate with a finding that `blocks` must not land.

    Without `checkouts` no program is started: syntax is checked for Python, JSON, TOML and YAML only, and no linter runs.
    Raises GitError.
    """
    changes = changes_of(subject)
    declared = subject.declared
    found = [
        *flagged(subject.flags, changes, declared),
        *forbidden_paths(changes, declared),
        *changed_dependencies(changes, declared),
        *added_secrets(changes, subject.secrets),
        *edited_tests(changes, declared),
        *tampering(changes, subject.is_test),
        *tests_of_words(changes, subject.is_test),
    ]
    if checkouts is None:
        found += syntax_faults(changes)
    else:
        execute, tree, environ = checkouts.execute, checkouts.tree, checkouts.environ
        found += syntax_faults(changes, execute, tree, environ)
        if checkouts.put_base is not None:
            found += lint_changes(changes, execute, checkouts.put_base, tree, environ)
    return worst_first(found, subject.secrets)


def review_candidate(subject: Subject) -> list[Finding]:
    """What the rules of a review find without any model, the worst first; none of it blocks landing. Raises GitError.

    `check` of each is its dimension: quality, security or architecture.
    """
    changes = changes_of(subject)
    cycles = added_cycles(subject.store.git, subject.base, subject.tree, changes)
    return worst_first([*review_changes(changes), *cycles], subject.secrets)


def worst_first(found: Sequence[Finding], secrets: Known = frozenset()) -> list[Finding]:
    """The findings by severity, path and line, each once, with credentials masked."""
    masked = dict.fromkeys(
        replace(each, quote=mask(each.quote, secrets), text=mask(each.text, secrets)) for each in found
    )
    return sorted(
        masked,
        key=lambda each: (not each.blocks, SEVERITIES.index(each.severity), each.path, each.line, each.rule),
    )


def causes_first(found: Sequence[Finding]) -> list[Finding]:
    """The findings of a review by severity, and of one severity those about code before what its tests say of it."""
    return sorted(found, key=lambda each: (SEVERITIES.index(each.severity), _consequence(each)))


def _consequence(finding: Finding) -> int:
    """0 for a cause; behind them files of tests that cannot be read, tests that fail, and the number of further ones."""
    if finding.check not in TOLD_BY_TESTS:
        return 0
    if MORE in finding.text:
        return 3
    return 2 if "::" in finding.text.partition(" ")[0] else 1
