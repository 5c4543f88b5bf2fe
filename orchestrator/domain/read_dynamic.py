"""Reading the rules of dynamic mode from plain YAML values, with every fault of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from orchestrator.domain import ids
from orchestrator.domain.dataclass import fields
from orchestrator.domain.dynamic import (
    DOCUMENT,
    FINDINGS,
    GENERAL,
    HIGHEST_TIER,
    PREFIXES,
    ROLES,
    WORKS,
    Capability,
    DynamicRules,
)
from orchestrator.domain.graph import Place
from orchestrator.domain.json_types import Json
from orchestrator.domain.plain_values import Reader

RESERVED = frozenset(
    {
        "DISCUSS",
        "REVIEW",
        "QUALITY",
        "DEV-FE",
        "QA-FE",
        "EXPLORE",
        "ANALYZE",
        "SYNTH",
        "IMPROVE",
        "SUPERVISE",
        "ARCH",
    }
)  # prefixes whose tasks are known by rules of their own
CHANGES = ("feature", "fix", "refactor", "test", "docs", "remove")
_KEYS = tuple(each.name for each in fields(Capability) if each.name != "name")


def read_dynamic(reader: Reader, given: Mapping[str, Json], perspectives: Collection[str]) -> DynamicRules:
    """The rules; none where a pack has no such section."""
    top = reader.mapping(dict(given), ("dynamic",), ("capabilities", "changes"))
    raw = reader.mapping(top.get("capabilities"), ("dynamic", "capabilities"))
    known = {name: _capability(reader, name, each, raw, perspectives) for name, each in raw.items()}
    if raw and GENERAL not in known:
        reader.fault(("dynamic", "capabilities"), f"{GENERAL} is missing: it does what no words name")
    owners: dict[str, str] = {}
    for name, each in known.items():
        if owners.setdefault(each.prefix, name) != name:
            place = ("dynamic", "capabilities", name, "prefix")
            reader.fault(place, f"prefix {each.prefix!r} already belongs to {owners[each.prefix]}")
    kinds = reader.mapping(top.get("changes"), ("dynamic", "changes"), CHANGES)
    return DynamicRules(
        known, {kind: reader.texts(words, ("dynamic", "changes", kind)) for kind, words in kinds.items()}
    )


def _capability(
    reader: Reader, name: str, raw: Json, every: Collection[str], perspectives: Collection[str]
) -> Capability:
    place: Place = ("dynamic", "capabilities", name)
    given = reader.mapping(raw, place, _KEYS)
    role, work, prefix = (reader.text(given.get(key), (*place, key)) for key in ("role", "work", "prefix"))
    reader.known("role", role, ROLES, (*place, "role"))
    reader.known("work", work, WORKS, (*place, "work"))
    lists = {
        key: reader.texts(given.get(key, []), (*place, key))
        for key in ("words", "weak_words", "after", "perspectives", "focus")
    }
    for key, kind, known in (("after", "capability", every), ("perspectives", "perspective", perspectives)):
        for index, each in enumerate(lists[key]):
            reader.known(kind, each, known, (*place, key, index))
    _check_prefix(reader, prefix, work, (*place, "prefix"))
    return Capability(
        name=name,
        role=role if role in ROLES else ROLES[-1],
        prefix=prefix,
        tier=int(reader.number(given.get("tier", 0), (*place, "tier"), 0, HIGHEST_TIER)),
        work=work if work in WORKS else DOCUMENT,
        explores="explores" in given and reader.flag(given["explores"], (*place, "explores")),
        **lists,
    )


def _check_prefix(reader: Reader, prefix: str, work: str, place: Place) -> None:
    if not prefix:
        return
    if not ids.is_key(f"{prefix}-001") or prefix != ids.parse_key(f"{prefix}-001").stem:
        reader.fault(place, f"{ids.shown(prefix)} is not a task prefix: use upper case letters and hyphens")
    elif work in PREFIXES and prefix != PREFIXES[work]:
        reader.fault(place, f"tasks of {work} have the prefix {PREFIXES[work]}")
    elif work in (FINDINGS, DOCUMENT) and prefix in (RESERVED | set(PREFIXES.values())):
        reader.fault(place, f"{prefix} is the prefix of other work")
