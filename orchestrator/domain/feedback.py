"""Which document a piece of feedback is about, and what to do with it there (docs/domain.md, section 6)."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.documents import Catalogue, DocumentDef
from orchestrator.domain.model import SATISFIED, UNFINISHED, TaskState, TaskStatus
from orchestrator.domain.patterns import expression
from orchestrator.domain.revisions import BUILDS
from orchestrator.domain.section_names import is_about, is_labelled
from orchestrator.domain.text import keywords, mentions

_SENTENCE_END = expression(r"(?<=[.?？。!！:：\n])")
_ASKS = expression(  # how people order something, or take it back
    r"\b(?:must|should|shall|has to|have to|needs? to|we (?:also |still )?(?:need|want)|no longer|any ?more|after all|instead|at (?:most|least)|within)\b"
    r"|^[^\w\n]*(?:(?:please|and|but|also|then|let['’]?s|bitte)[, ]+)*(?:drop|remove|delete|skip|cut|scrap|leave out|postpone|defer|add|make|allow|let|show|use|support|keep|forget|bring|no|rename|call|change|raise|lower|limit)\b"
    r"|\b(?:i|we|it|they|\w+s)(?:['’]d| would)(?: also| really| just)* (?:love|like|prefer|be (?:nice|great|good|lovely|helpful|cool|better))\b(?! to (?:know|understand|hear|ask|see why|thank))|\b(?:i|we) wish\b"
    r"|\b(?:can|could) (?:wait|come later|go)\b|\b(?:is|are) (?:out|not needed|a (?:must|should|could))\b"
    r"|\b(?:muss|müssen|soll|sollen|sollte|brauchen|streichen|entfällt)\b|必须|应该|应当|需要|不要|去掉|取消|删除|改为|增加|至少|最多",
    re.IGNORECASE | re.MULTILINE,
)
_SHARED = 2  # words that a sentence and a line of a document have in common at least
_CLAUSE_END = expression(r"[.?？。!！:：\n;；，]|,\s")
_SHORTEST = 5  # characters of a question that is looked for
_ID = expression(r"(?<![\w-])[A-Z]{1,12}(?:-[A-Za-z]{1,12})*-\d{3}(?:-\d{3})?(?!\w)", re.ASCII)


_TRIED: tuple[tuple[str, Callable[[DocumentDef], tuple[str, ...]], Callable[[str, str], bool]], ...] = (
    ("begins with", lambda made: made.names, is_labelled),
    ("mentions", lambda made: made.feedback, mentions),
    ("is about", lambda made: made.names, is_about),
)  # in this order: how words name a document
_COMMON = frozenset({"user", "用户", "使用者"})  # every wish speaks of them
Action: TypeAlias = Literal["revise", "add", "restart", "record", "ask", "round", "plan"]


@dataclass(frozen=True, slots=True)
class FeedbackTarget:
    action: Action
    task: str | None  # None when the feedback is only recorded, or the document has to be asked for
    why: str
    documents: tuple[str, ...] = ()  # to choose from, for `ask`
    likeliest: str | None = None  # of those, the one whose sections the words mention most


def questions_in(text: str) -> list[str]:
    """The questions that a text has, without an id in front."""
    pieces = (piece.strip() for piece in _SENTENCE_END.split(text))
    return [piece for piece in pieces if piece.endswith(("?", "？")) and len(piece) >= _SHORTEST]


def feedback_target(
    text: str,
    graph: Mapping[str, TaskState],
    catalogue: Catalogue,
    task: str | None = None,
    pages: Mapping[str, str] | None = None,
) -> FeedbackTarget:
    """The document that `task` makes, else that the text names by an id, a question of its `pages` (path -> text), a
    word or a statement of its pages, and what its state asks for.

    Where several are named it is the earliest one. Where none is and there are several documents, the action is `ask`; when
    something is built already it is what that has to do (`_of_work`).
    """
    documents = originals(graph, catalogue)
    found = _target_of(text, graph, catalogue, documents, task, pages or {})
    if _implementing(graph):
        about = found.task if found.action == "revise" else None
        acts = f"; `lifecycle revise {about}` acts on it, and `lifecycle impact {about}` shows what that runs again"
        return FeedbackTarget("record", None, f"the implementation has begun{acts if about else ''}")
    return found


def _target_of(
    text: str,
    graph: Mapping[str, TaskState],
    catalogue: Catalogue,
    documents: tuple[str, ...],
    task: str | None,
    pages: Mapping[str, str],
) -> FeedbackTarget:
    if task is not None:
        return _target(graph, graph[task].revision_of or task, "you named it")
    named = {maker_of(word, documents, catalogue) for word in _ID.findall(text)}
    first = next((key for key in documents if key in named), None)
    if first is not None:
        return _target(graph, first, f"it names {first} or a part of it")
    makers = [(made, key) for made in catalogue for key in documents if made.makes(key)]
    asked = questions_in(text)
    for made, key in makers:
        own = [page for path, page in pages.items() if made.owns(path)]
        if any(question in page for question in asked for page in own):
            return _target(graph, key, f"it answers a question of {key}")
    for how, words_of, fits in _TRIED:
        for made, key in makers:
            word = next((word for word in words_of(made) if fits(text, word)), None)
            if word:
                return _target(graph, key, f"it {how} {word!r}")
    built = _of_work(graph, documents, catalogue)
    if built is not None:
        return built
    spoken_of = next((key for made, key in makers if _is_spoken_of(text, made, pages)), None)
    if spoken_of is not None:
        return _target(graph, spoken_of, f"it speaks of what {spoken_of} says")
    wanted = next((key for made, key in makers if made.model == "requirements"), None)
    if wanted is not None and _ASKS.search(text):
        return _target(graph, wanted, "it asks for something, and requirements say what is asked for")
    return _unclear(text, graph, documents, catalogue)


def _is_spoken_of(text: str, made: DocumentDef, pages: Mapping[str, str]) -> bool:
    """Whether a clause shares half of its words, two at least, with a line of a document."""
    said = [words for clause in _CLAUSE_END.split(text) if (words := keywords(clause))]
    lines = (line for path, page in pages.items() if made.owns(path) for line in page.splitlines())
    return any(
        len(words & own) >= max(_SHARED, len(words) / 2) for own in map(keywords, lines) for words in said
    )


def originals(graph: Mapping[str, TaskState], catalogue: Catalogue) -> tuple[str, ...]:
    """The tasks whose documents take feedback, in order, without their revisions."""
    found = [state for state in graph.values() if catalogue.is_draft(state.key) and not state.revision_of]
    return tuple(state.key for state in sorted(found, key=lambda state: state.seq))


def maker_of(word: str, documents: tuple[str, ...], catalogue: Catalogue) -> str | None:
    """The task of the document that an id belongs to: its own or a revision's, or that of an item as REQ-001."""
    if word in documents:
        return word
    made: DocumentDef | None = catalogue.about(word)
    return next((key for key in documents if made is not None and made.makes(key)), None)


