"""`doctor --probe` and `agents --probe`: who really answers, what it cost, and what to do about who does not."""

from __future__ import annotations

import re
import socket
import sys
from pathlib import Path

import pytest

from tests.e2e.support import agent_toml, lifecycle
from tests.stand_in.model_server import FakeModelServer

pytest.importorskip("pydantic_ai", reason="team-lifecycle[api] is not installed")

KEY = "sk-test-0123456789abcdef"
REFUSING = {"status": 401, "error": "invalid x-api-key"}


def api(name: str, model: str, url: str) -> str:
    return f'\n[agents.{name}]\nkind = "api"\nmodel = "{model}"\nbase_url = "{url}"\nkey_env = "MODEL_KEY"\n'


@pytest.fixture
def nobody() -> str:
    """An address at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


@pytest.mark.long
def test_doctor_tells_who_answers_at_what_cost_and_what_to_do_about_the_others(
    tmp_path: Path, nobody: str
) -> None:
    rules = [
        {"model": "sonnet", "steps": [{"text": "ready", "usage": {"input": 1000, "output": 100}}]},
        {"model": "opus", "steps": [REFUSING]},
    ]
    with FakeModelServer(rules) as server:
        extra = (
            api("good", "anthropic:claude-sonnet-4-5", server.url)
            + api("refused", "anthropic:claude-opus-4-1", server.url)
            + api("gone", "openai-chat:gpt-5", nobody)
            + '\n[prices."claude-sonnet-4-5"]\ninput = 3\noutput = 15\n'
        )
        with lifecycle(tmp_path / "p", extra=extra) as life:
            gave = life.run("doctor", "--probe", "--json", env={"MODEL_KEY": KEY})

    assert gave.code == 1
    assert "may cost" in gave.err
    (line,) = [each for each in gave.json() if each["check"] == "agents"]
    assert line["state"] == "fault"
    assert line["says"].startswith("no answer from refused, gone; available: builtin, good (answered in ")
    assert line["says"].endswith(", $0.0045)")
    refused, gone = line["fix"].splitlines()
    assert refused.startswith("refused: ") and "refused its key" in refused and "key_env" in refused
    assert gone.startswith("gone: nothing can be reached") and nobody in gone and "start the server" in gone
    assert KEY not in gave.out + gave.err


def test_agents_shows_who_was_asked_and_answered(tmp_path: Path) -> None:
    program = tmp_path / "mine.py"
    program.write_text("import sys; sys.stdin.read(); print('ready')")
    extra = agent_toml("mine", [sys.executable, "-I", "-S", str(program)])
    with lifecycle(tmp_path / "p", extra=extra) as life:
        probed = life.run("agents", "--probe")

    assert "may cost" in probed.err
    told = {line.split()[0]: line for line in probed.out.splitlines() if line.strip()}
    assert "not asked" in told["builtin"]
    assert re.search(r"yes, in [\d.]+ s, unknown cost", told["mine"])
