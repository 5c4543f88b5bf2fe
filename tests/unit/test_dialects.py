"""What the real clients print, as they printed it, and what is read from it (`tests/clients` drives them themselves)."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from orchestrator.config.settings import AgentSettings
from orchestrator.domain.errors import (
    AgentCrashed,
    AgentError,
    AgentLimited,
    AgentOverloaded,
    AgentRubbish,
    AgentUnavailable,
)
from orchestrator.domain.prices import Estimate
from tests.clients.support import Rated, request
from workers.agents.programs.claude import Claude
from workers.agents.programs.codex import Codex
from workers.agents.programs.dialect import Dialect, ParsedOutput
from workers.agents.programs.gemini import Gemini
from workers.agents.programs.opencode import Opencode
from workers.agents.programs.process import Ended
from workers.agents.programs.qwen import Qwen
from workers.agents.protocol import Usage

SERVED = {"model": "m-1", "base_url": "http://127.0.0.1:1/v1", "key_env": "MY_KEY"}
CLAUDE = Claude("claude", AgentSettings(kind="claude", model="opus", effort="high"), {})
CODEX = Codex("codex", AgentSettings(**{"kind": "codex", **SERVED}), {})
GEMINI = Gemini("gemini", AgentSettings(kind="gemini"), {"GEMINI_API_KEY": "k"})
QWEN = Qwen("qwen", AgentSettings(**{"kind": "qwen", "effort": "high", **SERVED}), {"MY_KEY": "k3y"})
OPENCODE = Opencode("opencode", AgentSettings(**{"kind": "opencode", "effort": "high", **SERVED}), {})
WELL = Ended("exited", exit=0)


QUOTA = (
    "Possible quota limitations in place or slow response times detected. Please wait and try again later."
)
UNAVAILABLE = "Model tried to call unavailable tool 'invalid'. Available tools: ."


def printed(*lines: dict[str, Any]) -> str:
    """With what else comes between the lines."""
    return "Warning: Basic terminal detected\n" + "\n".join(map(json.dumps, lines)) + '\n{"cut off'


def claude_ended(**more: Any) -> str:
    result = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "api_error_status": None,
        "result": "plain hello",
        "session_id": "s-1",
        "total_cost_usd": 0.0043,
        "usage": {
            "input_tokens": 2000,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 19,
            "cache_creation": {"ephemeral_5m_input_tokens": 12, "ephemeral_1h_input_tokens": 7},
            "output_tokens": 3,
        },
        "modelUsage": {"claude-sonnet-5-5": {"costUSD": 0.0043}},
        "permission_denials": [],
    }
    return printed({"type": "system", "subtype": "init", "session_id": "s-1"}, {**result, **more})


def codex_ended(*lines: dict[str, Any]) -> str:
    unknown = {"id": "item_0", "type": "error", "message": "Model metadata for `m-1` not found."}
    return printed(
        {"type": "thread.started", "thread_id": "t-1"}, {"type": "item.completed", "item": unknown}, *lines
    )


def gemini_ended(status: str = "success", error: str = "", answer: str = "plain hello") -> str:
    stats = {"input_tokens": 8271, "output_tokens": 3, "cached": 5}
    return printed(
        {"type": "init", "session_id": "g-1", "model": "gemini-2.5-pro"},
        {"type": "message", "role": "user", "content": "hello"},
        {"type": "message", "role": "assistant", "content": answer, "delta": True},
        {
            "type": "result",
            "status": status,
            "stats": stats,
            **({"error": {"message": error}} if error else {}),
        },
    )


def qwen_ended(answer: str = "plain hello", *, error: str = "", **more: Any) -> str:
    def spoken(text: str, tokens: int) -> dict[str, Any]:
        used = {"input_tokens": tokens, "output_tokens": 3, "cache_read_input_tokens": 5}
        message = {"model": "m-1", "content": [{"type": "text", "text": text}], "usage": used}
        return {"type": "assistant", "session_id": "q-1", "message": message}

    result = {
        "type": "result",
        "subtype": "error_during_execution" if error else "success",
        "session_id": "q-1",
        "is_error": bool(error),
        "usage": {"input_tokens": 27765, "output_tokens": 11, "cache_read_input_tokens": 0},
        "permission_denials": [],
        **({"error": {"message": error}} if error else {"result": answer}),
    }
    return printed(
        {"type": "system", "subtype": "init", "session_id": "q-1", "model": "m-1"},
        spoken("I look first.", 9000),
        spoken(answer, 9243),
        {**result, **more},
    )


def opencode_step(number: int, answer: str = "", reason: str = "stop", out: int = 10) -> list[dict[str, Any]]:
    where = {"sessionID": "ses_1", "messageID": f"msg_{number}"}
    tokens = {"input": 2288, "output": out, "reasoning": 0, "cache": {"write": 3, "read": 12}}
    finish = {**where, "type": "step-finish", "reason": reason, "tokens": tokens, "cost": 0}
    return [
        {"type": "step_start", "sessionID": "ses_1", "part": {**where, "type": "step-start"}},
        *([{"type": "text", "sessionID": "ses_1", "part": {**where, "text": answer}}] if answer else []),
        {"type": "step_finish", "sessionID": "ses_1", "part": finish},
    ]


def opencode_failed(status: int, message: str) -> str:
    error = {"name": "APIError", "data": {"message": message, "statusCode": status, "isRetryable": False}}
    return printed({"type": "error", "sessionID": "ses_1", "error": error})


def opencode_tries(message: str, times: int) -> str:
    line = (
        'timestamp=2026-11-21T14:31:31.742Z level=ERROR run=0a6fac64 message="stream error" session.id=ses_1'
    )
    return f'{line} small=false agent=build mode=primary error.error="AI_APICallError: {message}"\n' * times


def test_an_answer_is_read_with_what_it_used_and_where_it_can_be_gone_on_with() -> None:
    answered = {"type": "item.completed", "item": {"type": "agent_message", "text": "plain hello"}}
    used = {
        "type": "turn.completed",
        "usage": {"input_tokens": 300, "cached_input_tokens": 40, "output_tokens": 30},
    }

    claude = CLAUDE.parse_output(claude_ended(structured_output={"rating": 4}), "", WELL, None)
    codex = CODEX.parse_output(codex_ended(answered, used), "", WELL, "t-1:100:10:0")
    gemini = GEMINI.parse_output(gemini_ended(), "", WELL, None)

    qwen = QWEN.parse_output(qwen_ended(), "", WELL, "q-1")
    refused = {"type": "tool_use", "part": {"tool": "write", "state": {"error": UNAVAILABLE}}}
    steps = [*opencode_step(1, "I look first.", "tool-calls"), refused, *opencode_step(2, "plain hello")]
    opencode = OPENCODE.parse_output(printed(*steps), "", WELL, None)

    assert qwen == ParsedOutput("plain hello", None, Usage("m-1", 18243, 6, tokens_cached=10), "q-1")
    assert opencode.text == "plain hello" and opencode.session == "ses_1" and opencode.fault is None
    assert opencode.usage == Usage(None, 4606, 20, tokens_cached=24, tokens_cache_written=6)
    assert opencode.notes == ("it was refused: write",)
    assert claude == ParsedOutput(
        "plain hello", {"rating": 4}, Usage("claude-sonnet-5-5", 2119, 3, 0.0043, 100, 19, 7), "s-1:4300"
    )
    assert codex == ParsedOutput("plain hello", None, Usage(None, 200, 20, tokens_cached=40), "t-1:300:30:40")
    assert gemini == ParsedOutput(
        "plain hello", None, Usage("gemini-2.5-pro", 8271, 3, tokens_cached=5), "g-1"
    )


def test_what_gemini_thought_is_paid_as_output_and_two_models_have_no_one_name() -> None:
    stats = {"input_tokens": 100, "output_tokens": 3, "total_tokens": 150, "cached": 0}
    by_model = {"gemini-2.5-pro": {}, "gemini-2.5-flash": {}}

    thought = GEMINI.parse_output(
        printed({"type": "result", "status": "success", "stats": stats}), "", WELL, None
    )
    both = GEMINI.parse_output(
        printed({"type": "result", "status": "success", "stats": {**stats, "models": by_model}}),
        "",
        WELL,
        None,
    )

    assert (thought.usage.tokens_in, thought.usage.tokens_out) == (100, 50)
    assert both.usage.model == "gemini-2.5-flash+gemini-2.5-pro"


def failed(message: str) -> str:
    return codex_ended(
        {"type": "error", "message": message}, {"type": "turn.failed", "error": {"message": message}}
    )


def test_what_opencode_computes_is_an_estimate_and_not_what_was_charged() -> None:
    (*begun, finish) = opencode_step(1, "plain hello")
    finish["part"]["cost"] = 0.25

    usage = OPENCODE.parse_output(printed(*begun, finish), "", WELL, None).usage

    assert (usage.cost_usd, usage.estimate) == (None, Estimate(0.25, "opencode"))


@pytest.mark.parametrize("odd", [5, "x", {"a": 1}, [5, None]])
def test_a_field_of_another_type_costs_no_answer(odd: object) -> None:
    claude = CLAUDE.parse_output(claude_ended(permission_denials=odd), "", WELL, None)
    qwen = QWEN.parse_output(qwen_ended(permission_denials=odd), "", WELL, None)

    assert (claude.text, claude.fault, qwen.text, qwen.fault) == ("plain hello", None, "plain hello", None)


FAULTS: list[tuple[Dialect, str, int, type[AgentError]]] = [
    (CLAUDE, claude_ended(is_error=True, api_error_status=401, result="API Error: 401"), 1, AgentUnavailable),
    (CLAUDE, claude_ended(is_error=True, api_error_status=429, result="rejected (429)"), 1, AgentLimited),
    (CLAUDE, claude_ended(is_error=True, api_error_status=529, result="overloaded"), 1, AgentOverloaded),
    (CLAUDE, claude_ended(is_error=True, result="Connection refused (ECONNREFUSED)"), 1, AgentOverloaded),
    (CLAUDE, claude_ended(is_error=True, result="JSON Parse error"), 1, AgentCrashed),
    (CLAUDE, claude_ended(is_error=True, subtype="error_max_structured_output_retries"), 1, AgentRubbish),
    (CODEX, failed("unexpected status 401 Unauthorized: bad key"), 1, AgentUnavailable),
    (CODEX, failed("exceeded retry limit, last status: 429 Too Many Requests"), 1, AgentLimited),
    (CODEX, failed("unexpected status 529 <unknown status code>"), 1, AgentOverloaded),
    (CODEX, failed("unexpected status 404 Not Found"), 1, AgentUnavailable),
    (CODEX, failed("stream disconnected before completion"), 1, AgentCrashed),
    (GEMINI, gemini_ended("error", '[API Error: {"error":{"code":401}}]'), 145, AgentUnavailable),
    (GEMINI, gemini_ended("error", "[API Error: rate limit]"), 173, AgentLimited),
    (GEMINI, gemini_ended("error", "[API Error: overloaded]"), 17, AgentOverloaded),
    (GEMINI, gemini_ended("error", "[API Error: fetch failed]"), 1, AgentOverloaded),
    (GEMINI, gemini_ended("error", "[API Error: terminated]"), 1, AgentCrashed),
    (GEMINI, gemini_ended("error", answer=""), 0, AgentRubbish),
    (GEMINI, "", 41, AgentUnavailable),
    (QWEN, qwen_ended(error="[API Error: 401 bad key]"), 1, AgentUnavailable),
    (QWEN, qwen_ended(error="[API Error: 404 no model]"), 1, AgentUnavailable),
    (QWEN, qwen_ended(error=f"[API Error: 429 fake rate_limit_error]\n{QUOTA}"), 1, AgentLimited),
    (QWEN, qwen_ended(error="[API Error: 529 fake overloaded_error]"), 1, AgentOverloaded),
    (QWEN, qwen_ended(error="[API Error: Connection error. (cause: ECONNREFUSED)]"), 1, AgentOverloaded),
    (QWEN, qwen_ended(error="[API Error: Model stream ended without a finish reason.]"), 1, AgentCrashed),
    (QWEN, qwen_ended(error="Loop detection halted the run"), 1, AgentRubbish),
    (QWEN, qwen_ended("[API Error: 401 bad key]"), 0, AgentUnavailable),  # version 0.15
    (QWEN, qwen_ended("half an answer[API Error: terminated (cause: other side closed)]"), 0, AgentCrashed),
    (OPENCODE, opencode_failed(401, "bad key"), 1, AgentUnavailable),
    (OPENCODE, opencode_failed(404, "no model"), 1, AgentUnavailable),
    (OPENCODE, opencode_failed(400, "odd"), 1, AgentCrashed),
    (OPENCODE, "NotFoundError: Session not found: ses_1\n", 0, AgentCrashed),
]


@pytest.mark.parametrize(("dialect", "out", "exit", "expected"), FAULTS)
def test_a_fault_has_its_class(dialect: Dialect, out: str, exit: int, expected: type[AgentError]) -> None:
    said = dialect.parse_output(out, "", Ended("exited", exit=exit), None)

    assert type(said.fault) is expected


def test_codex_that_only_waits_is_not_waited_for() -> None:
    network = codex_ended(
        {"type": "error", "message": "Reconnecting... waiting for network (Connection failed)"}
    )
    limited = codex_ended(
        {"type": "error", "message": "Reconnecting... 1/1 (last status: 429 Too Many Requests)"}
    )
    again = codex_ended({"type": "error", "message": "Reconnecting... 1/1 (stream disconnected)"})

    faults = [CODEX.parse_output(out, "", None, None).fault for out in (network, limited, again)]

    assert [type(fault) for fault in faults] == [AgentOverloaded, AgentLimited, type(None)]


def test_opencode_that_only_tries_again_is_not_waited_for() -> None:
    limited = opencode_tries("Rate limit reached for requests", 1)
    overloaded = opencode_tries("fake overloaded_error", 2)
    once = opencode_tries("fake overloaded_error", 1)
    nobody = opencode_tries("Cannot connect to API: Unable to connect. Is the computer able to?", 2)
    cut = opencode_tries("Cannot connect to API: The socket connection was closed unexpectedly.", 2)
    nothing = [step for number in (1, 2) for step in opencode_step(number, "", "unknown", 0)]
    told = [limited, overloaded, once, nobody, cut, printed(*nothing), printed(*nothing[:2])]

    faults = [OPENCODE.parse_output(out, "", None, None).fault for out in told]

    assert [type(fault) for fault in faults] == [
        AgentLimited,
        AgentOverloaded,
        type(None),
        AgentOverloaded,
        AgentCrashed,
        AgentRubbish,
        type(None),
    ]


def test_an_error_of_the_server_that_an_answer_came_after_is_past() -> None:
    out = opencode_tries("fake overloaded_error", 2) + printed(*opencode_step(1, "plain hello"))

    said = OPENCODE.parse_output(out, "", WELL, None)

    assert said.fault is None and said.text == "plain hello"


def test_a_step_that_went_well_does_not_hide_that_the_next_one_does_not() -> None:
    out = printed(*opencode_step(1, "I look first.", "tool-calls")) + "\n" + opencode_tries("overloaded", 2)

    assert type(OPENCODE.parse_output(out, "", None, None).fault) is AgentOverloaded


def test_an_answer_about_errors_is_none() -> None:
    answer = '{"error": "the service says [API Error: 401 bad key] to strangers"}'

    assert QWEN.parse_output(qwen_ended(answer), "", WELL, None).fault is None


def test_a_tool_that_was_refused_is_noted() -> None:
    error = "<tool_use_error>Error: No such tool available: Bash. Bash is disabled for this session.</tool_use_error>"
    told = {"type": "user", "message": {"content": [{"type": "tool_result", "content": error}]}}
    called = {"type": "tool_use", "tool_name": "run_shell_command", "tool_id": "c-1"}
    missing = {"type": "tool_result", "tool_id": "c-1", "error": {"type": "tool_not_registered"}}
    denials = [{"tool_name": "write_file"}, {"tool_name": "write_file"}]

    claude = CLAUDE.parse_output(printed(told) + "\n" + claude_ended(), "", WELL, None)
    gemini = GEMINI.parse_output(printed(called, missing) + "\n" + gemini_ended(), "", WELL, None)
    qwen = QWEN.parse_output(qwen_ended(permission_denials=denials), "", WELL, None)

    assert claude.notes == ("it was refused: Bash",)
    assert gemini.notes == ("it was refused: run_shell_command",)
    assert qwen.notes == ("it was refused: write_file",)


def test_a_limit_says_when_it_ends() -> None:
    out = claude_ended(is_error=True, api_error_status=429, result="usage limit reached|1900000000")
    soon = failed("status 429: try again in 20 minutes")

    until = CLAUDE.parse_output(out, "", WELL, None).fault
    later = CODEX.parse_output(soon, "", WELL, None).fault

    assert isinstance(until, AgentLimited) and until.until == 1_900_000_000
    assert isinstance(later, AgentLimited) and later.until is not None
    assert 1190 < later.until - time.time() < 1210


def test_what_the_client_is_told(tmp_path: Path) -> None:
    asked = request(
        tmp_path,
        "the prompt",
        mcp={"team": {"command": "lifecycle", "args": ["mcp"], "env": {"TOKEN": "t0k3n"}}},
    )

    claude, codex, gemini, qwen, opencode = (
        each.call(asked, "the prompt", "old:1:2:0" if each is CODEX else "old", tmp_path)
        for each in (CLAUDE, CODEX, GEMINI, QWEN, OPENCODE)
    )

    for call in (claude, codex, gemini, qwen, opencode):
        assert "t0k3n" not in " ".join(call.argv), "everybody can read a command line"
        assert "the prompt" not in " ".join(call.argv), "a prompt goes to standard input"
    said = " ".join(claude.argv)
    assert "--resume old" in said and "--model opus" in said and "--effort high" in said
    assert claude.env["DISABLE_AUTOUPDATER"] == "1" and "--strict-mcp-config" in said
    assert json.loads(claude.argv[claude.argv.index("--json-schema") + 1]) == Rated.model_json_schema()
    said = " ".join(codex.argv)
    assert codex.argv[1:3] == ["exec", "resume"] and codex.argv[-2:] == ["old", "-"]
    assert 'sandbox_mode="read-only"' in said and "analytics.enabled=false" in said and '"MY_KEY"' in said
    assert 'mcp_servers={"team" = {"command" = "lifecycle"' in said
    home = Path(gemini.env["GEMINI_CLI_HOME"]) / ".gemini" / "settings.json"
    settings = json.loads(home.read_text())
    assert (
        settings["privacy"] == {"usageStatisticsEnabled": False} and settings["mcpServers"]["team"]["trust"]
    )
    assert gemini.env["GEMINI_CLI_NO_RELAUNCH"] == "1" and gemini.argv[-2:] == ["-r", "old"]
    said = " ".join(qwen.argv)
    assert "--safe-mode" in said and "--resume old" in said and "--model m-1" in said
    assert "--approval-mode default" in said and "run_shell_command" in said.partition("--exclude-tools ")[2]
    assert qwen.env["OPENAI_API_KEY"] == "k3y" and qwen.env["OPENAI_BASE_URL"] == "http://127.0.0.1:1/v1"
    settings = json.loads(Path(qwen.env["QWEN_CODE_SYSTEM_SETTINGS_PATH"]).read_text())
    assert settings["general"] == {"enableAutoUpdate": False}
    assert settings["model"]["generationConfig"] == {"maxRetries": 0, "reasoning": {"effort": "high"}}
    said = " ".join(opencode.argv)
    assert "-s old" in said and "-m lifecycle/m-1" in said and "--variant high" in said
    file = Path(opencode.env["XDG_CONFIG_HOME"]) / "opencode" / "opencode.json"
    config = json.loads(file.read_text())
    assert config["permission"] == {"*": "deny", "team_*": "allow"}
    assert config["provider"]["lifecycle"]["options"]["apiKey"] == "{env:MY_KEY}"
    assert config["mcp"]["team"]["command"] == ["lifecycle", "mcp"] and config["autoupdate"] is False
    assert file.stat().st_mode & 0o077 == 0, "it holds the run's token"
