"""What agents cost, in all and by what: of a session, and of all sessions of a project."""

from __future__ import annotations

from starlette.responses import Response

from orchestrator.domain.json_types import JsonObject
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views.cost import cost_view
from orchestrator.web.rendering import render
from orchestrator.web.web_request import WebRequest

MOST = 100  # rows of one table, those that cost most
TABLES = (
    ("by_task", "By task", ("task",)),
    ("by_session", "By session", ("session",)),
    ("by_role", "By role", ("role",)),
    ("by_agent", "By agent", ("agent",)),
    ("by_model", "By model", ("agent", "model")),
)


def page(request: WebRequest) -> Response:
    def unit(tx: Tx, session: Session) -> tuple[str, JsonObject]:
        return session.title, cost_view(tx, session.id)

    title, found = request.read(unit)
    return _page(request, f"Cost of {title}", found)


def of_project(request: WebRequest) -> Response:
    served = request.project
    found = served.read(lambda tx: cost_view(tx, None)) if served.file() is not None else None
    return _page(request, f"Cost of {served.title}", found)


def _page(request: WebRequest, title: str, found: JsonObject | None) -> Response:
    return render(
        request,
        "cost.html",
        live="cost_live.html",
        title=title,
        cost=found,
        tables=[] if found is None else _tables(found),
    )


def _tables(found: JsonObject) -> list[JsonObject]:
    tables = []
    for key, title, columns in TABLES:
        rows = sorted(found.get(key, ()), key=lambda row: (-row["usd"], -row["calls"]))
        if rows:
            shown = [{"names": [row[name] for name in columns], **row} for row in rows[:MOST]]
            highest = max(row["usd"] for row in rows)
            tables.append(
                {
                    "title": title,
                    "columns": columns,
                    "rows": shown,
                    "more": len(rows) - len(shown),
                    "highest": highest,
                }
            )
    return tables
