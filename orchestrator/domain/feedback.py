"""Which document a piece of feedback is about, and what to do with it there (docs/domain.md, section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from orchestrator.domain.documents import Catalogue, DocumentDef
from orchestrator.domain.model import SATISFIED, UNFINISHED, TaskState, TaskStatus
from orchestrator.domain.text import mentions


@dataclass(frozen=True, slots=True)
class FeedbackTarget:
    action: Literal["revise", "add", "restart", "record"]
    task: str | None  # None when the feedback is only recorded
    why: str


def feedback_target(text: str, graph: Mapping[str, TaskState], catalogue: Catalogue) -> FeedbackTarget:
    """The earliest document whose words the text holds, and what the state of its task asks for."""
    if _implementing(graph):
        return FeedbackTarget("record", None, "the implementation has begun")
    for document in catalogue:
        task = next((key for key, state in graph.items() if _makes(document, state)), None)
        word = next((word for word in document.feedback if mentions(text, word)), None)
        if word and task:
            return _target(graph, task, f"it mentions {word!r}")
    return _unclear(graph, catalogue)


def _makes(document: DocumentDef, state: TaskState) -> bool:
    return state.revision_of is None and document.makes(state.key)


def _unclear(graph: Mapping[str, TaskState], catalogue: Catalogue) -> FeedbackTarget:
    documents = [state for state in graph.values() if catalogue.is_draft(state.key)]
    originals = [state for state in documents if state.revision_of is None]
    unfinished = {state.revision_of or state.key for state in documents if state.status in UNFINISHED}
    for state in sorted(originals, key=lambda state: state.seq):
        if state.key in unfinished:
            return _target(
                graph, state.key, "its words name no document; this is the earliest unfinished one"
            )
    completed = [state for state in documents if state.status is TaskStatus.COMPLETED]
    if not completed:
        return FeedbackTarget("record", None, "there is no document to change")
    newest = max(completed, key=lambda state: state.seq)
    return _target(
        graph, newest.revision_of or newest.key, "its words name no document; this is the newest one"
    )


def _target(graph: Mapping[str, TaskState], document: str, why: str) -> FeedbackTarget:
    """A document in work takes the text as input, a finished one is revised."""
    versions = [state for state in graph.values() if document in (state.key, state.revision_of)]
    unfinished = [state for state in versions if state.status in UNFINISHED]
    if unfinished:
        current = unfinished[0]
        running = current.status is TaskStatus.IN_PROGRESS
        return FeedbackTarget("restart" if running else "add", current.key, why)
    if graph[document].status is TaskStatus.COMPLETED:
        return FeedbackTarget("revise", document, why)
    return FeedbackTarget("record", None, f"{document} is {graph[document].status}")


def _implementing(graph: Mapping[str, TaskState]) -> bool:
    """Some of the implementation has begun, and not all of it is finished."""
    impl = [state.status for state in graph.values() if state.phase == "impl"]
    begun = any(status is TaskStatus.IN_PROGRESS or status in SATISFIED for status in impl)
    return begun and any(status in UNFINISHED for status in impl)
