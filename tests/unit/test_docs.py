"""What is documented is so, and what is there is documented."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import pytest

from orchestrator.config import load_pack
from orchestrator.config.references import ASK_NOBODY
from orchestrator.config.settings import (
    AgentLimits,
    AgentSettings,
    BudgetSettings,
    DatabaseSettings,
    Settings,
    TemporalSettings,
    TracesSettings,
)
from tests.conftest import ROOT

CONFIGURATION = "docs/configuration.md"


@cache
def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def documents() -> list[str]:
    found = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
    return ["README.md", "CHANGELOG.md", *found]


def setting_rows(model: type[Any]) -> Iterator[str]:
    """The table rows that describe a model's settings."""
    standard = model()
    for each in fields(model):
        yield f"| `{each.name}` | {shown(getattr(standard, each.name))} | {each.metadata['doc']} |"


def shown(value: Any) -> str:
    if is_dataclass(value):
        return "see below"
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, list):
        return ", ".join(f"{item:g}" for item in value)
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return (
        f"{value:g}" if isinstance(value, float) else f"`{value}`" if isinstance(value, str) else str(value)
    )


def order_rows() -> Iterator[str]:
    pack = load_pack(None, {"LIFECYCLE_CONFIG_DIR": "/nonexistent"})
    roles = {name: role.agents for name, role in pack.roles.items() if role.installed and role.agents}
    views = {name: perspective.agents for name, perspective in pack.perspectives.items()}
    for name, agents in [*((n, a) for n, a in roles.items() if n not in ASK_NOBODY), *views.items()]:
        yield f"| {name} | {', '.join(f'`{agent}`' for agent in agents)} |"


TABLES: dict[str, tuple[str, Callable[[], Iterator[str]]]] = {
    "settings": (CONFIGURATION, lambda: setting_rows(Settings)),
    "agent limits": (CONFIGURATION, lambda: setting_rows(AgentLimits)),
    "database": (CONFIGURATION, lambda: setting_rows(DatabaseSettings)),
    "temporal": (CONFIGURATION, lambda: setting_rows(TemporalSettings)),
    "traces": (CONFIGURATION, lambda: setting_rows(TracesSettings)),
    "caps": (CONFIGURATION, lambda: setting_rows(BudgetSettings)),
    "agents": (CONFIGURATION, lambda: setting_rows(AgentSettings)),
    "orders": (CONFIGURATION, order_rows),
}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_the_docs_says_what_the_code_says(table: str) -> None:
    path, rows = TABLES[table]
    lines = read(path).splitlines()

    missing = [row for row in rows() if row not in lines]

    assert not missing, f"{path} lacks these rows:\n" + "\n".join(missing)


def test_every_environment_variable_is_documented() -> None:
    sources = [
        path.read_text() for package in ("orchestrator", "workers") for path in (ROOT / package).rglob("*.py")
    ]
    hidden = {
        "LIFECYCLE_FAILPOINT",
        "LIFECYCLE_SLOTS",
        "LIFECYCLE_AGENT_LIMITS__TURN",
        "LIFECYCLE_DATABASE",  # how others begin
    }  # tests only; examples

    named = {
        name for text in sources for name in re.findall(r"\bLIFECYCLE_[A-Z]+(?:_+[A-Z]+)*", text)
    } - hidden

    assert {name for name in named if f"`{name}`" not in read(CONFIGURATION)} == set()


def test_every_dependency_has_its_reason_and_every_reason_its_dependency() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    listed = [
        *project["dependencies"],
        *(item for extra in project["optional-dependencies"].values() for item in extra),
    ]
    declared = {re.split(r"[<>=\[]", item)[0] for item in listed} - {"team-lifecycle"}

    explained = set(re.findall(r"^\| `([\w.-]+)` \| \S", read("docs/dependencies.md"), re.M))

    assert explained == declared


def test_every_dependency_of_the_product_is_used() -> None:
    imported = {"ruamel.yaml": "ruamel", "markdown-it-py": "markdown_it", "pystemmer": "Stemmer"}
    text = "".join(
        path.read_text()
        for package in ("orchestrator", "workers", "migrations")
        for path in (ROOT / package).rglob("*.py")
    )
    declared = tomllib.loads(read("pyproject.toml"))["project"]["dependencies"]
    names = [re.split(r"[<>=\[]", item)[0] for item in declared]

    unused = [
        name
        for name in names
        if not re.search(use_of(imported.get(name, name.replace("-", "_"))), text, re.M)
    ]

    assert not unused


def use_of(module: str) -> str:
    """An import of the module, or its name as text where it is imported by name (the grammars)."""
    return rf'^\s*(from|import) {module}\b|"{module}"'


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield " ".join(path), command
    else:
        for name, each in inner.items():
            if not each.hidden:
                yield from commands(each, (*path, name))


@cache
def command_line() -> dict[str, Any]:
    from typer.main import get_command

    from orchestrator.cli.building import build

    return dict(commands(get_command(build())))


@pytest.mark.parametrize("path", documents())
def test_every_command_a_document_shows_exists(path: str) -> None:
    words = {tuple(name.split()) for name in command_line()}
    known = words | {name[:1] for name in words}
    shown_there = re.findall(
        r"^(?:\$ )?lifecycle ([a-z-]+)(?: ([a-z]+))?|`lifecycle ([a-z-]+)(?: ([a-z]+))?", read(path), re.M
    )

    unknown = [found for found in ((a or c, b or d) for a, b, c, d in shown_there) if found[:1] not in known]

    assert not unknown


@pytest.mark.parametrize("folder", ["orchestrator", "workers"])
def test_every_command_that_the_program_names_exists(folder: str) -> None:
    known = {name.split()[0] for name in command_line()}

    named = {
        (path.name, found)
        for path in (ROOT / folder).rglob("*.py")
        for found in re.findall(r"[`\"]lifecycle ([a-z][a-z-]*)", path.read_text("utf-8"))
    }

    assert named
    assert {each for each in named if each[1] not in known} == set()


@pytest.mark.parametrize("path", documents())
def test_every_relative_link_leads_somewhere(path: str) -> None:
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", read(path))

    missing = [target for target in targets if not (ROOT / path).parent.joinpath(target).exists()]

    assert not missing


def test_every_make_target_of_the_readme_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), re.M))

    named = set(re.findall(r"^make ([a-z]+)|`make ([a-z]+)", read("README.md"), re.M))

    assert {a or b for a, b in named} >= {"run", "test", "check"}
    assert {a or b for a, b in named} <= targets


def test_ci_runs_the_test_command_of_the_readme() -> None:
    (command,) = re.findall(r"<!-- tests -->\n```sh\n(.+)\n```", read("README.md"))

    assert re.search(rf"^{re.escape(command)}( |$)", read(".ci/run"), re.M)


if __name__ == "__main__":  # python -m tests.unit.test_docs: the rows, to be pasted
    for title, (where, make) in TABLES.items():
        print(f"\n{title} in {where}\n", *make(), sep="\n")


def test_every_place_to_change_something_exists() -> None:
    table = read("docs/architecture.md").partition("## Where to change what")[2]
    rows = [row for row in table.splitlines() if row.startswith("| ") and not row.startswith("| to change")]

    places = re.findall(r"`([a-z_]+/[^`]*)`", "\n".join(rows))

    assert len(rows) >= 11 and len(places) > len(rows)
    assert [place for place in places if not (ROOT / place).exists()] == []
