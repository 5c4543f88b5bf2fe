"""The tree of exceptions; a class docstring is the default message.

LifecycleError
├── UsageError                 exit 2, nothing changed
│   ├── UnknownName            lists the known names
│   ├── NotAllowedNow          the current state does not allow it; lists what is possible
│   │   └── Changed            it is no longer what the answer was given for; carries the token of what is there now
│   ├── KeyReused              the key was used for another command
│   └── ConfigError            all faults of a file at once
├── StoreError                 the database is not available
│   ├── DatabaseUnusable       missing, foreign, corrupt, newer schema, network file system
│   │   ├── DatabaseMoved      its rows are on a server now
│   │   └── DatabaseDamaged    it is not changed, and every process ends
│   ├── DatabaseBusy           another process holds the write lock
│   ├── DiskFull               nothing was written
│   ├── StoreBroken            the disk failed; this process must end, a new one continues
│   └── NoDescriptors          this process can open no further file
├── EngineError                the engine that delivers offers refuses what is asked
│   └── EngineAway             it cannot be reached
├── LeaseLost                  the run was revoked or has ended; nothing was written
├── NotLeader                  another daemon leads; nothing was written
├── BudgetReached              a cap allows no further call; no agent was called
├── GitError                   a git command failed; the message names it
│   ├── GitMissing             git is not installed, or too old
│   ├── GitTimedOut            it did not end in time and was stopped
│   ├── GitOutputTooLarge      it printed more than its limit and was stopped
│   ├── GitDiskFull            the disk has no room for what it writes
│   └── RepositoryUnusable     the repository cannot be worked on as it is
├── TreeError                  a private tree is not what its row says; it was not touched
│   ├── LaneInUse              another run has the lane
│   └── NoRoomForTree          the disk has no room for a private tree
├── HeadMoved                  the session's head is another commit now; nothing was written
├── WorkRefused                a candidate did not pass its checks; nothing has landed
├── TestsNotRunnable           the machine cannot run the tests that it could run before; the attempt does not count
├── PersonAsked                the work waits for a person's decision
└── AgentError                 one agent call failed; `kind` is its class
    ├── AgentUnavailable       not installed, not logged in, not configured
    │   └── CassetteUnusable   the session's cassette cannot be read or written
    │       └── CassetteMiss   it has no answer to this question
    ├── AgentLimited           its account has reached its limit; `until` is when it ends
    │   └── AccountHeld        the limit was known before: no call was made
    ├── AgentOverloaded        its servers are overloaded
    ├── AgentTimedOut
    ├── AgentCrashed
    └── AgentRubbish           no usable answer, even after one repair
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.domain.exits import Exit
    from orchestrator.domain.json_types import Json
    from orchestrator.domain.prices import Usage


class LifecycleError(Exception):
    """The command could not be carried out."""

    exit_code = 1
    remedy = ""  # what to do, unless the place that raises it knows better

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
    """No such name: the message lists the known ones, or those that are spelt most like it where there are many."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, fix: str = "") -> None:
        from difflib import get_close_matches

        names = list(map(str, known))
        near = get_close_matches(name, names, n=1, cutoff=0.7)
        meant = f"did you mean {near[0]!r}?" if near else "use one of the known names" if names else ""
        super().__init__(
            f"unknown {kind} {name!r}",
            why=_known(name, names),
            fix=fix or meant or "`lifecycle list` and `lifecycle tasks` list the names",
            kind=kind,
            name=name,
        )


LISTED = 20  # names that a message lists; of more, it lists the nearest ones
NEAREST = 5


def _known(name: str, names: Sequence[str]) -> str:
    if len(names) <= LISTED:
        return f"known: {', '.join(names) or '(none)'}"
    return f"nearest of {len(names)}: {', '.join(_nearest(name, names))}"


def _nearest(name: str, names: Sequence[str]) -> list[str]:
    """The names most like `name`, the best first; of a path, its last part counts too."""
    from difflib import SequenceMatcher

    compared = SequenceMatcher(b=name[:200].casefold(), autojunk=False)

    def likeness(known: str) -> float:
        ratios = []
        for part in {known, known.rpartition("/")[2]}:
            compared.set_seq1(part.casefold())
            ratios.append(compared.ratio())
        return max(ratios)

    return sorted(names, key=likeness, reverse=True)[:NEAREST]


