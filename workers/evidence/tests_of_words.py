"""Tests that read the text of the changed source instead of running it: what they show is not what it does."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from orchestrator.domain.evidence import CRITICAL, Finding
from orchestrator.domain.inert import one_line
from orchestrator.domain.patterns import expression
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.code_only import code_of, language_of
from workers.evidence.path_kinds import is_test_path
from workers.evidence.python_tampering import text_of
from workers.host.python_syntax import parse_python

CHECK = "tests_edited"
_READING = frozenset({"open", "read_text", "read_bytes"})
_SOURCE_OF = frozenset({"getsource", "getsourcelines"})
_OF_NODE = expression(r"\breadFile(?:Sync)?\s*\(")
_MADE = expression(r"te?mp|out|dest|target", re.IGNORECASE)  # names of folders that a test writes to


def tests_of_words(changes: Changes, is_test: Callable[[str], bool] = is_test_path) -> list[Finding]:
    """A finding for each added line of a test that reads a changed source file."""
    sources = {
        file.path: file.path.rpartition("/")[2]
        for file in changes.files
        if language_of(file.path) and not is_test(file.path)
    }
    names = frozenset(name for name in sources.values() if name != "__init__.py")
    found = []
    for file in changes.files:
        if file.is_deleted or not sources or not is_test(file.path):
            continue
        for line, name in _readings(file, names):
            if line in file.added_numbers:
                text = f"{file.path} tests the words of {name}, and not what it does"
                quote = one_line(file.line(line).strip(), 200)
                fix = "run the code, and test what it does"
                found.append(
                    Finding(
                        CHECK, CRITICAL, "test_reads_source", text, file.path, line, quote, fix, blocks=True
                    )
                )
    return list(dict.fromkeys(found))


def _readings(file: ChangedFile, names: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Lines that read one of these files, and which."""
    if language_of(file.path) == "python":
        try:
            module = parse_python(file.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        for node in ast.walk(module):
            if isinstance(node, ast.Call):
                yield from ((node.lineno, name) for name in _read_by(node, names))
        return
    code = code_of(file.path, file.text)
    if code is None or code.language != "javascript":
        return
    for number, line in enumerate(code.text.split("\n"), 1):
        if _OF_NODE.search(code.code.split("\n")[number - 1]) and not _MADE.search(line):
            yield from (
                (number, name) for name in names if re.search(rf"[\"'`/]{re.escape(name)}[\"'`]", line)
            )


def _read_by(node: ast.Call, names: frozenset[str]) -> Iterator[str]:
    func = node.func
    does = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    if does in _SOURCE_OF:
        yield "the source"
    elif does in _READING:
        inner = list(ast.walk(node))
        made = any(isinstance(each, ast.Name) and _MADE.search(each.id) for each in inner)
        texts = [text_of(each) for each in inner if isinstance(each, ast.expr)]
        if not made:
            yield from {text.rpartition("/")[2] for text in texts} & names
