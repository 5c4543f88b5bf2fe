"""Settings: layers, defaults, and every fault with its place (docs/configuration.md; docs/bad-inputs.md, 20, 24, 27, 28)."""

import subprocess
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest

from orchestrator import config
from orchestrator.config import load_settings
from orchestrator.config.settings import AgentSettings, Settings
from orchestrator.domain.errors import ConfigError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".workflow").mkdir(parents=True)
    (tmp_path / "user").mkdir()
    return tmp_path / "project"


def load(project: Path, text: str = "", environ: dict[str, str] | None = None, **flags: Any) -> Settings:
    (project / ".workflow" / "config.toml").write_text(text)
    return load_settings(
        project, {"LIFECYCLE_CONFIG_DIR": str(project.parent / "user"), **(environ or {})}, flags
    )


def faults(project: Path, text: str = "", environ: dict[str, str] | None = None, **flags: Any) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        load(project, text, environ, **flags)
    path = str(project / ".workflow" / "config.toml")
    return [fault.replace(path, "config.toml") for fault in refused.value.faults]


NO_CAPS = {"max_usd": None, "max_tokens": None, "max_turns": None, "max_minutes": None}
DEFAULTS = {
    "lease_seconds": 30,
    "renew_seconds": 5,
    "watchdog_margin_seconds": 5,
    "reconcile_seconds": 10,
    "max_attempts": 3,
    "backoff_seconds": [5, 20, 80],
    "slots": 4,
    "own_host": True,
    "agent_processes": None,
    "discuss_seconds": 600,
    "agent_limits": {"start": 60, "silence": 300, "turn": 900, "total": 1800},
    "idle_exit_seconds": 900,
    "dispatch": "desk",
    "temporal": {
        "address": "127.0.0.1:7233",
        "namespace": "default",
        "queues": "lifecycle",
        "tls": None,
        "tls_ca": None,
        "tls_cert": None,
        "tls_key": None,
        "api_key_env": None,
    },
    "database": {"url": None, "password_env": None, "password_file": None, "project": None},
    "journal": "wal",
    "synchronous": "FULL",
    "discuss": "inline",
    "critics": "auto",
    "execution": "parallel",
    "consensus_threshold": None,
    "drain_seconds": 20.0,
    "agents": {},
    "hand_over_mcp": False,
    "agents_off": [],
    "roles": {},
    "perspectives": {},
    "budget": {
        **NO_CAPS,
        "task": NO_CAPS,
        "code": {"max_usd": 20.0, "max_tokens": 20_000_000, "max_turns": 30, "max_minutes": 180.0},
    },
    "approve_plan": False,
    "fix": "critical",
    "work": {
        "trees": None,
        "test_command": [],
        "test_report": None,
        "setup": [],
        "required": False,
        "unconfined": False,
        "test_seconds": 1800.0,
        "checked_at_once": None,
        "serve": [],
        "pages": [],
    },
    "prices": {},
    "notify": {"on": ["waits", "failed", "finished"], "command": [], "desktop": False, "webhook": None},
    "traces": {"endpoint": None},
}


def test_without_any_source_the_documented_defaults_hold(project: Path) -> None:
    assert asdict(load(project)) == DEFAULTS


def test_every_setting_has_its_doc() -> None:
    assert [each.name for each in fields(Settings) if not each.metadata["doc"]] == []
    assert [each.name for each in fields(AgentSettings) if not each.metadata["doc"]] == []


def test_each_layer_goes_over_the_one_before(project: Path) -> None:
    (project.parent / "user" / "config.toml").write_text(
        "slots = 5\nmax_attempts = 5\nagent_processes = 5\n[agent_limits]\nturn = 5\n"
    )

    settings = load(
        project,
        "slots = 6\nmax_attempts = 6\n[agent_limits]\ntotal = 6\n",
        {"LIFECYCLE_SLOTS": "7", "LIFECYCLE_AGENT_LIMITS__START": "7", "LIFECYCLE_BACKOFF_SECONDS": "[1, 2]"},
        slots=8,
        execution=None,
    )

    assert (settings.slots, settings.max_attempts, settings.agent_processes) == (8, 6, 5)
    assert asdict(settings.agent_limits) == {"start": 7, "silence": 300, "turn": 5, "total": 6}
    assert settings.backoff_seconds == [1, 2]
    assert settings.execution == "parallel"


