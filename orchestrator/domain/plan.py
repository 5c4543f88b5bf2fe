"""The plan of a session's code: what PLAN makes, IMPL carries out and a person approves (docs/planning.md).

It is kept as files: `plan/plan.json`, and one `plan/.task/TASK-00n.json` for each of its tasks. `read_plan` reads them with
every fault of their form; what is wrong with a plan whose form is right is in `plan_checks`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.graph import Fault, Place
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.patterns import expression
from orchestrator.domain.plain_values import Reader

FOLDER = "plan/"
PLAN, TASKS = "plan/plan.json", "plan/.task/"
PAGE, EXPLORATIONS = "plan/plan.md", "plan/explorations-manifest.json"
SCHEMA = 1  # of these files

INCLUDE_DIRTY = (
    "include_dirty"  # of a session's options: what is not committed is part of what the work starts from
)
KINDS = ("feature", "fix", "refactor", "test", "docs", "remove")
SIDES = ("backend", "frontend")
ACTIONS = ("create", "modify", "delete")
SIZES = ("S", "M", "L", "XL")
LEVELS = ("Low", "Medium", "High")
PLANNED, OVERLAP = "plan", "overlap"  # sources of a dependency

MOST_TASKS = 99  # that are read; how many a plan may have is checked apart from its form
MOST_FILES, MOST_CRITERIA, MOST_REFS, MOST_LISTED = 200, 50, 500, 100
LINE, TEXT = 2_000, 20_000  # characters
ABOUT = ("schema", "session", "task", "run", "generated_at")  # keys of every file
TASK_ID = expression(r"TASK-[0-9]{3}")
CRITERION_ID = expression(r"(TASK-[0-9]{3})-C[1-9][0-9]?")


@dataclass(frozen=True, slots=True)
class PlannedFile:
    path: str  # below the project
    action: str  # create, modify or delete
    change: str = ""


@dataclass(frozen=True, slots=True)
class Criterion:
    """What must hold when the task is done."""

    id: str  # TASK-001-C1
    text: str
    refs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dependency:
    id: str  # the plan task that must be done before
    source: str = PLANNED  # or overlap: both touch the same files


@dataclass(frozen=True, slots=True)
class TestChange:
    """An existing test that the task may change."""

    __test__ = False  # pytest collects by name

    path: str
    reason: str
    refs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanTask:
    id: str  # TASK-001
    title: str
    description: str = ""
    kind: str = "feature"
    side: str = "backend"
    files: tuple[PlannedFile, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    depends_on: tuple[Dependency, ...] = ()
    refs: tuple[str, ...] = ()  # REQ, NFR, ADR and story ids
    tests_may_change: tuple[TestChange, ...] = ()
    new_dependencies: tuple[str, ...] = ()
    executor: str | None = None  # the agent that is asked first
    size: str = "M"

    @property
    def path(self) -> str:
        """Where the task is kept, below the session's folder."""
        return f"{TASKS}{self.id}.json"

    @property
    def cited(self) -> frozenset[str]:
        """Every id that the task, its criteria and its changed tests refer to."""
        inner = (*(each.refs for each in self.criteria), *(each.refs for each in self.tests_may_change))
        return frozenset((*self.refs, *(name for refs in inner for name in refs)))

    def criteria_of(self, id: str) -> tuple[Criterion, ...]:
        """The criteria about an item that the task refers to; one without references is about all of them."""
        return tuple(each for each in self.criteria if id in (each.refs or self.refs))

    @property
    def digest(self) -> str:
        """Of what is to be done; edges that only shared files cause are no part of it."""
        said = self.as_json()
        said["depends_on"] = [edge for edge in said["depends_on"] if edge["source"] != OVERLAP]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()

    @property
    def waits_for(self) -> tuple[str, ...]:
        return tuple(each.id for each in self.depends_on)

    def as_json(self) -> JsonObject:
        return {
            "id": self.id,
            "title": self.title,
            "description": self.description,
            "kind": self.kind,
            "side": self.side,
            "files": [{"path": f.path, "action": f.action, "change": f.change} for f in self.files],
            "convergence": {
                "criteria": [{"id": c.id, "text": c.text, "refs": list(c.refs)} for c in self.criteria]
            },
            "depends_on": [{"id": d.id, "source": d.source} for d in self.depends_on],
            "refs": list(self.refs),
            "tests_may_change": [
                {"path": t.path, "reason": t.reason, "refs": list(t.refs)} for t in self.tests_may_change
            ],
            "new_dependencies": list(self.new_dependencies),
            "executor": self.executor,
            "size": self.size,
        }


@dataclass(frozen=True, slots=True)
class Complexity:
    """How hard a request is by its words."""

    score: int = 0
    level: str = "Low"  # Low, Medium or High
    words: tuple[str, ...] = ()

    def as_json(self) -> JsonObject:
        return {"score": self.score, "level": self.level, "words": list(self.words)}


