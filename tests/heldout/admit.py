"""Whether two releases make a task: what their tests show, three times in agreement."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from orchestrator.domain.evidence import BAD
from tests.heldout import archives
from tests.heldout.judge import outcomes, passed
from tests.heldout.recipes import Recipe
from tests.heldout.releases import Releases, releases

RUNS = 3
MOST_HIDDEN = 150  # a row stays readable


class Unfit(Exception):
    """Why two releases make no task."""


def admitted(candidate: Recipe, cache: Path = archives.CACHE) -> Recipe:
    """The candidate with the digests of its archives and its hidden tests. Raises Unfit, FetchError, RuntimeError.

    A task has at least one test of the release that fails with the base's source and passes with the release's; no test
    that passes at the base and no new one fails with the release's source; three runs agree about every test of both.
    """
    one, other = (
        archives.digest(archives.archive(cache, candidate.stack, candidate.package, version))
        for version in (candidate.base, candidate.release)
    )
    with releases(replace(candidate, base_sha256=one, release_sha256=other), cache) as pair:
        hidden = hidden_tests(pair)
        return replace(pair.recipe, hidden=tuple(hidden))


def hidden_tests(pair: Releases) -> list[str]:
    """The ids that only the release's source passes. Raises Unfit, RuntimeError."""
    if not pair.source:
        raise Unfit("the releases differ in no source")
    if not pair.tests:
        raise Unfit("the releases differ in no test")
    first = base, unsolved, gold = _runs(pair)
    hidden = passed(gold) - passed(unsolved)
    if not hidden:
        raise Unfit("no test fails with the base's source and passes with the release's")
    if len(hidden) > MOST_HIDDEN:
        raise Unfit(f"{len(hidden)} tests show the change: more than {MOST_HIDDEN}")
    broken = sorted(test for test in passed(base) - passed(gold) if test in gold or not _may_go(pair, test))
    if broken:
        raise Unfit(f"the release breaks {', '.join(broken[:5])}")
    if failing := sorted(test for test in gold if test not in base and gold[test] in BAD):
        raise Unfit(f"new tests of the release fail here: {', '.join(failing[:5])}")
    if any(_runs(pair) != first for _ in range(RUNS - 1)):
        raise Unfit(f"{RUNS} runs do not agree")
    return sorted(hidden)


def _runs(pair: Releases) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """The tests of the base, those of the release over the base's source, and over its own."""
    return (
        outcomes(pair, pair.base),
        outcomes(pair, pair.base, lambda tree: pair.bring(pair.tests, tree)),
        outcomes(pair, pair.base, lambda tree: pair.bring([*pair.source, *pair.tests], tree)),
    )


def _may_go(pair: Releases, test: str) -> bool:
    """Whether the release may have deleted the test: its file differs."""
    return test.partition("::")[0] in pair.tests


def row(recipe: Recipe) -> str:
    """The recipe as a row of recipes.toml."""
    one_line = (*("name", "stack", "package", "base", "release", "base_sha256", "release_sha256"), "kind")
    lines = ["[[recipe]]", *(f"{name} = {json.dumps(getattr(recipe, name))}" for name in one_line)]
    lines.append(f"request = {json.dumps(recipe.request, ensure_ascii=False)}")
    lines.append(f"requirements = {json.dumps(list(recipe.requirements))}")
    return "\n".join([*lines, f"hidden = [{_lines(recipe.hidden)}]", ""])


def _lines(ids: Sequence[str]) -> str:
    return "\n" + "".join(f"  {json.dumps(each, ensure_ascii=False)},\n" for each in ids)
