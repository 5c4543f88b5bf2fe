"""What a change means: what was made of it, the smallest set of tasks to run again, and what that takes (docs/impact.md)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from orchestrator.domain.dataclass import asdict, dataclass
from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.forecast import Forecast, forecast
from orchestrator.domain.impact import Impact, Made, Node, impact_of, upstream
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import SessionStatus, TaskState, TaskStatus
from orchestrator.domain.plan import Plan
from orchestrator.domain.plan_checks import with_overlaps
from orchestrator.domain.plan_delta import NOT_BUILT
from orchestrator.domain.plan_marks import PLANS
from orchestrator.domain.plan_words import spoken_of
from orchestrator.domain.revisions import BUILDS, plan_build, plan_recheck, plan_revision
from orchestrator.domain.spec_items import SpecItem, digests
from orchestrator.lifecycle import delta_plan
from orchestrator.lifecycle.delta_fan_out import plan_delta_fan_out
from orchestrator.lifecycle.fix_rounds import again, newest_version
from orchestrator.lifecycle.specified import Specified, documents_of, items_now, plan_now, specified
from orchestrator.store import artifacts, checks, edits, tasks
from orchestrator.store.checks import Link
from orchestrator.store.rows import Session, Task
from orchestrator.store.store import Tx
from orchestrator.store.task_states import graph
from orchestrator.views.impact_subjects import Known, Subject, subject_of
from orchestrator.views.lookup import named
from orchestrator.views.past_work import past_work

KINDS = ("item", "plan_task", "commit", "file", "criterion", "test")
GONE = "gone"  # the digest of an item that is not there any more


def impact(tx: Tx, session: Session, name: str | None, project: Path, words: str = "") -> JsonObject:
    """The impact of what `name` means, without a name of what has changed. Raises UnknownName, UsageError.

    `words`: what a person says of it, by which the tasks of a plan are told that a planner by rules changes.
    """
    facts = _Facts.of(tx, session)
    subject = None if name is None else subject_of(name, facts.known, project)
    told = facts.told(words) if subject is not None and subject.task == _plan_key(facts) else frozenset()
    if subject is not None and facts.changed and subject.task == _plan_key(facts):
        subject = None  # a plan follows what has changed
    seeds = _seeds(subject, facts)
    found = impact_of(facts.links, facts.current, seeds)
    runs, why = _runs(subject, found, seeds, facts, told)
    past = past_work(tx, session.id)
    expected = forecast([(each.revision_of or each.key, each.prefix) for each in runs], past)
    whole = forecast(_whole(facts.rows), past)
    follow = _may_follow(found, facts, {each.revision_of or each.key for each in runs})
    return {
        "session": session.id,
        "about": None if subject is None else {"kind": subject.kind, "id": subject.id},
        "changed": sorted(facts.changed),
        "upstream": _listed(frozenset[Node]().union(*(upstream(facts.links, node) for node in seeds))),
        "stale": _listed(found.stale),
        "affected": _listed(found.affected),
        "runs": [
            {
                "task": each.key,
                "of": each.revision_of,
                "role": each.role,
                "plan_task": facts.plan_task_of(each),
                **_taken(forecast([(each.revision_of or each.key, each.prefix)], past)),
            }
            for each in runs
        ],
        "may_follow": follow,
        "kept": _kept(facts, {each.revision_of or each.key for each in runs}),
        "why": why,
        "expected": asdict(expected),
        "whole": asdict(whole),
        "saved": asdict(whole.less(expected)),
        "commands": _commands(tx, session, subject, facts, bool(runs)),
    }


@dataclass(frozen=True, slots=True)
class _Facts:
    """The session as the rules of impact see it."""

    rows: Sequence[Task]
    state: Mapping[str, TaskState]
    known: Known
    plan: Plan | None
    specified: Specified | None
    links: tuple[Made, ...]
    current: Mapping[Node, str]
    changed: frozenset[str]  # items that are not what the work is made of
    is_completed: bool  # nothing runs or waits

    @classmethod
    def of(cls, tx: Tx, session: Session) -> _Facts:
        edited = edits.edited(tx, session.id)
        rows = tasks.all_tasks(tx, session.id)
        newest = {row.path: row.sha256 for row in artifacts.newest(tx, session.id)}
        catalogue = documents_of(tx, session.id)
        items = items_now(tx, newest, catalogue, edited)
        plan = plan_now(tx, newest, edited)
        noted = checks.links_of(tx, session.id)
        planned = {task.id: task.digest for task in plan.tasks} if plan else {}
        found = specified(tx, session.id, edited)
        gone = {link.from_id for link in noted if link.from_kind == "item"} - set(items)
        current: dict[Node, str] = {
            **{("item", id): digest for id, digest in digests(items).items()},
            **{("item", id): GONE for id, item in items.items() if item.withdrawn},
            **{("item", id): GONE for id in gone},
            **{("plan_task", id): digest for id, digest in planned.items()},
        }
        return cls(
            rows=rows,
            state=graph(rows),
            known=Known(rows, catalogue, items, tuple(planned), tuple(newest), noted),
            plan=plan,
            specified=found,
            links=_made(noted, items, planned),
            current=current,
            changed=found.changes.all if found is not None else frozenset(),
            is_completed=session.status == SessionStatus.COMPLETED,
        )

    @property
    def carriers(self) -> dict[str, str]:
        """Plan task -> the task that carries it out."""
        return delta_plan.carriers(self.rows)

    def told(self, words: str) -> frozenset[str]:
        """The tasks of the plan that are carried out, and that a person's words are for."""
        if not words or self.plan is None or not self.carriers:
            return frozenset()
        tasks = [task.as_json() for task in self.plan.tasks if task.id in self.carriers]
        return frozenset(spoken_of(tasks, words, delta_plan.landed(self.rows)))

    def plan_task_of(self, task: TaskState) -> str | None:
        by_task = {key: id for id, key in self.carriers.items()}
        return by_task.get(task.revision_of or task.key)


