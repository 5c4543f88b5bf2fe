"""What may be asked of a session's code: its head, its trees, its candidates. The objects themselves are in git."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.identity import ProjectId
from orchestrator.domain.json_types import JsonObject
from orchestrator.door.code_carrier import CodeCarrier
from orchestrator.store.rows import Run
from orchestrator.store.work_rows import Commit, LeftTree, Proposed, Tree, Work
from orchestrator.store.work_state import Landed, Lane, WorkState

__all__ = [
    "AgentsDoor",
    "Commit",
    "Landed",
    "Lane",
    "LeftTree",
    "ProjectId",
    "Proposed",
    "Run",
    "Tree",
    "Work",
    "WorkDesk",
    "WorkState",
]


@dataclass(frozen=True, slots=True)
class AgentsDoor:
    """Where the MCP servers of agents ask. `certificates`: of those who may sign the server's."""

    url: str
    certificates: Path | None


class WorkDesk(Protocol):
    """Each operation raises StoreError where the database cannot be reached or written.

    One that is given a run writes of that run alone, and raises LeaseLost when it is not the host's own, open, with a lease.
    """

    @property
    def project_id(self) -> ProjectId: ...

    @property
    def workflow(self) -> Path:
        """The folder of everything that this machine keeps of the project in files."""

    @property
    def carrier(self) -> CodeCarrier | None:
        """Who brings commits to the project's machine and from there; None where this is that machine."""

    @property
    def agents_door(self) -> AgentsDoor | None:
        """None where the MCP servers of agents open the database themselves."""

    def now(self) -> int:
        """The time of records, in microseconds of UTC."""

    # the head

    def work(self, session: str) -> Work | None:
        """None where the session has not begun to work."""

    def begin_work(self, session: str, origin: str, base: str, line: Sequence[tuple[str, str]] = ()) -> None:
        """Begin on `base`, with the user's commits `line` (commit, tree) on top of it; what is begun stays as it is."""

    def commits(self, session: str) -> list[Commit]:
        """What has landed, from the oldest."""

    def landed(self, session: str) -> list[Landed]:
        """The same with its tasks."""

    # the trees of runs

    def lane_for(self, run: Run, folder: Path) -> int:
        """The lane that the run should take: its chain's, else the first one that no open run uses.

        `folder`: where this machine's trees of the session are. Lanes whose tree is in another one are not taken.
        """

    def tree_in_use(self, session: str, lane: int) -> Tree | None:
        """The lane's tree that is being made or used, or waits for the next run of its chain."""

    def open_tree(self, run: Run, lane: int, folder: Path, base: str) -> Tree:
        """Give the run the lane's next generation, in `folder` as LANE-GENERATION. Raises LaneInUse, also a second time."""

    def make_live(self, run: Run, tree: int) -> Tree:
        """The run's tree is made."""

    def hand_on(self, run: Run, lane: int) -> Tree | None:
        """The lane's warm tree, now the run's; None where there is none that may go on."""

    def rebase_tree(self, run: Run, tree: int, base: str) -> Tree:
        """The run's tree was brought to `base`."""

    def left_trees(self, session: str) -> list[LeftTree]:
        """The trees on this machine whose folders are not known to be gone."""

    def retire_tree(self, session: str, tree: int) -> bool:
        """Whether the tree was in use by a run that has ended; no run ever gets it again."""

    # candidates; the report of their run makes one the head

    def propose(
        self, run: Run, input_digest: str, base: str, commit: str, tree: str, flags: Sequence[JsonObject]
    ) -> Proposed:
        """Note what the run made of its input, whose objects are stored."""

    def left_candidate(self, run: Run, input_digest: str, base: str) -> Proposed | None:
        """What an earlier run of the task left when it was lost or released, from the same input and base."""

    def take_ticket(self, run: Run, candidate: int) -> int:
        """Queue the run's candidate for landing; its ticket."""

    def drop_ticket(self, run: Run, candidate: int) -> None:
        """Leave the queue: the candidate will not land as it is."""

    def is_its_turn(self, candidate: int) -> bool:
        """Whether no candidate with a smaller ticket can still land."""

    def ahead_of(self, candidate: int) -> list[Proposed]:
        """The candidates with smaller tickets that can still land, in the order of their tickets; of one without, all."""

    # beside the user's repository: branches that follow, trees that are cleaned, what commands of people ask

    def note_published(self, session: str, branch: str, commit: str) -> None:
        """What the user's branch was moved to by us."""

    def adopt(self, session: str, seen: str, line: Sequence[tuple[str, str]]) -> bool:
        """Make the user's commits (commit, tree) ours on top of `seen`; False where the head has moved."""

    def note_publication(self, session: str, what: str, branch: str, commit: str | None, why: str) -> None:
        """Say where the work can be found now, or why not, unless that was said last."""

    def work_states(self) -> list[WorkState]:
        """Every session that has begun to work, the oldest first; elsewhere, those that hosts of that name worked in."""

    def work_state(self, session: str) -> WorkState | None:
        """None where the session has not begun to work."""

    def lanes(self, session: str) -> list[Lane]:
        """The trees whose folders are not gone, by lane and generation."""

    def discard_tree(self, session: str, tree: int) -> bool:
        """Whether the tree was retired; its folder may be deleted from now on."""

    def note_removed(self, session: str, tree: int) -> None:
        """The folder of a tree is gone."""

    def is_session(self, session: str) -> bool:
        """Whether there is such a session."""

    def is_deleted(self, session: str) -> bool:
        """Whether a person deleted the session."""

    def title(self, session: str) -> str:
        """Empty where there is no such session."""

    def newest_text(self, session: str, path: str) -> str | None:
        """The newest version of an artifact; None where there is none."""
