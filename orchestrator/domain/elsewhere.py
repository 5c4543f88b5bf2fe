"""What a worker host on another machine can do: what needs documents alone, and work in private trees made of commits
that travel.

Whatever looks at the project beside its code, or acts on the user's repository, stays with the hosts of the project's
machine.
"""

from __future__ import annotations

from collections.abc import Iterable

CODE_ROLES = ("executor", "planner", "tester")  # which work on the session's commits
ROLES_ELSEWHERE = (
    "analyst",
    "discussant",
    "executor",
    "explorer",
    "planner",
    "reviewer",
    "synthesizer",
    "tester",
    "writer",
)
REVIEWS_OF_CODE = "REVIEW"  # the prefix of a reviewer's tasks that work on commits
QUALITY = "QUALITY"  # that of those that need none
WHY_HERE = "it is done beside the project's own repository, by hosts of that machine alone"


def stay_here(roles: Iterable[str]) -> list[str]:
    """Those of the roles that no host on another machine can have."""
    return [role for role in roles if role not in ROLES_ELSEWHERE]


def needs_commits(role: str, prefix: str) -> bool:
    """Whether a task is done with the session's commits at hand."""
    return role in CODE_ROLES or (role == "reviewer" and prefix == REVIEWS_OF_CODE)
