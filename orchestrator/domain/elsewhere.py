"""What a worker host on another machine can do: what needs no private tree and no commit of the project's repository.

Such trees are made from the session's own git store, which is beside the project; until its commits travel, tasks that
work in one stay with the hosts of that machine.
"""

from __future__ import annotations

from collections.abc import Iterable

ROLES_ELSEWHERE = ("analyst", "discussant", "explorer", "reviewer", "synthesizer", "writer")
REVIEWS_OF_CODE = "REVIEW"  # the prefix of a reviewer's tasks that need a tree
QUALITY = "QUALITY"  # that of those that need none
WHY_HERE = "it works in private trees of the project's repository, which only hosts of its own machine have"


def stay_here(roles: Iterable[str]) -> list[str]:
    """Those of the roles that no host on another machine can have."""
    return [role for role in roles if role not in ROLES_ELSEWHERE]
