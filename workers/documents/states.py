"""What a status says of an item: that it is finished, left out, or still to be done.

It stands in a column, in brackets, behind a dash, at the right edge of a line: `DONE`, `(withdrawn 3 May)`, `60 %`.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from orchestrator.domain.patterns import expression
from workers.documents.reading_words import is_done, state_word

State = Literal["done", "non_goal", "open", ""]

_SHARE = expression(r"\W*(\d{1,3}) ?%")
_SIGN = expression(
    r"\s*(?:(?P<done>[✅✔☑✓])|(?P<non_goal>[❌✗✘🚫🗑])|(?P<open>[◐◑◔◕○◯🚧⏳🔄⬜☐🔜🔲🟡💭💡]))\ufe0f?"
)
_STRUCK = expression(r"\s*~~[^~]{1,20}~~\s*")  # the value before: `~~P2~~ dropped in June`
_BEHIND = expression(  # where the state ends and what is said of it begins
    r"\s*[,，;；:：(（]|\s+[-–—]+\s+|\.\s|\s+(?=(?:in|on|at|by|since|for|because|from|until|as|and|am|seit|wegen|und|le|depuis|desde|et|el|y|this|last|after)\b)|\s+(?=\d)"
)
_READ = 200  # characters of a cell in which a state is looked for
_LONGEST = 60  # characters of a state with what is said of it


@lru_cache(maxsize=4096)
def state_of(status: str, *, alone: bool = True) -> State:
    """What a status says; empty when it says nothing of the kind. `alone`: it stands where only a status does, so that `no` is one."""
    said = _STRUCK.sub("", status[:_READ], count=1).strip(" *_.")
    share = _SHARE.match(said)
    if share and alone:
        return "done" if share[1] == "100" else "open"
    head = _BEHIND.split(said, maxsplit=1)[0]
    if is_done(said) or is_done(head) or (alone and said == "●"):
        return "done"
    sign = _SIGN.match(said)
    if sign:
        return sign.lastgroup  # type: ignore[return-value]
    known = state_word(said) or (state_word(head) if len(said) <= _LONGEST else "")
    if known == "refused":
        return "non_goal" if alone else ""
    return known  # type: ignore[return-value]
