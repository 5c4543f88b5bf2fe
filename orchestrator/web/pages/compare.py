"""Two sessions side by side, and what differs in their documents and code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal

from markupsafe import Markup
from pydantic import Field
from starlette.responses import Response

from orchestrator.commands.compare import compared
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import Severity
from orchestrator.domain.pauses import PAUSES
from orchestrator.domain.text_diff import Hunk, counts
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import session_line, sessions_listed
from orchestrator.views.compare import document_versions
from orchestrator.web.json_answer import JsonAnswer
from orchestrator.web.language import Language
from orchestrator.web.pages import document
from orchestrator.web.rendering import render
from orchestrator.web.shown import duration
from orchestrator.web.web_request import Query, WebRequest

MOST_LINES = 350  # of all comparisons of documents that are shown, and of the code
OFFERED = 50  # sessions, the newest, to compare with


@dataclass(frozen=True, slots=True)
class Differs:
    """A document that is not the same in both; `hunks` is None where the comparison is not shown."""

    path: str
    number: tuple[int, int] = (0, 0)  # lines added, removed
    hunks: Sequence[Hunk] | None = None
    only: str = ""  # the side that has it


class Compared(Query):
    other: Annotated[
        str | None,
        Field(alias="with", max_length=200, description="The other session: its id or first letters."),
    ] = None
    diff: Annotated[Literal["1"] | None, Field(description="With what differs in documents and code.")] = None


class Difference(Query):
    diff: Annotated[bool, Field(description="With what differs in documents and code.")] = False


def api(request: WebRequest) -> Response:
    """Both sessions, with the keys of `lifecycle compare`."""
    return JsonAnswer(_compared(request, request.names["other"], diff=request.query.diff))


def page(request: WebRequest) -> Response:
    """The comparison; without another session a list of those to choose from."""
    asked: Compared = request.query

    def unit(tx: Tx, session: Session) -> tuple[JsonObject, list[JsonObject]]:
        newest = sessions_listed.page(OFFERED, None, None, None, True)
        listed = sessions_listed.session_page(tx, newest)["sessions"]
        return session_line.summary(tx, session), [each for each in listed if each["session"] != session.id]

    session, others = request.read(unit)
    found = None if asked.other is None else _compared(request, asked.other, diff=asked.diff is not None)
    return render(
        request,
        "compare.html",
        title=request.language.text("Compare {0}", session["title"]),
        session=session,
        others=others,
        found=found,
        groups=_groups(found),
        documents=[] if found is None or not asked.diff else _documents(request, found),
        code=None if found is None or not asked.diff else _code(found),
        value=partial(_value, request.language),
    )


def _compared(request: WebRequest, other: str, *, diff: bool) -> JsonObject:
    served = request.project
    return compared(served.store(), served.project.root, request.names["session"], other, diff=diff)


def _groups(found: JsonObject | None) -> dict[str, list[JsonObject]]:
    """The rows by what they are about, in their order."""
    groups: dict[str, list[JsonObject]] = {}
    for row in () if found is None else found["rows"]:
        groups.setdefault(row["group"], []).append(row)
    return groups


def _documents(request: WebRequest, found: JsonObject) -> list[Differs]:
    """The documents that differ, the comparisons of as many as fit on the page; of one that a side lacks only its name."""
    a, b = found["a"]["session"], found["b"]["session"]
    texts = request.project.read(lambda tx: document_versions(tx, a, b))
    shown, left = [], MOST_LINES
    for path, one, two in texts:
        if not one or not two:
            shown.append(Differs(path, only="b" if two else "a"))
            continue
        places = document.compared(one.encode(), two.encode())
        lines = sum(len(hunk.lines) for hunk in places or [])
        fits = places is not None and lines <= left
        left -= lines if fits else 0
        shown.append(Differs(path, counts(places or []), places if fits else None))
    return shown


def _code(found: JsonObject) -> tuple[str, int] | None:
    """What of the difference in code fits on the page, and the number of lines left out; None without code."""
    lines = (found["diff"]["code"] or "").splitlines()
    return ("\n".join(lines[:MOST_LINES]), max(0, len(lines) - MOST_LINES)) if lines else None


def _value(spoken: Language, value: Json, kind: str) -> str | Markup:
    """A value as the table shows it."""
    if value is None:
        return "–"
    if kind == "number":
        return f"{value:,g}" if isinstance(value, float) else f"{value:,}"
    if kind == "text":
        return _words(spoken, str(value))
    forms = {"percent": "{:.1f} %", "rating": "{:.1f}", "usd": "${:.2f}"}
    return duration(value, spoken) if kind == "seconds" else forms.get(kind, "{}").format(value)


def _words(spoken: Language, value: str) -> str | Markup:
    """A value of words; of a count and of a verdict with its severity each part by itself."""
    counted = re.fullmatch(r"(\d+) of (\d+)", value)
    if counted is not None:
        return spoken.text("{0} of {1}", *counted.groups())
    verdict, _, severity = value.rpartition(" ")
    if severity in set(Severity):
        return f"{spoken.word(verdict)} {spoken.word(severity)}"
    return spoken.said(value.replace("_", " ") if value in PAUSES else value)
