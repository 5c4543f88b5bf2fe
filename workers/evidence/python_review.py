"""The rules of a review for Python, by the syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.domain.evidence import CRITICAL, HIGH, LOW, MEDIUM
from workers.evidence.changed_files import ChangedFile
from workers.evidence.path_kinds import is_test_path

_LONG_FUNCTION = 100  # statements' lines
_SQL = re.compile(
    r"(?i)^\s*(?:select\b.+\bfrom\b|insert\s+into\b|update\b.+\bset\b|delete\s+from\b|drop\s+table\b)", re.S
)
_BROAD = frozenset({"Exception", "BaseException"})
_LOADERS = frozenset(
    {
        "pickle.load",
        "pickle.loads",
        "cPickle.loads",
        "dill.loads",
        "marshal.loads",
        "shelve.open",
        "jsonpickle.decode",
    }
)


@dataclass(frozen=True, slots=True)
class Noted:
    """Something that a rule found in a line."""

    line: int
    rule: str
    dimension: str
    severity: str
    text: str  # what the file does, after its name
    fix: str = ""


def review_python(file: ChangedFile) -> Iterator[Noted]:
    """What the rules find in the whole file; nothing where it is no Python."""
    if not file.path.endswith(".py"):
        return
    try:
        module = ast.parse(file.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    is_test = is_test_path(file.path)
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            yield from _call(node, is_test)
        elif isinstance(node, ast.ExceptHandler) and not is_test:
            yield from _handler(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _function(node, is_test)
        elif isinstance(node, ast.Assign) and _sets_unverified(node):
            yield Noted(
                node.lineno,
                "tls",
                "security",
                CRITICAL,
                "accepts any certificate",
                "trust the right authority",
            )


def _call(node: ast.Call, is_test: bool) -> Iterator[Noted]:
    name = dotted(node.func)
    line = node.lineno
    keywords = {each.arg: each.value for each in node.keywords}
    if name in ("breakpoint", "pdb.set_trace", "ipdb.set_trace", "pudb.set_trace"):
        yield Noted(line, "debugger", "quality", MEDIUM, "stops in a debugger", "remove it")
    if is_test:
        return
    if (
        name in ("eval", "exec", "builtins.eval", "builtins.exec")
        and node.args
        and not _is_fixed(node.args[0])
    ):
        yield Noted(
            line, "eval", "security", CRITICAL, "runs text as code", "parse the text, or choose by a table"
        )
    shell = keywords.get("shell")
    if isinstance(shell, ast.Constant) and shell.value is True and node.args and not _is_fixed(node.args[0]):
        yield Noted(
            line,
            "shell",
            "security",
            CRITICAL,
            "runs a built command in a shell",
            "give a list, without a shell",
        )
    if (
        name in ("os.system", "os.popen", "subprocess.getoutput")
        and node.args
        and not _is_fixed(node.args[0])
    ):
        yield Noted(
            line,
            "shell",
            "security",
            CRITICAL,
            "runs a built command in a shell",
            "use subprocess with a list",
        )
    if name in _LOADERS and not (node.args and _is_fixed(node.args[0])):
        yield Noted(
            line,
            "pickle",
            "security",
            HIGH,
            "reads objects from bytes, which can run code",
            "use a data format",
        )
    if name == "yaml.load" and not _is_safe_loader(node, keywords):
        yield Noted(line, "pickle", "security", HIGH, "reads YAML that can make any object", "use safe_load")
    verify = keywords.get("verify")
    if isinstance(verify, ast.Constant) and verify.value is False and name.rpartition(".")[2] in _REQUESTS:
        yield Noted(line, "tls", "security", CRITICAL, "accepts any certificate", "trust the right authority")
    if name.endswith("_create_unverified_context"):
        yield Noted(line, "tls", "security", CRITICAL, "accepts any certificate", "trust the right authority")
    if (
        name.rpartition(".")[2] in ("execute", "executemany", "executescript", "raw")
        and node.args
        and _is_built_sql(node.args[0])
    ):
        yield Noted(line, "sql", "security", CRITICAL, "builds SQL out of text", "use parameters")


_REQUESTS = frozenset(
    {"get", "post", "put", "patch", "delete", "head", "request", "Client", "AsyncClient", "Session", "stream"}
)


def _is_safe_loader(node: ast.Call, keywords: dict[str | None, ast.expr]) -> bool:
    loader = keywords.get("Loader") or (node.args[1] if len(node.args) > 1 else None)
    return loader is not None and "Safe" in dotted(loader)


def _is_fixed(node: ast.expr) -> bool:
    """Whether the text is written out: nothing from outside can be in it."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.BinOp):
        return _is_fixed(node.left) and _is_fixed(node.right)
    if isinstance(node, ast.Call):  # compile("...", ...)
        return dotted(node.func) == "compile" and bool(node.args) and _is_fixed(node.args[0])
    return isinstance(node, ast.List | ast.Tuple) and all(_is_fixed(each) for each in node.elts)


