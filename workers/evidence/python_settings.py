"""What a Python project's files say about its tests: pytest's sections, and where packages are imported from."""

from __future__ import annotations

import configparser
import posixpath
import re
import tomllib
from collections.abc import Callable, Iterable

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import Json, JsonObject
from workers.explore.manifests import read_manifest

Text = Callable[[str], str]
"""The text of a file below the tree; empty for one that is not there."""
_DEFAULT_PATTERNS = ("test_*.py", "*_test.py")
_PYTEST_NAMES = frozenset({"pytest", "pytest-xdist", "pytest-cov", "pytest-asyncio", "pytest-mock"})


@dataclass(frozen=True, slots=True)
class PytestSettings:
    """pytest as one folder configures it."""

    is_configured: bool = False
    is_required: bool = False  # a manifest lists it
    file_patterns: tuple[str, ...] = _DEFAULT_PATTERNS
    has_coverage: bool = False  # its options measure coverage, whose threshold would fail the run


def pytest_settings(folder: str, text: Text) -> PytestSettings:
    """What the files of `folder` say about pytest; a file that is not of its format says nothing."""
    section, is_configured = _section(folder, text)
    patterns = section.get("python_files")
    if isinstance(patterns, str):
        patterns = patterns.split()
    names = tuple(p for p in patterns or () if isinstance(p, str)) if isinstance(patterns, list) else ()
    return PytestSettings(
        is_configured,
        _is_required(folder, text),
        tuple(posixpath.basename(name) for name in names) or _DEFAULT_PATTERNS,
        "--cov" in str(section.get("addopts", "")),
    )


def _section(folder: str, text: Text) -> tuple[JsonObject, bool]:
    """The options of the first file that pytest would read, and whether there is one."""
    for name in ("pytest.toml", ".pytest.toml"):
        if found := text(posixpath.join(folder, name)):
            return _table(_toml(found).get("pytest")), True
    for name in ("pytest.ini", ".pytest.ini"):
        if found := text(posixpath.join(folder, name)):
            return ini_section(found, "pytest") or {}, True
    tool = _table(_table(_toml(text(posixpath.join(folder, "pyproject.toml"))).get("tool")).get("pytest"))
    if tool:
        return (_table(tool["ini_options"]) if "ini_options" in tool else tool), True
    for name, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        options = ini_section(text(posixpath.join(folder, name)), section)
        if options is not None:
            return options, True
    return {}, False


def _is_required(folder: str, text: Text) -> bool:
    for name in ("pyproject.toml", "setup.cfg", "setup.py"):
        path = posixpath.join(folder, name)
        if (found := text(path)) and any(
            d.name.lower() in _PYTEST_NAMES for d in read_manifest(path, found).dependencies
        ):
            return True
    names = (
        "requirements.txt",
        "requirements-dev.txt",
        "requirements-test.txt",
        "dev-requirements.txt",
        "test-requirements.txt",
    )
    return any(re.search(r"(?m)^pytest\b", text(posixpath.join(folder, name))) for name in names)


def source_folders(root: str, paths: Iterable[str], text: Text) -> tuple[str, ...]:
    """The folders below `root`, beside itself, that hold the project's packages: `src`, and what setuptools is told."""
    below = f"{root}/" if root else ""
    named = ["src"]
    setuptools = _table(_table(_toml(text(f"{below}pyproject.toml")).get("tool")).get("setuptools"))
    package_dir = _table(setuptools.get("package-dir")).get("")
    where = _table(_table(setuptools.get("packages")).get("find")).get("where")
    named += [package_dir] if isinstance(package_dir, str) else []
    named += [item for item in where if isinstance(item, str)] if isinstance(where, list) else []
    cfg = ini_section(text(f"{below}setup.cfg"), "options.packages.find") or {}
    named += [str(cfg["where"])] if "where" in cfg else []
    clean = dict.fromkeys(posixpath.normpath(name) for name in named)
    python = [path for path in paths if path.endswith(".py")]
    return tuple(
        name
        for name in clean
        if name != "."
        and not name.startswith(("..", "/"))
        and any(p.startswith(f"{below}{name}/") for p in python)
    )


def ini_section(text: str, name: str) -> JsonObject | None:
    """The options of a section of an .ini file; None when it has no such section or is not of its format."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    return dict(parser.items(name)) if parser.has_section(name) else None


def _toml(text: str) -> JsonObject:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _table(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
