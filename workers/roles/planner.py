"""The planner: fixes what the work starts from, explores, asks for a plan, and checks it by code (PLAN)."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import PurePosixPath

from orchestrator.domain.complexity import angles_of, complexity_of
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import ApprovalOutdated
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.plan import EXPLORATIONS, PAGE, PLAN, SCHEMA, Complexity, Plan
from orchestrator.domain.plan_checks import Ground
from orchestrator.domain.plan_delta import PlanDelta
from orchestrator.lifecycle import fan_out
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.context.written_documents import known_of, stamp
from workers.documents.features import asked
from workers.documents.frame import RenderContext, to_json
from workers.documents.plan_content import with_notes
from workers.documents.plan_page import plan_page
from workers.explore import ExplorationStopped, explore
from workers.explore.presets import planning_rules
from workers.explore.ranking import named_words
from workers.git.private_store import Base
from workers.landing.reviewed_session import begun_work
from workers.roles import Produced
from workers.roles.drafting import is_reworked
from workers.roles.plan_following import following
from workers.roles.plan_ground import MOST_PATHS, ground_of, items_now, keep, paths_of
from workers.roles.plan_links import plan_links
from workers.roles.plan_question import Planned, PlanQuestion

INDEX = "explorations/cache-index.json"


@dataclass(frozen=True, slots=True)
class Explored:
    """What the angles found, and how they are kept."""

    records: dict[str, JsonObject]  # angle -> exploration
    sources: dict[str, str]  # angle -> cached or new
    notes: tuple[str, ...] = ()

    def path(self, angle: str) -> str:
        return f"explorations/explore-{angle}.json"


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """The plan, its tasks as files, and a page for people.

    Raises ApprovalOutdated, AgentError, GitError, RepositoryUnusable.
    """
    changed = context.desk.changed_since_approval(context.session.id)
    if changed is not None:  # an edit that was taken in as this run began
        raise ApprovalOutdated(changed)
    work, base = begun_work(context)
    items = items_now(context)
    follows = following(context, work, paths_of(work, base.commit))
    start = base.commit if follows is None else follows.head
    ground = ground_of(context, paths_of(work, start), items, follows)
    keep(context, work.private.tree_of(start), ground)
    complexity = complexity_of(context.session.request, planning_rules())
    explored = _explored(context, complexity)
    context.check()
    asked_for = PlanQuestion(context, calls, complexity, base, ground, explored.records, follows)
    planned = asked_for.plan()
    plan = with_notes(planned.plan, [*_base_notes(base, ground), *explored.notes, *planned.notes])
    kept = frozenset[str]() if follows is None else follows.unwritten(plan)
    return Produced(
        files=_files(context, plan, explored, planned, kept),
        artifact=PAGE,
        summary=_summary(plan, planned.delta),
        message_type="plan_revision" if is_reworked(context) else "plan_ready",
        agent=planned.agent,
        key_decisions=[f"{task.id}: {task.title}" for task in plan.tasks],
        notes=(*plan.notes, *planned.warnings),
        shared={"tasks": [task.id for task in plan.tasks], "complexity": complexity.level},
        fan_out=fan_out.reported(
            plan, calls.router.agents, None if planned.delta is None else planned.delta.as_json()
        ),
        links=plan_links(plan, items, context.row.run),
    )


def _explored(context: RunContext, complexity: Complexity) -> Explored:
    """The explorations of the request's angles; one that fails is left out and said."""
    request = context.session.request
    records: dict[str, JsonObject] = {}
    made: dict[str, str] = {}
    notes: list[str] = []
    for angle in angles_of(request, complexity.level, planning_rules()):
        try:
            record = explore(
                context.project,
                request,
                angle,
                named_words(asked(request)),
                cache_dir=context.workflow / "cache" / "explorations",
                stop=context.live.stop,
            )
        except ExplorationStopped:
            context.check()
            raise
        except OSError as error:
            notes.append(f"the angle {angle} could not be explored: {error.strerror or error}")
            continue
        records[angle] = record
        made[angle] = "cached" if record["_metadata"].get("cached") else "new"
    if not records:
        notes.append("no angle could be explored: the plan is made from the text alone")
    return Explored(records, made, tuple(notes))


def _files(
    context: RunContext, plan: Plan, explored: Explored, planned: Planned, kept: Collection[str]
) -> dict[str, tuple[bytes, str]]:
    """`kept`: tasks whose files stay as they are."""
    about = {
        "schema": SCHEMA,
        "session": context.session.id,
        "task": context.row.key,
        "run": context.row.run,
        "generated_at": stamp(context.row.opened_at),
    }
    manifest = {
        **about,
        "complexity": plan.complexity.as_json(),
        "angles": [
            {"angle": angle, "file": explored.path(angle), "source": source}
            for angle, source in explored.sources.items()
        ],
    }
    index: Json = context.json(INDEX)
    listed = index.get("explorations") if isinstance(index, dict) else None
    angles = dict(listed) if isinstance(listed, dict) else {}
    angles |= {angle: PurePosixPath(explored.path(angle)).name for angle in explored.records}
    found = {
        PAGE: (plan_page(with_notes(plan, planned.warnings), _shown(context, planned.agent)), "plan"),
        PLAN: (to_json({**about, **plan.as_json()}), "plan"),
        **{
            task.path: (to_json({**about, **task.as_json()}), "plan")
            for task in plan.tasks
            if task.id not in kept
        },
        EXPLORATIONS: (to_json(manifest), "plan"),
        INDEX: ((json.dumps({"explorations": angles}, indent=1) + "\n").encode(), "exploration"),
    }
    for angle, record in explored.records.items():
        found[explored.path(angle)] = (to_json(record), "exploration")
    return found


def _shown(context: RunContext, agent: str) -> RenderContext:
    """What the page says about itself, and the documents that it links to."""
    current = context.artifacts.get(PAGE)
    return RenderContext(
        session_id=context.session.id,
        title=context.session.title,
        phase=context.row.phase,
        status="revised" if is_reworked(context) else "draft",
        generated_at=stamp(context.row.opened_at),
        version=(current.version if current else 0) + 1,
        agent=agent,
        task=context.row.key,
        language=context.session.language,
        documents=known_of(context, context.pack.documents),
        catalogue=context.pack.documents,
    )


def _base_notes(base: Base, ground: Ground) -> list[str]:
    notes = []
    if base.left_out:
        notes.append(f"the work starts from the last commit: {base.left_out} changed file(s) are not in it")
    if base.origin == "snapshot":
        notes.append("the folder has no commit: the work starts from a snapshot of it")
    if base.nested:
        notes.append(f"{len(base.nested)} nested repositories are left out of the snapshot")
    if ground.paths is None:
        notes.append(f"more than {MOST_PATHS} files: whether the plan's files exist was not checked")
    return notes


def _summary(plan: Plan, delta: PlanDelta | None) -> str:
    overlaps = sum(edge.source == "overlap" for task in plan.tasks for edge in task.depends_on)
    words = [f"{len(plan.tasks)} task(s), complexity {plan.complexity.level}"]
    words += [f"{overlaps} edge(s) for shared files"] if overlaps else []
    words += [f"{len(plan.uncovered)} item(s) left out"] if plan.uncovered else []
    if delta is not None and not (delta.rerun or delta.dropped):
        words.append("the plan is unchanged: nothing is carried out again")
    elif delta is not None:
        names = ("kept", "changed", "new", "dropped")
        words += [f"{len(getattr(delta, name))} {name}" for name in names if getattr(delta, name)]
    return ", ".join(words)
