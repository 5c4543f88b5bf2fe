"""The spec quality score (docs/domain.md, section 11): documents and traces in, five dimensions and a gate out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from orchestrator.domain.basis import Basis, Lack, lacks
from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.model import Gate
from orchestrator.domain.patterns import pattern
from orchestrator.domain.pipelines import Gates
from orchestrator.domain.quality_facts import Item, Spec, StoryFacts
from orchestrator.domain.spelling import mixed_spellings, mixed_styles
from orchestrator.domain.testable import is_testable
from orchestrator.domain.text import keywords

_CJK = pattern(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")
_STORY = pattern(
    r"\bas an?\b.*\bI want\b.*\bso that\b|作为.*(?:我想|我希望|我要|我需要|希望).*(?:以便|从而|这样|以)",
    "is",
)


@dataclass(frozen=True, slots=True)
class Weak:
    """One weak place: which document or item, and what is missing there. `code` is for programs and translations."""

    where: str
    code: str
    detail: str = ""
    todo: str = ""  # what to do, where the code does not say it


@dataclass(frozen=True, slots=True)
class DimensionScore:
    score: float  # 0 to 100
    weight: float
    notes: tuple[str, ...] = ()
    weak: tuple[Weak, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    dimensions: Mapping[str, DimensionScore]
    total: float
    coverage: float
    gate: Gate
    notes: tuple[str, ...] = field(default=())
    errors: tuple[Weak, ...] = ()  # findings of the lint that keep the gate from PASS
    basis: Basis | None = None
    lacks: tuple[Lack, ...] = ()  # what keeps it from PASS


def score(spec: Spec, gates: Gates) -> Score:
    """Score a specification. No documents: FAIL."""
    if not spec.documents:
        nothing = {name: DimensionScore(0.0, gates.weights[name]) for name in spec.measures}
        return Score(nothing, 0.0, 0.0, Gate.FAIL, ("no documents found",))
    dimensions = {name: _with_faults(_MEASURES[name](spec, gates), name, spec) for name in spec.measures}
    weights = sum(part.weight for part in dimensions.values())
    total = sum(part.score * part.weight for part in dimensions.values()) / weights if weights else 0.0
    rounded, covered = round(total, 1), _coverage(spec, gates).score
    errors = tuple(
        Weak(fault.where, "finding", fault.text, fault.todo) for fault in spec.faults if fault.is_error
    )
    return Score(
        dimensions,
        rounded,
        covered,
        gate_of(rounded, covered, gates, len(errors), spec.basis),
        errors=errors,
        basis=spec.basis,
        lacks=lacks(rounded, covered, gates, len(errors), spec.basis),
    )


def _with_faults(part: DimensionScore, name: str, spec: Spec) -> DimensionScore:
    """A dimension with what the lint found in it among its weak places, the gravest first."""
    faults = sorted((fault for fault in spec.faults if fault.dimension == name), key=lambda f: not f.is_error)
    weak = [Weak(fault.where, "finding", fault.text, fault.todo) for fault in faults]
    return replace(part, weak=(*weak, *part.weak))


def gate_of(total: float, coverage: float, gates: Gates, errors: int = 0, basis: Basis | None = None) -> Gate:
    """The gate for a score and a coverage, both in percent; PASS where nothing is lacking (`basis.lacks`)."""
    if total < gates.fail_score or coverage < gates.fail_coverage:
        return Gate.FAIL
    return Gate.REVIEW if lacks(total, coverage, gates, errors, basis) else Gate.PASS


def has_substance(text: str, gates: Gates) -> bool:
    """Whether a section says something: more than so many characters, fewer where one character is a word."""
    return (
        len(" ".join(text.split())) > gates.substance_chars or len(_CJK.findall(text)) > gates.substance_cjk
    )


def _completeness(spec: Spec, gates: Gates) -> DimensionScore:
    weak, notes, scores = [], [], []
    found = {document.kind: document for document in spec.documents}
    for kind, required in spec.required.items():
        document = found.get(kind)
        if document is None:
            scores.append(0.0)
            weak.append(Weak(kind, "document_missing"))
            continue
        present = [key for key in required if key in document.sections]
        said = [key for key in present if (kind, key) not in spec.proposed]
        full = [key for key in said if has_substance(document.sections[key], gates)]
        scores.append(_share(len(present), len(required)) / 2 + _share(len(full), len(required)) / 2)
        notes.append(f"{document.path}: {len(present)}/{len(required)} sections, {len(full)} with substance")
        weak += [Weak(document.path, "section_missing", key) for key in required if key not in present]
        weak += [Weak(document.path, "section_thin", key) for key in said if key not in full]
        weak += [Weak(document.path, "section_proposed", key) for key in present if key not in said]
    return _dimension("completeness", _mean(scores), gates, notes, weak)


def _consistency(spec: Spec, gates: Gates) -> DimensionScore:
    weak, penalty = [], 0.0
    own = {form for forms in mixed_spellings([spec.request]) for form in forms}
    theirs = mixed_styles((), spec.request)
    for document in spec.documents:
        weak += [Weak(document.path, "broken_link", target) for target in document.broken_links]
        penalty += gates.broken_link_penalty * len(document.broken_links)
        styles = [
            Weak(document.path, "mixed_style", mixed)
            for mixed in mixed_styles(document.headings, document.text)
        ]
        weak += styles
        penalty += gates.style_penalty * sum(style.detail not in theirs for style in styles)
    spellings = mixed_spellings(document.text for document in spec.documents)
    weak += [Weak("", "spellings", ", ".join(forms)) for forms in spellings]
    penalty += gates.spelling_penalty * sum(not own.issuperset(forms) for forms in spellings)
    errors = [fault for fault in spec.faults if fault.is_error and fault.dimension == "consistency"]
    penalty += gates.error_penalty * len(errors)
    return _dimension("consistency", max(0.0, 100 - penalty), gates, [], weak)


def _traceability(spec: Spec, gates: Gates) -> DimensionScore:
    weak: list[Weak] = []
    chains = _Chains(spec, gates)
    served = _Links(spec.requirements, ("G-",), spec, gates)
    goals = [goal for goal in spec.goals if goal.given]
    due = [item for item in spec.requirements if item.open and item.given]
    complete = 0
    for goal in goals:
        leading = served.to(goal)
        serving = [item for item in due if item.id in leading or served.is_about(item, goal)]
        if not serving:
            weak.append(Weak(goal.id, "no_requirement"))
        complete += sum(chains.is_whole(item, weak) for item in serving) > 0
    if not goals:
        weak.append(Weak("", "no_goals"))
    built = sum(chains.is_whole(item, weak) for item in due)
    notes = [
        f"{complete}/{len(goals)} stated goals traced to a story",
        f"{built}/{len(due)} stated requirements traced to a design and a story",
    ]
    if proposed := len(spec.goals) - len(goals) + sum(i.open and not i.given for i in spec.requirements):
        notes.append(f"{proposed} proposed goals and requirements left aside")
    floor = _share(built, len(due)) * (_SERVED if complete else _AIMLESS)
    value = max(_share(complete + built, len(goals) + len(due)), floor) if goals else floor
    return _dimension("traceability", value, gates, notes, list(dict.fromkeys(weak)))


class _Chains:
    """From requirements to their designs and stories."""

    def __init__(self, spec: Spec, gates: Gates) -> None:
        self.designs = _Links(spec.designs, ("REQ-", "NFR-"), spec, gates)
        self.stories = _Links(spec.stories, ("REQ-", "NFR-"), spec, gates)
        self.by_design = _Links(spec.stories, (), spec, gates)
        self.known: dict[str, tuple[bool, bool]] = {}

    def is_whole(self, item: Item, weak: list[Weak]) -> bool:
        """Whether a requirement leads to a design, and to a story; names what is missing."""
        if item.id not in self.known:
            designs = self.designs.to(item)
            told = bool(self.stories.to(item)) or any(self.by_design.named.get(name) for name in designs)
            self.known[item.id] = bool(designs), told
        designed, told = self.known[item.id]
        if not designed:
            weak.append(Weak(item.id, "no_design"))
        if not told:
            weak.append(Weak(item.id, "no_story"))
        return designed and told


class _Links:
    """Which items lead to a target: by id where an item names any id of its kind, by shared words where it names none."""

    def __init__(self, items: Sequence[Item], kinds: tuple[str, ...], spec: Spec, gates: Gates) -> None:
        self.named: dict[str, set[str]] = defaultdict(set)
        self.silent = [
            (item.id, keywords(item.text))
            for item in items
            if kinds and not any(r.startswith(kinds) for r in item.refs)
        ]
        self.least = gates.trace_overlap
        for item in items:
            for name in item.refs:
                if (item.id, name) not in spec.forced:
                    self.named[name].add(item.id)

    def to(self, target: Item) -> set[str]:
        """The ids of the items that lead to a target."""
        found = set(self.named.get(target.id, ()))
        wanted = keywords(target.text)
        if wanted:
            least = self.least / 100 * len(wanted)
            found |= {name for name, words in self.silent if len(wanted & words) >= least}
        return found

    def is_about(self, item: Item, target: Item) -> bool:
        """Whether an item that names no other target speaks of this one: by two words, and enough of the shorter text's."""
        if all(item.id != name for name, _ in self.silent):
            return False
        words, wanted = keywords(item.says or item.text), keywords(target.says or target.text)
        common = len(words & wanted)
        return common > 1 and common * 100 >= self.least * min(len(words), len(wanted))


