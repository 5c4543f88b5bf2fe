"""fork: a second session from the state that another one had after a task. The source is only read.

`prepare` finds that state and says what would be taken over; `begin` makes the session in one transaction, its code first:
commits are laid beside the stores, the rows name them, and only then does the store get its place (`forked_code.py`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator import failpoints
from orchestrator.commands import forked_code, forked_mode
from orchestrator.commands.forked_code import ForkedCode, code_at
from orchestrator.commands.forked_rows import Moment, Taken, inherited, named_anew, take
from orchestrator.commands.resume import check_usable
from orchestrator.domain import budget as rules
from orchestrator.domain import ids
from orchestrator.domain.command_keys import check_key
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import NotAllowedNow
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import RunOutcome, TaskStatus
from orchestrator.domain.past import FORKED, PAID, Paused, asked_after, last_of_report, pause_after
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.pipelines import Pipeline, from_snapshot
from orchestrator.domain.plan_marks import AGENT
from orchestrator.project import Project, read_config
from orchestrator.store import decisions, forked_stores, messages, sessions, tasks, transfer
from orchestrator.store.rows import Message, Session
from orchestrator.store.run_ids import run_id
from orchestrator.store.store import Store, Tx
from orchestrator.views import lookup
from orchestrator.views.budget import budget_of

if TYPE_CHECKING:
    from orchestrator.config.settings import Settings

OPTION = "forked_from"  # of a session: its source, the task, and the digest of what was asked for
LISTED = 8  # completed tasks that a refusal names


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """The options of `fork`; None means as in the source."""

    session: str
    at: str
    who: str
    agent: str | None = None
    mode: str | None = None
    key: str | None = None
    again: bool = False  # another one, although the same was asked for before
    caps: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A checked request, ready for `begin`."""

    asked: ForkRequest
    source: Session
    task: str
    moment: Moment
    taken: Taken
    pauses: tuple[Paused, ...]  # what a person has to answer in the fork
    stopped: Paused | None  # what the source was paused for then, when that is no concern of the fork's
    pipeline: Pipeline
    budget: JsonObject | None
    settings: Settings
    inherited: list[JsonObject]
    digest: str
    runs: dict[str, str]  # of the source -> of the fork
    code: ForkedCode | None
    existing: str | None  # the session that the same request has made before

    @property
    def view(self) -> JsonObject:
        """What is taken over and what is left to do, for whoever asked."""
        documents = {row["path"] for row in self.taken.rows["artifacts"]}
        return {
            "source": self.source.id,
            "after": self.task,
            "message": self.moment.number,
            "at": self.moment.at,
            "mode": self.pipeline.mode,
            "agent": self.asked.agent,
            "title": self.source.title,
            "copied": [row["key"] for row in self.taken.rows["tasks"] if row["key"] in self.taken.kept],
            "tasks": list(self.taken.left),
            "artifacts": len(documents),
            "versions": len(self.taken.rows["artifacts"]),
            "messages": len(self.taken.rows["messages"]),
            "commits": None if self.code is None else len(self.code.line),
            "waits_for": self.pauses[0].reason if self.pauses else None,
            "inherited": {name: sum(each[name] for each in self.inherited) for name in PAID},
            "existing": self.existing,
        }


@dataclass(frozen=True, slots=True)
class Forked:
    session: str
    created: bool  # False: the same request had made it before


def prepare(project: Project, store: Store, asked: ForkRequest) -> Prepared:
    """Find the state to fork. Raises UsageError and what it knows, ConfigError; changes nothing."""
    check_key(asked.key)
    if asked.agent is not None:
        check_usable(project, asked.agent)
    flags = {"budget": asked.caps or None}
    pack, settings = read_config(project, flags)

    def read(tx: Tx) -> Prepared:
        source = lookup.session(tx, asked.session)
        task = _completed(tx, source, asked.at)
        log = messages.after(tx, source.id, 0, sessions.EVERY)
        moment = _moment(log, source.id, *task)
        log = log[: moment.number]
        _, pipeline = from_snapshot(sessions.snapshot(tx, source.id))
        rows = transfer.rows_of(tx, source.id)
        taken = take(rows, pipeline, moment, max_attempts=settings.max_attempts, agent=asked.agent)
        paid = inherited(rows, taken.kept)
        if asked.mode is not None:
            planned = forked_mode.plan_mode(source, asked.mode, pack, project, settings)
            pipeline = planned.pipeline
            taken = forked_mode.fitted(taken, planned, settings.max_attempts)
        defaults = budget_of(settings, [*taken.kept, *taken.left]) if asked.mode is not None else None
        budget = rules.inherited(defaults, source.budget, _caps(asked))
        now, _ = pause_after(log)
        pauses = asked_after(log) or _unapproved(taken, None if asked.mode else task[0])
        digest = _digest(source.id, task[0], asked)
        runs = {str(row["id"]): run_id(int(row["opened_at"])) for row in taken.rows["runs"]}
        names = {row["id"]: row["key"] for row in taken.rows["tasks"]}
        completed = next(
            str(row["id"])
            for row in taken.rows["runs"]
            if row["outcome"] == RunOutcome.COMPLETED and names[row["task_id"]] == task[0]
        )
        return Prepared(
            asked,
            source,
            task[0],
            moment,
            taken,
            pauses,
            None if now is None or now.asks else now,
            pipeline,
            budget,
            settings,
            paid,
            digest,
            runs,
            code_at(tx, source.id, taken, moment, completed),
            None if asked.again or asked.key else _made_before(tx, digest),
        )

    return store.read(read)


