"""The rules of a review for Python, by the syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.evidence import CRITICAL, HIGH, LOW, MEDIUM
from orchestrator.domain.patterns import expression
from workers.evidence.changed_files import ChangedFile
from workers.evidence.path_kinds import is_test_path
from workers.host.python_syntax import parse_python

_LONG_FUNCTION = 100  # statements' lines
_SQL = expression(
    r"(?i)^\s*(?:select\s.*\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s)", re.S
)
_CLAUSE = expression(r"(?i)\b(?:where|values|set|having)\b")  # without one it may be a sentence
_VALUE_BEFORE = expression(
    r"(?i)(?:[=<>]|\blike|\bvalues\s*\(|\bbetween|\band)\s*['\"%]?$"
)  # a value follows, not a name
_CHANGING = frozenset({"append", "extend", "insert", "update", "add", "setdefault", "pop", "remove", "clear"})
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
        module = parse_python(file.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    try:
        yield from list(_of_module(module, is_test_path(file.path)))
    except RecursionError:
        yield Noted(1, "too_deep", "quality", HIGH, "is nested too deeply to be reviewed")


def _of_module(module: ast.Module, is_test: bool) -> Iterator[Noted]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            yield from _call(node, is_test)
        elif isinstance(node, ast.ExceptHandler) and not is_test:
            yield from _handler(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _function(node, is_test)
        if isinstance(node, ast.expr) and not is_test and _puts_value(node):
            yield Noted(
                node.lineno,
                "sql",
                "security",
                CRITICAL,
                "puts a value into the text of SQL",
                "use parameters",
            )
        if isinstance(node, ast.Assign) and _sets_unverified(node):
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
    runs_sql = name.rpartition(".")[2] in ("execute", "executemany", "executescript", "raw") and bool(
        node.args
    )
    if runs_sql and not _puts_value(node.args[0]) and any(map(_SQL.match, _texts_before(node.args[0]))):
        fix = "choose it from a list"
        yield Noted(line, "sql_name", "security", LOW, "puts a name into the text of SQL", fix)


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


def _puts_value(node: ast.expr) -> bool:
    """Whether this makes SQL with a value in its text."""
    return any(
        _SQL.match(before) and _CLAUSE.search(before) and _VALUE_BEFORE.search(before)
        for before in _texts_before(node)
    )


def _texts_before(node: ast.AST) -> Iterator[str]:
    """The text before each value that is put into a text; nothing when it is written out, or when it is a constant's."""
    before = ""
    if isinstance(node, ast.JoinedStr):
        for part in node.values:
            if isinstance(part, ast.Constant):
                before += str(part.value)
            elif isinstance(part, ast.FormattedValue):
                if not _is_name_of_ours(part.value):
                    yield before
                before += "?"
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        yield from _before_places(node.left, r"%(?:\(\w+\))?[sdr]")
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for summand in _summed(node):
            if isinstance(summand, ast.Constant):
                before += str(summand.value)
            elif not _is_name_of_ours(summand):
                yield before
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        yield from _before_places(node.func.value, r"\{[^{}]*\}")


def _before_places(text: ast.expr, place: str) -> Iterator[str]:
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        for found in re.finditer(place, text.value):
            yield text.value[: found.start()]


def _summed(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _summed(node.left)
        yield from _summed(node.right)
    else:
        yield node


def _is_name_of_ours(node: ast.expr) -> bool:
    """A constant of the module, as `TABLE` or `self.TABLE`."""
    return bool(re.fullmatch(r"(?:\w+\.)*_?[A-Z][A-Z0-9_]*", dotted(node)))


def _handler(node: ast.ExceptHandler) -> Iterator[Noted]:
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    is_broad = any(kind is None or dotted(kind).rpartition(".")[2] in _BROAD for kind in kinds)
    is_total = any(kind is None or dotted(kind) == "BaseException" for kind in kinds)
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
            HIGH if is_total else MEDIUM,
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
    if is_test:
        return
    changed = set(_changed_names(node))
    plain = [*node.args.posonlyargs, *node.args.args]
    given = [*zip(plain[len(plain) - len(node.args.defaults) :], node.args.defaults, strict=True)]
    for argument, default in (*given, *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)):
        if isinstance(default, ast.List | ast.Dict | ast.Set) and argument.arg in changed:
            text = f"changes the default of {argument.arg}, which all calls of {node.name} share"
            fix = "use None and make it inside"
            yield Noted(default.lineno, "mutable_default", "quality", MEDIUM, text, fix)


def _changed_names(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """The names whose values the function changes in place."""
    for each in ast.walk(node):
        if (
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Attribute)
            and each.func.attr in _CHANGING
        ):
            yield dotted(each.func.value)
        elif isinstance(each, ast.Assign | ast.AugAssign | ast.Delete):
            targets = [each.target] if isinstance(each, ast.AugAssign) else each.targets
            for target in targets:
                if isinstance(target, ast.Subscript):
                    yield dotted(target.value)
                elif isinstance(each, ast.AugAssign):
                    yield dotted(target)


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
