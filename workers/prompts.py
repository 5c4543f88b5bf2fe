"""The prompt of a document task: role instructions read afresh, the material as data, the schema of the answer."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from orchestrator.domain.pipelines import Perspective, Round

MATERIAL_LIMIT = 60_000  # characters of one block; the cut is said in the block

GOALS = {
    "discovery": "Analyse the request below and, where there is one, the repository it is made in.",
    "brief": "Write the product brief: vision, problem, users, goals, scope, assumptions, constraints, dependencies.",
    "requirements": "Write the requirements: functional and non-functional, each testable and traced to a goal.",
    "architecture": "Write the architecture: style, components, stack, data model, operations, security, decisions.",
    "architecture_review": "Review this draft of an architecture critically: what is missing, wrong, risky or unproven?",
    "epics": "Write the epics with their stories, the first release, the order, and the trace to requirements.",
}
_LANGUAGES = {"en": "English", "zh": "Chinese (identifiers and keys stay English)"}


def render(
    kind: str,
    *,
    templates: Path,
    instructions: str,
    task: str,
    language: str,
    schema: type[BaseModel],
    material: Sequence[tuple[str, str]],
    feedback: Sequence[str] = (),
    improve: Mapping[str, Any] | None = None,
) -> str:
    """A document task's prompt. Each block of material is fenced with a name that its text cannot contain."""
    shown = None
    if improve is not None:
        shown = {**improve, "weak": json.dumps(improve.get("weak", []), ensure_ascii=False, indent=1)}
    text: str = _template(templates, "document.md.j2").render(
        instructions=instructions.strip(),
        task=task,
        goal=GOALS[kind],
        language=_LANGUAGES.get(language, "the language of the request"),
        blocks=[
            {"title": title, "name": _name(text), "text": _cut(text)} for title, text in material if text
        ],
        feedback=[line.replace("\n", " ") for line in feedback],
        improve=shown,
        schema=json.dumps(schema.model_json_schema(), ensure_ascii=False),
    )
    return text


def render_critique(
    perspective: Perspective,
    around: Round,
    *,
    templates: Path,
    instructions: str,
    language: str,
    schema: type[BaseModel],
    material: Sequence[tuple[str, str]],
) -> str:
    """The prompt of one perspective of a round."""
    text: str = _template(templates, "critique.md.j2").render(
        instructions=instructions.strip(),
        label=perspective.label,
        focus_areas=", ".join(perspective.focus),
        round=around.key,
        focus=around.focus,
        coverage=perspective.name == "coverage",
        risk=perspective.name == "risk",
        language=_LANGUAGES.get(language, "the language of the request"),
        blocks=_blocks(material),
        schema=json.dumps(schema.model_json_schema(), ensure_ascii=False),
    )
    return text


def _template(folder: Path, name: str) -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - a prompt is plain text, not markup
        keep_trailing_newline=True,
    )
    return environment.get_template(name)


def _blocks(material: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"title": title, "name": _name(text), "text": _cut(text)} for title, text in material if text]


def _name(text: str) -> str:
    """A fence that the material does not hold, and the same for the same material, so that a prompt can be replayed."""
    name = "material-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
    return name if name not in text else "material-" + secrets.token_hex(8)


def _cut(text: str) -> str:
    if len(text) <= MATERIAL_LIMIT:
        return text
    return f"{text[:MATERIAL_LIMIT]}\n[cut here: {len(text) - MATERIAL_LIMIT} more characters were left out]"
