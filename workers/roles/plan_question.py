"""The question for a plan: its prompt, the check of the answer by code, and the second question where that found faults."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.empty_requests import only_points
from orchestrator.domain.errors import AgentRubbish, StoreError
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.patterns import expression
from orchestrator.domain.plan import Complexity, Plan
from orchestrator.domain.plan_checks import MOST_TASKS, Ground, PlanFaults, check_plan
from orchestrator.domain.plan_delta import PlanDelta
from orchestrator.domain.plan_marks import CARRIES_OUT
from workers.agents import prompts
from workers.agents.protocol import AgentReply
from workers.context.agent_calls import AgentCalls
from workers.context.planned import current_plan
from workers.context.run_context import RunContext
from workers.context.sources import DOCUMENT_LIMIT, repository_text, sources, title_of
from workers.documents.condensed import compact, condensed
from workers.documents.cutting import cut
from workers.documents.plan_content import PlanContent, content_of, plan_of
from workers.evidence.runners import find_runners, plain_commands
from workers.git.private_store import Base
from workers.roles.drafting import facts, feedback, is_reworked, key_decisions
from workers.roles.plan_following import Following
from workers.roles.plan_ground import spec_digest

GOAL = "Divide the work into tasks that agents carry out, and say how one can tell that each is done."
FOLLOWING_GOAL = (
    "The specification has changed after work on it had begun. Change the plan where it is affected, and nowhere else: "
    "say what has to be done in the files as they are now, and how one can tell that it is done."
)
LISTING = "Files of the project"
LISTING_LIMIT = 12_000  # characters, as is the next
EXPLORATION_LIMIT = 8_000
_STATED = expression(  # `- **REQ-001** (Must): it returns ...`
    r"[\s#>*_|+-]*(?P<id>(?:REQ-|NFR-[A-Z]{1,2}-)\d{3})\b[\s*_|]*(?:\([^()]{1,40}\))?[\s*_:|.–—-]*(?P<text>\w.*|[`\"'(].*)"
)


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan without faults."""

    plan: Plan
    agent: str  # who gave it
    notes: tuple[str, ...]
    warnings: tuple[str, ...]  # of the checks: whoever reads the plan's files checks them again
    delta: PlanDelta | None  # what becomes of the tasks of the plan before, where there is one


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """One plan, asked for until code finds nothing wrong with it: twice at most."""

    context: RunContext
    calls: AgentCalls
    complexity: Complexity
    base: Base
    ground: Ground
    explorations: Mapping[str, JsonObject]  # by angle
    follows: Following | None = None  # the plan before, where its tasks are carried out

    def plan(self) -> Planned:
        """The plan. Raises AgentRubbish for one that stays faulty, AgentError."""
        content, reply = self._ask(None)
        plan, notes, found, delta = self._checked(content)
        faults = [str(fault) for fault in found.faults]
        if faults:
            self.context.notes.append(
                f"{reply.agent}: the plan had {len(faults)} fault(s) and was asked for again"
            )
            content, reply = self._ask((compact(content.model_dump_json()), faults), reply.agent)
            plan, notes, found, delta = self._checked(content)
            faults = [str(fault) for fault in found.faults]
        if faults:
            raise AgentRubbish(
                f"{reply.agent}: the plan has {len(faults)} fault(s)",
                why="; ".join(one_line(fault, 300) for fault in faults[:5]),
                fix="`lifecycle resume --retry` asks again; `--agent NAME` asks another one",
                task=self.context.row.key,
            )
        return Planned(plan, reply.agent, tuple(notes), found.warnings, delta)

    def _checked(self, content: PlanContent) -> tuple[Plan, list[str], PlanFaults, PlanDelta | None]:
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
        delta = None
        if self.follows is not None:
            plan, delta, more = self.follows.merge(plan, self.ground.paths)
            notes += more
        return plan, notes, check_plan(plan, self.ground), delta

    def _ask(
        self, faulty: tuple[str, Sequence[str]] | None, by: str | None = None
    ) -> tuple[PlanContent, AgentReply]:
        context, calls = self.context, self.calls
        known = {**facts(context, None), "planned": self._for_rules()}
        context.unmet.clear()
        prompt = prompts.render_plan(
            GOAL if self.follows is None else FOLLOWING_GOAL,
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
            follows=self.follows is not None,
            removed=", ".join(sorted(self.ground.removed)),
        )
        same = [agent for agent in calls.agents if agent.name == by]
        content, reply = calls.ask("plan", prompt, PlanContent, known, same or None)
        context.notes.extend(f"{reply.agent}: {note}" for note in reply.notes)
        context.unmet.extend(reply.unmet)
        return content, reply

    def _for_rules(self) -> JsonObject:
        """What a planner by rules goes by."""
        pages = brought_along(self.context)
        before = _plan_before(self.context) if is_reworked(self.context) and self.follows is None else None
        stays = before is not None and before.spec_digest == spec_digest(self.context)
        return {
            "level": self.complexity.level,
            "title": self.context.session.title if only_points(self.context.session.request) else "",
            "most": MOST_TASKS,
            "paths": self.ground.paths or frozenset(),
            "must": sorted(self.ground.must),
            "ids": sorted(self.ground.ids),
            "stated": stated(text for _, text in pages),
            "pages": [text for _, text in pages],
            "explorations": dict(self.explorations),
            "follows": None if self.follows is None else self.follows.for_rules(),
            "before": _for_rules(before) if before is not None and stays else None,
        }

    def _material(self) -> list[tuple[str, str]]:
        context = self.context
        found = [
            (f"Exploration: {angle}", cut(repository_text(record), EXPLORATION_LIMIT))
            for angle, record in self.explorations.items()
        ]
        listing = "\n".join(sorted(self.ground.paths)) if self.ground.paths else ""
        found.append((LISTING, cut(listing, LISTING_LIMIT)))
        found += brought_along(context)
        found.append(("Test commands of the project", "\n".join(test_commands(context)[0])))
        if is_reworked(context):
            before = _plan_before(context)
            shown = content_of(before).model_dump_json() if before else ""
            found.append(("The plan to revise", compact(shown)))
        if self.follows is not None:
            found += self.follows.material()
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


def brought_along(context: RunContext) -> list[tuple[str, str]]:
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


def test_commands(context: RunContext) -> tuple[list[str], str | None]:
    """The commands that run the project's tests, and where they write their report; none where they are not known."""
    settings = context.settings.work
    command = " ".join(settings.test_command)
    if command:
        return [command], settings.test_report
    return plain_commands(find_runners(context.project, settings, os.environ)), None


def _plan_before(context: RunContext) -> Plan | None:
    """The plan as it is now, with what a person edited; None where it cannot be read."""
    try:
        return current_plan(context)
    except StoreError as error:
        context.notes.append(f"{error.what}: {error.why}")
        return None


def _for_rules(before: Plan) -> JsonObject:
    """A plan that nothing has changed under."""
    return {
        "content": content_of(before).model_dump(),
        "tasks": [task.as_json() for task in before.tasks],
    }


def _has_sides(context: RunContext) -> bool:
    """Whether the session's pipeline has a task for each side."""
    pipeline = next(iter(context.pack.pipelines.values()))
    return {task.prefix for task in pipeline.tasks}.issuperset(CARRIES_OUT.values())
