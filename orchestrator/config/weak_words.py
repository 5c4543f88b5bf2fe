"""What weak places of a score are called, in the words of the documents: those of the shipped labels."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from orchestrator.config import resources, shipped_yaml
from orchestrator.domain.dataclass import dataclass

LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class WeakWords:
    sections: Mapping[str, str]  # key -> heading
    words: Mapping[str, str]

    def says(self, code: str, detail: str, todo: str) -> str:
        """What is weak, and what to do about it; a code that has no words is its own."""
        named = self.sections.get(detail, detail)
        parts = [self.words.get(f"{part}_{code}", "") for part in ("weak", "todo")]
        if not parts[0]:
            plain = code.replace("_", " ")
            parts = [f"{plain}: {detail}." if detail else f"{plain}.", todo]
        filled = (part.replace("{todo}", todo).replace("{detail}", named) for part in parts)
        return " ".join(part for part in filled if part)


@cache
def weak_words(language: str) -> WeakWords:
    """Of English where there are no others."""
    name = language if language in LANGUAGES else "en"
    values = shipped_yaml.read(resources() / "config" / "labels" / f"{name}.yaml")
    return WeakWords(values["sections"], values["words"])