@dataclass(frozen=True, slots=True)
class PlanDecision:
    decision: str
    rationale: str = ""
    adr: str | None = None


@dataclass(frozen=True, slots=True)
class Uncovered:
    """A required item that no task carries, with the reason."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    summary: str
    approach: str = ""
    complexity: Complexity = Complexity()
    base_commit: str = ""  # what the work starts from
    spec_digest: str = ""  # of the specification that it was made of
    tasks: tuple[PlanTask, ...] = ()
    decisions: tuple[PlanDecision, ...] = ()
    stack: tuple[str, ...] = ()
    conventions: tuple[str, ...] = ()
    uncovered: tuple[Uncovered, ...] = ()
    test_commands: tuple[str, ...] = ()
    test_report: str | None = None
    executor: str | None = None  # of tasks that name none
    risks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what the base leaves out, and warnings of the checks

    def task(self, id: str) -> PlanTask | None:
        return next((task for task in self.tasks if task.id == id), None)

    def as_json(self) -> JsonObject:
        """The content of plan.json, which names its tasks."""
        return {
            "summary": self.summary,
            "approach": self.approach,
            "complexity": self.complexity.as_json(),
            "base_commit": self.base_commit,
            "spec_digest": self.spec_digest,
            "task_ids": [task.id for task in self.tasks],
            "decisions": [
                {"decision": d.decision, "rationale": d.rationale, "adr": d.adr} for d in self.decisions
            ],
            "shared_context": {"stack": list(self.stack), "conventions": list(self.conventions)},
            "uncovered": [{"id": u.id, "reason": u.reason} for u in self.uncovered],
            "test": {"commands": list(self.test_commands), "report": self.test_report},
            "executor": self.executor,
            "risks": list(self.risks),
            "notes": list(self.notes),
        }


def is_plan_file(path: str) -> bool:
    """Whether a path below the session's folder is one that `read_plan` reads."""
    return path == PLAN or (path.startswith(TASKS) and path.endswith(".json"))


def read_plan(files: Mapping[str, Json]) -> tuple[Plan, list[Fault]]:
    """The plan in these parsed files (path -> JSON), and every fault of its form.

    A fault's place begins with the file's path. Where there is one, the plan has a stand-in. Files of tasks that plan.json
    does not name are those of a plan before it, and not read.
    """
    reader = _PlanReader()
    top = reader.mapping(files.get(PLAN), (PLAN,), (*ABOUT, *Plan("").as_json()))
    if PLAN not in files:
        reader.fault((PLAN,), "is missing")
    named = reader.lines(top, "task_ids", (PLAN,), most=MOST_TASKS)
    listed: list[str] = []
    for index, name in enumerate(named):
        if not TASK_ID.fullmatch(name):
            reader.fault((PLAN, "task_ids", index), f"{name[:40]!r} is no id such as TASK-001")
        elif name in listed:
            reader.fault((PLAN, "task_ids", index), f"{name} is named twice")
        elif f"{TASKS}{name}.json" not in files:
            what = f"{name} has no file {TASKS}{name}.json that the planner made; a task cannot be added by hand: "
            reader.fault((PLAN, "task_ids", index), f'{what}`lifecycle feedback "..."` has it planned')
        else:
            listed.append(name)
    tasks = tuple(reader.task(files[f"{TASKS}{name}.json"], name) for name in listed)
    return reader.plan(top, tasks), reader.faults


