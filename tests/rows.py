"""Rows of a parametrised test: a few in the common suite, the others in `make long`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def common(rows: Iterable[Any], kept: Iterable[Any]) -> list[Any]:
    """`rows`, of which all but the `kept` ones are marked `long`; a tuple has a value for each argument.

    Raises AssertionError for a kept one that is no row.
    """
    every, few = list(rows), list(kept)
    assert set(few) <= set(every), f"no rows: {sorted(set(few) - set(every))}"
    return [row if row in few else _long(row) for row in every]


def _long(row: Any) -> Any:
    values = row if isinstance(row, tuple) else (row,)
    return pytest.param(*values, marks=pytest.mark.long)