class NotAllowedNow(UsageError):
    """The current state does not allow this."""


class Changed(NotAllowedNow):
    """What would be answered has changed since it was shown; nothing was answered."""

    remedy = "`lifecycle check` shows what is there now"

    def __init__(
        self,
        what: str | None = None,
        *,
        token: str | None,
        changes: Sequence[Mapping[str, Json]] = (),
        why: str = "",
        fix: str = "",
    ) -> None:
        """`token`: of what is there now, None where nothing waits for an answer; `changes`: as `check --json` shows them."""
        super().__init__(what, why=why, fix=fix)
        self.token = token
        self.changes = list(changes)


class KeyReused(UsageError):
    """The key was used for another command; nothing was changed."""

    remedy = "choose another --key; repeat a command with the arguments that it had"


class ConfigError(UsageError):
    """The configuration cannot be used."""

    def __init__(
        self, faults: Iterable[str], *, fix: str = "run `lifecycle config check` after the change"
    ) -> None:
        self.faults = list(faults)
        options = [fault.partition(":")[0] for fault in self.faults if fault.startswith("--")]
        if options and len(options) == len(self.faults):
            fix = f"give {', '.join(dict.fromkeys(options))} another value; nothing was changed"
        super().__init__(
            f"the configuration has {len(self.faults)} error(s)", why="\n".join(self.faults), fix=fix
        )


class StoreError(LifecycleError):
    """The database is not available."""

    remedy = "`lifecycle doctor` checks the database and its disk"


class DatabaseUnusable(StoreError):
    """The database cannot be used."""

    exit_code = 2


class DatabaseMoved(DatabaseUnusable):
    """The project's database has moved to a server."""

    def __init__(self, url: str) -> None:
        super().__init__(
            why=f"`lifecycle adopt-database` copied its rows to {url}; the file takes no change any more",
            fix=f"finish with `lifecycle adopt-database {shlex.quote(url)}` and the options it was given; "
            "or set database.url in .workflow/config.toml",
        )
        self.url = url


class DatabaseDamaged(DatabaseUnusable):
    """The database is damaged; it was not changed."""


class DatabaseBusy(StoreError):
    """Another process holds the database's write lock."""

    remedy = "repeat the command when the other process has finished"
    exit_code = 2


class DiskFull(StoreError):
    """The disk is full; nothing was written."""

    remedy = "free some space on its disk, then repeat the command"
    exit_code = 2


class StoreBroken(StoreError):
    """The disk failed under the database; nothing was acknowledged, and this process must not continue using it."""

    remedy = "check the disk, then repeat the command; `lifecycle doctor` checks the database"


class ServerAway(StoreError):
    """The server cannot be reached."""

    remedy = "check the address and the network; the host tries again by itself"


class AnsweredByProxy(ServerAway):
    """Something before the server answered in its place."""

    remedy = (
        "have the proxy pass every path below /v1/ on to the server; docs/operations.md says what it needs"
    )


class NoDescriptors(StoreError):
    """This process cannot open any further file."""

    remedy = "raise the limit of open files (`ulimit -n`), then repeat the command"


class EngineError(LifecycleError):
    """The engine refuses what it was asked."""

    remedy = "`lifecycle doctor` says more"


class EngineAway(EngineError):
    """The engine cannot be reached."""

    remedy = "start it, or check temporal.address; meanwhile worker hosts ask for their tasks themselves"


class LeaseLost(LifecycleError):
    """The run was revoked or has ended; nothing was written."""

    remedy = "nothing to do: another attempt continues; `lifecycle runs TASK` shows both"


class NotLeader(LifecycleError):
    """Another daemon leads this database; nothing was written."""

    remedy = "nothing to do: the other one continues; `lifecycle daemon status` names it"


class BudgetReached(LifecycleError):
    """The budget is used up; no agent was called."""

    remedy = "`lifecycle resume --max-usd AMOUNT`, or with the option of the reached cap, continues"


class GitError(LifecycleError):
    """A git command failed."""

    remedy = "`lifecycle doctor` checks git and the repository"


class GitMissing(GitError):
    """git is not installed, or too old."""

    remedy = "install git 2.38 or newer"
    exit_code = 2


class GitTimedOut(GitError):
    """A git command did not end in time and was stopped."""


class GitOutputTooLarge(GitError):
    """A git command printed more than its limit and was stopped."""


