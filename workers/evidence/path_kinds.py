"""What a path is for, by its name alone: tests, what steers tests and linters, CI, hooks, agents' instructions, manifests."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from orchestrator.domain.agent_kinds import STEERED_BY
from orchestrator.domain.patterns import expression

TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "__snapshots__", "e2e", "testdata", "__mocks__"})
_TEST_NAME = expression(
    r"(?:^|/)(?:test_[^/]*\.pyi?|[^/]+_test\.(?:py|go|rb|exs|dart)|tests?\.(?:py|rs)|conftest\.py"
    r"|[^/]+[.-](?:test|spec|cy|e2e)\.[cm]?[jt]sx?|[^/]+\.snap"
    r"|(?:Test[A-Z]\w*|\w+(?:Test|Tests|TestCase|IT|Spec))\.(?:java|kt|scala|groovy|cs|php|swift)"
    r"|[^/]+_spec\.rb)$"
)
_COLLECTED = {  # suffix -> the names that the stack's runner takes by itself
    ".py": expression(r"(?:^|/)(?:test_[^/]*|[^/]+_test|tests?|conftest)\.py$"),
    ".go": expression(r"_test\.go$"),
    **dict.fromkeys(
        (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"),
        expression(r"(?:[.-](?:test|spec|cy|e2e)\.[cm]?[jt]sx?$|(?:^|/)__tests__/|(?:^|/)tests?/)"),
    ),
    **dict.fromkeys(
        (".java", ".kt"), expression(r"(?:^|/)(?:Test\w*|\w*(?:Test|Tests|TestCase|IT|Spec))\.\w+$")
    ),
}
_TEST_SUPPORT = expression(
    r"(?:^|/|_)(?:testing|testutils?|test_?support|test_?helpers?|pytest_\w+)(?:/|\.\w+$|_)", re.I
)
_PRIVATE = frozenset({".git", ".lifecycle", ".workflow"})
_GIT_FILES = frozenset({".gitmodules", ".gitattributes", ".lfsconfig", ".gitconfig"})
_HOOK_FOLDERS = frozenset({".husky", ".githooks", "githooks", ".git-hooks"})
_HOOK_FILES = expression(r"^(?:\.pre-commit-config\.ya?ml|\.?lefthook\.(?:ya?ml|toml|json)|\.huskyrc.*)$")
_CI = expression(
    r"(?:^|/)(?:\.github/(?:workflows|actions)/.*|\.gitlab-ci\.ya?ml|\.gitlab/ci/.*|\.circleci/.*|\.buildkite/.*"
    r"|\.woodpecker(?:/.*|\.ya?ml)|\.travis\.yml|\.drone\.ya?ml|\.cirrus\.yml|Jenkinsfile|azure-pipelines\.ya?ml"
    r"|bitbucket-pipelines\.ya?ml|appveyor\.yml|\.forgejo/workflows/.*|\.gitea/workflows/.*|cloudbuild\.ya?ml)$"
)
_LINT = expression(
    r"(?:^|/)(?:\.?ruff\.toml|\.flake8|\.?pylintrc(?:\.toml)?|\.?mypy\.ini|pyrightconfig\.json|\.bandit|bandit\.ya?ml"
    r"|\.semgrep(?:ignore|\.ya?ml)|\.semgrep/.*|\.eslintrc(?:\.\w+)?|\.eslintignore|eslint\.config\.[cm]?[jt]s"
    r"|biome\.jsonc?|\.stylelintrc(?:\.\w+)?|\.golangci\.(?:ya?ml|toml|json)|\.?clippy\.toml|\.gitleaks(?:\.toml|ignore)"
    r"|\.importlinter|\.editorconfig|\.rubocop\.yml|checkstyle\.xml|pmd\.xml|sonar-project\.properties|\.oxlintrc\.json)$"
)
_COVERAGE = expression(
    r"(?:^|/)(?:\.coveragerc|\.?codecov\.ya?ml|\.nycrc(?:\.\w+)?|\.c8rc(?:\.json)?|tarpaulin\.toml)$"
)
_RUNNER = expression(
    r"(?:^|/)(?:pytest\.ini|\.pytest\.ini|jest\.config\.\w+|jest\.setup\.\w+|vitest\.(?:config|workspace|setup)\.\w+"
    r"|\.mocharc(?:\.\w+)?|karma\.conf\.[jt]s|playwright\.config\.\w+|cypress\.config\.\w+|noxfile\.py"
    r"|\.config/nextest\.toml|phpunit\.xml(?:\.dist)?|\.rspec)$"
)
_AGENTS = expression(
    r"(?:^|/)(?:"
    + "|".join(re.escape(name) + ".*" * name.endswith("/") for name in STEERED_BY)
    + r"|\.cursorrules|\.windsurfrules|\.mcp\.json|\.(?:cursor|vscode|idea|devcontainer)/.*"
    r"|\.github/copilot-instructions\.md|\.envrc)$"
)
_LOCKS = frozenset(
    {
        "uv.lock",
        "poetry.lock",
        "pdm.lock",
        "pipfile.lock",
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "bun.lockb",
        "deno.lock",
        "cargo.lock",
        "go.sum",
        "composer.lock",
        "gemfile.lock",
        "gradle.lockfile",
    }
)
_MANIFESTS = expression(
    r"^(?:pyproject\.toml|setup\.cfg|setup\.py|package\.json|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?"
    r"|Gemfile|composer\.json|(?:[\w.-]*requirements[\w.-]*|constraints[\w.-]*)\.(?:txt|in))$"
)


def is_test_path(path: str) -> bool:
    """Whether the file is a test or belongs to tests, by its name and folders."""
    folders = path.lower().split("/")[:-1]
    return bool(_TEST_NAME.search(path)) or not TEST_FOLDERS.isdisjoint(folders)


def is_collected(path: str) -> bool:
    """Whether the stack's test runner takes a file of this name by itself; by `is_test_path` where that is not known."""
    suffix = PurePosixPath(path).suffix
    rule = _COLLECTED.get(suffix)
    if rule is None:
        return path.endswith(".rs") or is_test_path(path)  # Rust takes the tests of every file
    return bool(rule.search(path))


def is_test_support(path: str) -> bool:
    """Whether a source file is a tool for tests that ships with the product (`testing.py`, `testutil/`)."""
    return bool(_TEST_SUPPORT.search(path))


def private_folder(path: str) -> str:
    """The folder of git or of ours that the path is in; empty when none."""
    return next((part for part in path.split("/") if part.casefold() in _PRIVATE), "")


def guarded_kind(path: str) -> str:
    """What the file steers, when a task must declare an edit of it; empty for every other file."""
    name = path.rpartition("/")[2]
    if name.lower() in _GIT_FILES:
        return "git_config"
    if _HOOK_FILES.match(name) or not _HOOK_FOLDERS.isdisjoint(path.lower().split("/")[:-1]):
        return "hook"
    for kind, rule in (
        ("ci_config", _CI),
        ("lint_config", _LINT),
        ("coverage_config", _COVERAGE),
        ("runner_config", _RUNNER),
        ("agent_config", _AGENTS),
    ):
        if rule.search(path):
            return kind
    return ""


def is_lock_file(path: str) -> bool:
    """Whether the file fixes the versions of dependencies."""
    return path.rpartition("/")[2].lower() in _LOCKS


def is_manifest(path: str) -> bool:
    """Whether the file names dependencies."""
    return bool(_MANIFESTS.match(path.rpartition("/")[2]))
