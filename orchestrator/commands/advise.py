"""advise: ask the architect about a session: one transaction makes the task, and nothing waits for it (docs/advice.md)."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.commands import once
from orchestrator.commands.reworked import Reworked
from orchestrator.commands.words import check_words
from orchestrator.domain import ids
from orchestrator.domain.concerns import ARCH, AT, MODE, QUESTION, AdviceMode
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.documents import Catalogue
from orchestrator.domain.dynamic import MODE as DYNAMIC
from orchestrator.domain.errors import NotAllowedNow, UnknownName, UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import SATISFIED, UNFINISHED, SessionStatus, TaskState, TaskStatus
from orchestrator.domain.pauses import ADVISED
from orchestrator.domain.plan_marks import PLANS
from orchestrator.lifecycle import rework
from orchestrator.store import decisions, messages, sessions, tasks, work
from orchestrator.store.rows import Session, Task
from orchestrator.store.store import Store, Tx
from orchestrator.views import lookup

QUESTION_LIMIT = 4_000  # characters
OPEN = 5  # pieces of advice of one session that may be under way
MODES = tuple(mode.value for mode in AdviceMode)
DESIGN = "architecture"  # the model of the document that mode spec is about


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person wants to know."""

    question: str = ""
    mode: AdviceMode | None = None  # None: consult with a question, else by what is there
    at: str | None = None  # the task after which it is given


def asked(question: str | None, mode: str | None, at: str | None) -> Asked:
    """Check what was given. Raises UnknownName, UsageError."""
    if mode is not None and mode not in MODES:
        raise UnknownName("mode of advice", mode, MODES)
    if question is not None and not question.strip():
        raise UsageError("the question is empty", why="it has no words", fix='lifecycle advise "..."')
    if question is not None and len(question) > QUESTION_LIMIT:
        raise UsageError(
            "the question is too long",
            why=f"{len(question)} characters, at most {QUESTION_LIMIT}",
            fix="shorten it, and name the file that has the details",
        )
    if mode == AdviceMode.CONSULT and question is None:
        raise UsageError(
            "mode consult needs a question", why="it answers one", fix='lifecycle advise "..." --mode consult'
        )
    words = check_words(question or "")
    return Asked(words, None if mode is None else AdviceMode(mode), at)


def advise(
    store: Store, name: str | None, given: Asked, *, who: str, max_attempts: int, key: str | None = None
) -> Reworked:
    """Make the task of the advice; a completed session is opened for it. Raises UnknownName, NotAllowedNow, UsageError."""
    command = once.command(
        "advise", key, session=name, question=given.question, mode=given.mode, at=given.at, who=who
    )

    def unit(tx: Tx) -> Reworked:
        session = lookup.alive(lookup.session(tx, name, finished=True))
        _refuse_archived(session)
        pack = sessions.pack(tx, session.id)
        role = next((each for each in pack.roles.values() if ARCH in each.prefixes and each.installed), None)
        if role is None:
            raise NotAllowedNow(
                f"{session.id} has no architect",
                why="its team was put together without one"
                + (", as in every session of mode dynamic" if session.mode == DYNAMIC else ""),
                fix="ask in a session of another mode"
                if session.mode == DYNAMIC
                else "start a new session; `installed` of the role architect in your packs decides",
            )
        rows = tasks.all_tasks(tx, session.id)
        _refuse_many(rows)
        begun = work.work_of(tx, session.id)
        landed = begun is not None and begun.head != begun.base
        mode = given.mode or _mode(given, rows, pack.documents, landed)
        about = _about(tx, session, given, mode, rows, pack.documents)
        new = _key(mode, rows)
        blockers = tuple(row.key for row in about if row.status not in SATISFIED)
        phase = about[-1].phase if about else rows[-1].phase
        state = TaskState(new, role.name, ARCH, TaskStatus.PENDING, blockers, phase=phase)
        payload: JsonObject = {
            MODE: mode.value,
            QUESTION: given.question,
            AT: about[-1].key if about else None,
            "asked_by": who,
        }
        rework.add_tasks(tx, session.id, (state,), max_attempts, lambda _: payload)
        decisions.decide(tx, session.id, f"advise {new}", who, given.question or f"({mode})")
        why = f"{new} asks the architect ({mode})" + (f", behind {', '.join(blockers)}" if blockers else "")
        messages.event(tx, session.id, "advise", why, task=new, mode=mode.value)
        return Reworked(session.id, (new,), (), why, _go_on(tx, session, blockers))

    return once.apply_once(store, command, Reworked, unit)


