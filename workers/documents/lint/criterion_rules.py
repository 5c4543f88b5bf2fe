"""What is wrong with acceptance criteria: none, untestable ones, ones that fit anything or say the opposite."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from orchestrator.domain.testable import is_testable
from workers.documents.content import Epics
from workers.documents.lint.comparing import (
    Carriers,
    denies_whole,
    hollow_words,
    is_negative,
    is_one_script,
    numbers,
    outcome,
    says_vaguely,
    share,
    words,
)
from workers.documents.lint.rules import Finding, finding
from workers.documents.lint.specification import Specification, place_of

_SAME = 0.8  # share of common words from which two criteria speak of the same
_MOST = 0.5  # share of the items whose criteria only deny from which they were turned round
_LEAST = 3  # items that a document must have before shares say anything
_CLAUSES = expression(r"[.;。；]\s*|\n")


@dataclass(frozen=True, slots=True)
class Accepted:
    """One item with its criteria."""

    document: str
    place: str
    title: str
    statement: str  # what has to hold, in all words there are for it
    texts: tuple[str, ...]  # each of its sentences by itself
    criteria: tuple[str, ...]
    form: str
    wanted: bool  # must have criteria


def accepted(spec: Specification) -> list[Accepted]:
    """The requirements and stories that hold in this version."""
    found = []
    for kind, item in spec.requirements:
        texts = tuple(filter(None, (item.statement, item.quote)))
        found.append(
            Accepted(
                kind,
                place_of(item.id, item.title),
                item.title,
                " ".join((item.title, *texts)),
                texts,
                tuple(item.acceptance_criteria),
                "requirement",
                item.moscow in ("Must", "Should"),
            )
        )
    for kind, epics in spec.of(Epics):
        for epic in epics.items:
            for story in () if epic.moscow == "Won't" else epic.stories:
                texts = (story.i_want,)
                statement = " ".join((story.title, story.i_want, story.so_that))
                where = place_of(story.id, story.title)
                found.append(
                    Accepted(
                        kind,
                        where,
                        story.title,
                        statement,
                        texts,
                        tuple(story.acceptance_criteria),
                        "story",
                        False,
                    )
                )
    return found


def criteria(spec: Specification) -> Iterator[Finding]:
    """Criteria that are missing, cannot be tested, would fit anything or only repeat the statement."""
    language = spec.sources.language
    rows = accepted(spec)
    for row in rows:
        if not row.criteria and row.form == "story":
            yield finding("story_without_criteria", row.document, row.place, row.title, language=language)
        elif not row.criteria and row.wanted:
            yield finding("no_criteria", row.document, row.place, row.texts[0], language=language)
        for text in row.criteria:
            rule = _empty_words(text, row)
            if rule:
                yield finding(rule, row.document, row.place, text, language=language)


def _empty_words(text: str, row: Accepted) -> str:
    own = words(text) - hollow_words()
    if not own:
        return "template_criterion"
    if is_untestable(text):
        return "untestable"
    statement = words(row.statement)
    if own <= statement and not numbers(text) - numbers(row.statement):
        return "restating_criterion"
    if not own & statement and not numbers(text) and len(statement) > 1 and len(own) < 3:
        return "template_criterion" if is_one_script(text, row.statement) else ""
    return ""


def is_untestable(text: str) -> bool:
    """Whether nothing decides a criterion: it judges instead of naming what is seen, or says next to nothing."""
    if is_testable(text) or len(text) <= 3:
        return False
    return says_vaguely(text) or len(words(text)) < 3


def opposites(spec: Specification) -> Iterator[Finding]:
    """Criteria that say the opposite of their statement, of the request's criterion, or of the same one elsewhere."""
    language = spec.sources.language
    discovery = spec.sources.discovery
    stated = Carriers([row.text for row in discovery.acceptance] if discovery else [])
    rows = accepted(spec)
    told = Carriers([text for row in rows if row.form == "requirement" for text in row.criteria])
    seen: set[tuple[str, str]] = set()
    for row in rows:
        for text in row.criteria:
            known = told if row.form == "story" else None
            other = (
                _opposite(text, row.texts)
                or _turned(text, stated)
                or (_turned(text, known) if known is not None else "")
            )
            if other and (row.place, text) not in seen:
                seen.add((row.place, text))
                yield finding(
                    "contradicting_criterion", row.document, row.place, text, language=language, other=other
                )
    yield from _denials(rows, language)


def _opposite(criterion: str, statements: tuple[str, ...]) -> str:
    """The statement that a criterion denies as a whole sentence, or while it adds nothing to it: a failure case names its own
    condition."""
    said = outcome(criterion)
    asked = [text for text in statements if not is_negative(text)]
    if asked and denies_whole(criterion):
        return asked[0]
    for statement in [clause for text in statements for clause in _CLAUSES.split(text)]:
        own, given = words(said) - hollow_words() - _denying(), words(statement) - _denying()
        whole = words(criterion) - hollow_words() - _denying()
        if len(own) < 2 or not is_one_script(said, statement):
            continue
        if (
            share(own, given) >= _SAME
            and share(whole, given) >= _SAME
            and share(given - hollow_words(), own) >= _MOST
        ) and is_negative(said) != is_negative(statement):
            return statement
    return ""


def _turned(criterion: str, known: Carriers) -> str:
    """The known criterion that is this one with a negation more or less."""
    own = words(criterion) - _denying()
    for text in (known.items[at] for at in known.near(criterion, 4)):
        other = words(text) - _denying()
        if len(own) > 2 and len(own & other) >= 0.9 * len(own | other):
            if is_negative(criterion) != is_negative(text):
                return text
            return ""
    return ""


@cache
def _denying() -> frozenset[str]:
    """The words of denial themselves, which are no words in common."""
    return words(
        "not never no none cannot without nothing neither do does did don't doesn't isn't aren't won't"
    )


def _denials(rows: list[Accepted], language: str) -> Iterator[Finding]:
    """Documents whose criteria mostly only deny, though what they belong to asks for something."""
    for kind in dict.fromkeys(row.document for row in rows):
        asking = [
            row
            for row in rows
            if row.document == kind and row.criteria and not any(is_negative(text) for text in row.texts)
        ]
        denied = [row for row in asking if all(is_negative(outcome(text)) for text in row.criteria)]
        several = len(asking) >= _LEAST or len(asking) == len(denied) > 1
        if several and len(denied) > _MOST * len(asking):
            places = ", ".join(row.place for row in denied)
            yield finding("negated_criteria", kind, kind, places, language=language)
