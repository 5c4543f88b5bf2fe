"""Which files of a tree are its tests, or steer them."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from fnmatch import fnmatch

from workers.evidence.runner import Runner


def is_test_side(path: str, runners: Sequence[Runner]) -> bool:
    name = posixpath.basename(path)
    return any(
        each.is_test_file(path) or any(fnmatch(name, pattern) for pattern in each.steering_files)
        for each in runners
    )
