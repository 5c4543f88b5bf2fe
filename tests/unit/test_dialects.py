"""What the real clients print, as they printed it, and what is read from it (`tests/clients` drives them themselves)."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.errors import (
    AgentCrashed,
    AgentError,
    AgentLimited,
    AgentOverloaded,
    AgentRubbish,
    AgentUnavailable,
)
from tests.clients.support import Rated, request
from workers.agents.claude import Claude
from workers.agents.codex import Codex
from workers.agents.dialect import Dialect, Said
from workers.agents.gemini import Gemini
from workers.agents.process import Ended
from workers.agents.protocol import Usage

CLAUDE = Claude("claude", model="opus", effort="high", base_url=None)
CODEX = Codex("codex", model="m-1", effort=None, base_url="http://127.0.0.1:1/v1", key_env="MY_KEY")
GEMINI = Gemini("gemini", model=None, base_url=None, environ={"GEMINI_API_KEY": "k"})
WELL = Ended("exited", exit=0)


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


def test_an_answer_is_read_with_what_it_used_and_where_it_can_be_gone_on_with() -> None:
    answered = {"type": "item.completed", "item": {"type": "agent_message", "text": "plain hello"}}
    used = {
        "type": "turn.completed",
        "usage": {"input_tokens": 300, "cached_input_tokens": 40, "output_tokens": 30},
    }

    claude = CLAUDE.said(claude_ended(structured_output={"rating": 4}), "", WELL, None)
    codex = CODEX.said(codex_ended(answered, used), "", WELL, "t-1:100:10:0")
    gemini = GEMINI.said(gemini_ended(), "", WELL, None)

    assert claude == Said(
        "plain hello", {"rating": 4}, Usage("claude-sonnet-5-5", 2119, 3, 0.0043, 100, 19, 7), "s-1"
    )
    assert codex == Said("plain hello", None, Usage(None, 200, 20, tokens_cached=40), "t-1:300:30:40")
    assert gemini == Said("plain hello", None, Usage("gemini-2.5-pro", 8271, 3, tokens_cached=5), "g-1")


def test_what_gemini_thought_is_paid_as_output_and_two_models_have_no_one_name() -> None:
    stats = {"input_tokens": 100, "output_tokens": 3, "total_tokens": 150, "cached": 0}
    by_model = {"gemini-2.5-pro": {}, "gemini-2.5-flash": {}}

    thought = GEMINI.said(printed({"type": "result", "status": "success", "stats": stats}), "", WELL, None)
    both = GEMINI.said(
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
]


@pytest.mark.parametrize(("dialect", "out", "exit", "expected"), FAULTS)
def test_a_fault_has_its_class(dialect: Dialect, out: str, exit: int, expected: type[AgentError]) -> None:
    said = dialect.said(out, "", Ended("exited", exit=exit), None)

    assert type(said.fault) is expected


def test_codex_that_only_waits_is_not_waited_for() -> None:
    network = codex_ended(
        {"type": "error", "message": "Reconnecting... waiting for network (Connection failed)"}
    )
    limited = codex_ended(
        {"type": "error", "message": "Reconnecting... 1/1 (last status: 429 Too Many Requests)"}
    )
    again = codex_ended({"type": "error", "message": "Reconnecting... 1/1 (stream disconnected)"})

    faults = [CODEX.said(out, "", None, None).fault for out in (network, limited, again)]

    assert [type(fault) for fault in faults] == [AgentOverloaded, AgentLimited, type(None)]


def test_a_limit_says_when_it_ends() -> None:
    out = claude_ended(is_error=True, api_error_status=429, result="usage limit reached|1900000000")
    soon = failed("status 429: try again in 20 minutes")

    until = CLAUDE.said(out, "", WELL, None).fault
    later = CODEX.said(soon, "", WELL, None).fault

    assert isinstance(until, AgentLimited) and until.until == 1_900_000_000
    assert isinstance(later, AgentLimited) and later.until is not None
    assert 1190 < later.until - time.time() < 1210


def test_what_the_client_is_told(tmp_path: Path) -> None:
    asked = request(
        tmp_path,
        "the prompt",
        mcp={"team": {"command": "lifecycle", "args": ["mcp"], "env": {"TOKEN": "t0k3n"}}},
    )

    claude, codex, gemini = (
        each.call(asked, "the prompt", "old:1:2:0" if each is CODEX else "old", tmp_path)
        for each in (CLAUDE, CODEX, GEMINI)
    )

    for call in (claude, codex, gemini):
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


def test_a_login_of_gemini_is_left_where_it_is(tmp_path: Path) -> None:
    without_key = Gemini("gemini", model=None, base_url=None, environ={})

    call = without_key.call(request(tmp_path, "p"), "p", None, tmp_path)

    assert "GEMINI_CLI_HOME" not in call.env
