"""Faults of a document against its inputs, found by reading its Markdown; each names what and where.

A fault is never that the request is thin: only what is missing, broken, untestable or lost counts.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator.config.shipped import shipped_documents
from orchestrator.domain.documents import DocumentDef
from orchestrator.domain.json_types import Json
from orchestrator.domain.quality import is_testable
from workers.builtin.material import Material, short
from workers.documents.content import Architecture, Brief, Declared, Epics, Requirements
from workers.documents.outline import Block, outline
from workers.documents.words import shown

# section key -> headings by which people and templates call it, in English and Chinese
SECTIONS: dict[str, dict[str, str]] = {
    "brief": {
        "vision": r"vision|愿景",
        "problem": r"problem|situation|background|问题|现状|背景",
        "target users": r"users?|audience|persona|actors?|who|用户|角色|受众",
        "goals and metrics": r"goals?|objectives?|metrics?|success|目标|指标|成功",
        "scope": r"scope|范围",
        "constraints": r"constraints?|limits?|约束|限制",
    },
    "requirements": {
        "requirements": r"requirements?|needs|需求|moscow|must",
        "non-functional requirements": r"non[- ]?functional|\bnfrs?\b|quality|非功能|质量",
        "goals and traceability": r"goals?|trace|objectives?|目标|追溯|跟踪矩阵",
    },
    "architecture": {
        "overview": r"overview|style|context|summary|概述|总览|概览|风格|上下文",
        "components": r"components?|modules?|building blocks|组件|模块|构件",
        "data model": r"data|entit|数据|实体",
        "API": r"\bapi\b|interfaces?|operations?|endpoints?|接口|操作",
        "stack": r"stack|technolog|技术栈|技术选型|选型",
        "decisions": r"decisions?|\badrs?\b|决策|决定",
    },
    "epics": {
        "epics": r"epics?|史诗",
        "MVP": r"\bmvp\b|minimum|first version|最小可行|首个版本",
        "dependencies and order": r"dependenc|order|sequence|依赖|顺序",
    },
}
_DISCOVERY_KEYS = ("problem_statement", "target_users", "domain", "constraints")
_LINK = re.compile(r"(?<![!\\])\[([^\]]*)\]\(([^)\s]*)(?:\s+\"[^\"]*\")?\)")
_ID = re.compile(r"\b(?:G-\d{3}|REQ-\d{3}|NFR-(?:P|S|SC|U)-\d{3}|ADR-\d{3}|EPIC-\d{3}|STORY-\d{3}-\d{3})\b")
_PLACEHOLDER = re.compile(
    r"\bTBD\b|\bTODO\b|\bFIXME\b|lorem ipsum|待补充|待填写|此处填写|"
    r"\{\{[^{}\n]*\}\}|\[(?:insert|fill|your|placeholder)\b[^\[\]\n]*\]|<(?:insert|fill|your|placeholder)\b[^<>\n]*>",
    re.IGNORECASE,
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.DOTALL | re.MULTILINE)
_SAME_FOLDER = re.compile(r"^(?:\./)?[\w.-]+\.(?:md|json)$")


@dataclass(frozen=True, slots=True)
class Fault:
    kind: str  # section, empty, link, id, placeholder, criterion, no_criteria, must, alternatives, document
    text: str
    advice: str


@dataclass(frozen=True, slots=True)
class Document:
    """A text under review, read once."""

    text: str
    kind: str  # its model; empty when unknown
    blocks: tuple[Block, ...]
    headings: tuple[tuple[int, str, str], ...]  # level, heading, text of the section with its subsections
    content: object = None
    path: str = ""
    keys: Mapping[str, Json] = field(default_factory=dict)  # of a JSON document
    stated: DocumentDef | None = None  # as the catalogue has it

    def paragraphs(self) -> list[str]:
        return [block.text for block in self.blocks if block.kind != "heading"]


def document(facts: Mapping[str, object]) -> Document:
    text = str(facts.get("artifact") or "")
    path = str(facts.get("artifact_path") or "")
    keys: Mapping[str, Json] = {}
    if text.lstrip().startswith("{"):
        try:
            found = json.loads(text)
            keys = found if isinstance(found, dict) else {}
        except (ValueError, RecursionError):
            keys = {}
    read = tuple(Block("", "item", line) for line in _strings(keys, 0)) if keys else tuple(_blocks(text))
    given = facts.get("document")
    stated = given if isinstance(given, DocumentDef) else _stated(path, text)
    return Document(
        text,
        stated.model if stated else "",
        read,
        tuple(_sections(read)),
        facts.get("artifact_content"),
        path,
        keys,
        stated,
    )


def _blocks(text: str) -> Iterator[Block]:
    """The words of a page, each cell of a table by itself."""
    for block in outline(text, shown, marked=True):
        if block.kind == "row":
            yield from (replace(block, text=cell) for _, cell in block.cells if cell)
        elif block.kind not in ("code", "front"):
            yield block


def _stated(path: str, text: str) -> DocumentDef | None:
    """The shipped document that a text says it is, or that its path names."""
    said = re.search(r"^document_type:\s*['\"]?([\w-]+)", text[:2_000], re.MULTILINE)
    hints = ((said[1] if said else "").lower(), path.lower())
    return next((each for hint in hints for each in shipped_documents() if each.kind in hint), None)


def _strings(value: Json, depth: int) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    inner = list(value.values()) if isinstance(value, Mapping) else value if isinstance(value, list) else []
    return [line for piece in inner for line in _strings(piece, depth + 1)] if depth < 40 else []


def _sections(read: tuple[Block, ...]) -> list[tuple[int, str, str]]:
    found = []
    for at, block in enumerate(read):
        if block.kind != "heading":
            continue
        body = []
        for later in read[at + 1 :]:
            if later.kind == "heading" and later.level <= block.level:
                break
            body.append(later.text)
        found.append((block.level, block.text, "\n".join(body)))
    return found


def faults(doc: Document, m: Material, workdir: Path | None) -> list[Fault]:
    """All faults, sections first."""
    if not doc.text.strip():
        return [Fault("document", m.say("fault_empty_document"), m.say("fault_empty_document"))]
    checks = (_missing_sections, _placeholders, _dangling, _criteria, _carried_on)
    found = [fault for check in checks for fault in check(doc, m)]
    return [*found, *_links(doc, m, workdir)]


def _missing_sections(doc: Document, m: Material) -> list[Fault]:
    if doc.kind == "discovery" and doc.keys:
        missing = [key for key in _DISCOVERY_KEYS if key not in doc.keys]
        return [
            Fault("section", m.say("fault_section", name=key), m.say("suggest_section", name=key))
            for key in missing
        ]
    found = []
    declared = [each for each in doc.stated.sections if each.required] if doc.stated else []
    names = {each.title: rf"^{re.escape(each.title)}$" for each in declared} or SECTIONS.get(doc.kind, {})
    for name, pattern in names.items():
        rows = [row for row in doc.headings if row[0] > 1 and re.search(pattern, row[1], re.IGNORECASE)]
        if name == "non-functional requirements" and not rows and not _has_limits(doc, m):
            continue
        if not rows:
            found.append(
                Fault("section", m.say("fault_section", name=name), m.say("suggest_section", name=name))
            )
        elif not any(body.strip() for _, _, body in rows) and doc.text.count("```") < 2:
            found.append(Fault("empty", m.say("fault_empty", name=name), m.say("suggest_section", name=name)))
    return found


def _has_limits(doc: Document, m: Material) -> bool:
    if isinstance(doc.content, Requirements):
        return any(item.kind == "nonfunctional" for item in doc.content.items)
    return any(need.kind == "nonfunctional" for need in m.analysis.needs)


def _links(doc: Document, m: Material, workdir: Path | None) -> list[Fault]:
    """Links without target, to a missing heading, or to a file that is missing beside the document."""
    if doc.keys:
        return []  # in JSON nothing is a link: brackets there are words of the request
    prose = _FENCE.sub("", doc.text)
    anchors = {_anchor(heading) for _, heading, _ in doc.headings}
    beside = _folder(doc, workdir)
    dead = []
    for _, target in dict.fromkeys(_LINK.findall(prose)):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE):
            continue
        here = not path and anchor and _anchor(anchor) not in anchors and f'id="{anchor}"' not in doc.text
        lost = beside is not None and _SAME_FOLDER.match(path) and not (beside / path).exists()
        if not target or target == "#" or here or lost or _unknown_id(path, doc, m):
            dead.append(target or "()")
    return [
        Fault("link", m.say("fault_link", target=target), m.say("suggest_link", target=target))
        for target in dict.fromkeys(dead)
    ]


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w一-鿿-]", "", heading.strip().lower().replace(" ", "-"))


def _folder(doc: Document, workdir: Path | None) -> Path | None:
    """The document's folder, when it is there with other files: only then a missing file says something."""
    if workdir is None or not doc.path or doc.path.startswith("/") or ".." in doc.path.split("/"):
        return None
    try:
        folder = (workdir / doc.path).parent
        return folder if folder.is_dir() and sum(1 for _ in folder.iterdir()) > 1 else None
    except (OSError, ValueError):
        return None


