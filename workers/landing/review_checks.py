"""What rules and installed programs find in everything that a review is of."""

from __future__ import annotations

import shutil

from orchestrator.domain import secrets
from orchestrator.domain.evidence import Finding
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.evidence.candidate_checks import Checkouts, Subject, check_candidate, review_candidate
from workers.evidence.candidate_evidence import CandidateEvidence
from workers.evidence.declared import Declared
from workers.git.session_work import SessionWork

SECRETS, CREDENTIAL = (
    "secrets",
    "credential",
)  # a check, and the rule of a review that finds the same in other ways
# Checks of files are done by these; where none is installed, no tree is checked out.
PROGRAMS = ("ruff", "bandit", "semgrep", "eslint", "cargo-clippy", "golangci-lint", "gitleaks", "node")


def check_reviewed(
    context: RunContext, calls: AgentCalls, work: SessionWork, base: str, head: str, declared: Declared
) -> list[Finding]:
    """The findings of rules, compilers and linters that are new since the base. Raises LeaseLost, TreeError, GitError."""
    subject = Subject(work.private, base, head, declared=declared, secrets=secrets.known(calls.environ))
    found = check_candidate(subject, _checkouts(context, calls, work, base, head))
    secret = {(each.path, each.line) for each in found if each.check == SECRETS}
    rules = [
        each
        for each in review_candidate(subject)
        if each.rule != CREDENTIAL or (each.path, each.line) not in secret
    ]
    return [*found, *rules]


def _checkouts(
    context: RunContext, calls: AgentCalls, work: SessionWork, base: str, head: str
) -> Checkouts | None:
    """Both trees in one folder after the other, for programs; None where there is no program."""
    path = calls.environ.get("PATH", "")
    if not any(shutil.which(name, path=path) for name in PROGRAMS):
        return None
    checkout = work.open_some_tree(context.row).checkout
    bench = CandidateEvidence.of(context, calls, work, checkout, Declared()).bench
    files, before = bench.put(work.private.tree_of(head)), work.private.tree_of(base)
    return Checkouts(bench.execute, files, lambda: bench.put(before), bench.environment())
