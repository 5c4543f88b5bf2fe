"""Requests as people write them, by the real command with no agent configured: carried word for word, or asked about."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.support import Lifecycle, lifecycle

IDEA = """# TODO app

Prices are TBD; the owner is [your name].

## Requirements
- The mail must begin with {{ first_name }} and keep `snake_case_name`.
- The app must compute 3*4 and 5*6 in __init__ for a < b.
- **Users** must be able to delete a FIXME note.
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lifecycle]:
    with lifecycle(tmp_path_factory.mktemp("requests") / "p") as life:
        (life.folder / "idea.md").write_text(IDEA)
        gave = life.run("start", "@idea.md")
        assert gave.code == 0, gave.err
        yield life


def _idea(project: Lifecycle) -> str:
    """The session of IDEA."""
    return str(project.rows("SELECT id FROM sessions ORDER BY created_at LIMIT 1")[0][0])


def test_request_full_of_placeholders_and_marks_completes_without_a_pause(project: Lifecycle) -> None:
    session = _idea(project)

    assert project.status(session) == ("completed", None)
    pages = [path.read_text() for path in project.directory(session).glob("spec/requirements/REQ-*.md")]
    assert any("3\\*4 and 5\\*6 in \\_\\_init\\_\\_ for a &lt; b" in page for page in pages)
    assert (
        "3*4 and 5*6 in __init__ for a < b"
        in (project.directory(session) / "spec/discovery-context.json").read_text()
    )


def test_words_about_form_are_answered_in_the_messages_and_make_no_requirement(project: Lifecycle) -> None:
    session = _idea(project)
    before = sorted(project.directory(session).glob("spec/requirements/*.md"))

    gave = project.run("revise", "DRAFT-002", "Please shorten the titles", "--session", session)

    assert gave.code == 0, gave.err
    assert "Not done, because the agent builtin" in gave.err + gave.out
    assert sorted(project.directory(session).glob("spec/requirements/*.md")) == before
    assert (
        "Please shorten the titles"
        in (project.directory(session) / "spec/requirements/_index.md").read_text()
    )


def test_request_that_names_a_thing_and_no_more_is_asked_about_and_its_gate_is_no_pass(
    project: Lifecycle,
) -> None:
    gave = project.run("start", "sundials")

    assert gave.code == 0, gave.err
    session = project.session()
    assert project.status(session) == ("completed", None)
    assert "Quality FAIL" in gave.out
    assert (
        "The request says only “sundials”"
        in (project.directory(session) / "spec/spec-summary.md").read_text()
    )


@pytest.mark.parametrize("mode", [None, "dynamic", "analyze-quick", "impl-only", "full-lifecycle-fe"])
def test_request_for_nothing_is_refused_in_each_mode_and_changes_nothing(
    project: Lifecycle, mode: str | None
) -> None:
    before = project.rows("SELECT count(*) FROM sessions")
    given = [] if mode is None else ["--mode", mode]

    gave = project.run("start", "hello", "--yes", *given)

    assert (gave.code, "the request asks for nothing" in gave.err) == (2, True), gave.err
    assert "lifecycle start" in gave.err
    assert project.rows("SELECT count(*) FROM sessions") == before


@pytest.mark.parametrize("text", ["???", "🚀", "___", "$%&"])
def test_request_without_a_word_is_refused(project: Lifecycle, text: str) -> None:
    gave = project.run("start", text)

    assert gave.code == 2 and "the task is empty" in gave.err


def test_specification_of_something_else_is_not_taken_unasked(project: Lifecycle) -> None:
    newest = project.run("start", "Remind the users of a note by mail", "--mode", "spec-only")
    assert newest.code == 0, newest.err
    chess = ("start", "A chess clock for two players", "--mode", "impl-only", "--plan")

    refused, yes = project.run(*chess), project.run(*chess, "--yes")
    named = project.run("start", "Remind the users of a note by mail", "--mode", "impl-only", "--plan")

    assert (refused.code, "about something else" in refused.err) == (2, True), refused.err
    assert "--spec" in refused.err and "--yes" in refused.err
    assert yes.code == 0, yes.err
    assert named.code == 0, named.err
