"""What does not agree with the sources: wishes that are none, statements lost or distorted, numbers nobody gave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from orchestrator.domain.patterns import expression
from workers.documents.budgets import is_of_budget, states_budget
from workers.documents.content import (
    Architecture,
    Brief,
    Discovery,
    Epics,
    Requirements,
    StatedRequirement,
)
from workers.documents.lint.comparing import (
    QUOTED,
    Carriers,
    covers,
    is_negative,
    is_one_script,
    is_same,
    names,
    numbers,
    plain,
    share,
    words,
)
from workers.documents.lint.meaning import (
    TWIN,
    Difference,
    difference,
    exchanged,
    is_said_in,
    likeness_apart,
    number,
    without_old_figure,
)
from workers.documents.lint.rules import Finding, finding
from workers.documents.lint.specification import ASKING, Said, Specification

_CLAUSES = expression(r"(?<=[^\d.])[.!](?=\s|$)|[;。；！\n]")
_HELD = frozenset({"goal", "requirement", "constraint", "dependency", "story", "entry"})
_DONE = ("✅", "☑", "[x]", "[X]", "~~")
_FOREIGN = 0.5  # share of a document's items without a known word from which it is foreign
_LEAST = 3  # items that a document must have before shares say anything


def no_wishes(spec: Specification) -> Iterator[Finding]:
    """Asked for although it is done, a risk, the present problem, or ruled out."""
    found = spec.sources.discovery
    if found is None:
        return
    exclusions = [*found.exclusions, *(row.text for row in found.requirements if row.kind == "exclusion")]
    wishes = [row.text for row in found.requirements if row.kind != "exclusion"]
    wanted = {plain(text) for text in (*wishes, *(goal.text for goal in found.goals))}
    kinds = (
        ("done_as_open", [row.text for row in found.done]),
        ("risk_as_wish", [row.text for row in found.risks]),
        ("non_goal_as_goal", exclusions),
        ("problem_as_wish", found.situation),
    )
    looked_up = {rule: Carriers(texts) for rule, texts in kinds}
    for said in spec.statements:
        if said.form not in ASKING or not said.open:
            continue
        texts = [said.text, *([said.title] if said.title and said.form != "requirement" else [])]
        if any(plain(text) in wanted for text in texts):
            continue  # the request asks for it in these very words
        rule = _no_wish(texts, looked_up, said.form)
        if said.text.lstrip().startswith(_DONE):
            rule = "done_as_open"
        if rule:
            yield finding(rule, said.document, said.place, said.text, language=spec.sources.language)


# what is derived from requirements may join several of them, and then resembles much
_FORMS = {"problem_as_wish": frozenset({"goal", "requirement", "scope"})}


def _no_wish(texts: Iterable[str], looked_up: dict[str, Carriers], form: str) -> str:
    for rule, known in looked_up.items():
        for text in texts if form in _FORMS.get(rule, ASKING) else ():
            for other in (known.items[at] for at in known.near(text, 6)):
                if is_same(text, other):
                    return rule
                if rule == "non_goal_as_goal" and covers(text, other) and _rules_in(text, other, form):
                    return rule
    return ""


def _rules_in(text: str, exclusion: str, form: str) -> bool:
    """Whether a text asks for what is excluded; one that denies it as the exclusion does agrees with it."""
    return form == "goal" or not is_negative(text)


def withdrawn(spec: Specification) -> Iterator[Finding]:
    """What is in scope, or told by a story, for requirements alone that are ruled out."""
    out = {
        item.id: item
        for _, content in spec.of(Requirements)
        for item in content.items
        if item.moscow == "Won't"
    }
    asked = {plain(text) for _, item in spec.requirements for text in (item.statement, item.quote)}
    ruled_out = {
        plain(text): item.id
        for item in out.values()
        for text in (item.statement, item.quote)
        if text and plain(text) not in asked
    }
    for said in spec.statements:
        other = ""
        if said.form == "scope":
            other = ruled_out.get(plain(said.text), "")
        elif said.form == "story" and said.open:
            served = [ref for ref in said.refs if not ref.startswith("ADR-")]
            other = served[0] if served and all(ref in out for ref in served) else ""
        if other:
            yield finding(
                "withdrawn",
                said.document,
                said.place,
                said.title or said.text,
                language=spec.sources.language,
                other=other,
            )


def lost(spec: Specification) -> Iterator[Finding]:
    """Statements of the request that no item carries, each at the document that has to carry it."""
    found = spec.sources.discovery
    if found is None:
        return
    language = spec.sources.language
    for kind, brief in spec.of(Brief):
        said = [f"{goal.text} {goal.metric} {goal.target}" for goal in brief.goals]
        rows = (*brief.in_scope, *brief.constraints, *brief.assumptions)
        carriers = Carriers([*said, brief.vision.text, *(row.text for row in rows)])
        for goal in found.goals:
            if not carriers.carry(goal.text):
                yield finding("lost_goal", kind, goal.source or kind, goal.text, language=language)
        out = Carriers([row.text for row in (*brief.out_of_scope, *brief.constraints)])
        for text in found.exclusions:
            if not out.carry(text):
                yield finding("lost_exclusion", kind, kind, text, language=language)
    for kind, _ in spec.of(Requirements):
        for row in uncarried(spec, found):
            yield finding("lost", kind, row.id or kind, row.text, language=language)
        for text in spec.sources.unread:
            yield finding("unread", kind, kind, text, language=language)


def uncarried(spec: Specification, discovery: Discovery) -> list[StatedRequirement]:
    """The statements of a discovery that no requirement carries; a limit may stand among the constraints."""
    carriers, limits = _carriers(spec)
    return [
        row
        for row in discovery.requirements
        if not carriers.carry(row.text)
        and not (row.kind in ("constraint", "exclusion") and limits.carry(row.text))
        and not (states_budget(row.text) and _truth(spec).budgets)
    ]


def uncovered(spec: Specification, stated: Sequence[str]) -> tuple[str, ...]:
    """Of statements in the request's words, those that no item of the specification carries."""
    carriers, limits = _carriers(spec)
    goals = Carriers(
        [f"{goal.text} {goal.metric} {goal.target}" for _, brief in spec.of(Brief) for goal in brief.goals]
    )
    every = (carriers, limits, goals)
    return tuple(text for text in stated if not any(known.carry(text) for known in every))


