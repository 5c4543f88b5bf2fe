"""The readiness report and the one-screen summary, from a score and the registered documents (docs/domain.md, section 11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from orchestrator.domain.dataclass import asdict, dataclass
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import Gate
from orchestrator.domain.quality import Score, Weak
from workers.documents.content import (
    Architecture,
    Brief,
    Content,
    Declared,
    Discovery,
    Epics,
    Fates,
    Requirements,
    Story,
)
from workers.documents.escape import Safe
from workers.documents.fates import Ledger
from workers.documents.identifiers import Registered, items_of
from workers.documents.labels import Labels, labels

BAR_CELLS = 20
SHOWN_QUESTIONS = 10
SHOWN_PROPOSALS = 10
SHOWN_WEAK = 40
BRIEF = 160  # characters of an error


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
    errors: tuple[WeakArea, ...] = ()  # findings of the lint that keep it from PASS
    needs: Safe | None = None  # what PASS needs, on one line; None for PASS
    fates: Safe | None = None  # how many blocks of the request were taken, skipped, not read
    unread: tuple[str, ...] = ()  # the beginnings of those that were not read
    left: tuple[str, ...] = ()  # the statements that became nothing, of blocks that were taken in part

    def to_value(self) -> JsonObject:
        """Plain values, for the tasks that read the report (`improve`, the checkpoint page)."""
        return {
            **asdict(self),
            **{
                name: [{key: str(value) for key, value in asdict(area).items()} for area in areas]
                for name, areas in (("weak", self.weak), ("errors", self.errors))
            },
            "actions": [str(action) for action in self.actions],
            "needs": str(self.needs or ""),
            "fates": str(self.fates or ""),
        }


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
    plans_release: bool = True  # False: none of its documents could


def build_readiness(
    score: Score,
    language: str,
    *,
    checkpoint: bool = True,
    improvable: bool = True,
    ledger: Ledger | None = None,
    folders: tuple[Path, ...] = (),
) -> Readiness:
    """The report's content. `checkpoint`: a pause follows, so that `resume` is an action; `improvable`: `improve` is one."""
    words = labels(language, folders)
    weak = [
        WeakArea(name, area.where, _phrase(words, "weak", area), _phrase(words, "todo", area))
        for name, part in score.dimensions.items()
        for area in part.weak[:SHOWN_WEAK]
    ]
    notes = {"no documents found": words.words["no_documents"]}
    errors = tuple(
        WeakArea("", area.where, _brief(_phrase(words, "weak", area)), _phrase(words, "todo", area))
        for area in score.errors[:SHOWN_WEAK]
    )
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
        errors=errors,
        actions=tuple(_actions(score, words, checkpoint, improvable)),
        needs=Safe(needs) if (needs := pass_needs(score, language, folders)) else None,
        fates=_fates_line(words, ledger.fates) if ledger else None,
        unread=tuple(entry.text for entry in ledger.unread())[:SHOWN_WEAK] if ledger else (),
        left=tuple(ledger.fates.left[:SHOWN_WEAK]) if ledger else (),
    )


def _fates_line(words: Labels, fates: Fates) -> Safe:
    return Safe(words.words["fates_line"].format(**{**fates.model_dump(), "left": len(fates.left)}))


def pass_needs(score: Score, language: str, folders: tuple[Path, ...] = ()) -> str:
    """What keeps a specification from PASS, and what to do, on one line; empty for PASS and where nothing was written."""
    words = labels(language, folders).words
    comma = "、" if language.startswith("zh") else ", "
    reasons = [
        words[f"lack_{lack.code}"].format(
            found=comma.join(words[f"open_{name}"] for name in lack.found.split())
            if lack.code == "answers"
            else lack.found,
            wanted=lack.wanted,
        )
        for lack in score.lacks
    ]
    if reasons and score.basis is not None and score.basis.open:
        reasons.append(words["pass_answers"])
    mark = "；" if language.startswith("zh") else "; "
    return words["pass_needs"].format(reasons=mark.join(reasons)) if reasons else ""


