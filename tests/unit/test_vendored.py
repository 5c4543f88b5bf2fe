"""The JavaScript of others in the pages is exactly what its lock says."""

from __future__ import annotations

import pytest

from tests.vendored import FOLDER, LOCK, locked, sha512

FILES = {name: entry["sha512"] for package in locked().values() for name, entry in package["files"].items()}


@pytest.mark.parametrize("name", FILES)
def test_a_vendored_file_has_the_hash_of_the_lock(name: str) -> None:
    assert sha512((FOLDER / name).read_bytes()) == FILES[name]


def test_every_vendored_file_is_in_the_lock() -> None:
    assert {file.name for file in FOLDER.iterdir()} == {*FILES, LOCK.name}


def test_each_package_comes_with_its_licence() -> None:
    for name, package in locked().items():
        assert package["license"], name
        assert any(written.endswith("LICENSE") for written in package["files"]), name
