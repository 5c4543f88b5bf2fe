"""Versions of this program: which of two is the older one."""

from __future__ import annotations

import re


def is_older(version: str, than: str) -> bool:
    """Whether `version` comes before `than`; one that is not known (empty) comes before all others."""
    return _numbers(version) < _numbers(than)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version.partition("+")[0])))
