"""Tokens by which the agents of a run on another machine ask the server. Of a token its SHA-256 is stored, with its run.

So each server of the project knows those that another one has made, and who reads the database can make none. A token ends
with its run, since whoever shows it must hold the run as well (`claims.assert_lease`).
"""

from __future__ import annotations

import secrets

from orchestrator.domain.errors import NotAllowedNow
from orchestrator.store.host_tokens import TOKEN_BYTES, digest_of
from orchestrator.store.sql import agent_tokens, bindparam, func, select
from orchestrator.store.statements import Insertion, Selection, query
from orchestrator.store.store import Tx

BEGINS = "lca_"  # so that who searches for secrets finds it, and nobody takes it for a host's
MOST = 500  # of one run: one for each call of an agent that is to have it

_ADD = Insertion("agent_tokens")


@query(str)
def _known() -> Selection:
    return select(agent_tokens.c.sha256).where(
        agent_tokens.c.run_id == bindparam("run"), agent_tokens.c.sha256 == bindparam("digest")
    )


@query(int)
def _number() -> Selection:
    return select(func.count()).select_from(agent_tokens).where(agent_tokens.c.run_id == bindparam("run"))


def add(tx: Tx, run: str) -> str:
    """Make a token for agents of this run; it is told this once. Raises NotAllowedNow for a run that has very many."""
    if (tx.row(_number, run=run) or 0) >= MOST:
        raise NotAllowedNow(
            "the run has very many tokens for agents",
            why=f"{MOST} were given to it",
            fix="end the run: its next attempt gets new ones",
        )
    token = BEGINS + secrets.token_urlsafe(TOKEN_BYTES)
    tx.insert(_ADD, run_id=run, sha256=digest_of(token))
    return token


def is_of(tx: Tx, run: str, token: str) -> bool:
    """Whether the token was given to the run, open or not."""
    return tx.row(_known, run=run, digest=digest_of(token)) is not None
