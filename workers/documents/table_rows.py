"""Rows of tables: their columns' headers say what each cell is, and so what the row is about."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from orchestrator.domain.dataclass import replace
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk
from workers.documents.item_marks import ID, finished_words, is_left_open, with_state
from workers.documents.passage import ASKED, Passage
from workers.documents.reading_words import (
    column_of,
    is_done,
    priority_of,
    release_of,
    role_of,
)
from workers.documents.rights import rule_of
from workers.documents.states import State, state_of

_BEATEN = frozenset(
    {"non_goal", "done", "glossary", "meta", "contents", "risk", "question", "problem", "plan", "acceptance"}
)
_ANSWERED = expression(
    r"\W*(?:answered|resolved|closed|decided|settled|done|no longer|beantwortet|entschieden|geklärt|répondu|résolu|resuelt|已(?:定|解决|回答|确认|关闭))",
    re.IGNORECASE,
)
_UNDECIDED = expression(  # of an answer: there is none yet
    r"[?？]|\b(?:tbd|tba|open|pending|expected|unclear|waiting|awaiting|to be|not yet|looks? into|looking into|asks?|asking|checks?|checking|offen|wird geklärt|à (?:voir|décider)|pendiente)\b|待|未定|再(?:议|看|说)|在问",
    re.IGNORECASE,
)
_DENIED = expression(r"(?:no|nope|nein|non|ne|nee)\b|不(?!确定|清楚|一定)|否", re.IGNORECASE)
_UNUSED = expression(  # how often or how somebody uses the thing who does not
    rf"{_DENIED.pattern}|(?:never|none|not at all)\b|[-–—✗✘❌]\ufe0f?\s*$", re.IGNORECASE
)
_VERSIONED = frozenset({"version", "rev", "revision", "ver", "v", "版本", "版本号", "fassung"})
_DATED = frozenset(
    {
        "date",
        "datum",
        "author",
        "by",
        "changed",
        "change",
        "changes",
        "日期",
        "作者",
        "修订人",
        "änderung",
        "fecha",
        "autor",
        "auteur",
    }
)
_COMPARED = expression(
    r"\b(?:compet\w+|alternatives|comparison|landscape|related (?:work|tools)|prior art|existing (?:solutions|tools)|wettbewerb\w*|concurren\w+|competencia)\b|竞品|竞争|对比",
    re.IGNORECASE,
)
_TIMES = frozenset(
    {"when", "date", "time", "day", "wann", "quand", "cuándo", "时间"}
)  # of a plan, with those
_DOERS = frozenset({"who", "wer", "qui", "quién", "谁"})
_STRUCK = expression(r"~~(.+?)~~\W*(?:[(（].*)?", re.DOTALL)
_STRUCK_AND = expression(r"~~(.+?)~~\W*(\w.{2,40})", re.DOTALL)
_YES = expression(  # `yes`, `yes, live since 2 April`
    r"\W*(?:yes|y|ja|oui|sí|sì|sim|x|是|100 ?%)\W*$|(?:yes|ja|oui|sí|sì|sim|是)\s*[,;:.(（，：–—-](?!.*\b(?:but|except|partly|half|nearly|almost|only|not|until|aber|teilweise|fast|mais|pero)\b)|\s*[✓✔✅☑]",
    re.IGNORECASE,
)
_FINISHED = ASKED | {"goal", "plan", "constraint", ""}  # roles whose rows may be done already
_NONFUNCTIONAL = expression(r"NFR?[-‑\d]")  # of an identifier: `NFR-3`
_KEY = expression(r"(?:[A-Z]{1,10}-?\d+|#\d+)[:：]?\s+")  # of an issue, before its state
_TYPES = frozenset({"risk", "dependency", "constraint", "question", "assumption"})
ISSUE_KINDS = _TYPES | {
    "nonfunctional",
    "goal",
    "non_goal",
}  # what an issue may be by its type, besides a requirement
_KINDS = expression(
    r"\W*(?:(?:issue|item|work item|ticket)[ -])?(?:type|kind)\W*$|\W*(?:类型|art|vorgangstyp|tipo)\W*$",
    re.IGNORECASE,
)
_REFERENCE = expression(
    r"(?:[A-Z]{1,5}-?|#)\d[\d.]*(?:\s*[/,+&]\s*(?:[A-Z]{1,5}-?|#)\d[\d.]*)*$"
)  # `O1/KR2`, `#44`
_NUMBERED = frozenset({"requirement", "criterion"})  # columns that may hold the number of what stands behind
_BESIDE = frozenset(
    {"id", "priority", "status", "aside", "likelihood", "impact"}
)  # columns beside the statement
_STAKEHOLDER = expression(
    r"^\W*(?:stakeholder|干系人)", re.IGNORECASE
)  # beside whom a role is what they do in it
_ROLE_HEADERS = expression(
    r"^\W*(?:user )?(?:role|type|who\b(?! (?:they|he|she|it|are)\b)|角色|用户类型|rolle|rôle|rol|役割)",
    re.IGNORECASE,
)


_MOMENT = expression(  # a column of what is to be reached by then: `Year 2`, `after 6 months`
    r"\W*(?:(?:in|after|within|by|end of|nach|bis|en|à|第)\s*)*(?:(?:year|month|week|quarter|day|jahr|monat|année|mois|año|mes|q|y|m)s?\s*#?\d+|\d+\s*(?:years?|months?|weeks?|days?|jahren?|monaten?|ans?|mois|años?|meses|年|个?月|周)|(?:q[1-4] )?20\d\d(?: q[1-4])?)\W*(?:target|goal|ziel)?\W*",
    re.IGNORECASE,
)
_NOTES = expression(  # a column beside the statement
    r"\W*(?:notes?|remarks?|comments?|bemerkung(?:en)?|anmerkung(?:en)?|hinweise?|remarques?|notas?|observaciones|备注|说明)\W*$",
    re.IGNORECASE,
)
_SPECIFIES = expression(  # a note that says how it has to be
    r"\d|\b(?:must|shall|should|only|never|no|not|without|at (?:least|most)|within|per|each|muss|nur|nicht|doit|sans|debe|solo)\b|必须|不|只",
    re.IGNORECASE,
)
_STATUS = 60  # characters of a cell that may be a status
_NAME = 4  # words of a cell that may name who somebody is, rather than tell of it


_WANTED = expression(  # a header that asks whether what stands beside is to be there
    r"\W*(?:required|needed|wanted|necessary|included|planned|in scope|in (?:the )?(?:mvp|v\d[\d.]*))\s*\?\W*",
    re.IGNORECASE,
)


def row_of(base: Passage) -> Passage:
    """A row by what its columns hold; it is what its table is about."""
    given = tuple((header, "" if is_left_open(cell) else cell) for header, cell in base.block.cells)
    if not any(
        cell and column_of(header) not in ("id", "priority", "status", "category") for header, cell in given
    ):
        return replace(base, role="template")
    named = {header.strip(" *:.#").casefold() for header, _ in given}
    if named & _VERSIONED and named & _DATED:
        return replace(base, role="meta")
    if named & _TIMES and named & _DOERS:
        return replace(base, role="plan")
    if base.role == "background" and _COMPARED.search(base.block.heading):
        return replace(base, text=" | ".join(cell for _, cell in given if cell))  # what others have
    rule, who = rule_of(given) if base.role not in _BEATEN else ("", "")
    if rule:
        return replace(base, text=rule, role="requirement", values={"user": who} if who else {})
    base = replace(base, block=replace(base.block, cells=given))
    values: dict[str, str] = {}
    change = {"from": "baseline", "to": "target"} if {"from", "to"} <= named else {}
    named_role = False
    moment = ""  # that the last target is for
    for header, cell in given:
        kind = change.get(header.strip(" *").casefold(), "") or column_of(header)
        if kind == "description" and _KEY.match(cell):
            continue  # `Notes | RPT-21 DONE, live since August`
        if kind in ("user", "question") and _REFERENCE.match(cell.strip()):
            continue
        if kind == "goal" and "goal" in values:
            kind = "target"  # `Outcome | ... | Goal`
        if kind in _NUMBERED and cell and ID.fullmatch(values.get(kind, "")):
            values["id"] = values.pop(kind)  # `Story | What`
        if kind == "criterion" and _REFERENCE.match(cell.strip()):
            kind = "id"  # `Test | Passed when`
        if kind == "requirement" and len(cell.split()) > max(_NAME, len(values.get(kind, cell).split())):
            kind = "description"  # `Capability | Requirement`: a name, then what it asks for
        if kind == "target" and cell and _MOMENT.fullmatch(header):
            if moment:  # the value on the way stays with the one of today
                values["baseline"] = "; ".join(
                    filter(None, [values.get("baseline", ""), f"{moment}: {values.pop('target')}"])
                )
            moment = header.strip(" *") if "target" not in values else ""
        roled = kind == "user" and len(cell.split()) <= _NAME and _ROLE_HEADERS.match(header) is not None
        if kind and cell and (kind not in values or (roled and not named_role)):
            values[kind] = cell.strip()
            named_role = named_role or roled or _STAKEHOLDER.match(header) is not None
    headers = [_kind_of(header, cell) for header, cell in base.block.cells]
    if "question" in headers and "goal" in headers:  # `Question | Outcome`
        headers = ["answer" if kind == "goal" else kind for kind in headers]
        values |= {"answer": values.pop("goal")} if "goal" in values else {}
    kinds = {*headers, *change.values(), *(["target"] if headers.count("goal") > 1 else [])} - {""}
    role, main = _table_role(kinds, base.role)
    if "quality" in kinds and role not in _BEATEN and not kinds & {"goal", "user", "risk", "baseline"}:
        role, main = "nonfunctional", "quality"
    issues = any(_KINDS.match(header) for header in named)
    typed = (
        role_of(values.get("category", "")) if issues or (kinds & {"category"} and "id" not in kinds) else ""
    )
    if typed in (ISSUE_KINDS if issues else _TYPES) and typed != role:
        role, main = (
            typed,
            next((kind for kind in (typed, "requirement", "description") if kind in values), ""),
        )
    if values.get("goal") and "target" not in kinds and "metric" in kinds and role == "metric":
        values["target"] = values.pop("goal")
    metric, colon, target = (
        re.split(r"([:：])\s*", values.get("target", ""), maxsplit=1)
        if re.search(r"[:：]\s*\S", values.get("target", ""))
        else ("", "", "")
    )
    if colon and not re.search(r"\d", metric):
        values["metric"], values["target"] = values.get("metric") or metric, target
    if role == "metric":
        _with_values(values, given)
    if role == "requirement" and _NONFUNCTIONAL.match(values.get("id", "")):
        role = "nonfunctional"
    text, title = _said(base, values, main, role)
    priority = priority_of(values.get("priority", "")) or base.priority
    state = _state(given, text, values.get("status", ""))
    ticked = any(_YES.match(cell) and _asks_if_done(header) for header, cell in given)
    finished = (ticked or state == "done") and role in _FINISHED
    if role == "risk" and "mitigation" not in values:
        values |= _answered_risk(given, text)
    if role in _FINISHED and finished_words(text):
        text, finished = finished_words(text), True
    if role == "user" and _UNUSED.match(values.get("uses", "")):
        role = "background"  # who has an interest in it, and does not use it
    struck = _STRUCK.fullmatch(values.get("requirement", "").strip()) or _STRUCK.fullmatch(text.strip())
    if struck and role in ASKED:
        text, title, role = struck[1], "", "non_goal"
    struck_and = _STRUCK_AND.fullmatch(text.strip()) if role in _FINISHED else None
    if struck_and and is_done(struck_and[2]):  # `~~Log in~~ done`
        text, finished = struck_and[1], True
    if role == "question" and _ANSWERED.match(values.get("status", "")):
        role = "answered"
    if role == "question" and values.get("answer") and not _UNDECIDED.search(values["answer"]):
        role = "non_goal" if _DENIED.match(values["answer"]) else "answered"
    told, own = with_state(text) if role in _FINISHED else (text, "")
    if own == "done" or (own == "non_goal" and role in ASKED):  # `SMS – dropped in May`
        text, finished, state = told, own == "done", own
    if any(map(_is_refused, given)) and role in ASKED | {"dependency"}:
        values |= {"requirement": (values.get("requirement") or text).rstrip(" ?？")}  # it is answered
        role, state = "requirement", "non_goal"
    if role in ASKED and state == "non_goal":
        text, title, role = (
            (not own and values.get("requirement")) or text,
            "",
            "non_goal",
        )  # what is said beside it is why
    if role == "requirement" and not values.get("in_scope") and text == values.get("non_goal"):
        role = "non_goal"  # below `In scope | Out of scope`
    if role == "done" and values.get("status") and not is_done(values["status"]):
        role = "requirement"
    return replace(
        base,
        text=text,
        title=title,
        role="done" if finished else role,
        id=values.get("id", ""),
        priority=priority,
        release=release_of(values.get("release", "")) or values.get("release", "") or base.release,
        values=values,
    )


def _kind_of(header: str, cell: str) -> str:
    """What a cell holds by its column's header; a reference below `Issue` asks nothing."""
    kind = column_of(header)
    return "id" if kind == "question" and _REFERENCE.match(cell.strip()) else kind


