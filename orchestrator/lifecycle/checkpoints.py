"""What a person approved at a checkpoint, and whether it is still what is there: a plan is made of nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import UNFINISHED
from orchestrator.domain.pauses import PAUSES, PauseReason
from orchestrator.domain.plan import PLAN
from orchestrator.domain.revisions import BUILDS, JUDGES
from orchestrator.lifecycle.specified import is_carried_out, shown, specified
from orchestrator.store import artifacts, decisions, messages, sessions, tasks
from orchestrator.store.store import Tx

CHECKPOINTS = (PauseReason.CHECKPOINT, PauseReason.SIGNOFF_BLOCKED)
CHANGED = "changed"  # of a pause's detail: which items have changed, and the plan tasks that are affected
WORK = (*BUILDS, *JUDGES)  # prefixes of tasks that carry out a plan
_KINDS = tuple(PAUSES[reason].decision for reason in CHECKPOINTS)  # of decisions that approve a specification


def changed_since_approval(tx: Tx, session: str, edited: Mapping[str, bytes]) -> JsonObject | None:
    """The detail of a pause at the checkpoint, which shows what has changed since; None while the approval holds.

    `edited`: files that a person has changed and that are not taken in yet. Without a checkpoint there is nothing to hold.
    """
    approved = [
        each
        for each in decisions.decisions_of(tx, session)
        if each.digest is not None and each.subject.partition(" ")[0] in _KINDS
    ]
    if not approved:
        return None
    last = approved[-1]
    taken = {path: artifacts.digest_of(body) for path, body in edited.items()}
    if sessions.subject_digest(tx, session, PauseReason.CHECKPOINT, taken) == last.digest:
        return None
    versions = sum(row.created_at <= last.at for row in artifacts.every_version(tx, session))
    return {
        "task": last.subject.partition(" ")[2],
        "why": "the specification has changed since you approved it",
        "digest": last.digest,
        "versions": versions,
    }


def due(tx: Tx, session: str) -> tuple[bool, JsonObject]:
    """Whether a scored specification waits for a person, and what its pause tells besides.

    Not where work has begun and no item differs from what it is made of: what was approved then holds.
    """
    found = specified(tx, session) if is_carried_out(tasks.all_tasks(tx, session)) else None
    if found is None or not found.is_known:
        return True, {}
    if not found.changes:
        messages.event(
            tx, session, "unchanged", "no item of the specification has changed: nothing is made again"
        )
        return False, {}
    return True, {CHANGED: shown(found)}


def changed_work(tx: Tx, session: str, edited: Mapping[str, bytes]) -> JsonObject | None:
    """The detail of a pause at the checkpoint where the specification is not the one that the work is made of.

    None while it is, and while tasks that lead to a checkpoint or to a new plan are on their way.
    """
    rows = tasks.all_tasks(tx, session)
    if not is_carried_out(rows) or any(row.status in UNFINISHED and row.prefix not in WORK for row in rows):
        return None
    found = specified(tx, session, edited)
    if found is None or not found.to_plan:
        return None
    made = next(row for row in artifacts.newest(tx, session) if row.path == PLAN)
    return {
        "why": "the specification is not the one that the work is made of",
        "digest": found.plan.spec_digest,
        "versions": sum(row.created_at <= made.created_at for row in artifacts.every_version(tx, session)),
        CHANGED: shown(found),
    }
