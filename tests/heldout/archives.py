"""Source archives and test environments, fetched once by the ordinary clients; everything later is offline."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.heldout.recipes import NODE, PYTHON, Recipe

CACHE = Path(__file__).parents[2] / ".heldout"
RUNNERS = ("pytest==9.0.1",)  # in the environment of every Python recipe
MADE = ".made"  # the environment is complete
GENERATED = re.compile(r"^PKG-INFO$|^package-lock\.json$|\.egg-info(/|$)|\.pyc$")


class FetchError(Exception):
    """An archive that cannot be had, or is not the one that the recipe means."""


def archive(cache: Path, stack: str, package: str, version: str, sha256: str | None = None) -> Path:
    """The source archive of a release, from the cache or its registry.

    Raises FetchError where the client fails or the digest differs; `sha256` None: any.
    """
    file = cache / "archives" / stack / f"{package.replace('/', '-').lstrip('@')}-{version}.tgz"
    if not file.exists():
        _fetch(file, stack, package, version)
    found = digest(file)
    if sha256 is not None and found != sha256:
        raise FetchError(f"{package} {version}: the archive has the digest {found}, not {sha256}")
    return file


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _fetch(file: Path, stack: str, package: str, version: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        if stack == PYTHON:
            words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
            _call([*words, "--dest", folder, f"{package}=={version}"])
        else:
            _call(["npm", "pack", "--silent", "--ignore-scripts", f"{package}@{version}"], folder)
        (fetched,) = Path(folder).iterdir()
        fetched.rename(file)


def _call(words: Sequence[str], folder: str | None = None) -> None:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FetchError(f"{' '.join(words)}: {(done.stderr or done.stdout).strip()[-500:]}")


def unpack(file: Path, folder: Path) -> Path:
    """The files of the archive in `folder`, without the archive's own top folder and what packaging generated."""
    folder.mkdir(parents=True)
    with tarfile.open(file) as tar:
        for member in tar:
            _, _, name = member.name.partition("/")
            if name and not GENERATED.search(name) and (member.isfile() or member.isdir()):
                tar.extract(member.replace(name=name), folder, filter="data")
    return folder


def environment_folder(cache: Path, recipe: Recipe) -> Path:
    """Where the recipe's environment is kept; recipes that need the same share it."""
    name = hashlib.sha256("\n".join([sys.version, *_wanted(recipe)]).encode()).hexdigest()[:12]
    return cache / "environments" / f"{recipe.stack}-{name}"


def _wanted(recipe: Recipe) -> list[str]:
    return sorted({*(RUNNERS if recipe.stack == PYTHON else ()), *recipe.requirements})


def environment(cache: Path, recipe: Recipe) -> Path:
    """A folder with what the recipe's tests need, made once: a virtual environment, or one that has `node_modules`.

    Raises FetchError.
    """
    wanted, folder = _wanted(recipe), environment_folder(cache, recipe)
    if (folder / MADE).exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if recipe.stack == PYTHON:
        _call([sys.executable, "-m", "venv", str(folder)])
        _call([str(folder / "bin/python"), "-m", "pip", "install", "--quiet", *wanted])
    elif wanted:
        words = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        _call([*words, "--prefix", str(folder), *wanted])
    (folder / MADE).touch()
    return folder


def environ(recipe: Recipe, made: Path) -> dict[str, str]:
    """The variables of somebody who has activated the environment."""
    path = os.environ["PATH"]
    return {"PATH": f"{made / 'bin'}:{path}" if recipe.stack == PYTHON else path, "HOME": str(Path.home())}


def setup(recipe: Recipe, made: Path) -> list[str]:
    """The setting `work.setup`: what brings the environment into a fresh checkout; empty: nothing."""
    if recipe.stack == NODE and recipe.requirements:
        return ["cp", "-a", str(made / "node_modules"), "node_modules"]
    return []


def is_hidden(recipe: Recipe, cache: Path) -> bool:
    """Whether a sandbox hides what the recipe's set-up copies."""
    return bool(setup(recipe, cache)) and cache.resolve().is_relative_to("/tmp")


def settings(recipe: Recipe, made: Path) -> Mapping[str, list[str]]:
    """The settings of the recipe's project in `[work]`."""
    return {"setup": words} if (words := setup(recipe, made)) else {}
