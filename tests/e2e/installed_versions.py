"""Two versions of the product, each in a virtual environment of its own: this checkout's, and that of an earlier commit."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, Distributions
from tests.e2e.postgres_project import OnPostgres
from tests.e2e.support import Lifecycle
from tests.e2e.test_install import SITE_PACKAGES, install_wheel
from tests.patience import patient

EARLIER = (
    "0.0.9"  # what the earlier one is called here: a release would have another number than the one before
)

Edits = Mapping[str, tuple[str, str]]
NUMBERED: Edits = {"orchestrator/__init__.py": ('__version__ = "0.1.0"', f'__version__ = "{EARLIER}"')}


def install(wheel: Path, folder: Path) -> Path:
    """The `lifecycle` of an environment with this wheel; its dependencies are those of the tests' own."""
    venv.create(folder / "venv", with_pip=False, symlinks=True)
    install_wheel(folder / "venv" / "bin" / "python", Distributions(wheel, wheel), folder)
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(SITE_PACKAGES)  # behind its own packages
    return folder / "venv" / "bin" / "lifecycle"


def wheel_of(commit: str, folder: Path) -> Path:
    """The wheel of a commit, under the number EARLIER. Skips where the history does not have it."""
    found = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=False)
    if found.returncode != 0:
        pytest.skip(f"the history here does not have {commit}: {found.stderr.decode().strip()}")
    source = folder / "source"
    with tarfile.open(fileobj=io.BytesIO(found.stdout)) as archive:
        archive.extractall(source, filter="data")
    return _built(source, folder, NUMBERED)


def wheel_of_checkout(distributions: Distributions, folder: Path, edits: Edits) -> Path:
    """The wheel of this checkout with edits: file -> a text in it and what stands there instead."""
    source = folder / "source"
    with tarfile.open(distributions.sdist) as archive:
        archive.extractall(source, filter="data")
    (checkout,) = source.iterdir()
    (checkout / "PKG-INFO").unlink()  # else the wheel has the number that stands there
    return _built(checkout, folder, edits)


def _built(source: Path, folder: Path, edits: Edits) -> Path:
    for name, (text, instead) in edits.items():
        file = source / name
        before = file.read_text(encoding="utf-8")
        assert before.count(text) == 1, f"{text!r} is {before.count(text)} times in {name}"
        file.write_text(before.replace(text, instead), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(folder), str(source)],
        capture_output=True,
        text=True,
        timeout=patient(170),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


def replace_with(wheel: Path, program: Path, folder: Path) -> None:
    """Install the wheel where that `lifecycle` is, as a person does: the one that is there is uninstalled first."""
    done = subprocess.run(
        [
            sys.executable,
            *("-m", "pip", "--python", str(program.with_name("python")), "install", "--quiet", "--no-deps"),
            *("--no-index", "--force-reinstall", "--disable-pip-version-check", str(wheel)),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=patient(170),
    )
    assert done.returncode == 0, done.stdout + done.stderr


class Installed(Lifecycle):
    """`Lifecycle` with the command of an environment; `program` may become that of another one."""

    program: Path

    def use(self, program: Path) -> None:
        self.program = program
        self.environment.pop("PYTHONPATH", None)

    def command(self, *arguments: str) -> list[str]:
        return [str(self.program), *arguments]

    def run(self, *arguments: str, **options: Any) -> Any:
        return super().run(
            *arguments, cwd=self.folder, **options
        )  # with an option: it is started, not forked


class InstalledOnPostgres(Installed, OnPostgres):
    """The same with the database at `address`."""

    def __init__(
        self, folder: Path, address: str, settings: Mapping[str, Any] | None = None, extra: str = ""
    ) -> None:
        OnPostgres.__init__(self, folder, address, settings, extra)
