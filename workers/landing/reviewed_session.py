"""The work of a session: that of its plan, or the user's own commits that it reviews."""

from __future__ import annotations

from orchestrator.domain.review_verdicts import OPTION
from orchestrator.store import artifacts
from workers.context.run_context import RunContext
from workers.git.checkouts import trees_folder
from workers.git.reviewed_work import open_reviewed_work
from workers.git.session_work import SessionWork, open_work


def is_review(context: RunContext) -> bool:
    """Whether the session reviews commits of the user's, and changes nothing."""
    return OPTION in context.session.options


def session_work(context: RunContext) -> SessionWork:
    """The session's work; that of a review is begun by its first task. Raises TreeError, GitError, RepositoryUnusable."""
    trees = trees_folder(context.settings.work.trees)
    session = context.session
    if not is_review(context):
        return open_work(context.store, context.project, session.id, trees)
    subject = session.options[OPTION]
    digest = subject.get("patch")
    patch = None if digest is None else context.store.read(lambda tx: artifacts.body(tx, str(digest)))
    return open_reviewed_work(
        context.store, context.project, session.id, trees, subject, patch, session.created_at
    )