def _depth(spec: Spec, gates: Gates) -> DimensionScore:
    parts = [design for design in spec.designs if not design.id.startswith("ADR-")]
    judged = {
        "criteria": [
            (entry.owner, is_testable(entry.text) and entry.text not in spec.hollow, entry.text)
            for entry in spec.criteria
            if entry.given
        ],
        "decisions": [
            (adr.id, adr.rationale and adr.alternatives > 0 and adr.consequences, "")
            for adr in spec.adrs
            if adr.given
        ],
        "stories": [(story.id, _is_deep(story), "") for story in spec.story_facts if story.given],
        "components": [
            (part.id, any(name.startswith(("REQ-", "NFR-")) for name in part.refs), "")
            for part in parts
            if part.given
        ],
    }
    weak = [
        Weak(where, _SHALLOW[name], text)
        for name, rows in judged.items()
        for where, good, text in rows
        if not good and text not in spec.hollow
    ]
    weak += [Weak("", "none_found", name) for name, rows in judged.items() if not rows]
    bare = sum(item.given and item.id in spec.bare for item in spec.requirements)
    counts = {name: len(rows) + (bare if name == "criteria" else 0) for name, rows in judged.items()}
    shares = {
        name: _share(sum(good for _, good, _ in rows), max(counts[name], _LEAST.get(name, 1)))
        for name, rows in judged.items()
    }
    notes = [f"{name}: {value:.0f}" for name, value in shares.items()]
    return _dimension("depth", _mean(list(shares.values())), gates, notes, weak)


