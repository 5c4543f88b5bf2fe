"""Gemini's command line, headless: `gemini -o stream-json`.

Its exit code is the HTTP status modulo 256, and it exits with 0 after an empty answer. With a key in the environment it
gets a folder of its own, where updates and statistics are off; a login lives in the user's folder, which then stays.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from pathlib import Path

from orchestrator.config.settings import AgentSettings
from orchestrator.domain.errors import AgentError, AgentRubbish
from orchestrator.domain.json_types import Json, JsonObject
from workers.agents.programs.dialect import Call, ParsedOutput, by_status, private_json, refused
from workers.agents.programs.process import Ended
from workers.agents.programs.stream import count, lines, reset_in, status_in, table, text
from workers.agents.protocol import AgentRequest, Usage

LOGIN = "log in with `gemini`, or set GEMINI_API_KEY"
NO_LOGIN, NOT_TRUSTED = 41, 55  # exit codes
KEY = "GEMINI_API_KEY"


class Gemini:
    streams = True
    can_resume = True

    def __init__(self, program: str, given: AgentSettings, environ: Mapping[str, str]) -> None:
        self._program = program
        self._model = ["-m", given.model] if given.model else []
        self._environ = environ
        self._set = {
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_NO_RELAUNCH": "1",  # its launcher passes no signal on
            **({"GOOGLE_GEMINI_BASE_URL": given.base_url} if given.base_url else {}),
        }

    def call(self, request: AgentRequest, prompt: str, resume: str | None, folder: Path) -> Call:
        # without anybody to ask, the default mode offers no tool that writes; plan offers none of a server either
        mode = "auto_edit" if request.edits else "default" if request.mcp else "plan"
        commands = ["--allowed-tools", "run_shell_command"] if request.edits else []
        session = ["-r", resume] if resume else ["--session-id", str(uuid.uuid4())]
        own: dict[str, str] = {}
        if self._environ.get(KEY):
            own["GEMINI_CLI_HOME"] = str(_home(folder / "gemini", request.mcp))
        return Call(
            [self._program, *self._model, *commands, "-o", "stream-json", "--approval-mode", mode, *session],
            {**self._set, **own},
        )

    def parse_output(self, out: str, errors: str, ended: Ended | None, resume: str | None) -> ParsedOutput:
        session, answer, model = resume, "", None
        denied: list[str] = []
        called: dict[str, str] = {}
        result: JsonObject = {}
        for line in lines(out):
            kind = line.get("type")
            if kind == "init":
                session, model = text(line.get("session_id")) or session, text(line.get("model")) or None
            elif kind == "message" and line.get("role") == "assistant":
                answer += text(line.get("content"))
            elif kind == "tool_use":
                called[text(line.get("tool_id"))] = text(line.get("tool_name"))
            elif kind == "tool_result" and _was_refused(table(line.get("error"))):
                denied.append(called.get(text(line.get("tool_id")), ""))
            elif kind == "result":
                result = line
        if ended is None:
            return ParsedOutput(session=session)
        stats = table(result.get("stats"))
        return ParsedOutput(
            text=answer,
            usage=_usage(stats, model),
            session=session,
            fault=_fault(result, ended, errors),
            notes=refused(denied),
        )


def _usage(stats: Mapping[str, Json], model: str | None) -> Usage:
    """Its `output_tokens` are without what it thought, which is in the total and paid as output."""
    read, written, total = (count(stats.get(f"{name}_tokens")) for name in ("input", "output", "total"))
    if read is not None and written is not None and total is not None:
        written = max(written, total - read)
    models = sorted(table(stats.get("models")))  # it may ask a second one by itself: then no one price fits
    return Usage("+".join(models) or model, read, written, tokens_cached=count(stats.get("cached")))


def _was_refused(error: JsonObject) -> bool:
    """Whether a tool was not offered, or for other places only."""
    return error.get("type") == "tool_not_registered" or "Access denied" in text(error.get("message"))


def _fault(result: JsonObject, ended: Ended, errors: str) -> AgentError | None:
    if result.get("status") == "success":
        return None
    if not result and ended.exit not in (NO_LOGIN, NOT_TRUSTED):
        return None  # stopped, or broken off: how it ended says more
    words = text(table(result.get("error")).get("message")) or " ".join(errors.split())[-500:]
    status = 401 if ended.exit == NO_LOGIN else status_in(words) or _status(ended.exit)
    if status is None and ended.exit == 0:
        return AgentRubbish("its answer was empty", why=words)
    error = by_status(status, words, login=LOGIN)
    if hasattr(error, "until"):
        error.until = reset_in(words)
    return error


def _status(exit: int | None) -> int | None:
    """The HTTP status of which the exit code is the remainder, where only one can be meant."""
    if exit is None:
        return None
    return 529 if exit == 529 % 256 else exit + 256 if exit >= 400 % 256 else None


def _home(folder: Path, servers: Mapping[str, Json]) -> Path:
    settings = {
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "maxAttempts": 2},
        "privacy": {"usageStatisticsEnabled": False},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "mcpServers": {name: {**server, "trust": True} for name, server in servers.items()},
    }
    private_json(folder / ".gemini" / "settings.json", settings)
    return folder


DIALECT = Gemini