def _of_work(
    graph: Mapping[str, TaskState], documents: tuple[str, ...], catalogue: Catalogue
) -> FeedbackTarget | None:
    """What words about a finished build change: its requirements, without a document its plan; None before one."""
    plan = next((each.key for each in graph.values() if each.prefix == "PLAN" and not each.revision_of), None)
    built = any(each.prefix in BUILDS and each.status is TaskStatus.COMPLETED for each in graph.values())
    if not built or plan is None:
        return None
    wanted = [made for made in catalogue if made.model == "requirements"]
    key = next((key for made in wanted for key in documents if made.makes(key)), None)
    if key is not None:
        return _target(graph, key, "what is built follows the requirements")
    return None if documents else FeedbackTarget("plan", plan, "what is built follows the plan")


def _unclear(
    text: str, graph: Mapping[str, TaskState], documents: tuple[str, ...], catalogue: Catalogue
) -> FeedbackTarget:
    open_to_it = tuple(key for key in documents if _target(graph, key, "").action != "record")
    if not open_to_it:
        return FeedbackTarget("record", None, "there is no document to change")
    if len(open_to_it) == 1:
        return _target(graph, open_to_it[0], "it is the only document")
    counts = {
        key: sum(mentions(text, name) for name in made.names if name not in _COMMON)
        for key in open_to_it
        if (made := catalogue.of_task(key)) is not None
    }
    likeliest = max(counts, key=lambda key: counts[key], default=None)
    likeliest = likeliest if likeliest is not None and counts[likeliest] else None
    return FeedbackTarget("ask", None, "its words name no document", open_to_it, likeliest)


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
