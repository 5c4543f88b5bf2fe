"""Patterns that are compiled at their first use (orchestrator/domain/patterns.py)."""

from __future__ import annotations

import copy
import gc
import pickle
import pkgutil
import re
import subprocess
import sys
import threading
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import orchestrator
import workers
from orchestrator.domain import patterns


def test_every_pattern_can_be_compiled() -> None:
    """A mistake in one is no error of the import."""
    for package in (orchestrator, workers):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            spec = find_spec(module.name)
            if spec is not None and spec.origin and "expression(" in Path(spec.origin).read_text():
                import_module(module.name)

    kinds = (patterns._LateRe, patterns._LateRegex)
    found = [each for each in gc.get_objects() if type(each) in kinds]
    for each in found:
        each.compiled()

    assert len(found) > 700


def test_a_late_pattern_is_what_it_stands_for() -> None:
    late, made = patterns.expression(r"(?P<a>\d)x", re.IGNORECASE), re.compile(r"(?P<a>\d)x", re.IGNORECASE)

    assert late.pattern == made.pattern
    assert late.sub("-", "1X 2x", count=1) == made.sub("-", "1X 2x", count=1)
    assert [each["a"] for each in late.finditer("1x 2X")] == ["1", "2"]
    assert (late.groupindex, late.flags, late.groups) == (made.groupindex, made.flags, made.groups)
    with pytest.raises(AttributeError):
        late.no_such_method  # type: ignore[attr-defined]  # noqa: B018


def test_threads_that_use_one_first_together_find_the_same() -> None:
    for _ in range(50):
        fresh = patterns.expression(r"(a+)b")
        gate, found = threading.Barrier(4), []

        def use(
            fresh: re.Pattern[str] = fresh, gate: threading.Barrier = gate, found: list[str] = found
        ) -> None:
            gate.wait()
            for match in (fresh.search("caab"), fresh.fullmatch("aab")):
                found.append(match[1] if match else "")

        threads = [threading.Thread(target=use) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

        assert found == ["aa"] * 8


def test_patterns_travel_and_are_copied() -> None:
    late = patterns.expression(r"a(b)")

    for _ in ("before its first use", "after"):
        for each in (copy.deepcopy(late), pickle.loads(pickle.dumps(late)), late):
            assert (each.sub(r"\1", "abab"), each.pattern) == ("bb", "a(b)")


def test_nothing_is_compiled_by_an_import() -> None:
    script = (
        "import re; made = []; before = re.compile; re.compile = lambda *each: made.append(each) or before(*each); "
        "import orchestrator.domain.request_forms; print(len(made))"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert int(done.stdout) <= 1  # of `inert`, which every output needs
