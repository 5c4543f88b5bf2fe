"""A program that answers any question of a session with well-formed JSON of a realistic size, and keeps what it was asked.

`python scripted_model.py FOLDER ITEMS`: the prompt comes on standard input; FOLDER gets a file for each; ITEMS bounds how
many requirements it finds. What it answers follows from the prompt alone.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

_REQUEST = re.compile(r"^## The request\n\n<<<(\S+)\n(.*?)\n\1>>>$", re.M | re.S)
_BLOCK = re.compile(r"^## ([^\n]*)\n\n<<<(material-\w+)\n(.*?)\n\2>>>$", re.M | re.S)
_WANTED = re.compile(r"\b(must|shall|should|could|want to)\b", re.I)
_STORY = re.compile(r"\|\s*(US-\d+)\s*\|\s*(.*?)\s*\|\s*(P\d)\s*\|")
_MOSCOW = {"must": "Must", "shall": "Must", "want to": "Should", "should": "Should", "could": "Could"}


def wanted_of(prompt: str, most: int) -> list[str]:
    """The sentences of the request that ask for something."""
    found = _REQUEST.search(prompt)
    lines = [] if found is None else found[2].splitlines()
    said = [story[2] if (story := _STORY.match(line)) else line.strip("-| ") for line in lines]
    return [line for line in dict.fromkeys(said) if _WANTED.search(line)][:most]


def answer(kind: str, perspectives: list[str], prompt: str, most: int) -> dict[str, Any]:
    wanted = wanted_of(prompt, most)
    if kind == "critique":
        made = {name: _critique(name, prompt) for name in perspectives}
        return made if len(made) > 1 else next(iter(made.values()))
    return {
        "discovery": _discovery,
        "brief": _brief,
        "requirements": _requirements,
        "architecture": _architecture,
        "architecture_review": _review,
        "epics": _epics,
    }[kind](wanted)


def _priority(text: str) -> str:
    found = _WANTED.search(text)
    return _MOSCOW[found[1].lower()] if found else "Should"


def _discovery(wanted: list[str]) -> dict[str, Any]:
    return {
        "title": "Berth and cargo planning",
        "problem_statement": "Ports plan berths on paper, and nobody sees a conflict before it happens.",
        "domain": "logistics",
        "goals": [{"text": "Vessels wait less at anchor", "metric": "hours per call", "target": "4 hours"}],
        "target_users": [{"name": "Berth planner", "needs": ["one plan"], "source": "stated"}],
        "requirements": [
            {"id": f"S-{number}", "text": text, "kind": "functional", "priority": _priority(text)}
            for number, text in enumerate(wanted, 1)
        ],
        "exclusions": ["Customs declarations"],
        "constraints": ["The first port goes live before the season begins"],
        "exploration_dimensions": [],
        "complexity": "medium",
    }


def _brief(wanted: list[str]) -> dict[str, Any]:
    stated = [{"text": text, "source": "stated"} for text in wanted[:12]]
    return {
        "title": "Berth and cargo planning",
        "vision": {"text": "One plan of berths that everybody in the port reads", "source": "stated"},
        "situation": "Forty small ports plan their berths on paper and by telephone.",
        "users": [{"name": "Berth planner", "needs": ["one plan"], "source": "stated"}],
        "goals": [
            {"id": "new", "text": f"Goal {n}: vessels wait less", "metric": "hours", "source": "stated"}
            for n in range(1, 5)
        ],
        "in_scope": stated,
        "constraints": stated[:2],
    }


def _requirements(wanted: list[str]) -> dict[str, Any]:
    return {
        "summary": "What the ports need.",
        "items": [
            {
                "id": "new",
                "title": text[:60],
                "statement": text,
                "acceptance_criteria": [
                    f"Given a plan of ten days, when it is used, then this holds: {text}",
                    "The change is shown to everybody within 2 seconds.",
                ],
                "moscow": _priority(text),
                "goals": [f"G-00{number % 4 + 1}"],
                "quote": text,
                "source": "stated",
            }
            for number, text in enumerate(wanted)
        ],
    }


def _architecture(wanted: list[str]) -> dict[str, Any]:
    ids = [f"REQ-{number:03}" for number in range(1, len(wanted) + 1)]
    parts = ("Planner", "Announcements", "Orders", "Invoices", "Reports", "Access")
    return {
        "overview": "A web application over one store of plans, with a tablet view for foremen.",
        "style": {"text": "Modular monolith", "source": "proposed", "reason": "one small team"},
        "components": [
            {
                "name": name,
                "responsibility": f"Owns {name.lower()}",
                "requirements": ids[n::6],
                "reason": "cohesion",
            }
            for n, name in enumerate(parts)
        ],
        "stack": [
            {"layer": layer, "choice": "to be decided", "rationale": "the request names none"}
            for layer in ("language", "storage", "interface")
        ],
        "adrs": [
            {
                "id": "new",
                "title": f"Decision {n}: how {name.lower()} are kept",
                "context": "Several people change the same plan.",
                "decision": "One store with versions of every entry.",
                "alternatives": [
                    {"name": "Files", "pros": ["simple"], "cons": ["conflicts are found late"]},
                    {"name": "Events", "pros": ["history"], "cons": ["harder to query"]},
                ],
                "consequences": ["Conflicts are found when they are made."],
                "requirements": ids[n::8][:6],
                "reason": "conflicts must be seen",
            }
            for n, name in enumerate(parts[:4], 1)
        ],
    }


def _review(_: list[str]) -> dict[str, Any]:
    return {"concerns": [{"text": "Offline work of tablets is not decided", "severity": "high"}]}


def _epics(wanted: list[str]) -> dict[str, Any]:
    share = [(n, text) for n, text in enumerate(wanted, 1)]
    return {
        "summary": "Five epics.",
        "items": [
            {
                "id": "new",
                "title": f"Epic {epic}",
                "goal": "Plan berths together",
                "requirements": [f"REQ-{n:03}" for n, _ in share[epic::5]],
                "stories": [
                    {
                        "id": "new",
                        "title": text[:60],
                        "as_a": "berth planner",
                        "i_want": text,
                        "acceptance_criteria": ["It is shown within 2 seconds."],
                        "requirements": [f"REQ-{n:03}"],
                    }
                    for n, text in share[epic::5][:4]
                ],
                "reason": "by theme",
            }
            for epic in range(5)
        ],
    }


def _critique(name: str, prompt: str) -> dict[str, Any]:
    lines = [line.strip("-#| ") for line in _artifact(prompt).splitlines()]
    places = [line[:80] for line in lines if len(line.split()) > 5][:3] or ["the whole"]
    return {
        "rating": 4,
        "strengths": [f'"{places[0]}" is clear'],
        "weaknesses": [{"text": f'"{place}" could be measured', "severity": "low"} for place in places],
        "suggestions": [f"say for {name} how it is measured"],
        **({"risk_level": "low"} if name == "risk" else {}),
    }


def _artifact(prompt: str) -> str:
    """The piece that the task names, or the last one that is a document."""
    named = re.search(r"^The artifact is (\S+)\.", prompt, re.M)
    pieces = [(block[1], block[3]) for block in _BLOCK.finditer(prompt)]
    return next((text for title, text in pieces if named and title.endswith(named[1])), pieces[-1][1])


def main() -> None:
    folder, most = Path(sys.argv[1]), int(sys.argv[2])
    prompt = sys.stdin.read()
    name = f"{len(list(folder.iterdir())):03}-{os.getpid()}.txt"
    (folder / name).write_text(prompt, encoding="utf-8")
    views = os.environ["LIFECYCLE_PERSPECTIVE"].split("+")
    print(json.dumps(answer(os.environ["LIFECYCLE_KIND"], views, prompt, most), ensure_ascii=False))


if __name__ == "__main__":
    main()
