"""Everything that can be refused or go wrong, as one tree; the class docstring is the default message.

LifecycleError
├── UsageError                 exit 2, nothing changed
│   ├── UnknownName            lists the known names
│   ├── NotAllowedNow          the state forbids it; says what would be allowed
│   └── ConfigError            all faults of a file at once
├── StoreError                 the database cannot serve
│   ├── DatabaseUnusable       missing, foreign, corrupt, newer schema, network file system
│   │   └── DatabaseDamaged    it is left as it is, and every process ends
│   ├── DatabaseBusy           another process holds the write lock
│   ├── DiskFull               nothing was written
│   ├── StoreBroken            the disk failed; this process must end, a new one goes on
│   └── NoDescriptors          this process can open no further file
├── LeaseLost                  the run is no longer ours; nothing was written
├── NotLeader                  another daemon leads; nothing was written
├── BudgetReached              a cap leaves no room for another call; nothing was asked
└── AgentError                 one agent call failed; `kind` is its class
    ├── AgentUnavailable       not installed, not logged in, not configured
    │   └── CassetteUnusable   the session's cassette cannot be read or written
    │       └── CassetteMiss   it has no answer to this question
    ├── AgentLimited           its account has used up what it may; says until when
    │   └── AccountHeld        that was known: it was not asked
    ├── AgentOverloaded        its servers refuse for the moment
    ├── AgentTimedOut
    ├── AgentCrashed
    └── AgentRubbish           no usable answer after repair
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.domain.exits import Exit
    from orchestrator.domain.prices import Usage


class LifecycleError(Exception):
    """The command could not be carried out."""

    exit_code = 1
    remedy = ""  # what to do about any of its kind, where whoever raises it knows nothing better

    def __init__(self, what: str | None = None, *, why: str = "", fix: str = "", **ids: object) -> None:
        """`what` happened, `why`, and what to do (`fix`): one line each; `ids` name the things concerned."""
        self.what = what or (type(self).__doc__ or "").splitlines()[0]
        self.why = why
        self.fix = fix or self.remedy
        self.ids = ids
        super().__init__(self.what)

    def lines(self) -> list[str]:
        return [line for line in (self.what, self.why, self.fix) if line]


class UsageError(LifecycleError):
    """The command is not valid; nothing was changed."""

    exit_code = 2


class UnknownName(UsageError):
    """No such name."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, fix: str = "") -> None:
        from difflib import get_close_matches

        names = list(map(str, known))
        near = get_close_matches(name, names, n=1, cutoff=0.7)
        meant = f"did you mean {near[0]!r}?" if near else "name one of the known ones" if names else ""
        super().__init__(
            f"unknown {kind} {name!r}",
            why=f"known: {', '.join(names) or '(none)'}",
            fix=fix or meant or "`lifecycle list` and `lifecycle tasks` show what there is",
            kind=kind,
            name=name,
        )


class NotAllowedNow(UsageError):
    """The present state does not allow this."""


class ConfigError(UsageError):
    """The configuration cannot be used."""

    def __init__(
        self, faults: Iterable[str], *, fix: str = "run `lifecycle config check` after the change"
    ) -> None:
        self.faults = list(faults)
        super().__init__(
            f"configuration has {len(self.faults)} fault(s)", why="\n".join(self.faults), fix=fix
        )


class StoreError(LifecycleError):
    """The database cannot serve."""

    remedy = "`lifecycle doctor` examines the database and its disk"


class DatabaseUnusable(StoreError):
    """The database cannot be used."""

    exit_code = 2


class DatabaseDamaged(DatabaseUnusable):
    """The database is damaged; it is left as it is."""


class DatabaseBusy(StoreError):
    """Another process holds the database's write lock."""

    remedy = "repeat the command when the other process is done"
    exit_code = 2


class DiskFull(StoreError):
    """The disk is full; nothing was written."""

    remedy = "free some space on its disk, then repeat the command"
    exit_code = 2


class StoreBroken(StoreError):
    """The disk failed under the database; nothing was acknowledged, and this process must not go on with it."""

    remedy = "check the disk, then repeat the command; `lifecycle doctor` examines the database"


class NoDescriptors(StoreError):
    """This process cannot open any further file."""

    remedy = "raise the limit of open files (`ulimit -n`), then repeat the command"


class LeaseLost(LifecycleError):
    """The run is no longer ours; nothing was written."""

    remedy = "nothing has to be done: another attempt goes on; `lifecycle runs TASK` shows both"


class NotLeader(LifecycleError):
    """Another daemon leads this database; nothing was written."""

    remedy = "nothing has to be done: the other one goes on; `lifecycle daemon status` names it"


class BudgetReached(LifecycleError):
    """The budget is used up; no agent was asked."""

    remedy = "`lifecycle resume --max-usd AMOUNT`, or with the cap that is reached, goes on"


class AgentError(LifecycleError):
    """An agent call failed."""

    remedy = "`lifecycle agents --probe` asks each agent a short question"
    exit_code = 4
    kind = "error"
    charged = True  # whether the attempt counts against the task
    usage: Usage | None = None  # what the call consumed all the same, as far as its agent said
    retries = 0  # repair turns
    readable: object | None = None  # what of the answer could be read all the same
    exit: Exit | None = None  # of an agent that is a program


class AgentUnavailable(AgentError):
    """The agent is not installed, not logged in, or not configured."""

    remedy = "`lifecycle agents` says what each agent lacks"
    kind = "unavailable"
    charged = False


class CassetteUnusable(AgentUnavailable):
    """The session's cassette cannot be used."""

    remedy = "see docs/cassettes.md; a new recording replaces it: `lifecycle start --record DIR`"
    kind = "cassette"


class CassetteMiss(CassetteUnusable):
    """The cassette has no answer to this question."""

    kind = "miss"


class AgentLimited(AgentError):
    """The agent's account has reached its usage limit."""

    remedy = "it is asked again when the limit ends; `lifecycle agents` says when, [roles] can name another"
    kind = "limited"
    charged = False

    def __init__(
        self,
        what: str | None = None,
        *,
        until: float | None = None,
        pool: str | None = None,
        why: str = "",
        fix: str = "",
        **ids: object,
    ) -> None:
        """`until`: when it may be asked again, seconds of Unix time; None when it did not say. `pool`: the account held."""
        super().__init__(what, why=why, fix=fix, **ids)
        self.until = until
        self.pool = pool


class AccountHeld(AgentLimited):
    """The agent's account is held until its limit ends; it was not asked."""


class AgentOverloaded(AgentError):
    """The model's servers are overloaded."""

    remedy = "it is asked again by itself; [roles] in the configuration can name another agent"
    kind = "overloaded"
    charged = False


class AgentTimedOut(AgentError):
    """The agent did not answer within its limits and was stopped."""

    remedy = "a longer limit may do: `agent_limits`, or `limits` of the agent, in the configuration"
    kind = "timeout"
    conversation: str | None = None  # where it can be asked to finish


class AgentCrashed(AgentError):
    """The agent's process ended without an answer."""

    remedy = "`lifecycle runs TASK` shows each attempt; `lifecycle agents --probe` asks it a short question"
    kind = "crashed"


class AgentRubbish(AgentError):
    """The agent's answer could not be used, also after one repair."""

    remedy = "another agent or model may do better: `model` of the agent, or [roles] in the configuration"
    kind = "rubbish"
