"""How a fresh checkout is made ready for its tests, and which dependencies a candidate adds.

Only what the base's lock files pin is installed, so an agent cannot bring in a package by editing a manifest.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.config.settings import WorkSettings
from workers.evidence.repository_files import RepositoryFiles, outermost

LOCKS = frozenset(
    {
        *("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "package-lock.json", "npm-shrinkwrap.json"),
        *("pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "Cargo.lock", "go.sum", "gradle.lockfile"),
        *("Gemfile.lock", "composer.lock"),
    }
)
_MANIFEST = re.compile(
    r"pyproject\.toml|requirements[\w.-]*\.txt|setup\.cfg|setup\.py|Pipfile|package\.json|Cargo\.toml|go\.mod|pom\.xml"
    r"|build\.gradle(\.kts)?|Gemfile|composer\.json"
)
_PACKAGES = frozenset({"runtime", "development"})  # scopes of what is installed; not languages and images


@dataclass(frozen=True, slots=True)
class SetupStep:
    argv: tuple[str, ...]
    folder: str = ""  # below the tree


@dataclass(frozen=True, slots=True)
class SetupPlan:
    """What to run before the tests; no steps: nothing, and `why` tells the reason."""

    steps: tuple[SetupStep, ...] = ()
    digest: str = ""  # of the manifests and the commands: the same digest needs no second set-up
    why: str = ""
    env: Mapping[str, str] = field(default_factory=dict)  # for these steps, and for the tests after them
    network: bool = False
    writable: tuple[Path, ...] = ()  # folders outside the tree that the steps fill


def is_manifest(path: str) -> bool:
    """Whether the file names dependencies or pins them."""
    name = posixpath.basename(path)
    return name in LOCKS or _MANIFEST.fullmatch(name) is not None


def is_installed_from(name: str) -> bool:
    """Whether a set-up may follow from a file of this name."""
    return name in LOCKS or name == "pom.xml"


def plan_setup(
    tree: Path, work: WorkSettings, environ: Mapping[str, str], outside: Path | None = None
) -> SetupPlan:
    """How the tree, which must be the base, is made ready. `outside`: where environments go; default beside the tree."""
    files = RepositoryFiles(tree)
    if work.setup:
        steps = (SetupStep(tuple(work.setup)),)
        why = "the setting `work.setup` names the command"
        return SetupPlan(steps, _digest(files, steps), why, {}, True)
    outside = outside or tree.parent / "environment"
    found: list[SetupStep] = []
    reasons: list[str] = []
    env: dict[str, str] = {}
    writable: list[Path] = []
    for lock, program, argv in _by_lock(files):
        folder = posixpath.dirname(lock)
        if shutil.which(program, path=environ.get("PATH", "")) is None:
            reasons.append(f"{lock} is left alone: {program} is not on PATH")
            continue
        found.append(SetupStep(argv, folder))
        reasons.append(f"{lock} is installed by {program}")
        if program == "uv" and not env:  # one environment: the first, which is the outermost
            place = outside / "python"
            env = {
                "UV_PROJECT_ENVIRONMENT": str(place),
                "VIRTUAL_ENV": str(place),
                "PATH": f"{place / 'bin'}:{environ.get('PATH', '')}",
            }
            writable.append(place)
    digest = _digest(files, tuple(found))
    if not found:
        return SetupPlan((), digest, "; ".join(reasons) or "no lock file says what to install")
    return SetupPlan(tuple(found), digest, "; ".join(reasons), env, True, tuple(writable))


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
        "pom.xml": ("mvn", "--batch-mode", "dependency:go-offline"),
    }
    found = []
    for name, argv in commands.items():
        for folder in outermost(posixpath.dirname(path) for path in files.named((name,))):
            lock = posixpath.join(folder, name)
            if name == "yarn.lock" and "yarn lockfile v1" not in files.text(lock)[:200]:
                argv = ("yarn", "install", "--immutable", "--mode=skip-build")
            if name == "uv.lock" and re.search(
                r"(?m)^\s*conflicts\s*=", files.text(posixpath.join(folder, "pyproject.toml"))
            ):
                argv = ("uv", "sync", "--frozen")  # extras that exclude each other cannot all be installed
            found.append((lock, argv[0], argv))
    return found


def _digest(files: RepositoryFiles, steps: tuple[SetupStep, ...]) -> str:
    sha = hashlib.sha256(json.dumps([[step.argv, step.folder] for step in steps]).encode())
    for path in files.paths:
        if is_manifest(path):
            sha.update(f"\0{path}\0".encode("utf-8", "surrogateescape"))
            sha.update(files.data(path))
    return sha.hexdigest()
