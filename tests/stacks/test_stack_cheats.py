"""Each cheat of a stack against the whole way from a plan to a commit: refused for a reason that it names."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.git_world import as_left, git
from tests.stacks.stack_cheats import STACK_CHEATS
from tests.stacks.toolchains import PLACE, environment, lacking, write_maven_settings
from tests.work.cheat_values import Place
from tests.work.editing import Editing, building
from tests.work.repositories import STACKS, apply

pytestmark = [
    pytest.mark.stacks,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(not PLACE or bool(lacking()), reason="`make stacks` installs what they need"),
]
TASK = "TASK-001"
RULE = re.compile(r"\(([a-z_]+)(?::[\w-]+)?\)")  # as a refusal names what it is for


@pytest.mark.parametrize(
    ("name", "do", "rules"),
    [pytest.param(name, do, rules, id=f"{name}-{what}") for name, what, do, rules in STACK_CHEATS],
)
def test_a_cheat_of_a_stack_lands_nothing(
    name: str, do: Callable[[Place], None], rules: frozenset[str], tmp_path: Path
) -> None:
    fixture = STACKS[name]

    def deed(tree: Path) -> None:
        apply(fixture.bad[TASK, "breaks_a_test"], tree)
        do(Place(tree, fixture.runner, fixture.broken[TASK, "breaks_a_test"]))

    harness = building(tmp_path, Editing(fixture, turns={TASK: [deed, lambda tree: None]}))
    write_maven_settings(tmp_path)
    harness.runtime.environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        **environment(Path(PLACE)),
    }
    row = harness.until("IMPL-001")
    before = as_left(harness.project)

    harness.run(row)

    assert as_left(harness.project) == before
    ((outcome, error),) = harness.rows("SELECT outcome, error FROM runs WHERE id = ?", row.run)
    assert outcome == "failed"
    assert set(RULE.findall(error)) & rules, error
    assert not git(harness.project, "branch", "--list", "lifecycle/*")