class _PlanReader(Reader):
    """Reads the parts of a plan, none longer than its limit."""

    def plan(self, top: JsonObject, tasks: tuple[PlanTask, ...]) -> Plan:
        place: Place = (PLAN,)
        shared = self.mapping(top.get("shared_context"), (*place, "shared_context"), ("stack", "conventions"))
        test = self.mapping(top.get("test"), (*place, "test"), ("commands", "report"))
        scored = self.mapping(top.get("complexity"), (*place, "complexity"), ("score", "level", "words"))
        where: Place = (*place, "complexity")
        return Plan(
            summary=self.line(top, "summary", place, limit=TEXT, needed=True),
            approach=self.line(top, "approach", place, limit=TEXT),
            complexity=Complexity(
                score=int(self.number(scored.get("score", 0), (*where, "score"), 0, 1_000)),
                level=self.choice(scored, "level", where, LEVELS, "Low"),
                words=self.lines(scored, "words", where),
            ),
            base_commit=self.line(top, "base_commit", place),
            spec_digest=self.line(top, "spec_digest", place),
            tasks=tasks,
            decisions=tuple(
                PlanDecision(
                    self.line(each, "decision", at, needed=True),
                    self.line(each, "rationale", at),
                    self.line(each, "adr", at) or None,
                )
                for each, at in self.each(top, "decisions", place, ("decision", "rationale", "adr"))
            ),
            stack=self.lines(shared, "stack", (*place, "shared_context")),
            conventions=self.lines(shared, "conventions", (*place, "shared_context")),
            uncovered=tuple(
                Uncovered(self.line(each, "id", at, needed=True), self.line(each, "reason", at))
                for each, at in self.each(top, "uncovered", place, ("id", "reason"), MOST_REFS)
            ),
            test_commands=self.lines(test, "commands", (*place, "test")),
            test_report=self.line(test, "report", (*place, "test")) or None,
            executor=self.line(top, "executor", place) or None,
            risks=self.lines(top, "risks", place),
            notes=self.lines(top, "notes", place),
        )

    def task(self, value: Json, name: str) -> PlanTask:
        place: Place = (f"{TASKS}{name}.json",)
        given = self.mapping(value, place, (*ABOUT, *PlanTask(name, "").as_json()))
        if given.get("id", name) != name:
            self.fault((*place, "id"), f"is not {name}, as the file's name says")
        goal = self.mapping(given.get("convergence"), (*place, "convergence"), ("criteria",))
        where: Place = (*place, "convergence")
        return PlanTask(
            id=name,
            title=self.line(given, "title", place, needed=True),
            description=self.line(given, "description", place, limit=TEXT),
            kind=self.choice(given, "kind", place, KINDS, "feature"),
            side=self.choice(given, "side", place, SIDES, "backend"),
            files=tuple(
                PlannedFile(
                    self.line(each, "path", at, needed=True),
                    self.choice(each, "action", at, ACTIONS, "modify"),
                    self.line(each, "change", at),
                )
                for each, at in self.each(given, "files", place, ("path", "action", "change"), MOST_FILES)
            ),
            criteria=tuple(
                Criterion(
                    self.criterion_id(each, at, name),
                    self.line(each, "text", at, needed=True),
                    self.lines(each, "refs", at),
                )
                for each, at in self.each(goal, "criteria", where, ("id", "text", "refs"), MOST_CRITERIA)
            ),
            depends_on=tuple(
                Dependency(
                    self.line(each, "id", at, needed=True),
                    self.choice(each, "source", at, (PLANNED, OVERLAP), PLANNED),
                )
                for each, at in self.each(given, "depends_on", place, ("id", "source"))
            ),
            refs=self.lines(given, "refs", place, most=MOST_REFS),
            tests_may_change=tuple(
                TestChange(
                    self.line(each, "path", at, needed=True),
                    self.line(each, "reason", at),
                    self.lines(each, "refs", at),
                )
                for each, at in self.each(given, "tests_may_change", place, ("path", "reason", "refs"))
            ),
            new_dependencies=self.lines(given, "new_dependencies", place),
            executor=self.line(given, "executor", place) or None,
            size=self.choice(given, "size", place, SIZES, "M"),
        )

    def criterion_id(self, given: JsonObject, place: Place, task: str) -> str:
        found = self.line(given, "id", place, needed=True)
        match = CRITERION_ID.fullmatch(found)
        if found and (match is None or match[1] != task):
            self.fault((*place, "id"), f"{found[:40]!r} is no id such as {task}-C1")
        return found

    def line(
        self, given: JsonObject, key: str, place: Place, *, limit: int = LINE, needed: bool = False
    ) -> str:
        """The text of a key; none is empty, and a fault where it is `needed`."""
        value = given.get(key)
        if value is None or value == "":
            if needed:
                self.fault((*place, key), "is missing")
            return ""
        found = self.text(value, (*place, key))
        if len(found) > limit:
            self.fault((*place, key), f"has {len(found)} characters, at most {limit} are allowed")
        return found.strip()[:limit]

    def lines(self, given: JsonObject, key: str, place: Place, *, most: int = MOST_LISTED) -> tuple[str, ...]:
        """The texts of a list."""
        return tuple(
            self._entry(value, (*place, key, index))
            for index, value in enumerate(self.bounded(given, key, place, most))
        )

    def _entry(self, value: Json, place: Place) -> str:
        found = self.text(value, place)
        if len(found) > LINE:
            self.fault(place, f"has {len(found)} characters, at most {LINE} are allowed")
        return found.strip()[:LINE]

    def each(
        self, given: JsonObject, key: str, place: Place, known: Sequence[str], most: int = MOST_LISTED
    ) -> list[tuple[JsonObject, Place]]:
        """The mappings of a list, with `known` keys, each with its place."""
        places: list[Place] = [(*place, key, index) for index in range(most)]
        listed = self.bounded(given, key, place, most)
        return [(self.mapping(value, at, known), at) for value, at in zip(listed, places, strict=False)]

    def bounded(self, given: JsonObject, key: str, place: Place, most: int) -> Sequence[Json]:
        value = given.get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.texts(value, (*place, key))  # says what it is
            return ()
        if len(value) > most:
            self.fault((*place, key), f"has {len(value)} entries, at most {most} are allowed")
        return value[:most]

    def choice(self, given: JsonObject, key: str, place: Place, known: Sequence[str], default: str) -> str:
        found = self.line(given, key, place)
        if not found:
            return default
        return found if self.known(key, found, known, (*place, key)) else default
