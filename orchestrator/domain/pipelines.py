"""What a session is made of (roles, rounds, perspectives, gates, pipelines) and how a mode becomes tasks.

A `Pack` is the whole configuration of the rules, read from YAML by `orchestrator.domain.packs`. `expand`
turns one of its pipelines into the tasks of a session. A session keeps the snapshot it was started with, so
that a changed, renamed or deleted pipeline never changes a session that runs (docs/domain.md, sections 2, 3, 8, 11).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias, TypeVar, cast

from orchestrator.domain import ids
from orchestrator.domain.analysis import AnalysisRules, Viewpoint, of_perspectives
from orchestrator.domain.dataclass import asdict, dataclass, field, replace
from orchestrator.domain.documents import Catalogue, DocumentDef, Section
from orchestrator.domain.dynamic import KIND, Capability, DynamicRules
from orchestrator.domain.errors import UnknownName
from orchestrator.domain.graph import topological
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import TaskDef

Flat: TypeAlias = (
    "Capability | DocumentDef | Section | TaskDef | Role | Perspective | Round"
    " | Gates | Supervision | Viewpoint"
)
T = TypeVar("T", bound=Flat)
SNAPSHOT = 2  # the form of `to_snapshot`; config/snapshots.py brings older ones to it
DiscussForm = Literal["inline", "standalone", "off"]


@dataclass(frozen=True, slots=True)
class Role:
    name: str
    kind: str
    prefixes: tuple[str, ...] = ()
    inner_loop: bool = False  # one worker does the role's consecutive tasks
    installed: bool = False  # False: the role's work is not built yet
    agents: tuple[str, ...] = ()  # in the order in which they are tried
    instructions: str | None = None  # file below the configuration folder
    may: tuple[str, ...] = ()
    may_not: tuple[str, ...] = ()
    works: Mapping[str, str] = field(
        default_factory=dict
    )  # of a generated role: prefix -> what makes its result

    def order_in(self, orders: Mapping[str, Sequence[str]]) -> Sequence[str]:
        """Its agents by `[roles]` of the settings, empty where these have none: generated roles share an entry."""
        return orders.get(self.name) or (orders.get(KIND, ()) if self.kind == KIND else ())


@dataclass(frozen=True, slots=True)
class Perspective:
    name: str
    label: str  # speaks as
    focus: tuple[str, ...]
    agents: tuple[str, ...]  # the first agent, then its fallback chain


@dataclass(frozen=True, slots=True)
class Round:
    key: str
    after: str  # the task whose artifact is criticised
    artifact: str  # path below the session directory
    perspectives: tuple[str, ...]
    focus: str
    caller: str  # role
    signs_off: bool = False  # blocked HIGH: a person decides, nothing is revised


@dataclass(frozen=True, slots=True)
class Gates:
    """Thresholds of discussions and of the specification's score; scores and shares in percent."""

    weights: Mapping[str, float]  # dimension -> percent, together 100
    consensus_threshold: float = 3.0  # mean rating, 1 to 5
    pass_score: float = 80
    pass_coverage: float = 70
    pass_given: float = 50  # share of goals and requirements that somebody stated
    pass_answers: float = 3  # of the five questions of domain/basis.py
    fail_score: float = 60
    fail_coverage: float = 50
    improve_target: float = 80
    substance_chars: int = 100
    substance_cjk: int = 40
    trace_overlap: float = 30
    coverage_overlap: float = 40
    broken_link_penalty: float = 10
    spelling_penalty: float = 5
    style_penalty: float = 2
    error_penalty: float = 10


@dataclass(frozen=True, slots=True)
class Supervision:
    """A check of several documents against each other, behind the task `after`."""

    key: str
    after: str
    compares: str = ""


