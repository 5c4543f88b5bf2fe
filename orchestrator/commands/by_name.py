"""Any command that changes a session, by its name and with validated arguments, for MCP and the web."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from orchestrator.commands import advise, manage, rebase, repair, resume, rework
from orchestrator.commands import command_arguments as given
from orchestrator.commands.caller import Caller, exclude
from orchestrator.commands.reworked import Reworked
from orchestrator.commands.words import check_words
from orchestrator.domain.approvals import parse_token
from orchestrator.domain.budget import Caps, caps
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.store import sessions
from orchestrator.store.store import Store

if TYPE_CHECKING:
    from orchestrator.config.settings import Settings

_CAPS = ("max_usd", "max_tokens", "max_turns", "max_minutes")


@dataclass(frozen=True, slots=True)
class _Done:
    session: str
    says: str
    more: JsonObject
    stopped: Sequence[str] = ()  # runs whose agents must stop now
    works: bool = True  # whether there is work for the coordinator now
    writes: bool = True  # whether files of sessions may be written: not from a database that may be damaged
    repeated: bool = False  # it was applied before, under the same key


@dataclass(frozen=True, slots=True)
class _Given:
    """What a command is given besides its arguments."""

    caller: Caller
    store: Store
    settings: Settings

    @property
    def who(self) -> str:
        return self.caller.who


def _words(asked: given.SessionCommand) -> str:
    return check_words(asked.words or "")


def _resume(at: _Given, asked: given.SessionCommand) -> _Done:
    if asked.agent is not None and asked.retry is None:
        raise UsageError("agent needs retry", fix="name the failed task in retry")
    exclude(asked, "retry", "skip")
    exclude(asked, "retry", "force")
    exclude(asked, "decide", "force")
    if asked.decide is not None and not asked.decide.strip():
        raise UsageError("decide needs a text", fix="give the decision in it")
    decide = None if asked.decide is None else check_words(asked.decide)
    expect = None if asked.expect is None else parse_token(asked.expect)
    answer = resume.Answer(
        at.who,
        _words(asked),
        bool(asked.force),
        asked.retry,
        asked.agent,
        asked.skip,
        decide,
        caps=_caps(asked),
        expect=expect,
    )
    if asked.agent is not None and asked.retry is not None:
        known = at.store.read(resume.command(asked.session, answer, asked.key).answer)
        if known is None:  # else it was checked when it was applied
            resume.check_agent(at.caller.project, asked.agent, asked.retry)
    done = resume.resume(
        at.store, asked.session, answer, more_attempts=at.settings.max_attempts, key=asked.key
    )
    more = {"answered": done.reason, "recovered": list(done.recovered), "warnings": list(done.warnings)}
    return _Done(done.session, "resumed", more, done.released, repeated=done.repeated)


def _reworked(done: Reworked, **more: object) -> _Done:
    return _Done(
        done.session, done.why, {"made": list(done.made), **more}, done.released, repeated=done.repeated
    )


def _revise(at: _Given, asked: given.SessionCommand) -> _Done:
    if asked.task is None:
        raise UsageError(
            "task is missing", why="revise makes a new version of a completed task", fix="name it"
        )
    return _reworked(
        rework.revise(
            at.store,
            asked.session,
            asked.task,
            asked.text or "",
            force=bool(asked.force),
            who=at.who,
            max_attempts=at.settings.max_attempts,
            key=asked.key,
        )
    )


def _feedback(at: _Given, asked: given.SessionCommand) -> _Done:
    done, target = rework.feedback(
        at.store,
        asked.session,
        asked.text or "",
        who=at.who,
        max_attempts=at.settings.max_attempts,
        key=asked.key,
        task=asked.task,
        force=bool(asked.force),
    )
    return _reworked(done, action=target.action, task=target.task, because=target.why)


def _recheck(at: _Given, asked: given.SessionCommand) -> _Done:
    return _reworked(
        rework.recheck(
            at.store, asked.session, who=at.who, max_attempts=at.settings.max_attempts, key=asked.key
        )
    )


def _advise(at: _Given, asked: given.SessionCommand) -> _Done:
    question = advise.asked(asked.text, asked.mode, asked.task)
    done = advise.advise(
        at.store, asked.session, question, who=at.who, max_attempts=at.settings.max_attempts, key=asked.key
    )
    return _reworked(done, state=done.state)


def _rebase(at: _Given, asked: given.SessionCommand) -> _Done:
    project = at.store.workflow.parent
    return _reworked(
        rebase.rebase(
            at.store, project, asked.session, who=at.who, max_attempts=at.settings.max_attempts, key=asked.key
        )
    )


def _improve(at: _Given, asked: given.SessionCommand) -> _Done:
    return _reworked(
        rework.improve(
            at.store,
            asked.session,
            asked.dimension,
            who=at.who,
            max_attempts=at.settings.max_attempts,
            key=asked.key,
        )
    )


def _pause(at: _Given, asked: given.SessionCommand) -> _Done:
    done = manage.pause(at.store, asked.session, who=at.who, words=_words(asked), key=asked.key)
    return _Done(done.session, "paused", {}, works=False, repeated=done.repeated)


def _cancel(at: _Given, asked: given.SessionCommand) -> _Done:
    done = manage.cancel(at.store, asked.session, who=at.who, words=_words(asked), key=asked.key)
    return _Done(done.session, "cancelled", {}, done.stopped, works=False, repeated=done.repeated)


def _archive(at: _Given, asked: given.SessionCommand) -> _Done:
    if asked.session is None:
        raise UsageError("session is missing", why="archive hides the session you name", fix="name it")
    done = manage.archive(at.store, asked.session, restore=bool(asked.restore), key=asked.key)
    return _Done(
        done.session, "shown again" if asked.restore else "archived", {}, works=False, repeated=done.repeated
    )


def _repair(at: _Given, asked: given.SessionCommand) -> _Done:
    found = repair.repair(at.store, asked.session, asked.key)
    repeated = bool(found.pop("repeated"))
    return _Done(found["session"], "repaired", found, works=False, writes=False, repeated=repeated)


def _caps(asked: given.SessionCommand) -> Caps:
    named = {
        name.removeprefix("max_"): cap for name in _CAPS if (cap := getattr(asked, name, None)) is not None
    }
    return caps(named)


_Command = Callable[[_Given, given.SessionCommand], _Done]
COMMANDS: dict[str, tuple[_Command, set[str]]] = {
    "resume": (_resume, {"force", "retry", "agent", "skip", "decide", "words", "expect"}),
    "revise": (_revise, {"task", "text", "force"}),
    "feedback": (_feedback, {"text", "task", "force"}),
    "recheck": (_recheck, set()),
    "improve": (_improve, {"dimension"}),
    "advise": (_advise, {"text", "mode", "task"}),
    "rebase": (_rebase, set()),
    "pause": (_pause, {"words"}),
    "cancel": (_cancel, {"words"}),
    "archive": (_archive, {"restore"}),
    "repair": (_repair, set()),
}


EVERY = {"session", "key"}  # what every command takes


def run(caller: Caller, asked: given.SessionCommand) -> JsonObject:
    """Apply the command, wake who has to know, and return what it did. Raises LifecycleError as the command does.

    `repeated`: it was applied before under its key; what it did then is returned, with the state of now.
    """
    do, known = COMMANDS[asked.command]
    takes = known | set(_CAPS) if asked.command == "resume" else known
    if strange := asked.given() - takes - EVERY - {"command"}:
        raise UsageError(
            f"{asked.command} does not take {', '.join(sorted(strange))}",
            why=f"it takes {', '.join(sorted(known | EVERY))}",
            fix="leave the others out",
        )
    with caller.changing() as (store, settings):
        done = do(_Given(caller, store, settings), asked)
        warnings = caller.wake(
            store, settings, done.session, done.stopped, works=done.works, writes=done.writes
        )
        now = store.read(lambda tx: sessions.get(tx, done.session))
    return {
        **done.more,
        "warnings": [*done.more.get("warnings", ()), *warnings],
        "session": done.session,
        "done": done.says,
        "status": now.status if now else None,  # deleted since the command that is repeated
        "pause_reason": now.pause_reason if now else None,
        "repeated": done.repeated,
    }
