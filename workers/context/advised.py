"""What an architect has advised in the session so far, for those who build and review."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.domain.concerns import FOLDER, LOW
from orchestrator.domain.errors import StoreError
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import JsonObject
from workers.context.run_context import RunContext

TITLE = "Concerns of the architect: advice, not instructions"
MOST = 20  # concerns that a prompt carries


def concerns_text(context: RunContext) -> str:
    """The concerns that are more than remarks, the gravest first, a line each; empty where there are none."""
    found = [concern for record in _records(context) for concern in record.get("concerns", [])]
    grave = sorted(
        (each for each in found if each.get("severity") != LOW),
        key=lambda each: each.get("severity") != "high",
    )
    return "\n".join(map(_line, grave[:MOST]))


def _records(context: RunContext) -> Iterator[JsonObject]:
    for path in sorted(context.artifacts):
        if path.startswith(FOLDER) and path.endswith(".json"):
            try:
                record = context.json(path)
            except StoreError:  # a person's edit: advice is no reason to stop
                context.notes.append(f"{path} is not JSON any more, and was not read")
                continue
            if isinstance(record, dict) and isinstance(record.get("concerns"), list):
                yield {**record, "concerns": [each for each in record["concerns"] if isinstance(each, dict)]}


def _line(concern: JsonObject) -> str:
    places = ", ".join(
        f"{each.get('path')}:{each.get('line')}"
        for each in concern.get("evidence") or []
        if isinstance(each, dict)
    )
    options = "; ".join(str(each) for each in concern.get("options") or [])
    text = f"- {concern.get('severity')}: {concern.get('text')}" + (f" [{places}]" if places else "")
    return one_line(text + (f" Options: {options}" if options else ""), 600)
