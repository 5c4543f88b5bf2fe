"""All that a person needs to answer a pause: what is asked, the scores with their weak places, ratings, open questions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

from orchestrator.config.weak_words import weak_words
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.lifecycle.specified import documents_of, items_now
from orchestrator.store import artifacts, edits, records
from orchestrator.store.rows import Artifact, Session
from orchestrator.store.store import Tx
from orchestrator.views import check
from orchestrator.views.rounds import Column, history
from orchestrator.views.since_approval import ChangedDocument, SinceApproval, since_approval

WEAK = 8  # weak places of a dimension that are named
QUESTIONS = 40
NAMED = 100  # characters of an item's title
CONTENT = "spec/.content/"  # the specification as data


class WeakPlace(TypedDict):
    where: str  # a document or an item, as a person calls it
    path: str | None  # the document to open
    section: str | None
    says: str


class Dimension(TypedDict):
    dimension: str
    score: float
    weak: list[WeakPlace]
    more: int  # weak places that are not named


class Question(TypedDict):
    document: str
    text: str


class DecisionView(TypedDict):
    """`overview` is that of `check`; `rounds` the newest of each discussion."""

    overview: JsonObject
    since: SinceApproval
    dimensions: list[Dimension]
    rounds: list[Column]
    questions: list[Question]


def decision_view(tx: Tx, session: Session) -> DecisionView:
    """What the page that decides shows. Everything is read in one snapshot, so that it belongs to one token."""
    newest = artifacts.newest(tx, session.id)
    return {
        "overview": check.overview(tx, session),
        "since": since_approval(tx, session),
        "dimensions": _dimensions(tx, session, newest),
        "rounds": list({row["round"]: row for row in history(tx, session.id)["columns"]}.values()),
        "questions": _questions(tx, newest),
    }


def bodies(tx: Tx, session: str, changed: Iterable[ChangedDocument]) -> dict[str, tuple[bytes, bytes]]:
    """Path -> the document as it was approved (empty: it was not), and as it is now."""
    rows: Mapping[tuple[str, int], Artifact] = {
        (row.path, row.version): row for row in artifacts.every_version(tx, session)
    }
    edited = edits.edited(tx, session)

    def body(path: str, version: int | None) -> bytes:
        if version is None:
            return b""
        row = rows.get((path, version))
        return edited.get(path, b"") if row is None else artifacts.body(tx, row.sha256)

    return {
        each["path"]: (body(each["path"], each["approved"]), body(each["path"], each["version"]))
        for each in changed
    }


def _dimensions(tx: Tx, session: Session, newest: Sequence[Artifact]) -> list[Dimension]:
    """The dimensions of the newest score with their weak places."""
    gates = [row for row in records.verdicts_of(tx, session.id) if row.kind == "gate"]
    scored: Mapping[str, Json] = (gates[-1].data or {}).get("dimensions", {}) if gates else {}
    named = _names(tx, session, newest) if any(each.get("weak") for each in scored.values()) else {}
    paths = [row.path for row in newest]
    return [
        {
            "dimension": name,
            "score": round(float(each["score"]), 1),
            "weak": [_weak(place, paths, named, session.language) for place in each.get("weak", [])[:WEAK]],
            "more": max(0, len(each.get("weak", [])) - WEAK),
        }
        for name, each in scored.items()
    ]


def _names(tx: Tx, session: Session, newest: Sequence[Artifact]) -> dict[str, str]:
    """Item or document -> how a person calls it: an item by its id and title, a document by its title."""
    catalogue = documents_of(tx, session.id)
    digests = {row.path: row.sha256 for row in newest}
    items = items_now(tx, digests, catalogue, edits.edited(tx, session.id))
    named = {
        id: id if item.title in ("", id) else f"{id.rpartition(':')[2]} {one_line(item.title, NAMED)}"
        for id, item in items.items()
    }
    return named | {each.path: each.title for each in catalogue}


def _weak(
    place: Mapping[str, Json], paths: Sequence[str], named: Mapping[str, str], language: str
) -> WeakPlace:
    where, detail, code, todo = (str(place.get(name) or "") for name in ("where", "detail", "code", "todo"))
    of_item = (path for path in paths if path.rpartition("/")[2].startswith((f"{where}-", f"{where}.")))
    is_section = code.startswith("section_")
    return {
        "where": named.get(where, where),
        "path": where if where in paths else next(of_item, None) if where else None,
        "section": detail if is_section and detail else None,
        "says": weak_words(language).says(code, detail, todo),
    }


def _questions(tx: Tx, newest: Sequence[Artifact]) -> list[Question]:
    """The open questions of the specification, each once, with the document that asks it first."""
    found: dict[str, str] = {}
    for row in newest:
        if not row.path.startswith(CONTENT) or not row.path.endswith(".json"):
            continue
        for text in _open_questions(artifacts.body(tx, row.sha256)):
            found.setdefault(text, row.path.removeprefix(CONTENT).removesuffix(".json"))
    return [{"document": document, "text": text} for text, document in list(found.items())[:QUESTIONS]]


def _open_questions(body: bytes) -> list[str]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return []
    listed = data.get("open_questions") if isinstance(data, dict) else None
    return [each for each in listed or [] if isinstance(each, str)] if isinstance(listed, list) else []