def _with_values(values: dict[str, str], cells: Sequence[tuple[str, str]]) -> None:
    """Takes the value to reach of a measure from the last column that no header explains, and today's from the one before."""
    said = [
        cell
        for header, cell in cells[1:]
        if column_of(header) in ("", "release") and re.search(r"[\w%]", cell)
    ]
    if said and "target" not in values:
        values["target"] = said[-1]
        if len(said) > 1:
            values.setdefault("baseline", said[0])


def _keyless(cell: str) -> str:
    """What a cell says of an issue behind its key: `RPT-21 DONE, live since August`."""
    return _KEY.sub("", cell, count=1)


def _answered_risk(cells: Sequence[tuple[str, str]], risk: str) -> dict[str, str]:
    """What a row says against its risk, in a column whose header does not say so: `So what do we do`."""
    free = [
        cell
        for header, cell in cells
        if cell and cell != risk and column_of(header) in ("", "aside", "answer")
    ]
    told = [cell for cell in free if len(cell.split()) > 1 or is_cjk(cell)]
    return {"mitigation": told[-1]} if told else {}


def _asks_if_done(header: str) -> bool:
    """Whether a column says of each row whether it is finished: `Shipped?`, `Done`, `Progress`."""
    return is_done(header.strip(" *?？")) or column_of(header) == "status"


