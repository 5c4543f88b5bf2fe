"""Conditions that statements of several modules share."""

from __future__ import annotations

from orchestrator.domain.concerns import ARCH
from orchestrator.domain.model import SessionStatus
from orchestrator.domain.pauses import ADVISED
from orchestrator.store.sql import (
    ColumnElement,
    FromClause,
    and_,
    bindparam,
    exists,
    hosts,
    or_,
    select,
    sessions,
    tasks,
)
from orchestrator.store.statements import Selection, fixed, one_of


def session_takes(of: FromClause = tasks) -> ColumnElement[bool]:
    """Whether a task may be offered and claimed: its session is active, or the task is advice for who decides about a pause.

    Asked of each offer; a join would make SQLite go through all active sessions for the few offers there are.
    """
    status = select(sessions.c.status).where(sessions.c.id == of.c.session_id).scalar_subquery()
    waits = exists().where(sessions.c.id == of.c.session_id, one_of(sessions.c.pause_reason, ADVISED))
    return or_(status == SessionStatus.ACTIVE, and_(of.c.prefix == fixed(ARCH), waits))


def live_host() -> Selection:
    """The end of the lease of `host`, while it takes work."""
    return select(hosts.c.lease_until).where(
        hosts.c.incarnation == bindparam("host"),
        hosts.c.boot == bindparam("boot"),
        hosts.c.lease_until > bindparam("lease_now"),
        hosts.c.draining == fixed(0),
    )