def _carriers(spec: Specification) -> tuple[Carriers, Carriers]:
    """The requirements, and the limits of the brief."""
    truth = _truth(spec)
    texts = []
    for item in (item for _, content in spec.of(Requirements) for item in content.items):
        if item.moscow != "Won't" and truth.denied_by(item.statement):
            continue
        quoted = [item.quote] if item.quote and is_quoted(item.statement, item.title, item.quote) else []
        texts += [" ".join((item.title, item.statement, *quoted)), *item.acceptance_criteria]
    briefs = [brief for _, brief in spec.of(Brief)]
    rows = [
        row.text for brief in briefs for row in (*brief.constraints, *brief.out_of_scope, *brief.dependencies)
    ]
    return Carriers(texts), Carriers(rows)


def is_quoted(statement: str, title: str, quote: str) -> bool:
    """Whether an item says what the sentence says that it quotes."""
    if not is_one_script(statement, quote):
        return True
    said, given = words(f"{title} {statement}"), words(quote)
    return share(given, said) >= QUOTED or share(words(statement), given) >= QUOTED


def distorted(spec: Specification) -> Iterator[Finding]:
    """Requirements that do not say what they quote, and statements that nobody made."""
    request = Carriers(_sentences(spec))
    for said in spec.statements:
        if said.source != "stated" or said.form in ("vision", "style"):
            continue
        quote = said.also[-1] if said.form == "requirement" and said.also else ""
        if quote and not is_quoted(said.text, said.title, quote):
            yield finding(
                "distorted", said.document, said.place, said.text, language=spec.sources.language, other=quote
            )
        elif not quote and not _is_supported(said, request):
            yield finding("unsupported", said.document, said.place, said.text, language=spec.sources.language)


