"""The languages of the pages: which one a browser wants, and its texts.

Templates, scripts and views are written in English. `config/labels/web.zh.toml` gives each English text its translation;
`{0}`, `{1}` stand for the values in it. A text without one stays English, and is marked as such.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache

from markupsafe import Markup, escape

from orchestrator.config import resources
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.inert import inert
from orchestrator.domain.patterns import expression

COOKIE = "lc-language"
COOKIE_SECONDS = 365 * 24 * 3600
LONGEST_WISH = 500  # characters of Accept-Language that are read
NAMES = {"en": "English", "zh": "中文"}
CODES = {"en": "en", "zh": "zh-CN"}  # as `lang` has them
_VALUE = expression(r"\{(\d+)\}")


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """One language; its mappings from English texts are empty for English.

    `texts` are those of templates and handlers, `phrases` those of views, `scripts` those of scripts.
    """

    name: str
    texts: Mapping[str, str] = field(default_factory=dict)
    phrases: Mapping[str, str] = field(default_factory=dict)
    scripts: Mapping[str, str] = field(default_factory=dict)

    @property
    def code(self) -> str:
        return CODES[self.name]

    @property
    def own_name(self) -> str:
        return NAMES[self.name]

    @property
    def every(self) -> list[Language]:
        """All that there are."""
        return [language(name) for name in NAMES]

    def text(self, english: str, *values: object) -> str:
        """The text with its values in place of `{0}`, `{1}`..."""
        return filled(self.texts.get(english, english), values)

    def word(self, english: str) -> str:
        """The translation of what a view says, by the whole text or by the text that it is an instance of, else as it is."""
        return english if self.name == "en" else _translated(self.name, english) or english

    def said(self, english: str) -> str | Markup:
        """As `word`, for the content of an element: what stays English is marked as English."""
        if self.name == "en" or not re.search("[A-Za-z]{2}", english):
            return english
        found = _translated(self.name, english)
        if found is not None:
            return found
        if re.search("[\u3400-\u9fff]", english):
            return english
        return Markup('<span lang="en">{}</span>').format(escape(inert(english)))


@cache
def language(name: str) -> Language:
    """Raises KeyError for one that there is not."""
    if name == "en":
        return Language(name)
    file = resources() / "config" / "labels" / f"web.{name}.toml"
    found = tomllib.loads(file.read_text(encoding="utf-8"))
    return Language(name, found["texts"], found["phrases"], found["scripts"])


def wanted(headers: Mapping[str, str]) -> Language:
    """What the person chose on a page, else what the browser asks for; English where it names none of ours."""
    return language(_wanted(headers.get("cookie", ""), headers.get("accept-language", "")[:LONGEST_WISH]))


@lru_cache(maxsize=256)
def _wanted(cookies: str, accepted: str) -> str:
    for each in cookies.split(";"):
        name, _, value = each.strip().partition("=")
        if name == COOKIE and value in NAMES:
            return value
    best, found = 0.0, "en"
    for each in accepted.split(","):
        name, _, rest = each.partition(";")
        primary = name.strip().lower().partition("-")[0]
        quality = _quality(rest)
        if (primary in NAMES or primary == "*") and quality > best:
            best, found = quality, "en" if primary == "*" else primary
    return found


def _quality(parameter: str) -> float:
    """Of `q=0.8`; 1 where none is given, 0 where it cannot be read (RFC 9110, 12.4.2)."""
    if not parameter.strip():
        return 1.0
    matched = re.fullmatch(r"\s*[qQ]\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*", parameter)
    return float(matched[1]) if matched else 0.0


def filled(text: str, values: tuple[object, ...]) -> str:
    return _VALUE.sub(lambda found: str(values[int(found[1])]), text)


@lru_cache(maxsize=4096)
def _translated(name: str, english: str, depth: int = 0) -> str | None:
    """The translation of a text or of an instance of one; what stands for its values is translated likewise."""
    phrases = language(name).phrases
    if english in phrases:
        return phrases[english]
    if depth > 2 or len(english) > 1_000:
        return None
    for parts, text in _patterns(name):
        values = _values(parts, english)
        if values is not None:
            return filled(text, tuple(_translated(name, each, depth + 1) or each for each in values))
    return None


@cache
def _patterns(name: str) -> list[tuple[list[str], str]]:
    """Phrases with values, as what stands around these; those that say most come first."""
    every = ((_VALUE.split(english)[::2], text) for english, text in language(name).phrases.items())
    return sorted((each for each in every if len(each[0]) > 1), key=lambda each: -sum(map(len, each[0])))


def _values(parts: list[str], text: str) -> list[str] | None:
    """What stands between the parts in a text that is made of them, each as short as can be; it never looks back."""
    first, *middle, last = parts
    end = len(text) - len(last)
    if not text.startswith(first) or not text.endswith(last):
        return None
    values, at = [], len(first)
    for part in middle:
        found = text.find(part, at + 1, end)
        if found < 0:
            return None
        values.append(text[at:found])
        at = found + len(part)
    return [*values, text[at:end]] if at < end else None
