"""How a fresh checkout is made ready for its tests.

Only what the base's lock files pin is installed, so an agent cannot bring in a package by editing a manifest.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from orchestrator.config.settings import WorkSettings
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.patterns import expression
from workers.evidence.package_caches import package_cache
from workers.evidence.repository_files import RepositoryFiles, outermost
from workers.evidence.sandbox import home_folder

LOCKS = frozenset(
    {
        *("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "package-lock.json", "npm-shrinkwrap.json"),
        *("pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "Cargo.lock", "go.sum", "gradle.lockfile"),
        *("Gemfile.lock", "composer.lock"),
    }
)


@dataclass(frozen=True, slots=True)
class SetupStep:
    argv: tuple[str, ...]
    folder: str = ""  # below the tree
    installs_beside: bool = True  # what it leaves in the tree is needed; else it fills a cache alone
    logins: tuple[Path, ...] = ()  # files with logins that it may read


@dataclass(frozen=True, slots=True)
class SetupPlan:
    """What to run before the tests; no steps: nothing, and `why` tells the reason."""

    steps: tuple[SetupStep, ...] = ()
    why: str = ""
    env: Mapping[str, str] = field(default_factory=dict)  # for these steps, and for the tests after them
    network: bool = False
    keeps_home: bool = False  # tests may need what the steps install in their home folder
    writable: tuple[Path, ...] = ()  # folders outside the tree that the steps fill; some are not there yet


def is_installed_from(name: str) -> bool:
    """Whether a set-up may follow from a file of this name."""
    return name in LOCKS or name == "pom.xml"


def plan_setup(
    tree: Path, work: WorkSettings, environ: Mapping[str, str], outside: Path | None = None
) -> SetupPlan:
    """How the tree, which must be the base, is made ready. `outside`: where environments go; default beside the tree."""
    files = RepositoryFiles(tree)
    home = home_folder(environ)
    if work.setup:
        return _own_setup(tuple(work.setup), environ, home)
    outside = outside or tree.parent / "environment"
    found: list[SetupStep] = []
    reasons: list[str] = []
    env: dict[str, str] = {}
    writable: list[Path] = []
    for lock, program, argv in _by_lock(files):
        if shutil.which(program, path=environ.get("PATH", "")) is None:
            reasons.append(f"{lock} is left alone: {program} is not on PATH")
            continue
        cache = package_cache(program, environ, home)
        found.append(SetupStep(argv, posixpath.dirname(lock), program not in _FILL_CACHES, cache.logins))
        reasons.append(f"{lock} is installed by {program}")
        env.update(cache.env)
        writable += cache.folders
        if program == "uv" and "VIRTUAL_ENV" not in env:  # one environment: the first, which is the outermost
            place = outside / "python"
            env |= {
                "UV_PROJECT_ENVIRONMENT": str(place),
                "VIRTUAL_ENV": str(place),
                "PATH": f"{place / 'bin'}:{environ.get('PATH', '')}",
            }
            writable.append(place)
    found.sort(key=lambda step: step.installs_beside)  # what others leave in the tree is cleaned before
    if not found:
        return SetupPlan((), "; ".join(reasons) or "no lock file says what to install")
    keeps_home = any(step.argv == _YARN_BERRY for step in found)
    return SetupPlan(tuple(found), "; ".join(reasons), env, True, keeps_home, tuple(dict.fromkeys(writable)))


_FILL_CACHES = frozenset({"cargo", "go", "mvn"})  # they leave nothing in the tree that tests need
_SHARED = ("npm", "cargo", "go", "mvn")
_YARN_BERRY = ("yarn", "install", "--immutable", "--mode=skip-build")  # it keeps packages in the home folder


def _own_setup(argv: tuple[str, ...], environ: Mapping[str, str], home: Path) -> SetupPlan:
    """The command of the settings, which may use the caches that are there."""
    caches = [package_cache(program, environ, home) for program in _SHARED]
    used = [cache for cache in caches if any(folder.is_dir() for folder in cache.folders)]
    env = {name: value for cache in used for name, value in cache.env.items()}
    writable = tuple(folder for cache in used for folder in cache.folders)
    steps = (SetupStep(argv, logins=tuple(path for cache in caches for path in cache.logins)),)
    why = "the setting `work.setup` names the command"
    return SetupPlan(steps, why, env, True, True, writable)


def _by_lock(files: RepositoryFiles) -> list[tuple[str, str, tuple[str, ...]]]:
    """Lock file, the program that reads it, and its command that changes neither lock nor manifest."""
    commands: dict[str, tuple[str, ...]] = {
        "uv.lock": ("uv", "sync", "--frozen", "--all-groups", "--all-extras"),
        "package-lock.json": ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"),
        "npm-shrinkwrap.json": ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"),
        "pnpm-lock.yaml": ("pnpm", "install", "--frozen-lockfile", "--ignore-scripts"),
        "yarn.lock": ("yarn", "install", "--frozen-lockfile", "--ignore-scripts", "--non-interactive"),
        "Cargo.lock": ("cargo", "fetch", "--locked"),
        "go.sum": ("go", "mod", "download"),
        "pom.xml": ("mvn", "--batch-mode", "-Dstyle.color=never"),
    }
    found = []
    for name, argv in commands.items():
        for folder in outermost(posixpath.dirname(path) for path in files.named((name,))):
            lock = posixpath.join(folder, name)
            if name == "yarn.lock" and "yarn lockfile v1" not in files.text(lock)[:200]:
                argv = _YARN_BERRY
            if name == "uv.lock" and re.search(
                r"(?m)^\s*conflicts\s*=", files.text(posixpath.join(folder, "pyproject.toml"))
            ):
                argv = ("uv", "sync", "--frozen")  # extras that exclude each other cannot all be installed
            if name == "pom.xml":
                argv += _maven_arguments(files, folder)
            found.append((lock, argv[0], argv))
    return found


_TEST_CLASS = expression(
    r"(^|(?P<module>.+)/)src/test/.*?(?P<name>\w*(?:Test|Tests|TestCase))\.(?:java|kt|groovy)"
)


def _maven_arguments(files: RepositoryFiles, folder: str) -> tuple[str, ...]:
    """A build that runs one test class of each module.

    `dependency:go-offline` leaves out what surefire fetches when it runs (the provider for JUnit or TestNG), and stops at
    modules that depend on each other, so that no test runs offline after it.
    """
    below = f"{folder}/" if folder else ""
    first: dict[str, str] = {}
    for path in sorted(files.paths):
        if path.startswith(below) and (found := _TEST_CLASS.fullmatch(path)):
            first.setdefault(found["module"] or "", found["name"])
    chosen = (f"-Dtest={','.join(dict.fromkeys(first.values()))}",) if first else ()
    return (
        *(
            "-Dmaven.test.failure.ignore=true",
            "-DfailIfNoTests=false",
            "-Dsurefire.failIfNoSpecifiedTests=false",
        ),
        *chosen,
        "test",
    )
