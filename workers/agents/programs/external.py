"""An agent that is a program: it is started under a guardian for each turn, and its output is read as evidence.

What differs from program to program is its `Dialect`: how it is called, and what its output says. Everything else is
here: timeouts, the end of a run, one repair turn, one nudge to finish, what is picked out of prose.
"""

from __future__ import annotations

import os
import shutil
import stat
import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from pydantic import BaseModel

from orchestrator.domain import secrets
from orchestrator.domain.dataclass import replace
from orchestrator.domain.errors import (
    AgentCrashed,
    AgentError,
    AgentRubbish,
    AgentTimedOut,
    AgentUnavailable,
)
from workers.agents.extraction import extract
from workers.agents.findings import KEPT, not_friendlier, with_findings
from workers.agents.pointing import UNPLACED
from workers.agents.programs.dialect import Call, Dialect
from workers.agents.programs.editing import run_editing
from workers.agents.programs.endings import TIMEOUTS, error_of, how, stopped
from workers.agents.programs.process import (
    Confinement,
    GuardedProcess,
    Output,
    RunResult,
    agent_environment,
    private_folder,
)
from workers.agents.programs.read_only import run_read_only
from workers.agents.programs.turn import Turn, Turns, parsed
from workers.agents.protocol import AgentReply, AgentRequest, Exit, Timeouts
from workers.agents.repairing import NUDGE, SHOWN, fault_of, repair_prompt

FIRST_LEASE = 5.0  # seconds; the host extends it as soon as it knows the guardian
NUDGE_SECONDS = 120.0  # for the answer, when an agent was stopped and is asked to finish
POLL_SECONDS = 0.2  # between two checks of `request.stop`
STDERR_TAIL = 10_000  # bytes: more than is quoted, so that no cut lies in a secret, and a whole line of usage
WATCHED = 256 * 1024  # bytes at the end of the output that are looked at while the program runs
_QUIET = ("silence", "turn")


