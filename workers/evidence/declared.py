"""What a plan task declared that it would do: the checks of its candidate are stricter about everything else."""

from __future__ import annotations

import re
from collections.abc import Mapping

from orchestrator.domain.dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class Declared:
    """What a candidate may do. Paths are relative to the tree; one that ends in `/` is a folder with all below it."""

    files: frozenset[str] = frozenset()  # that the task names
    tests_may_change: Mapping[str, str] = field(default_factory=dict)  # path -> reason
    new_dependencies: frozenset[str] = frozenset()
    forbidden: frozenset[str] = frozenset()  # paths that the task must not touch

    def names(self, path: str) -> bool:
        """Whether the task names this file, or a folder above it."""
        return is_covered(path, self.files)

    def reason_to_change(self, path: str) -> str | None:
        """Why this test may change; empty when declared without a reason, None when not declared."""
        for declared, reason in self.tests_may_change.items():
            if is_covered(path, (declared,)):
                return reason.strip()
        return None

    def allows_dependency(self, name: str) -> bool:
        """Whether a dependency was declared; spelling as the package indexes compare it."""
        return plain_name(name) in {plain_name(each) for each in self.new_dependencies}


def is_covered(path: str, declared: frozenset[str] | tuple[str, ...]) -> bool:
    """Whether `path` is one of these, or below one that ends in `/`."""
    return any(path == each or (each.endswith("/") and path.startswith(each)) for each in declared)


def plain_name(name: str) -> str:
    """A dependency's name without version, extras and differences of spelling."""
    found = re.split(r"(?<!^)[@=<>!~;\[\s(]", name.strip(), maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", found).lower()
