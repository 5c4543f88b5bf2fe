"""What a language says by which words: patterns that recognise, and the fixed wording that is written with.

`config/lexicon.en.yaml` and `lexicon.zh.yaml` hold the patterns, `config/labels/wording.en.toml` and `wording.zh.toml`
the wording; `wishes` of config/reading.yaml what the English lexicon knows of further languages.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from orchestrator.config import resources, shipped_yaml
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_chinese
from workers.documents.reading_words import wishes

Rows = tuple[tuple[str, re.Pattern[str]], ...]


@lru_cache(maxsize=64)  # asked again and again about the text of one passage
def detect_language(text: str) -> str:
    """`zh` when the text is mostly Chinese, else `en`, the language in which all others are answered."""
    return "zh" if is_chinese(text) else "en"


_WITH_NAME = expression(r"[一-鿿]{2}[^぀-ヿ가-힯]{0,40}$")  # `导出Excel`: most of its letters are a name's
_FRAGMENT = expression(r"\{\{(\w+)\}\}")


@dataclass(frozen=True)
class Lexicon:
    """The compiled patterns of one language."""

    language: str
    modals: Rows  # strong ones, by priority
    weak: re.Pattern[str]  # can, will: a wish in a list of wishes, a fact in a description
    categories: Rows
    qualities: Rows  # of a heading: which category of quality it names
    domains: Rows
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


@cache
def lexicon(language: str) -> Lexicon:
    """The lexicon of `en` or `zh`; any other language is read as English."""
    name = language if language == "zh" else "en"
    config = resources() / "config"
    data: JsonObject = shipped_yaml.read(config / f"lexicon.{name}.yaml")
    fragments: dict[str, str] = {}
    more = wishes() if name == "en" else {}

    def whole(text: str) -> str:
        """A pattern without the ends of its lines, with its fragments."""
        return _FRAGMENT.sub(lambda found: fragments[found[1]], text.replace("\n", ""))

    def joined(key: str, text: str) -> re.Pattern[str]:
        """A pattern with what further languages say in its place."""
        return expression(whole(text) + (f"|{more[key]}" if key in more else ""), re.IGNORECASE)

    def rows(given: Iterable[dict[str, str]]) -> Iterator[tuple[str, str]]:
        return ((key, text) for row in given for key, text in row.items())

    def with_those_before(given: Iterable[dict[str, str]]) -> Iterator[tuple[str, str, set[str]]]:
        """The rows, each with the keys of those above it: what further languages say stands in the first row of a key."""
        told: set[str] = set()
        for key, text in rows(given):
            yield key, text, told.copy()
            told.add(key)

    def alone(given: Iterable[dict[str, str]]) -> Rows:
        return tuple((key, expression(whole(text), re.IGNORECASE)) for key, text in rows(given))

    for key, text in data.get("fragments", {}).items():
        fragments[key] = whole(text)
    return Lexicon(
        language=name,
        modals=tuple((key, joined(key, text)) for key, text in rows(data["modals"])),
        weak=joined("weak", data["weak"]),
        categories=tuple(
            (key, joined(key, text) if key not in told else expression(whole(text), re.IGNORECASE))
            for key, text, told in with_those_before(data["categories"])
        ),
        qualities=alone(data["qualities"]),
        domains=alone(data["domains"]),
        patterns={key: joined(key, text) for key, text in data["patterns"].items()},
        verbs=frozenset(data["verbs"].split()),
        not_nouns=frozenset(data["not_nouns"].split()),
        wording=tomllib.loads((config / "labels" / f"wording.{name}.toml").read_text(encoding="utf-8")),
    )


def lexicon_of(text: str) -> Lexicon:
    """The lexicon for one sentence: an English sentence in a Chinese document is read as English."""
    return lexicon("zh" if _WITH_NAME.match(text) else detect_language(text))
