"""Which mode is chosen by itself depends on whether somebody can edit files."""

from pathlib import Path

import pytest

from orchestrator.config import load_settings
from orchestrator.views.plan import has_coding_agent

EDITOR = {"mine": {"command": ["mine"], "edits_files": True}}


@pytest.mark.parametrize(
    ("settings", "has"),
    [
        ({}, False),
        ({"agents": {"mine": {"command": ["mine"]}}}, False),
        ({"agents": EDITOR}, True),
        ({"agents": EDITOR, "agents_off": ["mine"]}, False),
        ({"agents": {"mine": {"kind": "codex", "command": ["sh"]}}}, True),
        ({"agents": {"mine": {"kind": "codex"}}}, False),
        ({"agents": {"claude": {"kind": "api", "model": "anthropic:claude-sonnet-4-5"}}}, False),
    ],
)
def test_a_coding_agent_is_one_that_is_said_to_edit_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: dict[str, object], has: bool
) -> None:
    (tmp_path / "sh").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert has_coding_agent(load_settings(None, {}, settings)) is has


def test_an_installed_client_is_one_unless_it_is_off(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "codex").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert has_coding_agent(load_settings(None, {}, {}))
    assert not has_coding_agent(load_settings(None, {}, {"agents_off": ["codex"]}))
