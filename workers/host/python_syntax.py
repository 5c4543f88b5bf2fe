"""Python's own parser for threads: up to Python 3.12 two that build a tree at the same time disturb each other."""

from __future__ import annotations

import ast
import threading

_ONE_AT_A_TIME = threading.RLock()  # a finalizer that runs within may parse, too


def parse_python(source: str | bytes) -> ast.Module:
    """The tree of the source.

    The interpreter counts the depth of all trees that are being built in one place: where a collection of garbage lets
    another thread go on meanwhile, it raises SystemError ("AST constructor recursion depth mismatch", python/cpython#106905).

    Raises SyntaxError, ValueError, RecursionError and MemoryError, as `ast.parse` does.
    """
    with _ONE_AT_A_TIME:
        return ast.parse(source)
