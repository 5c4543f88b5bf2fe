"""A session whose plan follows a change goes into another project with all that the plan was made of (docs/impact.md)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from orchestrator.commands import portable, portable_work
from orchestrator.commands.portable_links import MEMBER
from orchestrator.commands.resume import Answer, resume
from orchestrator.commands.specification import Specification
from orchestrator.domain.errors import UsageError
from orchestrator.domain.spec_items import ItemChanges
from orchestrator.lifecycle.specified import Specified, specified
from orchestrator.store import checks
from tests import factories as make
from tests.git_world import git, repository
from tests.integration.test_plan_approval import (
    SPEC,
    answer,
    brought,
    carried_out,
    carry_out,
    revise,
    rows,
)
from tests.plans import changes, content, planning, told
from tests.runtime_harness import HOST, RuntimeHarness, Told

WITHDRAWN = "".join(SPEC.splitlines(keepends=True)[:-1])
FIRST = changes(1, "src/app.py", refs=["REQ-001"])
SECOND = changes(2, "src/other.py", refs=["REQ-002"])
REMOVAL = changes(3, "src/other.py", action="delete", kind="remove", refs=["REQ-002"])


@pytest.fixture
def here(tmp_path: Path) -> RuntimeHarness:
    """A plan with a removal waits for its approval; what it follows was carried out."""
    spec = Specification("s", {"spec/s.md": SPEC.encode()})
    agent = told(content(FIRST, SECOND), content(REMOVAL))
    harness = planning(tmp_path / "here", agent, approve_plan=True, spec=spec)
    harness.run()
    answer(harness)
    carry_out(harness)
    harness.store.write(lambda tx: brought(tx, harness.session, "spec/s.md", WITHDRAWN.encode()))
    revise(harness, "")
    harness.run()
    return harness


def exported(harness: RuntimeHarness, file: Path) -> portable.Package:
    extra = portable_work.members(harness.store, harness.session, harness.project)
    portable.export(harness.store, harness.session, file, extra=extra)
    return portable.read(file)


def imported(
    package: portable.Package, folder: Path, project: Path, agent: Told
) -> tuple[RuntimeHarness, str]:
    """The session in a clone of `project`, and why what it was made of is not there."""
    store = make.make_store(folder)
    make.make_host(store, HOST)
    make.lead(store)
    git(folder, "clone", "-q", os.fspath(project), "project")
    (folder / "project" / ".workflow").symlink_to(store.workflow)
    portable.take_in(store, package, folder / "project", who="test")
    why = portable.bring_code(store, package, folder / "project")
    trees = {"work": {"trees": str(folder / "trees")}}
    return RuntimeHarness(folder, agent, settings=trees, again=True), why


def found(harness: RuntimeHarness) -> Specified:
    known = harness.store.read(lambda tx: specified(tx, harness.session))
    assert known is not None
    return known


def links(harness: RuntimeHarness) -> set[checks.Link]:
    return set(harness.store.read(lambda tx: checks.links_of(tx, harness.session)))


def test_a_plan_that_waits_for_approval_is_approved_elsewhere_as_here(
    here: RuntimeHarness, tmp_path: Path
) -> None:
    package = exported(here, tmp_path / "s.zip")
    there, why = imported(package, tmp_path / "there", here.project, Told())

    assert (why, there.state().pause_reason, there.state().pause_detail) == (
        "",
        "plan_approval",
        here.state().pause_detail,
    )
    assert links(there) == links(here) and links(there)
    assert found(there) == found(here)
    assert found(there).changes == ItemChanges(withdrawn=("REQ-002",))
    for harness in (here, there):
        answer(harness)
    assert carried_out(there) == carried_out(here)
    assert {key: row.payload for key, row in rows(there).items()} == {
        key: row.payload for key, row in rows(here).items()
    }
    assert carried_out(there)["IMPL-003"] == "TASK-003"


def test_a_removal_that_is_not_done_yet_is_done_elsewhere_and_the_next_change_is_followed(
    here: RuntimeHarness, tmp_path: Path
) -> None:
    answer(here)
    package = exported(here, tmp_path / "s.zip")
    agent = told(content({**FIRST, "title": "louder"}))
    there, _ = imported(package, tmp_path / "there", here.project, agent)

    assert there.state().pause_reason == "user"
    assert rows(there)["IMPL-003"].status == "pending"
    assert links(there) == links(here) and found(there) == found(here)
    carry_out(there)
    changed = WITHDRAWN.replace("return a name", "return two names").encode()
    there.store.write(lambda tx: brought(tx, there.session, "spec/s.md", changed))
    assert found(there).stale == {"TASK-001"}
    resume(there.store, None, Answer("ann"), more_attempts=3)
    revise(there, "")
    there.run()
    answer(there)
    assert carried_out(there)["IMPL-001-R1"] == "TASK-001"
    assert {"IMPL-002-R1", "IMPL-003-R1"}.isdisjoint(rows(there))


def test_links_stay_behind_where_the_base_is_not_there_and_the_session_comes(
    here: RuntimeHarness, tmp_path: Path
) -> None:
    package = exported(here, tmp_path / "s.zip")
    other = repository(tmp_path / "other", {"x": "1"})

    there, why = imported(package, tmp_path / "there", other, Told())

    assert why.startswith("without the links of its plan: the project does not have the commit")
    assert links(there) == set() and there.state().pause_reason == "plan_approval"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"run_id": "', b'"run_id": "r'),
        (b'"how": "plan"', b'"how": 7'),
        (b'"origin": "repository"', b'"origin": "elsewhere"'),
        (b'"tree_id": "', b'"tree_id": "z'),
        (b'"ids":', b'"names":'),
        (b'"links": [', b'"links": [3, '),
    ],
)
def test_links_of_a_strangers_file_are_checked_before_anything_is_written(
    here: RuntimeHarness, tmp_path: Path, old: bytes, new: bytes
) -> None:
    extra = portable_work.members(here.store, here.session, here.project)
    assert old in extra[MEMBER]
    file = tmp_path / "s.zip"
    portable.export(here.store, here.session, file, extra={MEMBER: extra[MEMBER].replace(old, new, 1)})

    with pytest.raises(UsageError, match="not an exported session"):
        portable.read(file)
