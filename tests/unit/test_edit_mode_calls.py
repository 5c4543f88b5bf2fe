"""How the clients that edit files are called, and where their login stays."""

from __future__ import annotations

import json
from pathlib import Path

from orchestrator.config.settings import AgentSettings
from tests.clients.support import request
from tests.unit.test_dialects import CLAUDE, CODEX, GEMINI, OPENCODE, QWEN
from workers.agents.programs.gemini import Gemini


def test_one_that_works_may_edit_and_run_commands(tmp_path: Path) -> None:
    asked = request(tmp_path, "the prompt", edits=True)

    qwen = " ".join(QWEN.call(asked, "the prompt", None, tmp_path).argv)
    opencode = OPENCODE.call(asked, "the prompt", None, tmp_path)
    claude = CLAUDE.call(asked, "the prompt", None, tmp_path).argv
    codex = " ".join(CODEX.call(asked, "the prompt", None, tmp_path).argv)
    gemini = " ".join(GEMINI.call(asked, "the prompt", None, tmp_path).argv)

    assert claude[claude.index("--permission-mode") + 1] == "acceptEdits" and claude[-1] == "Bash"
    assert "SendMessage" in claude[claude.index("--disallowedTools") + 1]
    assert 'sandbox_mode="workspace-write"' in codex and "exclude_tmpdir_env_var=false" in codex
    assert "--approval-mode auto_edit" in gemini and "--allowed-tools run_shell_command" in gemini
    assert "--approval-mode auto-edit" in qwen and "--allowed-tools run_shell_command" in qwen
    config = json.loads((Path(opencode.env["XDG_CONFIG_HOME"]) / "opencode" / "opencode.json").read_text())
    assert config["permission"]["*"] == "allow" and config["permission"]["external_directory"] == "deny"


def test_a_login_of_gemini_is_left_where_it_is(tmp_path: Path) -> None:
    without_key = Gemini("gemini", AgentSettings(kind="gemini"), {})

    call = without_key.call(request(tmp_path, "p"), "p", None, tmp_path)

    assert "GEMINI_CLI_HOME" not in call.env
