"""Claude Code, headless: `claude -p`, one JSON object a line.

Its `subtype` is "success" on errors of the API too, and it exits with 0 when a tool was refused: what counts is
`is_error`, `api_error_status` and `permission_denials`. The costs it tells are those of the whole conversation.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from pathlib import Path

from orchestrator.config.settings import AgentSettings
from orchestrator.domain.errors import AgentError, AgentLimited, AgentRubbish
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.patterns import expression
from workers.agents.programs.dialect import Call, ParsedOutput, by_status, private_json, refused
from workers.agents.programs.process import Ended
from workers.agents.programs.stream import count, items, lines, reset_in, table, text
from workers.agents.protocol import AgentRequest, Usage

LOGIN = "log in with `claude`, or set ANTHROPIC_API_KEY"
MICRO = 1_000_000
# Left away: they reach the user's other sessions, or begin something that outlives the answer.
_NEVER = "ListAgents,SendMessage,ScheduleWakeup,CronCreate,CronDelete,CronList,EnterWorktree,ExitWorktree"
_NOT_OFFERED = expression(r"<tool_use_error>Error: No such tool available: (\w+)")


class Claude:
    streams = True
    can_resume = True

    def __init__(self, program: str, given: AgentSettings, environ: Mapping[str, str]) -> None:
        self._program = program
        self._options = [
            *(["--model", given.model] if given.model else []),
            *(["--effort", given.effort] if given.effort else []),
        ]
        self._set = {
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_MAX_RETRIES": "1",
            "API_TIMEOUT_MS": "600000",
            **({"ANTHROPIC_BASE_URL": given.base_url} if given.base_url else {}),
        }

    def call(self, request: AgentRequest, prompt: str, resume: str | None, folder: Path) -> Call:
        argv = [
            self._program,
            "-p",
            *("--output-format", "stream-json", "--verbose"),
            *("--setting-sources", ""),  # the user's login, and nothing else of the user's settings
            "--strict-mcp-config",
            *("--disallowedTools", _NEVER),
            *self._options,
            *(["--resume", resume.partition(":")[0]] if resume else ["--session-id", str(uuid.uuid4())]),
        ]
        if request.mcp:
            argv += [
                "--mcp-config",
                str(private_json(folder / "servers.json", {"mcpServers": dict(request.mcp)})),
            ]
        if request.edits:
            argv += ["--permission-mode", "acceptEdits"]
        elif not request.mcp:
            argv += ["--tools", ""]
        if request.schema is not None:
            argv += ["--json-schema", json.dumps(request.schema.model_json_schema())]
        allowed = [*(["Bash"] if request.edits else []), *(f"mcp__{name}" for name in request.mcp)]
        if allowed:
            argv += ["--allowedTools", ",".join(allowed)]
        return Call(argv, self._set)

    def parse_output(self, out: str, errors: str, ended: Ended | None, resume: str | None) -> ParsedOutput:
        session, _, before = (resume or "").partition(":")
        result: JsonObject = {}
        for line in lines(out):
            session = text(line.get("session_id")) or session
            if line.get("type") == "result":
                result = line
        if not result:
            return ParsedOutput(session=_conversation(session, before))
        words = text(result.get("result")) or "; ".join(map(str, result.get("errors") or []))
        fault = None
        if result.get("is_error"):
            fault = _fault(
                text(result.get("subtype")), count(result.get("api_error_status")), words or errors
            )
        denied = [text(table(each).get("tool_name")) for each in items(result.get("permission_denials"))]
        denied += _NOT_OFFERED.findall(out)
        return ParsedOutput(
            text=words,
            data=result.get("structured_output"),
            usage=_usage(result, int(before) / MICRO if before.isdecimal() else 0.0),
            session=_conversation(
                session, before if (cost := _cost(result)) is None else str(round(cost * MICRO))
            ),
            fault=fault,
            notes=refused(denied),
        )


def _fault(subtype: str, status: int | None, words: str) -> AgentError:
    if subtype == "error_max_structured_output_retries":
        return AgentRubbish("no answer of it fitted the schema", why=words)
    if status == 429 or "limit reached" in words:
        return AgentLimited("its account has reached a limit", until=reset_in(words), why=words)
    return by_status(status, words, login=LOGIN)


def _conversation(session: str, spent: str) -> str | None:
    """How it is gone on with, and the millionths of a dollar that it had cost by then."""
    return f"{session}:{spent}" if session and spent else session or None


def _cost(result: JsonObject) -> float | None:
    cost = result.get("total_cost_usd")
    return float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None


def _cost_since(result: JsonObject, before: float, turn: int) -> float | None:
    """What this turn cost of the conversation's sum; it begins anew where the tokens it adds up are `turn`, this turn's."""
    total = _cost(result)
    counted = sum(
        count(table(model).get(name)) or 0
        for model in table(result.get("modelUsage")).values()
        for name in ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
    )
    return total if total is None or total < before or counted == turn else total - before


def _usage(result: JsonObject, before: float) -> Usage:
    used = table(result.get("usage"))
    read = [
        count(used.get(name))
        for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    ]
    kept = table(used.get("cache_creation"))  # what was written into the cache, by how long it stays
    tokens_in = sum(number for number in read if number is not None)
    return Usage(
        model=next(iter(table(result.get("modelUsage"))), None),
        tokens_in=tokens_in if used else None,
        tokens_out=count(used.get("output_tokens")),
        tokens_cached=count(used.get("cache_read_input_tokens")),
        tokens_cache_written=count(used.get("cache_creation_input_tokens")),
        tokens_cache_written_1h=count(kept.get("ephemeral_1h_input_tokens")),
        cost_usd=_cost_since(result, before, tokens_in),
    )


DIALECT = Claude