class ExternalAgent:
    """Runs a program by its dialect. Of `environ`, read at each call, it sees the usual names and `env`.

    `timeouts` are the agent's own; without them the request's hold, save that a program which is silent while it thinks
    is normal: start and silence are off. `version`: what it is called with to tell its version, where it can. `confine`: it
    cannot write to the project in read-only (ask) mode. `slots` bounds the agent processes of this host.
    """

    def __init__(
        self,
        name: str,
        program: str,
        dialect: Dialect,
        *,
        environ: Mapping[str, str],
        env: Sequence[str] = (),
        version: Sequence[str] = (),
        timeouts: Timeouts | None = None,
        edits_files: bool = False,
        confine: bool = True,
        slots: threading.Semaphore | None = None,
    ) -> None:
        self.name = name
        self.program = program
        self.environ = environ
        self.version = version
        self._dialect = dialect
        self._env = tuple(env)
        self._timeouts = timeouts
        self.edits_files = edits_files
        self._confine = confine
        self._slots = slots or threading.Semaphore()

    def available(self) -> str | None:
        if shutil.which(self.program, path=self.environ.get("PATH")) is None:
            return f"{self.name}: the program {self.program!r} is not installed or not on PATH"
        return None

    def ask(self, request: AgentRequest) -> AgentReply:
        """Raises an AgentError by the class of what went wrong, with what was used up to then."""
        turns = Turns()
        try:
            return replace(self._asked(request, turns), usage=turns.total, exit=turns.exit)
        except AgentError as error:
            error.usage, error.retries = turns.total, max(0, len(turns.used) - 1)
            error.exit = turns.exit
            raise

    def _asked(self, request: AgentRequest, turns: Turns) -> AgentReply:
        if (fault := self.available()) is not None:
            raise AgentUnavailable(fault, fix=f"install it, or change `agents.{self.name}`")
        timeouts = self._timeouts or request.timeouts
        if self._timeouts is None and not self._dialect.streams:
            timeouts = replace(timeouts, start=None, silence=None)
        until = None if timeouts.total is None else time.monotonic() + timeouts.total
        resume = request.resume if self._dialect.can_resume else None
        first = self._answered(request, timeouts, until, resume, turns)
        if first.good:
            return self._placed(request, first, timeouts, until, turns)
        try:
            second = self._repaired(
                request, first, first.parsed.fault, request.prompt, timeouts, until, turns
            )
        except AgentError as error:
            if first.parsed.model is None:
                error.readable = error.readable or first.readable(request.schema)
                raise
            return self._reply(first, retries=1)
        before = first.readable(request.schema)
        for turn in (second, first):
            if turn.good or turn.parsed.model is not None:
                return self._reply(turn, retries=1, before=before)
        for turn in (second, first):
            notes: list[str] = []
            extracted = extract(turn.output.text, request.schema, notes.append) if request.schema else None
            if extracted is not None:
                output = with_findings(extracted, before)
                return replace(
                    self._reply(turn, retries=1), data=output, notes=(*turn.notes, *notes), extracted=True
                )
        raise AgentRubbish(
            f"{self.name} gave no usable answer, also after one repair", why=second.parsed.fault
        )

    def _placed(
        self, request: AgentRequest, first: Turn, timeouts: Timeouts, until: float | None, turns: Turns
    ) -> AgentReply:
        """The answer; a critique that points to no place of what it judges is asked once for one."""
        places = request.places
        fault = places.fault(first.parsed.model) if places else None
        if places is None or fault is None:
            return self._reply(first)
        try:
            second = self._repaired(request, first, fault, places.prompt, timeouts, until, turns)
        except AgentError:
            self._must_go_on(request)
            return self._reply(first.noted(UNPLACED), retries=1)
        given, before = second.parsed.model, first.parsed.model
        if given is None or before is None or places.fault(given) is not None:
            return self._reply(first.noted(UNPLACED), retries=1)
        return replace(self._reply(second, retries=1), data=not_friendlier(given, before))

    def work(self, request: AgentRequest) -> AgentReply:
        """Like `ask`, for a program that edits files in its current folder."""
        if not self.edits_files:
            raise AgentUnavailable(
                f"{self.name} is not set up to edit files", fix=f"set `agents.{self.name}.edits_files`"
            )
        return self.ask(replace(request, edits=True))

    def _reply(self, turn: Turn, retries: int = 0, before: BaseModel | None = None) -> AgentReply:
        """`before`: what could be read of an answer that had to be given again."""
        given = turn.parsed.model
        data = given and with_findings(given, before)
        return AgentReply(
            turn.output.text,
            data,
            self.name,
            retries=retries,
            notes=(*turn.notes, *turn.parsed.told, *([KEPT] if data != given else [])),
            client_session=turn.output.session,
        )

    # turns

    def _repaired(
        self,
        request: AgentRequest,
        first: Turn,
        fault: str,
        prompt: str,
        timeouts: Timeouts,
        until: float | None,
        turns: Turns,
    ) -> Turn:
        """Ask again with the fault named: in the same conversation where there is one, else with `prompt`."""
        session = first.output.session if self._dialect.can_resume else None
        if session is not None:
            try:
                return self._turn(request, fault_of(fault), _left(timeouts, until), session, turns)
            except AgentCrashed:  # it cannot go on with it
                self._must_go_on(request)
        return self._turn(
            request,
            repair_prompt(prompt, first.output.text, fault),
            _left(timeouts, until),
            None,
            turns,
        )

    def _answered(
        self,
        request: AgentRequest,
        timeouts: Timeouts,
        until: float | None,
        resume: str | None,
        turns: Turns,
    ) -> Turn:
        """A turn; a conversation that is not there any more is begun anew, one that takes too long asked to finish."""
        prompt = request.prompt if resume is None or request.news is None else request.news
        try:
            return self._turn(request, prompt, timeouts, resume, turns)
        except AgentTimedOut as late:
            if late.conversation is None:
                raise
            left = _left(timeouts, until)
            turn = min(NUDGE_SECONDS, left.turn or NUDGE_SECONDS)
            try:
                nudged = self._turn(request, NUDGE, replace(left, turn=turn), late.conversation, turns)
            except AgentError:
                raise late from None
            return nudged.noted("it took too long and was asked to finish")
        except AgentCrashed:
            if resume is None:
                raise
            self._must_go_on(request)
            return self._turn(request, request.prompt, _left(timeouts, until), None, turns).noted(
                "its conversation was not there any more"
            )

    def _must_go_on(self, request: AgentRequest) -> None:
        if request.stop.is_set():
            raise stopped(self.name)

    def _turn(
        self, request: AgentRequest, prompt: str, timeouts: Timeouts, resume: str | None, turns: Turns
    ) -> Turn:
        """Run the program once. What it printed counts; how it ended decides only when nothing of that can be used."""
        while not self._slots.acquire(timeout=POLL_SECONDS):
            if request.stop.is_set():
                raise stopped(self.name)
        try:
            result = self._run(request, prompt, timeouts, resume)
        finally:
            self._slots.release()
        ended, out, errors = result.ended, result.out, result.errors
        output = self._dialect.parse_output(out.text, errors.text, ended, resume)
        turns.used.append(output.usage)
        turns.exit = Exit(ended.ended_by, ended.exit, ended.signal)
        if result.early is not None or output.fault is not None:
            raise _with(result.changed, self._named(result.early or output.fault))
        turn = Turn(output, (*out.notes, *output.notes, *result.changed), parsed(output, request))
        well = ended.ended_by == "exited" and ended.exit == 0
        if well or (ended.ended_by == "exited" and turn.parsed.model is not None):
            return turn if well else turn.noted(f"it ended by {how(ended)}; its answer counts")
        if turn.good and ended.ended_by in TIMEOUTS and request.schema is not None:
            return turn.noted(f"it was stopped ({ended.ended_by} limit) after it had answered")
        known = secrets.known(agent_environment(self.environ, self._env, {}))
        error = error_of(self.name, ended, _shown(errors, known) or _shown(out, known), timeouts)
        if isinstance(error, AgentTimedOut) and ended.ended_by in _QUIET and self._dialect.can_resume:
            error.conversation = output.session
        error.readable = turn.readable(request.schema)
        raise _with(result.changed, error)

    def _named(self, fault: AgentError | None) -> AgentError:
        assert fault is not None
        known = secrets.known(agent_environment(self.environ, self._env, {}))
        fault.what = f"{self.name}: {fault.what}"
        fault.why = secrets.mask(fault.why, known)
        return fault

    def _run(self, request: AgentRequest, prompt: str, timeouts: Timeouts, resume: str | None) -> RunResult:
        folder = request.folder or request.workdir
        own = folder / "work" if self._dialect.can_resume and not request.edits else request.workdir
        work = (request.tree or own) if request.edits else own
        scratch = request.workdir / "tmp"
        for each in (folder, own, scratch):
            each.mkdir(mode=0o700, parents=True, exist_ok=True)
        call = self._dialect.call(request, prompt, resume, folder)
        extra = {"TMPDIR": str(scratch), **_marks(request), **call.env}
        call = replace(call, env=agent_environment(self.environ, self._env, extra))
        guarded = partial(self._guarded, request, prompt, timeouts, resume, call, work)
        if request.protected is None:
            return guarded(None)
        if request.edits:
            return run_editing(
                self.name, request, call.env, (work, request.workdir, folder), guarded, self._confine
            )
        if not self._confine:
            return guarded(None)
        return run_read_only(
            request.protected, call.env, (request.workdir, folder), guarded, database=bool(request.mcp)
        )

    def _guarded(
        self,
        request: AgentRequest,
        prompt: str,
        timeouts: Timeouts,
        resume: str | None,
        call: Call,
        work: Path,
        confined: Confinement | None,
    ) -> RunResult:
        with GuardedProcess(
            call.argv,
            cwd=work,
            env=call.env,
            stdin=prompt.encode("utf-8", errors="replace"),
            timeouts=timeouts,
            run=request.run,
            lease_seconds=FIRST_LEASE if request.on_guardian else 86_400.0,
            run_dir=request.workdir,
            confine=confined,
        ) as process:
            if request.on_guardian:
                request.on_guardian(process)
            early: AgentError | None = None
            seen = 0
            while (ended := process.wait(POLL_SECONDS)) is None:
                if request.stop.is_set():
                    process.stop("the run is over")
                elif early is None and seen < (size := process.stdout_size()):
                    seen = size
                    early = self._dialect.parse_output(
                        process.stdout_tail(WATCHED).text, "", None, resume
                    ).fault
                    if early is not None:
                        process.stop("it would only wait")
            out = process.stdout(timeouts.output_bytes)
            if not request.edits and work != request.workdir and (left := _cleared(work)):
                note = f"it was in read-only mode, and wrote {', '.join(left[:5])}: removed"
                out = replace(out, notes=(*out.notes, note))
            return RunResult(ended, out, process.stderr_tail(STDERR_TAIL), early)