def _completed(tx: Tx, source: Session, key: str) -> tuple[str, int]:
    """The task's key and when it was completed. Raises UnknownName, NotAllowedNow."""
    row = lookup.task(tx, source, key)
    if row.status == TaskStatus.COMPLETED and row.finished_at is not None:
        return row.key, row.finished_at
    done = _keys_done(tx, source.id)
    listed = ", ".join(done[-LISTED:])
    raise NotAllowedNow(
        f"{row.key} is {row.status}: there is no state after it yet",
        why=f"a fork begins behind a completed task; completed: {listed or 'none so far'}",
        fix=f"lifecycle fork {source.id} --at {done[-1]}" if done else f"lifecycle why {row.key}",
    )


def _keys_done(tx: Tx, session: str) -> list[str]:
    found = [row for row in tasks.all_tasks(tx, session) if row.status == TaskStatus.COMPLETED]
    return [row.key for row in sorted(found, key=lambda row: row.finished_at or 0)]


def _moment(log: list[Message], session: str, task: str, finished_at: int) -> Moment:
    number = last_of_report(log, task, finished_at)
    if number is None:
        raise NotAllowedNow(
            f"the log of {session} does not tell how {task} was completed",
            why="without that the state behind it is not known",
            fix=f"`lifecycle repair --session {session}` checks the session",
        )
    return Moment(number, finished_at)


def _unapproved(taken: Taken, only: str | None) -> tuple[Paused, ...]:
    """The checkpoint behind a task that is taken over, that nobody has approved, and that nothing has followed.

    `only`: this task alone; None where another mode may have put a checkpoint behind any of them.
    """
    approved = {str(row["subject"]).partition(" ")[2] for row in taken.rows["decisions"] if row["digest"]}
    revised = {row["revision_of"] for row in taken.rows["tasks"]}
    names = {row["id"]: row["key"] for row in taken.rows["tasks"]}
    for row in taken.rows["tasks"]:
        key = row["key"]
        if not row["checkpoint_after"] or key not in taken.kept or key in approved | revised:
            continue
        waiting = {names[each["task_id"]] for each in taken.rows["edges"] if each["blocker_id"] == row["id"]}
        if only in (None, key) and not waiting & taken.kept:
            return (Paused(PauseReason.CHECKPOINT, {"task": key}, 0),)
    return ()


def _caps(asked: ForkRequest) -> rules.Caps:
    """The new caps, in units. Raises UsageError."""
    return rules.caps({name.removeprefix("max_"): cap for name, cap in (asked.caps or {}).items()})


def _digest(source: str, task: str, asked: ForkRequest) -> str:
    said = [source, task, asked.agent, asked.mode, dict(asked.caps or {})]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode("utf-8", "replace")).hexdigest()


def _made_before(tx: Tx, digest: str) -> str | None:
    """The newest session that the same request has made."""
    made = [
        row.id for row in sessions.all_sessions(tx) if (row.options.get(OPTION) or {}).get("digest") == digest
    ]
    return made[-1] if made else None


