"""Agents recorded and replayed: a session's calls go into a folder, and come from there without any agent.

A *take* is one recorded call. What was asked again by a later attempt after it had been answered was lost with the
attempt before (its host died): only the later take counts, so that a replay gives what counted. Attempts whose agents all
failed are replayed in their order. Which take is next follows from the calls the database knows of, so that a replay
goes on after a death as the recording did.
"""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from orchestrator.domain import errors, secrets
from orchestrator.domain.dataclass import asdict, dataclass, replace
from orchestrator.domain.errors import (
    AgentCrashed,
    AgentError,
    AgentTimedOut,
    CassetteMiss,
    CassetteUnusable,
    DiskFull,
    UsageError,
)
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.prices import Estimate
from orchestrator.store import cassettes, files
from workers.agents.programs import worktree
from workers.agents.protocol import Agent, AgentReply, AgentRequest, Exit, Usage, is_metered
from workers.agents.question import Names, Question, ask_for

ANSWERED = ("answered", "mined")  # outcomes of calls that gave an answer
LATE = "late"  # how a call ended whose answer nobody waited for any longer
REPLAYED = "its agents' answers were replayed from a cassette"
DIFF_LINES = 8
DIFF_WIDTH = 120
_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})

Answer = Callable[[Agent, AgentRequest], AgentReply]


@dataclass(frozen=True)
class Called:
    """A call of this session that the database knows of and that is over."""

    run: str
    outcome: str


@dataclass(frozen=True)
class CassettePlayer:
    """One run's view of its session's cassette."""

    does: cassettes.Does
    folder: Path
    task: str
    role: str
    run: str
    epoch: int
    round: str | None
    names: Names
    environ: Mapping[str, str]
    over: threading.Event  # the run's: what its agents say after that counts for nothing

    def question(self, kind: str, prompt: str, perspective: str | None) -> Question:
        return ask_for(
            prompt,
            task=self.task,
            role=self.role,
            kind=kind,
            perspective=perspective,
            names=self.names,
            known=secrets.known(self.environ),
        )

    def agents_for(
        self, question: Question, agents: Sequence[Agent], called: Sequence[Called], answer: Answer
    ) -> list[Agent]:
        """Who is asked instead of `agents`: them, recorded, or what the cassette holds of them. Raises CassetteUnusable.

        `called`: the calls with this question so far, oldest first.
        """
        if self.does == "record":
            return [Recorded(agent.name, agent, self, question, answer) for agent in agents]
        takes = self._takes(question)
        if not takes:
            raise _miss(self, question)
        return [_Played(str(take["agent"]), take, self.folder) for take in following(takes, called, self.run)]

    def perspectives(self) -> list[str]:
        """For whom critiques of this task were recorded, one entry a call. Raises CassetteUnusable."""
        takes = [take for _, take in self.read(f"{self.task}.")]
        return [
            str(take["perspective"]) for take in takes if take["task"] == self.task and take["perspective"]
        ]

    def _takes(self, question: Question) -> list[JsonObject]:
        """All takes of a question, in the order they were recorded."""
        found = [
            take for name, take in self.read(question.stem) if take["prompt"].get("digest") == question.digest
        ]
        return sorted(found, key=lambda take: (take["attempt"], take["number"]))

    def read(self, stem: str = "") -> Iterator[tuple[str, JsonObject]]:
        """The calls whose names begin so. Raises CassetteUnusable."""
        try:
            for name in cassettes.names(self.folder):
                if name.startswith(stem):
                    yield name, cassettes.call(self.folder, name)
        except (OSError, ValueError, files.UnsafePath, UsageError) as error:
            raise _unusable(self.folder, error) from error

    def keep(self, question: Question, take: Mapping[str, Json]) -> None:
        """Write one take. Raises CassetteUnusable, DiskFull."""
        known = secrets.known(self.environ)
        try:
            mine = f"{question.stem}{self.epoch}-"
            body = {
                **secrets.mask_all(take, known),
                "kind": question.kind,
                "perspective": question.perspective,
                "role": question.role,
                "task": question.task,
                "round": self.round,
                "attempt": self.epoch,
                "number": sum(name.startswith(mine) for name in cassettes.names(self.folder)) + 1,
                "prompt": cassettes.prompt_of(
                    question.task, question.role, question.kind, question.perspective, question.parts
                ),
            }
            cassettes.keep(self.folder, body)
        except OSError as error:
            if error.errno in _DISK:
                raise DiskFull(why=f"{self.folder}: {error.strerror}") from error
            raise _unusable(self.folder, error) from error
        except (ValueError, files.UnsafePath) as error:
            raise _unusable(self.folder, error) from error


