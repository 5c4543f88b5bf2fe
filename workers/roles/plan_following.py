"""The plan before, where its tasks are carried out already: what of it is affected by a change, and what stays."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.plan import Plan, PlanTask, TestChange
from orchestrator.domain.plan_delta import PlanDelta, merged, removable
from orchestrator.domain.spec_items import ItemChanges, SpecItem
from orchestrator.door.desk import Link
from orchestrator.lifecycle import delta_plan
from orchestrator.lifecycle.specified import is_carried_out
from workers.context.planned import current_plan
from workers.context.run_context import RunContext
from workers.evidence.path_kinds import is_test_path
from workers.git.session_work import SessionWork
from workers.roles.drafting import feedback


@dataclass(frozen=True, slots=True)
class Following:
    """A plan that is carried out, and what has changed since it was made."""

    before: Plan  # the last one of which tasks were made
    written: Mapping[str, str]  # task -> its digest in the newest plan, which may have been rejected
    changes: ItemChanges
    items: Mapping[str, SpecItem]  # as they are now
    stale: frozenset[str]  # its tasks that are affected
    landed: frozenset[str]  # its tasks that were carried out
    used: frozenset[str]  # ids that tasks of any plan had
    tests: Mapping[str, tuple[str, ...]]  # task -> files of tests that its commits made
    head: str
    by_words: bool  # a person said what to change

    @property
    def settled(self) -> frozenset[str]:
        """The tasks whose work is there, and stays."""
        return self.landed - self.stale

    @property
    def removed(self) -> frozenset[str]:
        """The withdrawn items for which work has landed."""
        return removable((task for task in self.before.tasks if task.id in self.landed), self.changes)

    def merge(self, given: Plan, paths: frozenset[str] | None) -> tuple[Plan, PlanDelta, list[str]]:
        """The plan that follows this one, with what was given only where it is affected."""
        plan, delta, notes = merged(self.before, given, self.stale, self.used, by_words=self.by_words)
        fresh = set(delta.rerun)
        adapted = [self._adapted(task, paths) if task.id in fresh else task for task in plan.tasks]
        return replace(plan, tasks=tuple(adapted)), delta, notes

    def unwritten(self, plan: Plan) -> frozenset[str]:
        """The tasks that are word for word those of the newest plan: their files stay as they are."""
        return frozenset(task.id for task in plan.tasks if self.written.get(task.id) == task.digest)

    def material(self) -> list[tuple[str, str]]:
        """What an agent is told besides."""
        stays = [task for task in self.before.tasks if task.id not in self.stale]
        affected = [f"- {task.id}: {task.title}" for task in self.before.tasks if task.id in self.stale]
        return [
            ("What has changed in the specification", "\n".join(self._told())),
            ("Tasks that are affected", "\n".join(affected)),
            ("Tasks that stay", json.dumps([task.as_json() for task in stays], ensure_ascii=False, indent=1)),
        ]

    def for_rules(self) -> JsonObject:
        """What a planner by rules goes by."""
        return {
            "tasks": [task.as_json() for task in self.before.tasks],
            "stale": sorted(self.stale),
            "landed": sorted(self.landed),
            "new": list(self.changes.new),
            "withdrawn": list(self.changes.withdrawn),
            "removed": sorted(self.removed),
        }

    def _told(self) -> list[str]:
        return [
            f"- {id} {what}: {one_line(self.items[id].title, 200) if id in self.items else 'it is gone'}"
            for what, ids in self.changes.as_json().items()
            for id in ids
        ]

    def _adapted(self, task: PlanTask, paths: frozenset[str] | None) -> PlanTask:
        """The task in the files as they are now: what was created is modified, and its own tests may change."""
        if paths is None:
            return task
        files = tuple(
            replace(each, action="modify") if each.action == "create" and each.path in paths else each
            for each in task.files
        )
        gone = {name for name in task.cited if name in self.changes.withdrawn}
        earlier = [each for each in self.before.tasks if each.id == task.id or each.cited & gone]
        refs = tuple(sorted(task.cited & self.changes.all))
        why = f"written for {', '.join(refs) or task.id} as it was before"
        declared = {each.path for each in task.tests_may_change}
        own = [
            TestChange(path, why, refs)
            for path in dict.fromkeys(path for each in earlier for path in self.tests.get(each.id, ()))
            if path in paths and path not in declared
        ]
        return replace(task, files=files, tests_may_change=(*task.tests_may_change, *own))


def following(context: RunContext, work: SessionWork, base: frozenset[str] | None) -> Following | None:
    """None where no plan is carried out; `base`: the files that the work began with.

    Raises StoreError for a plan that cannot be read.
    """
    session = context.session.id
    rows = context.desk.tasks(session)
    newest = current_plan(context)
    if newest is None or not is_carried_out(rows):
        return None
    found = context.desk.specified(session)
    before = newest if found is None else found.plan
    links = context.desk.links(session)
    named = context.payload.get(delta_plan.STALE, [])
    return Following(
        before=before,
        written={task.id: task.digest for task in newest.tasks},
        changes=ItemChanges() if found is None else found.changes,
        items={} if found is None else found.items,
        stale=(frozenset[str]() if found is None else found.stale)
        | {name for name in named if before.task(name)},
        landed=delta_plan.landed(rows),
        used=frozenset(delta_plan.carriers(rows)) | {task.id for task in before.tasks},
        tests=_own_tests(links, base),
        head=work.row().head,
        by_words=bool(feedback(context)),
    )


def _own_tests(links: Sequence[Link], base: frozenset[str] | None) -> dict[str, tuple[str, ...]]:
    """Plan task -> the files of tests that its commits brought; none where the files of the base are not known."""
    if base is None:
        return {}
    files: dict[str, list[str]] = {}
    for link in links:
        if (link.from_kind, link.to_kind) == ("commit", "file"):
            files.setdefault(link.from_id, []).append(link.to_id)
    found: dict[str, list[str]] = {}
    for link in links:
        if (link.from_kind, link.to_kind) == ("plan_task", "commit"):
            own = (path for path in files.get(link.to_id, ()) if is_test_path(path) and path not in base)
            found.setdefault(link.from_id, []).extend(own)
    return {id: tuple(dict.fromkeys(paths)) for id, paths in found.items()}
