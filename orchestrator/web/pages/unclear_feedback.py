"""What a form with feedback that names no document leads to: the same form, with the documents to choose from."""

from __future__ import annotations

from starlette.responses import Response

from orchestrator.commands.rework import UnclearFeedback
from orchestrator.web.problems import status_of
from orchestrator.web.rendering import address, render
from orchestrator.web.web_request import WebRequest


def unclear_feedback(request: WebRequest, error: UnclearFeedback) -> Response:
    """The form again with the words that were sent, and the document that most feedback is about chosen."""
    return render(
        request,
        "unclear_feedback.html",
        status=status_of(error),
        title=request.language.text("Which document is your feedback about?"),
        here_again=address(
            "p", request.names["p"], "s", request.names["session"]
        ),  # a form's own address shows nothing
        session=request.names["session"],
        documents=error.documents,
        usual=error.usual,
        words=request.body.text,
        key=request.body.key,
    )
