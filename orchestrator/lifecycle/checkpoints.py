"""What a person approved at a checkpoint, and whether it is still what is there: a plan is made of nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.pauses import PAUSES, PauseReason
from orchestrator.store import artifacts, decisions, sessions
from orchestrator.store.store import Tx

CHECKPOINTS = (PauseReason.CHECKPOINT, PauseReason.SIGNOFF_BLOCKED)
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
