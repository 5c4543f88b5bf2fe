"""What a worker host may ask of its project: each operation takes and returns plain data, and is done whole or not at all.

No store, no transaction, no function that is called within one: what an operation is given could as well have come over a
wire. Whoever may have to ask again names what is to be made (`new_run_id`): asked again, an operation changes nothing more
and returns what it returned. The fence of a run is its row as a claim returned it: its id, and the incarnation of its host.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from orchestrator.domain.identity import SUPERVISED, ProjectId
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.door.run_data import Earlier, Files, GivenCritique, Known, Renewed, RunProducts, Taken
from orchestrator.door.work_desk import WorkDesk
from orchestrator.lifecycle.finished_run import (
    Discussed,
    Ended,
    Landing,
    Report,
    Reported,
    RoundFinding,
    RoundVerdict,
    Verdict,
)
from orchestrator.lifecycle.noted_calls import CallBegin, CallEnd, CallEnded, CallHandle, NoBudget
from orchestrator.lifecycle.specified import Specified
from orchestrator.store.checks import Check, Link
from orchestrator.store.rows import (
    AgentCall,
    Artifact,
    Decision,
    MemoryEntry,
    RateLimit,
    Run,
    Session,
    StoredCritique,
    Task,
)
from orchestrator.store.rows import Verdict as StoredVerdict
from orchestrator.store.run_ids import new_call_id, new_run_id

__all__ = [
    "SUPERVISED",
    "AgentCall",
    "Artifact",
    "CallBegin",
    "CallEnd",
    "CallEnded",
    "CallHandle",
    "Check",
    "Decision",
    "Desk",
    "Discussed",
    "Earlier",
    "Ended",
    "Files",
    "GivenCritique",
    "Known",
    "Landing",
    "Link",
    "MemoryEntry",
    "NoBudget",
    "ProjectId",
    "RateLimit",
    "Renewed",
    "Report",
    "Reported",
    "RoundFinding",
    "RoundVerdict",
    "Run",
    "RunProducts",
    "Session",
    "Specified",
    "StoredCritique",
    "StoredVerdict",
    "Taken",
    "Task",
    "Verdict",
    "new_call_id",
    "new_run_id",
]


class Desk(WorkDesk, Protocol):
    """Each operation raises StoreError where the database cannot be reached or written, unless it says otherwise.

    One that is given a run writes of that run alone, and raises LeaseLost when it is not the host's own, open, with a lease.
    """

    # the host

    def register(self, host: str, *, roles: tuple[str, ...], slots: int, lease_seconds: float) -> None:
        """A host begins, under the name of its incarnation."""

    def renew(self, host: str, runs: Iterable[str], *, lease_seconds: float, draining: bool) -> Renewed:
        """Extend the lease of the host and those of the runs that it names, and no other's.

        Raises StoreBroken where what this process commits would be lost, DatabaseDamaged.
        """

    def bye(self, host: str) -> None:
        """The host ends: it gets no more offers, and the leases of its runs are over."""

    def claim(self, host: str, roles: tuple[str, ...], run: str) -> Run | None:
        """Open `run` for the oldest offer of these roles; None where there is none, or the host's lease is over.

        Raises LeaseLost where a run of that id is there and is not open and the host's own.
        """

    def take(self, host: str, roles: tuple[str, ...], run: str, task: int, epoch: int) -> Taken:
        """Open `run` for the offer of that task and epoch, which the engine delivered. Raises as `claim`."""

    def is_delivered(self) -> bool:
        """Whether the engine brings offers to hosts now; where it does not, they `claim`."""

    def over(self, runs: Iterable[str]) -> list[str]:
        """Which of these are runs of this project that have been closed."""

    def is_led(self) -> bool:
        """Whether a coordinator leads the project."""

    def agent_token(self, run: Run) -> str:
        """By which the agents of the run may ask the server for themselves, as long as the run is open."""

    # what a run knows

    def attempts_before(self, run: Run) -> list[str]:
        """The earlier runs of its task."""

    def context(self, run: Run) -> Known:
        """Take in what a person edited; then everything that every task reads, on one snapshot."""

    def content(self, sha256: str) -> bytes:
        """Raises StoreError when the content is missing or does not match its digest."""

    def texts_of(self, session: str, path: str) -> list[str]:
        """Every version of an artifact, the oldest first."""

    def tasks(self, session: str) -> Sequence[Task]:
        """Every task in order of creation, each with the keys of its blockers."""

    def calls(self, session: str) -> list[AgentCall]:
        """Every call of an agent, the oldest first."""

    def specified(self, session: str) -> Specified | None:
        """The specification that the plan was made of, compared with that of now; None without a plan that can be read."""

    def changed_since_approval(self, session: str) -> JsonObject | None:
        """What a pause at the checkpoint shows of what has changed; None while the approval holds."""

    def is_ours(self, file: Path) -> bool:
        """Whether a file below the sessions' folder is as the product itself wrote it."""

    # what a run does

    def phase(self, run: Run, name: str) -> None:
        """Note which of the five phases the run is in."""

    def begin_call(self, run: Run, call: CallBegin) -> CallHandle | RateLimit | NoBudget:
        """Note a call; nothing is noted of one whose account is held or that has no room in a budget.

        One of that id that was begun before is answered as it is.
        """

    def end_call(self, run: Run, call: CallHandle, how: CallEnd) -> CallEnded:
        """Note how a call ended. It has happened, so it is noted though the lease is over, but not of another's run."""

    def produced_before(self, run: Run, input_digest: str) -> Earlier | None:
        """What an ended run of the same task made from the same input, without the record of its discussion."""

    def produced(self, run: Run, made: RunProducts) -> None:
        """Note what the run made, in place of what it noted before. Raises UnsafePath, and then notes nothing."""

    def add_record(self, run: Run, files: Files) -> None:
        """The same with the record of its discussion."""

    def critiques(self, run: str) -> list[StoredCritique]:
        """The replies of perspectives that are noted."""

    def keep_critiques(self, run: Run, replies: Sequence[GivenCritique]) -> None:
        """Note replies, all or none; of each perspective the first one stays."""

    def report(self, done: Report, roles: tuple[str, ...], *, draining: bool) -> Reported:
        """Complete the run and its task, with all that follows, and open what this slot goes on with, under `done.next`.

        Raises HeadMoved, and then nothing is written.
        """

    def end(self, ended: Ended) -> None:
        """Close the run as failed or released."""

    # what was found about trees

    def check(self, session: str, tree: str, kind: str, keys: Sequence[str]) -> dict[str, Check]:
        """What is known of a tree, by key."""

    def checks(self, session: str) -> list[Check]:
        """The oldest first."""

    def add_check(
        self,
        run: Run,
        tree: str,
        kind: str,
        key: str,
        outcome: str,
        data: Mapping[str, Json],
        seconds: float = 0.0,
    ) -> Check:
        """Note a check; the first one of a tree, kind and key stays, and is returned."""

    def links(self, session: str) -> list[Link]:
        """What belongs to what, the oldest first."""
