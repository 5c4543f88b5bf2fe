"""What no candidate may change, or only what its task declared: flagged and private paths, steering files, dependencies."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence

from orchestrator.domain.evidence import CRITICAL, HIGH, LOW, Finding
from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression
from workers.evidence.changed_files import LARGEST_BYTES, ChangedFile, Changes, shown
from workers.evidence.declared import Declared, is_covered, plain_name
from workers.evidence.path_kinds import guarded_kind, is_lock_file, is_manifest, is_test_path, private_folder
from workers.explore.manifests import read_manifest
from workers.git.tree_scan import Flag

CHECK = "paths"
_FLAGS = {  # kind -> what is wrong; those of `_DECLARABLE` may be declared
    "special": "is a FIFO, socket or device",
    "link": "leads out of the tree",
    "submodule": "changes a submodule",
    "name": "has a name that is unsafe on some system",
    "twin": "differs from another name only in case or Unicode form",
    "large": f"has more than {LARGEST_BYTES // 1_000_000} MB",
}
_DECLARABLE = frozenset({"large", "twin", "name", "special"})
_KINDS = {
    "git_config": "git's configuration of the project",
    "hook": "a hook of git",
    "ci_config": "the configuration of continuous integration",
    "lint_config": "a linter's configuration",
    "coverage_config": "the configuration of coverage",
    "runner_config": "the configuration of the tests",
    "agent_config": "instructions to coding agents or editors",
}
_BLOCKING = frozenset({"git_config", "hook", "ci_config"})  # they run programs elsewhere than in the tests
_SECTIONS = {  # of a file with many uses -> the kind that a change of the section is
    "pyproject.toml": {
        "lint_config": ("ruff", "mypy", "bandit", "pylint", "flake8", "importlinter", "pyright", "semgrep"),
        "coverage_config": ("coverage",),
        "runner_config": ("pytest", "nox", "tox"),
    },
    "package.json": {
        "lint_config": ("eslintConfig", "stylelint"),
        "coverage_config": ("nyc", "c8"),
        "runner_config": ("jest", "vitest", "mocha", "ava"),
        "hook": ("husky", "lint-staged", "simple-git-hooks", "pre-commit"),
    },
    "setup.cfg": {
        "lint_config": ("flake8", "mypy", "pylint", "bandit"),
        "coverage_config": ("coverage:run", "coverage:report"),
        "runner_config": ("tool:pytest", "aliases"),
    },
    "tox.ini": {
        "lint_config": ("flake8", "mypy", "pylint", "bandit"),
        "coverage_config": ("coverage:run", "coverage:report"),
        "runner_config": ("tox", "testenv", "pytest"),
    },
}
_OF_PIP = expression(r"-|\S+://|[A-Za-z0-9][\w.-]*\s*(?:\[[\w, .-]*\])?\s*(?:[=<>!~@;(\\].*|#.*)?$")
_SAMPLES = frozenset(
    {"data", "fixtures", "testdata", "samples", "corpus"}
)  # of tests: nothing is installed from them
_RUN_BY_INSTALL = (
    "preinstall",
    "install",
    "postinstall",
    "prepare",
    "prepublish",
    "preprepare",
    "postprepare",
)
_RUN_BY_TEST = ("test", "pretest", "posttest", "test:unit", "lint", "coverage")


def flagged(flags: Sequence[Flag], changes: Changes, declared: Declared) -> list[Finding]:
    """Findings for what the snapshot flagged, and for bodies that nobody could check."""
    found = []
    for flag in flags:
        path = shown(flag.path)
        if flag.kind == "nested":
            text = f"{path} was a repository of its own and was moved aside"
            found.append(Finding(CHECK, LOW, "nested", text, path))
            continue
        allowed = flag.kind in _DECLARABLE and declared.names(path)
        wrong = _FLAGS.get(flag.kind, f"is flagged as {flag.kind}")
        found.append(
            Finding(
                CHECK,
                HIGH if allowed else CRITICAL,
                flag.kind,
                f"{path} {wrong}",
                path,
                fix="" if allowed else "remove it",
                blocks=not allowed,
            )
        )
    known = {finding.path for finding in found if finding.blocks or finding.rule == "large"}
    for file in changes.files:
        if file.unread and not file.is_deleted and file.path not in known:
            allowed = declared.names(file.path)
            text = f"{file.path} could not be checked: {file.unread}"
            severity = HIGH if allowed else CRITICAL
            found.append(Finding(CHECK, severity, "unread", text, file.path, blocks=not allowed))
    return found


def forbidden_paths(changes: Changes, declared: Declared) -> list[Finding]:
    """Findings for paths that the task must not touch, and for steering files that it did not declare."""
    found: list[Finding] = []
    for file in changes.files:
        for path in dict.fromkeys((file.path, file.path_before)):
            private = private_folder(path)
            if private:
                text = f"{path} is in {private}, which no task may change"
                found.append(Finding(CHECK, CRITICAL, "private_folder", text, path, blocks=True))
            elif is_covered(path, declared.forbidden):
                text = f"{path} is outside this task's part of the project"
                found.append(
                    Finding(CHECK, CRITICAL, "forbidden", text, path, fix="undo this change", blocks=True)
                )
        found += _steering(file, declared)
    return found


def _steering(file: ChangedFile, declared: Declared) -> Iterator[Finding]:
    if declared.names(file.path):
        return
    kinds = {guarded_kind(file.path), guarded_kind(file.path_before), *_changed_sections(file)} - {""}
    for kind in sorted(kinds):
        text = f"{file.path} changes {_KINDS[kind]}, which the task did not declare"
        fix = "undo this change, or declare the file in the plan"
        blocks = kind in _BLOCKING
        yield Finding(CHECK, CRITICAL if blocks else HIGH, kind, text, file.path, fix=fix, blocks=blocks)


def _changed_sections(file: ChangedFile) -> Iterator[str]:
    name = file.path.rpartition("/")[2]
    kinds = _SECTIONS.get(name)
    if kinds is None or file.is_deleted:
        return
    before, after = _sections(name, file.text_before), _sections(name, file.text)
    for kind, sections in kinds.items():
        if any(before.get(section) != after.get(section) for section in sections):
            yield kind
    if name == "package.json":
        one, other = _scripts(before), _scripts(after)
        if any(one.get(each) != other.get(each) for each in _RUN_BY_INSTALL):
            yield "hook"
        if any(each in one and one.get(each) != other.get(each) for each in _RUN_BY_TEST):
            yield "runner_config"


def _scripts(data: Mapping[str, Json]) -> Mapping[str, Json]:
    scripts = data.get("scripts")
    return scripts if isinstance(scripts, dict) else {}


def _sections(name: str, text: str) -> Mapping[str, Json]:
    """The sections of a file by name; empty when it cannot be read, which the syntax check reports."""
    try:
        if name == "pyproject.toml":
            data = tomllib.loads(text).get("tool", {})
        elif name == "package.json":
            data = json.loads(text) if text else {}
        else:
            parser = configparser.RawConfigParser(strict=False)
            parser.read_string(text)
            data = {section: dict(parser.items(section)) for section in parser.sections()}
    except (ValueError, configparser.Error, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def changed_dependencies(changes: Changes, declared: Declared) -> list[Finding]:
    """Findings for dependencies that were added or changed and not declared, and for lock files that changed alone."""
    found: list[Finding] = []
    for file in changes.files:
        if is_manifest(file.path) and not file.is_deleted and not _is_prose(file):
            found += _manifest(file, declared)
        elif is_lock_file(file.path) and not declared.new_dependencies and not declared.names(file.path):
            text = f"{file.path} changed, and the task declared no new dependency"
            found.append(Finding("dependencies", CRITICAL, "undeclared_lock", text, file.path, blocks=True))
    return found


def _is_prose(file: ChangedFile) -> bool:
    """Whether a text that is called requirements is about something else; `requirements.txt` itself never is."""
    if not file.path.endswith((".txt", ".in")) or file.path.rpartition("/")[2] == "requirements.txt":
        return False
    lines = [line.strip() for line in file.lines if line.strip() and not line.lstrip().startswith("#")]
    return sum(bool(_OF_PIP.match(line)) for line in lines) * 2 < len(lines)


def _manifest(file: ChangedFile, declared: Declared) -> Iterator[Finding]:
    is_sample = is_test_path(file.path) and not _SAMPLES.isdisjoint(file.path.lower().split("/")[:-1])
    before = _dependencies(file.path_before, file.text_before)
    after = _dependencies(file.path, file.text)
    for name, versions in after.items():
        if before.get(name) == versions or declared.allows_dependency(name):
            continue
        is_new = name not in before
        text = f"{file.path} {'adds' if is_new else 'changes'} the dependency {name}, which the task did not declare"
        line = next((n for n, line in file.added if name in re.sub(r"[-_.]+", "-", line.lower())), 0)
        yield Finding(
            "dependencies",
            HIGH if is_sample else CRITICAL,
            "undeclared_dependency" if is_new else "changed_dependency",
            text,
            file.path,
            line,
            file.line(line).strip()[:200],
            "remove it, or declare it in the plan",
            blocks=not is_sample,
        )


def _dependencies(path: str, text: str) -> dict[str, frozenset[str]]:
    """Name -> versions as written. Lines that install from elsewhere count under their own text."""
    if not text:
        return {}
    found: dict[str, set[str]] = {}
    is_list = path.endswith((".txt", ".in"))  # of pip, whatever its name is
    for each in read_manifest("requirements.txt" if is_list else path, text).dependencies:
        if each.scope != "language":
            found.setdefault(plain_name(each.name), set()).add(each.version)
    if is_list:
        for line in text.splitlines():
            plain = line.strip()
            if plain.startswith("-") or "://" in plain.split("#")[0]:
                found.setdefault(plain, set()).add(plain)
    return {name: frozenset(versions) for name, versions in found.items()}
