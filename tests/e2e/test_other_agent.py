"""A task whose agent keeps failing is given to another one: `resume --retry TASK --agent NAME`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.support import Lifecycle, agent_toml, lifecycle

PACK = """\
extends: default
pipelines:
  brief-only:
    title: a product brief and nothing more
    tasks:
      - {key: RESEARCH-001}
      - {key: DRAFT-001, blocked_by: [RESEARCH-001]}
"""
FAILS = "import sys; sys.stderr.write('no idea\\n'); sys.exit(1)"
SETTINGS = (
    'max_attempts = 1\n[roles]\nanalyst = ["builtin"]\nwriter = ["stubborn"]\n'
    + agent_toml("stubborn", [sys.executable, "-S", "-c", FAILS])
    + agent_toml("gone", ["/no/such/program"])
)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Lifecycle]:
    """A session whose brief could not be written by the one agent of its writer."""
    with lifecycle(tmp_path / "p", extra=SETTINGS) as made:
        packs = made.folder / ".workflow" / "packs"
        packs.mkdir()
        (packs / "brief.yaml").write_text(PACK)
        started = made.run("start", "Build a URL shortener for a library", "--mode", "brief-only")
        assert started.code == 3, started.err
        yield made


def test_another_agent_writes_what_the_first_could_not(project: Lifecycle) -> None:
    shown = project.run("check")
    resumed = project.run("resume", "--retry", "DRAFT-001", "--agent", "builtin", "-m", "it is stuck")

    assert "lifecycle resume --retry DRAFT-001 --agent builtin" in shown.out
    assert resumed.code == 0, resumed.err
    assert project.story("DRAFT-001") == ["failed", "completed"]
    assert project.rows("SELECT agent FROM runs WHERE outcome = 'completed' ORDER BY opened_at") == [
        ("builtin",),
        ("builtin",),
    ]
    assert project.rows("SELECT subject, words FROM decisions WHERE subject LIKE 'retry%' ORDER BY id")[
        0
    ] == (
        "retry DRAFT-001",
        "agent builtin: it is stuck",
    )
    assert "it asks builtin first, as a user has chosen on a retry" in project.run("why", "DRAFT-001").out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--retry", "DRAFT-001", "--agent", "buildin"], "unknown agent 'buildin'"),
        (["--retry", "DRAFT-001", "--agent", "codex"], "unknown agent 'codex'"),
        (["--retry", "DRAFT-001", "--agent", "gone"], "the agent gone cannot be used now"),
        (["--retry", "IMPL-001-R1", "--agent", "builtin"], "the agent builtin cannot do IMPL-001-R1"),
        (["--agent", "builtin"], "--agent needs --retry"),
        (["--retry", "RESEARCH-001", "--agent", "builtin"], "RESEARCH-001 is completed, not failed"),
    ],
)
def test_an_agent_that_cannot_be_used_is_refused_with_what_to_do(
    project: Lifecycle, options: list[str], words: str
) -> None:
    before = project.rows("SELECT key, status, payload FROM tasks"), project.status()

    refused = project.run("resume", *options, "--detach")

    assert refused.code == 2
    assert words in refused.err and "lifecycle" in refused.err
    assert (project.rows("SELECT key, status, payload FROM tasks"), project.status()) == before
