"""The test side of a tree: its tests, and what steers them.

A protected run takes the test side from the base, so that weakened or deleted tests do not help a candidate. Most files
are of the test side as a whole or not at all; of manifests only a part is, and only a change of that part counts.
"""

from __future__ import annotations

import configparser
import json
import posixpath
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from pathspec import GitIgnoreSpec

from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.patterns import expression
from workers.evidence.runner import Runner

_TEST_FOLDERS = frozenset({"tests", "__tests__", "__snapshots__", "__mocks__", "testdata", "e2e"})
_TOP_TEST_FOLDERS = frozenset(
    {"test", "spec", "specs"}
)  # further down they are often packages of the product
_STEERING = (
    *(
        "conftest.py",
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        ".pytest.toml",
        "noxfile.py",
        "sitecustomize.py",
    ),
    *(
        "usercustomize.py",
        "*.pth",
        "*.snap",
        "setupTests.*",
        ".mocharc*",
        ".nycrc*",
        "junit-platform.properties",
    ),
    *(
        "jest.config.*",
        "jest.setup.*",
        "jest-*.config.*",
        "vitest.config.*",
        "vitest.workspace.*",
        "vitest.setup.*",
    ),
    *(
        "karma.conf.*",
        "playwright.config.*",
        "cypress.config.*",
        "nextest.toml",
        "testng.xml",
        ".rspec",
        "phpunit.xml*",
    ),
    *(".coveragerc", "codecov.yml", ".codecov.yml", "tarpaulin.toml", ".c8rc*"),
    *(
        "ruff.toml",
        ".ruff.toml",
        ".flake8",
        ".pylintrc",
        "pylintrc",
        "mypy.ini",
        ".mypy.ini",
        "pyrightconfig.json",
    ),
    *(
        ".bandit",
        ".eslintrc*",
        "eslint.config.*",
        ".eslintignore",
        ".golangci.*",
        "clippy.toml",
        ".clippy.toml",
    ),
    *(".gitleaks.toml", ".semgrep*", "biome.json*", "tslint.json", ".pre-commit-config.yaml"),
    *(
        ".github/workflows/",
        ".github/actions/",
        ".gitlab-ci.yml",
        ".circleci/",
        "Jenkinsfile",
        "azure-pipelines.yml",
    ),
    *(".travis.yml", ".drone.yml", "bitbucket-pipelines.yml", ".buildkite/", ".woodpecker*"),
)
_ALWAYS = GitIgnoreSpec.from_lines(_STEERING)


def is_test_side(path: str, runners: Iterable[Runner]) -> bool:
    """Whether the whole file below the tree is of the test side; for the files of `is_mixed` ask `steering_part`."""
    if is_mixed(path):
        return False
    known = tuple(runners)
    folders = path.split("/")[:-1]
    return (
        not _TEST_FOLDERS.isdisjoint(folders)
        or _in_top_folder(path, {"", *(runner.root for runner in known)})
        or _ALWAYS.match_file(path)
        or any(runner.is_test_file(path) or _steers(runner, path) for runner in known)
    )


def _in_top_folder(path: str, roots: Iterable[str]) -> bool:
    """Whether the path is below `test/` of a runner's folder, or `src/test/` of a Java module."""
    if "/src/test/" in f"/{path}":
        return True
    inner = [path.removeprefix(root + "/") if root else path for root in roots]
    return any("/" in part and part.partition("/")[0] in _TOP_TEST_FOLDERS for part in inner)


def _steers(runner: Runner, path: str) -> bool:
    return runner.owns(path) and _spec(runner.steering_files).match_file(path)


@cache
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(patterns)


def is_mixed(path: str) -> bool:
    """Whether a part of the file steers tests and another part does not."""
    return posixpath.basename(path) in _PARTS


def steering_part(path: str, text: str) -> object:
    """What in a mixed file steers tests, as a value to compare; the whole text where it is not of its format."""
    reader = _PARTS[posixpath.basename(path)]
    try:
        return reader(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError, configparser.Error):
        return text


def changes_test_side(path: str, before: str | None, after: str | None, runners: Iterable[Runner]) -> bool:
    """Whether a change of a file (None: it is not there) changes the test side."""
    if before == after:
        return False
    if not is_mixed(path):
        return is_test_side(path, runners)
    return steering_part(path, before or "") != steering_part(path, after or "")


_PY_TOOLS = (
    "pytest",
    "coverage",
    "tox",
    "nox",
    "ruff",
    "mypy",
    "pylint",
    "flake8",
    "pyright",
    "bandit",
    "black",
)


