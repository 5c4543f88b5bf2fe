"""What is found out about a merge of two changes that touch no common path.

Each of its files is as one of the two sides left it, and each side was judged against what both began with: its files, its
tests, and whether they see the change. New is only how the two work together. So the tests that either side can affect are
run over the merge, and whatever passed at the head has to pass; the others are as they were at the head, which differs
from the merge in nothing that they can reach. Where that cannot be told, where all tests are quick, and where no tester comes
after the merge, all are run.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from orchestrator.domain.dataclass import replace
from workers.evidence.affected import affected_tests
from workers.evidence.candidate_evidence import CandidateEvidence, Tested
from workers.evidence.judgement import Judged
from workers.evidence.set_logic import compare, findings_of
from workers.evidence.suites import Suite
from workers.git.candidates import Candidate, changes_between
from workers.git.session_work import Integration

QUICK_SECONDS = 1.0  # tests that take no longer are all run: choosing would save nothing


def judge_merge(
    evidence: CandidateEvidence, own: Candidate, judged: Judged, onto: Integration, *, whole: bool
) -> Judged | None:
    """What was found of the candidate `own`, with what its merge adds; None: the merge has to be judged as a whole.

    `whole`: all tests are run over the merge, as nobody runs them after it.

    That is so where both sides changed a path, and where the tests of the head or of the merge tell nothing (of a head with
    more projects than are tested no row tells what all of them do). Raises
    LeaseLost, RunReleased, GitError.
    """
    bench, private = evidence.bench, evidence.work.private
    changed = _changed(evidence, own, onto)
    base = bench.known_baseline(private.tree_of(onto.seen))
    if changed is None or judged.unverified or base is None or not base.is_known or base.run is None:
        return None
    now, chosen = _tested(evidence, base, onto.tree, changed, whole=whole)
    if not now.is_known or now.run is None:
        return None
    ours = [os.fsdecode(change.path) for change in own.changes]
    may_go = [path for path in ours if evidence.declared.reason_to_change(path) is not None]
    compared = compare(base.run, now.run, may_go=may_go)
    if compared.missing:
        return None  # or their names change by themselves
    findings = findings_of(compared, now.run)
    told = Tested(base, now, compared, None, None).summary()
    bites = None if judged.tests is None else judged.tests["bites"]
    return replace(
        judged,
        findings=(*judged.findings, *findings),
        tests={**told, "bites": bites, "chosen": chosen},
        links=tuple(link._replace(check_id=now.check) if link.verified else link for link in judged.links),
    )


def prepare_merge(
    evidence: CandidateEvidence, own: Candidate, judged: Judged, onto: Integration, *, whole: bool
) -> None:
    """Run the tests of a merge that may come to be; `judge_merge` finds what they came to by the merge's tree.

    The head is none yet, so how long all tests take is told by the candidate's base. Raises as `judge_merge`.
    """
    changed = _changed(evidence, own, onto)
    base = evidence.bench.known_baseline(evidence.work.private.tree_of(own.base))
    if changed is None or judged.unverified or base is None or base.run is None:
        return
    _run(evidence, base.run.seconds, onto.tree, changed, whole=whole)


def _changed(evidence: CandidateEvidence, own: Candidate, onto: Integration) -> list[str] | None:
    """What both sides changed since the candidate's base; None where they share a path."""
    theirs = {change.path for change in changes_between(evidence.work.private.git, own.base, onto.seen)}
    ours = {change.path for change in own.changes}
    return None if ours & theirs else [os.fsdecode(path) for path in sorted(ours | theirs)]


def _tested(
    evidence: CandidateEvidence, base: Suite, tree: str, changed: Sequence[str], *, whole: bool
) -> tuple[Suite, list[str] | None]:
    """What all tests of the merge come to, and the files of those that were run; None: all of them."""
    assert base.run is not None
    found, files = _run(evidence, base.run.seconds, tree, changed, whole=whole)
    if files is None:
        return found, None
    return evidence.bench.put_together(tree, base, found, files), list(files)


def _run(
    evidence: CandidateEvidence, seconds: float, tree: str, changed: Sequence[str], *, whole: bool
) -> tuple[Suite, Sequence[str] | None]:
    """The tests of the merge that have to be run, and their files; None: all tests, which take so many seconds."""
    bench = evidence.bench
    if whole or seconds <= QUICK_SECONDS or bench.known_suite(tree) is not None:
        return bench.suite(tree), None
    runners = bench.runners(tree, changed).runners
    affected = affected_tests(bench.verify.put(tree), changed, runners)
    if affected.everything or not affected.files:
        return bench.suite(tree), None
    chosen = bench.suite(tree, affected.files)
    return (chosen, affected.files) if chosen.is_known else (bench.suite(tree), None)
