"""Labels and templates: the shipped ones, and before them whatever folders a user put in front."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from orchestrator.config import resources, shipped_yaml
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import JsonObject

LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Labels:
    """The words of one language: section headings, other headings that mean the same, phrases, open questions."""

    language: str
    sections: Mapping[str, str]
    also: Mapping[str, tuple[str, ...]]
    words: Mapping[str, str]
    values: Mapping[str, str]  # names and values that the product itself writes in English
    empty: Mapping[str, str]
    empty_note: str


def shipped() -> Path:
    return resources() / "config"


@cache
def labels(language: str, folders: tuple[Path, ...] = ()) -> Labels:
    """The labels of a language, English ones where it has none. Raises ConfigError for a file that cannot be used."""
    wanted = language.split("-")[0].lower()
    files = [
        folder / "labels" / f"{name}.yaml"
        for name in ("en", wanted)
        for folder in (shipped(), *reversed(folders))
    ]
    merged: dict[str, dict[str, object]] = {
        "sections": {},
        "also": {},
        "words": {},
        "values": {},
        "empty": {},
    }
    note = ""
    for file in files:
        if not file.is_file():
            continue
        value = _read(file)
        for part, entries in merged.items():
            entries.update(value.get(part) or {})
        note = str(value.get("empty_note") or note)
    return Labels(
        language=wanted if wanted in LANGUAGES else "en",
        sections=_texts(merged["sections"]),
        also={
            key: tuple(str(name) for name in names)
            for key, names in merged["also"].items()
            if isinstance(names, list)
        },
        words=_texts(merged["words"]),
        values=_texts(merged["values"]),
        empty=_texts(merged["empty"]),
        empty_note=note,
    )


def _texts(entries: Mapping[str, object]) -> dict[str, str]:
    return {key: str(text) for key, text in entries.items()}


@cache  # the English ones are below those of every language
def _read(file: Path) -> JsonObject:
    return shipped_yaml.read(file)
