"""Specifications spoilt on purpose, scored and criticised as in a session: what honest judging has to notice."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any

from orchestrator.config import load_pack
from orchestrator.domain.quality import Score
from orchestrator.domain.text import is_cjk
from tests.unit.builtin_chain import ask, chain
from workers.documents.assess import assess
from workers.documents.content import Goal
from workers.documents.fates import book
from workers.documents.frame import RenderContext
from workers.documents.identifiers import Registered, items_of
from workers.documents.lint import Finding, findings_of, sources_of
from workers.documents.render import render
from workers.roles.reviewer import stated

KINDS = ("brief", "requirements", "architecture", "epics")
PACK = load_pack(None, {})
Facts = dict[str, Any]
_KEPT = frozenset(
    "id goals requirements adrs depends_on kind category moscow source size mvp open_questions".split()  # noqa: SIM905
)
_ID = re.compile(r"[A-Z]+(?:-[A-Z]+)?-\d{3}(?:-\d{3})?")


def specified(request: str) -> Facts:
    """The documents that the built-in agent makes of a request, with its ledger."""
    facts = chain(request)
    booked = book(request, facts["discovery"])
    return {**facts, "discovery": booked.discovery, "ledger": booked.ledger}


def files_of(facts: Facts) -> dict[str, bytes]:
    """The documents as files, as they lie in a session's directory."""
    known = {
        kind: Registered(
            content=facts[kind], files={item.id: f"{item.id}.md" for item in items_of(facts[kind])}
        )
        for kind in ("discovery", *KINDS)
    }
    files: dict[str, bytes] = {}
    for kind in KINDS:
        context = RenderContext(
            session_id="TLS-x-2026-01-01",
            title=facts["discovery"].title,
            phase="spec",
            status="draft",
            generated_at="2026-01-01T00:00:00Z",
            version=1,
            agent="told",
            task="DRAFT-001",
            language=facts["language"],
            documents=known,
            facts={},
        )
        files |= render(kind, known[kind], context)
    return files


def scored(facts: Facts, files: Mapping[str, bytes] | None = None) -> Score:
    """The score of the documents, or of their files as somebody left them."""
    found = files_of(facts) if files is None else files
    asked = stated(facts["request"], facts["language"], facts["discovery"], facts.get("ledger"))
    return assess(found, found, asked, PACK.gates, PACK.documents, sources=sources_of(facts))


def critiques(facts: Facts, kind: str) -> dict[str, Any]:
    """What the built-in critic says of a document from the perspectives of its round."""
    document = PACK.documents[kind]
    around = next(each for each in PACK.rounds.values() if each.artifact == document.path)
    pages = [
        body.decode()
        for path, body in files_of(facts).items()
        if document.owns(path) and path.endswith(".md")
    ]
    known = {
        **facts,
        "artifact": "\n\n".join(pages),
        "artifact_path": document.path,
        "artifact_content": facts[kind],
        "document": document,
        **dict.fromkeys(KINDS[KINDS.index(kind) + 1 :]),
    }
    findings: tuple[Finding, ...] = findings_of(known)
    return {
        name: ask("critique", **known, findings=findings, perspective={"name": name})
        for name in around.perspectives
    }


def names(found: Mapping[str, Any], *seeded: str) -> bool:
    """Whether some critique names one of the seeded texts, as far as it repeats it."""
    told = " ".join(
        text
        for critique in found.values()
        for text in (*(weakness.text for weakness in critique.weaknesses), *critique.missing_requirements)
    )
    plain = " ".join(told.split()).casefold()
    return any(" ".join(text.split()).casefold()[:40] in plain for text in seeded)


def nonsense(facts: Facts) -> tuple[Facts, str, list[str]]:
    """Every word of every document another one, identifiers kept."""
    spoilt = {
        kind: type(facts[kind]).model_validate(_scrambled(facts[kind].model_dump(mode="json")))
        for kind in KINDS
    }
    items = spoilt["requirements"].items
    said = [row.text for row in facts["discovery"].requirements]
    return {**facts, **spoilt}, "requirements", [*(item.statement for item in items), *said]


