"""The catalogue of agents: every kind has one entry and one file, and nothing else in the code names it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orchestrator.config import load_pack
from orchestrator.domain.agent_kinds import BUILTIN, CLIENTS, HOMES, KINDS, with_others
from tests.conftest import ROOT

CATALOGUE = "orchestrator/domain/agent_kinds.py"
PROGRAMS = "workers/agents/programs"
SHARED = {  # what the programs' files have in common: of no kind
    "__init__",
    "dialect",
    "editing",
    "endings",
    "external",
    "mcp",
    "merged_stderr",
    "process",
    "read_only",
    "reported_usage",
    "stream",
    "turn",
    "worktree",
}
ALLOWED = {  # a provider of model APIs is called as a client is
    ("orchestrator/domain/model_providers.py", "gemini"),
    ("orchestrator/domain/prices.py", "gemini"),
}
NAMED = re.compile(rf"\b({'|'.join(CLIENTS)})\b(?!-)", re.I)  # not the models: claude-sonnet-4-5


def test_every_program_has_one_entry_and_one_file() -> None:
    files = {path.stem for path in (ROOT / PROGRAMS).glob("*.py")} - SHARED
    programs = {name for name, kind in KINDS.items() if kind.started_as in ("client", "command")}

    assert files == programs
    assert {name: kind.name for name, kind in KINDS.items()} == {name: name for name in KINDS}
    assert {kind.started_as for kind in KINDS.values()} == {"client", "command", "api", "builtin"}


def test_nothing_else_in_the_code_names_a_client() -> None:
    found = {
        (path.relative_to(ROOT).as_posix(), name.lower())
        for package in ("orchestrator", "workers")
        for path in (ROOT / package).rglob("*.py")
        for name in NAMED.findall(path.read_text(encoding="utf-8"))
    }
    own = {(CATALOGUE, name) for name in CLIENTS} | {(f"{PROGRAMS}/{name}.py", name) for name in CLIENTS}

    assert found - own == ALLOWED


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_sees_its_homes_and_no_variable_that_would_change_where_programs_are_found(
    name: str,
) -> None:
    kind = KINDS[name]

    assert set(kind.homes) <= set(kind.sees) and set(kind.homes) <= set(HOMES)
    assert not set(kind.sees) & {
        "PATH",
        "PYTHONPATH",
        "LD_PRELOAD",
        "NODE_OPTIONS",
        "HOME",
        "XDG_CONFIG_HOME",
    }
    assert set(kind.keys) <= set(kind.env)


def test_a_star_in_an_order_is_every_client_that_stands_in_and_is_not_named() -> None:
    assert list(with_others(["claude", "qwen", "*", BUILTIN])) == ["claude", "qwen", "opencode", BUILTIN]
    assert list(with_others(["mine", BUILTIN])) == ["mine", BUILTIN]


def test_a_pack_of_a_user_may_use_the_star_too(tmp_path: Path) -> None:
    (tmp_path / ".workflow" / "packs").mkdir(parents=True)
    (tmp_path / ".workflow" / "packs" / "mine.yaml").write_text(
        'extends: default\nroles:\n  writer:\n    agents: ["*", builtin]\n'
    )

    pack = load_pack(tmp_path, {"LIFECYCLE_CONFIG_DIR": str(tmp_path / "none")})

    assert pack.roles["writer"].agents == ("qwen", "opencode", "builtin")
