"""The lint: faults of a specification that can be seen without judgement, whoever wrote it (docs/domain.md, section 11).

    lint(contents, sources)   the documents as data, by kind, and what they come from -> findings, the gravest first
    findings_of(facts)        the same for the facts of a run (workers/agents/facts.py), the many of one kind gathered

A finding names its place, its rule (config/lint.toml) and what to do. An error that the documents ask about is a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from orchestrator.domain.dataclass import replace
from orchestrator.domain.json_types import Json
from workers.documents.content import Content, Discovery
from workers.documents.lint import criterion_rules, source_rules, statement_rules, trace_rules
from workers.documents.lint.artifact import Artifact, artifact_of
from workers.documents.lint.comparing import plain, share, words
from workers.documents.lint.page_rules import lint_page
from workers.documents.lint.rules import SEVERITIES, Finding, Severity
from workers.documents.lint.specification import Sources, Specification, place_of
from workers.documents.models import MODELS

__all__ = [
    "Artifact",
    "Finding",
    "Severity",
    "Sources",
    "artifact_of",
    "findings_of",
    "lint",
    "listed",
    "read_specification",
]

MISSING = frozenset({"no_criteria", "lost", "lost_goal", "no_design", "no_story"})
LISTED = 30  # findings that a critic is given
_ASKED = 0.8  # share of what a finding is about that a question must hold


def lint(contents: Mapping[str, Content], sources: Sources) -> tuple[Finding, ...]:
    """All findings in documents by kind, the gravest first; the documents a session has not written yet are left out."""
    return tuple(_judged(read_specification(contents, sources), []))


def findings_of(facts: Mapping[str, Json], workdir: Path | None = None) -> tuple[Finding, ...]:
    """The findings in the documents a run knows, with the artifact under review in its newest form, and in its text.

    `workdir`: where the artifact's neighbours lie, if anywhere.
    """
    contents: dict[str, Content] = {
        kind: found for kind in MODELS if isinstance(found := facts.get(kind), Content)
    }
    artifact = artifact_of(facts)
    if artifact.content is not None:
        contents[artifact.stated.kind if artifact.stated else _kind_of(artifact.content)] = artifact.content
    spec = read_specification(contents, sources_of(facts))
    page = lint_page(artifact, spec, workdir) if "artifact" in facts else []
    return tuple(statement_rules.gathered(_judged(spec, page)))


def listed(findings: Sequence[Finding], kind: str = "") -> str:
    """The gravest findings in one document, or in all, a line each, for whoever has to judge them."""
    own = [one for one in findings if not kind or one.document == kind][:LISTED]
    return "\n".join(f"- {one.severity}, {one.place}: {one.text} ({one.fix})" for one in own)


def read_specification(contents: Mapping[str, Content], sources: Sources) -> Specification:
    """The documents of a session as the rules read them; a discovery is what they are held against."""
    judged = {kind: found for kind, found in contents.items() if not isinstance(found, Discovery)}
    return Specification(judged, sources)


def _judged(spec: Specification, page: list[Finding]) -> list[Finding]:
    found = {
        (each.document, each.place, each.rule, each.about): each for rule in RULES for each in rule(spec)
    }
    known = {(each.document, each.rule, each.about) for each in found.values()}
    beside = [each for each in page if (each.document, each.rule, each.about) not in known]
    titles = {place_of(item.id, item.title): item.title for _, item in spec.requirements}
    asked = [_asked(each, spec, titles.get(each.place, "")) for each in (*beside, *found.values())]
    order = {severity: at for at, severity in enumerate(SEVERITIES)}
    return sorted(asked, key=lambda each: order[each.severity])


def sources_of(facts: Mapping[str, Json]) -> Sources:
    """What the documents of a run are held against."""
    discovery = facts.get("discovery")
    given = [text for key in ("feedback", "said", "remarks") for text in facts.get(key) or []]
    codebase = facts.get("codebase")
    return Sources(
        request=str(facts.get("request") or ""),
        language=str(facts.get("language") or "en"),
        discovery=discovery if isinstance(discovery, Discovery) else None,
        unread=tuple(facts.get("unread") or ()),
        given=(*(str(text) for text in given), *([str(codebase)] if codebase else [])),
        edits=tuple(facts.get("edited") or ()),
    )


def _kind_of(content: Content) -> str:
    return next((name for name, model in MODELS.items() if isinstance(content, model)), "document")


def _asked(found: Finding, spec: Specification, title: str) -> Finding:
    """An error that a document asks about: whoever wrote it could not mend it, and says so."""
    if found.severity != "error":
        return found
    if any(_asks(text, found, title) for kind in spec.contents for text in spec.questions(kind)):
        return replace(found, severity="warning", asked=True)
    return found


def _asks(question: str, found: Finding, title: str) -> bool:
    """Whether a question repeats what was found, or, where something is only missing, names the item."""
    if plain(found.text) in plain(question) or (found.about and plain(found.about) in plain(question)):
        return True
    if found.rule not in MISSING:
        return False
    said, names = words(question), (words(found.about), words(title))
    return found.place in question or any(len(own) > 2 and share(own, said) >= _ASKED for own in names)


RULES: tuple[Callable[[Specification], Iterator[Finding]], ...] = (
    statement_rules.headers,
    source_rules.no_wishes,
    source_rules.withdrawn,
    source_rules.lost,
    source_rules.distorted,
    source_rules.turned,
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
