"""Weak places of a score are told in words, in the language of the session."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orchestrator.config.weak_words import LANGUAGES, weak_words
from orchestrator.domain import quality

CODES = sorted(
    set(re.findall(r'Weak\([^,()]+(?:\([^()]*\))?, "([a-z_]+)"', Path(quality.__file__).read_text()))
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", CODES)
def test_every_code_has_words(code: str, language: str) -> None:
    words = weak_words(language)

    assert {f"weak_{code}", f"todo_{code}"} <= words.words.keys()
    assert "{" not in words.says(code, "scope", "")


def test_a_section_is_called_by_its_heading() -> None:
    assert len(CODES) > 6
    assert weak_words("en").says("section_thin", "open_questions", "") == (
        "The section Open questions says too little. Answer its question, or say more in Open questions."
    )
    assert weak_words("zh").says("section_missing", "open_questions", "").startswith("缺少章节：待解决")


def test_words_of_a_finding_are_the_critics_own() -> None:
    assert weak_words("fr").says("finding", "No limit is named", "Name one") == "No limit is named Name one"
    assert weak_words("en").says("of_a_pack", "a {place}", "Mend it.") == "of a pack: a {place}. Mend it."
