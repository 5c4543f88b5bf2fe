"""Two adjacent releases beside each other, the difference divided into source and tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from orchestrator.config.settings import WorkSettings
from tests.heldout import archives
from tests.heldout.recipes import Recipe
from workers.evidence.path_kinds import guarded_kind, is_lock_file, is_manifest
from workers.evidence.runner import Runner
from workers.evidence.runners import find_runners
from workers.evidence.test_side import is_mixed, is_test_side

SOURCE = frozenset({".py", ".pyi", ".js", ".cjs", ".mjs", ".ts", ".json"})
NO_SOURCE = frozenset({"doc", "docs", "example", "examples", "bench", "benchmark", "benchmarks", "build"})


@dataclass(frozen=True)
class Releases:
    """Both trees, and the environment of their tests."""

    recipe: Recipe
    base: Path
    release: Path
    made: Path  # archives.environment

    @property
    def environ(self) -> dict[str, str]:
        return archives.environ(self.recipe, self.made)

    @cached_property
    def changed(self) -> list[str]:
        """The paths that differ."""
        before, after = _files(self.base), _files(self.release)
        return sorted(
            path
            for path in before | after
            if path not in before
            or path not in after
            or (self.base / path).read_bytes() != (self.release / path).read_bytes()
        )

    @cached_property
    def _runners(self) -> list[Runner]:
        trees = (self.base, self.release)
        return [
            runner for tree in trees for runner in find_runners(tree, WorkSettings(), self.environ).runners
        ]

    @property
    def runner(self) -> str:
        """The name of the base's runner. Raises IndexError where it has none."""
        return self._runners[0].name

    @cached_property
    def tests(self) -> list[str]:
        """Those of the test side, without the configuration of linters, runners and CI."""
        return [path for path in self.changed if is_test_side(path, self._runners) and not guarded_kind(path)]

    @cached_property
    def source(self) -> list[str]:
        """Those of the source: code, and data beside it."""
        return [path for path in self.changed if path not in self.tests and _is_source(path)]

    def bring(self, paths: Iterable[str], tree: Path) -> None:
        """Give these files in `tree` the release's content; what the release has not is deleted."""
        for path in paths:
            file = tree / path
            if (self.release / path).exists():
                file.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.release / path, file)
            else:
                file.unlink(missing_ok=True)

    def action(self, path: str) -> str:
        """What the release does with the file, in the words of a plan."""
        if not (self.release / path).exists():
            return "delete"
        return "modify" if (self.base / path).exists() else "create"


def _is_source(path: str) -> bool:
    name = PurePosixPath(path)
    return (
        name.suffix in SOURCE
        and NO_SOURCE.isdisjoint(part.lower() for part in name.parts[:-1])
        and not (guarded_kind(path) or is_manifest(path) or is_lock_file(path) or is_mixed(path))
    )


def _files(tree: Path) -> set[str]:
    return {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()}


@contextmanager
def releases(recipe: Recipe, cache: Path = archives.CACHE) -> Iterator[Releases]:
    """Both releases, unpacked for as long as they are looked at. Raises FetchError.

    An empty digest of the recipe, which is a candidate then, stands for any archive.
    """
    cache.mkdir(exist_ok=True)
    one, other = (
        archives.archive(cache, recipe.stack, recipe.package, version, sha256 or None)
        for version, sha256 in ((recipe.base, recipe.base_sha256), (recipe.release, recipe.release_sha256))
    )
    made = archives.environment(cache, recipe)
    with TemporaryDirectory(dir=cache, prefix=f"{recipe.name}-") as name:
        folder = Path(name)
        yield Releases(
            recipe,
            archives.unpack(one, folder / "base"),
            archives.unpack(other, folder / "release"),
            made,
        )
