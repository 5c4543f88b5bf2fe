"""What is wrong with a document as a page: sections, links, identifiers, placeholders."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from orchestrator.domain.documents import DocumentDef
from orchestrator.domain.patterns import expression
from workers.documents.content import Epics, Requirements
from workers.documents.identifiers import IDENTIFIER
from workers.documents.labels import labels
from workers.documents.lint.artifact import Artifact
from workers.documents.lint.rules import Finding, finding, words_of
from workers.documents.lint.specification import Sources, Specification
from workers.documents.reader import anchor as anchor_of
from workers.documents.reader import read

_DISCOVERY_KEYS = ("problem_statement", "target_users", "domain", "constraints")
_LINK = expression(r"(?<![!\\])\[([^\]]*)\]\(([^)\s]*)(?:\s+\"[^\"]*\")?\)")
_ESCAPED = expression(r"\\([!-/:-@\[-`{-~])")
_FENCE = expression(r"^(```|~~~).*?^\1\s*$", re.DOTALL | re.MULTILINE)
_SAME_FOLDER = expression(r"^(?:\./)?[\w.-]+\.(?:md|json)$")
_ADDRESS = expression(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_WITHDRAWN = expression(r"withdrawn|撤回|作废")
_SHOWN = 10  # dead identifiers and placeholders that are named one by one


def lint_page(artifact: Artifact, spec: Specification, workdir: Path | None) -> list[Finding]:
    """The findings in the text of one document; `workdir`: where its neighbours lie, if anywhere."""
    language, kind = spec.sources.language, artifact.stated.kind if artifact.stated else "document"
    if not artifact.text.strip():
        return [finding("empty_document", kind, kind, language=language)]
    pairs = [
        *_sections(artifact, spec),
        *(("placeholder", text) for text in _placeholders(artifact, spec.sources)),
        *(("dead_reference", one) for one in _dangling(artifact, spec)),
        *(("dead_link", target) for target in _links(artifact, spec, workdir)),
    ]
    return [finding(rule, kind, kind, text, language=language) for rule, text in pairs]


def _sections(artifact: Artifact, spec: Specification) -> Iterator[tuple[str, str]]:
    """Required sections that are missing, or have nothing below their heading."""
    stated = artifact.stated
    if stated is None:
        return
    if artifact.keys:
        missing = [
            key for key in _DISCOVERY_KEYS if artifact.kind == "discovery" and key not in artifact.keys
        ]
        yield from (("missing_section", key) for key in missing)
        return
    names = labels(spec.sources.language).sections
    called = {each.key: each.title for each in stated.sections}
    headings = _headings(artifact, stated)
    filled = {heading for _, heading, body in artifact.headings if body.strip()}
    for key in stated.required:
        if not _is_due(key, artifact):
            continue
        name = called.get(key) or names.get(key, key)
        if not headings.get(key):
            yield "missing_section", name
        elif not filled & headings[key] and artifact.text.count("```") < 2:
            yield "empty_section", name


def _headings(artifact: Artifact, stated: DocumentDef) -> dict[str, set[str]]:
    """The headings of each section: what a heading says beats the mark above it, which may be another section's."""
    found: dict[str, set[str]] = {}
    page = read(artifact.path or stated.path, artifact.text.encode("utf-8", "replace"), stated)
    named = [(each.heading, page.said.get(each.heading, each.key)) for each in page.sections]
    for heading, key in (*named, *page.said.items()):
        found.setdefault(key, set()).add(heading)
    return found


def _is_due(key: str, artifact: Artifact) -> bool:
    """Whether there is anything that the section could hold: what belongs to items stands in their files."""
    content = artifact.content
    if isinstance(content, Epics) and key in ("stories", "criteria"):
        return any(epic.stories for epic in content.items)
    if artifact.kind != "requirements" or key in ("goals", "requirements"):
        return True
    items = content.items if isinstance(content, Requirements) else []
    kind = "nonfunctional" if key == "non_functional" else "functional"
    return any(item.kind == kind and item.moscow != "Won't" for item in items)


def _links(artifact: Artifact, spec: Specification, workdir: Path | None) -> list[str]:
    """Links without target, to a missing heading, or to a file that is missing beside the document."""
    if artifact.keys:
        return []  # in JSON nothing is a link: brackets there are words of the request
    anchors = {anchor_of(heading) for _, heading, _ in artifact.headings}
    beside = _folder(artifact, workdir)
    dead = []
    for _, target in dict.fromkeys(_LINK.findall(_FENCE.sub("", artifact.text))):
        path, _, anchor = target.partition("#")
        if _ADDRESS.match(target):
            continue
        here = (
            not path and anchor and anchor_of(anchor) not in anchors and f'id="{anchor}"' not in artifact.text
        )
        gone = beside is not None and _SAME_FOLDER.match(path) and not (beside / path).exists()
        named = IDENTIFIER.search(path.rpartition("/")[2])
        if not target or target == "#" or here or gone or (named and _is_unknown(named[0], spec)):
            dead.append(target or "()")
    return list(dict.fromkeys(dead))


def _folder(artifact: Artifact, workdir: Path | None) -> Path | None:
    """The document's folder, when it is there with other files: only then a missing file says something."""
    path = artifact.path
    if workdir is None or not path or path.startswith("/") or ".." in path.split("/"):
        return None
    try:
        folder = (workdir / path).parent
        return folder if folder.is_dir() and sum(1 for _ in folder.iterdir()) > 1 else None
    except (OSError, ValueError):
        return None


def _is_unknown(identifier: str, spec: Specification) -> bool:
    """Whether documents at hand define such identifiers, and not this one."""
    known = spec.defined.get(identifier.partition("-")[0])
    return known is not None and identifier not in known


def _dangling(artifact: Artifact, spec: Specification) -> list[str]:
    lines = artifact.text.splitlines()
    withdrawn = {one for line in lines if _WITHDRAWN.search(line) for one in IDENTIFIER.findall(line)}
    given = "\n".join((spec.sources.request, *spec.sources.given, *spec.sources.edits))
    found = dict.fromkeys(IDENTIFIER.findall(artifact.text))
    wrong = [one for one in found if _is_unknown(one, spec) and one not in withdrawn and one not in given]
    return wrong[:_SHOWN]


def _placeholders(artifact: Artifact, sources: Sources) -> list[str]:
    """What the document itself left to be filled in; words that somebody gave it are its subject."""
    pattern = re.compile(words_of("placeholder"), re.IGNORECASE)
    prose = "\n".join(artifact.paragraphs()) if artifact.keys else _as_shown(_FENCE.sub("", artifact.text))
    found = [_on_one_line(match[0]) for match in pattern.finditer(prose)]
    if not found:
        return []
    given = _on_one_line(_as_shown("\n".join((sources.request, *sources.given, *sources.edits)))).casefold()
    return list(dict.fromkeys(text for text in found if text.casefold() not in given))[:_SHOWN]


def _as_shown(markdown: str) -> str:
    """The text without the escapes that make Markdown show it as it is."""
    return html.unescape(_ESCAPED.sub(r"\1", markdown))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
