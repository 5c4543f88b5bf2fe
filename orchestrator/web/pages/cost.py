"""What the agents of a session, or of all of a project, cost: by task or session, role, agent and model."""

from __future__ import annotations

from starlette.responses import Response

from orchestrator.domain.json_types import JsonObject
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import eta, session_line
from orchestrator.views.cost import cost as no_cost
from orchestrator.views.cost import cost_view
from orchestrator.web.rendering import render
from orchestrator.web.web_request import WebRequest

PARTS = {
    "by_task": "By task",
    "by_session": "By session",
    "by_role": "By role",
    "by_agent": "By agent",
    "by_model": "By model",
}
NAMES = ("task", "session", "role", "agent", "model")  # the columns that a part may be named by


def page(request: WebRequest) -> Response:
    def unit(tx: Tx, session: Session) -> JsonObject:
        return {
            "session": session_line.summary(tx, session),
            "cost": cost_view(tx, session.id),
            "expected": eta.expected(tx, session),
        }

    found = request.read(unit)
    return render(
        request,
        "cost.html",
        live="cost_live.html",
        title=request.language.text("Cost"),
        session=found["session"],
        cost=found["cost"],
        expected=found["expected"],
        parts=_parts(found["cost"]),
    )


def of_project(request: WebRequest) -> Response:
    served = request.project
    exists = served.file() is not None
    found = served.read(lambda tx: cost_view(tx, None)) if exists else {"session": None, **no_cost(None)}
    return render(
        request,
        "cost.html",
        live="cost_live.html",
        title=request.language.text("Cost of {0}", served.title),
        session=None,
        cost=found,
        expected=None,
        parts=_parts(found),
    )


def _parts(cost: JsonObject) -> list[JsonObject]:
    """The tables that there are, each with what costs most first."""
    parts = []
    for key, says in PARTS.items():
        rows = [
            {**row, "name": " ".join(str(row[name]) for name in NAMES if row.get(name))}
            for row in cost.get(key, ())
        ]
        rows.sort(key=lambda row: (-row["usd"], -row["tokens_in"] - row["tokens_out"]))
        if key in cost:
            parts.append({"says": says, "rows": rows, "most": max((row["usd"] for row in rows), default=0.0)})
    return parts
