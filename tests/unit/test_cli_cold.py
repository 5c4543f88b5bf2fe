"""A cold start is a feature: what the command line does not need it does not import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import factories

HEAVY = (
    "asyncio",
    "structlog",
    "alembic",
    "apscheduler",
    "rich",
    "pydantic",
    "jinja2",
    "ruamel",
    "tree_sitter",
    "mcp",
    "psycopg",
    "opentelemetry",
)
SCRIPT = """
import sys
from orchestrator.cli.main import run
code = run(sys.argv[1:], alone=True)
print(code, *sorted({name.split(".")[0] for name in sys.modules}), file=sys.stderr)
"""
OF_FEW_PAGES = (
    "structlog",
    "sqlalchemy",
    "rich",
    "httpx",
    "ruamel",
    "rapidfuzz",
    "Stemmer",
    "markdown_it",
    "nh3",
)
LOOKS = (
    "check",
    "inbox",
    "list",
    "show",
    "tasks",
    "artifacts",
    "cost",
    "log",
    "why DRAFT-001",
    "runs DRAFT-001",
    "msg list",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("cold")
    store = factories.make_store(made)
    factories.make_session(store)
    store.close()
    return made


def modules(folder: Path, *arguments: str) -> set[str]:
    """Top-level modules that a command had imported when it ended well."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", SCRIPT, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    code, *names = done.stderr.splitlines()[-1].split()
    assert code == "0", done.stderr
    return set(names)


@pytest.mark.parametrize("look", LOOKS)
def test_a_reading_command_imports_nothing_heavy(folder: Path, look: str) -> None:
    imported = modules(folder, *look.split())

    assert imported & {*HEAVY, "sqlalchemy"} == set()
    assert ("typer" in imported) == (look == "inbox")  # which may ask for a number


def test_a_list_imports_no_rules_of_plans_and_packs(folder: Path) -> None:
    script = SCRIPT.replace('name.split(".")[0]', "name")
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, "list"], cwd=folder, capture_output=True, text=True, check=True
    )

    imported = set(done.stderr.splitlines()[-1].split())
    assert "orchestrator.store.sessions" in imported
    assert (
        imported & {"orchestrator.domain.plan", "orchestrator.domain.pipelines", "orchestrator.cli.start"}
        == set()
    )


def test_help_does_not_even_import_the_database(folder: Path) -> None:
    imported = modules(folder, "--help")

    assert imported & {*HEAVY, "sqlalchemy", "sqlite3", "typer"} == set()


def test_a_dashboard_begins_without_what_only_few_pages_need() -> None:
    """Each of them stays in its memory for as long as it runs, and most of that time nobody looks."""
    script = "import sys, orchestrator.cli.serve, orchestrator.web.server; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )

    assert {name.partition(".")[0] for name in done.stdout.split()} & {*OF_FEW_PAGES} == set()
