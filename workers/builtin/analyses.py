"""Analyses by rule: insights from what was found in the lines of a project, rounds and conclusions (docs/analyze.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

from orchestrator.domain.agent_kinds import BUILTIN
from orchestrator.domain.analysis import RoundType
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords, table_cells
from workers.builtin.material import Material
from workers.builtin.phrases import once, short, unique
from workers.documents.analysis_content import (
    AnalysisContent,
    Answered,
    ConclusionsContent,
    Insight,
    Place,
    Recommendation,
    RoundContent,
)
from workers.explore.observation_rules import in_code

MOST_INSIGHTS, MOST_POINTS, MOST_CONCLUSIONS, MOST_QUESTIONS, MOST_FILES = 12, 10, 18, 6, 5
MOST_SHARED, MOST_STEPS, MOST_LINES = 3, 3, 3
SHARED_TEXT = 120  # characters of a finding, in what is said of a file that several perspectives point to
LATER = 2  # answers of a new focus, and of what lies deeper, among the conclusions
PER_VIEW = 3  # insights of one perspective among what is new
BEST = 2  # insights that answer a question
SHARES = 2  # words of a question that an answer must hold, where the question has as many
_ORDER = {"high": 0, "medium": 1, "low": 2}
_QUESTION = expression(r"[^?？]*[?？]")


def answer(m: Material) -> AnalysisContent:
    """What one perspective sees: its findings by rule, the gravest first."""
    given: Mapping[str, Json] = m.facts["analysis"]
    record = given["exploration"]
    found = sorted(record.get("observations", ()), key=_first)
    insights = _insights_of(found)[:MOST_INSIGHTS]
    relevant = [str(each["path"]) for each in record.get("relevant_files", ())][:MOST_FILES]
    nearest = [m.say("analysis_nearest", files=_listed(m, relevant))] if relevant and given["leads"] else []
    grave = [each for each in found if each["priority"] == "high"]
    if not insights:
        view = _view(m, given["perspective"])
        return AnalysisContent(
            key_insights=[],
            key_findings=nearest,
            open_questions=[m.say("analysis_nothing", perspective=view)],
        )
    return AnalysisContent(
        key_insights=insights,
        key_findings=nearest,
        open_questions=[m.say("analysis_intended", text=each["text"]) for each in grave][:MOST_QUESTIONS],
        recommendations=[
            Recommendation(action=each["do"], rationale=each["text"], priority=each["priority"])
            for each in found
            if each["do"]
        ][:MOST_POINTS],
    )


def _first(observation: JsonObject) -> tuple[bool, bool, int]:
    """What answers the question comes first, then what its files show, and the gravest of each before the rest."""
    return not observation["answers"], not observation["near"], _ORDER[observation["priority"]]


def held(m: Material) -> RoundContent:
    """A round: what several perspectives share, what was not said yet, or answers to a person's questions."""
    given: Mapping[str, Json] = m.facts["analysis"]
    results, before = given["analyses"], given["rounds"]
    kind = RoundType(given["type"])
    said = {each["text"] for one in before for each in _understood(one)}
    if kind is RoundType.QUESTIONS:
        return RoundContent(answers=[_answered(m, each, given) for each in questions(given["direction"])])
    if kind is RoundType.ADJUSTED:
        fixed = [each for each in results if each["is_direction_fix"]][-1:]
        new = [insight for each in fixed for insight in _insights(each) if insight.text not in said]
        return RoundContent(
            confirmed=[insight for insight in _shared(m, results) if insight.text not in said],
            new_insights=new,
            new_questions=_open(fixed),
        )
    if kind is RoundType.DEEPEN:
        deeper = _insights_of(sorted(given["exploration"].get("observations", ()), key=_first))
        rest = [*deeper, *(insight for each in results for insight in _insights(each))]
        new = once(insight for insight in rest if insight.text not in said)[:MOST_POINTS]
        asked = {text for one in before for text in one["new_questions"]}
        return RoundContent(
            new_insights=new,
            new_findings=[] if new else [m.say("analysis_no_more")],
            new_questions=[text for text in _open(results) if text not in asked][:MOST_QUESTIONS],
        )
    return RoundContent(
        confirmed=_shared(m, results),
        new_insights=once(_answers_first(results, PER_VIEW))[:MOST_CONCLUSIONS],
        new_findings=unique(text for each in results for text in each["key_findings"][:2])[:MOST_POINTS],
        new_questions=_open(results)[:MOST_QUESTIONS],
    )


