"""Accounts that have reached a limit: who may not be asked, until when, and why.

An account belongs to the project: what one run of one host was told holds for all of them, and outlives every process.
It is asked and told in the transactions that note a call's begin and end, so no call begins behind a limit that was noted.
"""

from __future__ import annotations

from sqlalchemy import Delete, Update, bindparam, delete, or_, select, update

from orchestrator.domain import account_pause
from orchestrator.domain.model import TaskStatus
from orchestrator.store.project_tables import pools
from orchestrator.store.rows import RateLimit
from orchestrator.store.statements import Insertion, Selection, change, columns, fixed, query
from orchestrator.store.store import Tx
from orchestrator.store.tables import tasks

LONGEST_WHY = 500  # characters


@query(RateLimit)
def _one() -> Selection:
    return select(*columns(pools, RateLimit)).where(pools.c.name == bindparam("pool"))


@query(RateLimit)
def _all() -> Selection:
    return select(*columns(pools, RateLimit)).order_by(pools.c.name)


# Hold an account: change it from usable, or held for less, to held until later.
_HOLD = Insertion(pools, unique=["name"], replace=["paused_until", "since_at", "guesses", "agent", "why"])


# Change an account from held to usable: a call that began after it was held was answered. One that was held in what is
# the future now was held by a clock that has been put back since.
@change
def _clear() -> Delete:
    return delete(pools).where(
        pools.c.name == bindparam("pool"),
        or_(pools.c.since_at <= bindparam("began"), pools.c.since_at > bindparam("now")),
    )


# Change an account from held to usable: a person said so.
@change
def _release() -> Delete:
    return delete(pools).where(pools.c.name == bindparam("pool"))


@query(tuple[str, str])
def _waiting() -> Selection:
    return (
        select(tasks.c.session_id, tasks.c.key)
        .where(
            tasks.c.status == fixed(TaskStatus.PENDING),
            tasks.c.limited_by.is_not(None),
            tasks.c.not_before > bindparam("now"),
        )
        .order_by(tasks.c.session_id, tasks.c.seq)
    )


# Let every task that waits for an account's limit be tried now.
@change
def _go_on() -> Update:
    return (
        update(tasks)
        .where(
            tasks.c.status == fixed(TaskStatus.PENDING),
            tasks.c.limited_by.is_not(None),
            tasks.c.not_before > bindparam("now"),
        )
        .values(not_before=bindparam("now"))
    )


def known(tx: Tx, pool: str) -> RateLimit | None:
    """What was last said of an account's limit, over or not; None when it answered since."""
    return tx.row(_one, pool=pool)


def holds(tx: Tx, row: RateLimit) -> bool:
    return _pause(row).holds(tx.now)


def held(tx: Tx) -> list[RateLimit]:
    """The accounts that are not asked now."""
    return [row for row in tx.rows(_all) if holds(tx, row)]


def hold(tx: Tx, pool: str, agent: str, *, began: int, told: int | None, why: str) -> int:
    """Ask nobody of this account before its limit ends; until when. `told`: what the agent said of that.

    A pause that holds is never shortened by a call that `began` before it.
    """
    row = known(tx, pool)
    before = None if row is None else _pause(row)
    pause = account_pause.met(before, now=tx.now, began=began, told=told)
    if pause != before:
        tx.insert(
            _HOLD,
            name=pool,
            paused_until=pause.until,
            since_at=pause.since,
            guesses=pause.guesses,
            agent=agent,
            why=why[:LONGEST_WHY],
        )
    return pause.until


def clear(tx: Tx, pool: str, *, began: int) -> None:
    """The account answered a call that `began` then: it is usable, unless it was held since."""
    tx.run(_clear, pool=pool, began=began, now=tx.now)


def release(tx: Tx, pool: str) -> list[tuple[str, str]]:
    """End an account's pause, and let every task that waits for one be tried now: the session and key of each.

    All of them, since a task that could ask several accounts waits for the one whose limit ends first.
    """
    tx.run(_release, pool=pool)
    waiting = tx.rows(_waiting, now=tx.now)
    tx.run(_go_on, now=tx.now)
    return waiting


def _pause(row: RateLimit) -> account_pause.Pause:
    return account_pause.Pause(row.paused_until, row.since_at, row.guesses)
