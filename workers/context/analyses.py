"""What an analysis has come to so far: its perspectives' results and its rounds, as they are stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator.domain.agent_kinds import BUILTIN
from orchestrator.domain.json_types import Json, JsonObject
from workers.context.run_context import RunContext
from workers.context.sources import repository_text
from workers.documents.analysis_content import Insight, Place
from workers.documents.cutting import cut
from workers.explore.citations import CitationCheck

ANALYSES, ROUNDS, EXPLORATIONS = "analyses/", "discussions/discussion-round-", "explorations/explore-"
CONCLUSIONS, REPORT, TIMELINE = "conclusions.json", "report.md", "discussion.md"
EXPLORATION_LIMIT, RESULT_LIMIT = 16_000, 30_000  # characters in a prompt


def analyses(context: RunContext) -> list[JsonObject]:
    """The results of the perspectives, oldest first."""
    return [context.json(path) for path in sorted(context.artifacts) if path.startswith(ANALYSES)]


def results(context: RunContext) -> list[JsonObject]:
    """The analyses; where none was made, what the rules found for each perspective."""
    return analyses(context) or [
        {
            "perspective": record["perspective"],
            "agent": BUILTIN,
            "is_direction_fix": False,
            "adjusted_focus": None,
            "key_insights": record["observations"],
            "unverified": [],
            "key_findings": [],
            "discussion_points": [],
            "open_questions": [],
            "recommendations": [],
        }
        for record in explorations(context).values()
    ]


def rounds(context: RunContext, before: int | None = None) -> list[JsonObject]:
    """The rounds that were held, oldest first; those before a number, where one is given."""
    found = [context.json(path) for path in sorted(context.artifacts) if path.startswith(ROUNDS)]
    held = sorted(found, key=lambda each: int(each["round"]))
    return [each for each in held if before is None or each["round"] < before]


def explorations(context: RunContext, perspective: str | None = None) -> dict[str, JsonObject]:
    """Path -> exploration; those of one perspective, or all."""
    start = f"{EXPLORATIONS}{perspective}-" if perspective else EXPLORATIONS
    return {path: context.json(path) for path in sorted(context.artifacts) if path.startswith(start)}


def checked(context: RunContext, insights: Iterable[Insight]) -> tuple[list[JsonObject], list[JsonObject]]:
    """Insights with evidence that was found in the project, and those with none; each place says what was found."""
    check = CitationCheck(context.project)
    shown: list[JsonObject] = []
    bare: list[JsonObject] = []
    for insight in insights:
        evidence, missing = found_places(check, insight.evidence)
        record: JsonObject = {"text": insight.text, "answers": insight.answers, "evidence": evidence}
        record |= {"not_found": missing} if missing else {}
        (shown if evidence else bare).append(record)
    return shown, bare


def shown_places(insights: Iterable[JsonObject]) -> set[tuple[str, int]]:
    """(file, line) of all their evidence."""
    return {(place["path"], place["line"]) for insight in insights for place in insight["evidence"]}


def known_insights(context: RunContext, before: int | None = None) -> list[JsonObject]:
    """The insights of all perspectives, and of the rounds before a number or all, each text once, oldest first."""
    found = [insight for each in analyses(context) for insight in each["key_insights"]]
    for each in rounds(context, before):
        understood = each["updated_understanding"]
        found += [*understood["confirmed"], *understood["new_insights"]]
    return list({insight["text"]: insight for insight in reversed(found)}.values())[::-1]


def gone(context: RunContext, before: int | None = None) -> list[str]:
    """The insights whose evidence was there when they were found, and is not now: the project has changed."""
    check = CitationCheck(context.project)
    return [
        insight["text"]
        for insight in known_insights(context, before)
        if insight["evidence"]
        and not any(
            check.check(each["path"], each["line"], each["quote"]).verified for each in insight["evidence"]
        )
    ]


def found_places(check: CitationCheck, places: Sequence[Place]) -> tuple[list[JsonObject], list[JsonObject]]:
    """The places that are there, and those that are not with the reason."""
    found: dict[tuple[str, int], JsonObject] = {}
    missing: list[JsonObject] = []
    for place in places:
        cited = check.check(place.path, place.line, place.quote)
        record: JsonObject = {"path": cited.path, "line": cited.line, "quote": cited.quote}
        if cited.verified:
            found.setdefault((cited.path, cited.line), record)
        else:
            missing.append({**record, "fault": cited.fault})
    return list(found.values()), missing


def material(context: RunContext, before: int | None = None) -> list[tuple[str, str]]:
    """What a round and the conclusions are asked about: the results, then the rounds (before a number, or all)."""
    results = [
        (f"Analysis: {each['perspective']}", cut(compact_text(each), RESULT_LIMIT))
        for each in analyses(context)
    ]
    held = [
        (f"Round {each['round']} ({each['type']})", cut(compact_text(each), RESULT_LIMIT))
        for each in rounds(context, before)
    ]
    if not results:
        results = [
            (f"Exploration: {path}", exploration_text(record))
            for path, record in explorations(context).items()
        ]
    return [*results, *held]


def exploration_text(record: JsonObject) -> str:
    """What an exploration found, without the findings by rule, as far as a prompt has room."""
    kept = {key: value for key, value in unstamped(record).items() if key != "observations"}
    return cut(repository_text(kept), EXPLORATION_LIMIT)


def compact_text(record: JsonObject) -> str:
    """A record without what only programs read."""
    return _lines(unstamped(record))


def unstamped(record: JsonObject) -> JsonObject:
    """What a record says, without when and by which run it was made: prompts are the same when a session is replayed."""
    left = ("schema", "session", "task", "run", "generated_at", "not_found", "timestamp", "_metadata")
    return {key: value for key, value in record.items() if key not in left}


def _lines(value: Json, depth: int = 0) -> str:
    pad = "  " * depth
    if isinstance(value, dict):
        rows = [(key, each) for key, each in value.items() if each not in (None, [], {}, "")]
        if {"path", "line"} <= {key for key, _ in rows}:
            return f"{pad}- {value['path']}:{value['line']}: {value.get('quote', '')}"
        return "\n".join(
            f"{pad}{key}:\n{_lines(each, depth + 1)}"
            if isinstance(each, dict | list)
            else f"{pad}{key}: {each}"
            for key, each in rows
        )
    if isinstance(value, list):
        return "\n".join(
            _lines(each, depth) if isinstance(each, dict) else f"{pad}- {each}" for each in value
        )
    return f"{pad}{value}"


def stamped(context: RunContext, schema: str) -> JsonObject:
    """What every file of an analysis says about itself."""
    from workers.context.written_documents import stamp

    return {
        "schema": schema,
        "session": context.session.id,
        "task": context.row.key,
        "run": context.row.run,
        "generated_at": stamp(context.row.opened_at),
    }
