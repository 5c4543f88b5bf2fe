"""The product as users install it: in virtual environments outside the checkout, in projects with hostile names."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator import __version__
from tests.conftest import ROOT, Distributions
from tests.rows import common

SITE_PACKAGES = sysconfig.get_path("purelib")


@dataclass(frozen=True)
class Installed:
    """A virtual environment that has the product; its dependencies are those of the tests' own environment."""

    folder: Path
    kind: str

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def lifecycle(self, *arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        return run(self.folder / "bin" / "lifecycle", *arguments, cwd=cwd, **environment)

    def ask(self, expression: str, *, cwd: Path) -> str:
        imports = "import orchestrator, workers; from orchestrator.config import load_pack, resources"
        done = run(self.python, "-P", "-c", f"{imports}; print({expression})", cwd=cwd)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def run(
    program: Path | str, *arguments: str, cwd: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(program), *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def install_wheel(python: Path, built: Distributions, scratch: Path) -> None:
    pip_install(python, built.wheel, scratch=scratch)


def install_from_sdist(python: Path, built: Distributions, scratch: Path) -> None:
    pip_install(python, "--no-build-isolation", built.sdist, scratch=scratch)


def install_editable(python: Path, built: Distributions, scratch: Path) -> None:
    with tarfile.open(built.sdist) as archive:
        archive.extractall(scratch, filter="data")
    (checkout,) = (path for path in scratch.iterdir() if (path / "pyproject.toml").exists())
    pip_install(python, "--no-build-isolation", "--editable", checkout, scratch=scratch)


def pip_install(python: Path, *what: str | Path, scratch: Path) -> None:
    # The build backend comes from our own environment, so nothing is downloaded.
    done = run(
        sys.executable,
        *("-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"),
        *("--ignore-installed", "--disable-pip-version-check", *map(str, what)),
        cwd=scratch,
        PYTHONPATH=SITE_PACKAGES,
    )
    assert done.returncode == 0, done.stdout + done.stderr


WAYS: dict[str, Callable[[Path, Distributions, Path], None]] = {
    "wheel": install_wheel,
    "sdist": install_from_sdist,
    "editable": install_editable,
}


@pytest.fixture(scope="module", params=common(WAYS, ["wheel"]))
def installed(
    request: pytest.FixtureRequest, distributions: Distributions, tmp_path_factory: pytest.TempPathFactory
) -> Installed:
    folder = tmp_path_factory.mktemp(request.param) / "venv"
    venv.create(folder, with_pip=False, symlinks=True)
    made = Installed(folder, request.param)
    WAYS[request.param](made.python, distributions, tmp_path_factory.mktemp("scratch"))
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(SITE_PACKAGES)  # behind its own packages
    return made


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A user's project whose folders and files have the names of ours, and fail when they are imported."""
    project = tmp_path / "my project"
    for name in ("orchestrator", "workers", "config", "migrations"):
        (project / name).mkdir(parents=True)
        (project / name / "__init__.py").write_text(f'raise SystemExit("the project\'s own {name}")\n')
        (project / name / "env.py").write_text("raise SystemExit('the project\\'s own env')\n")
        (project / name / "pipelines.yaml").write_text("pipelines: {mine: nonsense}\n")
    for name in ("typer", "sqlalchemy", "json", "sitecustomize"):
        (project / f"{name}.py").write_text(f'raise SystemExit("the project\'s own {name}")\n')
    (project / ".workflow").mkdir()
    return project


def test_installed_command_says_its_version_and_its_help(installed: Installed, tmp_path: Path) -> None:
    version = installed.lifecycle("--version", cwd=tmp_path)
    shown = installed.lifecycle("--help", cwd=tmp_path)

    assert (version.returncode, version.stdout) == (0, f"lifecycle {__version__}\n")
    assert shown.returncode == 0
    assert "start" in shown.stdout
    assert list(tmp_path.iterdir()) == []


def test_installed_package_is_its_own_and_finds_config_and_migrations(
    installed: Installed, tmp_path: Path
) -> None:
    package = Path(installed.ask("orchestrator.__file__", cwd=tmp_path))
    resources = Path(installed.ask("resources()", cwd=tmp_path))
    pipelines = installed.ask("'spec-only' in load_pack(None).pipelines", cwd=tmp_path)

    assert ROOT not in package.parents
    assert (installed.folder in package.parents) is (installed.kind != "editable")
    assert (resources.name == "_bundled") is (installed.kind != "editable")
    assert (resources / "migrations" / "env.py").is_file()
    assert pipelines == "True"


def test_plan_in_a_hostile_project_comes_from_our_own_packs(installed: Installed, hostile: Path) -> None:
    before = sorted(hostile.rglob("*"))

    done = installed.lifecycle("start", "--plan", "Build a URL shortener", cwd=hostile)

    assert done.returncode == 0, done.stderr
    assert "QUALITY-001" in done.stdout
    assert sorted(hostile.rglob("*")) == before


def test_session_in_a_hostile_project_is_completed(installed: Installed, hostile: Path) -> None:
    try:
        done = installed.lifecycle("start", "Build a URL shortener with an admin dashboard", cwd=hostile)
    finally:
        stopped = installed.lifecycle("daemon", "stop", cwd=hostile)

    assert done.returncode == 0, done.stdout + done.stderr
    assert stopped.returncode == 0, stopped.stderr
    assert list(hostile.glob(".workflow/.team/TLS-*/spec/readiness-report.md"))
