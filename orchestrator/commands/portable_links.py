"""What the plans of an exported session were made of, and what was made of them: links, and the specification's items then.

Without them nobody could say what a change of the specification affects. A link arrives unverified: what a check of
another machine showed is shown by none of ours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.plan_checks import GROUND, Ground
from orchestrator.store import checks
from orchestrator.store.checks import GivenCheck, Link
from orchestrator.store.store import Store, Tx

MEMBER = "links.json"  # of the file
_TEXTS = ("from_kind", "from_id", "to_kind", "to_id", "how", "run_id")
_DIGESTS = ("from_digest", "to_digest")


@dataclass(frozen=True, slots=True)
class Links:
    """What a package holds of them, as it says itself, and what the session's work builds on."""

    origin: str
    base: str
    grounds: tuple[GivenCheck, ...]
    links: tuple[Link, ...]


def members(store: Store, session: str, origin: str, base: str) -> dict[str, bytes]:
    """What to add to the session's file; nothing where nothing was noted."""

    def read(tx: Tx) -> JsonObject:
        grounds = (each for each in checks.checks_of(tx, session) if each.kind == GROUND)
        return {
            "grounds": [
                {"tree_id": each.tree_id, "key": each.key, "data": each.data, "run_id": each.run_id}
                for each in grounds
            ],
            "links": [
                {name: value for name, value in each._asdict().items() if name in (*_TEXTS, *_DIGESTS)}
                for each in checks.links_of(tx, session)
            ],
        }

    found = store.read(read)
    if not any(found.values()):
        return {}
    return {MEMBER: json.dumps({"origin": origin, "base": base, **found}, ensure_ascii=False).encode()}


def read_links(read: Callable[[str], bytes], runs: frozenset[str]) -> Links | None:
    """Those in a package whose members `read` gives, None where it has none; `runs`: of the session.

    Raises ValueError, KeyError or TypeError for whatever does not fit.
    """
    try:
        about = json.loads(read(MEMBER))
    except KeyError:
        return None
    grounds = tuple(
        GivenCheck(_text(each["tree_id"]), GROUND, _text(each["key"]), _ground(each["data"]), each["run_id"])
        for each in about["grounds"]
    )
    links = tuple(_link(each) for each in about["links"])
    if not runs.issuperset([*(each.run_id for each in grounds), *(each.run_id for each in links)]):
        raise ValueError("what its plans were made of was noted by runs that it does not have")
    return Links(about["origin"], about["base"], grounds, links)


def _link(given: Mapping[str, Json]) -> Link:
    from_digest, to_digest = (None if given[name] is None else _text(given[name]) for name in _DIGESTS)
    from_kind, from_id, to_kind, to_id, how, run = (_text(given[name]) for name in _TEXTS)
    return Link(from_kind, from_id, from_digest, to_kind, to_id, to_digest, how, 0, None, run)


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise TypeError(f"what its plans were made of has {type(value).__name__} in the place of a text")
    return value


def _ground(given: Mapping[str, Json]) -> JsonObject:
    return Ground.from_json(given).as_json()


def insert(tx: Tx, session: str, given: Links) -> None:
    """Note them for the session, whose work has begun."""
    for each in given.grounds:
        checks.add_given(tx, session, each)
    for link in given.links:
        checks.add_link(tx, session, link)
