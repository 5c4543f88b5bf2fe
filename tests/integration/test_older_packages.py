"""A session that an earlier version exported is taken in; one of a later version is refused with the reason."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from orchestrator.commands import older_packages, portable
from orchestrator.config import resources
from orchestrator.domain.errors import UsageError
from orchestrator.store import transfer
from tests import factories


@pytest.fixture
def exported(tmp_path: Path) -> tuple[str, Path]:
    store = factories.make_store(tmp_path / "a")
    session = factories.make_session(store, "Some work")
    factories.one_beat(store, session, factories.lead(store))
    factories.claim(store, factories.make_host(store, seconds=3600))
    portable.export(store, session, tmp_path / "now.zip")
    return session, tmp_path / "now.zip"


def rewritten(
    file: Path, manifest: dict[str, Any], change: Callable[[dict[str, Any]], None] = lambda _: None
) -> Path:
    """The package with another manifest, and rows that were changed."""
    target = file.with_name("older.zip")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(target, "w") as new:
        members = {name: old.read(name) for name in old.namelist()}
        rows = {name: json.loads(body) for name, body in members.items() if name.startswith("rows/")}
        change(rows)
        members |= {name: json.dumps(found).encode() for name, found in rows.items()}
        members["manifest.json"] = json.dumps(json.loads(members["manifest.json"]) | manifest).encode()
        for name, body in members.items():
            new.writestr(name, body)
    return target


def as_first(rows: dict[str, Any]) -> None:
    """The rows as the first schema had them."""
    for row in rows["rows/sessions.json"]:
        row["dirty"] = row.pop("needs_beat")
    for row in rows["rows/runs.json"]:
        row["charged"] = row.pop("counted")
    for row in rows["rows/hosts.json"]:
        del row["version"]


def test_a_package_of_the_first_version_is_taken_in_whole(exported: tuple[str, Path], tmp_path: Path) -> None:
    session, now = exported
    older = rewritten(now, {"version": 1, "schema": "0001"}, as_first)

    taken = factories.make_store(tmp_path / "b")
    portable.take_in(taken, portable.read(older), tmp_path / "b", who="me")

    again = taken.read(lambda tx: transfer.rows_of(tx, session))
    assert len(again["runs"]) == len(again["hosts"]) == 1
    assert again["hosts"][0]["version"] == "" and again["runs"][0]["counted"] == 0


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        ({"version": portable.VERSION + 1}, "it has format"),
        ({"schema": "9999"}, "install the newer version"),
        ({"schema": "0001"}, "dirty"),
        ({"version": "2"}, "it has format"),
    ],
)
def test_a_package_of_another_form_than_it_says_is_refused(
    exported: tuple[str, Path], manifest: dict[str, Any], words: str
) -> None:
    with pytest.raises(UsageError) as refused:
        portable.read(rewritten(exported[1], manifest))

    assert words in refused.value.why


def test_every_migration_has_its_step_for_packages() -> None:
    config = Config()
    config.set_main_option("script_location", str(resources() / "migrations"))
    revisions = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}

    assert set(older_packages.STEPS) == revisions - {"0001"}
