"""What stands around a statement in its own line: its id, a label, a tag with its priority, its measure."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Mapping

from orchestrator.domain.dataclass import replace
from orchestrator.domain.patterns import expression
from workers.documents.passage import ASKED, Passage
from workers.documents.reading_words import (
    attribute_of,
    clause_role,
    is_done,
    label_role,
    priority_of,
    role_of,
)
from workers.documents.states import State, state_of

ID = expression(
    r"^\**(?!V\d)(?:[\[/]?((?:[A-Z]{1,6}-?){1,2}\d{1,4}(?:\.\d{1,3}){0,3}(?:[-.][A-Z]{1,4}-?\d{1,4})?|[A-Z](?:\.\d{1,2}){2,3})[\]/]?)\**\s*(?:[:：.)]|[-–—](?=\s)|(?=\s)|$)\**\s*"
)
_LABEL = expression(
    r"^(\**)((?:[^:：,，。.;；!?\n]|(?<=\d)\.(?=\d)){1,48}?)\s*(?:\1\s*[:：](?!-?[()DP|](?:\s|$)|//)|[:：]\s*\1(?=\s|[^\x00-\x7f]|$))\s*(.*)$",
    re.DOTALL,
)
_NAMED = expression(r"^([A-ZÀ-Ý][\w-]{2,20}(?: (?:and |& )?[\w-]{2,20})?)[.。]\s+(?=\w)")  # `Privacy. ...`
_TAG = expression(  # `[C)` is no tag: both ends are of one kind
    r"\s*(?:[(（](?=[^\[\]【】]{1,40}$)|[\[【](?=[^()（）]{1,40}$))\s*([^()（）\[\]【】]{1,24})\s*[)）\]】]\s*[.。]?$"
)
_LAST = expression(r"(?<=[.!])\s+(P[0-4]|[A-Z][A-Z'’ ]{3,8})[.]?$")  # `... SHOULD.`
_LEAD_TAG = expression(  # in code with a dash behind it, it is a value that is explained: `` `declined` - the guest said no ``
    r"^(?:[(（\[【`])\s*([^()（）\[\]【】`]{1,24})\s*[)）\]】`](?:(?<!`)|(?!\s*[-–—:：=→]))\s*"
)
_LEAD_WORD = expression(r"^\**(\w{4,12})\**\s+[–—-]\s+")  # `Done – members log in`
_TAIL = expression(r"\s+(?:[-–—]+|→|=>|->)\s*([^-–—→]{2,60})$")
_DASHED = expression(r"\s+[–—]+\s+([^–—]{2,80})$")  # `Ticks – dropped 3 May, too many re-tries`
_STATE = expression(r"[:：]\s*\**([^:：]{2,60})\**$")  # `Rates with a start time: shipped in 4.2`
_SINCE = expression(
    r"[,，;；.。]\s+(?:(?:status|state|stand|statut|estado)[:：]\s*|状态[:：]\s*|(?=already |(?:done|finished|shipped|live|delivered|released|completed|implemented|accepted) (?:in|on|since|with)\b))([^,;:.]{2,40})[.。]?$",
    re.IGNORECASE,
)
_NOTED = expression(r"\s*\W?[(（]([^()（）]{2,60})[)）]\W?$")  # `Site survey *(accepted 9 February)*`
_OF_STATES = expression(  # what stands behind it are states that something may have: `Each copy has a state: complete, ...`
    r"\b(?:states?|status(?:es)?|stages?|values?|options?|one of|either|zustand|zustände|états?|estados?)\W*$|状态\W*$",
    re.IGNORECASE,
)
_WORD = expression(r"\w{2}")
_STATES = 4  # of a list, rather than the state of one thing with remarks
_STATED_IN = 120  # characters at the end of a text in which its state is looked for
_TICKED = expression(r"\s*[✅✔☑✓]\ufe0f?\s*[.。]?$")
_FINISHING = ASKED | {"", "background", "goal", "plan", "constraint", "dependency", "non_goal"}
_INLINE = expression(r"(?:(?<=[.;；。!?])\s*|\s+[-–—|→]\s*|\s*[(（])([A-Za-zÀ-ÿ一-鿿 ]{2,20})[:：]\s*")
TEMPLATE = expression(
    r"^\s*(?:[^<>]{0,60}[:：]\s*)?(?:<[^<>]{1,80}>|\[[^\[\]]{1,80}\](?!\()|\{\{?[^{}]{2,80}\}\}?|\.{3}|…|tbd|tba|n/?a|none (?:required|needed)|\(deleted\))\s*[.:]?$",
    re.IGNORECASE,
)
_MANY_USERS = expression(
    r"s\b|\b(?:primary|secondary|main|key|other|target|audience|actors?|who|persona|wer|qui|quién|chi)\b|用户|角色|人群|使用者|ユーザー|利用者",
    re.IGNORECASE,
)  # a label in front of several
_STATED: Mapping[str, str] = {"done": "done", "non_goal": "non_goal"}  # the role that a state gives
_MEASURING = frozenset({"metric", "target", "baseline", "mitigation", "priority"})
_TURNS = frozenset(
    {"non_goal", "risk", "question", "acceptance", "mitigation"}
)  # labels that count within any section
_ARE = expression(r"(?<=s)\s(?:are|sind|sont|son)$", re.IGNORECASE)  # `Constraints are: ...`
_MIXED = frozenset({"risk", "question", "user"})  # sections in which items may be labelled as anything else
_VALUE = 6  # words of a target that is a value alone
_NOT = expression(
    r"(?:\w+ly |for now |still |also )?not(?: (?:yet|now|here|planned|included|wanted|needed))?$",
    re.IGNORECASE,
)


def is_left_open(cell: str) -> bool:
    """Whether a cell holds nothing, or what a template had there."""
    return (not re.search(r"\w", cell) and not state_of(cell)) or TEMPLATE.match(cell) is not None


def identified(base: Passage) -> Passage:
    """Takes off the id in front of a text; a space alone ends one only where statements have ids."""
    found = ID.match(base.text)
    if not found or found.end() == len(base.text):
        return base
    closed = base.text[: found.end()].rstrip().endswith((":", "：", ".", ")", "]", "*", "-", "–", "—"))
    closed = closed or base.text[found.end() :].lstrip()[:1] in (
        "`",
        "[",
        "【",
        "(",
        "（",
    )  # `LM-1 [done] As a ...`
    dotted = (
        re.match(r"[A-Z]{1,5}-?\d+\.\d", base.text) is not None and base.text[found.end() :].count(" ") > 1
    )
    if dotted and base.role in ("user", "", "background"):
        return replace(base, id=found[1], text=base.text[found.end() :], role="requirement")
    if not closed and base.role not in ASKED | {"acceptance"}:
        return base
    return replace(base, id=found[1], text=base.text[found.end() :])


def with_measures(base: Passage) -> Passage:
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


def labelled(base: Passage, *, within: bool) -> Passage:
    """Takes off a label that says what follows: `Open question: ...`, `Priority: high`, `Mitigation: ...`."""
    named = _NAMED.match(base.text) if base.role in ASKED else None
    if (
        named
        and (base.block.kind == "paragraph" or len(named[1].split()) == 1)
        and " " in base.text[named.end() :]
    ):
        return replace(base, label=named[1], text=base.text[named.end() :])
    found = _LABEL.match(base.text)
    if not found or len(found[2].split()) > 6:
        return base
    label, rest = _ARE.sub("", found[2].strip(" *")), found[3]
    attribute = attribute_of(label) if within or label_role(label) != "constraint" else ""
    item = base.block.kind == "item"
    if attribute == "occupation" and not item and base.role != "user" and label_role(label) == "user":
        attribute = ""  # `Who: members, setters`, of the whole and not of somebody
    if attribute == "target" and item and base.role in ("goal", "metric") and len(rest.split()) > _VALUE:
        return replace(base, label=label, text=rest)  # `target: abandoned trips from 20 % to below 8 %`
    if attribute == "aside" and base.role == "constraint":
        attribute = ""  # `Date: go-live before 1 October`
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
    if rest and is_done(label) and base.role in _FINISHING and base.block.kind == "item":
        return replace(base, role="done", label=label, text=rest)
    role = label_role(label) or (
        clause_role(label) or (role_of(label) if "/" in label else "")
        if base.block.kind == "paragraph"
        else ""
    )
    short = rest and len(label) < 20 and "|" not in label
    given = priority_of(label) if short and not base.priority else ""
    if given and base.role in ASKED | {""} and not role:
        return replace(base, role=base.role or "requirement", label=label, text=rest, priority=given)
    if role == base.role == "user" and rest and not _MANY_USERS.search(label):
        return base  # `User: enters data` names one of them
    if role and rest and (role == base.role or (role == "user" and base.role == "non_goal")):
        return replace(base, label=label, text=rest)  # whom it is not for, too
    if not role and not label[:1].islower() and _NOT.match(label):
        role = "non_goal"
    turns = role in _TURNS or (base.role in _MIXED and role in ("constraint", "dependency"))
    if not role or (rest and item and base.role not in ("", "background") and not turns):
        return base
    return replace(base, role=role, label=label, text=rest or base.text, opens=not rest)


def tagged(base: Passage) -> Passage:
    """Takes off `(P1)` or `[must]` beside a text, and what says that it is finished, left out or still to be done."""
    listed = base.block.kind == "item" and base.role in _FINISHING
    finished = finished_words(base.text) if listed else ""
    if finished:
        return replace(base, role="done", text=finished)
    lead = _LEAD_WORD.match(base.text) if listed else None
    if lead and is_done(lead[1]):
        return replace(base, role="done", text=base.text[lead.end() :])
    for pattern in (_TAG, _LEAD_TAG, _LAST):
        found = pattern.search(base.text)
        given = priority_of(found[1]) if found and len(found[1]) <= 20 else ""
        if found and given and len(base.text) > len(found[0]):
            left = base.text[: found.start()] + base.text[found.end() :]
            return replace(base, text=left.strip(), priority=given)
        state = state_of(found[1], alone=found[1].isupper()) if found else ""
        role = "requirement" if state == "open" and base.role == "done" else _STATED.get(state, base.role)
        if found and state and (state == "done" or listed or base.role == "done"):
            left = base.text[: found.start()] + base.text[found.end() :]
            return replace(base, role=role, text=left.strip())
    tail = _TAIL.search(base.text)
    if tail and listed and state_of(tail[1], alone=tail[1].isupper()) == "non_goal":
        return replace(base, text=base.text[: tail.start()], role="non_goal")
    if tail and priority_of(re.sub(r"[*_]|\s*[(（].*$", "", tail[1])) == "Won't":
        return replace(base, text=base.text[: tail.start()], priority="Won't", role="non_goal")
    if tail and base.block.kind == "item" and is_done(tail[1].partition(",")[0]):
        return replace(base, role="done", text=base.text[: tail.start()])
    return base


def with_state(text: str) -> tuple[str, State]:
    """The words in front of the state that a heading or a cell ends with, and the state: `Payments — DONE`."""
    before = max(0, len(text) - _STATED_IN)
    for pattern in (_TAIL, _DASHED, _TAG):
        found = pattern.search(text[before:])
        state = state_of(found[1], alone=found[1].isupper()) if found and before + found.start() else ""
        if found and state:
            return text[: before + found.start()], state
    return text, ""


def finished_words(text: str) -> str:
    """The words of a statement without what says that it is finished: a tick behind it, `: shipped in 4.2`; else empty."""
    ticked = _TICKED.search(text)
    if ticked:
        return text[: ticked.start()]
    for pattern in (_STATE, _SINCE, _NOTED):
        state = pattern.search(text)
        said = re.split("[,，、/;；(（]", state[1]) if state else []
        if state is None or len(said) >= _STATES or _OF_STATES.search(text[: state.start()]):
            continue
        status = said[0].strip(" *.。")
        if _WORD.match(status) and is_done(status):  # `X` is a mark of a cell
            return text[: state.start()]
    return ""


def introduces(text: str) -> bool:
    """Whether an item with items below it says nothing by itself."""
    return text.rstrip("* ").endswith((":", "：")) or (
        len(text.split()) <= 3 and not re.search(r"[.。!?]$", text.strip()) and len(text) < 30
    )
