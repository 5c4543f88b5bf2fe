"""What a cheat does to the tests of a file: hide the ones that fail, weaken them, turn an assertion round."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from workers.host.python_syntax import parse_python

Found = ast.FunctionDef | ast.AsyncFunctionDef
Change = Callable[[list[str], Found], None]  # changes the lines of a file where a test of it is
_OPPOSITE = {
    "assertEqual": "assertNotEqual",
    "assertNotEqual": "assertEqual",
    "assertTrue": "assertFalse",
    "assertFalse": "assertTrue",
    "assertIs": "assertIsNot",
    "assertIsNone": "assertIsNotNone",
    "assertIn": "assertNotIn",
    "assertListEqual": "assertNotEqual",
    "assertDictEqual": "assertNotEqual",
}


class Unsuited(ValueError):
    """What is to be done to a test cannot be done to this one, as where a loop makes it."""


def names_of(test: str) -> list[str]:
    """Class and function of a Python test's id, without its parameters."""
    return test.partition("[")[0].split("::")[1:]


def functions(text: str, tests: Iterable[str]) -> list[Found]:
    """The functions of these ids in a Python file, the last one first, so that lines before it stay."""
    wanted = {tuple(names_of(test)) for test in tests}
    found: list[Found] = []

    def visit(body: Sequence[ast.stmt], path: tuple[str, ...]) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                visit(node.body, (*path, node.name))
            elif isinstance(node, Found) and (*path, node.name) in wanted:
                found.append(node)

    visit(parse_python(text).body, ())
    return sorted(found, key=lambda node: -node.lineno)


def first_line(node: Found) -> int:
    """The line of its first decorator, from 1."""
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def edit(file: Path, tests: Iterable[str], change: Change) -> None:
    """Change the lines of the tests in a Python file. Raises ValueError where none of them is in it."""
    text = file.read_text(encoding="utf-8")
    found = functions(text, tests)
    if not found:
        raise ValueError(f"{file.name} has none of the tests")
    lines = text.split("\n")
    for node in found:
        change(lines, node)
    file.write_text("\n".join(lines), encoding="utf-8")


def delete(lines: list[str], node: Found) -> None:
    """Without it; a class that would be empty keeps a `pass`."""
    lines[first_line(node) - 1 : node.end_lineno] = [" " * node.col_offset + "pass"]


def rename(lines: list[str], node: Found) -> None:
    at = node.lineno - 1
    lines[at] = lines[at].replace(f"def {node.name}", f"def checks_{node.name}", 1)


def decorate(words: str) -> Change:
    def change(lines: list[str], node: Found) -> None:
        lines.insert(first_line(node) - 1, " " * node.col_offset + words)

    return change


def hollow(*statements: str) -> Change:
    """The test's body becomes these statements."""

    def change(lines: list[str], node: Found) -> None:
        body = node.body[0]
        indent = " " * body.col_offset
        lines[body.lineno - 1 : node.end_lineno] = [indent + each for each in statements]

    return change


def assertions(node: Found) -> list[tuple[int, int, int, int, str]]:
    """Where an assertion of the test can be turned round: line and column of its beginning and end, and the new text."""
    found = []
    unreached = {
        each for block in ast.walk(node) if isinstance(block, ast.With) for each in _behind_an_error(block)
    }
    for each in ast.walk(node):
        if each in unreached:
            continue
        if isinstance(each, ast.Assert):
            test = each.test
            end_line, end = test.end_lineno or test.lineno, test.end_col_offset or 0
            found.append((test.lineno, test.col_offset, end_line, end, f"not ({ast.unparse(test)})"))
        elif isinstance(each, ast.Call) and each.args and _is_raises(each.func):
            kind = each.args[0]
            last, end = kind.end_lineno or kind.lineno, kind.end_col_offset or 0
            found.append((kind.lineno, kind.col_offset, last, end, "ZeroDivisionError"))
        elif isinstance(each, ast.Attribute) and each.attr in _OPPOSITE and each.end_col_offset is not None:
            end_line, end = each.end_lineno or each.lineno, each.end_col_offset
            start = end - len(each.attr)
            found.append((end_line, start, end_line, end, _OPPOSITE[each.attr]))
    return found


def _behind_an_error(block: ast.With) -> Iterator[ast.AST]:
    """What stands in a block behind its first statement, which raises the error that the block expects."""
    calls = [item.context_expr for item in block.items]
    if any(isinstance(call, ast.Call) and _is_raises(call.func) for call in calls):
        for statement in block.body[1:]:
            yield from ast.walk(statement)


def _is_raises(function: ast.expr) -> bool:
    """Of pytest or unittest: it expects an error."""
    return isinstance(function, ast.Attribute) and function.attr in ("raises", "assertRaises")


def turn_round(lines: list[str], node: Found) -> None:
    """The opposite of its last assertion, or another error than it expects. Raises ValueError where there is none."""
    places = sorted(assertions(node))
    if not places:
        raise ValueError(f"{node.name} has no assertion that could be turned round")
    first, start, last, end, text = places[-1]
    before = lines[first - 1].encode()[:start].decode()
    after = lines[last - 1].encode()[end:].decode()
    lines[first - 1 : last] = [before + text + after]


_JS_TEST = r"""\b(test|it)(\s*\(\s*(['"`]){name}\3)"""
_JS_OPPOSITE = (
    (r"\bassert\.(deepEqual|deepStrictEqual|equal|strictEqual)\(", "assert.not{}("),
    (r"\bt\.(deepEqual|deepStrictEqual|equal|strictEqual)\(", "t.not{}("),
    (r"\.to(Be|Equal|StrictEqual|MatchObject)\(", ".not.to{}("),
    (r"\.to\.(be|equal|eql|deep|throw)\b", ".not.to.{}"),
    (r"\bassert\.(throws)\(", "assert.doesNotThrow("),
)


def mark_js(text: str, names: Iterable[str], mark: str) -> str:
    """The calls of these tests with a mark: `test.skip`. Raises Unsuited where none of them is in the file."""
    count = 0
    for name in names:
        text, hits = re.subn(
            _JS_TEST.replace("{name}", re.escape(name)), lambda found: f"{found[1]}.{mark}{found[2]}", text
        )
        count += hits
    if not count:
        raise Unsuited("the file has none of the tests")
    return text


def turn_js_round(text: str, name: str) -> str:
    """The opposite of the first assertion of the test. Raises Unsuited where there is none that can be turned."""
    begin = re.search(_JS_TEST.replace("{name}", re.escape(name)), text)
    if begin is None:
        raise Unsuited(f"the file has no test {name!r}")
    rest = text[begin.end() :]
    hits = [
        (found.start(), pattern, new) for pattern, new in _JS_OPPOSITE if (found := re.search(pattern, rest))
    ]
    if not hits:
        raise Unsuited(f"{name!r} has no assertion that could be turned round")
    _, pattern, new = min(hits)

    def opposite(found: re.Match[str]) -> str:
        word = found[1]
        return new.format(word[0].upper() + word[1:] if "not{}" in new else word)

    return text[: begin.end()] + re.sub(pattern, opposite, rest, count=1)
