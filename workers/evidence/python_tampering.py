"""Python source that treats tests specially, by its syntax tree: whatever names it gives to what it asks.

Names are followed to what they were imported or assigned from, and texts that are put together of parts are read as one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.inert import one_line
from orchestrator.domain.patterns import expression
from workers.evidence.changed_files import ChangedFile
from workers.evidence.facts_of_python_tests import HOOKS
from workers.host.python_syntax import parse_python

RUNNERS = frozenset({"pytest", "_pytest", "unittest", "nose", "nose2", "doctest", "xdist"})
SCRIPTS = expression(
    r"(?:^|/)(?:__main__\.py|setup\.py|noxfile\.py|manage\.py|(?:bin|scripts?|tools?)/[^/]+)$"
)
_VARIABLES = expression(r"PYTEST_?|PYTEST_(?:C\w*|VERSION|XDIST_\w+|RUN_\w+)")
_PROBES = expression(
    r"^_?pytest\b|^unittest\b|^py\.test$|^nose2?\b|^xdist\b|^doctest$|^conftest$|(?:^|\.)test_\w+$|^tests?(?:\.|$)"
)
_TEST_WORD = expression(r"(?:^|[/_.])(?:test_|_?pytest\b|unittest\b|tests?/)")
_OWN_START = expression(r"/proc/(?:self|thread-self)/(?:cmdline|environ)")
_PLACES = ("sys.modules", "sys.argv", "sys.orig_argv")
_LOADING = ("sys.meta_path", "sys.path_hooks")  # what decides which code a module is
_FRAMES = frozenset({"inspect.stack", "inspect.currentframe", "sys._getframe", "traceback.extract_stack"})
_ENDS = ("os._exit", "posix._exit")
_DECODERS = ("base64.", "zlib.", "bz2.", "lzma.", "gzip.", "binascii.", "codecs.decode", "marshal.loads")
_ASKED = ast.Subscript | ast.Compare | ast.Call | ast.GeneratorExp | ast.ListComp
Function = ast.FunctionDef | ast.AsyncFunctionDef
Found: TypeAlias = Iterator[tuple[int, str, str, bool]]
"""Line, rule, what it does, whether it blocks."""


def python_tampering(file: ChangedFile) -> Found:
    """What the source does to tests; nothing where it is no Python. Raises RecursionError."""
    try:
        module = parse_python(file.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    reader = _Reader(_origins(module))
    yield from reader.anywhere(module)
    for function in ast.walk(module):
        if isinstance(function, Function):
            yield from reader.in_function(function)
    if not SCRIPTS.search(file.path) and not file.text.startswith("#!"):
        yield from reader.at_import(module.body)


def _origins(module: ast.Module) -> dict[str, str]:
    """What each name stands for that was imported, or assigned from something that was."""
    found: dict[str, str] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found |= {
                each.asname or each.name.split(".")[0]: each.name if each.asname else each.name.split(".")[0]
                for each in node.names
            }
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    reader = _Reader(found)
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            origin = reader.dotted(node.value)
            if origin.startswith((*_PLACES, *_LOADING, "sys", "os.environ", *_ENDS, *_DECODERS, *RUNNERS)):
                found.setdefault(node.targets[0].id, origin)
    return found


@dataclass(frozen=True, slots=True)
class _Reader:
    origins: Mapping[str, str]

    def dotted(self, node: ast.expr) -> str:
        """`a.b.c` of names and attributes, of what is called, or of what is indexed; empty for others."""
        parts: list[str] = []
        while True:
            if isinstance(node, ast.Attribute):
                parts.insert(0, node.attr)
                node = node.value
            elif isinstance(node, ast.Subscript):
                node = node.value
            elif isinstance(node, ast.Call):
                made = self._looked_up(node)
                if made is not None:
                    return ".".join([made, *parts])
                node = node.func
            else:
                name = self.origins.get(node.id, node.id) if isinstance(node, ast.Name) else ""
                return ".".join([name, *parts] if name else parts)

    def _looked_up(self, node: ast.Call) -> str | None:
        """What `getattr(x, "y")` and `__import__("x")` stand for."""
        words = [text_of(each) for each in node.args]
        if not isinstance(node.func, ast.Name | ast.Attribute):
            return None
        name = self.dotted(node.func)
        if name == "getattr" and len(words) > 1 and words[1]:
            return f"{self.dotted(node.args[0])}.{words[1]}"
        return words[0] or None if name in ("__import__", "importlib.import_module") and words else None

    def anywhere(self, module: ast.Module) -> Found:
        """What is wrong wherever it stands."""
        forks = any(
            isinstance(node, ast.Call) and self.dotted(node.func) == "os.fork" for node in ast.walk(module)
        )
        for node in ast.walk(module):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield from _import(node)
            elif isinstance(node, ast.Assign | ast.AugAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    yield from self._assigned(target, node)
            if isinstance(node, ast.Call):
                yield from self._call(node, forks=forks)
            if isinstance(node, _ASKED) and self._is_probe(node):
                yield node.lineno, "test_probe", "asks whether a test runs it", True

    def _assigned(self, target: ast.expr, node: ast.Assign | ast.AugAssign) -> Found:
        name = self.dotted(target)
        is_part = isinstance(target, ast.Attribute)
        if (is_part and _is_of_runner(name)) or (
            isinstance(target, ast.Attribute | ast.Subscript) and name.startswith(_LOADING)
        ):
            yield node.lineno, "runner_patched", f"replaces {one_line(name, 100)}", True
        if (
            isinstance(target, ast.Name)
            and target.id == "__eq__"
            and isinstance(node.value, ast.Lambda)
            and _is_true(node.value.body)
        ):
            yield node.lineno, "always_equal", "equals everything, so that any comparison passes", True

    def _call(self, node: ast.Call, *, forks: bool) -> Found:
        name = self.dotted(node.func)
        if name in _ENDS:
            is_success = not node.args or (isinstance(node.args[0], ast.Constant) and not node.args[0].value)
            what = "ends the process at once, before a test can report"
            yield node.lineno, "process_end", what, is_success and not forks
        elif name in ("setattr", "delattr") and node.args and _is_of_runner(self.dotted(node.args[0])):
            yield node.lineno, "runner_patched", f"replaces a part of {self.dotted(node.args[0])}", True
        elif name.startswith(_LOADING) and isinstance(node.func, ast.Attribute):
            yield node.lineno, "runner_patched", f"changes {name.rpartition('.')[0]}", True
        elif name in ("exec", "eval", "builtins.exec", "builtins.eval") and node.args:
            made = (self.dotted(each) for each in ast.walk(node.args[0]) if isinstance(each, ast.expr))
            if any(each.startswith(_DECODERS) or each.endswith(".fromhex") for each in made):
                yield (
                    node.lineno,
                    "hidden_code",
                    "runs code that was encoded, so that nobody can read it",
                    True,
                )

    def _is_probe(self, node: _ASKED) -> bool:
        """Whether this looks for a test runner: in the environment, among modules, or on the command line."""
        if isinstance(node, ast.Compare):
            asked = [node.left, *node.comparators]
            places, words = [self.dotted(each) for each in asked], _texts(asked)
        elif isinstance(node, ast.Subscript):
            places, words = [self.dotted(node.value)], _texts([node.slice])
        elif isinstance(node, ast.Call):
            places, words = [self.dotted(node.func)], _texts(node.args)
        else:
            places = [self.dotted(each.iter) for each in node.generators]
            words = _texts([each for each in ast.walk(node) if isinstance(each, ast.expr)])
        if any(_VARIABLES.fullmatch(word) or _OWN_START.fullmatch(word) for word in words):
            return True
        if "_called_from_test" in (*places, *words):
            return True
        if "__main__" in words and any(place.startswith("sys.modules") for place in places):
            return True
        at_runner = any(place.startswith(_PLACES) for place in places)
        asks = any(place.endswith(("find_spec", "import_module", "__import__")) for place in places)
        return (at_runner or asks) and any(_PROBES.search(word) for word in words)

    def in_function(self, function: Function) -> Found:
        """What a function as a whole does."""
        if function.name in HOOKS and function.name != "load_tests":
            yield function.lineno, "runner_patched", f"has {function.name}, a hook of pytest", True
        returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
        if function.name == "__eq__" and returned and all(map(_is_true, returned)):
            yield function.lineno, "always_equal", "equals everything, so that any comparison passes", True
        calls = {self.dotted(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
        if not _FRAMES & calls:
            return
        for node in ast.walk(function):
            if isinstance(node, ast.expr) and _TEST_WORD.search(text_of(node)):
                yield node.lineno, "test_probe", "looks for a test among its callers", True

    def at_import(self, body: list[ast.stmt]) -> Found:
        """Successful ends of the process that importing the module reaches."""
        for statement in body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if isinstance(statement, ast.If) and "__main__" in ast.dump(statement.test):
                continue
            for node in ast.walk(statement):
                if (
                    isinstance(node, ast.Call)
                    and self.dotted(node.func) in ("sys.exit", "exit", "quit", "SystemExit")
                    and all(isinstance(each, ast.Constant) and each.value in (0, None) for each in node.args)
                ):
                    what = "ends the process with success when it is imported"
                    yield node.lineno, "exit_at_import", what, True


def _import(node: ast.Import | ast.ImportFrom) -> Found:
    if isinstance(node, ast.ImportFrom):
        names = [] if node.level else [node.module or ""]
    else:
        names = [each.name for each in node.names]
    if any(name.split(".")[0] in RUNNERS for name in names):
        yield node.lineno, "runner_import", "imports a test runner", "doctest" not in names
    if "__main__" in names:
        yield node.lineno, "runner_import", "imports the program that runs it", True


def _is_of_runner(name: str) -> bool:
    return name.split(".")[0] in (*RUNNERS, "builtins")


def _is_true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _texts(nodes: list[ast.expr]) -> list[str]:
    return [text for text in map(text_of, nodes) if text]


def text_of(node: ast.expr) -> str:
    """The text that is written here, also in parts or as bytes; empty for what is no text, or is known at run time only."""
    if isinstance(node, ast.Constant):
        value = node.value
        return (
            value if isinstance(value, str) else value.decode("latin-1") if isinstance(value, bytes) else ""
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        return left + right if left and right else ""
    if isinstance(node, ast.JoinedStr):
        parts = [
            text_of(each.value if isinstance(each, ast.FormattedValue) else each) for each in node.values
        ]
        return "".join(parts) if all(parts) else ""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "join"
        and len(node.args) == 1
        and isinstance(node.args[0], ast.List | ast.Tuple)
    ):
        parts = [text_of(each) for each in node.args[0].elts]
        between = node.func.value
        return text_of(between).join(parts) if isinstance(between, ast.Constant) and all(parts) else ""
    return ""
