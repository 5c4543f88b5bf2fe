"""What a role's agents are told, read afresh for every task: a built role's shipped file, a generated one's own."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.config.role_files import guidance_of, path_of
from orchestrator.domain.dynamic import KIND
from orchestrator.domain.pipelines import Pack
from orchestrator.door.desk import Desk, Run
from workers.roles import LIKE, work_of


def instructed(desk: Desk, pack: Pack, row: Run, shipped: Callable[[str], str]) -> tuple[str, list[str]]:
    """The instructions, and notes. An edit that left nothing usable is passed over for the version before it."""
    if pack.roles[row.role].kind != KIND:
        return shipped(row.role), []
    work = work_of(pack, row)
    base = shipped(work) if work in LIKE.values() else ""
    path = path_of(row.role)
    for age, text in enumerate(reversed(desk.texts_of(row.session_id, path))):
        own = guidance_of(text, row.role)
        if own is not None:
            note = f"{path} was edited to something that is no role file: the version before is used"
            return "\n\n".join(filter(None, [own, base])), [note] if age else []
    return base, [f"{path} is not there"]
