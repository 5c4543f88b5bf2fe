"""What a Python test file holds, for pytest and unittest, by its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from workers.evidence.facts_of_tests import TestFact, TestFileFacts
from workers.host.python_syntax import parse_python

HOOKS = frozenset(  # of pytest: those that choose tests or change what becomes of them
    """
    pytest_runtest_makereport pytest_collection_modifyitems pytest_sessionfinish pytest_runtest_protocol
    pytest_runtest_call pytest_runtest_setup pytest_pyfunc_call pytest_ignore_collect pytest_report_teststatus
    pytest_runtest_logreport pytest_cmdline_main pytest_runtestloop pytest_pycollect_makeitem pytest_collect_file
    pytest_collection pytest_generate_tests pytest_load_initial_conftests pytest_itemcollected pytest_make_collect_report
    load_tests
    """.split()  # noqa: SIM905 - a list of words is read more easily as words
)
_IGNORED = frozenset({"collect_ignore", "collect_ignore_glob"})
_OUTCOMES = frozenset({"outcome", "exitstatus", "testsfailed", "wasxfail", "failureException"})
_SKIP_NAMES = frozenset(
    {
        "skip",
        "skipif",
        "skipIf",
        "skipUnless",
        "xfail",
        "skipTest",
        "SkipTest",
        "expectedFailure",
        "importorskip",
    }
)
_ASSERTING = (
    "assert",
    "check",
    "expect",
    "verify",
    "should",
    "must",
    "fail",
    "raises",
    "warns",
    "deprecated_call",
)
_SWALLOWING = frozenset({"AssertionError", "Exception", "BaseException"})
Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_facts(text: str) -> TestFileFacts:
    """The tests of a file; not `is_readable` where it is no Python."""
    try:
        module = parse_python(text)
        return _facts(module)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return TestFileFacts(is_readable=False)


def _facts(module: ast.Module) -> TestFileFacts:
    tests: dict[str, TestFact] = {}
    skips: dict[str, int] = {}
    hooks: dict[str, tuple[int, str]] = {}
    helpers: dict[str, str] = {}
    for node in module.body:
        if isinstance(node, Function) and node.name in HOOKS:
            hooks[node.name] = (node.lineno, _code(node))
        elif isinstance(node, Function) and node.name.startswith("test"):
            tests[node.name] = _test(node, node.name, ())
        elif isinstance(node, ast.ClassDef) and _holds_tests(node):
            _class(node, (), (), tests, helpers)
        elif isinstance(node, Function | ast.ClassDef):
            helpers[node.name] = _code(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            _assigned(node, skips, hooks, helpers)
        else:
            skips.update({kind: line for kind, line in _file_skips(node) if kind})
    file_skips = tuple(kind for kind in skips if kind.startswith("mark"))
    if file_skips:
        tests = {name: _with_skips(test, file_skips) for name, test in tests.items()}
    return TestFileFacts(tests, skips, hooks, helpers, dict(_tampering(module)))


def _class(
    node: ast.ClassDef,
    above: tuple[str, ...],
    inherited: tuple[str, ...],
    tests: dict[str, TestFact],
    helpers: dict[str, str],
) -> None:
    names = (*above, node.name)
    skips = (*inherited, *_skips_of(node.decorator_list))
    for each in node.body:
        if isinstance(each, ast.Assign | ast.AnnAssign):
            targets = [_name(target) for target in _targets(each)]
            if "pytestmark" in targets:
                skips = (*skips, *_skips_of([each.value] if each.value else []))
            if "__test__" in targets and _is_false(each.value):
                skips = (*skips, "__test__")
    for each in node.body:
        if isinstance(each, Function) and each.name.startswith("test"):
            name = ".".join((*names, each.name))
            tests[name] = _test(each, name, skips)
        elif isinstance(each, ast.ClassDef) and _holds_tests(each):
            _class(each, names, skips, tests, helpers)
        elif isinstance(each, Function | ast.ClassDef):
            helpers[".".join((*names, each.name))] = _code(each)


def _holds_tests(node: ast.ClassDef) -> bool:
    is_case = node.name.startswith("Test") or any(
        _name(base).endswith(("TestCase", "Tests")) for base in node.bases
    )
    return is_case or any(isinstance(each, Function) and each.name.startswith("test") for each in node.body)


def _with_skips(test: TestFact, skips: tuple[str, ...]) -> TestFact:
    return TestFact(test.name, test.line, test.body, test.assertions, (*test.skips, *skips), test.cases)


def _test(node: Function, name: str, inherited: tuple[str, ...]) -> TestFact:
    skips = [*inherited, *_skips_of(node.decorator_list)]
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and _name(inner.func) in (
            "skip",
            "skipTest",
            "xfail",
            "importorskip",
            "SkipTest",
        ):
            skips.append(_name(inner.func))
        elif isinstance(inner, ast.Raise) and inner.exc is not None and _name(inner.exc) == "SkipTest":
            skips.append("SkipTest")
    cases = sum(_cases(decorator) for decorator in node.decorator_list)
    code = _code(node, "test")  # so that a test that only got another name is found again
    return TestFact(name, node.lineno, code, tuple(_assertions(node.body)), tuple(skips), cases)


def _skips_of(expressions: Sequence[ast.expr]) -> list[str]:
    return [
        _name(inner)
        for expression in expressions
        for inner in ast.walk(expression)
        if isinstance(inner, ast.Attribute | ast.Name) and _name(inner) in _SKIP_NAMES
    ]


def _cases(decorator: ast.expr) -> int:
    """How many cases a `parametrize` writes out."""
    if not (
        isinstance(decorator, ast.Call) and _name(decorator.func) == "parametrize" and len(decorator.args) > 1
    ):
        return 0
    given = decorator.args[1]
    return len(given.elts) if isinstance(given, ast.List | ast.Tuple | ast.Set) else 0


def _assertions(body: Sequence[ast.stmt]) -> Iterator[str]:
    """What can fail in these statements, in the order that they run; nothing after an end, nothing that is swallowed."""
    for statement in body:
        if isinstance(statement, ast.Assert):
            if not _is_trivial(statement.test):
                yield ast.unparse(statement.test)
        elif isinstance(statement, ast.If | ast.While) and _is_false(statement.test):
            yield from _assertions(statement.orelse)
        elif isinstance(statement, ast.Try):
            if not any(_swallows(handler) for handler in statement.handlers):
                yield from _assertions(statement.body)
            for handler in statement.handlers:
                yield from _assertions(handler.body)
            yield from _assertions([*statement.orelse, *statement.finalbody])
        elif isinstance(statement, ast.With | ast.AsyncWith):
            yield from _with(statement)
        else:
            yield from _in_other(statement)
        if isinstance(statement, ast.Return | ast.Continue | ast.Break):
            return


def _with(statement: ast.With | ast.AsyncWith) -> Iterator[str]:
    for item in statement.items:
        call = item.context_expr
        if isinstance(call, ast.Call) and _name(call.func) == "suppress":
            if any(_name(each) in _SWALLOWING for each in call.args):
                return
        elif isinstance(call, ast.Call) and _is_assertion(call):
            yield ast.unparse(call)
    yield from _assertions(statement.body)


def _in_other(statement: ast.stmt) -> Iterator[str]:
    inner = [value for name in ("body", "orelse") for value in getattr(statement, name, [])]
    cases = [case.body for case in statement.cases] if isinstance(statement, ast.Match) else []
    if inner or cases:
        for body in (getattr(statement, "body", []), getattr(statement, "orelse", []), *cases):
            yield from _assertions(body)
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and _is_assertion(node):
            yield ast.unparse(node)


def _is_assertion(call: ast.Call) -> bool:
    name = _name(call.func)
    if name in ("assertTrue", "assertIsNotNone") and call.args and _is_true(call.args[0]):
        return False
    if (
        name in ("assertEqual", "assertIs")
        and len(call.args) > 1
        and ast.dump(call.args[0]) == ast.dump(call.args[1])
    ):
        return False
    return name.lstrip("_").lower().startswith(_ASSERTING)


def _is_trivial(test: ast.expr) -> bool:
    """Whether an assertion can never fail, as far as its text tells."""
    if isinstance(test, ast.BoolOp):
        parts = [_is_trivial(value) for value in test.values]
        return any(parts) if isinstance(test.op, ast.Or) else all(parts)
    if (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Eq | ast.Is | ast.LtE | ast.GtE)
    ):
        return ast.dump(test.left) == ast.dump(test.comparators[0]) and not _calls(test)
    if isinstance(test, ast.Tuple):
        return bool(test.elts)
    return _is_true(test)


def _calls(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Call) for each in ast.walk(node))


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and bool(node.value)


def _is_false(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Whether a failed assertion ends here."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    catches = any(kind is None or _name(kind) in _SWALLOWING for kind in kinds)
    return catches and not any(
        isinstance(node, ast.Raise | ast.Assert) or (isinstance(node, ast.Call) and _is_assertion(node))
        for each in handler.body
        for node in ast.walk(each)
    )


def _assigned(
    node: ast.Assign | ast.AnnAssign | ast.AugAssign,
    skips: dict[str, int],
    hooks: dict[str, tuple[int, str]],
    helpers: dict[str, str],
) -> None:
    for target in _targets(node):
        name = _name(target)
        if name == "pytestmark" and node.value is not None:
            skips.update({f"mark {kind}": node.lineno for kind in _skips_of([node.value])})
        elif name == "__test__" and _is_false(node.value):
            skips["__test__"] = node.lineno
        elif name in _IGNORED or name == "pytest_plugins" or name in HOOKS:
            hooks[name] = (node.lineno, _code(node))
        elif name:
            helpers[name] = _code(node)


def _targets(node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> list[ast.expr]:
    return list(node.targets) if isinstance(node, ast.Assign) else [node.target]


def _file_skips(node: ast.stmt) -> Iterator[tuple[str, int]]:
    """What ends the collection of a module when it is imported."""
    if isinstance(node, ast.If) and "__main__" in ast.dump(node.test):
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and _name(inner.func) in (
            "skip",
            "importorskip",
            "exit",
            "_exit",
            "SkipTest",
        ):
            yield f"{_name(inner.func)} at import", inner.lineno
        elif (
            isinstance(inner, ast.Raise)
            and inner.exc is not None
            and _name(inner.exc) in ("SkipTest", "SystemExit")
        ):
            yield f"{_name(inner.exc)} at import", inner.lineno


def _tampering(module: ast.Module) -> Iterator[tuple[str, int]]:
    """Assignments to outcomes, patches of the runner, and ends of the process in the middle of a test."""
    forks = any(isinstance(node, ast.Attribute) and node.attr == "fork" for node in ast.walk(module))
    for node in ast.walk(module):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            for target in _targets(node):
                if isinstance(target, ast.Attribute) and (
                    target.attr in _OUTCOMES or _root(target) in ("pytest", "_pytest", "unittest", "builtins")
                ):
                    yield f"assigns {target.attr}", node.lineno
        elif isinstance(node, ast.Call):
            name = _name(node.func)
            if (name == "_exit" and _root(node.func) == "os" and not forks) or (
                name == "force_result" and isinstance(node.func, ast.Attribute)
            ):
                yield f"calls {name}", node.lineno
            elif (
                name == "setattr"
                and node.args
                and _root(node.args[0]) in ("pytest", "_pytest", "unittest", "builtins")
            ):
                yield "patches the runner", node.lineno


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _name(node: ast.expr) -> str:
    """The last part of a dotted name or of what is called; empty for others."""
    if isinstance(node, ast.Call):
        return _name(node.func)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _code(node: ast.AST, name: str = "") -> str:
    """The code in one form, without docstring, comments and layout; `name`: instead of its own."""
    if not isinstance(node, Function | ast.ClassDef):
        return ast.dump(node)
    body, own = node.body, node.name
    if ast.get_docstring(node, clean=False) is not None:
        node.body = body[1:] or [ast.Pass()]
    node.name = name or own
    try:
        return ast.dump(node)
    finally:
        node.body, node.name = body, own