@dataclass(frozen=True, slots=True)
class PipelineDef:
    """One pipeline as a pack states it: its parts are joined, its roles found, its graph checked."""

    name: str
    tasks: tuple[TaskDef, ...] = ()
    title: str = ""
    needs_spec: bool = False
    built_at_start: bool = False  # its tasks follow from the request
    id_prefix: str = "TLS"  # first letters of its sessions' ids
    perspectives: int = 0  # an analysis: from how many perspectives at most, by the words of its request
    directed: bool = False  # an analysis whose next round a person directs

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles it needs, in order of their first task."""
        return tuple(dict.fromkeys(task.role for task in self.tasks))


@dataclass(frozen=True, slots=True)
class Pack:
    roles: Mapping[str, Role]
    perspectives: Mapping[str, Perspective]
    rounds: Mapping[str, Round]
    pipelines: Mapping[str, PipelineDef]
    gates: Gates
    supervise: tuple[Supervision, ...] = ()
    modes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # words that choose a mode
    documents: Catalogue = field(default_factory=Catalogue)
    analysis: AnalysisRules = field(default_factory=AnalysisRules)
    dynamic: DynamicRules = field(default_factory=DynamicRules)

    @property
    def owners(self) -> dict[str, str]:
        """Prefix -> role."""
        return {prefix: role.name for role in self.roles.values() for prefix in role.prefixes}

    def role_of(self, prefix: str) -> Role:
        """The role of a prefix or a task key. Raises UnknownName, which lists the known prefixes."""
        owners = self.owners
        if prefix in owners:
            return self.roles[owners[prefix]]
        if ids.is_key(prefix):
            return self.roles[ids.role_of(prefix, owners)]
        raise UnknownName("task prefix", prefix, sorted(owners))

    @property
    def installed(self) -> frozenset[str]:
        return frozenset(role.name for role in self.roles.values() if role.installed)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The tasks of a session before it is made, blockers before what they block."""

    mode: str
    tasks: tuple[TaskDef, ...]
    id_prefix: str = "TLS"
    discuss: DiscussForm = "inline"

    @property
    def checkpoint_after(self) -> str | None:
        """The first task after which the session pauses for a person."""
        return next((task.key for task in self.tasks if task.checkpoint_after), None)


def expand(
    pack: Pack,
    mode: str,
    discuss: DiscussForm = "inline",
    supervise: bool = False,
    perspectives: Sequence[str] = (),
) -> Pipeline:
    """The tasks of a mode. `standalone` gives each round a task of its own, `off` leaves the rounds out.

    `perspectives`: those of an analysis; without any it stays as the pack writes it.
    """
    if mode not in pack.pipelines:
        raise UnknownName("mode", mode, pack.pipelines)
    if discuss not in _DISCUSS:
        raise UnknownName("discuss form", discuss, _DISCUSS)
    pipeline = pack.pipelines[mode]
    tasks = _DISCUSS[discuss](pack, pipeline.tasks)
    if pipeline.perspectives and perspectives:
        tasks = of_perspectives(tasks, perspectives, directed=pipeline.directed)
    if supervise:
        tasks = _supervised(pack, tasks)
    return Pipeline(mode, topological(tasks), pipeline.id_prefix, discuss)


def _inline(_: Pack, tasks: Sequence[TaskDef]) -> Sequence[TaskDef]:
    return tasks


def _without_rounds(_: Pack, tasks: Sequence[TaskDef]) -> Sequence[TaskDef]:
    return [replace(task, round=None) for task in tasks]


def _standalone(pack: Pack, tasks: Sequence[TaskDef]) -> Sequence[TaskDef]:
    """Each round becomes a task between the one it criticises and that one's successors."""
    role = pack.role_of("DISCUSS")
    for task in [task for task in tasks if task.round]:
        round_key = cast(str, task.round)
        payload: dict[str, object] = {"discusses": task.key}
        # The round stays on the discussion's own task: it names the artifact and the perspectives.
        step = TaskDef(round_key, role.name, "DISCUSS", round=round_key, phase=task.phase, payload=payload)
        tasks = _behind([replace(t, round=None) if t.key == task.key else t for t in tasks], task.key, step)
    return tasks


def _supervised(pack: Pack, tasks: Sequence[TaskDef]) -> Sequence[TaskDef]:
    for check in pack.supervise:
        discussed = next((t.key for t in tasks if t.payload.get("discusses") == check.after), None)
        after = discussed or check.after
        phase = next((task.phase for task in tasks if task.key == after), None)
        if phase is not None:
            role = pack.role_of(check.key)
            prefix = ids.prefix_of(check.key, role.prefixes)
            step = TaskDef(check.key, role.name, prefix, phase=phase, payload={"compares": check.compares})
            tasks = _behind(tasks, after, step)
    return tasks


def _behind(tasks: Iterable[TaskDef], key: str, step: TaskDef) -> list[TaskDef]:
    """Put `step` between `key` and whatever waits for it; a checkpoint moves to the new end."""
    result: list[TaskDef] = []
    for task in tasks:
        blockers = tuple(step.key if blocker == key else blocker for blocker in task.blocked_by)
        task = replace(task, blocked_by=blockers)
        if task.key != key:
            result.append(task)
            continue
        result.append(replace(task, checkpoint_after=False))
        result.append(replace(step, blocked_by=(key,), checkpoint_after=task.checkpoint_after))
    return result


