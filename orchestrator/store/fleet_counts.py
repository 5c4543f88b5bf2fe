"""What the project's queue, hosts and calls come to, in numbers: no session, task or text is among them."""

from __future__ import annotations

from orchestrator.domain.elsewhere import REVIEWS_OF_CODE, ROLES_ELSEWHERE
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.store.records import cost_sums
from orchestrator.store.rows import CallSums
from orchestrator.store.sql import agent_calls, func, hosts, null, runs, select, tasks
from orchestrator.store.statements import Selection, fixed, query
from orchestrator.store.store import Tx


class Offered(NamedTuple):
    """Offers of one role; `first` is when the oldest was made."""

    role: str
    prefix: str
    offers: int
    first: int


class Open(NamedTuple):
    """Open runs of one role: `joined` of them on hosts on other machines."""

    role: str
    runs: int
    joined: int


@query(Offered)
def _offered() -> Selection:
    return (
        select(
            tasks.c.role,
            tasks.c.prefix,
            func.count(tasks.c.id).label("offers"),
            func.min(tasks.c.offered_at).label("first"),
        )
        .where(tasks.c.offered_at.is_not(None))
        .group_by(tasks.c.role, tasks.c.prefix)
    )


@query(Open)
def _open() -> Selection:
    return (
        select(tasks.c.role, func.count(runs.c.id).label("runs"), func.count(hosts.c.token).label("joined"))
        .join(tasks, tasks.c.id == runs.c.task_id)
        .join(hosts, hosts.c.incarnation == runs.c.host)
        .where(runs.c.outcome.is_(None))
        .group_by(tasks.c.role)
    )


@query(tuple[str, int])
def _outcomes() -> Selection:
    return (
        select(runs.c.outcome, func.count(runs.c.id).label("n"))
        .where(runs.c.outcome.is_not(None))
        .group_by(runs.c.outcome)
    )


@query(CallSums)
def _calls() -> Selection:
    nothing = [null().label(name) for name in ("session", "task", "role")]
    return (
        select(*cost_sums(), *nothing, agent_calls.c.agent)
        .where(agent_calls.c.metered == fixed(1))
        .group_by(agent_calls.c.agent)
    )


def offers(tx: Tx) -> list[Offered]:
    return tx.rows(_offered)


def open_runs(tx: Tx) -> list[Open]:
    return tx.rows(_open)


def outcomes(tx: Tx) -> dict[str, int]:
    """How many runs ended how; every run is read."""
    return dict(tx.rows(_outcomes))


def calls(tx: Tx) -> list[CallSums]:
    """What each agent that costs something was asked and has cost; every call is read."""
    return tx.rows(_calls)


def elsewhere(found: list[Offered]) -> list[Offered]:
    """Those that a host on another machine gets."""
    return [each for each in found if each.role in ROLES_ELSEWHERE and each.prefix != REVIEWS_OF_CODE]
