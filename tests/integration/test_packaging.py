"""What travels in the wheel and in the source archive."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT, Distributions


def in_wheel(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def in_sdist(sdist: Path) -> set[str]:
    with tarfile.open(sdist) as archive:
        return {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}


def in_checkout(*folders: str) -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.parametrize("folder", ["config", "migrations"])
def test_every_file_of_a_shipped_folder_is_in_the_wheel(distributions: Distributions, folder: str) -> None:
    expected = {f"orchestrator/_bundled/{path}" for path in in_checkout(folder)}

    found = in_wheel(distributions.wheel)

    assert expected
    assert expected <= found


def test_wheel_holds_the_two_packages_and_nothing_beside_them(distributions: Distributions) -> None:
    found = in_wheel(distributions.wheel)

    assert {name for name in found if name.endswith(".py")} >= in_python("orchestrator", "workers")
    assert {name.partition("/")[0] for name in found if ".dist-info/" not in name} == {
        "orchestrator",
        "workers",
    }
    assert not [name for name in found if name.endswith(".pyc")]


def in_python(*folders: str) -> set[str]:
    return {name for name in in_checkout(*folders) if name.endswith(".py")}


def test_wheel_names_its_command_its_license_and_its_types(distributions: Distributions) -> None:
    with zipfile.ZipFile(distributions.wheel) as archive:
        info = next(name.partition("/")[0] for name in archive.namelist() if ".dist-info/" in name)
        commands = archive.read(f"{info}/entry_points.txt").decode()
        license_text = archive.read(f"{info}/licenses/LICENSE").decode()

    assert "lifecycle = orchestrator.__main__:main" in commands
    assert "Team Lifecycle contributors" in license_text
    assert "orchestrator/py.typed" in in_wheel(distributions.wheel)


def test_sdist_holds_what_builds_tests_and_explains(distributions: Distributions) -> None:
    found = in_sdist(distributions.sdist)

    assert in_checkout("orchestrator", "workers", "config", "migrations", "docs") <= found
    assert {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "Makefile",
        "tests/conftest.py",
    } <= found
    assert not [name for name in found if name.startswith((".workflow", "demo/", ".venv"))]


def test_wheel_built_from_the_sdist_holds_the_same_files(
    distributions: Distributions, tmp_path: Path
) -> None:
    with tarfile.open(distributions.sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()

    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(tmp_path), str(source)],
        capture_output=True,
        text=True,
        timeout=170,
    )

    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert in_wheel(wheel) == in_wheel(distributions.wheel)
