"""opencode, headless: `opencode run --format json`, one JSON object a line.

It tries again for ever and tells that in its log alone, which therefore comes among its output: there our patience ends. What
is no answer at all (not JSON, nothing) it takes for an unfinished turn, and asks again at once, for ever too. Where a
conversation is not there any more it exits with 0. Of the user's it reads the login; the rest is the run's own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import reduce
from operator import add
from pathlib import Path

from orchestrator.config.settings import AgentSettings
from orchestrator.domain.errors import (
    AgentCrashed,
    AgentError,
    AgentLimited,
    AgentOverloaded,
    AgentRubbish,
    AgentUnavailable,
)
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.patterns import expression
from orchestrator.domain.prices import Estimate
from workers.agents.programs import merged_stderr
from workers.agents.programs.dialect import Call, ParsedOutput, by_status, private_json, refused
from workers.agents.programs.process import Ended
from workers.agents.programs.stream import count, lines, reset_in, table, text
from workers.agents.protocol import AgentRequest, Usage

LOGIN = "log in with `opencode auth login`, or set the key of its provider"
PROVIDER = "lifecycle"  # the name under which a base URL of the settings is handed over
TRIES = 2  # so often it may try, then it is not waited for
_PLUGIN = "@opencode-ai/plugin"
_TROUBLE = expression(r'message="stream error".*?error\.error="((?:[^"\\]|\\.)*)"')
_LIMITED = expression(r"rate.?limit|too many requests|usage limit|quota|limit reached", re.I)
_OVERLOADED = expression(r"overloaded|unavailable|capacity|server.?error|bad gateway|api_error", re.I)
_REFUSED = expression(r"rejected permission|prevents you from using|unavailable tool", re.I)


class Opencode:
    streams = False  # a text is told when it is whole
    can_resume = True

    def __init__(self, program: str, given: AgentSettings, environ: Mapping[str, str]) -> None:
        self._program = program
        self._config: JsonObject = {"autoupdate": False, "share": "disabled", "snapshot": False}
        model = given.model
        if given.base_url:
            key = f"{{env:{given.key_env or 'OPENAI_API_KEY'}}}"
            self._config["provider"] = {
                PROVIDER: {
                    "npm": "@ai-sdk/openai-compatible",
                    "options": {"baseURL": given.base_url, "apiKey": key},
                    "models": {model or "default": {}},
                }
            }
            model = f"{PROVIDER}/{model or 'default'}"
        self._options = [
            *(["-m", model] if model else []),
            *(["--variant", given.effort] if given.effort else []),
        ]

    def call(self, request: AgentRequest, prompt: str, resume: str | None, folder: Path) -> Call:
        own = folder / "opencode"
        config = {**self._config, "permission": _permission(request), "mcp": _servers(request.mcp)}
        private_json(own / "config" / "opencode" / "opencode.json", config)
        _spare_the_registry(own / "config" / "opencode")
        argv = [
            *(sys.executable, "-I", "-S", merged_stderr.__file__),
            *(self._program, "run", "--format", "json", "--print-logs", "--log-level", "ERROR", "--pure"),
            *self._options,
            *(
                ["-s", resume] if resume else ["--title", request.task or request.kind]
            ),  # else it asks for one
        ]
        return Call(
            argv,
            {
                "XDG_CONFIG_HOME": str(own / "config"),
                "OPENCODE_DB": str(own / "opencode.db"),
                "OPENCODE_TEST_HOME": str(own),  # else it reads, and installs into, the user's ~/.opencode
                "OPENCODE_DISABLE_AUTOUPDATE": "1",
                "OPENCODE_DISABLE_MODELS_FETCH": "1",
                "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
                "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
                "OPENCODE_DISABLE_CLAUDE_CODE": "1",
                "OPENCODE_DISABLE_EXTERNAL_SKILLS": "1",
                "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
            },
        )

    def parse_output(self, out: str, errors: str, ended: Ended | None, resume: str | None) -> ParsedOutput:
        session, answer, spoke_in, failed = resume, "", None, None
        used: list[Usage] = []
        denied: list[str] = []
        nothing = 0  # how often the model's answer was none
        for line in lines(out):
            kind, part = line.get("type"), table(line.get("part"))
            session = text(line.get("sessionID")) or session
            if kind == "text":
                before = answer if part.get("messageID") == spoke_in else ""
                answer, spoke_in = before + text(part.get("text")), part.get("messageID")
            elif kind == "step_finish":
                used.append(_usage(part))
                empty = part.get("reason") == "unknown" and not used[-1].tokens_out
                nothing = nothing + 1 if empty else 0
            elif kind == "tool_use" and _REFUSED.search(text(table(part.get("state")).get("error"))):
                denied.append(text(part.get("tool")))
            elif kind == "error":
                failed = _failed(table(line.get("error")))
        if failed is None and nothing >= TRIES:
            failed = AgentRubbish("what its server answers cannot be read")
        if failed is None:
            failed = _trouble(_TROUBLE.findall(out.rpartition('"step_finish"')[2]))
        if failed is None and ended is not None and ended.ended_by == "exited" and not used:
            failed = AgentCrashed("it ended without an answer", why=" ".join(out.split())[-500:])
        return ParsedOutput(
            text=answer,
            usage=reduce(add, used) if used else Usage(),
            session=session,
            fault=failed,
            notes=refused(denied),
        )


def _permission(request: AgentRequest) -> dict[str, str]:
    if request.edits:
        return {"*": "allow", "external_directory": "deny", "webfetch": "deny", "websearch": "deny"}
    return {"*": "deny", **{f"{name}_*": "allow" for name in request.mcp}}


def _servers(servers: Mapping[str, Json]) -> JsonObject:
    return {
        name: {
            "type": "local",
            "command": [server["command"], *server["args"]],
            "environment": server["env"],
            "enabled": True,
        }
        for name, server in servers.items()
    }


def _spare_the_registry(config: Path) -> None:
    """Let it look as if the package for plugins, of which there are none, had been installed: it would be at every start."""
    (config / "node_modules").mkdir(mode=0o700, exist_ok=True)
    private_json(config / "package-lock.json", {"packages": {"": {"dependencies": {_PLUGIN: "*"}}}})


def _failed(error: JsonObject) -> AgentError:
    data = table(error.get("data"))
    words = text(data.get("message")) or text(error.get("name"))
    if error.get("name") == "ProviderAuthError":
        return AgentUnavailable("it is not logged in", why=words, fix=LOGIN)
    status = count(data.get("statusCode"))
    found = by_status(status, words, login=LOGIN)
    if hasattr(found, "until"):
        found.until = reset_in(words)
    return found


def _trouble(tries: list[str]) -> AgentError | None:
    """What it tries again for: it does not tell the status, nor how long it waits, only the server's words."""
    words = tries[-1].replace('\\"', '"') if tries else ""
    overloaded = _OVERLOADED.search(words)
    if not overloaded and _LIMITED.search(words):
        return AgentLimited("its account has reached a limit", until=reset_in(words), why=words)
    if len(tries) < TRIES:
        return None
    if overloaded:
        return AgentOverloaded("its server refuses for the moment", why=words)
    if "Unable to connect" in words or "ConnectionRefused" in words:
        return AgentOverloaded("its server cannot be reached", why=words)
    return by_status(None, words, login=LOGIN)


def _usage(part: JsonObject) -> Usage:
    tokens = table(part.get("tokens"))
    cache = table(tokens.get("cache"))
    read = [count(tokens.get("input")), count(cache.get("read")), count(cache.get("write"))]
    cost = part.get("cost")
    return Usage(
        None,
        sum(number for number in read if number is not None) if tokens else None,
        (count(tokens.get("output")) or 0) + (count(tokens.get("reasoning")) or 0) if tokens else None,
        tokens_cached=count(cache.get("read")),
        tokens_cache_written=count(cache.get("write")),
        # what a model costs that it does not know, it gives as nothing
        estimate=Estimate(float(cost), "opencode") if isinstance(cost, int | float) and cost > 0 else None,
    )


DIALECT = Opencode
