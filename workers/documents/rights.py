"""Tables of rights: who may do what. Each row is one rule, whether people or actions stand in the first column."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk

_GRANTED = expression(
    r"\W*(?:yes|y|x|allowed|granted|full|是|可以?|有|允许)(?P<limit>\s*[(（].{1,60}[)）])?\W*$|\s*[✓✔✅☑●]\ufe0f?(?P<mark>\s*[(（].{1,60}[)）])?\s*$",
    re.IGNORECASE,
)
_REFUSED = expression(
    r"\W*(?:no|n|none|denied|never|否|不可以?|无|禁止|不允许)\W*$|\s*(?:[✗✘❌☒○—–-]\ufe0f?)\s*$",
    re.IGNORECASE,
)
_OF_PEOPLE = expression(
    r"\W*(?:user )?(?:roles?|user types?|users?|who|groups?|actors?|personas?)\W*$|\W*(?:角色|用户|用户类型|谁)\W*$",
    re.IGNORECASE,
)
_OF_ACTIONS = expression(
    r"\W*(?:permissions?|rights?|actions?|capabilit(?:y|ies)|operations?|privileges?|access)\W*$|\W*(?:权限|操作|功能)\W*$",
    re.IGNORECASE,
)


def rule_of(cells: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """(the rule of a row, who it is about; empty where the columns name them); two empty texts for any other row.

    `Role | View invoices | Delete invoices`, `Accountant | yes | no`: Accountant may view invoices, and not delete them.
    """
    (first, name), *rest = cells or [("", "")]
    name = name.strip(" *")
    people = _OF_PEOPLE.match(first) is not None
    if not name or len(rest) < 2 or not (people or _OF_ACTIONS.match(first)):
        return "", ""
    may: list[str] = []
    never: list[str] = []
    for header, cell in rest:
        granted = _GRANTED.match(cell)
        if granted is None and cell.strip() and not _REFUSED.match(cell):
            return "", ""
        limit = (granted["limit"] or granted["mark"] or "").strip() if granted else ""
        said = header.strip(" *")
        (never if granted is None else may).append(f"{said} {limit}".strip() if said else "")
    if not may and not any(cell.strip() for _, cell in rest):
        return "", ""
    if is_cjk(name):
        return (_han(name, may, never) if people else _han_action(name, may, never)), name if people else ""
    return (_person(name, may, never), name) if people else (_action(name, may, never), "")


def _person(name: str, may: list[str], never: list[str]) -> str:
    if not may:
        return f"{name} may not {_done(never, 'or')}."
    denied = _done(never, "or")
    thing = _object(may)
    if never and thing and _object(never) == thing:
        denied = denied.removesuffix(f" {thing}") + " them"
    return f"{name} may {_done(may, 'and')}{f', and not {denied}' if never else ''}."


def _action(name: str, may: list[str], never: list[str]) -> str:
    does = _small(name)
    if not may:
        return f"{_list(never, 'and')} may not {does}."
    denied = f", and {_list(never, 'and')} may not" if never else ""
    return f"{_list(may, 'and')} may {does}{denied}."


def _han(name: str, may: list[str], never: list[str]) -> str:
    parts = [f"可以{'、'.join(may)}"] if may else []
    parts += [f"不能{'、'.join(never)}"] if never else []
    return f"{name}{'，'.join(parts)}。"


def _han_action(name: str, may: list[str], never: list[str]) -> str:
    parts = [f"{'、'.join(may)}可以{name}"] if may else []
    parts += [f"{'、'.join(never)}不能{name}"] if never else []
    return f"{'，'.join(parts)}。"


def _object(actions: list[str]) -> str:
    """What all the actions are done with: `invoices` of `View invoices`, `Edit invoices`; empty where that differs."""
    things = {action.partition(" ")[2] for action in actions}
    return things.pop() if len(things) == 1 else ""


def _done(actions: list[str], word: str) -> str:
    thing = _object(actions)
    verbs = [_small(action.partition(" ")[0] if thing else action) for action in actions]
    return f"{_list(verbs, word)} {thing}".strip()


def _small(text: str) -> str:
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def _list(words: list[str], word: str) -> str:
    return f" {word} ".join([part for part in (", ".join(words[:-1]), *words[-1:]) if part])
