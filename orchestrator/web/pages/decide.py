"""The page that decides: what is asked, what has changed since the last approval, ratings, cost, and the answers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from starlette.responses import Response

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import Json
from orchestrator.domain.text_diff import Hunk
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views.decision import DecisionView, bodies, decision_view
from orchestrator.views.rounds import Column, Divergence, each_once
from orchestrator.views.since_approval import ChangedDocument
from orchestrator.web.forms import Documents, Form, documents_for, forms
from orchestrator.web.pages.document import compared, diff_address, document_address
from orchestrator.web.rendering import render
from orchestrator.web.web_request import WebRequest

OPEN = 5  # changes that are shown without being opened
MOST_COMPARED = 60  # documents that are compared; of more only the names are shown
MOST_LINES = 350  # lines of comparisons on the page: the rest is a link away
MOST_DIVIDED = 6  # divergences of a discussion; its page has all
FORCE_WORD = "force"  # to be typed before a failed gate is passed


@dataclass(frozen=True, slots=True)
class Change:
    """A changed document; `hunks` is None where its comparison is only linked, empty where nothing shown has changed."""

    document: ChangedDocument
    href: str
    hunks: Sequence[Hunk] | None
    is_open: bool


def page(request: WebRequest) -> Response:
    def unit(tx: Tx, session: Session) -> tuple[DecisionView, int, Documents, dict[str, tuple[bytes, bytes]]]:
        found = decision_view(tx, session)
        changed = [each for each in found["since"]["documents"] if each["approved"] is not None]
        documents = documents_for(request, tx, session, found["overview"])
        return found, session.messages, documents, bodies(tx, session.id, changed[:MOST_COMPARED])

    found, messages, documents, texts = request.read(unit)
    overview = found["overview"]
    pause = overview["pause"]
    answers = forms(request, overview, messages, documents) if request.may_decide else []
    options = (pause["detail"].get("options") or []) if pause else []
    return render(
        request,
        "decide.html",
        live="decide_live.html",
        title=request.language.text("Decide: {0}", overview["title"]) if pause else str(overview["title"]),
        session=overview,
        found=found,
        changes=list(_changes(request, found["since"]["documents"], texts)),
        fresh=[
            {**each, "href": document_address(request, each["path"])}
            for each in sorted(found["since"]["documents"], key=lambda each: not each["path"].endswith(".md"))
            if each["approved"] is None
        ],
        answers=[form for form in answers if form.command == "resume"],
        options=_options(answers, options),
        others=[form for form in answers if form.command != "resume"],
        divided=_divided,
        force_word=FORCE_WORD,
        open_document=lambda path: document_address(request, path),
    )


def _changes(
    request: WebRequest, documents: Sequence[ChangedDocument], texts: Mapping[str, tuple[bytes, bytes]]
) -> Iterator[Change]:
    """Each document that was approved in another version, the largest change first, within the page's limits."""
    left, number = MOST_LINES, 0
    for each in documents:
        if each["approved"] is None:
            continue
        hunks = compared(*texts[each["path"]]) if each["path"] in texts and left > 0 else None
        lines = sum(len(hunk.lines) for hunk in hunks or [])
        if lines > left:
            hunks = None
        else:
            left -= lines
        number += bool(hunks)
        href = f"{diff_address(request, each['path'])}?v={each['version']}&from={each['approved']}"
        yield Change(each, href, hunks, is_open=bool(hunks) and number <= OPEN)


def _divided(column: Column) -> list[Divergence]:
    """What divided a discussion, the most severe first."""
    return each_once(column["divergences"])[:MOST_DIVIDED]


def _options(answers: Sequence[Form], listed: Sequence[Json]) -> list[Form]:
    """A form of one button for each option that the pause offers."""
    asked = next((form for form in answers if "decide" in form.fields), None)
    made = []
    for each in listed if asked is not None else ():
        label = str(each.get("label", "") if isinstance(each, dict) else each)
        means = str(each.get("means") or "") if isinstance(each, dict) else ""
        if asked is not None and label:
            key = f"web-{hashlib.sha256(f'{asked.key} {label}'.encode()).hexdigest()[:32]}"
            says = f"{label}: {means}" if means else label
            made.append(Form("resume", says, key, given={**asked.given, "decide": label}))
    return made
