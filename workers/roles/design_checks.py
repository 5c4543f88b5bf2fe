"""An architect's concerns by rule: circles of imports, imports against the layers, tasks of many files, new dependencies,
and what contradicts the specification. Each names the lines that show it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from orchestrator.domain.concerns import HIGH, LOW, MEDIUM, Concern, Place
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.plan import Plan, PlanTask
from orchestrator.domain.plan_checks import MANY_FILES
from workers.documents.content import Architecture, Brief
from workers.documents.labels import labels
from workers.documents.lint.comparing import Carriers, covers, is_negative
from workers.documents.lint.meaning import TWIN, difference, likeness_apart
from workers.documents.lint.rules import short
from workers.documents.lint.specification import Specification
from workers.evidence.declared import plain_name
from workers.evidence.module_graph import Graph, circles, import_graph, layer_breaks
from workers.landing.seen_code import SeenCode

MODULARITY, LAYERING, SIZE, DEPENDENCIES, AGREEMENT = (
    "modularity",
    "layering",
    "size",
    "dependencies",
    "agreement",
)
DIMENSIONS = (MODULARITY, LAYERING, SIZE, DEPENDENCIES, AGREEMENT)
MOST = 8  # concerns of one rule
SHOWN = 5  # files of a circle that are named
BINDING = frozenset({"constraint", "decision", "requirement"})


@dataclass(frozen=True)
class Design:
    """What an architect reads."""

    language: str
    code: SeenCode
    spec: Specification
    plan: Plan | None = None
    near: frozenset[str] = frozenset()  # files that the question is about
    question: str = ""
    files: Mapping[str, str] = field(
        default_factory=dict
    )  # of the session, as text: where a quote is looked for

    def say(self, key: str, **values: object) -> str:
        """A sentence in the language of the session."""
        return labels(self.language).words[f"concern_{key}"].format(**values)


def concerns_of_code(design: Design) -> list[Concern]:
    """Of what the session has landed; of the whole project where it has landed nothing."""
    graph, before = import_graph(design.code.texts), import_graph(design.code.before)
    concerned = design.code.changed if design.code.has_landed else None
    planned = {
        plain_name(name)
        for task in (design.plan.tasks if design.plan else ())
        for name in task.new_dependencies
    }
    return [
        *_circles(design, graph, concerned, before),
        *_breaks(design, graph, concerned, before),
        *_large_changes(design),
        *(_new_dependencies(design, planned) if design.code.has_landed else ()),
    ]


def concerns_of_plan(design: Design) -> list[Concern]:
    """Of the plan's tasks, and of the code that they change."""
    if design.plan is None:
        return []
    tasks = design.plan.tasks
    touched = frozenset(file.path for task in tasks for file in task.files)
    graph = import_graph(design.code.texts)
    return [
        *(_large_task(design, task) for task in tasks if len(task.files) > MANY_FILES),
        *(_planned_dependency(design, task, name) for task in tasks for name in task.new_dependencies),
        *_circles(design, graph, touched),
        *_breaks(design, graph, touched),
        *_contradictions(design, [(each.decision, "plan/plan.json") for each in design.plan.decisions]),
        *_contradictions(design, [(c.text, task.path) for task in tasks for c in task.criteria]),
    ]


def concerns_of_spec(design: Design) -> list[Concern]:
    """Of the architecture as it is written, beside the other documents and the project."""
    decisions = [
        said for said in design.spec.statements if said.form in ("decision", "component", "security", "style")
    ]
    return [
        *_contradictions(design, [(said.text, "") for said in decisions]),
        *_missing_files(design),
        *_new_technologies(design),
    ]


def concerns_of_question(design: Design) -> list[Concern]:
    """Of what a question asks for: the specification may rule it out, and the code it concerns may make it hard."""
    graph = import_graph(design.code.texts)
    return [
        *_ruled_out(design),
        *_contradictions(design, [(design.question, "")]),
        *_circles(design, graph, design.near),
        *_breaks(design, graph, design.near),
    ]


