"""What a run knows: its task, its session, what came before; and its fence, through which it writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from orchestrator.config.settings import Settings
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import CassetteUnusable, LeaseLost, StoreError
from orchestrator.domain.json_types import Json
from orchestrator.domain.pipelines import Pack
from orchestrator.door.desk import Artifact, Decision, Desk, Run, Session, StoredVerdict
from orchestrator.log import Logger
from workers.git.checkouts import project_folder, trees_folder
from workers.host.live_runs import LiveRun
from workers.host.turns import Turns

DECIDED = "decide_discussion"  # how the subjects of these decisions begin


class RunReleased(Exception):
    """The run was asked to end; its task goes back, and the attempt does not count."""


class ProgramReplaced(RunReleased):
    """The program was replaced under the worker host, which ends."""


@dataclass
class RunContext:
    """One run's view. Everything that it writes names the run, which is the fence."""

    live: LiveRun
    desk: Desk
    session: Session
    pack: Pack  # the session's own snapshot
    settings: Settings
    workdir: Path  # private to the run
    project: Path
    artifacts: Mapping[str, Artifact]  # newest version of each path
    wisdom: Mapping[str, list[str]]
    accumulator: Sequence[Mapping[str, Json]]
    verdicts: Sequence[StoredVerdict]  # of the session, oldest first
    decisions: Sequence[Decision]
    instructions: str  # of the role, read afresh
    critic_instructions: str  # of the discussant, for every critical question
    input_digest: str
    log: Logger
    turns: Turns  # of changes, of all runs of this host
    replaced: Callable[[BaseException], bool] = lambda _: (
        False
    )  # whether the program was, under what has failed
    cannot_go_on: CassetteUnusable | None = None  # what it would make would not be what was recorded
    notes: list[str] = field(default_factory=list)
    unmet: list[str] = field(default_factory=list)  # words of a person that the agent could not act on
    _texts: dict[str, str] = field(
        default_factory=dict, init=False
    )  # digest -> text, of what was read before

    @property
    def row(self) -> Run:
        return self.live.row

    @property
    def payload(self) -> Mapping[str, Json]:
        return self.row.payload

    @property
    def workflow(self) -> Path:
        """The folder of everything that this machine keeps of the project in files."""
        return self.desk.workflow

    @property
    def trees(self) -> Path:
        """Where the private trees of this project are."""
        return project_folder(trees_folder(self.settings.work.trees), self.desk.project_id)

    def check(self) -> None:
        """Pass while the run may go on. Raises LeaseLost, RunReleased, CassetteUnusable."""
        if self.live.is_over:
            if self.live.why == "drained":
                raise RunReleased
            raise LeaseLost(run=self.row.run, why=self.live.why or "lease")
        if self.cannot_go_on is not None:
            raise self.cannot_go_on

    def end_if_replaced(self, error: BaseException) -> None:
        """Pass where an `error` that nothing explains is one of this program, which may note it and go on.

        Raises ProgramReplaced: half of what ran was of another one, and its result would not be what either makes.
        """
        if self.replaced(error):
            raise ProgramReplaced(f"{type(error).__name__}: {error}") from error

    def phase(self, name: str) -> None:
        """Say which of the five phases the run is in."""
        self.check()
        self.desk.phase(self.row, name)

    def text(self, path: str) -> str | None:
        """The newest version of an artifact as text, None when there is none."""
        row = self.artifacts.get(path)
        if row is None:
            return None
        if row.sha256 not in self._texts:  # each is asked for several times, of another machine perhaps
            self._texts[row.sha256] = self.desk.content(row.sha256).decode("utf-8", "replace")
        return self._texts[row.sha256]

    def json(self, path: str) -> Json:
        """The newest version of a JSON artifact; None when there is none. Raises StoreError when it is no JSON."""
        text = self.text(path)
        if text is None:
            return None
        try:
            return json.loads(text)
        except ValueError as error:
            raise StoreError(
                f"{path} is not JSON any more", why=str(error), fix=f"`lifecycle diff {path}` shows the edit"
            ) from error


def storable(text: str) -> str:
    """`text` as a database takes it: lone surrogates replaced."""
    return text.encode("utf-8", "replace").decode()


def answered(row: Run, decisions: Sequence[Decision]) -> list[str]:
    """A person's words in the discussions before this task: what it makes has to answer them."""
    own = decision_on(row)
    return [d.words for d in decisions if d.subject.startswith(DECIDED) and d.subject != own]


def decision_on(row: Run) -> str:
    """The subject of a person's decision on the discussion that this task is."""
    return f"{DECIDED} {row.key}"
