"""A session's plan as it is now, with what a person edited: what it says, what is wrong with it, and where."""

from __future__ import annotations

import json
from collections.abc import Mapping

from orchestrator.domain.approvals import digest_of
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.graph import Fault
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_lines import lines_of
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.middle import median
from orchestrator.domain.plan import PAGE, PLAN, Plan, is_plan_file, read_plan
from orchestrator.domain.plan_checks import GROUND, Ground, check_plan, with_overlaps
from orchestrator.domain.prices import MICROS
from orchestrator.domain.revisions import BUILDS
from orchestrator.store import artifacts, checks, task_history, work
from orchestrator.store.store import Tx

SIZE_LIMIT = 1024 * 1024  # bytes of one file of a plan
UNEDITED: Mapping[str, bytes] = {}


@dataclass(frozen=True, slots=True)
class SessionPlan:
    plan: Plan
    faults: tuple[str, ...] = ()  # each with its file and line; the plan is not to be approved
    warnings: tuple[str, ...] = ()
    outdated: bool = False  # the specification has changed since the plan was made


def session_plan(tx: Tx, session: str, edited: Mapping[str, bytes] = UNEDITED) -> SessionPlan | None:
    """The plan of the session, `edited` (path -> bytes) taken in; None where it has none."""
    newest = {row.path: row.sha256 for row in artifacts.newest(tx, session)}
    if PLAN not in newest:
        return None
    bodies = {
        path: edited[path] if path in edited else artifacts.body(tx, digest)
        for path, digest in newest.items()
        if is_plan_file(path)
    }
    values, texts, faults = _parsed(bodies)
    plan, found = read_plan(values)
    read = faults or [_said(fault, texts) for fault in found]
    if read:
        return SessionPlan(plan, tuple(read))
    changed = {path: artifacts.digest_of(body) for path, body in edited.items()}
    specification = digest_of(("spec/",), {**newest, **changed})
    ground, unknown = _ground(tx, session, plan)
    checked = check_plan(plan, ground)
    said = [_said(fault, texts) for fault in (*unknown, *checked.faults)]
    warnings = list(checked.warnings)
    if PAGE in edited:
        warnings.append(f"{PAGE} was edited, and nothing reads it: edit {PLAN} or the files of the tasks")
    return SessionPlan(plan, tuple(said), tuple(warnings), plan.spec_digest != specification)


def plan_view(tx: Tx, found: SessionPlan) -> JsonObject:
    """The plan as plain values: its tasks with their files and edges, what is left out, tests, and an estimate."""
    plan = found.plan
    return {
        "summary": plan.summary,
        "complexity": plan.complexity.as_json(),
        "tasks": [
            {
                "task": task.id,
                "title": task.title,
                "kind": task.kind,
                "side": task.side,
                "size": task.size,
                "files": [{"path": file.path, "action": file.action} for file in task.files],
                "waits_for": [{"task": edge.id, "source": edge.source} for edge in task.depends_on],
                "refs": list(task.refs),
                "executor": task.executor or plan.executor,
            }
            for task in with_overlaps(plan.tasks)
        ],
        "uncovered": [{"id": each.id, "reason": each.reason} for each in plan.uncovered],
        "test_commands": list(plan.test_commands),
        "notes": list(plan.notes),
        "faults": list(found.faults),
        "warnings": list(found.warnings),
        "outdated": found.outdated,
        "estimate": _estimate(tx, len(plan.tasks)),
    }


def _estimate(tx: Tx, count: int) -> JsonObject:
    """What the tasks may cost by what tasks of a plan have cost here, whoever did them; unknown where none have."""
    known = [
        row.micros
        for row in task_history.taken(tx)
        if row.prefix in BUILDS and row.calls and row.priced == row.calls
    ]
    usd = median(known) * count / MICROS if known else None
    return {"tasks": count, "usd": usd, "seen": len(known)}


def _parsed(bodies: Mapping[str, bytes]) -> tuple[dict[str, Json], dict[str, str], list[str]]:
    """The values and texts of the files, and faults of those that are no JSON."""
    values: dict[str, Json] = {}
    texts: dict[str, str] = {}
    faults: list[str] = []
    for path, body in sorted(bodies.items()):
        if len(body) > SIZE_LIMIT:
            faults.append(f"{path}:1: is larger than {SIZE_LIMIT >> 10} KiB")
            continue
        try:
            texts[path] = body.decode("utf-8")
            values[path] = json.loads(texts[path])
        except UnicodeDecodeError as error:
            faults.append(f"{path}:{body[: error.start].count(10) + 1}: is not UTF-8")
        except json.JSONDecodeError as error:
            faults.append(f"{path}:{error.lineno}: is no JSON: {error.msg}")
        except (RecursionError, ValueError) as error:
            faults.append(f"{path}:1: is no JSON that can be read ({type(error).__name__})")
    return values, texts, faults


def _ground(tx: Tx, session: str, plan: Plan) -> tuple[Ground, list[Fault]]:
    """What the plan was checked against as it was made; faults where the plan names another base or specification."""
    kept = [
        row for row in checks.checks_of(tx, session) if row.kind == GROUND and row.key == plan.spec_digest
    ]
    faults = []
    if not kept:
        faults.append(Fault((PLAN, "spec_digest"), "is not that of the specification; put it back"))
    begun = work.work_of(tx, session)
    if begun is not None and begun.base != plan.base_commit:
        faults.append(Fault((PLAN, "base_commit"), f"must be {begun.base}: the work starts from it"))
    if not kept:
        return Ground(ids=frozenset(name for task in plan.tasks for name in task.cited)), faults
    return Ground.from_json(kept[-1].data), faults


def _said(fault: Fault, texts: Mapping[str, str]) -> str:
    """`file:line: place: text`; the line of the innermost place that is there."""
    path, *inner = fault.place
    place, line = tuple(inner), 1
    try:
        lines = lines_of(texts[str(path)])
    except (KeyError, ValueError):
        lines = {}
    for length in range(len(place), -1, -1):
        if place[:length] in lines:
            line = lines[place[:length]]
            break
    where = ".".join(map(str, place))
    return one_line(f"{path}:{line}: {f'{where}: ' if where else ''}{fault.text}", 500)
