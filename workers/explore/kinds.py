"""What a file is for, told from its path alone."""

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression
from workers.explore.knowledge import Knowledge, extension

MANIFESTS = expression(
    r"(package\.json|pyproject\.toml|requirements[\w.-]*\.txt|setup\.cfg|setup\.py|Cargo\.toml|go\.mod|pom\.xml"
    r"|build\.gradle(\.kts)?|Gemfile|composer\.json|(.*\.)?Dockerfile|Dockerfile\..*|Containerfile"
    r"|(docker-)?compose[\w.-]*\.ya?ml)"
)
_TEST_FOLDER = expression(r"(^|/)(tests?|__tests__|spec|specs|e2e|testing)/", re.IGNORECASE)
_TEST_NAME = expression(
    r"(^test_.*|.*_test\.\w+|.*[.-](test|spec)\.\w+|.*Tests?\.(java|kt|cs)|conftest\.py)$"
)
_ENTRY_NAME = expression(
    r"(__main__\.py|main\.(py|go|rs|js|ts|tsx|jsx|java|kt|c|cc|cpp|dart)|manage\.py|wsgi\.py|asgi\.py"
    r"|(index|server|app)\.(js|ts|tsx|jsx|mjs)|app\.py|cli\.py|Main\.java|\w*Application\.java|Program\.cs)"
)
_CI = expression(r"(^|/)(\.github/workflows/|\.circleci/|\.ci/|\.gitlab-ci|Jenkinsfile|azure-pipelines)")
_SCHEMA = expression(r"(^|/)(migrations?|alembic/versions)/|\.(sql|proto|graphql|prisma)$", re.IGNORECASE)
_DOCUMENTS = frozenset({"md", "rst", "adoc", "txt"})
_CONFIGURATION = frozenset({"toml", "yaml", "yml", "json", "ini", "cfg", "conf", "properties", "xml", "env"})
_STYLE = frozenset({"css", "scss", "less", "sass"})
_ENTRY_DEPTH = 3  # an index.js ten folders down starts nothing


def role_of(path: str, known: Knowledge) -> str:
    """One of: manifest, ci, test, schema, entry point, style, source, documentation, configuration, other."""
    name, kind = path.rpartition("/")[2], extension(path)
    source = known.language(path) is not None
    checks = (
        (MANIFESTS.fullmatch(name), "manifest"),
        (_CI.search(path), "ci"),
        (source and (_TEST_FOLDER.search(path) or _TEST_NAME.match(name)), "test"),
        (_SCHEMA.search(path), "schema"),
        (_ENTRY_NAME.fullmatch(name) and path.count("/") <= _ENTRY_DEPTH, "entry point"),
        (kind in _STYLE, "style"),
        (source, "source"),
        (kind in _DOCUMENTS or name.upper().startswith("README"), "documentation"),
        (kind in _CONFIGURATION, "configuration"),
    )
    return next((role for hit, role in checks if hit), "other")