_ITEM = expression(r"\b(?:REQ|NFR-[A-Z]{1,2})-\d+\b")


def turned(spec: Specification) -> Iterator[Finding]:
    """Statements that keep the words of their source and change what it says: a negation, a figure, how much it binds."""
    sources = _truth(spec)
    for said in spec.statements:
        if not said.open or said.form not in _HELD:
            continue
        beside = " ".join(said.also[:-1] if said.form == "requirement" else said.also)
        texts = [said.text, *([" ".join(said.also)] if said.form == "goal" else ())]
        for clause in (clause for text in texts for clause in _CLAUSES.split(text)):
            rule, source = sources.departure(clause, beside)
            ends = rule == "reversed" and said.form == "goal" and said.source != "stated"
            # a proposed goal may end what its source complains of, and is to be confirmed anyway
            if rule and not ends and not (rule == "other_number" and sources.gave(clause)):
                yield finding(
                    rule,
                    said.document,
                    said.place,
                    clause.strip(),
                    language=spec.sources.language,
                    other=source,
                )


class _Truth:
    """What documents are held against, clause by clause: what the request and people since then asked for."""

    def __init__(self, request: str, given: tuple[str, ...], read: tuple[str, ...]) -> None:
        """`read`: the statements that were taken from the request."""
        whole = "\n".join((request, *map(without_old_figure, given)))
        told = [*(line for line in whole.split("\n") if not line.lstrip().startswith("|")), *read]
        self.known = Carriers(clause.strip() for text in told for clause in _CLAUSES.split(text))
        lines = [line for text in given for line in text.split("\n")]
        self.amended = [line for line in lines if _ITEM.search(line)]
        self.later = [clause for line in lines for clause in _CLAUSES.split(line) if clause.strip()]
        self.exchanges = [pair for line in lines if (pair := exchanged(line))]
        self.budgets = [numbers(line) for line in self.later if is_of_budget(line)]
        self.plain = {plain(clause) for clause in self.known.items}
        self.plain |= {plain(clause) for text in given for clause in _CLAUSES.split(text)}
        self.plain |= {plain(cell) for line in whole.split("\n") if "|" in line for cell in line.split("|")}
        self.departure = lru_cache(maxsize=2_048)(self._departure)  # each task judges all documents again

    def denied_by(self, statement: str) -> bool:
        """Whether a statement says the opposite of its source, or gives another figure."""
        return any(
            rule == "reversed" or (rule == "other_number" and not self.gave(clause))
            for clause in _CLAUSES.split(statement)
            if (rule := self.departure(clause, "")[0])
        )

    def gave(self, clause: str) -> bool:
        """Whether somebody has given the figures of a clause since: in its words, or to an item by its identifier."""
        return (
            any(numbers(clause) <= numbers(line) for line in self.amended)
            or any(is_said_in(clause, line) for line in self.later)
            or (states_budget(clause) and any(numbers(clause) <= given for given in self.budgets))
            or any(
                plain(number(new).sub(old, clause)) in self.plain
                for old, new in self.exchanges
                if number(new).search(clause)
            )
        )

    def _departure(self, clause: str, beside: str) -> tuple[Difference, str]:
        """How a clause departs from the one of its words, and that one; nothing where some source agrees with it."""
        if plain(clause) in self.plain or clause.rstrip().endswith("…"):  # one that was cut ends so
            return "", ""
        near = [self.known.items[at] for at in self.known.near(clause)]
        alike = [(likeness_apart(clause, other), other) for other in near]
        twins = sorted(((share, other) for share, other in alike if share >= TWIN), reverse=True)
        differences = [(difference(clause, other, beside), other) for _, other in twins]
        return next(iter(differences), ("", "")) if all(rule for rule, _ in differences) else ("", "")