def _scrambled(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _scrambled(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return (
            value if key in _KEPT and key != "open_questions" else [_scrambled(inner, key) for inner in value]
        )
    return scrambled(value) if isinstance(value, str) and key not in _KEPT else value


def scrambled(text: str) -> str:
    """Words of the same length that mean nothing; numbers and identifiers stay."""

    def other(found: re.Match[str]) -> str:
        word = found[0]
        if _ID.fullmatch(word) or word.isdigit():
            return word
        digest = hashlib.sha256(word.lower().encode()).digest()
        if is_cjk(word):
            return "".join(chr(0x4E00 + 7 * digest[at % 32] + at) for at in range(len(word)))
        made = "".join("bcdfghjklmnpqrstvwxz"[digest[at % 32] % 20] for at in range(len(word)))
        return made.capitalize() if word[0].isupper() else made

    return re.sub(r"[A-Z]+(?:-[A-Z]+)?-\d{3}(?:-\d{3})?|\w+", other, text)


def half_dropped(facts: Facts) -> tuple[Facts, str, list[str]]:
    """Every second requirement left out."""
    items = facts["requirements"].items
    left = facts["requirements"].model_copy(update={"items": items[::2]})
    return (
        {**facts, "requirements": left},
        "requirements",
        [text for item in items[1::2] for text in (item.statement, item.quote)],
    )


def negated(facts: Facts) -> tuple[Facts, str, list[str]]:
    """Every criterion turned into its opposite."""
    items = [
        item.model_copy(update={"acceptance_criteria": [opposite(text) for text in item.acceptance_criteria]})
        for item in facts["requirements"].items
    ]
    spoilt = facts["requirements"].model_copy(update={"items": items})
    turned = [text for item in items for text in item.acceptance_criteria]
    called = ["only say what does not happen", "只写不发生什么"]
    return (
        {**facts, "requirements": spoilt},
        "requirements",
        [*turned, *called],
    )


def opposite(text: str) -> str:
    """The opposite of a criterion."""
    if is_cjk(text):
        return re.sub(r"(那么|则)", r"\1并非", text) if re.search(r"那么|则", text) else f"并非{text}"
    for found, instead in (
        (r"\bthen\b", "then it is not so that"),
        (r"\bis\b", "is not"),
        (r"\bare\b", "are not"),
    ):
        if re.search(found, text):
            return re.sub(found, instead, text, count=1)
    return f"It is not true that {text}"


def headers(facts: Facts) -> tuple[Facts, str, list[str]]:
    """Headers of a table as goals."""
    texts = (
        ("目标", "指标", "目标值") if facts["language"] == "zh" else ("Goal", "Description", "Target Metric")
    )
    goals = [Goal(id=f"G-{at:03d}", text=text, source="stated") for at, text in enumerate(texts, 1)]
    return (
        {**facts, "brief": facts["brief"].model_copy(update={"goals": goals})},
        "brief",
        [f": {text}" if facts["language"] != "zh" else text for text in texts],
    )


def non_goal(facts: Facts) -> tuple[Facts, str, list[str]]:
    """What the request rules out as a goal of its own."""
    text = facts["discovery"].exclusions[0]
    brief = facts["brief"]
    added = Goal(id=f"G-{len(brief.goals) + 1:03d}", text=text, metric="share", source="stated")
    return {**facts, "brief": brief.model_copy(update={"goals": [*brief.goals, added]})}, "brief", [text]


CORRUPTIONS: dict[str, Callable[[Facts], tuple[Facts, str, list[str]]]] = {
    "nonsense": nonsense,
    "half dropped": half_dropped,
    "criteria negated": negated,
    "headers as goals": headers,
    "non-goal as goal": non_goal,
}