def _made(noted: Sequence[Link], items: Mapping[str, SpecItem], planned: Collection[str]) -> tuple[Made, ...]:
    """The links in force: what was noted last of plan tasks that are there; where nothing was, those that documents state."""
    last: dict[object, str] = {_whose(link): link.run_id for link in noted}  # the run that noted them last
    made = {
        ((link.from_kind, link.from_id), (link.to_kind, link.to_id)): link.from_digest
        for link in noted
        if link.run_id == last[_whose(link)] and (link.to_kind != "plan_task" or link.to_id in planned)
    }
    for item in items.values():
        for name in item.refs:
            if name in items:
                made.setdefault((("item", name), ("item", item.id)), None)
    return tuple(Made(above, below, digest) for (above, below), digest in made.items())


def _whose(link: Link) -> object:
    """What a run notes anew as a whole: the items with a plan, and what was made of one task or criterion of it."""
    return "item" if link.from_kind == "item" else (link.from_kind, link.from_id)


def _seeds(subject: Subject | None, facts: _Facts) -> frozenset[Node]:
    """What would change, or has; of a document that has changed only what has changed in it."""
    if subject is None:
        return frozenset(("item", id) for id in facts.changed)
    items = subject.items
    if subject.kind == "document":
        items = items & facts.changed or items
    found: set[Node] = {("item", id) for id in items}
    found.update(("plan_task", id) for id in subject.plan_tasks)
    if subject.file is not None:
        found.add(("file", subject.file))
    return frozenset(found)


def _runs(
    subject: Subject | None, found: Impact, seeds: frozenset[Node], facts: _Facts, told: frozenset[str]
) -> tuple[list[TaskState], str | None]:
    """The tasks that would be made, in order; and why none, where none can be now."""
    try:
        documents = _documents(subject, seeds, facts)
    except LifecycleError as error:
        return [], f"{error.what}: {error.why}" if error.why else error.what
    if not facts.carriers or facts.plan is None:
        return documents, None
    state = {**facts.state, **{each.key: each for each in documents}}
    if subject is not None and subject.file is not None:
        judged = plan_delta_fan_out(state, facts.carriers, facts.plan.tasks, (), "").tasks
        return [*judged, *_judges_of(state, facts)], None
    builds = {id for kind, id in (*found.stale, *seeds) if kind == "plan_task" and id in facts.carriers}
    builds |= told
    new = [id for kind, id in seeds if kind == "item" and _is_new(id, facts)]
    if subject is not None and subject.task is not None and not (subject.items or told):
        if subject.plan_tasks:
            return list(plan_build(state, subject.task).tasks), None
        return documents, None
    if subject is not None and subject.plan_tasks and not subject.items and len(builds) == 1:
        return list(plan_build(state, facts.carriers[next(iter(builds))]).tasks), None
    if not builds and not new:
        return documents, None
    base = state[_plan_key(facts) or ""]
    plan = delta_plan.open_plan(state) or again(state, base, (base.key,))
    made = plan_delta_fan_out(state, facts.carriers, with_overlaps(facts.plan.tasks), builds, plan.key)
    return [*(each for each in documents if each.key != plan.key), plan, *made.tasks], None


def _documents(subject: Subject | None, seeds: frozenset[Node], facts: _Facts) -> list[TaskState]:
    """The tasks that write and score the specification again. Raises NotAllowedNow where none can be made now."""
    items = [id for kind, id in seeds if kind == "item"]
    catalogue = facts.known.catalogue
    if subject is not None and subject.task is not None and not subject.plan_tasks:
        prefix = facts.state[subject.task].prefix
        if prefix == PLANS and facts.carriers:
            return [again(facts.state, facts.state[subject.task], (subject.task,))]
        return list(plan_revision(facts.state, subject.task, catalogue, force=True).tasks)
    if not items:
        return []
    if set(items) <= facts.changed:  # it was changed by hand already, or is written
        reports = any(catalogue.is_report(each.key) for each in facts.state.values())
        if reports and facts.is_completed:  # else a checkpoint asks about it, or is on its way
            return list(plan_recheck(facts.state, catalogue).tasks)
        return []
    paths = {facts.known.items[id].path for id in items if id in facts.known.items}
    kinds = [found for path in sorted(paths) if (found := catalogue.of_path(path)) is not None]
    makers = [
        each.key
        for each in facts.state.values()
        if each.revision_of is None and any(document.makes(each.key) for document in kinds)
    ]
    if not makers:
        return []
    first = min(makers, key=lambda key: facts.state[key].seq)
    return list(plan_revision(facts.state, first, catalogue, force=True).tasks)


