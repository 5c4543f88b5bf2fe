"""What is wrong with a statement by itself, or beside the others: headers, stubs, duplicates, spellings."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.domain.dataclass import replace
from orchestrator.domain.spelling import mixed_spellings
from orchestrator.domain.text import is_cjk
from workers.documents.content import Epics
from workers.documents.lint.comparing import ALIKE, SAME, groups_of, likeness, plain
from workers.documents.lint.rules import Finding, finding, words_of
from workers.documents.lint.specification import Said, Specification, place_of
from workers.documents.reading_words import is_column, label_role

_FORMS = ("goal", "requirement", "scope", "out", "constraint", "epic", "story", "entry")
_TITLED = ("requirement", "decision", "epic", "story")
_FEW_WORDS, _FEW_HAN = 3, 4
_SHOWN = 5  # places of one kind of finding that are named one by one


def headers(spec: Specification) -> Iterator[Finding]:
    """Statements that are the header of a column or a section."""
    for said in spec.statements:
        if said.form in ("goal", "requirement", "scope", "story", "entry") and is_header(said.text):
            yield finding(
                "header_title", said.document, said.place, said.text, language=spec.sources.language
            )


def is_header(text: str) -> bool:
    """Whether a text is no more than what heads a column or a section: `Goal`, `Target Metric`."""
    bare = text.strip().strip("*_#:：| ")
    if not bare or len(bare) > 40 or len(bare.split()) > 4:
        return not bare
    return is_column(bare) or bool(label_role(bare))


def stubs(spec: Specification) -> Iterator[Finding]:
    """Statements and titles of one or two words."""
    language = spec.sources.language
    for said in spec.statements:
        if said.form in ("goal", "requirement") and said.open and _is_few(said.text):
            if not is_header(said.text):
                yield finding("short_text", said.document, said.place, said.text, language=language)
        elif said.form in _TITLED and said.title and said.open and _is_few(said.title):
            yield finding("short_title", said.document, said.place, said.title, language=language)


def _is_few(text: str) -> bool:
    if is_cjk(text):
        return sum(letter.isalnum() for letter in text) < _FEW_HAN
    return sum(any(c.isalnum() for c in word) for word in text.split()) < _FEW_WORDS


def duplicates(spec: Specification) -> Iterator[Finding]:
    """Statements of one form that say the same, or almost."""
    for form in _FORMS:
        rows = [said for said in spec.statements if said.form == form]
        texts = [_with_title(said) for said in rows]
        for at, other in groups_of(texts, ALIKE):
            if rows[at].document != rows[other].document:
                continue
            same = likeness(texts[at], texts[other]) >= SAME
            rule = "duplicate" if same else "near_duplicate"
            yield finding(
                rule,
                rows[at].document,
                rows[at].place,
                rows[at].text,
                language=spec.sources.language,
                other=rows[other].place,
            )


def _with_title(said: Said) -> str:
    """A story's want says little without its title and its user."""
    return f"{said.title} {said.text} {said.also[0]}" if said.form == "story" else said.text


def spellings(spec: Specification) -> Iterator[Finding]:
    """One term written in several ways, unless the request does so itself."""
    texts: dict[str, list[str]] = {}
    for said in spec.statements:
        texts.setdefault(said.document, []).append(" ".join((said.title, said.text, *said.also)))
    for forms in mixed_spellings(text for found in texts.values() for text in found):
        if sum(form.casefold() in spec.sources.request.casefold() for form in forms) > 1:
            continue
        last = next(
            (
                kind
                for kind, found in reversed(texts.items())
                if any(form in text for form in forms for text in found)
            ),
            next(reversed(texts)),
        )
        yield finding("spellings", last, last, ", ".join(forms), language=spec.sources.language)


def users(spec: Specification) -> Iterator[Finding]:
    """Stories that nobody wants: without a user, or with a word that stands for anybody."""
    nobody = {plain(word) for word in words_of("nobody").split(",")}

    def named(as_a: str) -> bool:
        return plain(as_a) not in nobody and any(c.isalpha() for c in as_a)

    language = spec.sources.language
    for kind, item in spec.requirements:
        if item.user_story and not named(item.user_story.as_a):
            where = place_of(item.id, item.title)
            yield finding("story_without_user", kind, where, item.user_story.i_want, language=language)
    for kind, epics in spec.of(Epics):
        for story in (story for epic in epics.items for story in epic.stories):
            if not named(story.as_a):
                where = place_of(story.id, story.title)
                yield finding("story_without_user", kind, where, story.i_want, language=language)


def proposals(spec: Specification) -> Iterator[Finding]:
    """Proposals that do not say why."""
    for said in spec.statements:
        if said.source == "proposed" and not said.reason.strip():
            yield finding(
                "proposal_without_reason",
                said.document,
                said.place,
                said.text,
                language=spec.sources.language,
            )


def gathered(findings: list[Finding]) -> list[Finding]:
    """Findings of one rule in one document, the first few by name; the last of these says how many more there are."""
    kept: list[Finding] = []
    counts: dict[tuple[str, str], int] = {}
    for found in findings:
        key = (found.document, found.rule)
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= _SHOWN or found.severity == "error":
            kept.append(found)
    more = {key: number - _SHOWN for key, number in counts.items() if number > _SHOWN}
    last = {key: found for found in kept if (key := (found.document, found.rule)) in more}
    return [
        replace(found, text=f"{found.text} (+{more[found.document, found.rule]})")
        if found.severity != "error" and last.get((found.document, found.rule)) is found
        else found
        for found in kept
    ]
