"""The planner: fixes what the work starts from, explores, asks for a plan, and checks it by code (PLAN)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from orchestrator.domain.approvals import digest_of
from orchestrator.domain.complexity import angles_of, complexity_of
from orchestrator.domain.errors import AgentRubbish, ApprovalOutdated, StoreError
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.plan import (
    EXPLORATIONS,
    INCLUDE_DIRTY,
    PAGE,
    PLAN,
    SCHEMA,
    Complexity,
    Plan,
)
from orchestrator.domain.plan_checks import GROUND, MOST_TASKS, Ground, check_plan
from orchestrator.lifecycle import fan_out
from orchestrator.lifecycle.checkpoints import changed_since_approval
from orchestrator.store import checks
from workers.agents import prompts
from workers.agents.protocol import AgentReply
from workers.context.agent_calls import AgentCalls
from workers.context.planned import current_plan
from workers.context.run_context import RunContext
from workers.context.sources import DOCUMENT_LIMIT, repository_text, sources, title_of
from workers.context.written_documents import known_of, stamp
from workers.documents.condensed import compact, condensed
from workers.documents.content import Requirements
from workers.documents.cutting import cut
from workers.documents.features import asked
from workers.documents.frame import RenderContext, to_json
from workers.documents.plan_content import PlanContent, content_of, plan_of, with_notes
from workers.documents.plan_page import plan_page
from workers.evidence.runners import find_runners, plain_commands
from workers.explore import ExplorationStopped, explore
from workers.explore.presets import planning_rules
from workers.explore.ranking import named_words
from workers.git.checkouts import trees_folder
from workers.git.private_store import Base
from workers.git.session_work import SessionWork, begin_work
from workers.roles import Produced
from workers.roles.drafting import facts, feedback, is_reworked, key_decisions

GOAL = "Divide the work into tasks that agents carry out, and say how one can tell that each is done."
LISTING = "Files of the project"
LISTING_LIMIT = 12_000  # characters, as is the next
EXPLORATION_LIMIT = 8_000
MOST_PATHS = 20_000  # files of the base that are known; of more, nothing is said about which exist
INDEX = "explorations/cache-index.json"
_IDS = re.compile(r"\b(?:REQ-\d{3}|NFR-[A-Z]{1,2}-\d{3}|ADR-\d{3}|EPIC-\d{3}|STORY-\d{3}-\d{3}|G-\d{3})\b")
_STATED = re.compile(  # `- **REQ-001** (Must): it returns ...`
    r"[\s#>*_|+-]*(?P<id>(?:REQ-|NFR-[A-Z]{1,2}-)\d{3})\b[\s*_|]*(?:\([^()]{1,40}\))?[\s*_:|.–—-]*(?P<text>\w.*|[`\"'(].*)"
)


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
    changed = context.store.read(lambda tx: changed_since_approval(tx, context.session.id, {}))
    if changed is not None:  # an edit that was taken in as this run began
        raise ApprovalOutdated(changed)
    work, base = begin_work(
        context.store,
        context.project,
        context.session.id,
        trees_folder(context.settings.work.trees),
        include_dirty=bool(context.session.options.get(INCLUDE_DIRTY)),
    )
    ground = _ground(context, base_paths(work, base))
    _keep(context, work.private.tree_of(base.commit), ground)
    complexity = complexity_of(context.session.request, planning_rules())
    explored = _explored(context, complexity)
    context.check()
    plan, agent, notes = _Asking(context, calls, complexity, base, ground, explored).plan()
    plan = with_notes(plan, [*_base_notes(base, ground), *explored.notes, *notes])
    return Produced(
        files=_files(context, plan, explored, agent),
        artifact=PAGE,
        summary=_summary(plan),
        message_type="plan_revision" if is_reworked(context) else "plan_ready",
        agent=agent,
        key_decisions=[f"{task.id}: {task.title}" for task in plan.tasks],
        notes=plan.notes,
        shared={"tasks": [task.id for task in plan.tasks], "complexity": complexity.level},
        fan_out=fan_out.reported(plan, calls.router.agents),
    )


def base_paths(work: SessionWork, base: Base) -> frozenset[str] | None:
    """The files of the base; None where there are too many. Raises GitError."""
    listed = work.private.git.run("ls-tree", "-r", "-z", "--name-only", base.commit).fields
    if len(listed) > MOST_PATHS:
        return None
    paths = sorted(os.fsdecode(name) for name in listed)
    kept = [path for path in paths if not any(0xD800 <= ord(char) < 0xE000 for char in path)]
    return frozenset(kept)


def test_commands(context: RunContext) -> tuple[list[str], str | None]:
    """The commands that run the project's tests, and where they write their report; none where they are not known."""
    settings = context.settings.work
    command = " ".join(settings.test_command)
    if command:
        return [command], settings.test_report
    return plain_commands(find_runners(context.project, settings, os.environ)), None