def _is_new(id: str, facts: _Facts) -> bool:
    """Whether the plan does not know an item of which something is built."""
    known = facts.specified.ground.items if facts.specified is not None else None
    return known is not None and id not in known and id.partition("-")[0] not in NOT_BUILT and ":" not in id


def _judges_of(state: Mapping[str, TaskState], facts: _Facts) -> list[TaskState]:
    """The judges that look again at a file that changed."""
    first = next(iter(facts.carriers.values()))
    return [each for each in plan_build(state, first).tasks if each.prefix not in BUILDS]


def _may_follow(found: Impact, facts: _Facts, runs: Collection[str]) -> list[JsonObject]:
    """Tasks that run as well if what is between changes too, each with what it is made of."""
    catalogue = facts.known.catalogue
    listed: dict[str, set[str]] = {}
    carriers = facts.carriers
    for kind, id in (*found.may_follow, *found.stale):
        if kind == "plan_task" and id in carriers and (kind, id) in found.may_follow:
            listed.setdefault(carriers[id], set()).add(id)
        item = facts.known.items.get(id) if kind == "item" else None
        document = catalogue.of_path(item.path) if item is not None else None
        for each in facts.state.values():
            if document is not None and each.revision_of is None and document.makes(each.key):
                listed.setdefault(each.key, set()).add(id)
    return [{"task": key, "because": sorted(ids)} for key, ids in sorted(listed.items()) if key not in runs]


def _plan_key(facts: _Facts) -> str | None:
    """The plan's task, where it is carried out."""
    plans = [each.key for each in facts.state.values() if each.prefix == PLANS and each.revision_of is None]
    return plans[0] if plans and facts.carriers else None


def _kept(facts: _Facts, runs: Collection[str]) -> list[JsonObject]:
    """The plan tasks that stay, with the newest version that carried them out."""
    return [
        {"plan_task": id, "task": newest.key, "status": str(newest.status)}
        for id, key in sorted(facts.carriers.items())
        if key not in runs and (newest := newest_version(facts.state, key))
    ]


def _whole(rows: Sequence[Task]) -> list[tuple[str, str]]:
    """The tasks of a whole new session like this one."""
    return [
        (row.key, row.prefix) for row in rows if row.revision_of is None and row.status != TaskStatus.SKIPPED
    ]


def _commands(
    tx: Tx, session: Session, subject: Subject | None, facts: _Facts, runs: bool
) -> list[JsonObject]:
    """What to do about it."""
    suffix = named(tx, session.id)
    if not runs:
        return []
    if session.pause_reason in ("checkpoint", "signoff_blocked") and (subject is None or subject.items):
        return [_command(f"lifecycle resume{suffix}", "approves it; the plan follows")]
    items = subject.items if subject is not None else facts.changed
    if subject is None or (items and items & facts.changed):
        reports = any(facts.known.catalogue.is_report(each.key) for each in facts.state.values())
        if reports:
            return [
                _command(f"lifecycle recheck{suffix}", "scores it as it is now, and waits for your approval")
            ]
        return [_command(f"lifecycle revise PLAN-001{suffix}", "plans what has changed")]
    target = _target(subject, facts)
    if target is None:
        return []
    return [_command(f'lifecycle revise {target} "what to change"{suffix}', "makes exactly these tasks")]


def _command(command: str, does: str) -> JsonObject:
    return {"command": command, "does": does}


def _target(subject: Subject, facts: _Facts) -> str | None:
    """The task to revise."""
    if subject.task is not None:
        return subject.task
    if subject.plan_tasks and not subject.items:
        return facts.carriers.get(min(subject.plan_tasks)) if len(subject.plan_tasks) == 1 else "PLAN-001"
    for id in sorted(subject.items):
        item = facts.known.items.get(id)
        document = facts.known.catalogue.of_path(item.path) if item is not None else None
        makers = [
            each.key
            for each in facts.state.values()
            if document is not None and each.revision_of is None and document.makes(each.key)
        ]
        if makers:
            return makers[0]
    return "PLAN-001" if facts.carriers and subject.items else None


def _taken(expected: Forecast) -> JsonObject:
    """What one task is likely to take; None what is unknown."""
    if expected.unseen:
        return dict.fromkeys(("calls", "tokens", "minutes", "usd"))
    return {
        "calls": expected.calls,
        "tokens": None if expected.untold else expected.tokens,
        "minutes": expected.minutes,
        "usd": None if expected.unpriced else expected.usd,
    }


def _listed(nodes: Collection[Node]) -> JsonObject:
    """Ids by kind."""
    return {kind: sorted(id for each, id in nodes if each == kind) for kind in KINDS}
