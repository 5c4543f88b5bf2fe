"""A cold start is a feature: what the command line does not need it does not import."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests import factories

HEAVY = (
    "structlog",
    "pydantic_settings",
    "alembic",
    "apscheduler",
    "rich",
    "pydantic",
    "jinja2",
    "ruamel",
    "tree_sitter",
)
SCRIPT = """
import sys
from orchestrator.cli.main import run
code = run(sys.argv[1:])
print(code, *sorted({name.split(".")[0] for name in sys.modules}), file=sys.stderr)
"""
HELP_SECONDS = 0.12  # of CPU
CHECK_SECONDS = 0.40
LOOKS = (
    "check",
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

    assert imported & set(HEAVY) == set()


def test_help_does_not_even_import_the_database(folder: Path) -> None:
    imported = modules(folder, "--help")

    assert imported & {*HEAVY, "sqlalchemy", "sqlite3"} == set()


@pytest.mark.bench  # processor time depends on what else the machine does
@pytest.mark.parametrize(("arguments", "limit"), [(["--help"], HELP_SECONDS), (["check"], CHECK_SECONDS)])
def test_a_cold_start_costs_little(folder: Path, arguments: list[str], limit: float) -> None:
    """The least of several starts: what else the machine does can only make it more."""
    costs = [cpu_seconds(folder, arguments) for _ in range(6)]

    assert min(costs) < limit


def cpu_seconds(folder: Path, arguments: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-P", "-m", "orchestrator", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        check=True,
        timeout=60,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
