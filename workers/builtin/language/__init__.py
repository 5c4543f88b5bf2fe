"""What the built-in agent knows of a language: patterns that recognise, and the fixed wording it writes with.

`en.py` and `zh.py` hold the patterns, `config/labels/wording.en.toml` and `wording.zh.toml` the wording.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from orchestrator.config import resources
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_chinese
from workers.documents.reading_words import wishes


@lru_cache(maxsize=64)  # asked again and again about the text of one passage
def detect_language(text: str) -> str:
    """`zh` when the text is mostly Chinese, else `en`, the language in which all others are answered."""
    return "zh" if is_chinese(text) else "en"


_WITH_NAME = expression(r"[一-鿿]{2}[^぀-ヿ가-힯]{0,40}$")  # `导出Excel`: most of its letters are a name's


@dataclass(frozen=True)
class Lexicon:
    """The compiled patterns of one language; names are those of the data modules."""

    language: str
    modals: tuple[tuple[str, re.Pattern[str]], ...]  # strong ones, by priority
    weak: re.Pattern[str]  # can, will: a wish in a list of wishes, a fact in a description
    categories: tuple[tuple[str, re.Pattern[str]], ...]
    qualities: tuple[tuple[str, re.Pattern[str]], ...]  # of a heading: which category of quality it names
    domains: tuple[tuple[str, re.Pattern[str]], ...]
    patterns: dict[str, re.Pattern[str]]
    verbs: frozenset[str]
    not_nouns: frozenset[str]
    wording: dict[str, str]

    def find(self, name: str, text: str) -> re.Match[str] | None:
        return self.patterns[name].search(text)

    def say(self, key: str, **values: object) -> str:
        """One piece of fixed wording, filled with words of the request."""
        return self.wording[key].format(**values)

    def join(self, words: list[str] | tuple[str, ...]) -> str:
        """A list as people write it."""
        if len(words) < 2 or self.language == "zh":
            return "、".join(words) if self.language == "zh" else "".join(words)
        return f"{', '.join(words[:-1])} and {words[-1]}"


def _compiled(rows: list[tuple[str, str]]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, expression(pattern, re.IGNORECASE)) for name, pattern in rows)


@cache
def lexicon(language: str) -> Lexicon:
    """The lexicon of `en` or `zh`; any other language is read as English."""
    name = language if language == "zh" else "en"
    data: Any = import_module(f"{__name__}.{name}")
    wording = tomllib.loads(
        (resources() / "config" / "labels" / f"wording.{name}.toml").read_text(encoding="utf-8")
    )
    others = wishes() if name == "en" else {}

    def joined(key: str, text: str) -> str:
        return f"{text}|{others[key]}" if key in others else text

    patterns = {key: joined(key, text) for key, text in data.PATTERNS.items()}
    return Lexicon(
        language=name,
        modals=_compiled([(key, joined(key, text)) for key, text in data.MODALS]),
        weak=expression(joined("weak", data.WEAK), re.IGNORECASE),
        categories=_compiled([(key, joined(key, text)) for key, text in data.CATEGORIES]),
        qualities=_compiled(data.QUALITIES),
        domains=_compiled(data.DOMAINS),
        patterns=dict(_compiled(list(patterns.items()))),
        verbs=frozenset(data.VERBS.split()),
        not_nouns=frozenset(data.NOT_NOUNS.split()),
        wording=wording,
    )


def lexicon_of(text: str) -> Lexicon:
    """The lexicon for one sentence: an English sentence in a Chinese document is read as English."""
    return lexicon("zh" if _WITH_NAME.match(text) else detect_language(text))
