"""The median."""

from __future__ import annotations

from collections.abc import Iterable


def median(values: Iterable[float]) -> float:
    """The middle value, or the mean of the middle two. Raises ValueError without a value.

    As `statistics.median`, which takes longer to load than all views of a session.
    """
    ordered = sorted(values)
    if not ordered:
        raise ValueError("no median of no values")
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
