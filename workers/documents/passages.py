"""What each block of a request is there for: its role by headings, labels and columns, its own id, priority and release.

A role that a heading, a label or a column gives beats what a sentence sounds like: a risk stays a risk with `must` in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workers.documents.outline import Block, outline
from workers.documents.reading_words import (
    attribute_of,
    column_of,
    is_done,
    is_greeting,
    label_role,
    priority_of,
    release_of,
    role_of,
)

_LABEL = re.compile(
    r"^(\**)([^:：,，。.;；!?\n]{1,48}?)\s*(?:\1\s*[:：]|[:：]\s*\1(?=\s|[^\x00-\x7f]|$))\s*(.*)$", re.DOTALL
)
_ID = re.compile(
    r"^\**(?:\[?((?:[A-Z]{1,6}-?){1,2}\d{1,4}(?:\.\d{1,3}){0,3})\]?)\**\s*(?:[:：.)]|[-–—](?=\s)|(?=\s))\**\s*(?=\S)"
)
_TITLED = re.compile(
    r"^(?:feature|requirement|user story|story|use case|epic|persona|user|actor|功能|需求|用户故事|用户画像|角色)\s*#?\d+(?:\.\d+)*\s*[:：.–—-]\s*",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^\s*(?:[（(]?\d{1,2}[)）、]|\d{1,2}\.(?!\d)|[一二三四五六七八九十]{1,3}、)\s*")
_CHAPTER = re.compile(r"^\s*(?:\d{1,2}(?:\.\d{1,2})*[.)]?(?=\s)|[一二三四五六七八九十]{1,3}、)\s*")
_TAG = re.compile(r"\s*[(（\[【]\s*([^()（）\[\]【】]{1,24})\s*[)）\]】]\s*[.。]?$")
_LEAD_TAG = re.compile(r"^[(（\[【]\s*([^()（）\[\]【】]{1,24})\s*[)）\]】]\s*")
_CROSS = re.compile(r"^[❌✗✘🚫]\s*")
_TICK = re.compile(r"^[✅✓✔☑]️?\s*")
_GIVEN = re.compile(
    r"^(?:\**(?:given|when|then|and then|gegeben|wenn|dann|étant donné|quand|alors|dado|cuando|entonces)\b|假如|假设|当.{1,40}时|给定|AC[- ]?\d)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^[\"“„«「][^\"”“»」]{12,}[\"”“»」][.。]?\s*(?:[(（—–-].{0,80})?$")
_CONVENTION = re.compile(r"^the key ?words\b.{0,200}\bMUST\b", re.IGNORECASE)
_INLINE = re.compile(r"(?:(?<=[.;；。!?])\s*|\s+[-–—|→]\s*|\s*[(（])([A-Za-zÀ-ÿ一-鿿 ]{2,20})[:：]\s*")
_BESIDE = frozenset(
    {"id", "priority", "status", "aside", "likelihood", "impact"}
)  # columns beside the statement
_MEASURING = frozenset({"metric", "target", "baseline", "mitigation", "priority"})
_LEGEND = re.compile(r"^(?:legend|key|图例|legende|légende|leyenda|凡例)\s*[:：]\s*", re.IGNORECASE)
_SYMBOL = re.compile(r"([^\w\s,;:()/|、，；.-]+)️?\s*=?\s*([^,;|/、，；]+)")
_DROPPED = re.compile(r"^~~.+?~~\s*\S")
_ROLE_HEADERS = re.compile(
    r"^\W*(?:user )?(?:role|type|who|角色|用户类型|rolle|rôle|rol|役割)", re.IGNORECASE
)
_TEMPLATE = re.compile(
    r"^\s*(?:[^<>]{0,60}[:：]\s*)?(?:<[^<>]{2,80}>|\[[^\[\]]{2,80}\](?!\()|\{\{?[^{}]{2,80}\}\}?|\.{3}|…|tbd|n/a)\s*[.:]?$",
    re.IGNORECASE,
)
ASKED = frozenset({"requirement", "use_case", "nonfunctional"})
SKIPPED: Mapping[str, str] = {  # role -> why the text is not carried
    "contents": "table of contents",
    "glossary": "explains a term",
    "meta": "about the document itself",
    "example": "an example",
    "aside": "about the document itself",
    "greeting": "a greeting",
    "template": "a placeholder that was left",
    "quotation": "quoted talk",
}
_TURNS = frozenset(
    {"non_goal", "risk", "question", "acceptance", "mitigation"}
)  # labels that count within any section
_OF_REQUESTS = ASKED | {"goal", "metric", "non_goal", "acceptance", "risk", "question", "user", "constraint"}
_BEATEN = frozenset(
    {"non_goal", "done", "glossary", "meta", "contents", "risk", "question", "problem", "plan", "acceptance"}
)


@dataclass(frozen=True, slots=True)
class Passage:
    """One block with what it is there for."""

    block: Block
    text: str  # its words, without the label, id or mark in front
    role: str = ""
    label: str = ""
    id: str = ""  # its own: FR-3
    title: str = ""  # its short name, from a column or heading
    priority: str = ""  # Must, Should, Could, Won't, as its author gave it
    release: str = ""
    parent: str = ""  # id of the block of the statement it belongs to
    opens: bool = False  # it only introduces what follows
    values: Mapping[str, str] = field(
        default_factory=dict
    )  # of a row, by what its column holds; of an item, its attributes


@dataclass(slots=True)
class _Heading:
    level: int
    block: Block
    role: str
    priority: str
    release: str
    feature: str  # the block of the statement that what stands below belongs to


def passages(text: str) -> tuple[Passage, ...]:
    """The passages of a text in order, one for each block."""
    found = list(_Roles(outline(text)).read())
    given = _attributes(found)
    headings = {passage.block.id for passage in found if passage.block.kind == "heading"}
    return tuple(_with_attributes(passage, given, headings) if given else passage for passage in found)


def _attributes(found: Sequence[Passage]) -> dict[str, dict[str, str]]:
    """What lines such as `Priority: high` or `Target: 5 %` say, by the block of the statement they describe."""
    given: dict[str, dict[str, str]] = {}
    last: Passage | None = None
    for passage in found:
        if passage.role != "attribute":
            last = passage if passage.block.kind != "heading" or passage.role else None
            continue
        near = last.block.id if last and last.block.section[:1] == passage.block.section[:1] else ""
        if passage.parent or near:
            given.setdefault(passage.parent or near, {}).update(passage.values)
    return given


def _with_attributes(passage: Passage, given: Mapping[str, dict[str, str]], headings: set[str]) -> Passage:
    of_heading = given.get(passage.parent, {}) if passage.parent in headings else {}
    values = {**of_heading, **given.get(passage.block.id, {}), **passage.values}
    if values == passage.values or passage.role == "attribute":
        return passage
    return replace(
        passage,
        values=values,
        priority=priority_of(values.get("priority", "")) or passage.priority,
        release=values.get("release") or passage.release,
        role="done"
        if is_done(values.get("status", "")) and passage.role in ASKED | {"goal"}
        else passage.role,
    )


class _Roles:
    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = blocks
        self.headings: list[_Heading] = []
        self.found: dict[str, Passage] = {}
        self.children = {block.parent for block in blocks if block.parent and block.kind == "item"}
        levels = [block.level for block in blocks if block.kind == "heading"]
        self.title_level = levels[0] if levels and levels.count(levels[0]) == 1 and len(levels) > 1 else 0
        roles = {role_of(block.text) for block in blocks if block.kind == "heading"}
        self.planned = not roles & ASKED  # the plan is all that says what is wanted
        self.explains = len(roles & _OF_REQUESTS) < 2  # it may be a manual
        self.by_id: dict[str, str] = {}  # own id of a statement -> its block
        self.leads = {block.lead for block in blocks if block.lead}
        self.legend: dict[str, str] = {}  # a symbol -> the priority it stands for

    def read(self) -> Iterator[Passage]:
        for block in self.blocks:
            passage = self._heading(block) if block.kind == "heading" else self._passage(block)
            if passage.id and passage.role in ASKED:
                self.by_id.setdefault(passage.id, block.id)
            self.found[block.id] = passage
            yield passage

    def _heading(self, block: Block) -> Passage:
        self.headings = [heading for heading in self.headings if heading.level < block.level]
        above = self.headings[-1] if self.headings else None
        identified = _ID.match(block.text) or _TITLED.match(block.text)
        titled = identified is not None or (block.level == self.title_level and block is self._first())
        role = "" if titled else role_of(block.text)
        given, release = priority_of(block.text), release_of(block.text)
        if not role and not above and given:
            role = "requirement"
        if (role == "plan" and self.planned) or (role == "instructions" and not self.explains):
            role = ""
        inherited = role or (above.role if above else "")
        feature = (
            not role
            and (inherited in ASKED or inherited == "user" or bool(identified))
            and not (given and not identified and len(block.text) < 20)
        )
        if not inherited and identified:
            inherited = "requirement"
        if not role and release and self.planned and not inherited:
            inherited = "requirement"
        words = block.text[identified.end() :] if identified else _CHAPTER.sub("", block.text)
        name = (identified[1] if identified and identified.re is _ID else "") or ""
        known = self.by_id.get(name, "")
        self.headings.append(
            _Heading(
                block.level,
                block,
                inherited,
                given or (above.priority if above else ""),
                release or (above.release if above else ""),
                known or block.id if feature or known else "",
            )
        )
        role = inherited if feature and not known else ""
        return Passage(block, words, role, id=name, priority=given, release=release, opens=True)

    def _first(self) -> Block | None:
        return next((block for block in self.blocks if block.kind == "heading"), None)

    def _passage(self, block: Block) -> Passage:
        here = self.headings[-1] if self.headings else None
        base = Passage(
            block,
            block.text,
            here.role if here else "",
            priority=here.priority if here else "",
            release=here.release if here else "",
            parent=here.feature if here else "",
        )
        if block.kind in ("code", "front", "message"):
            return replace(base, role=block.kind)
        if block.lead and block.lead.rstrip().endswith((":", "：")):
            base = self._led(base, block.lead)
        above = self.found.get(block.parent)
        if above is not None:
            base = self._nested(base, above)
        if block.kind == "row":
            return _row(base)
        return self._item(base, above)

    def _led(self, base: Passage, lead: str) -> Passage:
        label = lead.rstrip().rstrip(":：")
        role = role_of(label) if len(label.split()) <= 8 else ""
        given = priority_of(label)
        return replace(base, role=role or base.role, priority=given or base.priority)

    def _nested(self, base: Passage, above: Passage) -> Passage:
        if above.opens:
            role = above.role or base.role
            parent = above.parent
        else:
            role = (
                "acceptance" if above.role in ASKED and _GIVEN.match(base.text) else above.role or base.role
            )
            role = "mitigation" if role == "risk" else role
            parent = above.block.id
        return replace(
            base,
            role=role,
            parent=parent,
            priority=above.priority or base.priority,
            release=above.release or base.release,
        )

    def _item(self, base: Passage, above: Passage | None) -> Passage:
        text, role, values = base.text, base.role, dict(base.values)
        done = base.block.done
        skipped = self._beside(text)
        if skipped:
            return replace(base, role=skipped)
        for symbol, given in self.legend.items():
            if text.startswith(symbol):
                text, base = text.removeprefix(symbol).lstrip("\ufe0f "), replace(base, priority=given)
        if _DROPPED.match(text):
            role = "non_goal"
        if _CROSS.match(text):
            text, role = _CROSS.sub("", text), "non_goal"
        text = _TICK.sub("", text)
        text = _NUMBERED.sub("", text)
        base = _identified(replace(base, text=text, role=role))
        base = _labelled(_inline(base), within=above is not None or bool(base.parent))
        base = _tagged(base)
        if base.role == "acceptance" and base.id in self.by_id:
            base = replace(base, parent=self.by_id[base.id], opens=base.block.id in self.children)
        if done:
            base = replace(base, role="done")
        elif done is False and not base.role:
            base = replace(base, role="requirement")
        if base.block.id in self.children and base.role != "user" and not base.values and not base.opens:
            base = replace(base, opens=_introduces(base.text))
        if (
            base.block.kind == "paragraph"
            and base.block.text in self.leads
            and base.text.rstrip().endswith((":", "：", "："))
        ):
            base = replace(base, opens=True)
        if base.role == "acceptance" and not base.parent and not base.opens:
            base = replace(base, parent=self._accepted(base.block))
        return replace(base, values={**base.values, **values})

    def _beside(self, text: str) -> str:
        """The role of words that are no statement: a greeting, quoted talk, a placeholder, a legend."""
        if _LEGEND.match(text):
            pairs = _SYMBOL.findall(_LEGEND.sub("", text))
            self.legend |= {symbol: given for symbol, said in pairs if (given := priority_of(said))}
            return "meta" if self.legend else ""
        rows = ((_TEMPLATE, "template"), (_QUOTED, "quotation"), (_CONVENTION, "meta"))
        return next(
            (role for pattern, role in rows if pattern.match(text)), "greeting" if is_greeting(text) else ""
        )

    def _accepted(self, block: Block) -> str:
        """The statement that a criterion without one of its own belongs to: the last one above it in its part of the text."""
        around = [heading for heading in self.headings if heading.role not in ("acceptance", "mitigation")]
        inner = around[-1].block if around else None
        for passage in reversed(self.found.values()):
            if inner is not None and passage.block.id == inner.id:
                return around[-1].feature
            if (
                passage.role in ASKED
                and not passage.opens
                and (inner is None or inner.text in passage.block.section)
            ):
                same = block.section[-1:] == passage.block.section[-1:]
                return passage.block.id if same or len(around) > 1 else ""
        return ""


def _identified(base: Passage) -> Passage:
    found = _ID.match(base.text)
    if not found or (
        not base.text[found.end() - 1 : found.end()].strip(" ")
        and not base.text[: found.end()].rstrip().endswith((":", "：", ".", ")", "]", "*", "-", "–", "—"))
        and base.role not in ASKED | {"acceptance"}
    ):
        return base
    return replace(base, id=found[1], text=base.text[found.end() :])


def _inline(base: Passage) -> Passage:
    """Takes off what follows a statement in its own line: `... Metric: share of bills. Target: 5 %`."""
    found = [match for match in _INLINE.finditer(base.text) if attribute_of(match[1]) in _MEASURING]
    if not found or base.role not in ("goal", "metric", "risk", *ASKED):
        return base
    ends = [match.start() for match in found[1:]] + [len(base.text)]
    values = {
        attribute_of(m[1]): base.text[m.end() : end].strip(" .;。；")
        for m, end in zip(found, ends, strict=True)
    }
    return replace(base, text=base.text[: found[0].start()].strip(), values=values)


def _labelled(base: Passage, *, within: bool) -> Passage:
    """Takes off a label that says what follows: `Open question: ...`, `Priority: high`, `Mitigation: ...`."""
    found = _LABEL.match(base.text)
    if not found or len(found[2].split()) > 6:
        return base
    label, rest = found[2].strip(" *"), found[3]
    attribute = attribute_of(label)
    item = base.block.kind == "item"
    if attribute and (
        within or attribute in ("aside", "status", "priority") or base.role in ("goal", "metric", "risk")
    ):
        if attribute == "criterion":
            return replace(base, role="acceptance", label=label, text=rest, opens=not rest)
        if attribute == "mitigation":
            return replace(base, role="mitigation", label=label, text=rest, opens=not rest)
        if attribute == "description" and rest:
            return replace(base, label=label, text=rest)
        if rest:
            return replace(
                base,
                role="aside" if attribute == "aside" else "attribute",
                label=label,
                text=rest,
                values={attribute: rest},
            )
    role = label_role(label)
    if role and role == base.role and rest:
        return replace(base, label=label, text=rest)
    if not role or (rest and item and base.role not in ("", "background") and role not in _TURNS):
        return base
    return replace(base, role=role, label=label, text=rest or base.text, opens=not rest)


def _tagged(base: Passage) -> Passage:
    """Takes off `(P1)` or `[must]` beside a text."""
    for pattern in (_TAG, _LEAD_TAG):
        found = pattern.search(base.text)
        given = priority_of(found[1]) if found and len(found[1]) <= 20 else ""
        if found and given and len(base.text) > len(found[0]):
            left = base.text[: found.start()] + base.text[found.end() :]
            return replace(base, text=left.strip(), priority=given)
        if found and is_done(found[1]):
            return replace(
                base, role="done", text=(base.text[: found.start()] + base.text[found.end() :]).strip()
            )
    return base


def _introduces(text: str) -> bool:
    """Whether an item with items below it says nothing by itself."""
    return text.rstrip("* ").endswith((":", "：")) or (
        len(text.split()) <= 3 and not re.search(r"[.。!?]$", text.strip()) and len(text) < 30
    )


def _row(base: Passage) -> Passage:
    """A row by what its columns hold; it is what its table is about."""
    values: dict[str, str] = {}
    for header, cell in base.block.cells:
        kind = column_of(header)
        if kind and cell and (kind not in values or (kind == "user" and _ROLE_HEADERS.match(header))):
            values[kind] = cell.strip()
    kinds = {column_of(header) for header, _ in base.block.cells} - {""}
    role, main = _table_role(kinds, base.role)
    if values.get("goal") and "target" not in kinds and "metric" in kinds and role == "metric":
        values["target"] = values.pop("goal")
    metric, colon, target = (
        re.split(r"([:：])\s*", values.get("target", ""), maxsplit=1)
        if re.search(r"[:：]\s*\S", values.get("target", ""))
        else ("", "", "")
    )
    if colon and not re.search(r"\d", metric):
        values["metric"], values["target"] = values.get("metric") or metric, target
    text, title = _said(base, values, main, role)
    given = priority_of(values.get("priority", "")) or base.priority
    finished = is_done(values.get("status", "")) and role in ASKED | {"goal", "plan", ""}
    if role == "done" and values.get("status") and not is_done(values["status"]):
        role = "requirement"
    return replace(
        base,
        text=text,
        title=title,
        role="done" if finished else role,
        id=values.get("id", ""),
        priority=given,
        release=release_of(values.get("release", "")) or values.get("release", "") or base.release,
        values=values,
    )


def _table_role(kinds: set[str], section: str) -> tuple[str, str]:
    """(role of the rows, the column that makes the statement)."""
    if section in _BEATEN:
        main = {"risk": "risk", "question": "question", "acceptance": "criterion"}.get(section, "")
        return section, main if main in kinds else ""
    for kind, role in (
        ("risk", "risk"),
        ("question", "question"),
        ("in_scope", "requirement"),
        ("non_goal", "non_goal"),
        ("term", "glossary"),
    ):
        if kind in kinds:
            return role, kind
    if section in ASKED and "user" in kinds and not kinds & {"needs", "purpose", "requirement", "goal"}:
        return section, ""
    if ("user" in kinds and not kinds & {"goal", "requirement", "purpose"}) or (
        section == "user" and "user" in kinds
    ):
        return ("use_case", "needs") if {"needs", "purpose"} <= kinds else ("user", "user")
    if "user" in kinds and {"needs", "purpose"} <= kinds:
        return "use_case", "needs"
    if (
        "metric" in kinds
        or (kinds & {"target", "baseline"} and section in ("goal", "metric", "nonfunctional"))
    ) and "requirement" not in kinds:
        if section == "nonfunctional" or section == "constraint":
            return section, ""
        return ("goal", "goal") if "goal" in kinds and "target" in kinds else ("metric", "metric")
    if "requirement" in kinds:
        return (
            section if section in ASKED | {"constraint", "dependency", "goal", "non_goal"} else "requirement"
        ), "requirement"
    for kind, role in (
        ("goal", "goal"),
        ("dependency", "dependency"),
        ("constraint", "constraint"),
        ("criterion", "acceptance"),
    ):
        if kind in kinds:
            return section or role, kind
    if "user" in kinds and "needs" in kinds:
        return "user", "user"
    return section, ""


def _said(base: Passage, values: Mapping[str, str], main: str, role: str) -> tuple[str, str]:
    """(the statement a row makes, its short name)."""
    if role == "use_case" and main == "needs" and values.get("user"):
        cells = [
            cell
            for header, cell in base.block.cells
            if column_of(header) in ("user", "needs", "purpose") and cell
        ]
        return " | ".join(cells), ""
    description, named = values.get("description", ""), values.get(main, "") if main else ""
    if named and description and (main == "requirement" or (main == "goal" and len(named.split()) < 4)):
        longer = len(description.split()) > 2 or len(description) > 8
        told = description if longer and len(named) < max(60, len(description)) else named
        return told, "" if told == named else named
    if role in ASKED and not named and description:
        return description, ""
    if named:
        return named, ""
    beside = _BESIDE | {"release"} if role in ASKED else _BESIDE
    content = [cell for header, cell in base.block.cells if cell and column_of(header) not in beside]
    if len(content) > 2 and values.get("description") in content:
        content.remove(values["description"])
    if role == "nonfunctional" and values.get("category") in content and len(content) > 1:
        content.remove(values["category"])
    return " | ".join(content) or base.text, ""
