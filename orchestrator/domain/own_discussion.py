"""The discussion of a file of one's own: a session with one task, DISCUSS-001 (docs/dynamic.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.dataclass import replace
from orchestrator.domain.documents import Catalogue
from orchestrator.domain.errors import UnknownName, UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import TaskDef
from orchestrator.domain.patterns import expression
from orchestrator.domain.pipelines import Pack, Pipeline, PipelineDef, Round

MODE = "discuss"
ROUND = "DISCUSS-001"
OPTION = "discusses"  # of a session: `path` and `sha256` of the file
CRITIC = "critic"  # of the payload: the agent that every perspective asks first
FOLDER, EARLIER = "input/", "earlier/"  # where the file and the records of earlier discussions of it are kept
MOST_EARLIER = 3
USUAL = ("feasibility", "clarity", "accuracy")
FOCUS = "whether it can be relied on as it is, and what has to change first"
_PLAIN = expression(r"[^\w.-]+")
_DEVICES = {"CON", "PRN", "AUX", "NUL", *(f"{name}{n}" for name in ("COM", "LPT") for n in range(1, 10))}
_ROUND = expression(r"(?:D|DISCUSS-)?\d{1,3}(?:-R\d+)?", re.IGNORECASE)


def names_a_round(name: str) -> bool:
    """Whether `name` is one of a round: DISCUSS-002, D2 or 2."""
    return _ROUND.fullmatch(name) is not None


def chosen_views(pack: Pack, names: Sequence[str]) -> tuple[str, ...]:
    """The perspectives of the discussion, the usual ones where none is named. Raises UnknownName, UsageError."""
    chosen = tuple(dict.fromkeys(names)) or tuple(name for name in USUAL if name in pack.perspectives)
    for name in chosen:
        if name not in pack.perspectives:
            raise UnknownName("perspective", name, pack.perspectives)
    if "coverage" in chosen:
        raise UsageError(
            "coverage cannot discuss a file of its own",
            why="it compares with the discovery context of a session, and there is none",
            fix="name others: --perspectives quality,risk",
        )
    return chosen


def artifact_of(name: str) -> str:
    """Where the file is kept in its session: its name as far as it is plain, Markdown where it is neither JSON nor text."""
    stem, _, suffix = name.rpartition(".")
    kept = suffix in ("md", "json", "txt")
    plain = _PLAIN.sub("-", stem if kept else name).strip("-.")[:100].strip("-.")
    if not plain or plain.partition(".")[0].upper() in _DEVICES:
        plain = "document"
    return f"{FOLDER}{plain}.{suffix if kept else 'md'}"


def discussion_of(
    pack: Pack, artifact: str, views: Sequence[str], critic: str | None
) -> tuple[Pack, Pipeline]:
    """The pack and the one task of the session."""
    role = pack.role_of("DISCUSS")
    payload: JsonObject = {CRITIC: critic} if critic else {}
    task = TaskDef(ROUND, role.name, "DISCUSS", round=ROUND, phase=MODE, payload=payload)
    around = Round(ROUND, ROUND, artifact, tuple(views), FOCUS, role.name)
    own = replace(
        pack,
        rounds={ROUND: around},
        pipelines={MODE: PipelineDef(MODE, (task,), "a discussion of one file")},
        supervise=(),
        documents=Catalogue(),
    )
    return own, Pipeline(MODE, (task,), discuss="standalone")
