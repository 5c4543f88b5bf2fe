"""What a host takes from outside while it runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import structlog

from orchestrator.config import PATH_FILE, variables
from orchestrator.domain.agent_kinds import KINDS
from orchestrator.domain.model_providers import PROVIDERS
from workers.run.settings_watcher import SettingsWatcher

MINE = '[agents.mine]\ncommand = ["mine"]\nenv = ["MINE"]\n'


@pytest.fixture
def configure(project: Path) -> Any:
    def write(text: str) -> None:
        (project / ".workflow" / "config.toml").write_text(text)

    return write


def watcher(project: Path, environ: dict[str, str]) -> SettingsWatcher:
    return SettingsWatcher(project, {}, environ, structlog.get_logger())


def test_only_what_agents_log_in_with_is_taken_from_a_message(project: Path, configure: Any) -> None:
    environ = {"PATH": os.environ["PATH"]}
    watched = watcher(project, environ)
    configure(MINE)

    watched.take({"OPENAI_API_KEY": "new", "HOME": "/p", "PYTHONPATH": "/p", "CODEX_HOME": "/p", "MINE": "m"})

    assert environ == {"PATH": os.environ["PATH"], "MINE": "m", "OPENAI_API_KEY": "new"}


def test_faulty_settings_leave_everything_as_it_was_until_they_are_mended(
    project: Path, configure: Any
) -> None:
    configure(MINE)
    watched = watcher(project, {})
    before = watched.now()

    configure("agents = 5\n")
    faulty = watched.now()
    configure('agents_off = ["claude"]\n')
    mended = watched.now()

    assert faulty is before and watched.now() is mended
    assert ("mine" in before.router.agents, "mine" in mended.router.agents) == (True, False)
    assert "claude" not in mended.router.agents


def test_programs_are_looked_for_where_the_latest_command_would_and_then_where_they_were(
    project: Path,
) -> None:
    environ = {"PATH": "/old:/both"}
    watched = watcher(project, environ)

    (project / ".workflow" / PATH_FILE).write_text("/new:/both")
    watched.now()

    assert environ["PATH"] == "/new:/both:/old"


def test_every_key_of_a_client_or_a_model_api_is_handed_over() -> None:
    names = {name for kind in KINDS.values() for name in kind.sees}
    names |= {key for provider in PROVIDERS.values() for key in provider.keys}

    keys = {name for name in names if name.endswith(("_KEY", "_TOKEN"))}

    assert {"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "DASHSCOPE_API_KEY", "VLLM_API_KEY"} < keys
    assert keys == variables.KEYS
