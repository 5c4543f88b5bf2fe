"""A secret in what a person writes is masked before anything is made of it, ids and file names too."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.commands import requests
from orchestrator.commands.words import check_words
from orchestrator.views.layout import StartOptions, plan
from tests.factories import shipped_pack

SHAPED = "sk-canary0123456789abcdef"
HELD = "canary-key/0123456789"
ENVIRONMENT = {"MY_API_KEY": HELD, "PLAIN": "a shortener"}


@pytest.mark.parametrize("secret", [SHAPED, HELD])
def test_a_request_loses_its_secrets_before_it_is_planned(tmp_path: Path, secret: str) -> None:
    (tmp_path / "idea.md").write_text(f"# Call {secret} from a shortener\n")

    request = requests.read_request("@idea.md", tmp_path, ENVIRONMENT)
    planned = plan(request, StartOptions(), shipped_pack(), tmp_path)

    assert request == "# Call [masked] from a shortener"
    assert planned.title == "Call [masked] from a shortener"


def test_words_for_a_document_lose_what_is_shaped_like_a_secret() -> None:
    assert check_words(f" use {SHAPED} ") == "use [masked]"
