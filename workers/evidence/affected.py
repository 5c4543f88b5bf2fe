"""Which tests a change can affect: same names, and the graph of imports.

What is imported by a name made at run time is not seen, so all tests are run before a candidate counts.
"""

from __future__ import annotations

import posixpath
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from workers.evidence.repository_files import RepositoryFiles
from workers.evidence.runner import Runner
from workers.evidence.test_side import is_mixed, is_test_side
from workers.explore.imports import Resolver, imported_by
from workers.explore.symbols import parse

_GRAPH = frozenset({"py", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "go"})
_COMPONENTS = frozenset({"vue", "svelte", "astro", "mdx"})  # import JavaScript, and are not in the graph
_CYTHON = frozenset({"pyx", "pxd"})  # the same of Python
_NAMING = expression(  # files that may give folders names, by which JavaScript imports what is in them
    r"(?:^|/)(?:(?:package|[tj]sconfig[\w.-]*)\.json|(?:jest|vite|vitest|webpack|babel)\.config\.\w+|\.babelrc[\w.]*"
    r"|pnpm-workspace\.yaml)$"
)
_NAMES = expression(
    r"\b(?:workspaces|packages|imports|paths|baseUrl|_?moduleAliases|alias|moduleNameMapper|moduleDirectories)[\"']?\s*:"
)
_NO_CODE = frozenset({"md", "rst", "adoc", "png", "jpg", "jpeg", "gif", "svg"})
_LOADED = ("__init__.py", "conftest.py")  # by Python and pytest, for each file below their folder
_TEST_WORDS = expression(r"^test_?|[._-]?(test|spec|tests)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Affected:
    """The test files that a change can affect, the likeliest first; `everything` when that cannot be told."""

    files: tuple[str, ...] = ()
    everything: bool = False
    why: str = ""


def affected_tests(tree: Path, changed: Sequence[str], runners: Sequence[Runner]) -> Affected:
    """The tests of `tree` that the changed files (paths below it) can affect."""
    files = RepositoryFiles(tree)
    if not files.is_whole:
        return Affected((), True, "there are more files than are looked at")
    tests = [path for path in files.paths if any(runner.is_test_file(path) for runner in runners)]
    code = []
    for path in changed:
        kind = posixpath.basename(path).rpartition(".")[2].lower()
        if path not in files:
            return Affected((), True, f"{path} is gone, or is no plain file")
        if path in tests or (kind in _GRAPH and not is_test_side(path, runners)):
            code.append(path)
        elif is_mixed(path) or is_test_side(path, runners) or kind not in _NO_CODE:
            return Affected((), True, f"{path} may change any test")
    if unread := _unread(files, code):
        return Affected((), True, f"who imports what cannot be told, because of {unread}")
    known, graph = set(tests), _graph(files)
    reached = _importers(graph, code)
    for path in reached:
        if path not in known and path not in graph and is_test_side(path, runners):
            return Affected((), True, f"{path} may change any test, and imports what was changed")
    chosen = dict.fromkeys(path for path in code if path in known)
    chosen |= dict.fromkeys(path for path in tests if _stem(path) in {_stem(one) for one in code})
    chosen |= dict.fromkeys(path for path in reached if path in known)
    why = f"{len(chosen)} of {len(tests)} test files are named like the changed files or import them"
    return Affected(tuple(chosen), False, why)


def _stem(path: str) -> str:
    """The name of a file without its ending and the words that make it a test."""
    name = posixpath.basename(path).partition(".")[0] if "." in path else posixpath.basename(path)
    inner = posixpath.basename(path).rpartition(".")[0]
    return (_TEST_WORDS.sub("", _TEST_WORDS.sub("", inner)) or name).lower()


def _unread(files: RepositoryFiles, code: Iterable[str]) -> str:
    """A file because of which the graph lacks imports of the languages of `code`; empty where there is none."""
    kinds = {path.rpartition(".")[2].lower() for path in code} & _GRAPH
    lacking = (_CYTHON if "py" in kinds else frozenset()) | (
        _COMPONENTS if kinds - {"py", "go"} else frozenset()
    )
    for path in files.paths if lacking else ():
        if path.rpartition(".")[2].lower() in lacking:
            return path
        if lacking >= _COMPONENTS and _NAMING.search(path) and _NAMES.search(files.text(path)):
            return path
    return ""


def _importers(graph: Mapping[str, set[str]], changed: Iterable[str]) -> list[str]:
    """The files that import a changed one, directly or through others, the nearest first."""
    seen = dict.fromkeys(changed)
    waiting = deque(seen)
    while waiting:
        for path in sorted(graph.get(waiting.popleft(), ())):
            if path not in seen:
                seen[path] = None
                waiting.append(path)
    return list(seen)


def _graph(files: RepositoryFiles) -> Mapping[str, set[str]]:
    """File -> the files that import it."""
    modules = {
        found[1]: posixpath.dirname(path)
        for path in files.named(("go.mod",))
        if (found := re.search(r'(?m)^module\s+"?([^\s"]+)', files.text(path)))
    }
    resolver = Resolver(files.paths, modules)
    imports: dict[str, list[str]] = {}
    packages: dict[str, list[str]] = {}  # folder -> Go files, which see each other without an import
    for path in files.paths:
        kind = path.rpartition(".")[2]
        if kind not in _GRAPH:
            continue
        symbols = parse(files.text(path), kind, late=lambda: False)
        named = symbols.imports if symbols else []
        imports[path] = [*named, *(_parents(named) if kind == "py" else ())]
        if kind == "go":
            packages.setdefault(posixpath.dirname(path), []).append(path)
    graph = imported_by(imports, resolver)
    for path in imports:
        if path.endswith(".py"):
            for loaded in filter(files.__contains__, _loaded_with(path)):
                graph.setdefault(loaded, set()).add(path)
    for members in packages.values():
        for path in members:
            graph.setdefault(path, set()).update(one for one in members if one != path)
    return graph


def _loaded_with(path: str) -> Iterable[str]:
    """What is loaded before a Python file without an import of its own."""
    folder = path
    while folder:
        folder = posixpath.dirname(folder)
        yield from (loaded for name in _LOADED if (loaded := posixpath.join(folder, name)) != path)


def _parents(modules: Iterable[str]) -> Iterable[str]:
    """The packages that are loaded with a module: `a` and `a.b` for `a.b.c`."""
    for module in modules:
        dots = len(module) - len(module.lstrip("."))
        parts = module[dots:].split(".")
        for end in range(1, len(parts)):
            yield "." * dots + ".".join(parts[:end])
