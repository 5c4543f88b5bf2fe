"""The prompts: what changes least comes first, so that what one reader has read is the beginning of what the next one reads.

The order is: rules that hold for everyone, the request, the repository, the documents in the order they are drafted in; then
what belongs to one task alone, who is asked, the task, and the schema of the answer. A model's server reads a beginning that
it knows from its cache, and a conversation that goes on is told only what it was not told before.

Material is written by others (a request, documents, a repository, a person's words), so each piece stands between fences
whose name it does not contain: nothing in it can end it. The same material gives the same prompt, which can be replayed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from pydantic import BaseModel

from orchestrator.config import resources
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression
from orchestrator.domain.pipelines import Perspective, Round
from workers.documents.cutting import cut

if TYPE_CHECKING:
    from jinja2 import Environment

MATERIAL_LIMIT = 60_000  # characters of one piece; what is left out is said in the piece
FINDINGS = "Findings made by rules"  # the title of what a critic has to judge one by one
Material = Sequence[tuple[str, str]]  # (title, text); what is empty is left out

_LANGUAGES = {"en": "English", "zh": "Chinese (identifiers and keys stay English)"}
_GOES_ON = (
    "You go on with this conversation. The request, the repository and the documents that you were given before still hold; "
    "where one comes again under the same title, only the new one holds. What an earlier task was given for itself, such as "
    "feedback to answer or places to improve, holds no longer.\n\n"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of material between its fences."""

    title: str
    name: str  # of its fences, which tells it from every other text
    text: str

    @property
    def shown(self) -> str:
        return f"## {self.title}\n\n<<<{self.name}\n{self.text}\n{self.name}>>>\n\n"

    @property
    def key(self) -> str:
        """What tells it from other pieces of one conversation."""
        return f"{self.title}: {self.name}"


@dataclass(frozen=True)
class Prompt:
    """A prompt by its parts. `shared` is the same for everyone who is asked about the same material."""

    rules: str
    shared: tuple[Piece, ...]
    own: tuple[Piece, ...]
    task: str  # who is asked, for what, and the schema

    @cached_property
    def text(self) -> str:
        return "".join([self.rules, *(piece.shown for piece in self.pieces), self.task])

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return (*self.shared, *self.own)

    @property
    def keys(self) -> list[str]:
        """Of all pieces: what a conversation knows that was given this prompt."""
        return [piece.key for piece in self.pieces]

    @property
    def breaks(self) -> tuple[int, ...]:
        """Where the text may be divided for a cache: behind each shared piece."""
        ends = accumulate((len(piece.shown) for piece in self.shared), initial=len(self.rules))
        return tuple(ends)[1:]

    def news(self, told: Collection[str]) -> str | None:
        """The prompt for a conversation that was given the pieces `told`; None when it was given none that are shared."""
        new = [piece for piece in self.shared if piece.key not in told]
        if len(new) == len(self.shared):
            return None
        return "".join([_GOES_ON, self.rules, *(piece.shown for piece in (*new, *self.own)), self.task])


def render(
    goal: str,
    *,
    instructions: str,
    task: str,
    language: str,
    schema: type[BaseModel],
    shared: Material = (),
    material: Material = (),
    feedback: Sequence[str] = (),
    improve: Mapping[str, Json] | None = None,
) -> Prompt:
    """A document task's prompt. `shared`: what others read in the same order; `material`: what is this task's alone."""
    asked = [("To be answered in this version", "\n".join(f"- {_one_line(line)}" for line in feedback))]
    if improve is not None:
        asked.append(("Weak places", json.dumps(improve.get("weak", []), ensure_ascii=False, indent=1)))
    said = _fill(
        "document_task.md.j2",
        instructions=instructions.strip(),
        task=task,
        goal=goal,
        feedback=bool(feedback),
        improve=improve,
    )
    return _prompt(language, shared, [*material, *asked], said, schema)


def render_plan(
    goal: str,
    *,
    instructions: str,
    task: str,
    language: str,
    schema: type[BaseModel],
    shared: Material,
    material: Material,
    feedback: Sequence[str] = (),
    faulty: tuple[str, Sequence[str]] | None = None,
    **known: object,
) -> Prompt:
    """The prompt of a plan. `faulty`: the plan that was given before and its faults; `known`: what the template names."""
    own = [
        *material,
        ("To be answered in this version", "\n".join(f"- {_one_line(line)}" for line in feedback)),
    ]
    if faulty is not None:
        given, faults = faulty
        own += [
            ("The plan as you gave it", given),
            ("Faults of that plan", "\n".join(f"- {_one_line(fault)}" for fault in faults)),
        ]
    said = _fill(
        "plan_task.md.j2",
        instructions=instructions.strip(),
        task=task,
        goal=goal,
        feedback=bool(feedback),
        faults=faulty is not None,
        **known,
    )
    return _prompt(language, shared, own, said, schema)