def following(takes: Sequence[JsonObject], called: Iterable[Called], run: str) -> list[JsonObject]:
    """The takes that come next: of one attempt, up to the first with an answer. The last ones are given again and again."""
    attempts = _attempts(takes)
    before: dict[str, list[str]] = {}
    for call in called:
        before.setdefault(call.run, []).append(call.outcome)
    mine = before.pop(run, [])
    at = 0
    for outcomes in before.values():  # only the last of our attempts holds an answer
        if at < len(attempts) - 1 and len(outcomes) >= len(attempts[at]):
            at += 1
    left = attempts[at][len(mine) :] or attempts[at][-1:]
    ends = next((n for n, take in enumerate(left, 1) if take["ended"] in ANSWERED), len(left))
    return list(left[:ends])


def _attempts(takes: Sequence[JsonObject]) -> list[list[JsonObject]]:
    """The takes by attempt, without those that had an answer and were asked again all the same."""
    apart: dict[int, list[JsonObject]] = {}
    for take in takes:
        apart.setdefault(take["attempt"], []).append(take)
    *earlier, last = apart.values()
    return [each for each in earlier if not any(take["ended"] in ANSWERED for take in each)] + [last]


@dataclass
class Recorded:
    """An agent whose calls are written down. `answer` asks it, and masks and checks what it says."""

    name: str
    agent: Agent
    cassette: CassettePlayer
    question: Question
    answer: Answer

    @property
    def metered(self) -> bool:
        return is_metered(self.agent)

    def available(self) -> str | None:
        return self.agent.available()

    def ask(self, request: AgentRequest) -> AgentReply:
        return self._keep("ask", request, lambda: self.answer(self.agent, request))

    def work(self, request: AgentRequest) -> AgentReply:
        return self._keep("work", request, lambda: self.answer(self.agent, replace(request, edits=True)))

    def _keep(self, does: str, request: AgentRequest, call: Callable[[], AgentReply]) -> AgentReply:
        before = worktree.state(request.place) if does == "work" else {}
        begun = time.monotonic()
        take: JsonObject = {"agent": self.agent.name, "does": does}
        try:
            reply = call()
        except AgentError as error:
            self._write(request, take | _failed(error), begun, before)
            raise
        self._write(request, take | _answered(reply), begun, before)
        return reply

    def _write(self, request: AgentRequest, take: JsonObject, begun: float, before: worktree.State) -> None:
        if self.cassette.over.is_set():  # it was stopped with its run: that is not what it had to say
            return
        if request.stop.is_set():  # only its discussion is over
            take |= {"ended": LATE}
        changed, left_out = worktree.changes(request.place, before) if take["does"] == "work" else ({}, [])
        seconds = round(time.monotonic() - begun, 3)
        self.cassette.keep(
            self.question, {**take, "files": changed, "files_left_out": left_out, "seconds": seconds}
        )


def _answered(reply: AgentReply) -> JsonObject:
    return {
        "ended": ANSWERED[reply.extracted],
        "answer": {
            "agent": reply.agent,  # as it calls itself
            "text": reply.text,
            "data": None if reply.data is None else reply.data.model_dump(mode="json"),
            "notes": list(reply.notes),
            "retries": reply.retries,
        },
        "usage": asdict(reply.usage),
        "exit": None if reply.exit is None else asdict(reply.exit),
        "error": None,
    }


def _failed(error: AgentError) -> JsonObject:
    return {
        "ended": error.kind,
        "answer": None,
        "usage": None if error.usage is None else asdict(error.usage),
        "exit": None if error.exit is None else asdict(error.exit),
        "error": {
            "class": type(error).__name__,
            "what": error.what,
            "why": error.why,
            "fix": error.fix,
            "until": getattr(error, "until", None),
            "retries": error.retries,
        },
    }


@dataclass
class _Played:
    """One take, given again. It asks nobody, and so it is free."""

    metered: ClassVar[bool] = False
    name: str
    take: Mapping[str, Json]
    folder: Path

    def available(self) -> str | None:
        return None

    def ask(self, request: AgentRequest) -> AgentReply:
        """Raises the recorded AgentError, or CassetteUnusable."""
        if self.take["ended"] == LATE:
            request.stop.wait()
            raise AgentTimedOut(f"{self.name} was stopped because its discussion is over")
        try:
            if (fault := self.take.get("error")) is not None:
                raise _error(fault, self.take)
            return _reply(self.take, request)
        except (KeyError, TypeError, ValueError) as error:
            raise _unusable(self.folder, error) from error

    def work(self, request: AgentRequest) -> AgentReply:
        """Makes the recorded changes below the request's folder. Raises as `ask` does."""
        worktree.apply(request.place, self.take.get("files") or {})
        return self.ask(request)


