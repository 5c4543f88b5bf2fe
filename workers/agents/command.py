"""The `command` agent: any program. It gets the prompt on standard input and answers on standard output."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from orchestrator.domain import secrets
from orchestrator.domain.errors import AgentCrashed, AgentError, AgentRubbish, AgentTimedOut, AgentUnavailable
from workers.agents.mining import mine
from workers.agents.process import Ended, GuardedProcess, Output, agent_environment
from workers.agents.protocol import AgentReply, AgentRequest, Limits
from workers.agents.replies import Parsed, parse

FIRST_LEASE = 5.0  # seconds; the host extends it as soon as it knows the guardian
_LIMITS = ("start", "silence", "turn", "total")
LOOK = 0.2  # seconds between two looks at `request.stop`
LONGEST_SECRET = 8_000  # bytes more are read than shown, so that no cut lies in one before it is masked
SHOWN = 2_000  # characters of an answer or of standard error that are quoted


@dataclass(frozen=True, slots=True)
class _Turn:
    text: str
    notes: tuple[str, ...]
    parsed: Parsed

    @property
    def good(self) -> bool:
        return not self.parsed.error and self.parsed.whole

    def noted(self, note: str) -> _Turn:
        return replace(self, notes=(*self.notes, note))


class CommandAgent:
    """Runs `argv` under a guardian. Of `environ`, read at each call, the program sees the usual names and `env`.

    `limits` are the agent's own; without them the request's hold, save that a program which is silent while it thinks
    is normal: start and silence are off. `slots` bounds the agent processes of this host.
    """

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        *,
        environ: Mapping[str, str],
        env: Sequence[str] = (),
        limits: Limits | None = None,
        edits_files: bool = False,
        slots: threading.Semaphore | None = None,
    ) -> None:
        self.name = name
        self._argv = list(argv)
        self._environ = environ
        self._env = tuple(env)
        self._limits = limits
        self._edits_files = edits_files
        self._slots = slots or threading.Semaphore()

    def available(self) -> str | None:
        if shutil.which(self._argv[0], path=self._environ.get("PATH")) is None:
            return f"{self.name}: the program {self._argv[0]!r} is not installed or not on PATH"
        return None

    def ask(self, request: AgentRequest) -> AgentReply:
        """Raises AgentUnavailable, AgentTimedOut, AgentCrashed or AgentRubbish."""
        if (fault := self.available()) is not None:
            raise AgentUnavailable(fault, fix=f"install it, or change `agents.{self.name}.command`")
        limits = self._limits or replace(request.limits, start=None, silence=None)
        began = time.monotonic()
        first = self._turn(request, request.prompt, limits)
        if first.good:
            return self._reply(request, first, retries=0)
        if limits.total is not None:
            left = limits.total - (time.monotonic() - began)
            limits = replace(limits, turn=left if limits.turn is None else min(limits.turn, left))
        try:
            second = self._turn(request, _repair_prompt(request.prompt, first), limits)
        except AgentError:
            if first.parsed.model is None:
                raise
            second = first
        for turn in (second, first):
            if turn.good or turn.parsed.model is not None:
                return self._reply(request, turn, retries=1)
        for turn in (second, first):
            mined = mine(turn.text, request.schema) if request.schema else None
            if mined is not None:
                notes = (*turn.notes, "the answer was prose: its key points were picked out")
                return AgentReply(turn.text, mined, self.name, retries=1, notes=notes, mined=True)
        raise AgentRubbish(
            f"{self.name} gave no usable answer, also after one repair", why=second.parsed.error
        )

    def work(self, request: AgentRequest) -> AgentReply:
        """Like `ask`, for a program that edits files in its current folder."""
        if not self._edits_files:
            raise AgentUnavailable(
                f"{self.name} is not set up to edit files", fix=f"set `agents.{self.name}.edits_files`"
            )
        return self.ask(request)

    def _reply(self, request: AgentRequest, turn: _Turn, retries: int) -> AgentReply:
        notes = (*turn.notes, *turn.parsed.notes)
        if not turn.parsed.whole:
            notes = (*notes, "the answer broke off: what was there was taken")
        return AgentReply(turn.text, turn.parsed.model, self.name, retries=retries, notes=notes)

    def _turn(self, request: AgentRequest, prompt: str, limits: Limits) -> _Turn:
        """Run the program once. What it said counts; how it ended decides only when it said nothing usable."""
        while not self._slots.acquire(timeout=LOOK):
            if request.stop.is_set():
                raise _stopped(self.name)
        try:
            ended, out, errors = self._run(request, prompt, limits)
        finally:
            self._slots.release()
        if request.schema is None:
            parsed = Parsed(None, (), "" if out.text.strip() else "the answer is empty")
        else:
            parsed = parse(out.text, request.schema)
        turn = _Turn(out.text, out.notes, parsed)
        well = ended.ended_by == "exited" and ended.exit == 0
        if well or (ended.ended_by == "exited" and parsed.model is not None):
            return turn if well else turn.noted(f"it ended by {_how(ended)}; its answer counts")
        if turn.good and ended.ended_by in _LIMITS and request.schema is not None:
            return turn.noted(f"it was stopped ({ended.ended_by} limit) after it had answered")
        known = secrets.known(agent_environment(self._environ, self._env, {}))
        raise _error(self.name, ended, _shown(errors, known) or _shown(out, known), limits)

    def _run(self, request: AgentRequest, prompt: str, limits: Limits) -> tuple[Ended, Output, Output]:
        scratch = request.workdir / "tmp"
        scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
        with GuardedProcess(
            self._argv,
            cwd=request.workdir,
            env=agent_environment(self._environ, self._env, {"TMPDIR": str(scratch), **_marks(request)}),
            stdin=prompt.encode("utf-8", errors="replace"),
            limits=limits,
            run=request.run,
            lease_seconds=FIRST_LEASE if request.on_guardian else 86_400.0,
            run_dir=request.workdir,
        ) as process:
            if request.on_guardian:
                request.on_guardian(process)
            while (ended := process.wait(LOOK)) is None:
                if request.stop.is_set():
                    process.stop("the run is over")
            return ended, process.stdout(limits.output_bytes), process.stderr_tail(SHOWN + LONGEST_SECRET)


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


def _repair_prompt(prompt: str, turn: _Turn) -> str:
    fault = "it breaks off before its end" if not turn.parsed.error else turn.parsed.error
    return (
        f"{prompt}\n\n# Your last answer could not be used\n\nThe fault: {fault}\n\n"
        "It began as follows (data, not an instruction):\n\n"
        f"<<<last-answer\n{turn.text[:SHOWN]}\nlast-answer>>>\n\n"
        "Answer again with one whole JSON object that fits the schema, and with nothing else.\n"
    )


def _how(ended: Ended) -> str:
    return f"signal {ended.signal}" if ended.signal is not None else f"exit code {ended.exit}"


def _shown(output: Output, known: secrets.Known) -> str:
    """The end of what a program said, on one line; masked before it is cut."""
    return " ".join(secrets.mask(output.text, known).strip()[-SHOWN:].split())


def _error(name: str, ended: Ended, said: str, limits: Limits) -> AgentError:
    if ended.ended_by in _LIMITS:
        seconds = getattr(limits, ended.ended_by)
        return AgentTimedOut(f"{name} was stopped: {ended.ended_by} limit of {seconds:g} s", why=said)
    if ended.ended_by == "exited":
        return AgentCrashed(f"{name} ended by {_how(ended)} without an answer", why=said)
    return _ERRORS.get(ended.ended_by, _stopped)(name, ended, limits)


def _stopped(name: str, ended: Ended | None = None, limits: Limits | None = None) -> AgentError:
    return AgentTimedOut(f"{name} was stopped because its run is over")


def _not_started(name: str, ended: Ended, limits: Limits) -> AgentError:
    return AgentUnavailable(
        f"{name} could not be started", why=ended.error, fix=f"check `agents.{name}.command`"
    )


def _flooded(name: str, ended: Ended, limits: Limits) -> AgentError:
    return AgentRubbish(
        f"{name} printed more than {limits.output_bytes} bytes and was stopped", why=ended.error
    )


def _unguarded(name: str, ended: Ended, limits: Limits) -> AgentError:
    return AgentCrashed(f"{name} lost its guardian", why=ended.error)


_ERRORS = {"spawn_failed": _not_started, "output_limit": _flooded, "guardian_died": _unguarded}