def with_perspectives(pack: Pack, names: Sequence[str]) -> Pack:
    """The pack with every round criticised from `names` instead of its own perspectives."""
    for name in names:
        if name not in pack.perspectives:
            raise UnknownName("perspective", name, pack.perspectives)
    chosen = tuple(dict.fromkeys(names))
    return replace(pack, rounds={key: replace(r, perspectives=chosen) for key, r in pack.rounds.items()})


def with_agents(
    pack: Pack, roles: Mapping[str, Sequence[str]], perspectives: Mapping[str, Sequence[str]]
) -> Pack:
    """The pack with other agents, in order, for the named roles and perspectives."""
    for name in roles:
        if name not in pack.roles:
            raise UnknownName("role", name, pack.roles)
    for name in perspectives:
        if name not in pack.perspectives:
            raise UnknownName("perspective", name, pack.perspectives)
    new_roles = {n: replace(r, agents=tuple(roles.get(n, r.agents))) for n, r in pack.roles.items()}
    new_views = {
        n: replace(p, agents=tuple(perspectives.get(n, p.agents))) for n, p in pack.perspectives.items()
    }
    return replace(pack, roles=new_roles, perspectives=new_views)


def to_snapshot(pack: Pack, pipeline: Pipeline) -> JsonObject:
    """What a session keeps of the pack it was started with, as JSON-able values."""
    kept = asdict(replace(pack, pipelines={}, modes={}))
    return {"version": SNAPSHOT, "pipeline": asdict(pipeline), **kept}


def from_snapshot(data: Mapping[str, Json]) -> tuple[Pack, Pipeline]:
    """The pack and the pipeline a session was started with; the pack knows no other pipeline."""
    made = data["pipeline"]
    tasks = tuple(_thaw(TaskDef, task) for task in made["tasks"])
    pipeline = Pipeline(made["mode"], tasks, made["id_prefix"], made["discuss"])
    kept = PipelineDef(pipeline.mode, tasks, id_prefix=pipeline.id_prefix)
    pack = Pack(
        roles={name: _thaw(Role, role) for name, role in data["roles"].items()},
        perspectives={name: _thaw(Perspective, view) for name, view in data["perspectives"].items()},
        rounds={key: _thaw(Round, round_) for key, round_ in data["rounds"].items()},
        pipelines={pipeline.mode: kept},
        gates=_thaw(Gates, data["gates"]),
        supervise=tuple(_thaw(Supervision, check) for check in data["supervise"]),
        documents=_documents(data["documents"]["documents"]),
        analysis=_analysis(data.get("analysis", {})),
        dynamic=_dynamic(data.get("dynamic", {})),
    )
    return pack, pipeline


def _analysis(data: Mapping[str, Json]) -> AnalysisRules:
    views = {name: _thaw(Viewpoint, each) for name, each in data.get("perspectives", {}).items()}
    return AnalysisRules(views, {name: tuple(words) for name, words in data.get("directions", {}).items()})


def _dynamic(data: Mapping[str, Json]) -> DynamicRules:
    known = {name: _thaw(Capability, each) for name, each in data.get("capabilities", {}).items()}
    return DynamicRules(known, {name: tuple(words) for name, words in data.get("changes", {}).items()})


def _documents(data: Mapping[str, Json]) -> Catalogue:
    read = {kind: _thaw(DocumentDef, document) for kind, document in data.items()}
    thawed = {kind: tuple(_thaw(Section, each) for each in data[kind]["sections"]) for kind in data}
    return Catalogue({kind: replace(document, sections=thawed[kind]) for kind, document in read.items()})


def _thaw(cls: type[T], data: Mapping[str, Json]) -> T:
    """A value of one of the `Flat` classes: JSON's lists are tuples again, `payload` stays as it is."""
    known = cls.__dataclass_fields__
    given = {key: value for key, value in data.items() if key in known}
    for key, value in given.items():
        if type(value) in (list, dict) and key != "payload":  # of the fields of thousands of tasks, few are
            given[key] = _tuples(value)
    return cls(**given)


def _tuples(value: Json) -> Json:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return value


_DISCUSS = {"inline": _inline, "standalone": _standalone, "off": _without_rounds}