def _reply(take: Mapping[str, Json], request: AgentRequest) -> AgentReply:
    """Raises KeyError, TypeError or ValueError for what was not recorded so."""
    said = take["answer"]
    return AgentReply(
        text=str(said["text"]),
        data=None if request.schema is None else request.schema.model_validate(said["data"]),
        agent=str(said["agent"]),
        usage=_usage(take) or Usage(),
        retries=int(said["retries"]),
        notes=tuple(map(str, said["notes"])),
        exit=_exit(take),
        extracted=take["ended"] == ANSWERED[True],
    )


def _error(fault: Mapping[str, Json], take: Mapping[str, Json]) -> AgentError:
    kind = getattr(errors, str(fault["class"]), AgentCrashed)
    known = kind if isinstance(kind, type) and issubclass(kind, AgentError) else AgentCrashed
    made = known(str(fault["what"]), why=str(fault["why"]), fix=str(fault["fix"]))
    if isinstance(made, errors.AgentLimited):
        made.until = fault.get("until")
    made.retries = int(fault.get("retries") or 0)
    made.usage = _usage(take)
    made.exit = _exit(take)
    return made


def _usage(take: Mapping[str, Json]) -> Usage | None:
    used = take.get("usage")
    if used is None:
        return None
    estimate = used.get("estimate")
    return Usage(**{**used, "estimate": None if estimate is None else Estimate(**estimate)})


def _exit(take: Mapping[str, Json]) -> Exit | None:
    """How its process ended; None of an agent without one, and of a take of format 1."""
    ended = take.get("exit")
    return None if ended is None else Exit(str(ended["by"]), ended["code"], ended["signal"])


def _miss(cassette: CassettePlayer, question: Question) -> CassetteMiss:
    """What was asked that the cassette does not know, and what changed since the recording."""
    said = ", ".join(filter(None, [question.kind, question.perspective]))
    what = f"the cassette has no answer for {question.task} ({said})"
    fix = "undo what changed, or record the session again"
    nearest = min(
        (
            (_distance(question, take), name, take)
            for name, take in cassette.read()
            if take["kind"] == question.kind
        ),
        key=lambda found: found[:2],
        default=None,
    )
    if nearest is None:
        return CassetteMiss(what, why=f"nothing like it was recorded in {cassette.folder}", fix=fix)
    _, name, take = nearest
    recorded = _parts(take)
    asked = dict(question.parts)
    changed = [part for part in {**recorded, **asked} if recorded.get(part) != asked.get(part)]
    if (take["task"], take["perspective"], take["role"]) != (
        question.task,
        question.perspective,
        question.role,
    ):
        changed.append("who is asked")
    first = changed[0] if changed else ""
    shown = _diff(recorded.get(first, ""), asked.get(first, ""))
    why = f"nearest is {name}; changed: {', '.join(changed)}; {first!r}: {shown}"
    if recorded.get(first, "").count(secrets.MASK) > asked.get(first, "").count(secrets.MASK):
        fix = f"write {secrets.MASK} where a secret was, or set the variable that holds it; else {fix}"
    return CassetteMiss(what, why=why, fix=fix, nearest=name, changed=changed)


def _parts(take: Mapping[str, Json]) -> dict[str, str]:
    return {str(part["name"]): str(part["text"]) for part in take["prompt"]["parts"]}


def _distance(question: Question, take: Mapping[str, Json]) -> tuple[bool, bool, int]:
    recorded = _parts(take)
    asked = dict(question.parts)
    unlike = sum(recorded.get(part) != asked.get(part) for part in {**recorded, **asked})
    return take["task"] != question.task, take["perspective"] != question.perspective, unlike


def _diff(before: str, after: str) -> str:
    """The first lines that differ, `-` as recorded and `+` as asked, on one line."""
    import difflib

    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    told = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    shown = [line if len(line) <= DIFF_WIDTH else f"{line[:DIFF_WIDTH]}..." for line in told[:DIFF_LINES]]
    more = f" ({len(told) - DIFF_LINES} more)" if len(told) > DIFF_LINES else ""
    return " | ".join(shown) + more


def _unusable(folder: Path, error: Exception) -> CassetteUnusable:
    why = error.why or error.what if isinstance(error, errors.LifecycleError) else str(error)
    return CassetteUnusable(
        "the session's cassette cannot be used", why=f"{folder}: {why}", fix="put the folder back, or cancel"
    )
