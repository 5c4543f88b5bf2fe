"""Templates in another language: their English texts are replaced before they are compiled, so that a page costs the same.

A text is what stands between two tags or blocks, with the values in it as `{0}`, `{1}`; attributes that people are told
are texts of their own. A text without a translation stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from jinja2 import Environment
from jinja2.ext import Extension

from orchestrator.domain.patterns import expression
from orchestrator.web.language import Language, filled

SPOKEN = (  # attributes that hold texts
    "aria-label",
    "alt",
    "data-denied",
    "data-name",
    "data-off",
    "data-on",
    "data-says",
    "placeholder",
    "title",
)
_TOKEN = expression(
    r"""(?P<value>\{\{.*?\}\}) | \{%.*?%\} | \{\#.*?\#\}
    | (?P<tag><[/!a-zA-Z](?:\{\{.*?\}\}|\{%.*?%\}|[^>])*>)""",
    re.DOTALL | re.VERBOSE,
)
_SPOKEN = expression(rf'(?<=\s)(?P<name>{"|".join(SPOKEN)})="(?P<text>[^"]*)"')
_VERBATIM = expression("<(?:code|kbd|script|style)[ >]")  # what stands in these is no text
_VALUE = expression(r"\{\{.*?\}\}", re.DOTALL)
_BLOCK = expression(r"\{%.*?%\}", re.DOTALL)
_Translate = Callable[[str], str | None]


def translated(source: str, translate: _Translate) -> str:
    """The template with the translation of each of its texts, where `translate` knows one."""
    made: list[str] = []
    text: list[str] = []
    end = 0
    tag = ""

    def finish() -> None:
        written = "".join(text)
        made.append(written if _VERBATIM.match(tag) else _text(written, translate))
        text.clear()

    for token in _TOKEN.finditer(source):
        text.append(source[end : token.start()])
        end = token.end()
        if token["value"]:
            text.append(token[0])
            continue
        finish()
        made.append(_tag(token[0], translate) if token["tag"] else token[0])
        tag = token["tag"] or tag
    text.append(source[end:])
    finish()
    return "".join(made)


def texts(source: str) -> Iterator[str]:
    """Every text of a template, as the catalogue has it."""
    found: list[str] = []

    def note(text: str) -> None:
        found.append(text)

    translated(source, note)
    return iter(found)


def _tag(tag: str, translate: _Translate) -> str:
    def attribute(found: re.Match[str]) -> str:
        if _BLOCK.search(found["text"]):
            return found[0]
        return f'{found["name"]}="{_text(found["text"], translate)}"'

    return _SPOKEN.sub(attribute, tag)


def _text(written: str, translate: _Translate) -> str:
    values = _VALUE.findall(written)
    number = iter(range(len(values)))
    words = " ".join(_VALUE.sub(lambda _: f"{{{next(number)}}}", written).split())
    if not re.search("[A-Za-z]", words) or words.startswith("/"):  # an address
        return written
    found = translate(words)
    if found is None:
        return written
    before = written[: len(written) - len(written.lstrip())]
    after = written[len(written.rstrip()) :]
    return before + filled(found, tuple(values)) + after


class Translation(Extension):
    """Translates templates into the language that the environment has as `page_language`."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        environment.extend(page_language=None)

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        spoken: Language = self.environment.page_language  # type: ignore[attr-defined]
        return source if spoken.name == "en" else translated(source, spoken.texts.get)
