"""Reading the catalogue of documents from plain YAML values, with every fault of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast, get_args

from orchestrator.domain import ids
from orchestrator.domain.dataclass import fields, replace
from orchestrator.domain.documents import (
    DECLARED,
    DIMENSIONS,
    DISCOVERY,
    MODELS,
    Catalogue,
    DocumentDef,
    Form,
    Section,
)
from orchestrator.domain.graph import Place
from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression
from orchestrator.domain.plain_values import Reader, unknown

CARRIES = ("goals", "exclusions", "Must", "Should", "Could", "Won't")
OWN_FILES = ("spec/spec-summary.md", "spec/spec-config.json")  # of the product, beside the documents
_KIND = expression(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", re.ASCII)
_SECTION = expression(r"[a-z]+(?:_[a-z]+)*", re.ASCII)
_PREFIX = expression(r"[A-Z]{1,10}", re.ASCII)
_PATH = expression(r"spec/(?:[A-Za-z0-9][\w-]*/)*[\w-]+\.(?:md|json)", re.ASCII)
_RESERVED = frozenset(  # what else a document is written from, is asked for, or has as its items
    """
    adr codebase critique decisions document epic feedback improve language previous remarks request requirement story
    summary wisdom
    """.split()  # noqa: SIM905 - a list of words is read more easily as words
)
_TAKEN = frozenset(  # names that every declared document has already
    """
    construct copy dict entries from_orm items json layout open_questions parse_file parse_obj parse_raw register schema
    schema_json title update_forward_refs validate
    """.split()  # noqa: SIM905 - a list of words is read more easily as words
)
_TEXTS = ("title", "task", "path", "model")
_LISTS = (
    *("drafted_from", "required", "identifiers", "carries", "improves"),
    *("feedback", "names", "scores", "measures"),
)
_KEYS = (*_TEXTS, *_LISTS, "purpose", "template", "sections")
_SECTION_KEYS = tuple(each.name for each in fields(Section) if each.name != "key")


def read_documents(reader: Reader, given: Mapping[str, Json], templates: Mapping[str, str]) -> Catalogue:
    """The catalogue; `templates`: the text of each pack's own template, by kind."""
    read: dict[str, DocumentDef] = {}
    for kind, raw in given.items():
        read[kind] = replace(_document(reader, kind, raw), template_text=templates.get(kind, ""))
    before = len(reader.faults)
    _references(reader, read)
    _once(reader, read)
    if len(reader.faults) == before:
        _circles(reader, read)
    return Catalogue(read)


def _document(reader: Reader, kind: str, raw: object) -> DocumentDef:
    place: Place = ("documents", kind)
    given = reader.mapping(raw, place, _KEYS)
    if not _KIND.fullmatch(kind):
        reader.fault(
            place, f"{ids.shown(kind)} is no name of a document: lower case letters, digits, hyphens"
        )
    texts = {name: reader.text(given.get(name), (*place, name)) for name in _TEXTS}
    if kind in _RESERVED or (kind in MODELS and kind != texts["model"]):
        reader.fault(place, f"{kind} has a meaning of its own; give the document another name")
    texts |= {
        name: reader.text(given[name], (*place, name)) for name in ("purpose", "template") if name in given
    }
    lists = {name: reader.texts(given[name], (*place, name)) for name in _LISTS if name in given}
    entries = reader.mapping(given.get("sections"), (*place, "sections"))
    sections = tuple(_section(reader, key, raw, (*place, "sections", key)) for key, raw in entries.items())
    document = DocumentDef(kind=kind, sections=sections, **texts, **lists)  # type: ignore[arg-type]
    reader.known("model", document.model, MODELS, (*place, "model"))
    _check_path(reader, document, (*place, "path"))
    choices = (("carries", "statement", CARRIES), ("improves", "dimension", DIMENSIONS))
    for name, called, known in (*choices, ("measures", "dimension", DIMENSIONS)):
        for index, value in enumerate(getattr(document, name)):
            reader.known(called, value, known, (*place, name, index))
    return (
        _declared(reader, document, place)
        if document.model == DECLARED
        else _shipped(reader, document, place)
    )


def _declared(reader: Reader, document: DocumentDef, place: Place) -> DocumentDef:
    """The document with what follows from its sections."""
    for name in ("required", "identifiers"):
        if getattr(document, name):
            reader.fault((*place, name), "follows from the sections of a declared document; leave it out")
    if not document.sections:
        reader.fault(place, "a declared document needs `sections`")
    if not document.purpose:
        reader.fault(place, "a declared document needs a `purpose`: what an agent is asked to write")
    if sum(section.rest for section in document.sections) > 1:
        reader.fault((*place, "sections"), "one section at most takes the `rest`")
    return replace(
        document,
        required=tuple(section.key for section in document.sections if section.required),
        identifiers=tuple(section.id for section in document.sections if section.id),
        improves=document.improves or DIMENSIONS,
        names=document.names or tuple(section.title for section in document.sections),
    )


