"""The prompts: role instructions read afresh, the material as data, the schema of the answer.

Material is written by others (a request, documents, a repository, a person's words), so each piece stands between fences
whose name it does not contain: nothing in it can end it. The same material gives the same prompt, which can be replayed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel

from orchestrator.config import resources
from orchestrator.domain.json_types import Json
from orchestrator.domain.pipelines import Perspective, Round

if TYPE_CHECKING:
    from jinja2 import Template

MATERIAL_LIMIT = 60_000  # characters of one block; the cut is said in the block
Material = Sequence[tuple[str, str]]  # (title, text); what is empty is left out

_LANGUAGES = {"en": "English", "zh": "Chinese (identifiers and keys stay English)"}


def render(
    goal: str,
    *,
    instructions: str,
    task: str,
    language: str,
    schema: type[BaseModel],
    material: Material,
    feedback: Sequence[str] = (),
    improve: Mapping[str, Json] | None = None,
) -> str:
    """A document task's prompt."""
    asked = [("To be answered in this version", "\n".join(f"- {_one_line(line)}" for line in feedback))]
    if improve is not None:
        asked.append(("Weak places", json.dumps(improve.get("weak", []), ensure_ascii=False, indent=1)))
    return _fill(
        "document.md.j2",
        instructions=instructions.strip(),
        task=task,
        goal=goal,
        language=_language(language),
        blocks=_blocks([*material, *asked]),
        feedback=bool(feedback),
        improve=improve,
        schema=_schema(schema),
    )


def render_critique(
    perspective: Perspective,
    around: Round,
    *,
    instructions: str,
    language: str,
    schema: type[BaseModel],
    material: Material,
) -> str:
    """The prompt of one perspective of a round."""
    return _fill(
        "critique.md.j2",
        instructions=instructions.strip(),
        label=perspective.label,
        focus_areas=", ".join(perspective.focus),
        round=around.key,
        focus=around.focus,
        coverage=perspective.name == "coverage",
        risk=perspective.name == "risk",
        language=_language(language),
        blocks=_blocks(material),
        schema=_schema(schema),
    )


def _language(name: str) -> str:
    return _LANGUAGES.get(name, "the language of the request")


def _schema(schema: type[BaseModel]) -> str:
    return json.dumps(schema.model_json_schema(), ensure_ascii=False)


def _fill(name: str, **values: object) -> str:
    return _template(name).render(**values)


@cache
def _template(name: str) -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(resources() / "config" / "prompts"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - a prompt is plain text, not markup
        keep_trailing_newline=True,
    )
    return environment.get_template(name)


def _blocks(material: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"title": title, "name": fence(text), "text": _cut(text)} for title, text in material if text]


def fence(text: str) -> str:
    """A name that `text` does not contain, and the same for the same text."""
    salt = 0
    while True:
        name = "material-" + hashlib.sha256(f"{salt}{text}".encode("utf-8", "replace")).hexdigest()[:12]
        if name not in text:
            return name
        salt += 1


_BLOCK = re.compile(r"^## ([^\n]*)\n\n<<<(material-[0-9a-f]{12})\n(.*?)\n\2>>>$", re.M | re.S)
_SCHEMA = "\n## JSON Schema of your answer\n"
_TASK = "\n# Your task"


def parts(prompt: str) -> list[tuple[str, str]]:
    """A prompt taken apart again: instructions, task, each block of material by its title, schema. All text is in one."""
    body, found, schema = prompt.rpartition(_SCHEMA)
    if not found:
        body, schema = prompt, ""
    blocks = list(_BLOCK.finditer(body))
    head = body[: blocks[0].start()] if blocks else body
    instructions, mark, task = head.rpartition(_TASK)
    named = [("instructions", instructions), ("task", mark + task)]
    at = len(head)
    for block in blocks:
        between = body[at : block.start()].strip()
        named += [("between", between), (block[1], block[3])]
        at = block.end()
    named += [("after", body[at:].strip() if blocks else ""), ("schema", schema)]
    return _unlike((name, text) for name, text in named if text)


def _unlike(named: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The same with a number behind a name that was there before."""
    seen: dict[str, int] = {}
    apart = []
    for name, text in named:
        seen[name] = seen.get(name, 0) + 1
        apart.append((name if seen[name] == 1 else f"{name} ({seen[name]})", text))
    return apart


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> str:
    if len(text) <= MATERIAL_LIMIT:
        return text
    return f"{text[:MATERIAL_LIMIT]}\n[cut here: {len(text) - MATERIAL_LIMIT} more characters were left out]"