@dataclass(frozen=True, slots=True)
class _Asking:
    """One plan, asked for until code finds nothing wrong with it: twice at most."""

    context: RunContext
    calls: AgentCalls
    complexity: Complexity
    base: Base
    ground: Ground
    explored: Explored

    def plan(self) -> tuple[Plan, str, list[str]]:
        """The plan, the agent that gave it, and notes. Raises AgentRubbish for one that stays faulty, AgentError."""
        content, reply = self._ask(None)
        plan, notes, faults = self._checked(content)
        if faults:
            self.context.notes.append(
                f"{reply.agent}: the plan had {len(faults)} fault(s) and was asked for again"
            )
            content, reply = self._ask((compact(content.model_dump_json()), faults), reply.agent)
            plan, notes, faults = self._checked(content)
        if faults:
            raise AgentRubbish(
                f"{reply.agent}: the plan has {len(faults)} fault(s)",
                why="; ".join(one_line(fault, 300) for fault in faults[:5]),
                fix="`lifecycle resume --retry` asks again; `--agent NAME` asks another one",
                task=self.context.row.key,
            )
        return plan, reply.agent, notes

    def _checked(self, content: PlanContent) -> tuple[Plan, list[str], list[str]]:
        commands, report = test_commands(self.context)
        plan, notes = plan_of(
            content,
            complexity=self.complexity,
            base_commit=self.base.commit,
            spec_digest=spec_digest(self.context),
            agents=self.calls.router.agents,
            test_commands=commands,
            test_report=report,
        )
        found = check_plan(plan, self.ground)
        return plan, [*notes, *found.warnings], [str(fault) for fault in found.faults]

    def _ask(
        self, faulty: tuple[str, Sequence[str]] | None, by: str | None = None
    ) -> tuple[PlanContent, AgentReply]:
        context, calls = self.context, self.calls
        known = {**facts(context, None), "planned": self._for_rules()}
        context.unmet.clear()
        prompt = prompts.render_plan(
            GOAL,
            instructions=context.instructions,
            task=context.row.key,
            language=context.session.language,
            schema=PlanContent,
            shared=sources(context, [each for each in context.pack.documents if not each.is_report]),
            material=self._material(),
            feedback=feedback(context),
            faulty=faulty,
            level=self.complexity.level,
            most=MOST_TASKS,
            listing=LISTING,
            must=", ".join(sorted(self.ground.must)),
            cites=bool(self.ground.ids),
            sides=_has_sides(context),
            agents=", ".join(sorted(name for name in calls.router.agents if name != "builtin")),
        )
        same = [agent for agent in calls.agents if agent.name == by]
        content, reply = calls.ask("plan", prompt, PlanContent, known, same or None)
        context.notes.extend(f"{reply.agent}: {note}" for note in reply.notes)
        context.unmet.extend(reply.unmet)
        return content, reply

    def _for_rules(self) -> JsonObject:
        """What a planner by rules goes by."""
        return {
            "level": self.complexity.level,
            "most": MOST_TASKS,
            "paths": self.ground.paths or frozenset(),
            "must": sorted(self.ground.must),
            "ids": sorted(self.ground.ids),
            "stated": stated(text for _, text in _brought_along(self.context)),
            "explorations": self.explored.records,
        }

    def _material(self) -> list[tuple[str, str]]:
        context = self.context
        found = [
            (f"Exploration: {angle}", cut(repository_text(record), EXPLORATION_LIMIT))
            for angle, record in self.explored.records.items()
        ]
        listing = "\n".join(sorted(self.ground.paths)) if self.ground.paths else ""
        found.append((LISTING, cut(listing, LISTING_LIMIT)))
        found += _brought_along(context)
        found.append(("Test commands of the project", "\n".join(test_commands(context)[0])))
        if is_reworked(context):
            found.append(("The plan to revise", compact(_plan_before(context))))
        found.append(("Decisions so far", "\n".join(key_decisions(context))))
        found += [(f"Team notes: {name}", "\n".join(lines)) for name, lines in context.wisdom.items()]
        return found