def test_agents_roles_and_perspectives_are_taken_over(project: Path) -> None:
    settings = load(
        project,
        '[agents.mine]\nkind = "command"\ncommand = ["my-agent", "--json"]\nenv = ["MY_KEY"]\nedits_files = true\n'
        '[agents.mine.limits]\nturn = 30\n[roles]\nwriter = ["mine", "builtin"]\n[perspectives]\nrisk = ["mine"]\n',
    )

    assert settings.agents["mine"].command == ["my-agent", "--json"]
    assert settings.agents["mine"].edits_files
    assert settings.agents["mine"].limits is not None
    assert settings.agents["mine"].limits.turn == 30
    assert (settings.roles, settings.perspectives) == ({"writer": ["mine", "builtin"]}, {"risk": ["mine"]})


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("slots = 0", "config.toml:1: slots: "),
        ("slots = 1000000", "config.toml:1: slots: "),
        ("slots = true", "config.toml:1: slots: expected a number"),
        ("slots = 2.5", "config.toml:1: slots: "),
        ('slots = "many"', "config.toml:1: slots: "),
        ("\n\ndrain_seconds = -1", "config.toml:3: drain_seconds: "),
        ("drain_seconds = nan", "config.toml:1: drain_seconds: "),
        ("lease_seconds = inf", "config.toml:1: lease_seconds: "),
        ('discuss_seconds = "5min"', "config.toml:1: discuss_seconds: "),
        (
            "lease_seconds = 9\nwatchdog_margin_seconds = 1",
            "config.toml:1: lease_seconds (9) must be at least twice",
        ),
        ("renew_seconds = 16", "config.toml:1: lease_seconds (30) must be at least twice renew_seconds (16)"),
        ("watchdog_margin_seconds = 25", "config.toml:1: lease_seconds (30) must exceed"),
        ('journal = "memory"', "config.toml:1: journal: "),
        ('synchronous = "OFF"', "config.toml:1: synchronous: "),
        ('discuss = "loud"', "config.toml:1: discuss: "),
        ("consensus_threshold = 6", "config.toml:1: consensus_threshold: "),
        ("backoff_seconds = []", "config.toml:1: backoff_seconds: "),
        ("backoff_seconds = [1, -1]", "config.toml:1: backoff_seconds.1: "),
        ("slot = 4", "config.toml:1: unknown setting 'slot'; did you mean 'slots'?"),
        (
            "[agent_limits]\nturns = 4",
            "config.toml:2: unknown setting 'agent_limits.turns'; did you mean 'agent_limits.turn'?",
        ),
        (
            "[agents.a]\nkind = 'command'",
            'config.toml:1: agents.a: an agent of kind "command" needs a command',
        ),
        ("[agents.a]\nkind = 'robot'\ncommand = ['x']", "config.toml:2: agents.a.kind: "),
        ("[agents.a]\ncommand = 'x y'", "config.toml:2: agents.a.command: "),
        ("[budget]\nmax_usd = 0", "config.toml:2: budget.max_usd: "),
        ("[budget]\nmax_turns = 1.5", "config.toml:2: budget.max_turns: "),
        ("[budget]\nmax_tokens = true", "config.toml:2: budget.max_tokens: "),
        ("[budget]\nmax_usd = inf", "config.toml:2: budget.max_usd: "),
        (
            "[budget.task]\nmax_usb = 1",
            "config.toml:2: unknown setting 'budget.task.max_usb'; did you mean 'budget.task.max_usd'?",
        ),
        ('[prices."m"]\ninput = 1', "config.toml:1: prices.m.output: "),
        ('[prices."m"]\ninput = -1\noutput = 1', "config.toml:2: prices.m.input: "),
        (
            "slots = 4\nslots = 5",
            "config.toml:2: slots: given twice, first in line 1; keep one of them",
        ),
        (
            "[budget.task]\nmax_turns = 4\nmax_turns = 5",
            "config.toml:3: budget.task.max_turns: given twice, first in line 2",
        ),
        (
            '[agents.a]\ncommand = [\n  "x",\n]\ncommand = [\n  "y",\n]',
            "config.toml:5: agents.a.command: given twice, first in line 2",
        ),
        (
            "[roles]\nwriter = ['builtin']\n[budget]\n[roles]\n",
            "config.toml:4: roles: given twice, first in line 1",
        ),
        (
            "agent_limits.turn = 5\n[agent_limits]\ntotal = 6",
            "config.toml:2: agent_limits: given twice, first in line 1",
        ),
        (
            "agent_limits = {turn = 5, turn = 6}",
            "config.toml:1: agent_limits: Duplicate inline table key 'turn'",
        ),
        ('slots = 4\ndiscuss = "in\\qline"', "config.toml:2: discuss: Unescaped '\\' in a string"),
        ("slots = 4\nslots 5", "config.toml:2: "),
        ("agent_limits = 5", "config.toml:1: agent_limits: expected a table of settings"),
        ("slots = ", "config.toml:1: "),
        *(
            (f"[traces]\nendpoint = {given}", "config.toml:2: traces.endpoint: ")
            for given in (
                *("''", "4318", "'collector:4318'", "'ftp://collector'", "'http://'", "'http://a:99999'"),
                *("'http://me:sesame@collector'", "'http://collector/v1/traces?key=x'", "'http://a b'"),
            )
        ),
    ],
)
def test_each_fault_of_a_file_names_its_line(project: Path, text: str, fault: str) -> None:
    found = faults(project, text)

    assert any(one.startswith(fault) for one in found), found


