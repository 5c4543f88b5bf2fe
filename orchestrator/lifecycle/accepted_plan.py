"""The files of the plan that the work is made of: a later plan that nobody has accepted, or that was rejected, is not it."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain import ids
from orchestrator.domain.approvals import digest_of
from orchestrator.domain.plan import FOLDER
from orchestrator.domain.plan_marks import PLANS
from orchestrator.store import artifacts, messages
from orchestrator.store.store import Tx


def accepted_files(tx: Tx, session: str, newest: Mapping[str, str]) -> dict[str, str]:
    """Path -> digest as the plan was when its tasks were made last; as it is now where only a person has edited it since.

    `newest`: of all artifacts. The state is found by its digest: files and events have no order in common.
    """
    files = {path: digest for path, digest in newest.items() if path.startswith(FOLDER)}
    event = messages.newest_event(tx, session, "fan_out")
    made = None if event is None else messages.one(tx, session, event.number)
    digest = made.data.get("digest") if made is not None and isinstance(made.data, dict) else None
    if digest is None or digest_of((FOLDER,), files) == digest:
        return files
    now: dict[str, str] = {}
    accepted: dict[str, str] | None = None
    is_planned_again = False
    for row in artifacts.every_version(tx, session):
        if not row.path.startswith(FOLDER):
            continue
        now[row.path] = row.sha256
        if digest_of((FOLDER,), now) == digest:
            accepted, is_planned_again = dict(now), False
        elif row.task is not None and ids.parse_key(row.task).stem == PLANS:
            is_planned_again = True
    return accepted if accepted is not None and is_planned_again else files