def _circles(
    design: Design, graph: Graph, concerned: frozenset[str] | None, before: Graph | None = None
) -> Iterator[Concern]:
    """Circles that the concerned files are in; one with an import that was not there before is high."""
    shown = [group for group in circles(graph) if concerned is None or concerned & set(group)]
    for group in shown[:MOST]:
        members = set(group)
        inner = [(user, target) for user in group for target in sorted(graph[user] & members)]
        new = (
            before is not None
            and design.code.has_landed
            and any(t not in before.get(u, ()) for u, t in inner)
        )
        named = ", ".join(group[:SHOWN]) + (f" (+{len(group) - SHOWN})" if len(group) > SHOWN else "")
        yield Concern(
            HIGH if new else MEDIUM,
            design.say("new_circle" if new else "circle", files=named),
            tuple(_import_at(design, *edge) for edge in inner[:3]),
            (design.say("circle_do"),),
            MODULARITY,
            "import_circle",
            group,
        )


def _breaks(
    design: Design, graph: Graph, concerned: frozenset[str] | None, before: Graph | None = None
) -> Iterator[Concern]:
    """Imports against the layers; a new one against declared layers is high."""
    found = [
        each for each in layer_breaks(graph, design.code.texts) if concerned is None or each.user in concerned
    ]
    for each in found[:MOST]:
        new = before is not None and design.code.has_landed and each.target not in before.get(each.user, ())
        yield Concern(
            HIGH if new and each.declared else MEDIUM if new or each.declared else LOW,
            design.say("layer" if each.declared else "found_layer", user=each.user, target=each.target),
            (_import_at(design, each.user, each.target),),
            (design.say("layer_do"),),
            LAYERING,
            "layer_break",
            (each.user, each.target),
        )


def _import_at(design: Design, user: str, target: str) -> Place:
    """The line on which a file imports another one, else its first one that says something."""
    lines = design.code.texts[user].splitlines()
    folder, _, name = target.rpartition("/")
    stem = name.partition(".")[0]
    stem = folder.rpartition("/")[2] if stem in ("__init__", "index", "mod") else stem
    words = ("import", "require", "use ", "from ")
    number = next(
        (n for n, line in enumerate(lines, 1) if stem in line and any(word in line for word in words)), None
    )
    number = number or next((n for n, line in enumerate(lines, 1) if line.strip()), 1)
    return Place(user, number, lines[number - 1].strip()[:200] if lines else "")


def _large_task(design: Design, task: PlanTask) -> Concern:
    text = design.say("large_task", task=task.id, count=len(task.files), most=MANY_FILES)
    place = _in_file(design, task.path, task.files[0].path)
    return Concern(MEDIUM, text, place, (design.say("large_task_do"),), SIZE, "many_files", (task.id,))


def _large_changes(design: Design) -> Iterator[Concern]:
    for task, count in sorted(design.code.files_of.items()):
        if count > MANY_FILES:
            text = design.say("large_task", task=task, count=count, most=MANY_FILES)
            path = f"qa/impl-{task}.json"
            yield Concern(MEDIUM, text, _in_file(design, path, '"files"'), (), SIZE, "many_files", (task,))


def _planned_dependency(design: Design, task: PlanTask, name: str) -> Concern:
    text = design.say("dependency", name=short(name, 80), where=task.id)
    place = _in_file(design, task.path, json.dumps(name, ensure_ascii=False))
    return Concern(
        MEDIUM, text, place, (design.say("dependency_do"),), DEPENDENCIES, "new_dependency", (task.id,)
    )


