"""Which files of the project import which: module names resolved to files that exist, nothing else."""

from __future__ import annotations

import posixpath
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping

_SUFFIXES = (
    "",
    ".ts",
    ".tsx",
    ".js",
    ".jsx",
    ".mjs",
    ".d.ts",
    ".vue",
    ".svelte",
    "/index.ts",
    "/index.tsx",
    "/index.js",
)
_MAX_GO_FILES = 20  # of one imported package


class Resolver:
    def __init__(self, paths: Iterable[str], go_modules: Mapping[str, str]) -> None:
        """`go_modules`: module path -> folder of its go.mod."""
        self._paths = frozenset(paths)
        self._go_modules = go_modules
        self._python_modules: dict[str, list[str]] = defaultdict(list)  # dotted name -> files
        self._java_classes: dict[str, list[str]] = defaultdict(list)  # class -> files
        self._go: dict[str, list[str]] = defaultdict(list)  # folder -> Go files
        for path in sorted(self._paths):
            folder, _, name = path.rpartition("/")
            stem, _, kind = name.rpartition(".")
            if kind == "py":
                for module in self._names(path):
                    self._python_modules[module].append(path)
            elif kind == "java":
                self._java_classes[stem].append(path)
            elif kind == "go" and not name.endswith("_test.go"):
                self._go[folder].append(path)

    def _names(self, path: str) -> set[str]:
        """The names `path` can be imported by: from its package's root, from the project's root, from src."""
        parts = path.removesuffix(".py").split("/")
        top = len(parts) - 1
        while top and "/".join([*parts[:top], "__init__.py"]) in self._paths:
            top -= 1
        starts = {top, 0, *((1,) if parts[0] in ("src", "lib") else ())}
        names = {".".join(parts[start:]).removesuffix("__init__").rstrip(".") for start in starts}
        return names - sys.stdlib_module_names  # `import types` means Python's own

    def files(self, importer: str, module: str) -> list[str]:
        """The project's files that `module`, as written in `importer`, stands for; empty for anything from outside."""
        kind = importer.rpartition(".")[2]
        if kind in ("py", "pyi"):
            return self._python(importer, module)
        if kind in ("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"):
            return self._javascript(importer, module)
        if kind == "go":
            return self._go_package(module)
        if kind == "java":
            return self._java(module)
        return self._rust(importer, module) if kind == "rs" else []

    def _python(self, importer: str, module: str) -> list[str]:
        dots = len(module) - len(module.lstrip("."))
        parts = [part for part in module.split(".") if part]
        if not dots:
            hits = self._python_modules.get(module, [])
            return (
                [max(hits, key=lambda p: (len(posixpath.commonprefix([p, importer])), -len(p)))]
                if hits
                else []
            )
        folder = importer.split("/")[:-1]
        if dots - 1 > len(folder):
            return []
        base = "/".join([*folder[: len(folder) - dots + 1], *parts])
        return [p for p in (f"{base}.py", posixpath.join(base, "__init__.py")) if p in self._paths]

    def _java(self, module: str) -> list[str]:
        ending = "/" + module.replace(".", "/") + ".java"
        return [p for p in self._java_classes.get(module.rpartition(".")[2], ()) if f"/{p}".endswith(ending)][
            :1
        ]

    def _javascript(self, importer: str, module: str) -> list[str]:
        if not module.startswith("."):
            return []
        base = posixpath.normpath(posixpath.join(posixpath.dirname(importer), module))
        stem = re.sub(r"\.[cm]?js$", "", base)  # TypeScript imports ./a.js and means ./a.ts
        return next(([b + s] for b in (base, stem) for s in _SUFFIXES if b + s in self._paths), [])

    def _go_package(self, module: str) -> list[str]:
        for prefix, folder in self._go_modules.items():
            if module == prefix or module.startswith(prefix + "/"):
                below = module[len(prefix) + 1 :]
                return self._go.get("/".join(part for part in (folder, below) if part), [])[:_MAX_GO_FILES]
        return []

    def _rust(self, importer: str, module: str) -> list[str]:
        parts = re.split(r"::", re.sub(r"\s+as\s+\w+|\{.*|\s", "", module))
        source, found, _ = importer.rpartition("src/")
        if not found or parts[0] != "crate":
            return []
        below = [part for part in parts[1:] if part and part != "*"]
        while below:  # the last parts may name things inside the module
            base = source + "src/" + "/".join(below)
            for path in (f"{base}.rs", f"{base}/mod.rs"):
                if path in self._paths:
                    return [path]
            below.pop()
        return []


def imported_by(imports: Mapping[str, Iterable[str]], resolver: Resolver) -> dict[str, set[str]]:
    """File -> the files that import it."""
    found: dict[str, set[str]] = defaultdict(set)
    for importer, modules in imports.items():
        for module in modules:
            for target in resolver.files(importer, module):
                if target != importer:
                    found[target].add(importer)
    return dict(found)
