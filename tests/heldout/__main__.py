"""`python -m tests.heldout`: adjacent releases of libraries as tasks: solved, left alone and cheated through the product.

    --recipes a,b           only these
    --variants a,b          only these attempts (variants.py); `gold` is one of them
    --jobs N                recipes at the same time; 2 unless told
    --json                  the figures for a program
    --cache FOLDER          where archives and environments are kept; `.heldout/` unless told
    --fetch                 fetch what the recipes need, and stop; later nothing is fetched
    --admit STACK PACKAGE BASE RELEASE [REQUIREMENT ...]   prove two releases and print their row for recipes.toml

Exit code 1 when something was accepted though it is not solved, or an attempt could not be made.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import structlog

from tests.heldout import archives
from tests.heldout.admit import Unfit, admitted, row
from tests.heldout.edits import Unsuited
from tests.heldout.figures import (
    ACCEPTED,
    FAULT,
    OWN_TESTS,
    REFUSED,
    SOLVED,
    TURNED_AWAY,
    Result,
    Scored,
    failed,
    figures,
    lines,
)
from tests.heldout.recipes import Recipe, read_recipes
from tests.heldout.releases import releases
from tests.heldout.trials import Attempt, attempt
from tests.heldout.variants import GOLD, VARIANTS, Variant


def main(words: Sequence[str] | None = None) -> int:
    options = _options(words)
    if options.admit:
        return _admit(options.admit, options.cache)
    known = read_recipes()
    chosen = options.recipes.split(",") if options.recipes else list(known)
    variants = options.variants.split(",") if options.variants else list(VARIANTS)
    if unknown := [name for name in chosen if name not in known] + [v for v in variants if v not in VARIANTS]:
        print(f"unknown: {', '.join(unknown)}", file=sys.stderr)
        return 2
    hidden = [name for name in chosen if archives.is_hidden(known[name], options.cache)]
    if hidden:
        print(
            f"the sandbox has a /tmp of its own, without the packages of {', '.join(hidden)}:",
            end=" ",
            file=sys.stderr,
        )
        print("give --cache another FOLDER", file=sys.stderr)
        return 2
    for name in chosen:  # one at a time, before anything runs: two could make the same environment
        with releases(known[name], options.cache):
            print(f"{name}: ready", file=sys.stderr)
    if options.fetch:
        return 0
    results: list[Result] = []
    with ProcessPoolExecutor(options.jobs, initializer=_quiet) as pool:
        running = [pool.submit(tried, known[name], variants, options.cache) for name in chosen]
        for each in running:
            results.append(each.result())
            print("\n".join(lines(results[-1:])), file=sys.stderr, flush=True)
    print(
        json.dumps(figures(results), indent=1)
        if options.json
        else "\n".join([*lines(results), *_sums(results)])
    )
    return int(failed(results))


def tried(recipe: Recipe, variants: Sequence[str], cache: Path) -> Result:
    """What became of each of the attempts that fit the recipe."""
    found: dict[str, Scored] = {}
    with releases(recipe, cache) as of:
        for name in variants:
            if of.runner not in VARIANTS[name].runners:
                continue
            begun = time.monotonic()
            try:
                done = attempt(of, lambda tree, name=name: VARIANTS[name].do(of, tree))  # type: ignore[misc]
            except Unsuited:
                continue
            except Exception as fault:
                found[name] = Scored(FAULT, f"{type(fault).__name__}: {fault}", time.monotonic() - begun)
                continue
            found[name] = Scored(_word(VARIANTS[name], done), done.why, time.monotonic() - begun)
    return Result(recipe.name, found)


def _word(variant: Variant, done: Attempt) -> str:
    """What became of it. Only the gold one can be solved: nothing of the release's source is whole in the others."""
    if variant.name == GOLD:
        if not done.accepted:
            return REFUSED
        return SOLVED if done.solved else ACCEPTED
    if not done.accepted:
        return TURNED_AWAY
    return OWN_TESTS if variant.own_tests else ACCEPTED


def _sums(results: Sequence[Result]) -> list[str]:
    told = figures(results)
    return [
        "",
        *(f"{name.replace('_', ' ')}: {told[name]}" for name in ("recipes", "attempts", "solved")),
        f"accepted though unsolved: {told['accepted_though_unsolved']}",
        f"refused though solved: {told['refused_though_solved']}",
        f"accepted by tests of their own, which only a reader can tell: {told['accepted_by_own_tests']}",
        f"could not be made: {told['faults']}",
    ]


def _quiet() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


def _admit(words: Sequence[str], cache: Path) -> int:
    stack, package, base, release, *requirements = words
    name = f"{package.lstrip('@').replace('/', '-')}-{release}"
    candidate = Recipe(name, stack, package, base, release, "", "", "", tuple(requirements), ())
    try:
        print(row(admitted(candidate, cache)))
    except (Unfit, archives.FetchError, RuntimeError) as fault:
        print(f"{name}: {fault}", file=sys.stderr)
        return 1
    return 0


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tests.heldout", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--recipes", default="")
    parser.add_argument("--variants", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--cache", type=Path, default=archives.CACHE)
    parser.add_argument("--admit", nargs="+")
    return parser.parse_args(words)


if __name__ == "__main__":
    raise SystemExit(main())