def _is_not_yet(cell: tuple[str, str]) -> bool:
    """Whether a cell says `no` to its header's question whether the thing is finished: `Done?`."""
    header, said = cell
    asked = column_of(header) == "status" and (
        is_done(header.strip(" *?？")) or header.rstrip(" *")[-1:] in "?？"
    )
    return asked and state_of(said) == "non_goal" and not state_of(said, alone=False)


def _is_refused(cell: tuple[str, str]) -> bool:
    """Whether a cell says `no` to its header's question whether something is wanted: `Required?`."""
    header, said = cell
    return (
        _WANTED.fullmatch(header) is not None
        and state_of(said) == "non_goal"
        and not state_of(said, alone=False)
    )


def _state(cells: Sequence[tuple[str, str]], text: str, status: str) -> State:
    """The state of a row: what its status column says, else what a short cell beside its statement does."""
    first, *others = re.split(r"\s*[,，;；]\s*", status)
    if priority_of(first) and any(map(is_done, others)):
        return "done"  # `Critical; done`
    beside = [_keyless(cell) for _, cell in cells if cell not in (text, status) and len(cell) < _STATUS]
    said = {state_of(cell, alone=False) for cell in beside}
    stated: State = "open" if any(map(_is_not_yet, cells)) else state_of(status)
    given = stated or ("done" if "done" in said and not status else "")
    return "non_goal" if "non_goal" in said else given


