"""One file a role. A role says what a task makes; the runtime takes it through the five phases.

A role's module offers `produce(context, calls) -> Produced`; which module serves a role stands at the end of this file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from orchestrator.domain import dynamic
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import UnknownName
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.pipelines import Pack
from orchestrator.door.desk import Landing, Link, Run, Verdict


@dataclass(frozen=True, slots=True)
class Produced:
    """What a task made. `note` is what the runtime keeps of it in the database, to find it again after a death."""

    files: Mapping[str, tuple[bytes, str]]  # path below the session directory -> (bytes, kind)
    artifact: str  # the path that is discussed and referred to
    summary: str
    message_type: str
    agent: str
    key_decisions: Sequence[str] = ()
    notes: Sequence[str] = ()  # what was cut, repaired or left out
    wisdom: Sequence[tuple[str, str]] = ()
    changed: Sequence[str] | None = None  # what a revision changed, a line each; None for a first version
    gate: Mapping[str, Json] | None = None
    shared: Json = None
    fan_out: JsonObject | None = None  # the tasks of a plan
    landing: Landing | None = None  # what becomes the head with the report
    links: Sequence[Link] = ()
    verdict: Verdict | None = None
    blocked: JsonObject | None = None  # why a person has to decide before the session goes on: a supervision
    gaps: Sequence[JsonObject] = ()  # work that is nobody's yet, as a generated role found it
    relanded: Callable[[], Produced] | None = None  # what to report where the head has moved meanwhile
    after: Callable[[], object] | None = None  # what follows the report: refs

    @property
    def note(self) -> JsonObject:
        return {
            "artifact": self.artifact,
            "summary": self.summary,
            "message_type": self.message_type,
            "agent": self.agent,
            "key_decisions": list(self.key_decisions),
            "notes": list(self.notes),
            "wisdom": [list(entry) for entry in self.wisdom],
            "changed": None if self.changed is None else list(self.changed),
            "gate": self.gate,
            "shared": self.shared,
            "fan_out": self.fan_out,
            "blocked": self.blocked,
            "gaps": list(self.gaps),
            "links": [list(link) for link in self.links],
            "verdict": None
            if self.verdict is None
            else {"kind": self.verdict.kind, "data": self.verdict.data},
        }

    @classmethod
    def again(cls, files: Mapping[str, tuple[bytes, str]], note: Mapping[str, Json]) -> Produced:
        """What an earlier run of the same task with the same input had produced."""
        wisdom = [(file, text) for file, text in note["wisdom"]]
        given = note.get("verdict")
        verdict = None if given is None else Verdict(given["kind"], given["data"])
        links = tuple(Link(*link) for link in note.get("links", ()))
        return cls(files=files, **{**note, "wisdom": wisdom, "verdict": verdict, "links": links})


def work_of(pack: Pack, row: Run) -> str:
    """Who does a task's work: the built role itself, or what a generated one has for its prefix."""
    role = pack.roles.get(row.role)
    work = role.works.get(row.prefix) if role is not None else None
    return row.role if work is None else LIKE.get(work, work)


def produce_for(role: str) -> Callable[..., Produced]:
    """The function that does a role's work. Raises UnknownName, which lists the roles that are built."""
    import importlib

    known = {**MODULES, **RESULTS}
    if role not in known:
        raise UnknownName("role", role, sorted(known))
    found: Callable[..., Produced] = importlib.import_module(known[role]).produce
    return found


MODULES = {
    "analyst": "workers.roles.analyst",
    "writer": "workers.roles.writer",
    "reviewer": "workers.roles.reviewer",
    "discussant": "workers.roles.discussant",
    "executor": "workers.roles.executor",
    "tester": "workers.roles.tester",
    "fe-developer": "workers.roles.frontend_developer",
    "fe-qa": "workers.roles.frontend_audit_task",
    "planner": "workers.roles.planner",
    "explorer": "workers.roles.explorer",
    "synthesizer": "workers.roles.synthesizer",
    "architect": "workers.roles.architect",
    "supervisor": "workers.roles.supervisor",
}
RESULTS = {  # of generated roles alone
    dynamic.FINDINGS: "workers.roles.project_findings",
    dynamic.DOCUMENT: "workers.roles.team_document",
}
LIKE = {dynamic.PLAN: "planner", dynamic.CODE: "executor", dynamic.TESTS: "tester"}  # whose work it is else
SERVED = tuple(sorted({*MODULES, *dynamic.ROLES}))  # roles whose tasks a host takes

LANDING = frozenset(
    {"executor", "tester", "fe-developer"}
)  # they find by themselves what an earlier run left, in the session's store
