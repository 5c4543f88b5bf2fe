"""What import-linter cannot say about the packages; its own contracts run in `make check`."""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.patience import patient

ROOT = Path(__file__).parents[2]
WORKERS_MAY = {
    "interrupts",
    "leaving",
    "door",
    "lifecycle",
    "wakeup",
    "engine",
    "store",
    "installation",
    "config",
    "log",
}
WORKERS_MAY |= {"failpoints", "lean_imports", "domain"}
PURE_STANDARD_LIBRARY = {
    "__future__",
    "_collections",
    "ast",
    "base64",
    "bisect",
    "collections",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "fractions",
    "functools",
    "reprlib",
    "graphlib",
    "hashlib",
    "heapq",
    "html",
    "itertools",
    "json",
    "math",
    "operator",
    "re",
    "shlex",
    "statistics",
    "string",
    "textwrap",
    "types",
    "typing",
    "unicodedata",
}
PURE_LIBRARIES = {"rapidfuzz", "regex", "slugify", "Stemmer"}
IMPURE_CALLS = {"open", "print", "input", "exec", "eval", "breakpoint", "__import__"}
WRITE_METHODS = ("dataclass", "named_tuple")  # compile methods of their own text, as Python's own do


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Full names of what the module imports, at its top and in its functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", modules("orchestrator/domain"), ids=lambda path: path.stem)
def test_a_domain_module_imports_only_what_is_pure(path: Path) -> None:
    allowed = PURE_STANDARD_LIBRARY | PURE_LIBRARIES

    strange = {
        name
        for name in imports(path)
        if name.partition(".")[0] not in allowed and not name.startswith("orchestrator.domain")
    }

    assert not strange


@pytest.mark.parametrize("path", modules("orchestrator/domain"), ids=lambda path: path.stem)
def test_a_domain_module_reads_no_clock_and_no_file(path: Path) -> None:
    calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]

    named = {call.id for call in calls if isinstance(call, ast.Name)}
    clocks = {call.attr for call in calls if isinstance(call, ast.Attribute)} & {"now", "utcnow", "today"}

    assert not named & (IMPURE_CALLS - {"exec"} if path.stem in WRITE_METHODS else IMPURE_CALLS)
    assert not clocks


def test_workers_import_only_the_packages_below_wakeup() -> None:
    found = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in modules("workers")
        for name in imports(path)
        if name.partition(".")[0] == "orchestrator"
    }

    strange = {
        (path, name) for path, name in found if package_of(name) not in WORKERS_MAY | {"__version__", ""}
    }

    assert found
    assert not strange


def package_of(name: str) -> str:
    return name.partition(".")[2].partition(".")[0]


def test_the_orchestrator_never_imports_the_workers() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for path in modules("orchestrator")
        for name in imports(path)
        if name.partition(".")[0] == "workers"
    }

    assert not found


@pytest.mark.long
def test_importing_a_module_does_nothing() -> None:
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for package in ("orchestrator", "workers")
        for path in modules(package)
        if path.stem != "__main__"
    ]
    script = (
        "import importlib, os, sys, threading\n"
        "for name in sys.argv[1:]: importlib.import_module(name)\n"
        "assert threading.active_count() == 1, threading.enumerate()\n"
        "assert not os.listdir('.'), os.listdir('.')\n"
    )

    done = run_in_empty_folder(script, names)

    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def run_in_empty_folder(script: str, names: list[str]) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{script}", *names],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=patient(120),
        )


def test_no_submodule_hides_a_name_of_its_package() -> None:
    """An import of `package.name` sets `name` in the package, whatever stood there."""
    hidden = []
    for package in (path.parent for root in ("orchestrator", "workers") for path in modules(root)):
        init = package / "__init__.py"
        defined = {getattr(node, "name", "") for node in ast.parse(init.read_text()).body}
        beside = {path.stem for path in package.iterdir() if path.suffix == ".py" or path.is_dir()}
        hidden += [f"{package.name}.{name}" for name in defined & beside]

    assert not hidden
