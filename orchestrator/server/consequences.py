"""What a report of a host elsewhere may lead to: what a task of that kind can, of commits that have come here.

That tests passed, and what a review found, is what the host says. What lands has come as a bundle and was looked at
(`workers/landing/taking_in.py`), and it builds on the head.
"""

from __future__ import annotations

from orchestrator.domain.elsewhere import CODE_ROLES, QUALITY, REVIEWS_OF_CODE, WHY_HERE, needs_commits
from orchestrator.door.code_carrier import RECEIVED
from orchestrator.door.desk import Report, Run
from orchestrator.door.wire import DoorRefused
from orchestrator.store import checks, work
from orchestrator.store.store import Tx

MOST_LINKS = 20_000  # of one report


def refuse_consequences(tx: Tx, report: Report) -> None:
    """Raises DoorRefused for what a report of this task cannot have."""
    row = report.row
    if report.blocked is not None:
        raise DoorRefused(f"{row.key} supervises nothing", why=WHY_HERE)
    if report.gate is not None and row.prefix != QUALITY:
        raise DoorRefused(f"{row.key} has no gate")
    if report.discussed is not None and row.round is None:
        raise DoorRefused(f"{row.key} is not discussed")
    if report.fan_out is not None and row.role != "planner":
        raise DoorRefused(f"{row.key} plans nothing")
    if report.gaps and row.role != "executor":
        raise DoorRefused(f"{row.key} makes no tasks")
    if (report.links or report.landing is not None) and row.role not in CODE_ROLES:
        raise DoorRefused(f"{row.key} lands nothing")
    if len(report.links) > MOST_LINKS or any(each.run_id != row.run for each in report.links):
        raise DoorRefused("a run links what it has made itself", why=f"{len(report.links)} links")
    if report.landing is not None:
        _refuse_landing(tx, report)
    if report.verdict is not None:
        _refuse_verdict(tx, report)


def refuse_not_received(tx: Tx, run: Run, commit: str, tree: str, base: str) -> None:
    """Raises DoorRefused for a commit that has not come here, or not on that base."""
    if not needs_commits(run.role, run.prefix):
        raise DoorRefused(f"{run.key} works on no commits", why=WHY_HERE)
    if _has_come(tx, run, commit, tree, base) or work.was_proposed(tx, run.session_id, commit, tree, base):
        return
    raise DoorRefused(
        "the commit has not come here",
        why=f"{commit[:12]} on {base[:12]}",
        fix="hand it in before it is proposed",
    )


def _has_come(tx: Tx, run: Run, commit: str, tree: str, base: str) -> bool:
    """Whether a run of this session has handed the commit in."""
    found = checks.check_of(tx, run.session_id, tree, RECEIVED, commit)
    return found is not None and (found.data["base"], found.data["session"]) == (base, run.session_id)


def _refuse_landing(tx: Tx, report: Report) -> None:
    landing, row = report.landing, report.row
    assert landing is not None
    candidate = work.candidate_of(tx, landing.candidate)
    if candidate is None or candidate.run_id != row.run:
        raise DoorRefused("that candidate is not of this run", why=f"candidate {landing.candidate}")
    own = (candidate.commit_id, candidate.tree_id, candidate.base)
    if own == (landing.commit, landing.tree, landing.seen):
        return
    found = checks.check_of(tx, row.session_id, landing.tree, RECEIVED, landing.commit)
    if found is None or (found.data["base"], found.data["run"]) != (landing.seen, row.run):
        raise DoorRefused(
            "what is to land has not come here", why=f"{landing.commit[:12]} on {landing.seen[:12]}"
        )


def _refuse_verdict(tx: Tx, report: Report) -> None:
    """A verdict is of its own kind, and of what has landed or lands with it."""
    row, verdict = report.row, report.verdict
    assert verdict is not None
    kind = "test" if row.role == "tester" else "review" if row.prefix == REVIEWS_OF_CODE else None
    if verdict.kind != kind:
        raise DoorRefused(f"{row.key} gives no verdict of that kind", why=verdict.kind[:40])
    begun = work.work_of(tx, row.session_id)
    landed = {each.commit_id for each in work.commits_of(tx, row.session_id)}
    subjects = {*landed, *(() if begun is None else (begun.base,))}
    if report.landing is not None:
        subjects.add(report.landing.commit)
    if verdict.data.get("head") not in subjects:
        raise DoorRefused(
            "the verdict is of a commit that has not landed", why=str(verdict.data.get("head"))[:40]
        )