def _is_built_sql(node: ast.expr) -> bool:
    """Whether a statement has values put into its text."""
    if isinstance(node, ast.JoinedStr):
        first = node.values[0] if node.values else None
        is_built = any(
            isinstance(each, ast.FormattedValue) and not _is_name_of_ours(each.value) for each in node.values
        )
        return is_built and isinstance(first, ast.Constant) and bool(_SQL.match(_whole(node)))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        left = node.left
        while isinstance(left, ast.BinOp):
            left = left.left
        return (
            isinstance(left, ast.Constant)
            and isinstance(left.value, str)
            and bool(_SQL.match(left.value + " from set"))
            and not _is_fixed(node)
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        text = node.func.value
        return isinstance(text, ast.Constant) and isinstance(text.value, str) and bool(_SQL.match(text.value))
    return False


def _whole(node: ast.JoinedStr) -> str:
    return "".join(str(each.value) if isinstance(each, ast.Constant) else "?" for each in node.values)


def _is_name_of_ours(node: ast.expr) -> bool:
    """A constant of the module, as `TABLE` or `self.TABLE`."""
    return bool(re.fullmatch(r"(?:\w+\.)*_?[A-Z][A-Z0-9_]*", dotted(node)))


def _handler(node: ast.ExceptHandler) -> Iterator[Noted]:
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    is_broad = any(kind is None or dotted(kind).rpartition(".")[2] in _BROAD for kind in kinds)
    does_nothing = all(
        isinstance(each, ast.Pass | ast.Continue)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in node.body
    )
    if is_broad and does_nothing:
        yield Noted(
            node.lineno,
            "swallowed",
            "quality",
            HIGH,
            "ignores every error",
            "catch what can be handled, and handle it",
        )


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, is_test: bool) -> Iterator[Noted]:
    length = (node.end_lineno or node.lineno) - node.lineno + 1
    if length > _LONG_FUNCTION:
        yield Noted(
            node.lineno,
            "long_function",
            "quality",
            LOW,
            f"adds the function {node.name} of {length} lines",
            "split it",
        )
    for default in (*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)):
        if isinstance(default, ast.List | ast.Dict | ast.Set) and not is_test:
            text = f"shares a default of {node.name} between its calls"
            yield Noted(
                default.lineno, "mutable_default", "quality", MEDIUM, text, "use None and make it inside"
            )


def _sets_unverified(node: ast.Assign) -> bool:
    names = [dotted(target) for target in node.targets]
    is_off = dotted(node.value) in ("ssl.CERT_NONE", "ssl._create_unverified_context")
    return is_off and any(name.endswith(("verify_mode", "_create_default_https_context")) for name in names)


def dotted(node: ast.expr) -> str:
    """`a.b.c` of names and attributes; empty for others."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    return ".".join([node.id, *parts]) if isinstance(node, ast.Name) else ""