def build_summary(
    score: Score, documents: Mapping[str, Registered], language: str, folders: tuple[Path, ...] = ()
) -> Summary:
    """What, for whom, the first version, how much, what is open, what needs a person's word: on one screen."""
    words = labels(language, folders)
    contents = [known.content for known in documents.values() if not isinstance(known.content, Discovery)]
    questions = list(dict.fromkeys(line for each in contents for line in getattr(each, "open_questions", [])))
    proposals = _proposals(contents)
    brief = next((each for each in contents if isinstance(each, Brief)), None)
    epics = [epic for each in contents if isinstance(each, Epics) for epic in each.items]
    return Summary(
        what=brief.vision.text if brief else _said_first(contents),
        who=tuple(user.name for user in brief.users) if brief else (),
        gate=score.gate.value,
        total=score.total,
        coverage=score.coverage,
        mvp=tuple(Entry(epic.id, epic.title) for epic in epics if epic.mvp),
        counts=tuple(count for each in contents for count in _counts(each, words)),
        proposals=tuple(proposals[:SHOWN_PROPOSALS]),
        questions=tuple(questions[:SHOWN_QUESTIONS]),
        more_proposals=max(0, len(proposals) - SHOWN_PROPOSALS),
        more_questions=max(0, len(questions) - SHOWN_QUESTIONS),
        plans_release=not all(isinstance(each, Declared) for each in contents) or not contents,
    )


def _said_first(contents: Sequence[Content]) -> str:
    """The first text of the declared documents."""
    declared = [each for each in contents if isinstance(each, Declared)]
    texts = (getattr(each, part.key) for each in declared for part in each.layout if part.form == "text")
    return next(filter(None, texts), "")


def _counts(content: Content, words: Labels) -> list[tuple[str, int]]:
    """What a document counts of, and how many."""
    if isinstance(content, Declared):
        return [(part.title, len(content.entries(part))) for part in content.layout if part.form != "text"]
    counted: list[tuple[str, int]] = []
    if isinstance(content, Brief):
        counted = [("goals", len(content.goals))]
    elif isinstance(content, Requirements):
        counted = [("requirements", len(content.items))]
    elif isinstance(content, Architecture):
        counted = [("components", len(content.components)), ("decisions", len(content.adrs))]
    elif isinstance(content, Epics):
        counted = [
            ("list", len(content.items)),
            ("stories", sum(len(epic.stories) for epic in content.items)),
        ]
    return [(words.words.get(name) or words.sections[name], number) for name, number in counted]


def _proposals(contents: Sequence[Content]) -> list[Entry]:
    items = [item for content in contents for item in items_of(content) if not isinstance(item, Story)]
    return [
        Entry(item.id, str(getattr(item, "title", "") or getattr(item, "text", "")))
        for item in items
        if item.source == "proposed"
    ]


def _actions(score: Score, words: Labels, checkpoint: bool, improvable: bool) -> list[Safe]:
    """What a person can do now, the best first."""
    weakest = min(score.dimensions, key=lambda name: score.dimensions[name].score)
    improve = [Safe(words.words["act_improve"].format(dimension=weakest))] if improvable else []
    go_on = {
        Gate.PASS: [Safe(words.words["act_resume"])],
        Gate.REVIEW: [*improve, Safe(words.words["act_resume_warn"])],
        Gate.FAIL: [*improve, Safe(words.words["act_force"])],
    }[score.gate]
    resumes = {Safe(words.words[key]) for key in ("act_resume", "act_resume_warn", "act_force")}
    asked = [Safe(words.words[key]) for key in ("act_questions", "act_feedback", "act_recheck")]
    return [action for action in go_on if checkpoint or action not in resumes] + asked


def _phrase(words: Labels, part: str, weak: Weak) -> str:
    """A weak place in words; the section or dimension it names in the words of the language too.

    A phrase that takes nothing in is ours alone, and shows its commands as code.
    """
    detail = words.sections.get(weak.detail, weak.detail)
    phrase = words.words[f"{part}_{weak.code}"]
    if "{" not in phrase:
        return Safe(phrase)
    return phrase.replace("{todo}", weak.todo).replace("{detail}", detail)


def _brief(phrase: str) -> str:
    """A phrase that stands among the weak areas in full."""
    return phrase if len(phrase) <= BRIEF else f"{phrase[: BRIEF - 1].rstrip()}…"


def _bar(score: float) -> str:
    filled = round(score / 100 * BAR_CELLS)
    return "#" * filled + "-" * (BAR_CELLS - filled)


_VERDICT = {Gate.PASS: "readiness_pass", Gate.REVIEW: "readiness_review", Gate.FAIL: "readiness_fail"}