def _table_role(kinds: set[str], section: str) -> tuple[str, str]:
    """(role of the rows, the column that makes the statement)."""
    for kind, role in (("field", "data"), ("member", "plan")):
        if kind in kinds and "requirement" not in kinds:
            return role, ""
    if {"question", "answer"} <= kinds and section in ("", "problem", "question"):
        return "question", "question"
    if section in _BEATEN:
        main = {"risk": "risk", "question": "question", "acceptance": "criterion"}.get(section, "")
        return section, main if main in kinds else ""
    if kinds == {"goal"}:
        return "goal", "goal"
    if section == "dependency":
        return section, "dependency" if "dependency" in kinds else ""
    for kind, role in (
        ("risk", "risk"),
        ("question", "question"),
        ("in_scope", "requirement"),
        ("non_goal", "non_goal"),
        ("term", "glossary"),
    ):
        if kind in kinds:
            return role, kind
    if "likelihood" in kinds and kinds & {"mitigation", "impact"} and not kinds & {"requirement", "goal"}:
        return "risk", "description" if "description" in kinds else ""
    if section in ASKED and "user" in kinds and not kinds & {"needs", "purpose", "requirement", "goal"}:
        return section, ""
    if (
        "needs" in kinds
        and kinds & {"priority", "status", "criterion", "release"}
        and "requirement" not in kinds
    ):
        return (
            section
            if section in ASKED and "purpose" not in kinds
            else "use_case"
            if "purpose" in kinds
            else "requirement"
        ), "needs"
    if "user" in kinds and (section == "user" or not kinds & {"goal", "requirement", "purpose"}):
        return ("use_case", "needs") if {"needs", "purpose"} <= kinds else ("user", "user")
    if "user" in kinds and {"needs", "purpose"} <= kinds:
        return "use_case", "needs"
    if (
        "metric" in kinds
        or (kinds & {"target", "baseline"} and section in ("goal", "metric", "nonfunctional"))
        or {"target", "baseline"} <= kinds
    ) and "requirement" not in kinds:
        if section == "nonfunctional" or section == "constraint":
            return section, ""
        of_goals = "goal" in kinds and ("target" in kinds or section == "goal")
        return ("goal", "goal") if of_goals else ("metric", "metric")
    if "requirement" in kinds and section in ("goal", "metric") and kinds & {"target", "baseline"}:
        return section, "requirement"
    if "requirement" in kinds:
        return (
            section if section in ASKED | {"constraint", "dependency", "goal", "non_goal"} else "requirement"
        ), "requirement"
    if {"criterion", "target"} <= kinds:
        return "acceptance", "criterion"
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
    if (
        section in ASKED | {""}
        and {"id", "description"} <= kinds
        and kinds & {"priority", "status", "release"}
    ):
        return section or "requirement", "description"  # an export of issues
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
    others = [values[kind] for kind in ("requirement", "target", "needs", "description") if values.get(kind)]
    if named and role == "nonfunctional" and main == "quality":
        rest = [
            cell
            for _, cell in base.block.cells
            if cell and cell not in (named, values.get("id"), values.get("priority"))
        ]
        return " | ".join([named, *(others[:1] or rest[:1])]), ""
    measured = values.get("target") or (values.get("metric", "") if main == "requirement" else "")
    if named and role == "nonfunctional" and measured and measured not in named:
        return f"{named} | {measured}", ""
    if named and role == "nonfunctional" and main == "requirement" and not description:
        unknown = [cell for header, cell in base.block.cells if cell and not column_of(header)]
        if len(unknown) == 1:  # `What | Level`
            return f"{named} | {unknown[0]}", ""
    if named and main == "constraint" and re.match(r"[\d<>≤≥~]", named):
        return " | ".join(cell for _, cell in base.block.cells if cell), ""  # `Quantity | Limit`
    if named and role == "acceptance" and main == "criterion" and values.get("target"):
        return f"{named} | {values['target']}", ""
    noted = next(
        (cell for header, cell in base.block.cells if _NOTES.match(header) and not _KEY.match(cell)), ""
    )
    if named and noted and description in ("", noted) and main == "requirement":
        return f"{named} ({noted.rstrip('.')})" if _SPECIFIES.search(noted) else named, ""
    if named and description and (main == "requirement" or (main == "goal" and len(named.split()) < 4)):
        longer = len(description.split()) > 2 or len(description) > 8
        sentence = len(named.split()) > 6 and len(named) > len(description)
        told = description if longer and not sentence and len(named) < max(60, len(description)) else named
        return told, "" if told == named else named
    if role in ASKED and not named and description:
        return description, ""
    if (
        not role
        and not named
        and len(description.split()) > _NAME - 1
        and description == max((cell for _, cell in base.block.cells), key=len)
    ):
        return description, ""  # `Option | Default | What it does`
    if named:
        return named, ""
    beside = (
        _BESIDE | {"release"} if role in ASKED else _BESIDE | ({"purpose"} if role == "constraint" else set())
    )
    if role in ("user", "risk", "metric") and not values.get(main):
        first = next(
            (
                cell
                for header, cell in base.block.cells
                if re.search(r"[^\W\d]", cell) and column_of(header) not in _BESIDE
            ),
            "",
        )
        if first:
            return first, ""
    content = [cell for header, cell in base.block.cells if cell and column_of(header) not in beside]
    if role == "non_goal" and content:
        return content[0], ""  # the others say why
    if len(content) > 2 and values.get("description") in content:
        content.remove(values["description"])
    if role == "nonfunctional" and values.get("category") in content and len(content) > 1:
        content.remove(values["category"])
    return " | ".join(content) or base.text, ""