def _shipped(reader: Reader, document: DocumentDef, place: Place) -> DocumentDef:
    if document.sections:
        reader.fault((*place, "sections"), f"are for the model {DECLARED!r}; {document.model} has its own")
    if document.is_report != bool(document.scores):
        reader.fault((*place, "scores"), "a report (model `readiness`), and no other document, scores kinds")
    if document.is_report and not document.measures:
        return replace(document, measures=DIMENSIONS)
    if document.model == DISCOVERY and document.template:
        reader.fault((*place, "template"), "a discovery is JSON and has no template")
    return document


def _section(reader: Reader, key: str, raw: object, place: Place) -> Section:
    given = reader.mapping(raw, place, _SECTION_KEYS)
    if not _SECTION.fullmatch(key) or key in _TAKEN or key.startswith("model_"):
        reader.fault(
            place, f"{ids.shown(key)} cannot name a section: lower case letters and _, not a word in use"
        )
    form = str(given.get("form", "text"))
    if form not in get_args(Form):
        reader.fault((*place, "form"), unknown("form", form, get_args(Form)))
    prefix = reader.text(given["id"], (*place, "id")) if "id" in given else ""
    if bool(prefix) != (form == "items") or (prefix and not _PREFIX.fullmatch(prefix)):
        reader.fault(
            (*place, "id") if prefix else place, "items, and nothing else, need an `id`: capital letters"
        )
    flags = {name: reader.flag(given[name], (*place, name)) for name in ("required", "rest") if name in given}
    if flags.get("rest") and form == "text":
        reader.fault((*place, "rest"), "needs the form list or items")
    return Section(
        key=key,
        title=reader.text(given.get("title"), (*place, "title")),
        form=cast(Form, form),
        id=prefix,
        words=reader.texts(given["words"], (*place, "words")) if "words" in given else (),
        question=reader.text(given["question"], (*place, "question")) if "question" in given else "",
        **flags,
    )


def _check_path(reader: Reader, document: DocumentDef, place: Place) -> None:
    path = document.path
    ending = ".json" if document.model == DISCOVERY else ".md"
    if path and (not _PATH.fullmatch(path) or not path.endswith(ending)):
        reader.fault(place, f"{ids.shown(path)} is no {ending} file below spec/")
    elif path in OWN_FILES:
        reader.fault(place, f"{path} is written by the product itself")


def _references(reader: Reader, read: Mapping[str, DocumentDef]) -> None:
    """Kinds that are named must exist, and a report is judged from documents, never the other way round."""
    for document in read.values():
        for name in ("drafted_from", "scores"):
            for index, kind in enumerate(getattr(document, name)):
                place: Place = ("documents", document.kind, name, index)
                if reader.known("document", kind, read, place) and read[kind].is_report:
                    reader.fault(place, f"{kind} is a report; name the documents it scores")


def _once(reader: Reader, read: Mapping[str, DocumentDef]) -> None:
    """Two documents have neither file, task nor identifiers in common."""
    seen: list[DocumentDef] = []
    prefixes: dict[str, str] = {}
    for document in read.values():
        place: Place = ("documents", document.kind)
        for other in seen:
            if document.path and (document.owns(other.path) or other.owns(document.path)):
                reader.fault(
                    (*place, "path"), f"{document.path} belongs to {other.kind} already ({other.path})"
                )
            if document.task and document.task == other.task:
                reader.fault((*place, "task"), f"{document.task} makes {other.kind} already")
        for prefix in document.identifiers:
            if prefixes.setdefault(prefix, document.kind) != document.kind:
                where: Place = (*place, "sections") if document.sections else (*place, "identifiers")
                reader.fault(where, f"identifiers {prefix}-001 belong to {prefixes[prefix]} already")
        seen.append(document)


def _circles(reader: Reader, read: Mapping[str, DocumentDef]) -> None:
    """A document that would be drafted from itself."""
    reach = {kind: set(document.drafted_from) for kind, document in read.items()}
    for middle in read:
        for kind in read:
            if middle in reach[kind]:
                reach[kind] |= reach[middle]
    circle = [kind for kind in read if kind in reach[kind]]
    if circle:
        place: Place = ("documents", circle[0], "drafted_from")
        reader.fault(place, f"circle: {', '.join(circle)} would be drafted from each other")