def _known_ids(doc: Document, m: Material) -> dict[str, set[str]]:
    """Identifiers by prefix, as far as the models at hand define them; an unknown prefix is not judged."""
    known: dict[str, set[str]] = {}

    def add(prefix: str, ids: list[str]) -> None:
        known.setdefault(prefix, set()).update(ids)

    for model in (
        *(m.facts.get(key) for key in ("brief", "requirements", "architecture", "epics")),
        doc.content,
    ):
        if isinstance(model, Brief):
            add("G", [goal.id for goal in model.goals])
        elif isinstance(model, Requirements):
            add("REQ", [item.id for item in model.items])
            add("NFR", [item.id for item in model.items])
        elif isinstance(model, Architecture):
            add("ADR", [adr.id for adr in model.adrs])
        elif isinstance(model, Declared):
            for section in model.layout:
                add(section.id, [item.id for item in model.items(section)])
        elif isinstance(model, Epics):
            add("EPIC", [epic.id for epic in model.items])
            add("STORY", [story.id for epic in model.items for story in epic.stories])
    return {prefix: ids for prefix, ids in known.items() if any(_ID.fullmatch(one) for one in ids)}


def _is_unknown(found: str, known: dict[str, set[str]]) -> bool:
    prefix = found.partition("-")[0]
    return prefix in known and found not in known[prefix]


