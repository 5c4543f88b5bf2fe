"""A report of a defect: what is broken, what shall hold instead, and the steps that show it.

A defect is no demand: where a report states no wanted behaviour, its defect is turned round.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from workers.builtin.phrases import upper_first
from workers.builtin.verb_forms import plain_verb
from workers.builtin.wishes import imperative
from workers.documents.lexicon import lexicon_of
from workers.documents.passage import Passage
from workers.documents.sentences import Sentence
from workers.documents.stack_traces import cited, error_of

_REPRODUCES = expression(  # a heading or a label of the steps that show the defect
    r"\W*(?:steps? to (?:reproduce|repro)|(?:how to )?repro(?:duce|duction|ducer)?(?: steps| case|ing)?|(?:minimal )?reproduc\w+(?: (?:steps|example|case|code))?|to reproduce"
    r"|schritte zum reproduzieren|étapes (?:pour|de) reprodu\w+|pasos para reproducir|复现步骤|重现步骤|如何复现|再現手順)\W*",
    re.IGNORECASE,
)
_OBSERVED = expression(  # a heading or a label of what happens instead
    r"\W*(?:actual(?: (?:behaviou?rs?|results?|outcome|output))?|observed(?: behaviou?r)?|(?:current|buggy) behaviou?r|what happen(?:s|ed)(?: instead)?|what went wrong|describe the bug|bug(?: description| report)?|is"
    r"|tatsächliches verhalten|comportement (?:actuel|observé)|comportamiento actual|实际行为|实际结果|現在の動作)\W*",
    re.IGNORECASE,
)
_BREAKS = (  # what a broken thing does, in the third person
    r"crash(?:es)?|hangs?|freezes?|segfaults?|panics?|dies?|breaks?|aborts?|throws?|raises?|errors?(?: out)?|stops?|leaks?|loops?|times? out|returns?|shows?|prints?|logs?|loses?|drops?|ignores?|duplicates?|deletes?|corrupts?|displays?|gets?|goes|becomes?|flickers?|overlaps?"
)
_SUBJECT = r"(?P<subject>(?!(?:if|when|whenever|while|as|after|i|we|you|it|this|that|there|please)\b)[^,;:.!?]{2,90}?)"
_FAILS = expression(rf"^{_SUBJECT} (?:fails?|failed|refuses?) to (?P<does>\w+)\b(?P<rest>.*)$", re.IGNORECASE)
_NOT = expression(
    rf"^{_SUBJECT} (?P<not>do(?:es)?(?: not|n['’]t)|can(?:not| not|['’]t)|(?:is|are)(?: not|n['’]t)|no longer|won['’]t) (?P<does>\w+)\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_IS = expression(
    rf"^{_SUBJECT} (?:is|are|becomes?|goes|stays?|remains?|comes? up) (?P<state>(?:\w+ly )?(?:blank|broken|empty|wrong|missing|corrupt(?:ed)?|unresponsive|stuck|frozen|duplicated|unusable|incorrect|truncated|cut off|lost)\b.*)$",
    re.IGNORECASE,
)
_BROKEN = expression(rf"^{_SUBJECT} (?P<does>{_BREAKS})\b(?P<rest>.*)$", re.IGNORECASE)
_SURE = expression(  # those tell of a defect wherever they stand
    r"\b(?:crash(?:es)?|segfaults?|panics|fails? to|throws an?|raises an?|hangs|freezes)\b", re.IGNORECASE
)
_SINCE = expression(
    r",?\s+(?:since|ever since|after|as of|starting (?:with|in)) (?:we |i |the |our |last |yesterday|upgrad|updat|v?\d|version|release).*$",
    re.IGNORECASE,
)
_ERROR_BEHIND = expression(
    r"\s*(?::\s*|\((?=[^()]*\)$)|\bwith (?:an? )?(?=`?[A-Z]))(?P<error>`?(?:[\w.]+)?[A-Z]\w*(?:Error|Exception)\b.*?)\s*$"
)
_SO_THAT = expression(
    r"^(?:please )?(?:fix|change|solve|repair|adjust|make|handle) (?:it|this|that|these) so (?:that )?(?P<wanted>.+)$",
    re.IGNORECASE,
)
_DOES = expression(
    r"(?:go|see|click|open|put|log|sign|type|enter|press|navigate|scroll|visit|run|wait|hit|tap|have|set|use|try)\b",
    re.IGNORECASE,
)  # a step, beside what is seen after it
_AND_DO = expression(r",? and (?=(?P<verb>[a-z]+) )")
_WISHES = expression(r"\b(?:must|should|shall|want|needs? to|would like|please|could|wish)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Report:
    """A text that reports a defect."""

    defect: str  # its sentence or title that says what is broken; empty where it has none
    error: str  # of its stack trace, or of its title
    evidence: tuple[str, ...]  # each stack trace as it is cited
    steps: tuple[str, ...]  # that show the defect
    heading: str  # above code that shows it


def report_of(found: Sequence[Sentence], read: Sequence[Passage]) -> Report | None:
    """The report that a text is; None for one that neither shows a stack trace nor names steps or what happens instead."""
    evidence = tuple(
        told for passage in read if passage.role == "code" and (told := cited(passage.block.text))
    )
    headings = [passage.block.text for passage in read if passage.block.kind == "heading"]
    headings += [
        passage.label or passage.block.text.partition(":")[0]
        for passage in read
        if passage.block.kind == "paragraph"
    ]
    if not (
        evidence
        or any(_REPRODUCES.fullmatch(text) for text in headings)
        or any(_OBSERVED.fullmatch(text) for text in headings)
    ):
        return None
    said = [text for text in headings[:1] if read[0].block.kind == "heading"]
    said += [row.text for row in found if not row.item]
    defect = next((text for text in said if tells_defect(text)), "")
    behind = _ERROR_BEHIND.search(defect)
    errors = [error for passage in read if passage.role == "code" and (error := error_of(passage.block.text))]
    error = next(iter(errors), behind["error"] if behind else "")
    steps = [
        row.block.text
        for row in read
        if row.block.kind == "item"
        and (_REPRODUCES.fullmatch(row.block.heading) or _REPRODUCES.fullmatch(row.block.lead))
    ]
    done = [text for text in steps if _DOES.match(text) or imperative(text, lexicon_of(text))]
    code = next(
        (
            row.block.heading
            for row in read
            if row.role == "code" and _REPRODUCES.fullmatch(row.block.heading)
        ),
        "",
    )
    return Report(defect, error, evidence, tuple(done or steps), code)


def tells_defect(text: str) -> bool:
    """Whether a sentence says what is broken: that a thing crashes, fails, is blank, or does not do what it is there for."""
    return turned_round(text) != ""


def plainly_broken(text: str) -> bool:
    """Whether a sentence says it in words that are said of a defect alone, in whatever text it stands."""
    return _SURE.search(text) is not None and tells_defect(text)


def turned_round(text: str, error: str = "") -> str:
    """What shall hold instead of a defect: `The export fails to load` -> `The export must load`; empty for another sentence."""
    said = text.strip().rstrip(".!")
    if _WISHES.search(said):
        return ""
    behind = _ERROR_BEHIND.search(said)
    error = error or (behind["error"] if behind else "")
    said = _SINCE.sub("", said[: behind.start()] if behind else said).strip()
    tail = f" without this error: {error}" if error else ""
    if found := _FAILS.match(said):
        return f"{upper_first(found['subject'])} must {found['does']}{found['rest']}{tail}"
    if found := _NOT.match(said):
        denies = found["not"].lower()
        able = (
            "be able to " if denies.startswith("can") else "be " if denies.startswith(("is", "are")) else ""
        )
        does = plain_verb(found["does"]) if denies == "no longer" else found["does"]
        return f"{upper_first(found['subject'])} must {able}{does}{found['rest']}{tail}"
    if found := _IS.match(said):
        return f"{upper_first(found['subject'])} must not be {found['state']}{tail}"
    if found := _BROKEN.match(said):
        return f"{upper_first(found['subject'])} must not {plain_verb(found['does'])}{found['rest']}{tail}"
    return ""


def wanted_parts(text: str) -> list[str]:
    """What a sentence that asks for the mending wants: `Fix it so that X, and log Y` wants X, and that Y is logged."""
    found = _SO_THAT.match(text)
    said = found["wanted"] if found else ""
    lex = lexicon_of(text)
    cut = next((m for m in _AND_DO.finditer(said) if m["verb"] in lex.verbs), None)
    parts = [said[: cut.start()], said[cut.end() :]] if cut else [said]
    return [upper_first(part) for part in parts if part]
