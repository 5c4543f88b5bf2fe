"""Credentials told by the name they are given to: `DB_PASSWORD = "..."`, `password: ...` in YAML, a line of `.env`."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from orchestrator.domain.patterns import expression
from orchestrator.domain.secrets import MASK
from workers.evidence.path_kinds import is_test_path

_NAME = (
    r"[\"']?(?:[\w.-]*[_.-])?(?:password|passwd|passphrase|secret|(?:api|access|secret|private|signing|encryption|master)[_-]?key"
    r"|(?:api|auth|access|refresh|bot|bearer)[_-]?token|credentials?|client_?secret)[\"']?"
)
_QUOTED = expression(
    rf"(?:^|[^\w-]){_NAME}\s*(?::\s*[\w.<>|]+\s*)?(?:=|:|=>|:=)\s*[bfru]?([\"'])(?P<value>[^\"'\s]{{8,}})\1",
    re.I,
)
_PLAIN = expression(
    rf"^\s*(?:-\s+)?(?:(?:export|env|arg)\s+)?{_NAME}\s*[:=]\s*(?P<value>[^\s\"'#]{{8,}})\s*(?:#.*)?$", re.I
)
_PLAIN_FILES = expression(
    r"(?:^|/)(?:\.env(?:\.[\w.-]+)?|[\w.-]*dockerfile[\w.-]*|[\w.-]+\.(?:env|ya?ml|properties|ini|cfg|conf|sh|bash))$",
    re.I,
)
_SAMPLE_FILES = expression(r"(?:^|[./_-])(?:example|sample|template|dist|tpl|default)s?(?:[./_-]|$)", re.I)
_ENVIRONMENT = expression(r"^\.env(?:\.(?:local|prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)))?$")
_PLACEHOLDER = expression(
    r"example|change[-_]?me|placeholder|your|dummy|test|fake|sample|xxx|\*\*\*|\.\.\.|<|\{|\$|%|env|none|null|todo|secret|passw|token|key",
    re.I,
)
_WORDS = expression(
    r"[\w-]+(?:[./:][\w-]+)+"
)  # a path, a module, a host: no credential, unless a part is like one
_LONGEST_LINE = 2000


def credential_in(path: str, line: str) -> re.Match[str] | None:
    """The assignment in it whose `value` is almost certainly real; none in tests, whose credentials are made up."""
    if len(line) > _LONGEST_LINE or is_test_path(path):
        return None
    found = _QUOTED.search(line)
    if found is None and _PLAIN_FILES.search(path) and not _SAMPLE_FILES.search(path):
        found = _PLAIN.search(line)
    return found if found is not None and _is_real(found["value"]) else None


def masked(line: str, found: re.Match[str]) -> str:
    """The line without the value."""
    return line[: found.start("value")] + MASK + line[found.end("value") :]


def is_environment_file(path: str) -> bool:
    """Whether it is a file of variables that a program is started with, as people have them for themselves."""
    return bool(_ENVIRONMENT.search(PurePosixPath(path).name))


def _is_real(value: str) -> bool:
    """Whether a value looks like a credential and not like a name, a path or a placeholder."""
    if _is_random(value):
        return True
    return (
        not _PLACEHOLDER.search(value)
        and bool(re.search(r"\d", value))
        and bool(re.search(r"[A-Za-z]", value))
        and not _WORDS.fullmatch(value)
    )


def _is_random(value: str) -> bool:
    """Whether a part of it mixes digits, lower and upper case as no word does."""
    parts = re.findall(r"[A-Za-z0-9]{10,}", value)
    return any(all(re.search(kind, part) for kind in ("[a-z]", "[A-Z]", "[0-9]")) for part in parts)
