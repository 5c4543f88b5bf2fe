"""Circles of imports among a project's Python modules that a candidate adds."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from orchestrator.domain.evidence import HIGH, Finding
from orchestrator.domain.patterns import expression
from workers.evidence.changed_files import Changes, names_of, read_blobs
from workers.evidence.path_kinds import is_test_path
from workers.git.git_process import Git
from workers.host.python_syntax import parse_python

MOST_MODULES = 5_000  # a larger project is not looked at
_ROOTS = ("", "src/", "lib/", "python/")
_IMPORT = expression(r"\s*(?:from|import)\s|\s*\w+,?\s*(?:#.*)?$")  # the second: a name in a list of them
Graph = Mapping[str, Mapping[str, int]]  # path -> imported path -> line


def added_cycles(git: Git, base: str, tree: str, changes: Changes) -> list[Finding]:
    """A high finding for each import that a changed file adds and that closes a circle. Raises GitError."""
    changed = [
        file.path
        for file in changes.files
        if file.path.endswith(".py")
        and not is_test_path(file.path)
        and any(_IMPORT.match(line) for _, line in file.added)
    ]
    if not changed:
        return []
    after = load_time_imports(_sources(git, tree))
    before = load_time_imports(_sources(git, base))
    found = []
    for path in changed:
        for target, line in after.get(path, {}).items():
            if target in before.get(path, {}):
                continue
            way = _way(after, target, path)
            if way:
                circle = " -> ".join([path, *way])
                quote = changes.by_path[path].line(line).strip()[:200]
                fix = "move what both need into a third module"
                found.append(
                    Finding(
                        "architecture",
                        HIGH,
                        "import_cycle",
                        f"{path} closes a circle of imports: {circle}",
                        path,
                        line,
                        quote,
                        fix,
                    )
                )
    return found


def _sources(git: Git, tree: str) -> dict[str, str]:
    names = {
        path: id
        for path, id in names_of(git, tree).items()
        if path.endswith(".py") and not is_test_path(path)
    }
    if len(names) > MOST_MODULES:
        return {}
    bodies, _ = read_blobs(git, names.values())
    return {path: bodies[id].decode("utf-8", "replace") for path, id in names.items() if id in bodies}


def load_time_imports(sources: Mapping[str, str]) -> Graph:
    """Which of the Python files (path -> text) imports which when it is loaded, each with the line."""
    modules = {name: path for path in sources for name in _names(path)}
    return {path: dict(_imports(path, text, modules)) for path, text in sources.items()}


def _names(path: str) -> Iterator[str]:
    """The dotted names that a file may be imported by."""
    plain = path.removesuffix(".py").removesuffix("/__init__")
    for root in _ROOTS:
        if plain.startswith(root):
            yield plain.removeprefix(root).replace("/", ".")


def _imports(path: str, text: str, modules: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """The project's files that this one imports when it is loaded; imports inside functions and for types are none."""
    try:
        body: Sequence[ast.stmt] = parse_python(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    package = (path.rpartition("/")[0]).replace("/", ".")
    waiting = list(body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.If):
            if not any(
                "TYPE_CHECKING" in (getattr(n, "id", ""), getattr(n, "attr", "")) for n in ast.walk(node.test)
            ):
                waiting += [*node.body, *node.orelse]
        elif isinstance(node, ast.Try):
            waiting += [
                *node.body,
                *node.orelse,
                *(each for handler in node.handlers for each in handler.body),
            ]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in modules:
                    yield modules[alias.name], node.lineno
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".") if package else []
            start = parts[: len(parts) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            for alias in node.names:
                name = f"{base}.{alias.name}" if base else alias.name
                target = modules.get(name) or modules.get(base)
                if target and target != path:
                    yield target, node.lineno


def _way(graph: Graph, start: str, end: str) -> list[str]:
    """The shortest chain of imports from one file to another; empty when there is none."""
    came: dict[str, str] = {start: ""}
    waiting = [start]
    while waiting:
        at = waiting.pop(0)
        if at == end:
            way = [at]
            while came[way[0]]:
                way.insert(0, came[way[0]])
            return way
        for target in graph.get(at, {}):
            if target not in came:
                came[target] = at
                waiting.append(target)
    return []
