"""Shipped templates are loaded as what `make shipped` compiled, and compiled by Jinja where that is not what they say."""

from __future__ import annotations

import json
from pathlib import Path

import jinja2
import pytest
from jinja2 import Environment, FileSystemLoader

from orchestrator.config import compiled_templates
from orchestrator.config.compiled_templates import INDEX, CompiledTemplates
from tests import shipped_values
from workers.agents import prompts
from workers.documents import page


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The templates that Jinja has compiled."""
    found: list[str] = []
    compile_ = Environment.compile

    def noted(
        self: Environment, source: str, name: str | None = None, *rest: object, **more: object
    ) -> object:
        found.append(str(name))
        return compile_(self, source, name, *rest, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(Environment, "compile", noted)
    page.environment.cache_clear()
    prompts.environment.cache_clear()
    return found


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A template that says "as written", and is compiled as if it said "as compiled"."""
    monkeypatch.setattr(compiled_templates, "resources", lambda: tmp_path)
    file = tmp_path / "config" / "pages" / "a.md.j2"
    file.parent.mkdir(parents=True)
    compile_as(file, "as written", "as compiled")
    return file


def compile_as(file: Path, text: str, other: str) -> None:
    made = file.parents[1] / "shipped" / "pages"
    made.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    (made / "a_md_j2.py").write_text(Environment().compile(other, file.name, raw=True))
    checksum = CompiledTemplates("pages").get_source_checksum(text)
    (made / INDEX).write_text(json.dumps({"jinja2": jinja2.__version__, file.name: checksum}))


def rendered(file: Path) -> str:
    environment = Environment(
        loader=FileSystemLoader(file.parent), bytecode_cache=CompiledTemplates("pages"), autoescape=False
    )
    return environment.get_template(file.name).render()


def test_no_shipped_template_is_compiled_by_a_process(asked: list[str]) -> None:
    for environment, folder in (
        (page.environment((), trusted=True), "templates"),
        (prompts.environment(), "prompts"),
    ):
        for file in shipped_values.templates(folder):
            assert environment.get_template(file.name).filename == str(file)

    assert asked == []


def test_a_template_that_is_as_it_was_compiled_is_not_compiled_again(copied: Path) -> None:
    assert rendered(copied) == "as compiled"


def test_a_template_that_has_changed_is_compiled(copied: Path) -> None:
    copied.write_text("changed")

    assert rendered(copied) == "changed"


def test_what_another_jinja_compiled_is_not_used(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jinja2, "__version__", "3.99")

    assert rendered(copied) == "as written"


def test_a_file_of_others_by_the_same_name_is_its_own(copied: Path, tmp_path: Path) -> None:
    own = tmp_path / "own" / copied.name
    own.parent.mkdir()
    own.write_text("as written")

    assert rendered(own) == "as written"


def test_an_error_names_the_template_and_its_line(copied: Path) -> None:
    text = "one\n{{ missing.part }}\n"
    compile_as(copied, text, text)

    with pytest.raises(jinja2.UndefinedError) as refused:
        rendered(copied)

    assert (str(copied), 2) in [(str(each.path), each.lineno + 1) for each in refused.traceback]
