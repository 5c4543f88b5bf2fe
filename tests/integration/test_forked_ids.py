"""The ids of forks: none gets the id of a session that it was made of, be that one here, deleted or in another project."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.commands import fork, manage, portable
from orchestrator.project import Project
from orchestrator.store.store import Store
from tests import factories
from tests.e2e.cli_world import work_off


@pytest.fixture
def here(tmp_path: Path) -> Store:
    return factories.make_store(tmp_path / "here")


@pytest.fixture
def there(tmp_path: Path) -> Store:
    return factories.make_store(tmp_path / "there")


def forked(store: Store, session: str, **asked: object) -> str:
    project = Project(store.workflow.parent)
    request = fork.ForkRequest(session, "DRAFT-001", "test", again=True, **asked)  # type: ignore[arg-type]
    return fork.begin(project, store, fork.prepare(project, store, request)).session


def moved(source: Store, target: Store, session: str, folder: Path) -> None:
    file = folder / f"{session}.zip"
    portable.export(source, session, file)
    portable.take_in(target, portable.read(file), target.workflow.parent, who="test")


def original(store: Store) -> str:
    session = factories.make_session(store, mode="full-lifecycle")
    work_off(store, session, until="DRAFT-002")
    return session


def test_a_fork_of_an_imported_fork_does_not_get_the_id_of_the_original(
    here: Store, there: Store, tmp_path: Path
) -> None:
    session = original(here)
    first = forked(here, session)
    moved(here, there, first, tmp_path)

    second = forked(there, first)
    moved(here, there, session, tmp_path)

    assert (first, second) == (f"{session}-2", f"{session}-3")


def test_the_id_of_a_deleted_session_is_not_used_again_while_its_fork_is_there(here: Store) -> None:
    session = original(here)
    first = forked(here, session)
    manage.cancel(here, session, who="test")
    manage.delete(here, session, who="test")

    assert [forked(here, first), forked(here, first)] == [f"{session}-3", f"{session}-4"]
    assert factories.make_session(here, mode="full-lifecycle") == f"{session}-5"
