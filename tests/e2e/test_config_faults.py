"""Whatever reads the configuration finds the same faults: a fault is told beforehand, by file and line, or nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.support import Lifecycle, lifecycle

SETTINGS = """\
[roles]
writer = ["gemni"]
wirter = ["builtin"]
[perspectives]
risc = ["builtin"]
[agents.builtin]
command = ["false"]
"""
PACK = """\
extends: default
pipelines:
  mine:
    tasks:
      - {key: RESEARCH-001}
      - {key: DRAFT-005, blocked_by: [RESEARCH-001]}
"""
FAULTS = (
    "config.toml:2: roles.writer: unknown agent 'gemni'; did you mean 'gemini'?",
    "config.toml:3: roles.wirter: unknown role 'wirter'; did you mean 'writer'?",
    "config.toml:5: perspectives.risc: unknown perspective 'risc'; did you mean 'risk'?",
    "config.toml:7: agents.builtin.command: does nothing",
    "mine.yaml:6: pipelines.mine.tasks.1.key: DRAFT-005: makes no document",
)


def configure(life: Lifecycle) -> None:
    workflow = life.folder / ".workflow"
    (workflow / "config.toml").write_text(SETTINGS)
    (workflow / "packs").mkdir()
    (workflow / "packs" / "mine.yaml").write_text(PACK)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("config check", 1),
        ("doctor", 1),
        ("agents", 2),
        ("start Shop --plan", 2),
        ("start Shop --mode mine", 2),
    ],
)
def test_every_reader_of_the_configuration_tells_all_faults_with_their_lines(
    tmp_path: Path, command: str, code: int
) -> None:
    with lifecycle(tmp_path / "p") as life:
        configure(life)

        gave = life.run(*command.split())

        assert gave.code == code
        assert [fault for fault in FAULTS if fault not in gave.out + gave.err] == []
        assert not life.database.exists()


def test_a_session_under_way_heeds_the_settings_and_not_a_pack_it_does_not_use(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        assert life.run("start", "Build a shop", "--plan").code == 0
        assert life.run("daemon", "start").code == 0
        assert life.run("daemon", "stop").code == 0
        configure(life)

        gave = life.run("resume")

        assert gave.code == 2
        assert [fault for fault in FAULTS[:4] if fault not in gave.err] == []
        assert "mine.yaml" not in gave.err
