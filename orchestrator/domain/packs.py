"""Reading a pack from plain YAML values: every fault is found, none stops the others from being found.

A fault names its place as a path of keys and indices; who read the file turns that into a file and a line.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from orchestrator.domain import ids
from orchestrator.domain.agent_kinds import BUILTIN, with_others
from orchestrator.domain.analysis import MOST_NAMED, AnalysisRules, RoundType, Viewpoint
from orchestrator.domain.dataclass import fields, replace
from orchestrator.domain.documents import DIMENSIONS
from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.graph import TASK_LIMIT, Fault, Place, graph_faults, topological
from orchestrator.domain.json_types import Json
from orchestrator.domain.model import TaskDef
from orchestrator.domain.pipelines import (
    Gates,
    Pack,
    Perspective,
    PipelineDef,
    Role,
    Round,
    Supervision,
)
from orchestrator.domain.plain_values import Reader, found
from orchestrator.domain.read_documents import read_documents
from orchestrator.domain.read_dynamic import read_dynamic

ID_PREFIXES = ("TLS", "UAN", "TC")


def read_pack(data: Mapping[str, Json], templates: Mapping[str, str]) -> tuple[Pack, list[Fault]]:
    """The pack and all faults of its form; where there is one the pack has a stand-in.

    `templates`: the texts of the templates that packs have for documents, by kind.
    """
    reader = Reader()
    top = reader.mapping(data, (), _TOP)
    roles = _roles(reader, top)
    perspectives = _perspectives(reader, top)
    rounds = _rounds(reader, top, perspectives, roles)
    documents = read_documents(reader, reader.entries(top, "documents"), templates)
    pipelines = _Pipelines(reader, roles, rounds, top).read()
    pack = Pack(
        roles=roles,
        perspectives=perspectives,
        rounds=rounds,
        pipelines=pipelines,
        gates=_gates(reader, top),
        supervise=_supervise(reader, top, roles),
        modes=_modes(reader, top),
        documents=documents,
        analysis=_analysis(reader, top),
        dynamic=read_dynamic(reader, reader.entries(top, "dynamic"), perspectives),
    )
    return pack, reader.faults


def _roles(reader: Reader, top: Mapping[str, Json]) -> dict[str, Role]:
    roles: dict[str, Role] = {}
    owners: dict[str, str] = {}
    for name, raw in reader.entries(top, "roles").items():
        place: Place = ("roles", name)
        given = reader.mapping(raw, place, _names(Role))
        role = Role(name=name, kind=reader.text(given.get("kind"), (*place, "kind")))
        for key in ("prefixes", "agents", "may", "may_not"):
            if key in given:
                role = replace(role, **{key: reader.texts(given[key], (*place, key))})  # type: ignore[arg-type]
        role = replace(role, agents=tuple(with_others(role.agents)))
        for key in ("inner_loop", "installed"):
            if key in given:
                role = replace(role, **{key: reader.flag(given[key], (*place, key))})  # type: ignore[arg-type]
        if given.get("instructions") is not None:
            path = reader.text(given["instructions"], (*place, "instructions"))
            role = replace(role, instructions=path)
            if path.startswith(("/", "~")) or ".." in path.split("/"):
                reader.fault((*place, "instructions"), "must be a file below the configuration folder")
        for index, prefix in enumerate(role.prefixes):
            where: Place = (*place, "prefixes", index)
            if not ids.is_key(f"{prefix}-001") or prefix != ids.parse_key(f"{prefix}-001").stem:
                reader.fault(
                    where, f"{ids.shown(prefix)} is not a task prefix: use upper case letters and hyphens"
                )
            elif prefix in owners:
                reader.fault(where, f"prefix {prefix!r} already belongs to role {owners[prefix]!r}")
            owners.setdefault(prefix, name)
        roles[name] = role
    return roles


def _perspectives(reader: Reader, top: Mapping[str, Json]) -> dict[str, Perspective]:
    chains = {
        agent: reader.texts(chain, ("fallback", agent))
        for agent, chain in reader.entries(top, "fallback").items()
    }
    result: dict[str, Perspective] = {}
    for name, raw in reader.entries(top, "perspectives").items():
        place: Place = ("perspectives", name)
        given = reader.mapping(raw, place, ("agent", "label", "focus"))
        agent = reader.text(given.get("agent"), (*place, "agent"))
        result[name] = Perspective(
            name=name,
            label=reader.text(given.get("label"), (*place, "label")),
            focus=reader.texts(given.get("focus"), (*place, "focus")),
            agents=tuple(dict.fromkeys((*with_others((agent, *chains.get(agent, ()))), BUILTIN))),
        )
    return result


def _rounds(
    reader: Reader,
    top: Mapping[str, Json],
    perspectives: Collection[str],
    roles: Collection[str],
) -> dict[str, Round]:
    result: dict[str, Round] = {}
    for key, raw in reader.entries(top, "rounds").items():
        place: Place = ("rounds", key)
        given = reader.mapping(raw, place, _names(Round))
        if not ids.is_key(key) or ids.parse_key(key).stem != "DISCUSS":
            reader.fault(place, f"{ids.shown(key)} is not a round: an example is DISCUSS-001")
        texts = {name: reader.text(given.get(name), (*place, name)) for name in _ROUND_TEXTS}
        views = reader.texts(given.get("perspectives"), (*place, "perspectives"))
        if views == () and given.get("perspectives") == []:
            reader.fault((*place, "perspectives"), "a round needs at least one perspective")
        for index, name in enumerate(views):
            reader.known("perspective", name, perspectives, (*place, "perspectives", index))
        reader.known("role", texts["caller"], roles, (*place, "caller"))
        path = texts["artifact"]
        if path.startswith(("/", "~")) or ".." in path.split("/"):
            reader.fault((*place, "artifact"), "must be a path below the session directory")
        signs_off = "signs_off" in given and reader.flag(given["signs_off"], (*place, "signs_off"))
        result[key] = Round(key=key, perspectives=views, signs_off=signs_off, **texts)
    return result


def _gates(reader: Reader, top: Mapping[str, Json]) -> Gates:
    before = len(reader.faults)
    given = reader.mapping(top.get("gates"), ("gates",), _names(Gates, leave_out=()))
    weights = {
        name: reader.number(value, ("gates", "weights", name), 0, 100)
        for name, value in reader.mapping(given.get("weights"), ("gates", "weights"), DIMENSIONS).items()
    }
    for dimension in DIMENSIONS:
        if dimension not in weights:
            reader.fault(("gates", "weights"), f"the weight of {dimension} is missing")
    if len(reader.faults) == before and not math.isclose(sum(weights.values()), 100):
        reader.fault(
            ("gates", "weights"), f"weights must add up to 100, these make {sum(weights.values()):g}"
        )
    numbers = {
        name: reader.number(given[name], ("gates", name), *_RANGES.get(name, (0, 100)))
        for name in _names(Gates, leave_out=("weights",))
        if name in given
    }
    gates = Gates(weights=weights, **numbers)  # type: ignore[arg-type]
    for better, worse in (("pass_score", "fail_score"), ("pass_coverage", "fail_coverage")):
        if len(reader.faults) == before and getattr(gates, better) < getattr(gates, worse):
            reader.fault(("gates", better), f"must not be below {worse}")
    return gates


def _supervise(reader: Reader, top: Mapping[str, Json], roles: Mapping[str, Role]) -> tuple[Supervision, ...]:
    raw = top.get("supervise")
    if raw is None:
        return ()
    if not isinstance(raw, list):
        reader.fault(("supervise",), f"expected a list, found {found(raw)}")
        return ()
    result: list[Supervision] = []
    owners = _owners(roles)
    for index, item in enumerate(raw):
        place: Place = ("supervise", index)
        given = reader.mapping(item, place, _names(Supervision, leave_out=()))
        key = _key(reader, given.get("key"), (*place, "key"))
        after = _key(reader, given.get("after"), (*place, "after"))
        if key:
            _owner(reader, key, owners, (*place, "key"))
        result.append(Supervision(key, after, str(given.get("compares", ""))))
    return tuple(result)


def _modes(reader: Reader, top: Mapping[str, Json]) -> dict[str, tuple[str, ...]]:
    entries = reader.mapping(top.get("modes"), ("modes",), _MODE_WORDS)
    return {name: reader.texts(words, ("modes", name)) for name, words in entries.items()}


def _analysis(reader: Reader, top: Mapping[str, Json]) -> AnalysisRules:
    given = reader.mapping(top.get("analysis"), ("analysis",), ("perspectives", "directions"))
    views: dict[str, Viewpoint] = {}
    for name, raw in reader.mapping(given.get("perspectives"), ("analysis", "perspectives")).items():
        place: Place = ("analysis", "perspectives", name)
        each = reader.mapping(raw, place, _names(Viewpoint))
        views[name] = Viewpoint(
            label=reader.text(each.get("label"), (*place, "label")),
            angle=reader.text(each.get("angle"), (*place, "angle")),
            words=reader.texts(each.get("words", []), (*place, "words")),
            usual="usual" in each and reader.flag(each["usual"], (*place, "usual")),
        )
    kinds = [kind.value for kind in RoundType if kind is not RoundType.INITIAL]
    directions = reader.mapping(given.get("directions"), ("analysis", "directions"), kinds)
    words = {n: reader.texts(said, ("analysis", "directions", n)) for n, said in directions.items()}
    return AnalysisRules(views, words)


class _Pipelines:
    """Reads the pipelines, joins their parts, and checks each one's graph."""

    def __init__(
        self, reader: Reader, roles: Mapping[str, Role], rounds: Collection[str], top: Mapping[str, Json]
    ) -> None:
        self.reader = reader
        self.owners = _owners(roles)
        self.roles = roles
        self.rounds = rounds
        self.given = reader.entries(top, "pipelines")
        self.whole = True  # no task of the pipeline had to be left out
        self.done: dict[str, PipelineDef] = {}
        self.open: list[str] = []  # pipelines whose parts are being joined, outermost first

    def read(self) -> dict[str, PipelineDef]:
        for name in self.given:
            self.pipeline(name)
        return {name: self.done[name] for name in self.given}

    def pipeline(self, name: str) -> PipelineDef:
        if name not in self.done:
            self.open.append(name)
            self.done[name] = self._pipeline(name, ("pipelines", name))
            self.open.pop()
        return self.done[name]

    def _pipeline(self, name: str, place: Place) -> PipelineDef:
        reader = self.reader
        given = reader.mapping(self.given[name], place, _PIPELINE_KEYS)
        flags = {k: reader.flag(given[k], (*place, k)) for k in _PIPELINE_FLAGS if k in given}
        id_prefix = given.get("id_prefix", "TLS")
        if id_prefix not in ID_PREFIXES:
            reader.fault((*place, "id_prefix"), f"must be one of {', '.join(ID_PREFIXES)}")
            id_prefix = "TLS"
        checkpoint = flags.pop("checkpoint", False)
        phase = reader.text(given.get("phase", "spec"), (*place, "phase"), "spec")
        self.whole = True
        if "tasks" in given and "parts" in given:
            reader.fault(place, "has both tasks and parts; give one of them")
        if "parts" in given:
            tasks = self._joined(given["parts"], (*place, "parts"), checkpoint)
        else:
            tasks = self._tasks(given.get("tasks", []), (*place, "tasks"), phase)
        self._rounds_once(tasks, place)
        if not flags.get("built_at_start", False) and self.whole:
            for fault in graph_faults(tasks):
                reader.fault((*place, *fault.place), fault.text)
        title = reader.text(given.get("title", name), (*place, "title"))
        most = reader.number(given.get("perspectives", 0), (*place, "perspectives"), 0, MOST_NAMED)
        return PipelineDef(
            name, topological(tasks), title, id_prefix=id_prefix, perspectives=int(most), **flags
        )

    def _rounds_once(self, tasks: list[TaskDef], place: Place) -> None:
        """A round is one task of the standalone form, so one pipeline can name it once only."""
        first: dict[str, str] = {}
        for task in tasks:
            if task.round and first.setdefault(task.round, task.key) != task.key:
                self.reader.fault(
                    place, f"{task.round} is the round of {first[task.round]} and of {task.key}"
                )

    def _joined(self, raw: object, place: Place, checkpoint: bool) -> list[TaskDef]:
        joined: list[TaskDef] = []
        for index, part in enumerate(self.reader.texts(raw, place)):
            where: Place = (*place, index)
            if not self.reader.known("pipeline", part, self.given, where):
                self.whole = False
                continue
            if part in self.open:
                self.reader.fault(where, f"cycle: {' > '.join([*self.open, part])}")
                self.whole = False
                continue
            tasks = self.pipeline(part).tasks
            if joined:
                blocked = {blocker for task in joined for blocker in task.blocked_by}
                ends = tuple(task.key for task in joined if task.key not in blocked)
                joined = [
                    replace(t, checkpoint_after=True) if checkpoint and t.key in ends else t for t in joined
                ]
                tasks = tuple(t if t.blocked_by else replace(t, blocked_by=ends) for t in tasks)
            joined.extend(tasks)
        return joined

    def _tasks(self, raw: object, place: Place, phase: str) -> list[TaskDef]:
        if not isinstance(raw, list):
            self.reader.fault(place, f"expected a list, found {found(raw)}")
            self.whole = False
            return []
        if len(raw) > TASK_LIMIT:
            self.reader.fault(place, f"has {len(raw)} tasks; at most {TASK_LIMIT} are allowed")
            self.whole = False
            return []
        read = (self._task(item, (*place, index), phase) for index, item in enumerate(raw))
        return [task for task in read if task is not None]

    def _task(self, raw: object, place: Place, phase: str) -> TaskDef | None:
        reader = self.reader
        given = reader.mapping(raw, place, _TASK_KEYS)
        key = _key(reader, given.get("key"), (*place, "key"))
        blockers = reader.texts(given.get("blocked_by", []), (*place, "blocked_by"))
        round_key = given.get("round")
        if round_key is not None:
            round_key = reader.text(round_key, (*place, "round"))
            reader.known("round", round_key, self.rounds, (*place, "round"))
        checkpoint = "checkpoint_after" in given and reader.flag(
            given["checkpoint_after"], (*place, "checkpoint_after")
        )
        payload = reader.mapping(given.get("payload"), (*place, "payload"), _PAYLOAD_KEYS)
        if "feedback" in payload:
            payload["feedback"] = list(reader.texts(payload["feedback"], (*place, "payload", "feedback")))
        if not key:
            self.whole = False
            return None
        role, prefix = _owner(reader, key, self.owners, (*place, "key")) or ("", "")
        if "role" in given and role:
            stated = reader.text(given["role"], (*place, "role"))
            if reader.known("role", stated, self.roles, (*place, "role")) and stated != role:
                reader.fault((*place, "role"), f"prefix {prefix!r} belongs to role {role!r}")
        phase = reader.text(given.get("phase", phase), (*place, "phase"))
        return TaskDef(key, role, prefix, blockers, round_key, phase, checkpoint, payload)