def _pyproject(text: str) -> object:
    data = tomllib.loads(text)
    tool, project = _table(data.get("tool")), _table(data.get("project"))
    found = {name: tool[name] for name in _PY_TOOLS if name in tool}
    plugins = _table(project.get("entry-points")).get("pytest11")
    environments = _table(tool.get("hatch")).get("envs")
    return _present({**found, "pytest11": plugins, "hatch": environments})


_NODE_KEYS = ("jest", "mocha", "vitest", "ava", "nyc", "c8", "eslintConfig", "tap", "browserslist")
_TEST_SCRIPT = expression(r"(pre|post)?(test|ci|lint|coverage)([:_-].*)?")


def _package_json(text: str) -> object:
    data = _table(json.loads(text)) if text.strip() else {}
    scripts = {k: v for k, v in _table(data.get("scripts")).items() if _TEST_SCRIPT.fullmatch(k)}
    return _present({"scripts": scripts, **{name: data.get(name) for name in _NODE_KEYS}})


_CFG_SECTION = expression(
    r"(tool:)?(pytest|flake8|pylint.*|mypy.*|coverage.*|tox.*|testenv.*|aliases|isort|bandit)"
)


def _ini(text: str) -> object:
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    return _present(
        {name: dict(parser.items(name)) for name in parser.sections() if _CFG_SECTION.fullmatch(name)}
    )


def _cargo(text: str) -> object:
    data = tomllib.loads(text)
    keys = ("test", "harness", "doctest")
    targets = {kind: {k: _table(data.get(kind)).get(k) for k in keys} for kind in ("lib",)}
    profile = _table(data.get("profile")).get("test")
    auto = _table(data.get("package")).get("autotests")
    parts = {"lib": _present(targets["lib"]), "test": data.get("test"), "profile": profile, "auto": auto}
    return _present({**parts, "lints": data.get("lints")})


_PLUGIN = expression(r"<plugin>.*?</plugin>", re.DOTALL)
_TEST_PLUGIN = expression(r"maven-(surefire|failsafe|checkstyle|pmd)-plugin|jacoco|spotbugs|pitest")
_PROPERTY = expression(
    r"<((?:maven\.test|surefire|failsafe|skipTests|skipITs|argLine|jacoco)[\w.]*)>(.*?)</\1>", re.DOTALL
)
_TEST_FOLDER = expression(
    r"<test(?:SourceDirectory|Resource)\b.*?</test(?:SourceDirectory|Resource)>", re.DOTALL
)


def _pom(text: str) -> object:
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    plugins = [found for found in _PLUGIN.findall(text) if _TEST_PLUGIN.search(found)]
    properties = ["=".join(found) for found in _PROPERTY.findall(text)]
    return [" ".join(part.split()) for part in (*plugins, *properties, *_TEST_FOLDER.findall(text))]


_GRADLE_COMMENT = expression(r"/\*.*?\*/|(?<![:'\"])//[^\n]*", re.DOTALL)
_GRADLE_PLAIN = (
    expression(  # what says which plugins, dependencies and versions there are; the rest is a program
        r"""(?mx)^[ \t]*(?:
    (?:plugins|dependencies)\s*\{
    | apply\s*\(?plugin:.* | id\b[ \t(]*['"][\w.-]+['"]\)?(?:[ \t]+version[ \t(]*['"][^'"]*['"]\)?)?
    | (?:version|group|description|(?:source|target)Compatibility)\s*=?\s*['"\w.]+
    | \w*(?:[iI]mplementation|[cC]ompile(?:Only)?|[aA]pi|[rR]untime(?:Only)?|[pP]rocessor)
      [ \t(]+(?:(?:project|platform)\()?['"][^'"$]*['"]\)*
    | \}
    )[ \t]*$"""
    )
)


def _gradle(text: str) -> object:
    """All that may do something; a build is a program, which can run tests, leave them out, or write over their reports."""
    left = _GRADLE_PLAIN.sub("", _GRADLE_COMMENT.sub("", text))
    return [" ".join(line.split()) for line in left.splitlines() if line.strip()]


_PARTS: Mapping[str, Callable[[str], object]] = {
    "pyproject.toml": _pyproject,
    "package.json": _package_json,
    "setup.cfg": _ini,
    "tox.ini": _ini,
    "Cargo.toml": _cargo,
    "pom.xml": _pom,
    "build.gradle": _gradle,
    "build.gradle.kts": _gradle,
}


def _present(parts: Mapping[str, Json]) -> JsonObject:
    """The parts that are there."""
    return {name: value for name, value in parts.items() if value not in (None, {}, [])}


def _table(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