def _with(notes: Sequence[str], error: AgentError) -> AgentError:
    """A failure that also says what its agent may have done."""
    error.why = "; ".join([error.why, *notes] if error.why else notes)
    return error


def _cleared(work: Path) -> list[str]:
    """Empty the folder of one that may only answer; what it wrote there, hidden leftovers of the client aside."""
    with private_folder(work) as own:
        found = sorted(entry.name for entry in os.scandir(own))
        for name in found:
            if stat.S_ISDIR(os.stat(name, dir_fd=own, follow_symlinks=False).st_mode):
                shutil.rmtree(name, dir_fd=own)
            else:
                os.unlink(name, dir_fd=own)
    return [name for name in found if not name.startswith(".")]


def _left(timeouts: Timeouts, until: float | None) -> Timeouts:
    if until is None:
        return timeouts
    left = max(1.0, until - time.monotonic())
    return replace(timeouts, turn=left if timeouts.turn is None else min(timeouts.turn, left))


def _marks(request: AgentRequest) -> dict[str, str]:
    """What any program can see of what it is asked."""
    return {
        "LIFECYCLE_SESSION": request.session,
        "LIFECYCLE_TASK": request.task,
        "LIFECYCLE_ROLE": request.role,
        "LIFECYCLE_KIND": request.kind,
        "LIFECYCLE_ROUND": request.round or "",
        "LIFECYCLE_PERSPECTIVE": request.perspective or "",
    }


def _shown(output: Output, known: secrets.Known) -> str:
    """The end of what a program said, on one line; masked before it is cut."""
    return " ".join(secrets.mask(output.text, known).strip()[-SHOWN:].split())