def _key(reader: Reader, value: object, place: Place) -> str:
    key = reader.text(value, place)
    if key and (not ids.is_key(key) or ids.parse_key(key).revision):
        reader.fault(place, f"{ids.shown(key)} is not a task id: examples are DRAFT-002 or IMPROVE-depth-001")
        return ""
    return key


def _owner(reader: Reader, key: str, owners: Mapping[str, str], place: Place) -> tuple[str, str] | None:
    try:
        prefix = ids.prefix_of(key, owners)
    except LifecycleError as error:
        reader.fault(place, f"unknown role: {error.what}; {error.why}")
        return None
    return owners[prefix], prefix


def _owners(roles: Mapping[str, Role]) -> dict[str, str]:
    return {prefix: role.name for role in roles.values() for prefix in role.prefixes}


def _names(
    cls: type[Role | Round | Gates | Supervision | Viewpoint], leave_out: Collection[str] = ("name", "key")
) -> tuple[str, ...]:
    return tuple(f.name for f in fields(cls) if f.name not in leave_out)


_TOP = (
    "extends",
    "roles",
    "fallback",
    "perspectives",
    "rounds",
    "gates",
    "pipelines",
    "supervise",
    "modes",
    "documents",
    "analysis",
    "dynamic",
)
_ROUND_TEXTS = ("after", "artifact", "focus", "caller")
_RANGES = {
    "consensus_threshold": (1, 5),
    "substance_chars": (0, 10_000),
    "substance_cjk": (0, 10_000),
    "pass_answers": (0, 5),
}
_MODE_WORDS = ("frontend", "backend", "analyze", "make", "spec", "quick", "deep")
_PIPELINE_KEYS = (
    "title",
    "tasks",
    "parts",
    "phase",
    "checkpoint",
    "needs_spec",
    "built_at_start",
    "id_prefix",
    "perspectives",
    "directed",
)
_PIPELINE_FLAGS = ("checkpoint", "needs_spec", "built_at_start", "directed")
_PAYLOAD_KEYS = ("feedback",)  # words that a document answers; the rest of an input is the program's own
_TASK_KEYS = ("key", "role", "round", "blocked_by", "phase", "checkpoint_after", "payload")
