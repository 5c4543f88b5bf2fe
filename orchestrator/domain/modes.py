"""Chooses the mode of a request, with the reason (docs/domain.md, sections 3 and 14)."""

from __future__ import annotations

import re
from collections.abc import Collection

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import NotAllowedNow, UnknownName
from orchestrator.domain.patterns import expression
from orchestrator.domain.pipelines import Pack
from orchestrator.domain.text import is_question, mentions

FALLBACK = "spec-only"
ANALYZE = "analyze"
OPENING_WORDS, OPENING_CHARS = 2, 24  # in which the verb of a request stands
_OPENING = expression(
    r"^(?:please|kindly|can you|could you|i want you to|let's|请你?|帮我|麻烦)[\s,，]*", re.I
)
_CLAUSE = expression(r"[,;&，；、]|\b(?:and|then)\b|并且?|然后|再", re.I)
_NEGATED = expression(  # `without a UI`, `no frontend or backend`, `不需要界面`
    r"\b(?:no|without|not)\s+(?:any\s+|an?\s+|the\s+|need\s+an?\s+)?[\w-]+(?:\s+(?:or|and|nor)\s+[\w-]+)?"
    r"|(?:不需要|不要|无需|没有)[^，。；、,.;\s]{1,6}",
    re.I,
)
_SENTENCE = expression(r"[.!?。！？](?:\s|$)|\n")


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """What the project says about the work to come."""

    frontend: str | None = None  # the frontend framework found in package.json
    coding_agent: bool = False  # an agent that can edit files is configured
    repository: bool = True  # the project is a git repository
    spec: bool = False  # --spec, or a finished session with one
    installed: frozenset[str] | None = None  # roles whose work is built; None: as the pack says


@dataclass(frozen=True, slots=True)
class ModeChoice:
    mode: str
    why: str


def choose(request: str, facts: ProjectFacts, pack: Pack, wanted: str | None = None) -> ModeChoice:
    """The mode of a session: the one asked for, if it can be had, else what request and project suggest."""
    if wanted is not None:
        return _asked(request, facts, pack, wanted)
    plain, why = _base(request, facts, pack)
    mode, more = _upgraded(plain, request, facts, pack)
    why = f"{why}; {more}" if more else why
    missing = missing_roles(pack, mode, facts.installed)
    if missing and mode != plain and not missing_roles(pack, plain, facts.installed):
        return ModeChoice(plain, f"{why}, but {mode} is not available yet ({_not_installed(missing)})")
    if missing:
        return ModeChoice(FALLBACK, f"{why}, but {mode} is not available yet ({_not_installed(missing)})")
    return ModeChoice(mode, why)


def missing_roles(pack: Pack, mode: str, installed: Collection[str] | None = None) -> tuple[str, ...]:
    """The roles a mode needs and that are not built yet, in the order of their tasks."""
    have = pack.installed if installed is None else installed
    pipeline = pack.pipelines[mode]
    needed = ("dynamic",) if pipeline.built_at_start else pipeline.roles
    return tuple(role for role in needed if role not in have)


def depth(request: str, pack: Pack) -> str:
    """How deep an analysis goes, by the words of its request."""
    if _first(request, pack, "deep"):
        return "deep"
    return "quick" if _first(request, pack, "quick") else "standard"


def named_mode(wanted: str, request: str, pack: Pack) -> str:
    """The mode that a name stands for: `analyze` for the depth that the request asks for. Raises UnknownName."""
    mode = (
        f"{ANALYZE}-{depth(request, pack)}" if wanted == ANALYZE and ANALYZE not in pack.pipelines else wanted
    )
    if mode not in pack.pipelines:
        raise UnknownName("mode", wanted, pack.pipelines)
    return mode


def _asked(request: str, facts: ProjectFacts, pack: Pack, wanted: str) -> ModeChoice:
    mode = named_mode(wanted, request, pack)
    missing = missing_roles(pack, mode, facts.installed)
    if missing:
        usable = [name for name in pack.pipelines if not missing_roles(pack, name, facts.installed)]
        raise NotAllowedNow(
            f"mode {mode} is not available yet: {_not_installed(missing)}",
            why=f"available now: {', '.join(usable) or '(none)'}",
            fix=f"choose one with --mode, for example --mode {usable[0]}"
            if usable
            else "see `installed` of the roles in your packs",
        )
    if pack.pipelines[mode].needs_spec and not facts.spec:
        raise NotAllowedNow(
            f"mode {mode} needs a specification",
            why="neither --spec PATH nor a finished session with one was given",
            fix="name one with --spec PATH, or make one with --mode spec-only or --mode full-lifecycle",
        )
    return ModeChoice(mode, "you asked for it")


def _base(request: str, facts: ProjectFacts, pack: Pack) -> tuple[str, str]:
    if facts.spec:
        return "impl-only", "a specification is given"
    if word := _first(request, pack, "spec"):
        return "spec-only", f"the request mentions {word!r}"
    if word := _analysis(request, pack):
        return f"analyze-{depth(request, pack)}", f"the request mentions {word!r}"
    if is_question(request) and not _first(request, pack, "make"):
        return f"analyze-{depth(request, pack)}", "the request is a question"
    if facts.coding_agent and facts.repository:
        return "full-lifecycle", "a coding agent is configured"
    if facts.coding_agent:
        return "spec-only", "a coding agent is configured, but the project is no git repository"
    return "spec-only", "no agent that edits files is configured"


def _upgraded(mode: str, request: str, facts: ProjectFacts, pack: Pack) -> tuple[str, str]:
    """Frontend work needs the frontend roles; what the request says it is without counts for nothing."""
    request = _NEGATED.sub(" ", request)
    word = _first(request, pack, "frontend")
    sign = f"the request mentions {word!r}" if word else f"the project uses {facts.frontend}"
    if not (word or facts.frontend) or mode not in ("impl-only", "full-lifecycle"):
        return mode, ""
    if mode == "full-lifecycle":
        return "full-lifecycle-fe", sign
    backend = _first(request, pack, "backend")
    return ("fullstack", f"{sign} and {backend!r}") if backend else ("fe-only", sign)


def _analysis(request: str, pack: Pack) -> str | None:
    """The word with which the request asks for an analysis: it opens it, and nothing is to be made.

    "Build a service that analyzes logs" asks for a service, "Investigate and fix the crash" for a fix.
    """
    opening = _OPENING.sub("", request.lstrip("#*>-= \t\n"))
    sentence = _SENTENCE.split(opening, maxsplit=1)[0]
    if any(_first(_opening_of(clause), pack, "make") for clause in _CLAUSE.split(sentence)[1:]):
        return None
    return _first(_opening_of(opening), pack, "analyze")


def _opening_of(clause: str) -> str:
    return " ".join(clause.split()[:OPENING_WORDS])[:OPENING_CHARS]


def _first(request: str, pack: Pack, words: str) -> str | None:
    return next((word for word in pack.modes.get(words, ()) if mentions(request, word)), None)


def _not_installed(roles: Collection[str]) -> str:
    return f"not installed: {', '.join(roles)}"