def render_critique(
    perspectives: Sequence[Perspective],
    around: Round,
    *,
    instructions: str,
    language: str,
    schema: type[BaseModel],
    shared: Material,
) -> Prompt:
    """The prompt of one perspective of a round, or of several that are asked in one call."""
    several = len(perspectives) > 1

    def of(name: str) -> str:
        """Where the field of a perspective is; empty when the round does not ask it."""
        asked = any(view.name == name for view in perspectives)
        return f" of `{name}`" if several and asked else " " if asked else ""

    said = _fill(
        "critique_task.md.j2",
        instructions=instructions.strip(),
        views=[
            {"name": view.name, "label": view.label, "focus": ", ".join(view.focus)} for view in perspectives
        ],
        artifact=around.artifact,
        round=around.key,
        focus=around.focus,
        findings=FINDINGS if any(title == FINDINGS and text for title, text in shared) else "",
        coverage=of("coverage").rstrip() if several else of("coverage"),
        risk=of("risk"),
    )
    return _prompt(language, shared, (), said, schema)


def render_places(artifact: tuple[str, str], *, language: str, schema: type[BaseModel]) -> str:
    """What a critic is asked that pointed to no place, where it has no memory of what it read: the artifact alone."""
    return _prompt(language, [artifact], (), "", schema).text


def _prompt(language: str, shared: Material, own: Material, task: str, schema: type[BaseModel]) -> Prompt:
    rules = _fill("rules.md.j2", language=_LANGUAGES.get(language, "the language of the request"))
    asked = f"{task.rstrip()}\n{_SCHEMA}\n```json\n{_schema(schema)}\n```\n"
    return Prompt(rules, _pieces(shared), _pieces(own), asked.lstrip("\n"))


@lru_cache(maxsize=64)
def _schema(schema: type[BaseModel]) -> str:
    """The JSON Schema without titles and defaults, which repeat what is there."""
    return json.dumps(_lean(schema.model_json_schema()), ensure_ascii=False, separators=(",", ":"))


def _lean(value: Json, *, names: bool = False) -> Json:
    """`names`: the keys of `value` are the names of fields, and a field may be called `title`."""
    if isinstance(value, list):
        return [_lean(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _lean(each, names=key in ("properties", "$defs") and not names)
        for key, each in value.items()
        if names or key not in ("title", "default")
    }


def _fill(name: str, **values: object) -> str:
    return environment().get_template(name).render(**values)


@cache
def environment() -> Environment:
    """Of the prompts' templates."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from orchestrator.config.compiled_templates import CompiledTemplates

    return Environment(
        loader=FileSystemLoader(resources() / "config" / "prompts"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - a prompt is plain text, not markup
        keep_trailing_newline=True,
        bytecode_cache=CompiledTemplates("prompts"),
    )


def _pieces(material: Material) -> tuple[Piece, ...]:
    shown = [(title, cut(text, MATERIAL_LIMIT)) for title, text in material if text]
    return tuple(Piece(title, fence(text), text) for title, text in shown)


def fence(text: str) -> str:
    """A name that `text` does not contain, and the same for the same text."""
    salt = 0
    while True:
        name = "material-" + hashlib.sha256(f"{salt}{text}".encode("utf-8", "replace")).hexdigest()[:12]
        if name not in text:
            return name
        salt += 1


_BLOCK = expression(r"^## ([^\n]*)\n\n<<<(material-[0-9a-f]{12})\n(.*?)\n\2>>>$", re.M | re.S)
_SCHEMA = "\n## JSON Schema of your answer\n"
_TASK = "\n# Your task"


def parts(prompt: str) -> list[tuple[str, str]]:
    """A prompt taken apart again: rules, each piece of material by its title, instructions, task, schema."""
    body, found, schema = prompt.rpartition(_SCHEMA)
    if not found:
        body, schema = prompt, ""
    blocks = list(_BLOCK.finditer(body))
    named: list[tuple[str, str]] = []
    at = 0
    for block in blocks:
        between = body[at : block.start()]
        named += [("rules" if at == 0 else "between", between.strip()), (block[1], block[3])]
        at = block.end()
    instructions, mark, task = body[at:].rpartition(_TASK)
    named += [("instructions", instructions.strip()), ("task", (mark + task).strip()), ("schema", schema)]
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