class GitDiskFull(GitError):
    """The disk has no room for what git writes; nothing has landed."""

    remedy = "free some space on its disk, then repeat the command"


class RepositoryUnusable(GitError):
    """The repository cannot be worked on as it is; it was not changed."""

    exit_code = 2


class TreeError(LifecycleError):
    """A private tree is not what its row says; it was not touched."""

    remedy = "nothing to do: the next attempt gets a new tree"


class LaneInUse(TreeError):
    """Another run has the lane."""


class NoRoomForTree(TreeError):
    """The disk has no room for a private tree."""

    remedy = "free some space on its disk, or set `work.trees` to a folder on another one"


class HeadMoved(LifecycleError):
    """The session's head is another commit now; nothing was written."""

    remedy = "nothing to do: the candidate is merged with the new head"


class WorkRefused(LifecycleError):
    """The candidate did not pass its checks; nothing has landed."""

    remedy = "`lifecycle runs TASK` shows the attempts; `lifecycle resume --retry TASK` tries again"


class TestsNotRunnable(LifecycleError):
    """This machine can no longer run the tests that it could run before; nothing has landed."""

    __test__ = False  # pytest collects by name
    remedy = "mend the machine (`lifecycle doctor`), then `lifecycle resume`: the candidate is kept"


class PersonAsked(LifecycleError):
    """The work waits for a person's decision."""

    remedy = "`lifecycle resume --decide TEXT` gives it"
    options: tuple[str, ...] = ()


class ApprovalOutdated(LifecycleError):
    """What was approved at the checkpoint has changed since."""

    remedy = "`lifecycle check` shows what has changed, and how to approve it"

    def __init__(self, detail: Mapping[str, Json]) -> None:
        """`detail`: of the pause at the checkpoint."""
        super().__init__()
        self.detail = detail


class AgentError(LifecycleError):
    """An agent call failed."""

    remedy = "`lifecycle agents --probe` asks each agent a short question"
    exit_code = 4
    kind = "error"
    counted = True  # whether the attempt counts
    usage: Usage | None = None  # what the call used nevertheless, as far as its agent reported
    retries = 0  # repair turns
    readable: object | None = None  # the part of the answer that could be read
    exit: Exit | None = None  # of an agent that is a program


class AgentUnavailable(AgentError):
    """The agent is not installed, not logged in, or not configured."""

    remedy = "`lifecycle agents` shows what each agent lacks"
    kind = "unavailable"
    counted = False


class CassetteUnusable(AgentUnavailable):
    """The session's cassette cannot be used."""

    remedy = "see docs/cassettes.md; a new recording replaces it: `lifecycle start --record DIR`"
    kind = "cassette"


class CassetteMiss(CassetteUnusable):
    """The cassette has no answer to this question."""

    kind = "miss"


class AgentLimited(AgentError):
    """The agent's account has reached its usage limit."""

    remedy = "it is used again when the limit ends; `lifecycle agents` shows when, [roles] can name another"
    kind = "limited"
    counted = False

    def __init__(
        self,
        what: str | None = None,
        *,
        until: float | None = None,
        account: str | None = None,
        why: str = "",
        fix: str = "",
        **ids: object,
    ) -> None:
        """`until`: when it may be asked again, seconds of Unix time; None if unknown. `account`: whose limit it is."""
        super().__init__(what, why=why, fix=fix, **ids)
        self.until = until
        self.account = account


class AccountHeld(AgentLimited):
    """The agent's account is rate-limited; no call was made."""


class AgentOverloaded(AgentError):
    """The model's servers are overloaded."""

    remedy = "it is retried automatically; [roles] in the configuration can name another agent"
    kind = "overloaded"
    counted = False


class AgentTimedOut(AgentError):
    """The agent did not answer within its time limits and was stopped."""

    remedy = "try a longer limit: `agent_limits`, or `limits` of the agent, in the configuration"
    kind = "timeout"
    conversation: str | None = None  # the conversation in which it can be asked to finish


class AgentCrashed(AgentError):
    """The agent's process ended without an answer."""

    remedy = "`lifecycle runs TASK` shows each attempt; `lifecycle agents --probe` asks it a short question"
    kind = "crashed"


class AgentRubbish(AgentError):
    """The agent's answer could not be used, even after one repair."""

    remedy = "try another agent or model: `model` of the agent, or [roles] in the configuration"
    kind = "rubbish"
