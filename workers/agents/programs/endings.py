"""What the end of an agent's process means for whoever asked."""

from __future__ import annotations

from orchestrator.domain.errors import AgentCrashed, AgentError, AgentRubbish, AgentTimedOut, AgentUnavailable
from workers.agents.programs.process import Ended
from workers.agents.protocol import Timeouts

TIMEOUTS = ("start", "silence", "turn", "total")


def how(ended: Ended) -> str:
    return f"signal {ended.signal}" if ended.signal is not None else f"exit code {ended.exit}"


def error_of(name: str, ended: Ended, said: str, timeouts: Timeouts) -> AgentError:
    if ended.ended_by in TIMEOUTS:
        seconds = getattr(timeouts, ended.ended_by)
        return AgentTimedOut(f"{name} was stopped: {ended.ended_by} limit of {seconds:g} s", why=said)
    if ended.ended_by == "exited":
        return AgentCrashed(f"{name} ended by {how(ended)} without an answer", why=said)
    return _ERRORS.get(ended.ended_by, stopped)(name, ended, timeouts)


def stopped(name: str, ended: Ended | None = None, timeouts: Timeouts | None = None) -> AgentError:
    return AgentTimedOut(f"{name} was stopped because its run is over")


def _not_started(name: str, ended: Ended, timeouts: Timeouts) -> AgentError:
    return AgentUnavailable(
        f"{name} could not be started", why=ended.error, fix=f"check `agents.{name}.command`"
    )


def _flooded(name: str, ended: Ended, timeouts: Timeouts) -> AgentError:
    return AgentRubbish(
        f"{name} printed more than {timeouts.output_bytes} bytes and was stopped", why=ended.error
    )


def _unguarded(name: str, ended: Ended, timeouts: Timeouts) -> AgentError:
    return AgentCrashed(f"{name} lost its guardian", why=ended.error)


_ERRORS = {"spawn_failed": _not_started, "output_limit": _flooded, "guardian_died": _unguarded}
