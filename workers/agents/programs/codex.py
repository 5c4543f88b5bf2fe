"""Codex, headless: `codex exec --json`, one JSON object a line.

Retry limits do not hold everywhere: without a network it waits for ever, and it waits as long as a server asks it to. Both
are told in the stream, and there our patience ends. It counts tokens over a whole conversation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from orchestrator.config.settings import AgentSettings
from orchestrator.domain.errors import AgentError, AgentOverloaded
from orchestrator.domain.json_types import Json, JsonObject
from workers.agents.programs.dialect import Call, ParsedOutput, by_status
from workers.agents.programs.process import Ended
from workers.agents.programs.stream import count, lines, reset_in, status_in, table, text
from workers.agents.protocol import AgentRequest, Usage

LOGIN = "log in with `codex login`, or set OPENAI_API_KEY"
PROVIDER = "lifecycle"  # the name under which a base URL of the settings is handed over


class Codex:
    streams = True
    can_resume = True

    def __init__(self, program: str, given: AgentSettings, environ: Mapping[str, str]) -> None:
        self._program = program
        settings: JsonObject = {
            "check_for_update_on_startup": False,
            "analytics.enabled": False,
            "features.plugins": False,
            "features.apps": False,
        }
        if given.model:
            settings["model"] = given.model
        if given.effort:
            settings["model_reasoning_effort"] = given.effort
        if given.base_url:
            place = f"model_providers.{PROVIDER}"
            settings |= {
                "model_provider": PROVIDER,
                f"{place}.name": PROVIDER,
                f"{place}.base_url": given.base_url,
                f"{place}.env_key": given.key_env or "OPENAI_API_KEY",
                f"{place}.wire_api": "responses",
                f"{place}.request_max_retries": 1,
                f"{place}.stream_max_retries": 1,
            }
        self._settings = settings

    def call(self, request: AgentRequest, prompt: str, resume: str | None, folder: Path) -> Call:
        sandbox = "workspace-write" if request.edits else "read-only"
        settings = {
            **self._settings,
            "sandbox_mode": sandbox,
        }  # a resumed one falls back to read-only without
        if request.edits:
            # TMPDIR is the run's own: without it what its commands lay aside would come into the tree
            settings |= {
                "sandbox_workspace_write.exclude_slash_tmp": True,
                "sandbox_workspace_write.exclude_tmpdir_env_var": False,
            }
        granted = {"default_tools_approval_mode": "approve", "required": True}
        servers: JsonObject = {}
        env: dict[str, str] = {}
        for name, server in request.mcp.items():  # by name: everybody on the machine can read a command line
            servers[name] = {**server, **granted, "env_vars": list(server["env"])}
            del servers[name]["env"]
            env |= server["env"]
        argv = [self._program, "exec", *(["resume"] if resume else []), "--json", "--skip-git-repo-check"]
        for name, value in settings.items():
            argv += ["-c", f"{name}={json.dumps(value)}"]
        argv += ["-c", f"mcp_servers={_toml(servers)}"]  # ours, and none of the user's
        if resume:
            argv.append(resume.partition(":")[0])
        return Call([*argv, "-"], env)

    def parse_output(self, out: str, errors: str, ended: Ended | None, resume: str | None) -> ParsedOutput:
        thread, *before = (resume or "").split(":")
        answer, failed, waiting = "", "", ""
        used: JsonObject = {}
        for line in lines(out):
            kind, item = line.get("type"), table(line.get("item"))
            if kind == "thread.started":
                thread = text(line.get("thread_id"))
            elif kind == "item.completed" and item.get("type") == "agent_message":
                answer = text(item.get("text"))
            elif kind == "turn.completed":
                used = table(line.get("usage"))
            elif kind == "turn.failed":
                failed = text(table(line.get("error")).get("message"))
            elif kind == "error":
                waiting = text(line.get("message"))
        total = tuple(
            count(used.get(name)) for name in ("input_tokens", "output_tokens", "cached_input_tokens")
        )
        return ParsedOutput(
            text=answer,
            usage=_since(total, before),
            session=":".join([thread, *([str(number or 0) for number in total] if used else before)]) or None,
            fault=_fault(failed, waiting if ended is None or not used else ""),
        )


def _fault(failed: str, waiting: str) -> AgentError | None:
    """`waiting`: the reason for which it says that it tries again."""
    if failed:
        error = by_status(status_in(failed), failed, login=LOGIN)
    elif "waiting for network" in waiting:
        return AgentOverloaded("its server cannot be reached", why=waiting)
    elif status_in(waiting) == 429:
        error = by_status(429, waiting, login=LOGIN)
    else:
        return None
    if hasattr(error, "until"):
        error.until = reset_in(failed or waiting)
    return error


def _since(total: Sequence[int | None], before: list[str]) -> Usage:
    """What this turn used of the conversation's sums."""
    earlier = [int(number) for number in before] if len(before) == len(total) else [0] * len(total)
    read, written, cached = (
        None if number is None else max(0, number - old) for number, old in zip(total, earlier, strict=True)
    )
    return Usage(tokens_in=read, tokens_out=written, tokens_cached=cached)


def _toml(value: Json) -> str:
    """An inline value, as `-c` takes it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


DIALECT = Codex
