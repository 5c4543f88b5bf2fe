"""The specification that a session's plan was made of, compared with the one that is there now, item by item."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.documents import Catalogue
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.plan import PLAN, Plan, is_plan_file, read_plan
from orchestrator.domain.plan_checks import GROUND, Ground
from orchestrator.domain.plan_delta import stale_tasks, to_plan
from orchestrator.domain.plan_marks import PLAN_TASK
from orchestrator.domain.spec_items import FOLDER, ItemChanges, SpecItem, compared, digests, items_of_pages
from orchestrator.lifecycle.accepted_plan import accepted_files
from orchestrator.store import artifacts, checks, sessions
from orchestrator.store.rows import Task
from orchestrator.store.store import Tx

NONE_EDITED: Mapping[str, bytes] = {}


@dataclass(frozen=True, slots=True)
class Specified:
    """What the plan was made of, what is there now, and what that means for the plan's tasks."""

    plan: Plan
    ground: Ground
    items: Mapping[str, SpecItem]  # as they are now
    changes: ItemChanges  # since the plan was made; none where that is not known

    @property
    def is_known(self) -> bool:
        """Whether it was noted what the plan was made of: one of an earlier version has no such note."""
        return self.ground.items is not None

    @property
    def stale(self) -> frozenset[str]:
        """The plan tasks that are affected."""
        return stale_tasks(self.plan.tasks, self.changes)

    @property
    def to_plan(self) -> ItemChanges:
        """The changes that the plan has to follow."""
        return to_plan(self.plan.tasks, self.changes)


def specified(tx: Tx, session: str, edited: Mapping[str, bytes] = NONE_EDITED) -> Specified | None:
    """None where no plan was made that can be read; `edited` is taken in.

    Tasks are compared with what they were made of, whatever plan was shown and rejected since.
    """
    newest = {row.path: row.sha256 for row in artifacts.newest(tx, session)}
    files = accepted_files(tx, session, newest)
    is_newest = all(newest[path] == digest for path, digest in files.items())
    plan = plan_now(tx, files, edited if is_newest else NONE_EDITED)  # edits are of the newest plan
    if plan is None:
        return None
    grounds = [
        row for row in checks.checks_of(tx, session) if row.kind == GROUND and row.key == plan.spec_digest
    ]
    ground = Ground.from_json(grounds[-1].data) if grounds else Ground()
    items = items_now(tx, newest, documents_of(tx, session), edited)
    return Specified(plan, ground, items, _since(ground, digests(items)))


def _since(ground: Ground, now: Mapping[str, str]) -> ItemChanges:
    return ItemChanges() if ground.items is None else compared(ground.items, now)


def items_now(
    tx: Tx, newest: Mapping[str, str], catalogue: Catalogue, edited: Mapping[str, bytes]
) -> dict[str, SpecItem]:
    """The specification's items in these artifacts (path -> digest), a person's edits taken in."""
    pages = {
        path: (edited[path] if path in edited else artifacts.body(tx, digest)).decode("utf-8", "replace")
        for path, digest in newest.items()
        if path.startswith(FOLDER) and path.endswith(".md")
    }
    return items_of_pages(pages, catalogue)


def documents_of(tx: Tx, session: str) -> Catalogue:
    """The documents as they were when the session was started."""
    return sessions.pack(tx, session).documents


def is_carried_out(rows: Iterable[Task]) -> bool:
    """Whether tasks of a plan were made."""
    return any(PLAN_TASK in row.payload for row in rows)


def shown(found: Specified) -> JsonObject:
    """The changes as they are told at a checkpoint."""
    return {
        **found.changes.as_json(),
        "plan_tasks": sorted(found.stale),
        "pages": sorted({found.items[id].path for id in found.changes.changed if id in found.items}),
        "titles": {id: found.items[id].title for id in sorted(found.changes.all) if id in found.items},
    }


def plan_now(tx: Tx, newest: Mapping[str, str], edited: Mapping[str, bytes]) -> Plan | None:
    """The plan in these artifacts (path -> digest), a person's edits taken in; None where there is none that can be read."""
    if PLAN not in newest:
        return None
    values: dict[str, Json] = {}
    for path, digest in newest.items():
        if is_plan_file(path):
            try:
                values[path] = json.loads(edited[path] if path in edited else artifacts.body(tx, digest))
            except ValueError:
                return None
    plan, faults = read_plan(values)
    return None if faults else plan
