"""Credentials told by the name they are given to: `DB_PASSWORD = "..."`, `password: ...` in YAML, a line of `.env`."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from orchestrator.domain.patterns import expression
from orchestrator.domain.secrets import MASK
from workers.evidence.path_kinds import is_test_path

# What leads to the word is not read: that, from each place of a line, is quadratic in its length.
_NAME = (
    r"(?<![^\W_])(?:password|passwd|passphrase|secret|(?:api|access|secret|private|signing|encryption|master)[_-]?key"
    r"|(?:api|auth|access|refresh|bot|bearer)[_-]?token|credentials?|client_?secret)[\"']?"
)
_QUOTED = expression(
    rf"{_NAME}\s*(?::\s*[\w.<>|]+\s*)?(?:=|:|=>|:=)\s*[bfru]?([\"'])(?P<value>[^\"'\s]{{8,}})\1", re.I
)
_PLAIN = expression(
    rf"^\s*(?:-\s+)?(?:(?:export|env|arg)\s+)?[\"']?(?:[\w.-]*[_.-])?{_NAME}\s*[:=]\s*(?P<value>[^\s\"'#]{{8,}})\s*(?:#.*)?$",
    re.I,
)
_PLAIN_FILES = expression(
    r"(?:^|/)(?:\.env(?:\.[\w.-]+)?|[\w.-]*dockerfile[\w.-]*|[\w.-]+\.(?:env|ya?ml|properties|ini|cfg|conf|sh|bash))$",
    re.I,
)
_SAMPLE_FILES = expression(r"(?:^|[./_-])(?:example|sample|template|dist|tpl|default)s?(?:[./_-]|$)", re.I)
_ENVIRONMENT = expression(r"^\.env(?:\.(?:local|prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)))?$")
_REFERENCE = expression(  # to a variable, a template's or a store's value, or what only its key opens
    r"[$%#@]\{|\{\{|\$\(|<[%?]|%\(\w+\)|^`.*`$|^<.*>$|^%\w+%$|^@\w+@$|^\{[\w.:!-]+\}$|^[\w.]+\(.*\)$|^ENC[\[(]"
)
_PLACE = expression(
    r"[A-Za-z][\w+.-]*://.*|(?:~|\.{1,2}|[A-Za-z]:)?(?:[\\/][\w.@-]+){2,}[\\/]?|[\w.@-]+(?:[\\/][\w.@-]+)*[\\/][\w@-]+\.\w{1,5}"
)
_PLACEHOLDER = expression(
    r"example|(?:change|replace)[-_]?(?:me|this|it)|placeholder|your|dummy|fake|sample|xxx|\*\*\*|\.\.\.|todo",
    re.I,
)
_WEAK = expression(r"test|<|\{|\$|%|env|none|null|secret|passw|token|key", re.I)  # in what is not random
_WORDS = expression(
    r"[\w-]+(?:[./:][\w-]+)+"
)  # a path, a module, a host: no credential, unless a part is like one
_WORD = expression(r"[A-Z][a-z]{2,}|[a-z]{3,}")
_LETTER = expression(r"[A-Za-z]")
_LONGEST_LINE = 2000


def credential_in(path: str, line: str) -> re.Match[str] | None:
    """The assignment in it whose `value` is almost certainly real; none in tests, whose credentials are made up."""
    if len(line) > _LONGEST_LINE or is_test_path(path):
        return None
    real = (found for found in _QUOTED.finditer(line) if _is_real(found["value"]))
    if (found := next(real, None)) is not None:
        return found
    if not _PLAIN_FILES.search(path) or _SAMPLE_FILES.search(path):
        return None
    plain = _PLAIN.search(line)
    return plain if plain is not None and _is_real(plain["value"]) else None


def masked(line: str, found: re.Match[str]) -> str:
    """The line without the value."""
    return line[: found.start("value")] + MASK + line[found.end("value") :]


def is_environment_file(path: str) -> bool:
    """Whether it is a file of variables that a program is started with, as people have them for themselves."""
    return bool(_ENVIRONMENT.search(PurePosixPath(path).name))


def _is_real(value: str) -> bool:
    """Whether a value looks like a credential and not like a reference, a place, a placeholder or a name."""
    if _REFERENCE.search(value) or _PLACE.fullmatch(value) or _PLACEHOLDER.search(value):
        return False
    if _is_random(value):
        return True
    return (
        not _WEAK.search(value)
        and bool(re.search(r"\d", value))
        and bool(_LETTER.search(value))
        and not _WORDS.fullmatch(value)
    )


def _is_random(value: str) -> bool:
    """Whether a part of it mixes digits, lower and upper case as no words do, one joined to the next."""
    return any(
        all(re.search(kind, part) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
        and 3 * sum(map(len, _WORD.findall(part))) < 2 * len(_LETTER.findall(part))
        for part in re.findall(r"[A-Za-z0-9]{10,}", value)
    )
