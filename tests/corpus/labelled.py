"""The documents and their labels, as README.md defines them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

HERE = Path(__file__).parent
ASIDE = HERE / "aside"
REQUEST, NO_REQUEST = "request", "not_a_request"
KINDS = (
    "goal",
    "metric",
    "non_goal",
    "user",
    "requirement",
    "nfr",
    "acceptance",
    "constraint",
    "dependency",
    "risk",
    "open_question",
    "done",
)
VALUES = {
    "kind": KINDS,
    "priority": ("Must", "Should", "Could", "Won't"),
    "status": ("done", "in_progress", "open", "blocked"),
    "nfr": ("P", "S", "SC", "U"),
}
PIECES = ("quote", "metric", "target")  # pieces of the document


@dataclass(frozen=True, slots=True)
class Label:
    kind: str
    quote: str
    parent: str = ""
    metric: str = ""
    target: str = ""
    priority: str = ""
    status: str = ""
    nfr: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    path: Path
    is_request: bool
    labels: tuple[Label, ...]

    @property
    def name(self) -> str:
        return self.path.stem


def paths(folder: Path) -> list[Path]:
    """The documents of a folder, by name."""
    return sorted(p for p in folder.glob("*") if p.suffix in (".md", ".txt") and p.name != "README.md")


def open_sets() -> dict[str, Path]:
    """The folders of open documents beside the common one, by name."""
    return {path.name: path for path in sorted(HERE.iterdir()) if path != ASIDE and paths(path)}


def document(path: Path) -> Document:
    """One document with its labels. Raises ValueError, which names every fault of the labels."""
    raw = YAML(typ="safe").load(labels_of(path))
    found = list(faults(raw, path.read_text()))
    if found:
        raise ValueError(f"{path.name}: {'; '.join(found)}")
    return Document(path, raw["kind_of_document"] == REQUEST, tuple(Label(**row) for row in raw["labels"]))


def labels_of(path: Path) -> Path:
    """The file of a document's labels."""
    return path.with_name(f"{path.stem}.yaml")


def faults(raw: Mapping[str, Any], text: str) -> Iterator[str]:
    """Everything wrong with labels, measured against the rules and the document's text."""
    if set(raw) != {"kind_of_document", "labels"}:
        yield f"keys are {', '.join(raw)}, not kind_of_document and labels"
        return
    if raw["kind_of_document"] not in (REQUEST, NO_REQUEST):
        yield f"kind_of_document is {raw['kind_of_document']}"
    if (raw["kind_of_document"] == REQUEST) != bool(raw["labels"]):
        yield "a request has labels, what is no request has none"
    whole = fold(text)
    quotes = [row.get("quote") for row in raw["labels"]]
    for row in raw["labels"]:
        said = str(row.get("quote"))[:60]
        if not {"kind", "quote"} <= set(row) <= set(Label.__slots__):
            yield f"{said!r} has the keys {', '.join(row)}"
        for key, known in VALUES.items():
            if key in row and row[key] not in known:
                yield f"{said!r}: {key} is {row[key]!r}"
        for key in PIECES:
            if key in row and (not str(row[key]).strip() or fold(str(row[key])) not in whole):
                yield f"{said!r}: the {key} {row[key]!r} does not occur in the document"
        if "parent" in row and (row["parent"] not in quotes or row["parent"] == row["quote"]):
            yield f"{said!r}: the parent is no other quote"
    for quote, kind in sorted({(row.get("quote"), row.get("kind")) for row in raw["labels"]}, key=str):
        if sum(row.get("quote") == quote and row.get("kind") == kind for row in raw["labels"]) > 1:
            yield f"{quote!r} is labelled twice as {kind}"


def fold(text: str) -> str:
    """The text with each run of white space as one space."""
    return " ".join(text.split())
