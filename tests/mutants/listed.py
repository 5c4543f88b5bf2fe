"""The list of mutants: small bugs, each of which some test must notice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("list.yaml")


@dataclass(frozen=True)
class Mutant:
    id: str
    plants: str  # what goes wrong with it
    file: str
    old: str
    new: str
    tests: tuple[str, ...]  # in the order they are tried

    def planted(self, text: str) -> str:
        """The file's text with the bug in it. Raises ValueError when its place is not there, or twice."""
        if text.count(self.old) != 1:
            raise ValueError(f"{self.id}: its text occurs {text.count(self.old)} times in {self.file}")
        return text.replace(self.old, self.new)


def mutants() -> list[Mutant]:
    found = YAML(typ="safe").load(LIST.read_text(encoding="utf-8"))["mutants"]
    return [Mutant(**{**each, "tests": tuple(each["tests"])}) for each in found]