def _truth(spec: Specification) -> _Truth:
    found = spec.sources.discovery
    read: list[str] = []
    if found is not None:
        read += [row.text for row in found.requirements if row.kind != "exclusion"]
        read += [*found.constraints, *found.dependencies, *(row.text for row in found.goals)]
        read += [f"{row.metric} {row.target}" for row in found.goals]
    return _truth_of(spec.sources.request, spec.sources.given, tuple(read))


_truth_of = lru_cache(maxsize=4)(_Truth)  # those of the sessions under way


def _is_supported(said: Said, request: Carriers) -> bool:
    text = " ".join((said.title, said.text, *said.also))
    if not request.items or not is_one_script(said.text, request.whole) or len(words(said.text)) < 3:
        return True
    return (
        any(share(words(said.text), words(request.items[at])) >= QUOTED for at in request.near(text))
        or plain(said.text) in request.prose
    )


def _sentences(spec: Specification) -> list[str]:
    found = [line for text in (spec.sources.request, *spec.sources.given) for line in text.split("\n")]
    discovery = spec.sources.discovery
    if discovery is not None:
        found += [row.text for row in (*discovery.requirements, *discovery.goals, *discovery.acceptance)]
        found += [*discovery.constraints, *discovery.exclusions, *discovery.dependencies]
    return found


def foreign(spec: Specification) -> Iterator[Finding]:
    """Documents most of whose items have no word of the request or of the documents before them."""
    known = set(words(spec.sources.whole))
    if not known:
        return
    for kind in spec.contents:
        rows = [said for said in spec.statements if said.document == kind and said.form not in ("style",)]
        bare = [
            said
            for said in rows
            if is_one_script(said.text, spec.sources.request)
            and len(words(said.text)) > 1
            and not {word for word in words(f"{said.title} {said.text}") & known if not word.isdigit()}
        ]
        if len(rows) >= _LEAST and len(bare) >= _FOREIGN * len(rows):
            yield finding(
                "foreign", kind, kind, "; ".join(said.text for said in bare), language=spec.sources.language
            )
        for said in rows:
            known |= words(said.title)


def unknown(spec: Specification) -> Iterator[Finding]:
    """Numbers and names that no source gives, where a statement is not marked as proposed."""
    language = spec.sources.language
    whole = "\n".join((spec.sources.whole, *spec.sources.edits))
    given = numbers(whole)
    for said in spec.statements:
        texts = [said.text, *(said.also[:2] if said.form == "goal" else ())]
        new = sorted({number for text in texts for number in numbers(text)} - given)
        if new and (said.source in ("stated", "repository") or said.form in ("goal", "requirement")):
            yield finding("unknown_number", said.document, said.place, ", ".join(new), language=language)
        strange = sorted(name for name in names(said.text) if name not in whole)
        if strange and said.source in ("stated", "repository"):
            yield finding("unknown_name", said.document, said.place, ", ".join(strange), language=language)


def repeats(spec: Specification) -> Iterator[Finding]:
    """Sections of prose that only repeat the request."""
    request = plain(spec.sources.request)
    prose: list[tuple[str, str, str]] = []
    for kind, brief in spec.of(Brief):
        parts = brief.synthesis
        prose += [
            (kind, "impact", brief.impact),
            (kind, "synthesis", " ".join((parts.product, parts.technical, parts.user)).strip()),
        ]
    for kind, content in spec.of(Requirements):
        prose.append((kind, "summary", content.summary))
    for kind, design in spec.of(Architecture):
        prose.append((kind, "overview", design.overview))
    for kind, epics in spec.of(Epics):
        prose.append((kind, "summary", epics.summary))
    for kind, place, text in prose:
        if len(words(text)) > 4 and plain(text) in request:
            yield finding("repeats", kind, place, text, language=spec.sources.language)