def _new_dependencies(design: Design, planned: Iterable[str]) -> Iterator[Concern]:
    """What the manifests have and had not; one that the plan did not name weighs more."""
    had = {plain_name(name) for name in design.code.dependencies(before=True)}
    expected = set(planned)
    for name, path in sorted(design.code.dependencies().items()):
        if plain_name(name) in had:
            continue
        severity = LOW if plain_name(name) in expected else MEDIUM
        text = design.say("dependency", name=short(name, 80), where=path)
        place = _at(path, design.code.texts[path], name)
        yield Concern(
            severity, text, place, (design.say("dependency_do"),), DEPENDENCIES, "new_dependency", (path,)
        )


def _missing_files(design: Design) -> Iterator[Concern]:
    """Files that parts are mapped to and that are not there."""
    for _, written in design.spec.of(Architecture):
        for part in written.components:
            for path in part.files:
                if design.code.texts and path not in design.code.texts and not _is_folder(design, path):
                    text = design.say("no_file", name=short(part.name, 80), path=short(path, 120))
                    yield Concern(LOW, text, _in_spec(design, path), (), AGREEMENT, "missing_file", (path,))


def _new_technologies(design: Design) -> Iterator[Concern]:
    """Technologies that are proposed, and that a project with dependencies does not have yet."""
    have = {plain_name(name) for name in design.code.dependencies()}
    for _, written in design.spec.of(Architecture):
        for choice in written.stack if have else ():
            if choice.source == "proposed" and plain_name(choice.choice) not in have:
                text = design.say("dependency", name=short(choice.choice, 80), where=choice.layer)
                place = _in_spec(design, choice.choice)
                yield Concern(
                    LOW, text, place, (design.say("dependency_do"),), DEPENDENCIES, "new_dependency"
                )


def _is_folder(design: Design, path: str) -> bool:
    return any(name.startswith(f"{path.rstrip('/')}/") for name in design.code.texts)


def _ruled_out(design: Design) -> Iterator[Concern]:
    """What the brief puts out of scope and the question asks for."""
    for _, brief in design.spec.of(Brief):
        for row in brief.out_of_scope:
            if covers(design.question, row.text) and not is_negative(design.question):
                text = design.say("ruled_out", text=short(row.text))
                yield Concern(
                    HIGH,
                    text,
                    _in_spec(design, row.text),
                    (design.say("ruled_out_do"),),
                    AGREEMENT,
                    "ruled_out",
                )


def _contradictions(design: Design, said: Sequence[tuple[str, str]]) -> Iterator[Concern]:
    """Statements that deny what the specification binds to, or give other figures. `said`: (text, file it stands in)."""
    known = Carriers(each.text for each in design.spec.statements if each.form in BINDING and each.open)
    told: set[frozenset[str]] = set()
    for text, path in said:
        for other in (known.items[at] for at in known.near(text)):
            pair = frozenset((text, other))
            if text == other or pair in told or likeness_apart(text, other) < TWIN:
                continue
            if difference(text, other) in ("reversed", "other_number"):
                told.add(pair)
                places = (
                    *(_in_file(design, path, text) if path else _in_spec(design, text)),
                    *_in_spec(design, other),
                )
                yield Concern(
                    HIGH,
                    design.say("contradiction", text=short(text), other=short(other)),
                    places,
                    (design.say("contradiction_do"),),
                    AGREEMENT,
                    "contradiction",
                )


def _in_file(design: Design, path: str, words: str) -> tuple[Place, ...]:
    return _at(path, design.files.get(path, ""), words)


def _in_spec(design: Design, words: str) -> tuple[Place, ...]:
    """The first place of the specification's pages that holds the words."""
    pages = sorted(path for path in design.files if path.startswith("spec/") and path.endswith(".md"))
    return next((found for path in pages if (found := _at(path, design.files[path], words))), ())


def _at(path: str, text: str, words: str) -> tuple[Place, ...]:
    wanted = " ".join(words.split()).casefold()
    for number, line in enumerate(text.splitlines(), 1):
        if wanted and wanted in " ".join(line.replace("\\", "").split()).casefold():
            return (Place(path, number, line.strip()[:200]),)
    return ()