def _refuse_archived(session: Session) -> None:
    if session.archived:
        raise NotAllowedNow(
            f"{session.id} is archived",
            why="an archived session takes no new tasks",
            fix=f"lifecycle archive {session.id} --restore",
        )


def _refuse_many(rows: Sequence[Task]) -> None:
    waiting = [row.key for row in rows if row.prefix == ARCH and row.status in UNFINISHED]
    if len(waiting) >= OPEN:
        raise NotAllowedNow(
            f"{len(waiting)} pieces of advice are under way",
            why=", ".join(waiting),
            fix="wait until one of them is there: `lifecycle check`",
        )


def _mode(given: Asked, rows: Sequence[Task], catalogue: Catalogue, landed: bool) -> AdviceMode:
    """consult with a question; else the newest of code, plan and specification that is there. Raises UsageError."""
    if given.question:
        return AdviceMode.CONSULT
    done = [row for row in rows if row.status == TaskStatus.COMPLETED]
    if landed:
        return AdviceMode.CODE
    if any(row.prefix == PLANS for row in done):
        return AdviceMode.PLAN
    if any(_is_design(row, catalogue) for row in done):
        return AdviceMode.SPEC
    raise UsageError(
        "there is nothing to advise on yet",
        why="neither a question is given, nor is an architecture, a plan or code there",
        fix=f'lifecycle advise "..." | lifecycle advise --mode {"|".join(MODES)}',
    )


def _about(
    tx: Tx, session: Session, given: Asked, mode: AdviceMode, rows: Sequence[Task], catalogue: Catalogue
) -> list[Task]:
    """The tasks that come first: the one that is named, else those that make what the mode is about. Raises NotAllowedNow."""
    if given.at is not None:
        found = [lookup.task(tx, session, given.at)]
    elif mode is AdviceMode.SPEC:
        found = [row for row in rows if _is_design(row, catalogue)][-1:]
    elif mode is AdviceMode.PLAN:
        found = [row for row in rows if row.prefix == PLANS][-1:]
    else:
        return []
    if not found:
        what = "no architecture" if mode is AdviceMode.SPEC else "no plan"
        raise NotAllowedNow(
            f"{session.id} has {what}",
            why=f"mode {session.mode} makes none",
            fix='lifecycle advise "..." asks a question; --mode code looks at the code',
        )
    over = [row for row in found if row.status in (TaskStatus.FAILED, TaskStatus.CANCELLED)]
    if over:
        raise NotAllowedNow(
            f"{over[0].key} is {over[0].status}",
            why="advice behind it would wait for ever",
            fix=f"lifecycle why {over[0].key}",
        )
    return found


def _is_design(row: Task, catalogue: Catalogue) -> bool:
    made = catalogue.of_task(row.key)
    return made is not None and made.model == DESIGN


def _key(mode: AdviceMode, rows: Sequence[Task]) -> str:
    stem = f"{ARCH}-{mode.value.upper()}"
    numbers = [int(ids.parse_key(row.key).base[-3:]) for row in rows if ids.parse_key(row.key).stem == stem]
    return f"{stem}-{1 + max(numbers, default=0):03d}"


def _go_on(tx: Tx, session: Session, blockers: Sequence[str]) -> str:
    """Open a completed session for it; a paused one stays as it is. When it is given, in words."""
    if session.status == SessionStatus.COMPLETED:
        sessions.reopen(tx, session.id)
    sessions.request_beat(tx, session.id)
    if session.status != SessionStatus.PAUSED:
        return ""
    if session.pause_reason in ADVISED and not blockers:
        return f"{session.id} stays paused ({session.pause_reason}); the advice comes meanwhile"
    return f"{session.id} is paused ({session.pause_reason}): the advice comes when it goes on"
