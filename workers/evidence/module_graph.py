"""Which modules of a project import which: circles among them, and imports against the direction of its layers.

Layers are those that the project declares (import-linter's contracts), else those that its imports show: where many files of
one folder import from another and hardly one the other way round, the few go against the layers.
"""

from __future__ import annotations

import configparser
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from orchestrator.domain.dataclass import dataclass
from workers.evidence.import_cycles import load_time_imports
from workers.evidence.path_kinds import is_test_path
from workers.explore.imports import Resolver, imported_by
from workers.explore.knowledge import extension
from workers.explore.manifests import read_manifest
from workers.explore.symbols import PARSED, parse

Graph = Mapping[str, frozenset[str]]  # file -> files that it imports
CLEAR, MOST_AGAINST = 3, 1 / 3  # imports one way, and the share of them the other way, that show a layer
CONTRACTS = ("pyproject.toml", ".importlinter")


@dataclass(frozen=True, slots=True)
class Break:
    """An import against the layers."""

    user: str
    target: str
    declared: bool


def import_graph(texts: Mapping[str, str]) -> Graph:
    """Of the source files among `texts` (path -> text), tests left out; of Python what loading a module imports."""
    sources = {
        path: text for path, text in texts.items() if extension(path) in PARSED and not is_test_path(path)
    }
    python = {path: text for path, text in sources.items() if path.endswith(".py")}
    found: dict[str, set[str]] = {path: set(targets) for path, targets in load_time_imports(python).items()}
    named = {
        path: parsed.imports
        for path, text in sources.items()
        if path not in python and (parsed := parse(text, extension(path), late=lambda: False)) is not None
    }
    modules = {
        name: path.rpartition("/")[0]
        for path in texts
        if path.endswith("go.mod") and (name := read_manifest(path, texts[path]).name)
    }
    for target, users in imported_by(named, Resolver(sources, modules)).items():
        for user in users:
            found.setdefault(user, set()).add(target)
    return {path: frozenset(targets & sources.keys()) for path, targets in found.items()}


def circles(graph: Graph) -> list[tuple[str, ...]]:
    """The groups of files that import each other in a circle, each in order, the largest first."""
    found = [tuple(sorted(group)) for group in _components(graph) if len(group) > 1]
    return sorted(found, key=lambda group: (-len(group), group))


def _components(graph: Graph) -> Iterator[list[str]]:
    """Strongly connected components (Tarjan), without recursion."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    inside: set[str] = set()
    for root in sorted(graph):
        if root in number:
            continue
        way: list[tuple[str, Iterator[str]]] = []

        def enter(at: str, way: list[tuple[str, Iterator[str]]] = way) -> None:
            number[at] = low[at] = len(number)
            stack.append(at)
            inside.add(at)
            way.append((at, iter(sorted(graph.get(at, ())))))

        enter(root)
        while way:
            at, targets = way[-1]
            following = next(targets, None)
            if following is None:
                way.pop()
                if way:
                    low[way[-1][0]] = min(low[way[-1][0]], low[at])
                if low[at] == number[at]:
                    group = stack[stack.index(at) :]
                    del stack[stack.index(at) :]
                    inside.difference_update(group)
                    yield group
            elif following not in number:
                enter(following)
            elif following in inside:
                low[at] = min(low[at], number[following])


def layer_breaks(graph: Graph, texts: Mapping[str, str]) -> list[Break]:
    """The imports against the layers that the project declares; where it declares none, against those that are found."""
    declared = [order for name in CONTRACTS if name in texts for order in _contracts(name, texts[name])]
    edges = [(user, target) for user in sorted(graph) for target in sorted(graph[user])]
    if declared:
        return [
            Break(user, target, True)
            for user, target in edges
            if any(_against(o, user, target) for o in declared)
        ]
    return [Break(user, target, False) for user, target in _against_found(edges)]


def _contracts(name: str, text: str) -> Iterator[list[tuple[str, ...]]]:
    """The layers of each contract, the highest first; modules side by side are one layer."""
    try:
        if name.endswith(".toml"):
            table = tomllib.loads(text).get("tool", {}).get("importlinter", {})
            given: Iterable[Mapping[str, object]] = table.get("contracts", ())
        else:
            parser = configparser.ConfigParser(interpolation=None)
            parser.read_string(text)
            given = [
                dict(parser[each]) for each in parser.sections() if each.startswith("importlinter:contract")
            ]
    except (tomllib.TOMLDecodeError, configparser.Error, AttributeError):
        return
    for contract in given:
        if not isinstance(contract, Mapping) or contract.get("type") != "layers":
            continue
        layers = _listed(contract.get("layers"))
        for container in _listed(contract.get("containers")) or [""]:
            yield [_modules(layer, container) for layer in layers]


def _listed(value: object) -> list[str]:
    if isinstance(value, str):
        return [line.strip() for line in value.splitlines() if line.strip()]
    return [str(each) for each in value] if isinstance(value, Sequence) else []


def _modules(layer: str, container: str) -> tuple[str, ...]:
    names = [name.strip(" ()") for part in layer.split("|") for name in part.split(":")]
    return tuple(f"{container}.{name}" if container else name for name in names if name)


def _against(order: Sequence[Sequence[str]], user: str, target: str) -> bool:
    """Whether a file of a lower layer imports one of a higher layer."""
    low, high = _layer_of(order, user), _layer_of(order, target)
    return low is not None and high is not None and low > high


def _layer_of(order: Sequence[Sequence[str]], path: str) -> int | None:
    dotted = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    for number, names in enumerate(order):
        if any(f".{dotted}.".find(f".{name}.") >= 0 for name in names):
            return number
    return None


def _against_found(edges: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    between: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for user, target in edges:
        a, b = user.rpartition("/")[0], target.rpartition("/")[0]
        if a != b and not a.startswith(f"{b}/") and not b.startswith(f"{a}/"):
            between[a, b].append((user, target))
    counts = Counter({pair: len(found) for pair, found in between.items()})
    for (a, b), found in sorted(between.items()):
        other = counts[b, a]
        if other >= CLEAR and len(found) <= MOST_AGAINST * other:
            yield from found
