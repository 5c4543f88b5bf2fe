"""Accounts that have reached a limit: who may not be asked, until when, and why.

An account belongs to the project: what one run of one host was told holds for all of them, and outlives every process.
It is asked and told in the transactions that note a call's begin and end, so no call begins behind a limit that was noted.
"""

from __future__ import annotations

from sqlalchemy import bindparam, delete, or_, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from orchestrator.domain import account_pause
from orchestrator.domain.model import TaskStatus
from orchestrator.store.prepared import Prepared, PreparedInsert, Row, fixed
from orchestrator.store.project_tables import pools
from orchestrator.store.store import Tx
from orchestrator.store.tables import tasks

LONGEST_WHY = 500  # characters

_ONE = Prepared(lambda: select(pools).where(pools.c.name == bindparam("pool")))
_ALL = Prepared(lambda: select(pools).order_by(pools.c.name))

# Hold an account: change it from usable, or held for less, to held until later.
_HOLD = PreparedInsert(
    lambda: upsert(pools).on_conflict_do_update(
        index_elements=["name"],
        set_={
            name: upsert(pools).excluded[name]
            for name in ("paused_until", "since_at", "guesses", "agent", "why")
        },
    )
)

# Change an account from held to usable: a call that began after it was held was answered. One that was held in what is
# the future now was held by a clock that has been put back since.
_CLEAR = Prepared(
    lambda: delete(pools).where(
        pools.c.name == bindparam("pool"),
        or_(pools.c.since_at <= bindparam("began"), pools.c.since_at > bindparam("now")),
    )
)

# Change an account from held to usable: a person said so.
_RELEASE = Prepared(lambda: delete(pools).where(pools.c.name == bindparam("pool")))

_WAITING = Prepared(
    lambda: (
        select(tasks.c.session_id, tasks.c.key)
        .where(
            tasks.c.status == fixed(TaskStatus.PENDING),
            tasks.c.limited_by.is_not(None),
            tasks.c.not_before > bindparam("now"),
        )
        .order_by(tasks.c.session_id, tasks.c.seq)
    )
)

# Let every task that waits for an account's limit be tried now.
_GO_ON = Prepared(
    lambda: (
        update(tasks)
        .where(
            tasks.c.status == fixed(TaskStatus.PENDING),
            tasks.c.limited_by.is_not(None),
            tasks.c.not_before > bindparam("now"),
        )
        .values(not_before=bindparam("now"))
    )
)


def known(tx: Tx, pool: str) -> Row | None:
    """What was last said of an account's limit, over or not; None when it answered since."""
    return tx.row(_ONE, pool=pool)


def holds(tx: Tx, row: Row) -> bool:
    return _pause(row).holds(tx.now)


def held(tx: Tx) -> list[Row]:
    """The accounts that are not asked now."""
    return [row for row in tx.rows(_ALL) if holds(tx, row)]


def hold(tx: Tx, pool: str, agent: str, *, began: int, told: int | None, why: str) -> int:
    """Ask nobody of this account before its limit ends; until when. `told`: what the agent said of that.

    A pause that holds is never shortened by a call that `began` before it.
    """
    row = known(tx, pool)
    before = None if row is None else _pause(row)
    pause = account_pause.met(before, now=tx.now, began=began, told=told)
    if pause != before:
        tx.run(
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
    tx.run(_CLEAR, pool=pool, began=began, now=tx.now)


def release(tx: Tx, pool: str) -> list[Row]:
    """End an account's pause, and let every task that waits for one be tried now: `session_id` and `key` of each.

    All of them, since a task that could ask several accounts waits for the one whose limit ends first.
    """
    tx.run(_RELEASE, pool=pool)
    waiting = tx.rows(_WAITING, now=tx.now)
    tx.run(_GO_ON, now=tx.now)
    return waiting


def _pause(row: Row) -> account_pause.Pause:
    return account_pause.Pause(row.paused_until, row.since_at, row.guesses)
