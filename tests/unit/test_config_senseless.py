"""What settings would take and ignore, or stumble over later, is a fault with its line; packs and settings are one check."""

from dataclasses import fields
from pathlib import Path

import pytest

from orchestrator import config
from orchestrator.config.settings import AgentSettings
from orchestrator.domain import documents, workable
from orchestrator.domain.agent_kinds import KINDS
from orchestrator.domain.documents import DECLARED, REPORT
from orchestrator.domain.errors import ConfigError
from workers.documents import render
from workers.documents.models import MODELS, model_of
from workers.roles import MODULES as ROLES


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".workflow" / "packs").mkdir(parents=True)
    return tmp_path


def faults(project: Path, settings: str = "", pack: str | None = None) -> list[str]:
    """The faults of all that is configured, the folder cut off."""
    workflow = project / ".workflow"
    (workflow / "config.toml").write_text(settings)
    if pack is not None:
        (workflow / "packs" / "mine.yaml").write_text(f"extends: default\n{pack}")
    try:
        config.load_all(project, {"LIFECYCLE_CONFIG_DIR": str(project / "none")})
    except ConfigError as error:
        return [fault.replace(f"{workflow}/", "").replace("packs/", "") for fault in error.faults]
    return []


SENSELESS = [
    ("[roles]\nwriter = ['gemni']", "2: roles.writer: unknown agent 'gemni'; did you mean 'gemini'?"),
    ("[roles]\nwirter = ['gemini']", "2: roles.wirter: unknown role 'wirter'; did you mean 'writer'?"),
    ("[roles]\nwriter = []", "2: roles.writer: names nobody"),
    ("[roles]\ndiscussant = ['claude']", "2: roles.discussant: has no effect: who discusses is set by"),
    (
        "[roles]\ncoordinator = ['claude']",
        "2: roles.coordinator: has no effect: the coordinator asks no agent",
    ),
    ("[perspectives]\nrisc = ['gemini']", "2: perspectives.risc: unknown perspective 'risc'"),
    ("[perspectives]\nrisk = ['gemni']", "2: perspectives.risk: unknown agent 'gemni'"),
    ("agents_off = ['claud']", "1: agents_off.0: unknown agent 'claud'; did you mean 'claude'?"),
    ("agents_off = ['builtin']", "1: agents_off.0: the built-in agent cannot be switched off"),
    (
        "agents_off = ['claude']\n[roles]\nwriter = ['claude']",
        "3: roles.writer: names only agents that `agents_off` switches off",
    ),
    (
        "[agents.builtin]\ncommand = ['x']",
        '2: agents.builtin.command: does nothing for an agent of kind "builtin"',
    ),
    ("[agents.builtin]\nmodel = 'x'", '2: agents.builtin.model: does nothing for an agent of kind "builtin"'),
    ("[agents.builtin]\nkind = 'command'\ncommand = ['x']", "2: agents.builtin.kind: the name builtin is"),
    (
        "[agents.a]\nkind = 'builtin'\nconfine = false",
        "3: agents.a.confine: does nothing for an agent of kind",
    ),
    ("[agents.a]\nmodel = 'm'", '1: agents.a: an agent of kind "command" needs a command'),
    ("[agents.a]\ncommand = ['x']\neffort = 'low'", "3: agents.a.effort: does nothing for an agent of kind"),
    ("[agents.gemini]\neffort = 'low'", "2: agents.gemini.effort: does nothing for an agent of kind"),
    ("[agents.claude]\nkey_env = 'MY_KEY'", "2: agents.claude.key_env: does nothing for an agent of kind"),
    ("[agents.qwen]\nkey_env = 'MY_KEY'", "2: agents.qwen.key_env: does nothing without a base_url"),
    ("[agents.claude]\nedits_files = false", "2: agents.claude.edits_files: cannot be switched off"),
    ("[agents.codex]\ncommand = ['codex', '-x']", "2: agents.codex.command: names a client's program alone"),
    ("[agents.opencode]\nmodel = 'gpt-5'", "2: agents.opencode.model: expected provider/model"),
    ("[agents.a]\nkind = 'api'", '1: agents.a: an agent of kind "api" needs a model'),
    ("[agents.a]\nkind = 'api'\nmodel = 'gpt-5'", "3: agents.a.model: names no provider"),
    (
        "[agents.a]\nkind = 'api'\nmodel = 'antropic:m'",
        "3: agents.a.model: unknown provider 'antropic'; did you mean 'anthropic'?",
    ),
    ("[agents.a]\nkind = 'api'\nmodel = 'vllm:m'", "3: agents.a.model: vllm needs a base_url"),
    (
        "[agents.a]\nkind = 'api'\nmodel = 'openai:m'\nedits_files = true",
        '4: agents.a.edits_files: does nothing for an agent of kind "api"',
    ),
    ("[agents.a]\ncommand = ['x']\nbase_url = 'localhost:80'", "3: agents.a.base_url: expected an address"),
    ("[agents.a]\ncommand = ['x']\nenv = ['A=b']", "3: agents.a.env.0: expected the name of an environment"),
    (
        "[agents.a]\ncommand = ['x']\nkey_env = 'sk-1'",
        "3: agents.a.key_env: expected the name of an environment",
    ),
    ("[prices.claude]\ninput = 1\noutput = 1", "1: prices.claude: is an agent, and prices are by model"),
]