def _unknown_id(path: str, doc: Document, m: Material) -> bool:
    match = _ID.search(path.rpartition("/")[2])
    return bool(match) and match is not None and _is_unknown(match[0], _known_ids(doc, m))


def _dangling(doc: Document, m: Material) -> list[Fault]:
    known = _known_ids(doc, m)
    withdrawn = {
        match
        for line in doc.text.splitlines()
        if re.search(r"withdrawn|撤回|作废", line)
        for match in _ID.findall(line)
    }
    given = _given(m)
    wrong = [
        one
        for one in dict.fromkeys(_ID.findall(doc.text))
        if _is_unknown(one, known) and one not in withdrawn and one not in given
    ]
    return [Fault("id", m.say("fault_id", id=one), m.say("suggest_id", id=one)) for one in wrong[:10]]


def _placeholders(doc: Document, m: Material) -> list[Fault]:
    """What the document itself left to be filled in; words that somebody gave it are its subject."""
    prose = "\n".join(doc.paragraphs()) if doc.keys else _shown(_FENCE.sub("", doc.text))
    found = [_plainly(match[0]) for match in _PLACEHOLDER.finditer(prose)]
    given = _plainly(_shown(_given(m))).casefold() if found else ""
    added = [text for text in found if text.casefold() not in given]
    return [
        Fault("placeholder", m.say("fault_placeholder", text=text), m.say("suggest_placeholder", text=text))
        for text in list(dict.fromkeys(added))[:5]
    ]


