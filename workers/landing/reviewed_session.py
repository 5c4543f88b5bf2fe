"""The work of a session: that of its plan, or the user's own commits that it reviews."""

from __future__ import annotations

from orchestrator.domain.dataclass import replace
from orchestrator.domain.dynamic import KIND
from orchestrator.domain.plan import INCLUDE_DIRTY
from orchestrator.domain.review_verdicts import OPTION
from workers.context.run_context import RunContext
from workers.git.borrowed_work import borrow_work
from workers.git.checkouts import trees_folder
from workers.git.private_store import Base
from workers.git.reviewed_work import open_reviewed_work
from workers.git.session_work import SessionWork, begin_work, open_work


def is_review(context: RunContext) -> bool:
    """Whether the session reviews commits of the user's, and changes nothing."""
    return OPTION in context.session.options


def _begins_here(context: RunContext) -> bool:
    """Whether this is the first task of generated roles that works in trees: no plan has begun it."""
    if context.pack.roles[context.row.role].kind != KIND:
        return False
    return context.desk.work(context.session.id) is None


def session_work(context: RunContext) -> SessionWork:
    """The session's work; its plan has begun it, else its first task does. Raises TreeError, GitError, RepositoryUnusable."""
    return replace(_work(context), takes_over=not context.settings.work.unconfined)


def begun_work(context: RunContext) -> tuple[SessionWork, Base]:
    """The work of a session that is planned, and what it starts from. Raises as `session_work`."""
    trees = trees_folder(context.settings.work.trees)
    if (carrier := context.desk.carrier) is not None:
        return borrow_work(context.desk, carrier, context.row, trees, context.live.stop.is_set)
    dirty = bool(context.session.options.get(INCLUDE_DIRTY))
    return begin_work(context.desk, context.project, context.session.id, trees, include_dirty=dirty)


def _work(context: RunContext) -> SessionWork:
    trees = trees_folder(context.settings.work.trees)
    session = context.session
    if context.desk.carrier is not None:
        return begun_work(context)[0]
    if not is_review(context):
        if _begins_here(context):
            return begun_work(context)[0]
        return open_work(context.desk, context.project, session.id, trees)
    subject = session.options[OPTION]
    digest = subject.get("patch")
    patch = None if digest is None else context.desk.content(str(digest))
    return open_reviewed_work(
        context.desk, context.project, session.id, trees, subject, patch, session.created_at
    )
