"""One perspective's reading of a document: what the lint found in its field, what was lost, what to do next.

Rating: 5 when nothing is found and nothing left to suggest, 4 for notes or a rare warning, 3 for warnings, 2 for an error,
1 for several. A report of a specification that failed gets 3 at most, from quality 2. A thin request lowers no rating.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from orchestrator.domain.model import Gate
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.agents.protocol import AgentRequest
from workers.builtin.advice import advice
from workers.builtin.analysis import Need
from workers.builtin.material import Material
from workers.builtin.phrases import short, strip_end, unique
from workers.documents.content import (
    Brief,
    Content,
    Critique,
    Discovery,
    Requirement,
    Requirements,
    Risk,
    Weakness,
)
from workers.documents.identifiers import items_of
from workers.documents.lexicon import lexicon_of
from workers.documents.lint import Artifact, Finding, artifact_of, findings_of
from workers.documents.lint.comparing import Carriers
from workers.documents.lint.rules import finding

MAX_LISTED = 6
PERSPECTIVES = ("product", "technical", "quality", "risk", "coverage")
_GRADES: dict[str, Literal["high", "medium", "low"]] = {"error": "high", "warning": "medium", "note": "low"}
_SEVERAL = 4  # errors from which a document is as good as not written
_RARE = 0.1  # share of a document's items with a warning that is still a good document
_FIGURE = expression(r"\d[\d.,]*")
_BYLINE = expression(r"[(（](?:task|任务) [A-Z]")  # the line that says who wrote the document


def critique(m: Material, request: AgentRequest) -> Critique:
    doc = artifact_of(m.facts)
    given = m.facts.get("perspective") or {}
    name = str(given.get("name") or request.perspective or "quality").lower()
    focus = given.get("focus") or []
    words = [focus] if isinstance(focus, str) else [str(word) for word in focus]
    if name not in PERSPECTIVES:
        words = [*words, str(given.get("label") or name)]
    m.check()
    failed = _failed(m, doc)
    mine = [*([failed] if failed else []), *_own(_all(m, doc, request), doc, name)]
    m.check()
    lost = uncarried(doc, m) if name == "coverage" and doc.text.strip() else []
    risks = _risks(doc, m) if name == "risk" else []
    unprotected = (
        _unprotected(doc, m)
        if name in ("risk", "technical") and doc.kind in ("requirements", "architecture", "readiness")
        else []
    )
    weaknesses = [
        Weakness(text=m.say("fault_uncarried", text=strip_end(need.text)), severity="high")
        for need in lost[:MAX_LISTED]
    ]
    weaknesses += [
        Weakness(text=short(one.text, 600), severity=_GRADES[one.severity]) for one in _first(mine)
    ]
    weaknesses += [Weakness(text=text, severity="medium") for text in unprotected]
    steps = unique(
        [
            *(m.say("suggest_carry", text=need.text) for need in lost),
            *(
                short(f"{one.fix} ({one.place})" if one.place not in one.fix else one.fix, 600)
                for one in mine
            ),
        ]
    )
    steps += [text for text in advice(doc, m, name) if text not in steps][: None if not steps else 1]
    untestable = [one.about for one in mine if one.rule in ("untestable", "template_criterion")]
    sound = not mine and not steps
    return Critique(
        rating=5 if sound and not unprotected else _rating(mine, lost, unprotected, _size(doc, m), name),
        strengths=[] if failed else _strengths(doc, m, name, words)[:4],
        weaknesses=weaknesses,
        suggestions=steps[:MAX_LISTED],
        missing_requirements=unique(need.quote for need in lost) if name == "coverage" else [],
        risk_level=_level(mine, unprotected, risks) if name == "risk" else None,
        risks=risks,
        testability_issues=unique(untestable)[:MAX_LISTED] if name == "quality" else [],
        open_questions=list(m.analysis.questions)[:4],
        assumptions=[],
    )


def _all(m: Material, doc: Artifact, request: AgentRequest) -> Sequence[Finding]:
    """The findings in every document: of the round where it told them, else found here."""
    known = m.facts.get("findings")
    if known is not None:
        return tuple(known)
    workdir = request.workdir if str(request.workdir) not in ("", ".") else None
    return findings_of(m.facts, workdir)


def _own(found: Sequence[Finding], doc: Artifact, name: str) -> list[Finding]:
    """Those that a perspective answers for: in this document, of a report in all that it reports on."""
    kind = doc.stated.kind if doc.stated else "document"
    whole = doc.stated is None or doc.stated.is_report
    return [
        one
        for one in found
        if (whole or one.document == kind) and (name in one.concerns or name not in PERSPECTIVES)
    ]


def _first(mine: list[Finding]) -> list[Finding]:
    """The findings that are named one by one: the gravest, of each rule some."""
    ranked = sorted(enumerate(mine), key=lambda row: _RANKS.index(row[1].severity))
    seen: dict[str, int] = {}
    kept = []
    for _, one in ranked:
        seen[one.rule] = seen.get(one.rule, 0) + 1
        if seen[one.rule] <= 2 or one.severity == "error":
            kept.append(one)
    return kept[: 2 * MAX_LISTED]


_RANKS = tuple(_GRADES)


def _failed(m: Material, doc: Artifact) -> Finding | None:
    """That the specification failed, as a report says: nothing about it is praised then."""
    gate = m.facts.get("gate") or {}
    if gate.get("gate") != Gate.FAIL:
        return None
    parts = (gate.get("data") or {}).get("dimensions") or {}
    weakest = min(parts, key=lambda key: parts[key]["score"], default="")
    score = f"{gate.get('score')} %"
    return finding("gate_failed", "readiness", "readiness", score, language=m.lex.language, other=weakest)


def _size(doc: Artifact, m: Material) -> int:
    """How many things a document says: the more, the more rare a warning is."""
    contents = [doc.content, *(m.facts.get(key) for key in ("requirements", "epics"))]
    whole = doc.stated is not None and doc.stated.is_report
    sizes = [len(items_of(found)) for found in contents[: None if whole else 1] if isinstance(found, Content)]
    return sum(sizes)


def _rating(mine: list[Finding], lost: list[Need], unprotected: list[str], size: int, name: str) -> int:
    failed = any(one.rule == "gate_failed" for one in mine)
    errors = [one for one in mine if one.severity == "error" and one.rule != "gate_failed"]
    warned = len({one.place for one in mine if one.severity == "warning"}) + len(unprotected)
    grave = len(errors) + len(lost)
    if grave >= _SEVERAL or any(one.rule in ("empty_document", "foreign") for one in errors):
        return 1
    if grave or (failed and name == "quality"):
        return 2
    if failed or warned > max(1, _RARE * size) or unprotected:
        return 3
    return 4


def uncarried(doc: Artifact, m: Material) -> list[Need]:
    """Sentences of the request (and of another agent's discovery) that no passage of the document carries."""
    carriers = Carriers(_passages(doc, m))
    wanted = [need for need in _wanted(m, doc) if not carriers.carry(strip_end(need.text))]
    brief = m.given(Brief)
    same = (
        _without_figures if m.facts.get("said") else str
    )  # people may have given a limit another figure since
    limits = {same(row.text) for row in brief.constraints} if brief else set()
    return [
        need
        for need in wanted
        if not _by_id(need, doc, m) and not (need.kind == "constraint" and same(need.text) in limits)
    ]


def _without_figures(text: str) -> str:
    return str(_FIGURE.sub("#", strip_end(text)))


def _by_id(need: Need, doc: Artifact, m: Material) -> bool:
    """In a later document the identifier of the requirement that carries the sentence stands for it."""
    given = m.given(Requirements)
    if doc.kind not in ("architecture", "epics", "readiness") or given is None:
        return False
    items = [
        item for item in given.items if need.text in (item.statement, item.quote) or need.quote == item.quote
    ]
    return any(doc.kind == "readiness" or item.id in doc.text for item in items)


def _passages(doc: Artifact, m: Material) -> list[str]:
    """Where a sentence can be carried. A summary or a table of things that only mentions it does not count."""
    if isinstance(doc.content, Requirements):
        said = [
            line
            for item in _present(doc, doc.content)
            for line in (item.statement, item.quote, *item.acceptance_criteria)
        ]
        brief = m.given(Brief)
        ruled_out = [row.text for row in brief.out_of_scope] if brief else []
        return unique([*said, *ruled_out])
    if isinstance(doc.content, Brief):
        goals = [" ".join((goal.text, goal.metric, goal.target)) for goal in doc.content.goals]
        return [*goals, *doc.paragraphs()]
    lines = doc.paragraphs() + [heading for _, heading, _ in doc.headings]
    if doc.kind in ("readiness", "") or not lines:  # a report speaks of documents; they carry the sentences
        given, brief = m.given(Requirements), m.given(Brief)
        lines += [item.statement for item in given.items] if given else []
        lines += [row.text for row in (*brief.in_scope, *brief.out_of_scope)] if brief else []
    pairs = [f"{one} {two}" for one, two in pairwise(lines)]
    return [*lines, *pairs] if len(lines) < 3_000 else lines


def _present(doc: Artifact, content: Requirements) -> list[Requirement]:
    """Items that stand in the text; where it is an index alone or was cut, those it names."""
    text = "\n".join(doc.paragraphs())
    said = [item for item in content.items if strip_end(item.statement) in text]
    if content.items and content.items[-1] in said and len(said) * 2 >= len(content.items):
        return said
    return [item for item in content.items if item.id in doc.text]


def _wanted(m: Material, doc: Artifact) -> list[Need]:
    """What the document has to carry, as the catalogue says: of the discovery; where there is none, of the request."""
    needs = [need for need in m.analysis.needs if not need.part]
    goals = [Need(goal.text, goal.text, "goal", "Must") for goal in m.analysis.goals]
    if found := m.given(Discovery):
        known = {need.text: need for need in needs}
        needs = [
            known.get(row.text) or Need(row.text, row.text, row.kind, row.moscow)
            for row in found.requirements
        ]
        said = {need.text for need in needs}
        needs += [Need(text, text, "exclusion", "Won't") for text in found.exclusions if text not in said]
        goals = [Need(goal.text, goal.text, "goal", "Must") for goal in found.goals]
    carries = doc.stated.carries if doc.stated else ()
    if not carries:
        return needs
    kinds = {"goals": "goal", "exclusions": "exclusion"}
    return [
        need
        for need in (*goals, *needs)
        if any(
            kinds.get(name) == need.kind or (name == need.moscow and need.kind != "goal") for name in carries
        )
    ]


def _unprotected(doc: Artifact, m: Material) -> list[str]:
    """Personal data is spoken of in the request, yet nothing in the document protects it."""
    lex = m.lex
    personal = next(
        (need for need in m.analysis.needs if lexicon_of(need.text).find("personal", need.text)), None
    )
    if personal is None:
        return []
    security = [pattern for category, pattern in lex.categories if category == "S"]
    return (
        []
        if any(pattern.search(doc.text) for pattern in security)
        else [m.say("fault_personal", text=short(personal.text, 300))]
    )


def _risks(doc: Artifact, m: Material) -> list[Risk]:
    rows = [("external", strip_end(text), "medium") for text in m.analysis.dependencies[:3]]
    rows += [("personal", strip_end(text), "medium") for text in m.personal()[:1]]
    rows += [
        ("limit", strip_end(need.text), "medium") for need in m.analysis.needs if need.category in ("P", "SC")
    ][:2]
    rows += [("open", text, "low") for text in m.analysis.questions[:2]]
    if not rows:
        rows = [("scope", "", "low")]
    return [
        Risk(
            description=m.say(f"risk_{key}", text=short(text, 400), title=m.analysis.title),
            likelihood="low" if grade == "low" else "medium",
            impact="medium",
            mitigation=m.say(f"risk_{key}_mitigation"),
        )
        for key, text, grade in rows
    ]


def _level(
    mine: list[Finding], unprotected: list[str], risks: list[Risk]
) -> Literal["low", "medium", "high"]:
    """High only for a fault of the document; what the request leaves open is at most medium."""
    if unprotected:
        return "high"
    faulty = any(one.severity == "error" for one in mine)
    return "medium" if faulty or any(risk.likelihood == "medium" for risk in risks) else "low"


def _strengths(doc: Artifact, m: Material, name: str, focus: list[str]) -> list[str]:
    """What this document carries and asks, with its words as evidence; a perspective of a pack looks at its focus first."""
    lines = [text for text in doc.paragraphs() if not _BYLINE.search(text)]
    whole = "\n".join(lines)
    found = [] if name in PERSPECTIVES else _on_focus(lines, focus, m)
    order = PERSPECTIVES.index(name) if name in PERSPECTIVES else 0
    kept = [need for need in m.analysis.needs if strip_end(need.text) in whole]
    asked = [text for text in lines if text.endswith(("?", "？")) and m.say("stack_open") not in text]
    own = [text for text in asked if text in m.analysis.questions] or [
        text for text in asked if text in _asked(m, doc)
    ]
    if own:
        found.append(m.say("strength_open", text=short(own[order % len(own)], 240)))
    if kept:
        found.insert(
            0 if name == "coverage" else len(found), m.say("strength_carried", text=short(kept[0].text, 200))
        )
    if not found and lines:
        shared = [word for word in m.things() if word.lower() in whole.lower()]
        found.append(m.say("strength_read", words=m.lex.join(shared[:4] or [short(lines[0], 80)])))
    return found


def _asked(m: Material, doc: Artifact) -> set[str]:
    """Open questions of this document and of those before it."""
    models = [doc.content, *(m.facts.get(key) for key in ("discovery", "brief", "requirements"))]
    return {text for model in models for text in getattr(model, "open_questions", [])}


def _on_focus(lines: list[str], focus: list[str], m: Material) -> list[str]:
    found = []
    for word in focus:
        wanted = keywords(word)
        line = max(lines, key=lambda text: len(wanted & keywords(text)), default="")
        if wanted and len(wanted & keywords(line)) * 2 > len(wanted):
            found.append(m.say("strength_focus", focus=word, text=short(line, 200)))
    return found