def _shown(markdown: str) -> str:
    """The text without the escapes that make Markdown show it as it is."""
    return html.unescape(_ESCAPED.sub(r"\1", markdown))


def _plainly(text: str) -> str:
    return " ".join(text.split())


def _given(m: Material) -> str:
    """Everything that people and the repository said: the request, feedback, hand edits, what was explored."""
    codebase = json.dumps(m.facts.get("codebase"), ensure_ascii=False, default=str)
    return "\n".join([m.analysis.text, *m.feedback, *m.remarks, *(m.facts.get("edited") or []), codebase])


def criteria_of(doc: Document) -> list[str]:
    """Acceptance criteria of the content model, else the list items below a heading that names them."""
    if isinstance(doc.content, Requirements):
        rows = [c for item in doc.content.items if item.moscow != "Won't" for c in item.acceptance_criteria]
    elif isinstance(doc.content, Epics):
        rows = [c for epic in doc.content.items for story in epic.stories for c in story.acceptance_criteria]
    else:
        rows = []
    named = re.compile(r"acceptance criteria|验收标准|验收条件", re.IGNORECASE)
    for _, heading, body in doc.headings:
        if named.search(heading):
            rows += body.splitlines()
    rows += [block.text for block in doc.blocks if block.kind == "item" and named.search(block.lead)]
    return list(dict.fromkeys(row for row in rows if row.strip()))


def _criteria(doc: Document, m: Material) -> list[Fault]:
    if doc.kind not in ("requirements", "epics"):
        return []
    weak = [text for text in criteria_of(doc) if not is_testable(text) and len(text) > 3]
    found = [
        Fault("criterion", m.say("fault_criterion", text=text), m.say("suggest_criterion", text=text))
        for text in weak[:5]
    ]
    if isinstance(doc.content, Requirements):
        bare = [
            item
            for item in doc.content.items
            if not item.acceptance_criteria
            and item.moscow in ("Must", "Should")
            and not any(
                text in asked
                for text in (item.title, item.statement.strip(" .。"))
                for asked in doc.content.open_questions
            )
        ]
        found += [
            Fault(
                "no_criteria",
                m.say("fault_no_criteria", id=item.id),
                m.say("suggest_criterion", text=item.title),
            )
            for item in bare[:5]
        ]
    return found


def _carried_on(doc: Document, m: Material) -> list[Fault]:
    """Must requirements that a design or a plan leaves behind, decisions without a choice."""
    given = m.facts.get("requirements")
    musts = [item for item in given.items if item.moscow == "Must"] if isinstance(given, Requirements) else []
    key = {"architecture": "fault_must_component", "epics": "fault_must_story"}.get(doc.kind)
    if not key:
        return []
    lost = [
        item
        for item in musts
        if not re.search(rf"\b{re.escape(item.id)}\b", doc.text) and not _ref(item.id, doc.content)
    ]
    found = [
        Fault(
            "must",
            m.say(key, id=item.id, title=item.title),
            m.say("suggest_carry", text=short(item.statement, 300)),
        )
        for item in lost[:10]
    ]
    if isinstance(doc.content, Architecture):
        single = [adr for adr in doc.content.adrs if len(adr.alternatives) < 2]
        found += [
            Fault(
                "alternatives",
                m.say("fault_alternatives", title=adr.title),
                m.say("fault_alternatives", title=adr.title),
            )
            for adr in single
        ]
    return found


def _ref(identifier: str, content: object) -> bool:
    """Whether the content model refers to it, for texts that were cut before the reference."""
    if isinstance(content, Architecture):
        rows = [
            *(part.requirements for part in content.components),
            *(adr.requirements for adr in content.adrs),
        ]
    elif isinstance(content, Epics):
        rows = [
            refs
            for epic in content.items
            for refs in (epic.requirements, *(story.requirements for story in epic.stories))
        ]
    else:
        rows = []
    return any(identifier in refs for refs in rows)