def test_the_lease_may_be_exactly_twice_the_renewal(project: Path) -> None:
    settings = load(project, "lease_seconds = 10\nrenew_seconds = 5\nwatchdog_margin_seconds = 4\n")

    assert settings.lease_seconds == 10


def test_all_faults_of_all_layers_are_told_at_once(project: Path) -> None:
    (project.parent / "user" / "config.toml").write_text("slots = [\n")

    found = faults(
        project,
        'drain_seconds = -1\nrenew_seconds = 20\n[agent_limits]\nturn = "5min"\nsilense = 3\n',
        {"LIFECYCLE_MAX_ATTEMPTS": "three"},
        agent_processes=0,
    )

    assert sorted(one.partition(": ")[0].rpartition("/")[2] for one in found) == [
        "--agent-processes",
        "LIFECYCLE_MAX_ATTEMPTS",
        "config.toml:1",
        "config.toml:1",
        "config.toml:2",
        "config.toml:4",
        "config.toml:5",
    ]


@pytest.mark.parametrize(
    ("environ", "fault"),
    [
        ({"LIFECYCLE_SLOTS": "many"}, "LIFECYCLE_SLOTS: slots: "),
        ({"LIFECYCLE_SLOTS": ""}, "LIFECYCLE_SLOTS: slots: "),
        (
            {"LIFECYCLE_SLOTS": "4", "lifecycle_slots": "5"},
            "lifecycle_slots: given twice, also as LIFECYCLE_SLOTS",
        ),
        ({"LIFECYCLE_SLOT": "4"}, "LIFECYCLE_SLOT: unknown setting; did you mean LIFECYCLE_SLOTS?"),
        ({"LIFECYCLE_BACKOFF_SECONDS": "[1,"}, "LIFECYCLE_BACKOFF_SECONDS: backoff_seconds: "),
        ({"LIFECYCLE_BACKOFF_SECONDS": "5"}, "LIFECYCLE_BACKOFF_SECONDS: backoff_seconds: "),
        ({"LIFECYCLE_AGENT_LIMITS__TURN": "1e309"}, "LIFECYCLE_AGENT_LIMITS__TURN: agent_limits.turn: "),
        ({"LIFECYCLE_AGENT_LIMITS": "7"}, "LIFECYCLE_AGENT_LIMITS: agent_limits: expected a table"),
        (
            {"LIFECYCLE_AGENT_LIMITS": "7", "LIFECYCLE_AGENT_LIMITS__TURN": "60"},
            "LIFECYCLE_AGENT_LIMITS__TURN: LIFECYCLE_AGENT_LIMITS sets the whole table",
        ),
        (
            {"LIFECYCLE_AGENT_LIMITS": '{"turn": 7}', "LIFECYCLE_AGENT_LIMITS__TURN": "60"},
            "LIFECYCLE_AGENT_LIMITS__TURN: LIFECYCLE_AGENT_LIMITS sets the whole table",
        ),
        (
            {"LIFECYCLE_ROLES": '{"writer": ["gemni"]}'},
            "LIFECYCLE_ROLES: roles.writer: unknown agent 'gemni'; did you mean 'gemini'?",
        ),
    ],
)
def test_each_fault_of_the_environment_names_its_variable(
    project: Path, environ: dict[str, str], fault: str
) -> None:
    found = faults(project, "", environ)

    assert any(one.startswith(fault) for one in found), found


