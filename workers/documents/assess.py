"""Files in, score out: what the quality check reads from the documents as they lie there, hand edits included."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import regex

from orchestrator.config.shipped import shipped_documents
from orchestrator.domain.dataclass import replace
from orchestrator.domain.documents import REPORT, Catalogue, DocumentDef
from orchestrator.domain.pipelines import Gates
from orchestrator.domain.quality import Score, score
from orchestrator.domain.quality_facts import (
    AdrFacts,
    Criterion,
    Document,
    Fault,
    Item,
    Spec,
    StoryFacts,
)
from workers.documents.as_written import contents_of, registered_contents, rewritten
from workers.documents.content import Content, Requirements
from workers.documents.grounds import Grounds
from workers.documents.identifiers import IDENTIFIER
from workers.documents.lint import Finding, Sources, lint, read_specification
from workers.documents.lint.index_rules import index_differs
from workers.documents.lint.rules import rules
from workers.documents.lint.source_rules import uncovered
from workers.documents.lint.trace_rules import forced_pairs
from workers.documents.page_form import broken_links
from workers.documents.reader import Block, Page, read

_HOLLOW = frozenset({"template_criterion", "restating_criterion", "contradicting_criterion", "untestable"})
_NO_WISHES = frozenset(
    {"header_title", "done_as_open", "risk_as_wish", "problem_as_wish", "non_goal_as_goal"}
)
_CRITERIA = ("acceptance_criteria", "criteria")
_SIZE = regex.compile(
    r"(?:size|estimate|story points?|规模|估算|故事点)[^\n]{0,10}[:：]\s*(?:XS|S|M|L|XL|\d)", regex.IGNORECASE
)


def assess(
    files: Mapping[str, bytes],
    all_paths: Collection[str],
    stated: Sequence[str],
    gates: Gates,
    catalogue: Catalogue | None = None,
    report: str = REPORT,
    sources: Sources | None = None,
) -> Score:
    """Score what a report is about, by `files` (path -> bytes); `stated` are the original requirements, word for word.

    `sources`: what the contents are held against; None: the files are scored without a lint.
    """
    catalogue = catalogue or shipped_documents()
    return score(specification(files, all_paths, stated, catalogue, catalogue[report], sources), gates)


def specification(
    files: Mapping[str, bytes],
    all_paths: Collection[str],
    stated: Sequence[str],
    catalogue: Catalogue,
    report: DocumentDef,
    sources: Sources | None = None,
) -> Spec:
    """What the score looks at. Withdrawn items do not count, neither for nor against."""
    scored = [catalogue[kind] for kind in report.scores]
    pages = {
        path: read(path, data, next((each for each in scored if each.owns(path)), None))
        for path, data in sorted(files.items())
        if path.endswith(".md")
    }
    known = set(all_paths) | set(files)
    groups = {
        each.kind: found
        for each in scored
        if (found := [page for path, page in pages.items() if each.owns(path) and not _is_withdrawn(page)])
    }

    def of(model: str) -> list[Page]:
        return [page for each in scored if each.model == model for page in groups.get(each.kind, ())]

    everywhere = [page for found in groups.values() for page in found]
    contents = contents_of(files, pages, catalogue, report.scores) if sources else {}
    spec = Spec(
        documents=tuple(_document(catalogue[kind], found, pages, known) for kind, found in groups.items()),
        required={each.kind: each.required for each in scored if each.required},
        measures=report.measures,
        goals=_items(_living_blocks(of("brief")), "G-"),
        requirements=_asked(_items(_living_blocks(of("requirements")), ("REQ-", "NFR-")), contents),
        designs=(*_items(_living_blocks(of("architecture")), "ADR-"), *_components(of("architecture"))),
        stories=_items(_living_blocks(of("epics")), "STORY-"),
        criteria=tuple(
            Criterion(section.owner or page.path, entry)
            for page in everywhere
            for section in page.sections
            if section.key in _CRITERIA
            for entry in section.items
        ),
        adrs=tuple(_adr(page) for page in of("architecture") if _defines(page, "ADR-")),
        story_facts=tuple(
            _story(block, page)
            for page in of("epics")
            for block in page.blocks
            if block.id.startswith("STORY-")
        ),
        stated=tuple(stated),
    )
    if not sources or not contents:
        return spec
    before = registered_contents(files, catalogue, report.scores)
    confirmed = rewritten(before, contents) | _approved(pages, sources.approved, scored)
    findings = (*lint(contents, sources), *index_differs(files, contents, sources.language))
    mistaken = frozenset(one.place for one in findings if one.rule in _NO_WISHES)
    return _grounded(
        _linted(spec, contents, sources, findings), Grounds(contents, sources, confirmed, mistaken)
    )


def _approved(pages: Mapping[str, Page], paths: Collection[str], scored: Sequence[DocumentDef]) -> set[str]:
    """The items and documents whose pages are as a person approved them."""
    kinds = {each.kind for each in scored if each.path in paths}
    return kinds | {name for path, page in pages.items() if path in paths for name in page.defined}


def _grounded(spec: Spec, grounds: Grounds) -> Spec:
    """The specification with what of it was given and what its writer proposed."""
    if grounds.basis is None:
        return spec
    said = {goal.id: goal.text for goal in grounds.goals.values()}
    said |= {item.id: f"{item.title} {item.statement}" for item in grounds.requirements.values()}

    def marked(items: Sequence[Item]) -> tuple[Item, ...]:
        return tuple(replace(item, given=item.id in said, says=said.get(item.id, "")) for item in items)

    def serves(refs: Collection[str]) -> bool:
        asked = [name for name in refs if name.startswith(("REQ-", "NFR-"))]
        return not asked or any(name in said for name in asked)

    designs = {item.id: serves(item.refs) for item in spec.designs}
    stories = {item.id: serves(item.refs) for item in spec.stories}
    return replace(
        spec,
        goals=marked(spec.goals),
        requirements=marked(spec.requirements),
        designs=tuple(replace(item, given=designs[item.id]) for item in spec.designs),
        adrs=tuple(replace(adr, given=designs.get(adr.id, True)) for adr in spec.adrs),
        story_facts=tuple(replace(story, given=stories.get(story.id, True)) for story in spec.story_facts),
        criteria=tuple(
            replace(entry, given=entry.owner in grounds.confirmed or grounds.is_criterion_given(entry.text))
            for entry in spec.criteria
        ),
        basis=grounds.basis,
        proposed=frozenset(grounds.proposed_sections()),
        request="\n".join((grounds.sources.request, *grounds.sources.said)),
    )


def _asked(items: tuple[Item, ...], contents: Mapping[str, Content]) -> tuple[Item, ...]:
    """The requirements, those marked that are ruled out."""
    out = {
        row.id
        for content in contents.values()
        if isinstance(content, Requirements)
        for row in content.items
        if row.moscow == "Won't"
    }
    return tuple(replace(item, open=item.id not in out) for item in items)


def _linted(spec: Spec, contents: Mapping[str, Content], sources: Sources, found: Sequence[Finding]) -> Spec:
    """The specification with what the lint finds in it."""
    judged = read_specification(contents, sources)
    return replace(
        spec,
        uncovered=uncovered(judged, spec.stated) if judged.requirements else None,
        forced=forced_pairs(judged),
        hollow=frozenset(one.about for one in found if one.rule in _HOLLOW),
        bare=frozenset(one.place for one in found if one.rule == "no_criteria"),
        faults=tuple(
            Fault(_where(one), rules()[one.rule].dimension, one.severity == "error", one.text, one.fix)
            for one in found
            if one.severity != "note"
        ),
    )


def _where(found: Finding) -> str:
    """The identifier that a finding is about, else its document."""
    return found.place if IDENTIFIER.fullmatch(found.place) else found.document


def _is_withdrawn(page: Page) -> bool:
    return (page.frontmatter or {}).get("status") == "withdrawn"


def _living_blocks(pages: Sequence[Page]) -> tuple[Block, ...]:
    return tuple(block for page in pages for block in page.blocks if block.section != "withdrawn")


def _document(
    document: DocumentDef, group: Sequence[Page], pages: Mapping[str, Page], known: Collection[str]
) -> Document:
    sections: dict[str, str] = {}
    for page in group:
        for key, text in page.section_texts().items():
            sections[key] = f"{sections.get(key, '')}\n{text}".strip()
    main = next((page for page in group if page.path == document.path), group[0])
    headings = [
        heading.text
        for page in group
        for heading in page.headings
        if heading.level == 2 and not IDENTIFIER.match(heading.text)
    ]
    return Document(
        kind=document.kind,
        path=main.path,
        sections=sections,
        headings=tuple(headings),
        broken_links=tuple(link.target for page in group for link in broken_links(page, pages, known)),
        text="\n".join(_living_text(page) for page in group),
    )


def _living_text(page: Page) -> str:
    text = page.text
    for section in page.sections:
        if section.key == "withdrawn" and section.text:
            text = text.replace(section.text, "")
    return text


def _items(blocks: Sequence[Block], prefix: str | tuple[str, ...]) -> tuple[Item, ...]:
    """What each identifier defines; the first definition counts."""
    found: dict[str, Item] = {}
    for block in blocks:
        if block.id.startswith(prefix) and block.id not in found:
            found[block.id] = Item(
                block.id, block.text, frozenset(IDENTIFIER.findall(block.text)) - {block.id}
            )
    return tuple(found.values())


def _components(pages: Sequence[Page]) -> tuple[Item, ...]:
    return tuple(
        Item(block.heading, block.text, frozenset(IDENTIFIER.findall(block.text)))
        for page in pages
        for block in page.blocks
        if block.section == "components" and block.level > 2
    )


def _defines(page: Page, prefix: str) -> bool:
    return any(name.startswith(prefix) for name in page.defined)


def _adr(page: Page) -> AdrFacts:
    texts = page.section_texts()
    alternatives = next((section for section in page.sections if section.key == "alternatives"), None)
    return AdrFacts(
        id=next(iter(sorted(page.defined))),
        rationale=bool(texts.get("context") and texts.get("decision")),
        alternatives=(alternatives.blocks or len(alternatives.items))
        if alternatives and alternatives.text
        else 0,
        consequences=bool(texts.get("consequences")),
    )


def _story(block: Block, page: Page) -> StoryFacts:
    criteria = sum(
        len(section.items)
        for section in page.sections
        if section.key in _CRITERIA and section.owner == block.id
    )
    return StoryFacts(block.id, block.text, criteria, _SIZE.search(block.text) is not None)
