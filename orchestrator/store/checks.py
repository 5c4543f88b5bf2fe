"""What was found about trees of files, and what belongs to what: rows that a run adds and nobody changes.

A check belongs to the id of a tree, so that the same tree is never checked twice for the same (`key`); a link is
verified only by a check.
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.store.claims import assert_lease
from orchestrator.store.rows import Run
from orchestrator.store.sql import bindparam, checks, links, select
from orchestrator.store.statements import Insertion, Selection, columns, query
from orchestrator.store.store import Tx

_CHECK = Insertion("checks", unique=["session_id", "tree_id", "kind", "key"])
_COPY = Insertion("checks")
_LINK = Insertion("links", unique=["session_id", "from_kind", "from_id", "to_kind", "to_id", "how", "run_id"])


class Check(NamedTuple):
    """The outcome (passed, failed, unverified) of one kind of check of a tree."""

    id: int
    tree_id: str
    kind: str
    key: str
    outcome: str
    data: JsonObject
    run_id: str
    seconds: float
    created_at: int


class GivenCheck(NamedTuple):
    """What passed where a session comes from."""

    tree_id: str
    kind: str
    key: str
    data: JsonObject
    run_id: str


class Link(NamedTuple):
    """Two things that belong together, and whether a check says so."""

    from_kind: str
    from_id: str
    from_digest: str | None
    to_kind: str
    to_id: str
    to_digest: str | None
    how: str
    verified: int
    check_id: int | None
    run_id: str


@query(Check)
def _check() -> Selection:
    return select(*columns(checks, Check)).where(
        checks.c.session_id == bindparam("session"),
        checks.c.tree_id == bindparam("of_tree"),
        checks.c.kind == bindparam("of_kind"),
        checks.c.key == bindparam("with_key"),
    )


@query(Check)
def _checks() -> Selection:
    return (
        select(*columns(checks, Check))
        .where(checks.c.session_id == bindparam("session"))
        .order_by(checks.c.id)
    )


@query(Check)
def _checks_of_kind() -> Selection:
    return (
        select(*columns(checks, Check))
        .where(checks.c.session_id == bindparam("session"), checks.c.kind == bindparam("of_kind"))
        .order_by(checks.c.id)
    )


@query(Check)
def _newest() -> Selection:
    return (
        select(*columns(checks, Check))
        .where(checks.c.kind == bindparam("of_kind"), checks.c.key == bindparam("with_key"))
        .order_by(checks.c.id.desc())
        .limit(1)
    )


@query(Link)
def _links() -> Selection:
    return (
        select(*columns(links, Link)).where(links.c.session_id == bindparam("session")).order_by(links.c.id)
    )


def check_of(tx: Tx, session: str, tree: str, kind: str, key: str) -> Check | None:
    """What is known of a tree; None when it was not checked for this yet."""
    return tx.row(_check, session=session, of_tree=tree, of_kind=kind, with_key=key)


def newest_check(tx: Tx, kind: str, key: str) -> Check | None:
    """The latest such check of any tree, in any session of the project."""
    return tx.row(_newest, of_kind=kind, with_key=key)


def add_check(
    tx: Tx, run: Run, tree: str, kind: str, key: str, outcome: str, data: Mapping[str, Json], seconds: float
) -> Check:
    """Note a check's outcome; the first one of a tree, kind and key stays. Raises LeaseLost."""
    assert_lease(tx, run.run, run.host)
    tx.insert(
        _CHECK,
        session_id=run.session_id,
        tree_id=tree,
        kind=kind,
        key=key,
        outcome=outcome,
        data=dict(data),
        run_id=run.run,
        seconds=round(seconds, 3),
        created_at=tx.now,
    )
    found = check_of(tx, run.session_id, tree, kind, key)
    assert found is not None
    return found


def add_given(tx: Tx, session: str, check: GivenCheck) -> None:
    """Note a check of an imported session; the first one of a tree, kind and key stays."""
    row = check._asdict()
    tx.insert(_CHECK, session_id=session, outcome="passed", seconds=0.0, created_at=tx.now, **row)


def checks_of(tx: Tx, session: str) -> list[Check]:
    """Every check of the session, oldest first."""
    return tx.rows(_checks, session=session)


def checks_of_kind(tx: Tx, session: str, kind: str) -> list[Check]:
    """Those of one kind, oldest first."""
    return tx.rows(_checks_of_kind, session=session, of_kind=kind)


def add_link(tx: Tx, session: str, link: Link) -> None:
    """Note that two things belong together; a link that is there already stays."""
    tx.insert(_LINK, session_id=session, created_at=tx.now, **link._asdict())


def links_of(tx: Tx, session: str) -> list[Link]:
    """Every link of the session, oldest first."""
    return tx.rows(_links, session=session)


def take_over(
    tx: Tx, source: str, session: str, runs: Mapping[str, str], *, until: int, otherwise: str
) -> None:
    """Make what was found about trees of `source` until then known to its fork, with the links of runs taken over.

    `runs`: those of the source -> those of the fork; `otherwise`: stands for the others, whose checks count all the same.
    """
    known: dict[int, int] = {}
    for check in checks_of(tx, source):
        if check.created_at <= until:
            row = {**check._asdict(), "session_id": session, "run_id": runs.get(check.run_id, otherwise)}
            number = row.pop("id")
            known[number] = tx.insert(_COPY, **row)
    for link in links_of(tx, source):
        if link.run_id in runs and (link.check_id is None or link.check_id in known):
            check_id = None if link.check_id is None else known[link.check_id]
            add_link(tx, session, link._replace(run_id=runs[link.run_id], check_id=check_id))
