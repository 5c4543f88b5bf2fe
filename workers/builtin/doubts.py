"""What the lint finds in a document of ours: mended where a rule can, else asked, so that nobody takes it as settled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from workers.builtin.material import Material
from workers.builtin.phrases import unique
from workers.documents.content import Content, Discovery, Epics, Requirement, Requirements, Story
from workers.documents.lint import Finding, findings_of

C = TypeVar("C", bound=Content)
A = TypeVar("A", Requirement, Story)


def doubted(content: C, m: Material) -> C:
    """The content without what cannot be true, and with a question for each error that is left."""
    asked: list[str] | None = getattr(content, "open_questions", None)
    if asked is None or isinstance(content, Discovery):
        return content
    before = m.lex.wording["ask_finding"].partition("{")[0]
    others = [text for text in asked if not text.startswith(before)]
    clean = content.model_copy(update={"open_questions": others})
    errors = _errors(clean, m)
    mended = _without(clean, [one.about for one in errors if one.rule in _REMOVED])
    left = errors if mended is clean else _errors(mended, m)
    doubts = [m.say("ask_finding", text=one.text) for one in left]
    return mended.model_copy(update={"open_questions": unique([*others, *doubts])})


_REMOVED = frozenset({"contradicting_criterion"})


def _errors(content: Content, m: Material) -> list[Finding]:
    found = findings_of({**m.facts, "artifact_content": content})
    own = _kind(content, m)
    return [one for one in found if one.severity == "error" and one.document == own]


def _kind(content: Content, m: Material) -> str:
    document = m.facts.get("document")
    return document.kind if document is not None else type(content).__name__.lower()


def _without(content: C, texts: Sequence[str]) -> C:
    """The content without these acceptance criteria."""
    if not texts:
        return content
    if isinstance(content, Requirements):
        return content.model_copy(update={"items": [_kept(item, texts) for item in content.items]})
    if isinstance(content, Epics):
        epics = [
            epic.model_copy(update={"stories": [_kept(story, texts) for story in epic.stories]})
            for epic in content.items
        ]
        return content.model_copy(update={"items": epics})
    return content


def _kept(item: A, texts: Sequence[str]) -> A:
    criteria = [text for text in item.acceptance_criteria if text not in texts]
    return item.model_copy(update={"acceptance_criteria": criteria})