def concluded(m: Material) -> ConclusionsContent:
    """The end: what several perspectives share, then the gravest of each, and what to do about it."""
    given: Mapping[str, Json] = m.facts["analysis"]
    results, before = given["analyses"], given["rounds"]
    if not results:
        return ConclusionsContent(summary=m.say("analysis_empty"), key_conclusions=[])
    first = [insight for each in results if not each["is_direction_fix"] for insight in _insights(each)]
    turned = [insight for each in results if each["is_direction_fix"] for insight in _insights(each)]
    deeper = [each for one in before for each in _insights_of(one["updated_understanding"]["new_insights"])]
    points = [insight for insight in first if insight.answers]
    points += [_of_answer(each) for one in before for each in one["answers"] if each["evidence"]]
    for later in (turned, deeper):
        known = {point.text for point in points}
        points += [each for each in later if each.answers and each.text not in known][:LATER]
    points += _shared(m, results)
    points += [each for each in _answers_first(results, PER_VIEW) if not each.answers]
    gone = set(given["gone"])
    points = [point for point in points if point.text not in gone]
    advice = sorted(
        ({**each, "agent": result["agent"]} for result in results for each in result["recommendations"]),
        key=lambda each: _ORDER[each["priority"]],
    )
    shown = {point.text: point for point in once(points)[:MOST_CONCLUSIONS]}
    by_action: dict[str, JsonObject] = {}
    for each in advice:
        if _follows(each, shown):
            by_action.setdefault(each["action"], each)
    kept = list(by_action.values())[:MOST_POINTS]
    grave = [each for each in kept if each["priority"] == "high" and each["rationale"] in shown]
    intended = {m.say("analysis_intended", text=text): point for text, point in shown.items()}
    answered = {each["question"] for one in before for each in one["answers"] if each["evidence"]}
    open_questions = unique(
        [text for one in before for text in one["new_questions"]]
        + [each["question"] for one in before for each in one["answers"] if not each["evidence"]]
    )
    views = _listed(m, unique(_view(m, each["perspective"]) for each in results))
    count = sum(len(each["key_insights"]) for each in results)
    return ConclusionsContent(
        summary=m.say(
            "analysis_summary",
            views=views,
            count=count,
            rounds=len(before),
            text=short(_nearest(m.facts["request"], points).text, 300),
        )
        if points
        else m.say("analysis_empty"),
        key_conclusions=list(shown.values()),
        recommendations=[Recommendation.model_validate(each) for each in kept],
        open_questions=[
            m.say("analysis_intended_at", places=_lines(m, intended[text])) if text in intended else text
            for text in open_questions
            if text not in answered
        ][:MOST_QUESTIONS],
        follow_up=[
            m.say("analysis_follow", text=each["action"], places=_lines(m, shown[each["rationale"]]))
            for each in grave
        ][:MOST_STEPS],
    )


def _follows(advice: JsonObject, shown: Mapping[str, Insight]) -> bool:
    """Whether a conclusion says why: a rule's reason is the finding itself, an agent's shares words with one."""
    reason = str(advice["rationale"])
    if reason in shown or any(short(reason, SHARED_TEXT) in text for text in shown):
        return True
    wanted = keywords(f"{advice['action']} {reason}")
    by_rule = advice["agent"] == BUILTIN
    return not by_rule and any(_shares(wanted, each) >= min(SHARES, len(wanted)) for each in shown.values())


def _nearest(request: str, points: Sequence[Insight]) -> Insight:
    """The first sentence that answers in the question's words; a row of a table is none."""
    wanted = keywords(in_code(request))
    for each in points:
        is_row = any(table_cells(place.quote) for place in each.evidence)
        if each.answers and not is_row and _shares(wanted, each) >= min(SHARES, len(wanted)):
            return each
    return points[0]


def _lines(m: Material, insight: Insight) -> str:
    return _listed(m, (f"{place.path}:{place.line}" for place in insight.evidence[:MOST_LINES]))


