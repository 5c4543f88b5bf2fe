"""Which version is the older one, and snapshots of a version that this program does not know."""

from __future__ import annotations

import pytest

from orchestrator.config.snapshots import upgraded
from orchestrator.domain.errors import StoreError
from orchestrator.domain.pipelines import SNAPSHOT
from orchestrator.domain.versions import is_older


@pytest.mark.parametrize(
    ("version", "than", "older"),
    [
        ("0.1.0", "0.1.0", False),
        ("0.1.0", "0.1.1", True),
        ("0.9.0", "0.10.0", True),
        ("1.0", "0.10.0", False),
        ("", "0.1.0", True),
        ("0.1.0+local.7", "0.1.0", False),
        ("0.1", "0.1.0", True),
    ],
)
def test_versions_are_compared_by_their_numbers(version: str, than: str, older: bool) -> None:
    assert is_older(version, than) is older


def test_a_snapshot_of_a_later_form_is_refused_with_what_to_do() -> None:
    with pytest.raises(StoreError) as refused:
        upgraded({"version": SNAPSHOT + 1})

    assert "newer version" in refused.value.what and "install" in refused.value.fix
