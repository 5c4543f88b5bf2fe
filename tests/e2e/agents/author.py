"""A program that writes every document as a model would: JSON between words, a wrong first try, references by handle."""

import json
import os
import sys
from pathlib import Path

prompt = sys.stdin.read()
kind = os.environ["LIFECYCLE_KIND"]
seen = (
    Path(sys.argv[1]) / f"{os.environ['LIFECYCLE_TASK']}-{kind}-{os.environ.get('LIFECYCLE_PERSPECTIVE', '')}"
)
first = not seen.exists()
seen.write_text(prompt)

DOCUMENTS = {
    "discovery": {
        "title": "Museum catalogue",
        "problem_statement": "Nobody finds an object in the depot.",
        "domain": "museums",
        "requirements": [
            {"text": "The catalogue must show where an object lies", "kind": "functional", "moscow": "Must"}
        ],
        "target_users": [{"name": "Curators", "needs": ["find objects"], "source": "stated"}],
        "exploration_dimensions": [
            {"name": "depot", "why": "the places are named differently in each house"}
        ],
    },
    "brief": {
        "title": "Museum catalogue",
        "vision": {"text": "Every object is found", "source": "proposed", "reason": "nobody said so yet"},
        "situation": "Cards in drawers.",
        "goals": [
            {
                "id": "new",
                "text": "Objects are found quickly",
                "metric": "time to find",
                "source": "proposed",
                "reason": "r",
            }
        ],
    },
    "requirements": {
        "items": [
            {
                "id": "new:show",
                "title": "Show the place",
                "statement": "The catalogue must show where an object lies",
                "quote": "The catalogue must show where an object lies",
                "goals": ["G-001"],
                "acceptance_criteria": ["Given an object, when it is looked up, then its place is shown"],
                "user_story": {
                    "as_a": "curator",
                    "i_want": "to see the place",
                    "so_that": "I find the object",
                },
                "source": "stated",
            },
            {
                "id": "new",
                "title": "Print a label",
                "statement": "It could print a label",
                "moscow": "Could",
                "goals": ["G-001", "G-099"],
            },
        ]
    },
    "architecture": {
        "overview": "One service with one database.",
        "style": {"text": "One program", "source": "proposed", "reason": "few users"},
        "components": [
            {"name": "Places", "responsibility": "knows where objects lie", "requirements": ["REQ-001"]}
        ],
        "adrs": [
            {
                "id": "new",
                "title": "One database",
                "context": "objects and places belong together",
                "decision": "keep them in one database",
                "alternatives": [
                    {"name": "two", "pros": ["apart"], "cons": ["drift"]},
                    {"name": "files", "pros": ["simple"], "cons": ["slow"]},
                ],
                "consequences": ["one backup"],
                "requirements": ["REQ-001"],
            }
        ],
    },
    "architecture_review": {
        "concerns": [{"text": "Who may change a place is not said", "severity": "medium"}]
    },
    "epics": {
        "items": [
            {
                "id": "new:find",
                "title": "Find objects",
                "goal": "curators find objects",
                "requirements": ["REQ-001"],
                "stories": [
                    {
                        "title": "Look up",
                        "as_a": "curator",
                        "i_want": "to look up an object",
                        "so_that": "I find it",
                        "acceptance_criteria": [
                            "Given a name, when it is looked up, then the place is shown"
                        ],
                        "requirements": ["REQ-001"],
                        "adrs": ["ADR-001"],
                    }
                ],
            },
            {
                "id": "new",
                "title": "Labels",
                "goal": "labels are printed",
                "moscow": "Could",
                "mvp": False,
                "depends_on": ["new:find"],
                "requirements": ["REQ-002"],
            },
        ]
    },
    "critique": {
        "rating": 4,
        "strengths": [f"{os.environ.get('LIFECYCLE_PERSPECTIVE')} likes it"],
        "suggestions": ["say who may change a place"],
    },
}

if kind == "brief" and first:
    print(json.dumps({"title": "no vision"}))  # wrong: it has to be asked once more, with what was wrong
else:
    print(
        "Here it is, as you asked:\n```json\n"
        + json.dumps(DOCUMENTS[kind])
        + "\n```\nTell me if you need more."
    )