_SERVED, _AIMLESS = (
    0.9,
    0.5,
)  # of the requirements' share that stays with a traced goal, whatever else is stated; without
_LEAST = {"criteria": 3, "stories": 3}  # fewer say too little, however good they are
_SHALLOW = {
    "criteria": "criterion_untestable",
    "decisions": "adr_shallow",
    "stories": "story_shallow",
    "components": "component_idle",
}


def _is_deep(story: StoryFacts) -> bool:
    return story.estimate or (story.criteria > 0 and _STORY.search(story.sentence) is not None)


def _coverage(spec: Spec, gates: Gates) -> DimensionScore:
    if spec.uncovered is not None:
        return _covered(spec, gates, list(spec.uncovered))
    whole = "\n".join(document.text for document in spec.documents)
    items = [keywords(line) for line in dict.fromkeys(whole.split("\n")) if line.strip()]
    missing = [
        text
        for text in spec.stated
        if text not in whole and not _is_covered(keywords(text), items, gates.coverage_overlap)
    ]
    return _covered(spec, gates, missing)


def _covered(spec: Spec, gates: Gates, missing: list[str]) -> DimensionScore:
    found = len(spec.stated) - len(missing)
    notes = [
        f"{found}/{len(spec.stated)} original requirements found"
        if spec.stated
        else "no original requirements stated"
    ]
    share = _share(found, len(spec.stated)) if spec.stated else 100.0
    return _dimension("coverage", share, gates, notes, [Weak("", "not_covered", text) for text in missing])


def _is_covered(wanted: frozenset[str], items: Sequence[frozenset[str]], least: float) -> bool:
    """Whether one item of the documents holds enough of the words: those of several items together do not count."""
    return not wanted or any(len(wanted & item) * 100 >= least * len(wanted) for item in items)


def _dimension(
    name: str, value: float, gates: Gates, notes: Sequence[str], weak: Sequence[Weak]
) -> DimensionScore:
    return DimensionScore(round(value, 1), gates.weights[name], tuple(notes), tuple(weak))


def _share(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


_MEASURES: dict[str, Callable[[Spec, Gates], DimensionScore]] = {
    "completeness": _completeness,
    "consistency": _consistency,
    "traceability": _traceability,
    "depth": _depth,
    "coverage": _coverage,
}
