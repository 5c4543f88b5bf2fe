"""A text that begins with @: the name of a file, or words that begin with somebody's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.commands.requests import read_request, read_words
from orchestrator.domain.errors import UsageError

ANNA = "@anna wants the login page to show errors"


def test_words_that_begin_with_a_name_are_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert (read_request(ANNA, tmp_path, {}), read_words(ANNA)) == (ANNA, ANNA)


@pytest.mark.parametrize("name", ["notes", "my idea.md", "what anna wants"])
def test_a_file_is_read_whatever_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("Build a shop")

    assert (read_request(f"@{name}", tmp_path, {}), read_words(f"@{name}")) == ("Build a shop",) * 2


@pytest.mark.parametrize("name", ["@notes", "@my idea.md", "@"])
def test_a_file_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)

    for read in (lambda: read_request(name, tmp_path, {}), lambda: read_words(name)):
        with pytest.raises(UsageError, match=r"cannot read|no file is named"):
            read()
