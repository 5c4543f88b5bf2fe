"""Masks credentials, found by the environment that holds them or by their form.

A *known* secret is masked wherever it stands and however it is written; a *shape* only where it is almost certainly a
credential. Placeholders of a document (`Bearer <token>`, `sk-your-key`) stay: they have no digit.
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression

MASK = "[masked]"
SHORTEST = 8  # characters; a shorter value may be any word
_NAME = expression(
    r"secret|passw(?:or)?d|passphrase|token|credential|api_?key|(?:^|_)(?:keys?|pass|auth|login|pat|cookie)(?:_|\d*$)",
    re.I,
)
_NO_VALUE = expression(
    r"_(?:file|path|dir|sock|type|method|backend|limit|ttl|name|env|count|length|timeout|cmd|command)s?$",
    re.I,
)
_PATH = expression(r"(?:~|\.{1,2})?(?:/[\w.@ -]+){2,}/?")
_ADDRESS = expression(r"[A-Za-z][\w+.-]*://[^\s/@:]*:([^\s/@]+)@")
_UNRESERVED = expression(r"[A-Za-z0-9_.~-]")

# name of the shape -> what it looks like; a group is what is masked, else the whole
_SHAPES = {
    "private key": expression(
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.{0,20000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)",
        re.S,
    ),
    "token": expression(
        r"(?<![A-Za-z0-9_-])(?:sk-(?=[\w-]{0,200}\d)[\w-]{12,}|[rs]k_(?:live|test)_\w{16,}|gh[pousr]_\w{20,}|github_pat_\w{22,}"
        r"|glpat-[\w-]{20,}|xox[abeprs]-[\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}"
        r"|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{40,}|hf_[A-Za-z0-9]{30,}"
        r"|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})"
    ),
    "authorization": expression(
        r"(?:\bauthorization|\bx-(?:goog-)?api-key)[\"']{0,2}\s{0,4}[:=]\s{0,4}[\"']?(?:(?:bearer|basic|token)\s{1,4})?"
        r"((?=[^\s\"',;<>]{0,4000}\d)[^\s\"',;<>]{8,})"
        r"|\bbearer\s{1,4}((?=[\w.~+/-]{0,4000}\d)[\w.~+/-]{16,}=*)",
        re.I,
    ),
    "key in an address": expression(
        r"[?&;](?:[a-z_-]{0,20}(?:key|token|secret|passw(?:or)?d|signature)|sig|auth)="
        r"((?=[^\s\"'&#<>]{0,4000}\d)[^\s\"'&#<>]{8,})",
        re.I,
    ),
    "password in an address": expression(
        r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,200}:([^\s/@\"'<>{}$\[]{3,400})@"
    ),
}

Known = frozenset[str]


def known(environ: Mapping[str, str]) -> Known:
    """The secrets an environment holds: values of variables with such names, and passwords in addresses.

    An environment is searched again once something in it is another: each line of a log asks.
    """
    return _known(frozenset(dict(environ).items()))  # a copy at once: another thread may renew it


@lru_cache(maxsize=4)
def _known(held: frozenset[tuple[str, str]]) -> Known:
    named = (value for name, value in held if _NAME.search(name) and not _NO_VALUE.search(name))
    inside = (found for _, value in held for found in _ADDRESS.findall(value))
    stripped = (value.strip() for value in (*named, *inside))
    return frozenset(value for value in stripped if len(value) >= SHORTEST and not _PATH.fullmatch(value))


def mask(text: str, secrets: Known = frozenset()) -> str:
    """`text` with every secret replaced; idempotent."""
    return counted(text, secrets)[0]


def counted(text: str, secrets: Known = frozenset()) -> tuple[str, Counter[str]]:
    """The masked text, and how many of each kind were in it."""
    found: Counter[str] = Counter()
    if secrets:
        text, number = _pattern(secrets).subn(MASK, text)
        found["known"] += number
    for name, shape in _SHAPES.items():
        text, number = shape.subn(_masked, text)
        found[name] += number
    return text, +found


def mask_all(value: Json, secrets: Known = frozenset()) -> Json:
    """A plain value (as in JSON) with every text in it masked, keys too."""
    if isinstance(value, str):
        return mask(value, secrets)
    if isinstance(value, Mapping):
        return {mask_all(key, secrets): mask_all(inner, secrets) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(mask_all(inner, secrets) for inner in value)
    return value


def _masked(found: re.Match[str]) -> str:
    """The match with its group replaced, or all of it when it has none."""
    group = next((number for number, inner in enumerate(found.groups(), 1) if inner is not None), 0)
    start, end = (found.start(group) - found.start(), found.end(group) - found.start())
    return found[0][:start] + MASK + found[0][end:]


@lru_cache(maxsize=16)
def _pattern(secrets: Known) -> re.Pattern[str]:
    forms = {form for secret in secrets for form in _forms(secret)}
    return re.compile("|".join(_quoted(form) for form in sorted(forms, key=lambda form: (-len(form), form))))


def _forms(secret: str) -> Iterable[str]:
    """A secret as it may be written: as it is, in JSON, percent-encoded, in hexadecimal, in base64."""
    raw = secret.encode("utf-8", "surrogatepass")
    yield secret
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    for safe in ("", "/"):
        yield "".join(
            chr(byte)
            if chr(byte) in safe or (byte < 128 and _UNRESERVED.match(chr(byte)))
            else f"%{byte:02X}"
            for byte in raw
        )
    yield raw.hex()
    for pad in range(3):  # inside of something longer, the first and last characters depend on the neighbours
        inner = base64.b64encode(b"x" * pad + raw).decode()
        inner = inner[4 if pad else 0 : len(inner) - 4]
        if len(inner) >= SHORTEST:
            yield inner


def _quoted(form: str) -> str:
    """The form as a pattern: white space may have been folded; a plain word is only itself, no part of another."""
    pattern = r"\s+".join(re.escape(part) for part in form.split())
    return rf"(?<!\w){pattern}(?!\w)" if form.isalpha() else pattern
