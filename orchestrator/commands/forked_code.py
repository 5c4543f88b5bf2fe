"""The code of a fork: what its source had landed by then, and the evidence about it, as the fork's own."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from orchestrator.commands.forked_rows import Moment, Taken
from orchestrator.dispatch.asking import have_done
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import NotAllowedNow
from orchestrator.domain.plan_marks import PLAN_TASK
from orchestrator.store import checks, work
from orchestrator.store.store import Tx
from orchestrator.store.work_rows import Commit


@dataclass(frozen=True, slots=True)
class ForkedCode:
    """What a session had landed at a moment, from the oldest commit."""

    source: str
    origin: str
    base: str
    line: tuple[Commit, ...]
    moment: Moment
    run: str  # of the task behind which the fork begins: stands for runs that are not taken over

    @property
    def head(self) -> str:
        return self.line[-1].commit_id if self.line else self.base


def code_at(tx: Tx, source: str, taken: Taken, moment: Moment, run: str) -> ForkedCode | None:
    """The session's work then; None where it had not begun. Raises NotAllowedNow for code that is not here."""
    found = work.work_of(tx, source)
    if found is None or found.created_at > moment.at:
        built = [
            row["key"]
            for row in taken.rows["tasks"]
            if row["key"] in taken.kept and PLAN_TASK in row["payload"]
        ]
        if built:
            raise NotAllowedNow(
                f"the code of {source} is not here",
                why=f"{built[0]} changed code, and the session was imported without it",
                fix="fork it where it was exported, or at a task before the first that changes code",
            )
        return None
    kept = {row["id"] for row in taken.rows["runs"]}
    commits = work.commits_of(tx, source)
    last = max(
        (
            each.number
            for each in commits
            if (each.run_id in kept if each.run_id is not None else each.created_at <= moment.at)
        ),
        default=0,
    )
    line = tuple(each for each in commits if each.number <= last)
    return ForkedCode(source, found.origin, found.base, line, moment, run)


def lay_out(code: ForkedCode, project: Path, session: str, runs: Mapping[str, str]) -> Path:
    """Have the store of the fork made; where it lies. Raises LifecycleError."""
    made = {each.commit_id: runs[each.run_id] for each in code.line if each.run_id is not None}
    with tempfile.NamedTemporaryFile("w", prefix="lifecycle-", suffix=".json", encoding="utf-8") as file:
        json.dump(made, file)
        file.flush()
        given = ("--session", code.source, "--to", session, "--head", code.head, "--runs", file.name)
        return Path(have_done("fork", project, *given)["store"])


def insert(tx: Tx, session: str, code: ForkedCode, runs: Mapping[str, str]) -> None:
    """The rows of the fork's work: base, commits, checks and links."""
    line = [
        (each.commit_id, each.tree_id, None if each.run_id is None else runs[each.run_id])
        for each in code.line
    ]
    work.restore(tx, session, code.origin, code.base, line)
    checks.take_over(tx, code.source, session, runs, until=code.moment.at, otherwise=runs[code.run])