def stated(pages: Iterable[str]) -> dict[str, str]:
    """What pages say of each requirement: the id that a line begins with -> the rest of that line."""
    lines = (_STATED.match(line) for page in pages for line in page.splitlines())
    found: dict[str, str] = {}
    for line in lines:
        if line is not None:
            found.setdefault(line["id"], line["text"].strip())
    return found


def _brought_along(context: RunContext) -> list[tuple[str, str]]:
    """The pages of a specification that none of the session's documents are."""
    owned = list(context.pack.documents)
    pages = [
        path
        for path in context.artifacts
        if path.startswith("spec/") and path.endswith(".md") and not any(each.owns(path) for each in owned)
    ]
    return [
        (title_of(path), cut(condensed(context.text(path) or ""), DOCUMENT_LIMIT)) for path in sorted(pages)
    ]


def spec_digest(context: RunContext) -> str:
    """Of the specification as it is now."""
    return digest_of(("spec/",), {path: row.sha256 for path, row in context.artifacts.items()})


def _ground(context: RunContext, paths: frozenset[str] | None) -> Ground:
    """What the plan is checked against: the base's files, and the ids that the specification has."""
    known = known_of(context, context.pack.documents)
    ids = {name for each in known.values() for name in each.ids()}
    if not ids:  # a specification that was brought along: its ids are those that its text names
        texts = (context.text(path) or "" for path in context.artifacts if path.startswith("spec/"))
        ids = {name for text in texts for name in _IDS.findall(text)}
    items = [
        item
        for each in known.values()
        if isinstance(each.content, Requirements)
        for item in each.content.items
    ]
    return Ground(paths, frozenset(ids), frozenset(item.id for item in items if item.moscow == "Must"))


def _keep(context: RunContext, tree: str, ground: Ground) -> None:
    """Note what the plan is checked against, for whoever checks an edit of it. Raises LeaseLost."""
    row, digest = context.row, spec_digest(context)
    context.store.write(
        lambda tx: checks.add_check(tx, row, tree, GROUND, digest, "passed", ground.as_json(), 0.0)
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
                cache_dir=context.store.workflow / "cache" / "explorations",
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


def _files(context: RunContext, plan: Plan, explored: Explored, agent: str) -> dict[str, tuple[bytes, str]]:
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
        PAGE: (plan_page(plan, _shown(context, agent)), "plan"),
        PLAN: (to_json({**about, **plan.as_json()}), "plan"),
        **{task.path: (to_json({**about, **task.as_json()}), "plan") for task in plan.tasks},
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


def _plan_before(context: RunContext) -> str:
    """The plan as it is now, with what a person edited; empty where it cannot be read."""
    try:
        plan = current_plan(context)
    except StoreError as error:
        context.notes.append(f"{error.what}: {error.why}")
        return ""
    return content_of(plan).model_dump_json() if plan else ""


def _has_sides(context: RunContext) -> bool:
    """Whether the session's pipeline has a task for each side."""
    pipeline = next(iter(context.pack.pipelines.values()))
    return {task.prefix for task in pipeline.tasks}.issuperset(fan_out.CARRIES_OUT.values())


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


def _summary(plan: Plan) -> str:
    overlaps = sum(edge.source == "overlap" for task in plan.tasks for edge in task.depends_on)
    words = [f"{len(plan.tasks)} task(s), complexity {plan.complexity.level}"]
    words += [f"{overlaps} edge(s) for shared files"] if overlaps else []
    words += [f"{len(plan.uncovered)} item(s) left out"] if plan.uncovered else []
    return ", ".join(words)
