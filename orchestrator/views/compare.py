"""Two sessions side by side: documents, scores, discussions, tests, review, code, cost and time, as plain values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from orchestrator.domain.comparison import Better, Row, row
from orchestrator.domain.dataclass import asdict
from orchestrator.domain.errors import UsageError
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import SessionStatus, TaskStatus
from orchestrator.domain.patterns import expression
from orchestrator.store import artifacts, records, tasks, work_state
from orchestrator.store.rows import Artifact, Session
from orchestrator.store.store import Tx
from orchestrator.views import cost, discuss, measured, reviews, session_line
from orchestrator.views.lookup import session as find

_HEADING = expression(r"^#{1,6} ", re.MULTILINE)
_FENCE = expression(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_FRONT = expression(r"\A---\n.*?^---\n", re.MULTILINE | re.DOTALL)  # names the session and the time
_DATA = "/."  # a folder of data, in a path
_RECORDS = ("discussions/", "qa/")  # of rounds, tests and reviews, which have rows of their own
DIMENSIONS = ("completeness", "consistency", "traceability", "depth", "coverage")


def two_sessions(tx: Tx, first: str, second: str) -> tuple[Session, Session]:
    """The sessions that are named. Raises UnknownName, and UsageError for one that is named twice."""
    a, b = find(tx, first), find(tx, second)
    if a.id == b.id:
        raise UsageError(
            f"{a.id} is named twice",
            why="a session is compared with another one",
            fix="`lifecycle list` shows the sessions; `lifecycle fork` makes a second one of a session",
        )
    return a, b


def compare(
    tx: Tx, a: Session, b: Session, code: Mapping[str, JsonObject | None] | None = None
) -> JsonObject:
    """Both sessions, and row by row what can be compared; `code`: by session what its commits changed."""
    changed = code or {}
    sides = [_side(tx, each, changed.get(each.id)) for each in (a, b)]
    return {
        "a": sides[0],
        "b": sides[1],
        "related": _related(a, b),
        "rows": [asdict(each) for each in _rows(*sides)],
    }


def has_code(tx: Tx, session: str) -> bool:
    """Whether something has landed in the session."""
    state = work_state.state_of(tx, session)
    return state is not None and state.head != state.base


def _related(a: Session, b: Session) -> JsonObject | None:
    """Which one is a fork of the other, or both of a third; None where neither holds."""
    origins = {each.id: each.options.get("forked_from") or {} for each in (a, b)}
    for fork, source in ((b, a), (a, b)):
        if origins[fork.id].get("session") == source.id:
            return {"source": source.id, "task": origins[fork.id]["task"], "how": "fork"}
    first, second = origins[a.id], origins[b.id]
    if first and first.get("session") == second.get("session"):
        at = first["task"] if first["task"] == second["task"] else None
        return {"source": first["session"], "task": at, "how": "both"}
    return None


def _side(tx: Tx, session: Session, code: JsonObject | None) -> JsonObject:
    summary = session_line.summary(tx, session)
    paid = cost.cost_view(tx, session.id)
    calls = records.calls_of(tx, session.id)
    found = tasks.counts(tx, session.id)
    return {
        "session": session.id,
        "title": session.title,
        "mode": session.mode,
        "status": session.status,
        "pause_reason": session.pause_reason,
        "progress": summary["progress"],
        "forked_from": _origin(session),
        "agent": session.options.get("agent"),
        "agents": [each["agent"] for each in paid["by_agent"]],
        "scores": discuss.scores(tx, session.id),
        "discussions": discuss.measured_discussions(tx, session.id),
        "effects": measured.of_session(tx, session.id),
        "documents": _documents(tx, session.id),
        "tests": reviews.newest_tests(tx, session.id),
        "review": (review := reviews.newest(tx, session.id)),
        "criteria": None if review is None else _criteria(tx, session.id, str(review["record"])),
        "code": code,
        "cost": {name: paid[name] for name in ("usd", "calls", "unpriced", "tokens_in", "tokens_out")},
        "inherited": paid["inherited"],
        "turns": sum(1 + call.retries for call in calls if call.metered),
        "agent_seconds": round(
            sum(cost.seconds(call.started_at, call.finished_at or tx.now) for call in calls), 3
        ),
        "wall_seconds": summary["elapsed_seconds"],
        "failed_tasks": found.get(TaskStatus.FAILED, 0),
    }


def _origin(session: Session) -> JsonObject | None:
    origin = session.options.get("forked_from")
    return None if origin is None else {"session": origin["session"], "task": origin["task"]}


def _documents(tx: Tx, session: str) -> list[JsonObject]:
    """The newest version of each document that people read: its size in characters and its headings."""
    return [_document(tx, each) for each in artifacts.newest(tx, session) if _is_read(each)]


def _is_read(each: Artifact) -> bool:
    is_record = each.path.startswith(_RECORDS)
    return each.path.endswith(".md") and not is_record and _DATA not in f"/{each.path}"


def _text(tx: Tx, each: Artifact) -> str:
    """What it says, without what differs from session to session."""
    return _FRONT.sub("", artifacts.body(tx, each.sha256).decode("utf-8", "replace"))


def _document(tx: Tx, each: Artifact) -> JsonObject:
    text = _text(tx, each)
    sections = len(_HEADING.findall(_FENCE.sub("", text)))
    return {
        "path": each.path,
        "version": each.version,
        "characters": len(text),
        "sections": sections,
        "sha256": artifacts.digest_of(text.encode("utf-8", "replace")),
    }


def _criteria(tx: Tx, session: str, record: str) -> JsonObject | None:
    """How many acceptance criteria the review found met; None where its record does not say."""
    kept = next((each for each in artifacts.newest(tx, session) if each.path == record), None)
    try:
        said = None if kept is None else json.loads(artifacts.body(tx, kept.sha256))
    except ValueError:
        return None  # a person has edited it
    listed = said.get("criteria") if isinstance(said, dict) else None
    if not isinstance(listed, list) or not listed:
        return None
    met = sum(isinstance(each, dict) and each.get("met") == "met" for each in listed)
    return {"met": met, "total": len(listed)}


def _rows(a: JsonObject, b: JsonObject) -> list[Row]:
    both = (a, b)
    fair = all(each["status"] == SessionStatus.COMPLETED for each in both)
    return [
        *_general(*both),
        *_documents_of(a["documents"], b["documents"]),
        *_scores(a["scores"], b["scores"]),
        *_rounds(a["discussions"], b["discussions"]),
        *_found(*both),
        *_code(*both),
        *_costs(*both, fair=fair),
    ]


def _general(a: JsonObject, b: JsonObject) -> list[Row]:
    def of(name: str) -> tuple[str, str]:
        return a[name], b[name]

    done = [f"{each['progress']['done']}/{each['progress']['total']}" for each in (a, b)]
    agents = [", ".join(each["agents"]) or None for each in (a, b)]
    state = [each["pause_reason"] or each["status"] for each in (a, b)]
    return [
        row("session", "mode", of("mode")),
        row("session", "state", state),
        row("session", "tasks", done),
        row("session", "agents", agents),
    ]


def _documents_of(a: Sequence[JsonObject], b: Sequence[JsonObject]) -> list[Row]:
    known = [{each["path"]: each for each in side} for side in (a, b)]
    paths = list(dict.fromkeys([each["path"] for side in (a, b) for each in side]))
    rows = [row("documents", "documents", (len(a), len(b)), kind="number")] if paths else []
    for path in paths:
        mine, other = (side.get(path) for side in known)
        if mine is not None and other is not None and mine["sha256"] == other["sha256"]:
            rows.append(row("documents", path, (_size(mine), "the same")))
        else:
            rows.append(row("documents", path, (_size(mine), _size(other))))
    return rows


def _size(document: JsonObject | None) -> str | None:
    if document is None:
        return None
    sections = document["sections"]
    return f"{sections} section{'' if sections == 1 else 's'}, {document['characters']} chars"


def _scores(a: JsonObject | None, b: JsonObject | None) -> list[Row]:
    if a is None and b is None:
        return []

    def dimension(side: JsonObject | None, name: str) -> Json:
        return None if side is None else side["dimensions"].get(name)

    def of(side: JsonObject | None, name: str) -> Json:
        return None if side is None else side[name]

    known = [name for side in (a, b) if side is not None for name in side["dimensions"]]
    names = dict.fromkeys([*DIMENSIONS, *known])
    return [
        row("scores", "gate", (of(a, "gate"), of(b, "gate")), Better.GATE),
        row("scores", "score", (of(a, "score"), of(b, "score")), Better.MORE, "percent"),
        *(
            row("scores", name, (dimension(a, name), dimension(b, name)), Better.MORE, "percent")
            for name in names
            if name in known
        ),
    ]


def _rounds(a: Sequence[JsonObject], b: Sequence[JsonObject]) -> list[Row]:
    """The last verdict of each round and its mean rating; how often it was held."""
    last = [{each["round"]: each for each in side} for side in (a, b)]
    names = list(dict.fromkeys([each["round"] for side in (a, b) for each in side]))
    rows = []
    for name in names:
        mine, other = (side.get(name) for side in last)
        rows.append(row("discussions", f"{name} verdict", (_word(mine), _word(other))))
        means = [None if each is None else each["mean"] for each in (mine, other)]
        rows.append(row("discussions", f"{name} rating", means, Better.MORE, "rating"))
    if names:
        rows.append(row("discussions", "rounds held", (len(a), len(b)), kind="number"))
    return rows


def _word(found: JsonObject | None) -> str | None:
    return None if found is None else " ".join(filter(None, (found["consensus"], found["severity"])))


def _found(a: JsonObject, b: JsonObject) -> list[Row]:
    """What was found wrong: by critics, by tests and by the review."""
    rows = []
    if a["discussions"] or b["discussions"]:
        said = [each["effects"] if each["discussions"] else None for each in (a, b)]
        for name, key in (("findings of critics", "findings"), ("led to a change", "led_to_a_change")):
            counts = [None if each is None else each[key] for each in said]
            rows.append(row("findings", name, counts, kind="number"))
    tests = [each["tests"] or {} for each in (a, b)]
    if any(tests):
        rows.append(row("tests", "tests", [each.get("verdict") for each in tests], Better.TESTS))
        rows.append(row("tests", "passed", [each.get("passed") for each in tests], kind="number"))
        rows.append(row("tests", "failed", [each.get("failed") for each in tests], Better.LESS, "number"))
    review = [each["review"] for each in (a, b)]
    if any(review):
        rows.append(row("review", "review", [each and each["verdict"] for each in review], Better.REVIEW))
        worst = dict.fromkeys(name for each in review if each for name in each["findings"])
        rows += [
            row(
                "review",
                f"{severity} findings",
                [None if each is None else each["findings"].get(severity, 0) for each in review],
                Better.LESS,
                "number",
            )
            for severity in worst
        ]
    met = [each["criteria"] for each in (a, b)]
    if any(met):
        share = [None if each is None else each["met"] / each["total"] * 100 for each in met]
        counted = [None if each is None else f"{each['met']} of {each['total']}" for each in met]
        rows.append(row("review", "criteria met", counted))
        rows.append(row("review", "share of criteria", share, Better.MORE, "percent"))
    return rows


def _code(a: JsonObject, b: JsonObject) -> list[Row]:
    sides = [each["code"] for each in (a, b)]
    if not any(sides):
        return []
    return [
        row("code", name, [None if each is None else each[key] for each in sides], kind="number")
        for name, key in (
            ("commits", "commits"),
            ("files changed", "files"),
            ("lines added", "added"),
            ("lines removed", "removed"),
        )
    ]


def _costs(a: JsonObject, b: JsonObject, *, fair: bool) -> list[Row]:
    """Own and inherited; better is told only of two sessions that are done, with every price known."""
    own = [each["cost"] for each in (a, b)]
    before = [each["inherited"] for each in (a, b)]
    priced = fair and not any(each["unpriced"] for each in (*own, *filter(None, before)))
    forked = any(before)

    def whole(name: str, mine: Sequence[Json]) -> list[Json]:
        return [value + (each[name] if each else 0) for value, each in zip(mine, before, strict=True)]

    tokens = [each["tokens_in"] + each["tokens_out"] for each in own]
    all_tokens = [
        value + (each["tokens_in"] + each["tokens_out"] if each else 0)
        for value, each in zip(tokens, before, strict=True)
    ]
    usd = [each["usd"] for each in own]
    agent = [each["agent_seconds"] for each in (a, b)]
    turns = [each["turns"] for each in (a, b)]
    rows = [
        row("cost", "cost", whole("usd", usd), Better.LESS, "usd", fair=priced),
        row("cost", "tokens", all_tokens, Better.LESS, "number", fair=fair),
        row("cost", "agent time", whole("seconds", agent), Better.LESS, "seconds", fair=fair),
    ]
    if forked:
        rows += [
            row("cost", "of its own: cost", usd, kind="usd"),
            row("cost", "of its own: tokens", tokens, kind="number"),
            row("cost", "of its own: agent time", agent, kind="seconds"),
        ]
    return [
        *rows,
        row("cost", "turns of its own", turns, Better.NONE if forked else Better.LESS, "number", fair=fair),
        row("cost", "wall time of its own", (a["wall_seconds"], b["wall_seconds"]), kind="seconds"),
    ]


def document_versions(tx: Tx, a: str, b: str) -> list[tuple[str, str, str]]:
    """Path and both texts of every document that differs; one that a session lacks is empty there."""
    newest = [{each.path: each for each in artifacts.newest(tx, name) if _is_read(each)} for name in (a, b)]
    found = []
    for path in dict.fromkeys([*newest[0], *newest[1]]):
        one, two = ("" if path not in side else _text(tx, side[path]) for side in newest)
        if one != two:
            found.append((one_line(path), one, two))
    return found
