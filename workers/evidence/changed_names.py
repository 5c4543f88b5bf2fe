"""Which names the changed source defined, and which of them are there no more.

A name is gone only where no changed source has it in its code any more, by whatever way it may be defined, imported or
exported there. What cannot be read has lost nothing, and neither has a change that begins to take over all names of a module.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.code_only import code_of, language_of
from workers.evidence.path_kinds import is_test_path
from workers.explore.symbols import parse
from workers.host.python_syntax import parse_python

_NO_SOURCE = expression(
    r"\.(?:md|rst|adoc|txt|json|toml|ya?ml|cfg|ini|conf|lock|xml|html?|s?css|svg|po|csv)$", re.IGNORECASE
)
_WORD = expression(r"\w+")
_CODE_WORD = expression(r"(?<![.\w])\w+|(?<=\.)\w+(?=\s*=(?!=))")  # of another's member only what is assigned
_QUOTED = expression(r"""(["'`])([\w.-]+)\1""")
_TAKES_ALL = expression(r"\bexport\s*\*\s*from\b[^\n;]*|\buse\s+[^;]*::\s*\*[^;]*")


@dataclass(frozen=True, slots=True)
class ChangedNames:
    """The names of a change of source, with those of its files."""

    all: frozenset[str] = frozenset()  # defined now or before
    gone: frozenset[str] = frozenset()  # those of them that are there no more
    values_gone: frozenset[str] = frozenset()  # texts of one word that the source had and has no more


def changed_names(changes: Changes) -> ChangedNames:
    """What the changed source files define and defined."""
    sources = [file for file in changes.files if not file.is_binary and not _NO_SOURCE.search(file.path)]
    before = [file for file in sources if not file.is_new and not is_test_path(file.path_before)]
    after = [file for file in sources if not file.is_deleted and not is_test_path(file.path)]
    defined = {name for file in before for name in _defined(file.path_before, file.text_before)}
    names = defined | {name for file in after for name in _defined(file.path, file.text)}
    everything = {word for file in after for word in _WORD.findall(file.text)}
    values = {value for file in before for value in _values(file.text_before)}
    gone = set[str]()
    if not any(file.unread for file in after) and not _takes_over_all(before, after):
        gone = defined - {word for file in after for word in _standing(file)}
    return ChangedNames(
        frozenset(name for name in names if not name.startswith("__")),
        frozenset(name for name in gone if not name.startswith("__")),
        frozenset(value for value in values if everything.isdisjoint(_WORD.findall(value))),
    )


def _defined(path: str, text: str) -> Iterable[str]:
    stem, _, ending = path.rpartition("/")[2].rpartition(".")
    symbols = parse(text, ending, late=lambda: False) if text else None
    return [stem, *(name for name, _kind in symbols.names)] if symbols else ()


def _values(text: str) -> Iterator[str]:
    return (found[2] for found in _QUOTED.finditer(text))


def _standing(file: ChangedFile) -> Iterator[str]:
    """The words that a file's place and its code have now, without those that are said in comments."""
    yield from _WORD.findall(file.path)
    if language_of(file.path) == "python":
        try:
            yield from _of_python(parse_python(file.text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            yield from _WORD.findall(file.text)
        return
    code = code_of(file.path, file.text)
    yield from (_WORD if code is None else _CODE_WORD).findall(file.text if code is None else code.code)
    for value in _values(file.text):
        yield from _WORD.findall(value)


def _of_python(module: ast.Module) -> Iterator[str]:
    """The names that are bound or used, also as text; an attribute of something else only where it is assigned."""
    for node in ast.walk(module):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.alias):
            yield from _WORD.findall(f"{node.name} {node.asname or ''}")
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value.split()) == 1:
            yield from _WORD.findall(node.value)


def _takes_over_all(before: Iterable[ChangedFile], after: Iterable[ChangedFile]) -> bool:
    """Whether a module begins to give names that its own text does not have."""
    had = {each for file in before for each in _given_unnamed(file.path_before, file.text_before)}
    return any(each not in had for file in after for each in _given_unnamed(file.path, file.text))


def _given_unnamed(path: str, text: str) -> Iterator[str]:
    if language_of(path) != "python":
        yield from (" ".join(found[0].split()) for found in _TAKES_ALL.finditer(text))
        return
    try:
        module = parse_python(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and any(each.name == "*" for each in node.names):
            yield f"{'.' * node.level}{node.module or ''}"
    for each in module.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__getattr__":
            yield each.name