@pytest.mark.parametrize(("settings", "fault"), SENSELESS)
def test_what_would_be_taken_and_ignored_is_a_fault_with_its_line(
    project: Path, settings: str, fault: str
) -> None:
    found = faults(project, settings)

    assert [one.startswith(f"config.toml:{fault}") for one in found] == [True], found


SENSIBLE = [
    "[agents.builtin]\nkind = 'builtin'",
    "[agents.claude]\nkind = 'command'\ncommand = ['mine', '-x']",
    "[agents.claude]\nmodel = 'haiku'\n[prices.haiku]\ninput = 1\noutput = 1",
    "[agents.codex]\nmodel = 'codex'\n[prices.codex]\ninput = 1\noutput = 1",
    "[agents.opencode]\nmodel = 'm'\nbase_url = 'http://127.0.0.1/v1'\nkey_env = 'K'",
    "[agents.a]\ncommand = ['x']\nmodel = 'm'\nkey_env = 'K'\nedits_files = true\nconfine = false",
    "[agents.a]\nkind = 'api'\nmodel = 'ollama:qwen3:30b'\nconfine = true\nedits_files = false",
    "agents_off = ['a', 'claude']\n[agents.a]\ncommand = ['x']\n[roles]\nwriter = ['a', 'builtin']",
    "[roles]\nplanner = ['claude']",
]


@pytest.mark.parametrize("settings", SENSIBLE)
def test_what_can_be_meant_is_taken(project: Path, settings: str) -> None:
    assert faults(project, settings) == []


def test_faults_of_an_agent_do_not_hide_each_other(project: Path) -> None:
    found = faults(
        project, "slots = 0\n[agents.a]\nkind = 'api'\nkey_env = 'sk-1'\nenv = ['A']\n[roles]\nx = ['y']"
    )

    assert [one.split(": ")[0] for one in found] == [
        "config.toml:1",
        "config.toml:4",
        "config.toml:5",
        "config.toml:7",
        "config.toml:7",
    ]


def test_a_file_that_cannot_be_read_makes_no_names_unknown(project: Path) -> None:
    (project / "none").mkdir()
    (project / "none" / "config.toml").write_text("[agents.mine\n")

    found = faults(project, "[roles]\nwriter = ['mine']", "roles: {writer: {agents: [mine]}}\n")

    assert [one.split(":")[0].rpartition("/")[2] for one in found] == ["config.toml"]
    assert "none" in found[0]


@pytest.mark.parametrize(
    ("pack", "fault"),
    [
        ("roles: {writer: {agents: [gemni]}}", "roles.writer.agents.0: unknown agent 'gemni'; did you mean"),
        ("perspectives: {risk: {agent: gemni}}", "perspectives.risk.agent: unknown agent 'gemni'"),
        ("fallback: {gemni: [claude]}", "fallback.gemni: unknown agent 'gemni'"),
        ("fallback: {gemini: [claud]}", "fallback.gemini.0: unknown agent 'claud'"),
        (
            "roles: {poet: {prefixes: [POEM], kind: pipeline, may: [write], may_not: [edit], installed: true}}",
            "roles.poet.installed: the role poet is not available yet",
        ),
        ("roles: {writer: {instructions: mine.md}}", "roles.writer.instructions: would not be read"),
        (
            "roles: {writer: {prefixes: [IMPROVE]}, analyst: {prefixes: [RESEARCH, DRAFT]}}",
            "roles.writer.prefixes: must hold DRAFT",
        ),
    ],
)
def test_what_a_pack_names_and_nobody_knows_is_a_fault_with_its_line(
    project: Path, pack: str, fault: str
) -> None:
    found = faults(project, "", pack)

    assert any(one.startswith(f"mine.yaml:2: {fault}") for one in found), found


def test_an_agent_of_the_settings_is_known_in_a_pack(project: Path) -> None:
    own = "[agents.mine]\ncommand = ['x']"

    assert faults(project, own, "roles: {writer: {agents: [mine, builtin]}}") == []


def test_settings_are_checked_against_the_pack_wherever_they_are_read(project: Path) -> None:
    (project / ".workflow" / "config.toml").write_text("[roles]\nwirter = ['builtin']\n")

    with pytest.raises(ConfigError) as refused:
        config.load_settings(project, {"LIFECYCLE_CONFIG_DIR": str(project / "none")})

    assert "did you mean 'writer'?" in refused.value.faults[0]


def test_a_kind_takes_only_options_that_agents_have() -> None:
    taken = {option for kind in KINDS.values() for option in kind.takes}

    assert taken == {each.name for each in fields(AgentSettings)} - {"kind"}


def test_the_models_and_roles_of_the_check_are_those_of_the_workers() -> None:
    shipped = config.load_pack(None, {"LIFECYCLE_CONFIG_DIR": "/nonexistent"})

    assert set(MODELS) | {REPORT, DECLARED} == set(documents.MODELS) == set(render._BY_MODEL)
    assert {model_of(each) for each in shipped.documents if not each.is_report} == set(MODELS.values())
    assert {*ROLES, "coordinator", "dynamic"} == set(workable.BUILT)