def test_variables_of_the_machinery_are_no_settings(project: Path) -> None:
    assert (
        load(
            project, "", {"LIFECYCLE_RUN": "17", "LIFECYCLE_FAILPOINTS": "x", "LIFECYCLE_ROLE": "writer"}
        ).slots
        == Settings().slots
    )


@pytest.mark.parametrize("content", [b"slots = '\xff'", b"\xef\xbb\xbfslots = 3", b"\x00", b"[" * 50_000])
def test_a_file_that_is_no_toml_is_refused(project: Path, content: bytes) -> None:
    (project / ".workflow" / "config.toml").write_bytes(content)

    with pytest.raises(ConfigError):
        load_settings(project, {"LIFECYCLE_CONFIG_DIR": str(project.parent / "user")})


def test_a_folder_in_place_of_the_file_is_refused(project: Path) -> None:
    (project / ".workflow" / "config.toml").mkdir()

    with pytest.raises(ConfigError) as refused:
        load_settings(project, {"LIFECYCLE_CONFIG_DIR": str(project.parent / "user")})

    assert "is not a regular file" in refused.value.faults[0]


@pytest.mark.parametrize(
    "given", ["http://me:sesame@collector:4318", "https://collector/v1/traces?key=sesame"]
)
def test_a_secret_in_the_address_of_a_collector_is_refused_and_not_told(project: Path, given: str) -> None:
    (found,) = faults(project, f'[traces]\nendpoint = "{given}"\n')

    assert "OTEL_EXPORTER_OTLP_HEADERS" in found and "sesame" not in found


def test_faults_do_not_repeat_values_which_may_be_secret(project: Path) -> None:
    found = faults(project, '[agents.a]\ncommand = "sk-canary"\nkind = "sk-canary"\n')

    assert found
    assert "sk-canary" not in "".join(found)


def test_settings_and_pack_are_checked_against_each_other(project: Path) -> None:
    (project / ".workflow" / "config.toml").write_text(
        "[roles]\nwirter = ['builtin']\nwriter = ['clade']\n[perspectives]\nrisc = ['builtin']\n"
    )

    with pytest.raises(ConfigError) as refused:
        config.load_all(project, {"LIFECYCLE_CONFIG_DIR": str(project.parent / "user")})

    file = project / ".workflow" / "config.toml"
    assert refused.value.faults == [
        f"{file}:2: roles.wirter: unknown role 'wirter'; did you mean 'writer'?",
        f"{file}:3: roles.writer: unknown agent 'clade'; did you mean 'claude'?",
        f"{file}:5: perspectives.risc: unknown perspective 'risc'; did you mean 'risk'?",
    ]


def test_the_faults_of_settings_and_pack_are_told_together(project: Path) -> None:
    (project / ".workflow" / "config.toml").write_text("slots = 0\n")
    (project / ".workflow" / "packs").mkdir()
    (project / ".workflow" / "packs" / "a.yaml").write_text("extends: default\nrols: {}\n")

    with pytest.raises(ConfigError) as refused:
        config.load_all(project, {"LIFECYCLE_CONFIG_DIR": str(project.parent / "user")})

    assert ["did you mean 'roles'" in fault or "slots" in fault for fault in refused.value.faults] == [
        True,
        True,
    ]


def test_the_settings_agents_and_threshold_reach_the_pack(project: Path) -> None:
    (project / ".workflow" / "config.toml").write_text(
        "consensus_threshold = 3.5\n[agents.mine]\ncommand = ['x']\n[roles]\nwriter = ['mine', 'builtin']\n"
    )

    pack, settings = config.load_all(project, {"LIFECYCLE_CONFIG_DIR": str(project.parent / "user")})

    assert pack.roles["writer"].agents == ("mine", "builtin")
    assert pack.gates.consensus_threshold == settings.consensus_threshold == 3.5


def test_importing_config_is_cheap() -> None:
    code = "import sys, orchestrator.config; print([m for m in ('pydantic', 'ruamel', 'platformdirs') if m in sys.modules])"

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert result.stdout.strip() == "[]"


def test_a_cap_given_as_a_flag_is_called_by_its_flag_and_goes_over_the_file(project: Path) -> None:
    text = "[budget]\nmax_usd = 1\nmax_turns = 5\n"

    settings = load(project, text, budget={"max_usd": 2.5})

    assert (settings.budget.max_usd, settings.budget.max_turns) == (2.5, 5)
    assert faults(project, text, budget={"max_usd": -1})[0].startswith("--max-usd: budget.max_usd: ")
