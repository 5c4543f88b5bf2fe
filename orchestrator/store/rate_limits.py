"""Accounts that have reached a limit: who may not be asked, until when, and why.

An account belongs to the project: what one run of one host was told holds for all of them, and outlives every process.
It is asked and told in the transactions that note a call's begin and end, so no call begins behind a limit that was noted.
"""

from __future__ import annotations

from orchestrator.domain import account_pause
from orchestrator.domain.model import TaskStatus
from orchestrator.store.rows import RateLimit
from orchestrator.store.sql import Delete, Update, bindparam, delete, or_, rate_limits, select, tasks, update
from orchestrator.store.statements import Insertion, Selection, change, columns, fixed, query
from orchestrator.store.store import Tx

LONGEST_WHY = 500  # characters


@query(RateLimit)
def _one() -> Selection:
    return select(*columns(rate_limits, RateLimit)).where(rate_limits.c.name == bindparam("account"))


@query(RateLimit)
def _all() -> Selection:
    return select(*columns(rate_limits, RateLimit)).order_by(rate_limits.c.name)


# Change an account from usable, or limited for less, to limited until later.
_LIMIT = Insertion(
    "rate_limits", unique=["name"], replace=["limited_until", "since_at", "guesses", "agent", "why"]
)


# Change an account from limited to usable: a call that began after it was limited was answered. One that was limited in
# what is the future now was limited by a clock that has been put back since.
@change
def _clear() -> Delete:
    return delete(rate_limits).where(
        rate_limits.c.name == bindparam("account"),
        or_(rate_limits.c.since_at <= bindparam("began"), rate_limits.c.since_at > bindparam("now")),
    )


# Change an account from limited to usable: a person said so.
@change
def _release() -> Delete:
    return delete(rate_limits).where(rate_limits.c.name == bindparam("account"))


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


def known(tx: Tx, account: str) -> RateLimit | None:
    """What was last said of an account's limit, over or not; None when it answered since."""
    return tx.row(_one, account=account)


def is_limited(tx: Tx, row: RateLimit) -> bool:
    return _pause(row).holds(tx.now)


def limited_now(tx: Tx) -> list[RateLimit]:
    """The accounts that are not asked now."""
    return [row for row in tx.rows(_all) if is_limited(tx, row)]


def limit(tx: Tx, account: str, agent: str, *, began: int, told: int | None, why: str) -> int:
    """Ask nobody of this account before its limit ends; until when. `told`: what the agent said of that.

    A pause that holds is never shortened by a call that `began` before it.
    """
    row = known(tx, account)
    before = None if row is None else _pause(row)
    pause = account_pause.met(before, now=tx.now, began=began, told=told)
    if pause != before:
        tx.insert(
            _LIMIT,
            name=account,
            limited_until=pause.until,
            since_at=pause.since,
            guesses=pause.guesses,
            agent=agent,
            why=why[:LONGEST_WHY],
        )
    return pause.until


def clear(tx: Tx, account: str, *, began: int) -> None:
    """The account answered a call that `began` then: it is usable, unless it was limited since."""
    tx.send(_clear, account=account, began=began, now=tx.now)


def release(tx: Tx, account: str) -> list[tuple[str, str]]:
    """End an account's pause, and let every task that waits for one be tried now: the session and key of each.

    All of them, since a task that could ask several accounts waits for the one whose limit ends first.
    """
    tx.send(_release, account=account)
    waiting = tx.rows(_waiting, now=tx.now)
    tx.send(_go_on, now=tx.now)
    return waiting


def _pause(row: RateLimit) -> account_pause.Pause:
    return account_pause.Pause(row.limited_until, row.since_at, row.guesses)
