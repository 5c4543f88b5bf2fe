"""A document of dynamic mode by rule: what was asked for, what the team has found, where it is in the project, what is open.

Nothing is invented: every point is a sentence of the request, a result of another task, or a file that is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestrator.domain.json_types import Json, JsonObject
from workers.builtin.material import Material
from workers.builtin.phrases import short, unique
from workers.documents.sentences import sentences
from workers.documents.team_content import TeamDocument, TeamPoint, TeamSection

MOST_POINTS, MOST_FILES, MOST_QUESTIONS, MOST_SECTIONS = 30, 8, 10, 18


def answer(m: Material) -> TeamDocument:
    """The document; a revision keeps what it had, and says what was asked of it since."""
    given: Mapping[str, Json] = m.facts["team"]
    results: Mapping[str, JsonObject] = given["results"]
    asked = unique([row.text for row in sentences(m.analysis.text)]) or [m.analysis.text]
    sections = [
        _section(m, "team_asked", asked),
        *(part for path, each in results.items() for part in _of_result(m, path, each)),
        _advice(m, results),
        _files(m),
        _section(m, "team_answered", [*m.feedback, *m.remarks]),
    ]
    filled = [each for each in sections if each is not None][:MOST_SECTIONS]
    told = sum(len(each.get("key_insights", ())) for each in results.values())
    questions = unique(
        [
            *m.analysis.questions,
            *(text for each in results.values() for text in each.get("open_questions", ())),
            *(
                m.say("team_unsaid", focus=text)
                for text in given["focus"]
                if not results and m.lex.language == "en"
            ),
        ]
    )
    return TeamDocument(
        title=short(str(given["title"]), 200) or m.analysis.title,
        summary=m.say(
            "team_summary",
            title=short(str(given["title"]), 200),
            asked=len(asked),
            results=len(results),
            found=told,
        ),
        sections=filled,
        open_questions=questions[:MOST_QUESTIONS],
    )


def _section(m: Material, heading: str, texts: list[str]) -> TeamSection | None:
    points = [TeamPoint(text=short(text, 2_000)) for text in unique(texts)[:MOST_POINTS] if text.strip()]
    return TeamSection(heading=m.say(heading), points=points) if points else None


def _of_result(m: Material, path: str, result: JsonObject) -> Iterator[TeamSection]:
    """What another task has found, with the lines that show it; of a document its headings and what it says first."""
    points = [
        TeamPoint.model_validate({"text": each["text"], "evidence": each["evidence"][:3]})
        for each in result.get("key_insights", ())[:MOST_POINTS]
    ]
    points += [
        TeamPoint(text=short(f"{part['heading']}: {_first_words(part)}", 500))
        for part in result.get("sections", ())
        if _first_words(part)
    ]
    if points:
        name = path.rpartition("/")[2].removesuffix(".json")
        yield TeamSection(heading=m.say("team_result", name=name), points=points)


def _first_words(part: JsonObject) -> str:
    return str(part["text"] or next((point["text"] for point in part["points"]), ""))


def _advice(m: Material, results: Mapping[str, JsonObject]) -> TeamSection | None:
    texts = [row["action"] for each in results.values() for row in each.get("recommendations", ())]
    return _section(m, "team_advice", texts)


def _files(m: Material) -> TeamSection | None:
    record = m.facts.get("codebase") or {}
    found = [
        f"{each['path']}: {short(str(each['rationale']), 200)}"
        for each in record.get("relevant_files", ())[:MOST_FILES]
    ]
    return _section(m, "team_files", found)
