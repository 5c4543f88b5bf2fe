"""What `start` sees of a text that asks for nothing to be built, before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.cli.start import plan_lines
from orchestrator.commands.requests import read_request
from orchestrator.config import load_pack
from orchestrator.config.settings import AgentSettings, Settings
from orchestrator.domain.pipelines import Pack
from orchestrator.domain.request_forms import form_of_text
from orchestrator.views.layout import StartOptions, plan
from orchestrator.views.plan import plan_view
from tests.corpus.labelled import HERE, document, paths

LOG = "2026-05-01 10:00:01 INFO started\n2026-05-01 10:00:02 ERROR users must log in\n" * 4
CODE = "def pay(amount):\n    return amount * 2\n\nclass Desk:\n    def open(self):\n        self.on = True\n"
FORMS = [
    (LOG, "log"),
    (CODE, "code"),
    ("You are a sommelier with wit. Answer in three sentences.", "prompt"),
    ("Minutes of the board\n\nPresent: Ada, Ben\n\nThe roof was discussed.", "minutes"),
    (
        "Board 4.2\n\nThis is the second feature release of 4.x.\n\n- Sheets are printed on both sides\n",
        "release",
    ),
    ("Build a todo app that works offline", ""),
    ("You are a senior engineer. Build a todo app that must work offline.", ""),
    ("You are going to build Shuttle, a record of our looms. We weave by hand. " + "It is slow. " * 12, ""),
    ("We weave by hand.\nIt is slow.\n" + "The yarn is dear. " * 12 + "\nDon't do the wages.", ""),
    ("We weave by hand.\nIt is slow.\n" + "Rome was built by slaves. " * 12, "essay"),
    (
        f"The import fails:\n\n{LOG}\n## Expected\n\nIt should go on.\n\n## Requirements\n\n- Retry three times\n",
        "",
    ),
]


@pytest.mark.parametrize(("text", "form"), FORMS)
def test_form_of_a_text(text: str, form: str) -> None:
    assert form_of_text(text) == form


def test_no_labelled_request_is_taken_for_something_else() -> None:
    taken = {
        path.stem: form_of_text(read_request(f"@{path}", path.parent, {}))
        for path in paths(HERE)
        if document(path).is_request
    }

    assert {name: form for name, form in taken.items() if form} == {}


def test_start_says_what_a_task_reads_like(tmp_path: Path) -> None:
    pack: Pack = load_pack(None, {})

    def said(request: str) -> list[str]:
        view = plan_view(plan(request, StartOptions(), pack, tmp_path), Settings())
        return [line for line in plan_lines({**view, "reviews": None}) if line.startswith("Note")]

    assert "reads like a log" in said(LOG)[0]
    assert said("Add a search") == []


def test_start_says_that_the_built_in_agent_hardly_knows_the_language(tmp_path: Path) -> None:
    pack: Pack = load_pack(None, {})
    model = Settings(agents={"house-model": AgentSettings(command=["house-model"])})
    german = "Die App soll die Daten lokal speichern und beim nächsten Kontakt automatisch synchronisieren."

    def said(request: str, settings: Settings) -> list[str]:
        view = plan_view(plan(request, StartOptions(), pack, tmp_path), settings)
        return [line for line in plan_lines({**view, "reviews": None}) if line.startswith("Note")]

    assert "written in German, of which the built-in agent knows little" in said(german, Settings())[0]
    assert said("登录接口加个限流，每个 IP 每分钟最多 5 次", Settings()) == []
    assert said(german, model) == []
