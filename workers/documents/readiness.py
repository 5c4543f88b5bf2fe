"""The readiness report and the one-screen summary, from a score and the registered documents (docs/domain.md, section 11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from orchestrator.domain.model import Gate
from orchestrator.domain.quality import Score, Weak
from workers.documents.content import Architecture, Brief, Epics, Requirements
from workers.documents.escape import Safe
from workers.documents.identifiers import Registered
from workers.documents.labels import Labels, labels

BAR_CELLS = 20
SHOWN_QUESTIONS = 10
SHOWN_PROPOSALS = 10
SHOWN_WEAK = 40


@dataclass(frozen=True, slots=True)
class Bar:
    name: str
    weight: float
    score: float
    drawn: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WeakArea:
    dimension: str
    document: str  # a path, an identifier, or empty for the whole specification
    text: str
    todo: str


@dataclass(frozen=True, slots=True)
class Readiness:
    gate: str
    total: float
    coverage: float
    verdict: str
    bars: tuple[Bar, ...]
    weak: tuple[WeakArea, ...]
    actions: tuple[Safe, ...]  # phrases of ours, with commands as code

    def to_value(self) -> dict[str, Any]:
        """Plain values, for the tasks that read the report (`improve`, the checkpoint page)."""
        return {**asdict(self), "actions": [str(action) for action in self.actions]}


@dataclass(frozen=True, slots=True)
class Entry:
    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Summary:
    what: str
    who: tuple[str, ...]
    gate: str
    total: float
    coverage: float
    mvp: tuple[Entry, ...]
    counts: tuple[tuple[str, int], ...]
    proposals: tuple[Entry, ...]
    questions: tuple[str, ...]
    more_proposals: int = 0
    more_questions: int = 0


def build_readiness(
    score: Score, language: str, *, checkpoint: bool = True, folders: tuple[Path, ...] = ()
) -> Readiness:
    """The report's content. `checkpoint`: whether a pause follows, so that `resume` is an action."""
    words = labels(language, folders)
    weak = [
        WeakArea(name, area.where, _phrase(words, "weak", area), _phrase(words, "todo", area))
        for name, part in score.dimensions.items()
        for area in part.weak[:SHOWN_WEAK]
    ]
    notes = {"no documents found": words.words["no_documents"]}
    return Readiness(
        gate=score.gate.value,
        total=score.total,
        coverage=score.coverage,
        verdict=" ".join(
            [words.words[_VERDICT[score.gate]], *(notes.get(note, note) for note in score.notes)]
        ),
        bars=tuple(
            Bar(name, part.weight, part.score, _bar(part.score), part.notes)
            for name, part in score.dimensions.items()
        ),
        weak=tuple(weak),
        actions=tuple(_actions(score, words, checkpoint)),
    )


def build_summary(
    score: Score, documents: Mapping[str, Registered], language: str, folders: tuple[Path, ...] = ()
) -> Summary:
    """What, for whom, the first version, how much, what is open, what needs a person's word: on one screen."""
    contents = {name: known.content for name, known in documents.items()}
    brief, architecture = contents.get("brief"), contents.get("architecture")
    requirements, epics = contents.get("requirements"), contents.get("epics")
    questions = [
        question
        for content in (brief, requirements, architecture, epics)
        for question in getattr(content, "open_questions", [])
    ]
    questions = list(dict.fromkeys(questions))
    proposals = _proposals(brief, requirements, architecture, epics)
    counts = []
    if isinstance(brief, Brief):
        counts.append(("goals", len(brief.goals)))
    if isinstance(requirements, Requirements):
        counts.append(("requirements", len(requirements.items)))
    if isinstance(architecture, Architecture):
        counts += [("components", len(architecture.components)), ("decisions", len(architecture.adrs))]
    if isinstance(epics, Epics):
        counts += [("list", len(epics.items)), ("stories", sum(len(epic.stories) for epic in epics.items))]
    return Summary(
        what=brief.vision.text if isinstance(brief, Brief) else "",
        who=tuple(user.name for user in brief.users) if isinstance(brief, Brief) else (),
        gate=score.gate.value,
        total=score.total,
        coverage=score.coverage,
        mvp=tuple(Entry(epic.id, epic.title) for epic in epics.items if epic.mvp)
        if isinstance(epics, Epics)
        else (),
        counts=tuple(counts),
        proposals=tuple(proposals[:SHOWN_PROPOSALS]),
        questions=tuple(questions[:SHOWN_QUESTIONS]),
        more_proposals=max(0, len(proposals) - SHOWN_PROPOSALS),
        more_questions=max(0, len(questions) - SHOWN_QUESTIONS),
    )


def _proposals(brief: Any, requirements: Any, architecture: Any, epics: Any) -> list[Entry]:
    items: list[Any] = []
    for content, part in (
        (brief, "goals"),
        (requirements, "items"),
        (architecture, "adrs"),
        (epics, "items"),
    ):
        items += getattr(content, part, [])
    return [
        Entry(item.id, str(getattr(item, "title", "") or getattr(item, "text", "")))
        for item in items
        if item.source == "proposed"
    ]


def _actions(score: Score, words: Labels, checkpoint: bool) -> list[Safe]:
    """What a person can do now, the best first."""
    weakest = min(score.dimensions, key=lambda name: score.dimensions[name].score)
    improve = Safe(words.words["act_improve"].format(dimension=weakest))
    go_on = {
        Gate.PASS: [Safe(words.words["act_resume"])],
        Gate.REVIEW: [improve, Safe(words.words["act_resume_warn"])],
        Gate.FAIL: [improve, Safe(words.words["act_force"])],
    }[score.gate]
    resumes = {Safe(words.words[key]) for key in ("act_resume", "act_resume_warn", "act_force")}
    asked = [Safe(words.words[key]) for key in ("act_questions", "act_feedback", "act_recheck")]
    return [action for action in go_on if checkpoint or action not in resumes] + asked


def _phrase(words: Labels, part: str, weak: Weak) -> str:
    """A weak place in words; the section or dimension it names in the words of the language too."""
    detail = words.sections.get(weak.detail, weak.detail)
    return words.words[f"{part}_{weak.code}"].replace("{detail}", detail)


def _bar(score: float) -> str:
    filled = round(score / 100 * BAR_CELLS)
    return "#" * filled + "-" * (BAR_CELLS - filled)


_VERDICT = {Gate.PASS: "readiness_pass", Gate.REVIEW: "readiness_review", Gate.FAIL: "readiness_fail"}
