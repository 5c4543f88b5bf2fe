"""Mermaid diagrams from content: every name is a made-up node id, every label is quoted and escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workers.documents.content import Architecture, Epic
from workers.documents.escape import Safe, mermaid


def context(system: str, actors: Sequence[str], neighbours: Sequence[str]) -> Safe:
    """Who uses the system and what it talks to."""
    lines = [f"system[{mermaid(system)}]"]
    for number, actor in enumerate(actors, 1):
        lines += [f"actor{number}([{mermaid(actor)}])", f"actor{number} --> system"]
    for number, neighbour in enumerate(neighbours, 1):
        lines += [f"outer{number}[[{mermaid(neighbour)}]]", f"system --> outer{number}"]
    return _flowchart("LR", lines)


def components(architecture: Architecture) -> Safe:
    """The components and what each depends on."""
    nodes = {
        component.name: f"component{number}" for number, component in enumerate(architecture.components, 1)
    }
    lines = [f"{node}[{mermaid(name)}]" for name, node in nodes.items()]
    lines += [
        f"{nodes[component.name]} --> {nodes[other]}"
        for component in architecture.components
        for other in component.depends_on
        if other in nodes
    ]
    return _flowchart("TD", lines)


def epics(items: Sequence[Epic]) -> Safe:
    """Which epic needs which: the arrow points to what comes later."""
    nodes = {epic.id: f"epic{number}" for number, epic in enumerate(items, 1)}
    lines = [f"{nodes[epic.id]}[{mermaid(f'{epic.id} {epic.title}')}]" for epic in items]
    lines += [
        f"{nodes[other]} --> {nodes[epic.id]}"
        for epic in items
        for other in epic.depends_on
        if other in nodes
    ]
    return _flowchart("LR", lines)


def order(steps: Sequence[Sequence[str]]) -> Safe:
    """The steps one after the other, each with its epics."""
    lines = [f"step{number}[{mermaid(', '.join(step))}]" for number, step in enumerate(steps, 1)]
    lines += [f"step{number} --> step{number + 1}" for number in range(1, len(steps))]
    return _flowchart("LR", lines)


def _flowchart(direction: str, lines: Iterable[str]) -> Safe:
    return Safe(
        "\n".join(["```mermaid", f"flowchart {direction}", *(f"    {line}" for line in lines), "```"])
    )
