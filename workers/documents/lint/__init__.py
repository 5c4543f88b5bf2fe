"""The lint: faults of a specification that can be seen without judgement, whoever wrote it (docs/domain.md, section 11).

    lint(contents, sources)   the documents as data, by kind, and what they come from -> findings, the gravest first
    findings_of(facts)        the same for the facts of a run (workers/agents/facts.py)

A finding names its place, its rule (config/lint.toml) and what to do. An error that the documents ask about is a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from orchestrator.domain.documents import DocumentDef
from orchestrator.domain.json_types import Json
from workers.documents.content import Content, Discovery
from workers.documents.lint import criterion_rules, source_rules, statement_rules, trace_rules
from workers.documents.lint.comparing import plain, share, words
from workers.documents.lint.rules import SEVERITIES, Finding, Severity
from workers.documents.lint.specification import Sources, Specification
from workers.documents.models import MODELS

__all__ = ["Finding", "Severity", "Sources", "findings_of", "lint"]

ASKABLE = frozenset({"no_criteria", "lost", "lost_goal", "no_design", "no_story", "untestable"})
_ASKED = 0.8  # share of what a finding is about that a question must hold


def lint(contents: Mapping[str, Content], sources: Sources) -> tuple[Finding, ...]:
    """The findings in documents by kind, the gravest first; the documents a session has not written yet are left out."""
    spec = Specification({kind: found for kind, found in contents.items() if _is_judged(found)}, sources)
    found = [each for rule in RULES for each in rule(spec)]
    asked = [_asked(each, spec) if each.rule in ASKABLE else each for each in found]
    order = {severity: at for at, severity in enumerate(SEVERITIES)}
    return tuple(sorted(statement_rules.gathered(asked), key=lambda each: order[each.severity]))


def findings_of(facts: Mapping[str, Json]) -> tuple[Finding, ...]:
    """The findings in the documents a run knows, with the artifact under review in its newest form."""
    contents: dict[str, Content] = {
        kind: found for kind in MODELS if isinstance(found := facts.get(kind), Content)
    }
    document, artifact = facts.get("document"), facts.get("artifact_content")
    if isinstance(artifact, Content):
        kind = document.kind if isinstance(document, DocumentDef) else ""
        contents[kind or _kind_of(artifact)] = artifact
    return lint(contents, sources_of(facts))


def sources_of(facts: Mapping[str, Json]) -> Sources:
    """What the documents of a run are held against."""
    discovery = facts.get("discovery")
    given = [*(facts.get("feedback") or []), *(facts.get("remarks") or []), *(facts.get("edited") or [])]
    codebase = facts.get("codebase")
    return Sources(
        request=str(facts.get("request") or ""),
        language=str(facts.get("language") or "en"),
        discovery=discovery if isinstance(discovery, Discovery) else None,
        unread=tuple(facts.get("unread") or ()),
        given=(*(str(text) for text in given), *([str(codebase)] if codebase else [])),
    )


def _is_judged(content: Content) -> bool:
    return not isinstance(content, Discovery)


def _kind_of(content: Content) -> str:
    return next((name for name, model in MODELS.items() if isinstance(content, model)), "document")


def _asked(found: Finding, spec: Specification) -> Finding:
    """An error that a document asks about: whoever wrote it could not mend it, and says so."""
    if found.severity != "error":
        return found
    wanted = words(found.about)
    for text in (text for kind in spec.contents for text in spec.questions(kind)):
        if (
            found.place in text
            or plain(found.about) in plain(text)
            or (len(wanted) > 2 and share(wanted, words(text)) >= _ASKED)
        ):
            return replace(found, severity="warning", asked=True)
    return found


RULES: tuple[Callable[[Specification], Iterator[Finding]], ...] = (
    statement_rules.headers,
    source_rules.no_wishes,
    source_rules.lost,
    source_rules.distorted,
    source_rules.foreign,
    criterion_rules.criteria,
    criterion_rules.opposites,
    trace_rules.dead_ends,
    trace_rules.orphans,
    trace_rules.weak_goals,
    trace_rules.choices,
    trace_rules.forced,
    source_rules.unknown,
    source_rules.repeats,
    statement_rules.stubs,
    statement_rules.duplicates,
    statement_rules.users,
    statement_rules.proposals,
    statement_rules.spellings,
)
