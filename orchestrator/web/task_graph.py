"""The tasks of a session as a drawing: a lane a phase, what is likely to take longest drawn thick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from markupsafe import Markup

from orchestrator.domain import drawing
from orchestrator.domain.json_types import Json
from orchestrator.web.graph_svg import Face, fitted, svg
from orchestrator.web.language import Language
from orchestrator.web.rendering import address

CELLS = 16  # of a line in a box


def task_graph(
    slug: str, session: str, tasks: Sequence[Mapping[str, Json]], path: Sequence[str], spoken: Language
) -> Markup:
    """The drawing of tasks as `check` shows them; `path` is the critical one, in its order."""
    nodes = [
        drawing.Node(
            str(task["task"]),
            tuple(task["blocked_by"]),
            spoken.word(str(task["phase"])),
            task["revision_of"] or None,
        )
        for task in tasks
    ]
    faces = {
        str(task["task"]): Face(
            (*fitted(str(task["task"]), CELLS, 2), str(task["role"])[:CELLS])[:2],
            f"{task['task']}: {spoken.word(task['mark'])}",
            (str(task["mark"]),),
            address("p", slug, "s", session, "t", str(task["task"])),
        )
        for task in tasks
    }
    return svg(drawing.place(nodes, set(pairwise(path))), faces)