def begin(project: Project, store: Store, prepared: Prepared) -> Forked:
    """Make the fork; the same request makes it once, unless another one is asked for. Raises UsageError, LifecycleError."""
    code = prepared.code
    if code is None:
        found = store.write(lambda tx: _make(tx, prepared, _free_id(tx, prepared), project, None))
    else:
        with forked_stores.forking(store.workflow):
            found = None
            while found is None:  # once, unless another session takes the id meanwhile
                session = store.read(lambda tx: _free_id(tx, prepared))
                known = store.read(lambda tx: _known(tx, prepared))
                staged = None if known else forked_code.lay_out(code, project.root, session, prepared.runs)
                failpoints.hit("fork.laid_out")
                found = store.write(lambda tx: _make(tx, prepared, session, project, staged))  # noqa: B023
            forked_stores.confirm(store.workflow, found.session)
    assert found is not None
    failpoints.hit("fork.after_commit")
    return found


def _known(tx: Tx, prepared: Prepared) -> str | None:
    """The session that the same request has made. Raises UsageError where its key was for another one."""
    asked = prepared.asked
    if asked.key is not None:
        answer = decisions.answer_of(tx, asked.key, prepared.digest)
        return None if answer is None else str(answer["session"])
    return None if asked.again else _made_before(tx, prepared.digest)


def _make(tx: Tx, prepared: Prepared, session: str, project: Project, staged: Path | None) -> Forked | None:
    """The session, or the one that was made before; None where another one has the id by now."""
    tx.about(prepared.source.id)
    known = _known(tx, prepared)
    if known is not None:
        return Forked(known, created=False)
    if sessions.get(tx, prepared.source.id) is None:
        raise NotAllowedNow(
            f"{prepared.source.id} was deleted meanwhile",
            why="a fork is made of its source",
            fix="`lifecycle list` shows what is there",
        )
    if sessions.get(tx, session) is not None:
        return None
    _insert(tx, session, prepared, project)
    asked = prepared.asked
    if asked.key is not None:
        decisions.answered(tx, asked.key, "fork", session, prepared.digest, {"session": session})
    if staged is not None:
        forked_stores.take_place(tx.workflow, session, staged)
    failpoints.hit("fork.before_commit")
    return Forked(session, created=True)


def _free_id(tx: Tx, prepared: Prepared) -> str:
    title, prefix = prepared.source.title, prepared.pipeline.id_prefix
    day = datetime.fromtimestamp(tx.now / 1e6, UTC).date()
    stem = f"{prefix}-{ids.slug(title)}-{day.isoformat()}"
    taken = {*sessions.with_prefix(tx, stem), *decisions.deleted_with_prefix(tx, stem)}
    return ids.session_id(title, day, taken, prefix)


def _insert(tx: Tx, session: str, prepared: Prepared, project: Project) -> None:
    """The rows, then what the fork has of its own: who made it, and what it waits for."""
    asked, taken = prepared.asked, prepared.taken
    rows = named_anew(taken.rows, session, prepared.runs)
    origin = {"session": prepared.source.id, "task": prepared.task, "digest": prepared.digest}
    kept = {name: value for name, value in prepared.source.options.items() if name not in ("cassette", AGENT)}
    options: dict[str, Json] = {**kept, OPTION: origin}
    chosen = asked.agent or prepared.source.options.get(AGENT)
    if chosen:
        options[AGENT] = chosen
    rows["sessions"] = [
        {
            **rows["sessions"][0],
            "id": session,
            "mode": prepared.pipeline.mode,
            "workspace": str(project.root),
            "status": "active",
            "pause_reason": None,
            "pause_detail": None,
            "needs_beat": 1,
            "projected": 0,
            "archived": 0,
            "created_at": tx.now,
            "updated_at": tx.now,
            "finished_at": None,
            "options": options,
            "budget": prepared.budget,
        }
    ]
    transfer.insert_rows(tx, rows)
    if prepared.code is not None:
        forked_code.insert(tx, session, prepared.code, prepared.runs)
    words = f"after {prepared.task} of {prepared.source.id}" + (f", agent {chosen}" if chosen else "")
    decisions.decide(tx, session, f"fork {prepared.task}", asked.who, words)
    messages.event(
        tx,
        session,
        FORKED,
        f"forked by {asked.who} {words}",
        source=prepared.source.id,
        task=prepared.task,
        agent=chosen,
        mode=prepared.pipeline.mode,
        inherited=prepared.inherited,
    )
    if prepared.stopped is not None:
        reason = prepared.stopped.reason
        why = f"resumed by {asked.who}: {prepared.source.id} was paused ({reason}), its fork is not"
        messages.event(tx, session, "resumed", why, reason=reason)
    for number, pause in enumerate(prepared.pauses):
        ask = sessions.defer_approval if number else sessions.pause
        ask(tx, session, pause.reason, dict(pause.detail))
