"""Command lines that are read without Typer are read as Typer reads them (orchestrator/cli/short_way.py)."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.main import get_command

from orchestrator.cli import short_way
from orchestrator.cli.building import build
from orchestrator.cli.coercion import coerce_late
from tests import command_table

ROOT = Path(__file__).parents[2]
TABLE: dict[str, Any] = json.loads(short_way.TABLE.read_bytes())["commands"]
WHOLE = get_command(build())
coerce_late(WHOLE)
LEAVES = dict(command_table.leaves(WHOLE))
VALUES = ("x", "DRAFT-001", "a b", "ü", "3", ".", "", "-", "--", "-1", "--json", "-x")


def test_the_files_are_what_the_commands_are() -> None:
    """`make commands` writes them."""
    for file, text in command_table.written().items():
        assert file.read_text(encoding="utf-8") == text, (
            f"{file.name} is of an earlier version: make commands"
        )


def lines_of(name: str) -> st.SearchStrategy[list[str]]:
    known = [option for each in LEAVES[name].params for option in (*each.opts, *each.secondary_opts)]
    odd = [f"{option}=x" for option in known] + [option[:-1] for option in known]
    return st.lists(st.sampled_from([*known, *known, *odd, *VALUES]), max_size=6)


def typers(name: str, words: list[str]) -> dict[str, Any] | None:
    """What Typer would call the function with; None where it refuses."""
    command = LEAVES[name]
    try:
        context = command.make_context(name, list(words))
    except Exception as error:  # of many classes, Exit for a help among them
        assert type(error).__module__.startswith("typer"), error
        return None
    return dict(context.params)


@pytest.mark.parametrize("name", TABLE)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_what_is_read_without_typer_is_what_typer_reads(name: str, data: st.DataObject) -> None:
    words = data.draw(lines_of(name))
    entry = TABLE[name]

    found = short_way._given(entry, words)

    if found is not None:
        function = getattr(import_module(f"orchestrator.cli.{entry['module']}"), entry["function"])
        bound = inspect.signature(function).bind(**found)
        bound.apply_defaults()
        assert dict(bound.arguments) == typers(name, words)


def test_plain_lines_are_read() -> None:
    assert short_way._given(TABLE["check"], ["--json", "TLS-1"]) == {"session": "TLS-1", "as_json": True}
    assert short_way._given(TABLE["check"], ["-s", "TLS-1"]) == {"in_session": "TLS-1"}
    assert short_way._given(TABLE["daemon run"], ["--detached", "--project", "/tmp"]) == {
        "detached": True,
        "project": Path("/tmp"),
    }
    assert short_way._given(TABLE["why"], ["DRAFT-001"]) == {"task": "DRAFT-001"}


def _run(*words: str, folder: Path, columns: str = "100") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-X", "importtime", "-m", "orchestrator", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": columns},
        capture_output=True,
        text=True,
    )


def loads_typer(done: subprocess.CompletedProcess[str]) -> bool:
    return any(line.rpartition("|")[2].strip() == "typer" for line in done.stderr.splitlines())


def test_a_narrow_terminals_help_is_typers(tmp_path: Path) -> None:
    wide, narrow = _run("--help", folder=tmp_path), _run("--help", folder=tmp_path, columns="60")

    assert (wide.returncode, narrow.returncode) == (0, 0)
    assert (loads_typer(wide), loads_typer(narrow)) == (False, True)
    assert wide.stdout == command_table.overview()
    assert max(map(len, narrow.stdout.splitlines())) < max(map(len, wide.stdout.splitlines()))


def test_an_error_is_typers(tmp_path: Path) -> None:
    done = _run("check", "--no-such-option", folder=tmp_path)

    assert (done.returncode, loads_typer(done)) == (2, True)
    assert "No such option: --no-such-option" in done.stderr


def test_a_code_comes_through_without_typer(tmp_path: Path) -> None:
    (tmp_path / ".workflow").mkdir()

    done = _run("config", "check", "--json", folder=tmp_path)
    broken = tmp_path / ".workflow" / "config.toml"
    broken.write_text("slots = 'many'\n")
    failed = _run("config", "check", "--json", folder=tmp_path)

    assert (done.returncode, failed.returncode) == (0, 1)
    assert not loads_typer(done) and not loads_typer(failed)


def test_a_command_that_has_changed_since_is_read_by_typer() -> None:
    script = (
        "from orchestrator.cli import short_way; before = short_way.checksum; "
        "short_way.checksum = lambda module: before(module) + (module == 'check'); "
        "print(short_way.read(['check']), short_way.read(['list']) is None)"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["None", "False"]


def test_where_typer_is_loaded_it_reads_all() -> None:
    """Commands that are loaded already end with its `Exit`, not with ours."""
    assert "typer" in sys.modules

    assert short_way.read(["check"]) is None


@pytest.mark.parametrize("words", [["config show"], ["daemon stop"], ["msg clear"], ["check "]])
def test_a_command_and_its_second_word_are_two_arguments(
    monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.delitem(sys.modules, "typer")

    assert short_way.read(words) is None


@pytest.mark.parametrize("text", [None, "{", "{}", '{"commands": {}}'])
def test_without_a_table_that_can_be_read_all_is_left_to_typer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    table = tmp_path / "commands.json"
    if text is not None:
        table.write_text(text)
    monkeypatch.setattr(short_way, "TABLE", table)
    monkeypatch.setattr(short_way, "OVERVIEW", tmp_path / "overview.txt")
    monkeypatch.delitem(sys.modules, "typer", raising=False)

    assert short_way.read(["check"]) is None
    assert short_way.overview(["--help"]) is None