def questions(text: str) -> list[str]:
    """The questions of a person's words, one by one; all of them where there is no question mark."""
    found = [each.strip() for each in _QUESTION.findall(text) if len(each.strip()) > 1]
    return found or [text.strip()]


def _answered(m: Material, question: str, given: Mapping[str, Json]) -> Answered:
    """What the analyses and an exploration of the question say; that they say nothing, where they do not."""
    wanted = keywords(in_code(question))
    candidates = _insights_of(given["exploration"].get("observations", ()))
    candidates += [insight for each in given["analyses"] for insight in _insights(each)]
    need = min(SHARES, len(wanted))
    fitting = [each for each in once(candidates) if _shares(wanted, each) >= need]
    best = sorted(fitting, key=lambda each: (not each.answers, -_shares(wanted, each)))[:BEST]
    if not best:
        return Answered(question=question, answer=m.say("analysis_no_answer"))
    places = [place for each in best for place in each.evidence[:3]]
    said = m.say("analysis_space").join(f"{each.text.rstrip('.。')}{m.say('analysis_stop')}" for each in best)
    return Answered(question=question, answer=said[:2_000], evidence=places)


def _shares(wanted: frozenset[str], insight: Insight) -> int:
    said = " ".join([insight.text, *(f"{place.path} {place.quote}" for place in insight.evidence)])
    return len(wanted & keywords(re.sub(r"[/_.]", " ", said)))


def _shared(m: Material, results: Sequence[JsonObject]) -> list[Insight]:
    """Files that more than one perspective points to, with what each says of them."""
    by_file: dict[str, dict[str, tuple[str, JsonObject]]] = {}
    for each in results:
        grave = {row["rationale"] for row in each["recommendations"] if row["priority"] != "low"}
        for insight in each["key_insights"]:
            if each["agent"] == BUILTIN and insight["text"] not in grave:
                continue  # a file that many findings name by chance confirms nothing
            for place in insight["evidence"]:
                by_file.setdefault(place["path"], {}).setdefault(
                    each["perspective"], (insight["text"], place)
                )
    several = [
        (path, views) for path, views in by_file.items() if len({text for text, _ in views.values()}) > 1
    ]
    several.sort(key=lambda each: (-len(each[1]), each[0]))
    return [
        Insight(
            text=m.say(
                "analysis_shared",
                path=path,
                texts="; ".join(
                    m.say("analysis_of_view", view=_view(m, view), text=short(text, SHARED_TEXT))
                    for view, (text, _) in views.items()
                ),
            ),
            evidence=[_place(place) for _, place in views.values()],
        )
        for path, views in several[:MOST_SHARED]
    ]


def _understood(one: JsonObject) -> Iterable[JsonObject]:
    known = one["updated_understanding"]
    return [*known["confirmed"], *known["new_insights"]]


def _insights(result: JsonObject) -> list[Insight]:
    return _insights_of(result["key_insights"])


def _insights_of(rows: Iterable[JsonObject]) -> list[Insight]:
    return [
        Insight(text=each["text"], answers=each.get("answers", False), evidence=_places(each))
        for each in rows
    ]


def _answers_first(results: Sequence[JsonObject], most: int) -> list[Insight]:
    """What answers the question, then the first `most` others of each perspective, those of all in turn."""
    answers = [insight for each in results for insight in _insights(each) if insight.answers]
    others = [[insight for insight in _insights(each) if not insight.answers][:most] for each in results]
    return [*answers, *(insight for row in zip_longest(*others) for insight in row if insight)]


def _view(m: Material, name: str) -> str:
    """A perspective in the language of the documents; one of a pack as it is named there."""
    return m.lex.wording.get(f"view_{name}", name)


def _listed(m: Material, names: Iterable[str]) -> str:
    return m.say("analysis_join").join(names)


def _places(row: JsonObject) -> list[Place]:
    return [_place(each) for each in row["evidence"]]


def _place(each: JsonObject) -> Place:
    return Place(path=each["path"], line=each["line"], quote=each["quote"])


def _open(results: Iterable[JsonObject]) -> list[str]:
    return unique(text for each in results for text in each["open_questions"])


def _of_answer(each: JsonObject) -> Insight:
    text = f"{each['question']} {each['answer']}"[:2_000]
    return Insight(text=text, answers=True, evidence=_places(each))
