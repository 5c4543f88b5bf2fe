"""Qwen Code, headless: `qwen -o stream-json`, one JSON object a line.

`--safe-mode` keeps the user's settings out, the login in them excepted; conversations are kept in the run's own folder.
Its retries of refused requests (seven, over a minute and more) cannot be switched off and are told nowhere; it waits as
long as a server asks it to. With `--json-schema` a model that answers in text would end it with an error, where it only has
to be asked once more: so none is handed over.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from functools import reduce
from operator import add
from pathlib import Path

from orchestrator.config.settings import AgentSettings
from orchestrator.domain.errors import AgentError, AgentRubbish
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.patterns import expression
from workers.agents.programs.dialect import Call, ParsedOutput, by_status, private_json, refused
from workers.agents.programs.process import Ended
from workers.agents.programs.stream import count, items, lines, reset_in, table, text
from workers.agents.protocol import AgentRequest, Usage

LOGIN = "log in with `qwen`, or set OPENAI_API_KEY"
KEY = "OPENAI_API_KEY"
# Left away, since they write, send, or begin something that outlives the answer, or are of no use here.
_NEVER = (
    *(
        "web_fetch",
        "send_message",
        "record_artifact",
        "report_findings",
        "read_mcp_resource",
        "zoom_image",
        "skill",
    ),
    *("cron_create", "cron_list", "cron_delete", "loop_wakeup", "enter_worktree", "exit_worktree"),
    *("get_goal", "update_goal"),
)
_NOT_READ_ONLY = (
    *("run_shell_command", "monitor", "edit", "write_file", "notebook_edit"),
    *("agent", "list_agents", "task_stop"),
)
_API_ERROR = expression(r"\[API Error: [^\n]*\](?:\nPossible quota[^\n]*)?\s*\Z")  # at the end of an answer
_STATUS = expression(r"\[API Error: ([45]\d\d)\b")


class Qwen:
    streams = True
    can_resume = True

    def __init__(self, program: str, given: AgentSettings, environ: Mapping[str, str]) -> None:
        self._program = program
        self._options = [
            *(["--model", given.model] if given.model else []),
            *(["--auth-type", "openai"] if given.base_url else []),
        ]
        self._effort = given.effort
        self._base_url = given.base_url
        self._key_env = given.key_env
        self._environ = environ

    def call(self, request: AgentRequest, prompt: str, resume: str | None, folder: Path) -> Call:
        own = folder / "qwen"
        argv = [
            self._program,
            "--safe-mode",
            *("-o", "stream-json"),
            # without anybody to ask, the default mode offers no tool that writes
            *("--approval-mode", "auto-edit" if request.edits else "default"),
            *("--exclude-tools", ",".join(_NEVER if request.edits else (*_NEVER, *_NOT_READ_ONLY))),
            *self._options,
            *(["--resume", resume] if resume else ["--session-id", str(uuid.uuid4())]),
        ]
        if request.edits:
            argv += ["--allowed-tools", "run_shell_command"]
        if request.mcp:
            servers = {name: {**server, "trust": True} for name, server in request.mcp.items()}
            argv += ["--mcp-config", str(private_json(own / "servers.json", {"mcpServers": servers}))]
        env = {
            "QWEN_CODE_NO_RELAUNCH": "1",  # its launcher passes no signal on
            "QWEN_CODE_SYSTEM_SETTINGS_PATH": str(private_json(own / "settings.json", self._settings())),
            "QWEN_RUNTIME_DIR": str(own),
            "QWEN_USAGE_STATISTICS_ENABLED": "false",
        }
        if self._base_url:
            # a server of one's own needs no key, but the client wants to see one
            env |= {
                "OPENAI_BASE_URL": self._base_url,
                KEY: self._environ.get(self._key_env or KEY) or "none",
            }
        return Call(argv, env)

    def _settings(self) -> JsonObject:
        """They go before the user's."""
        model: JsonObject = {"maxRetries": 0}
        if self._effort:
            model["reasoning"] = {"effort": self._effort}
        return {
            "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "security": {"folderTrust": {"enabled": False}},
            "model": {"generationConfig": model},
            "tools": {"toolSearch": {"enabled": False}},  # else the tools of a server have to be searched for
        }

    def parse_output(self, out: str, errors: str, ended: Ended | None, resume: str | None) -> ParsedOutput:
        session, answer = resume, ""
        used: list[Usage] = []
        result: JsonObject = {}
        for line in lines(out):
            session = text(line.get("session_id")) or session
            if line.get("type") == "assistant":
                message = table(line.get("message"))
                answer = _words(message) or answer
                used.append(_usage(message))
            elif line.get("type") == "result":
                result = line
        usage = reduce(add, used) if used else Usage()  # its own sums are those of the whole conversation
        if not result:
            return ParsedOutput(session=session, usage=usage)
        denied = [text(table(each).get("tool_name")) for each in items(result.get("permission_denials"))]
        answer = text(result.get("result")) or answer
        return ParsedOutput(
            text=answer,
            usage=usage,
            session=session,
            fault=_fault(result, answer),
            notes=refused(denied),
        )


def _fault(result: JsonObject, answer: str) -> AgentError | None:
    """Version 0.15 exits with 0 and without an error when its answer is one."""
    words = text(table(result.get("error")).get("message"))
    if not result.get("is_error") and not _API_ERROR.search(answer):
        return None
    if words.startswith("Loop detection"):
        return AgentRubbish("it did the same thing again and again", why=words)
    says = words or answer
    status = _STATUS.search(says)
    error = by_status(int(status[1]) if status else None, says, login=LOGIN)
    if hasattr(error, "until"):
        error.until = reset_in(says)
    return error


def _words(message: JsonObject) -> str:
    parts = message.get("content")
    if not isinstance(parts, list):
        return ""
    return "".join(text(table(part).get("text")) for part in parts if table(part).get("type") == "text")


def _usage(message: JsonObject) -> Usage:
    used = table(message.get("usage"))
    return Usage(
        text(message.get("model")) or None,
        count(used.get("input_tokens")),
        count(used.get("output_tokens")),
        tokens_cached=count(used.get("cache_read_input_tokens")),
    )


DIALECT = Qwen
