"""Answers as a hostile agent would write them, for the fuzz tests: a corpus, and JSON that almost fits our models.

Hypothesis draws a seed, and everything follows from it: as fast as plain Python, and a seed is all that is needed to see
a failure again. The common run draws the same seeds each time; `make fuzz` sets FUZZ_TIMES: so many times more, new ones.
"""

from __future__ import annotations

import json
import os
import types
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from hypothesis import Phase, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from pydantic import BaseModel

CORPUS = Path(__file__).parent / "data" / "corpus"
TIMES = int(os.environ.get("FUZZ_TIMES", "1"))
ANSWERS = {file.name: file.read_bytes() for file in sorted((CORPUS / "answers").iterdir())}
TEXTS = {file.name: file.read_bytes().decode() for file in sorted((CORPUS / "texts").iterdir())}

MARKS = "\\`*_[]()<>#|~!&-+.=:;1 a@/{}\"'\n\r\t\x1b\u202e\u2028\u200b"
NAMED = ("id", "goals", "requirements", "depends_on", "adrs")  # fields of identifiers, which make links
NAMES = [
    "new",
    "new:a",
    "new:b",
    "NEW: a",
    "REQ-001",
    "G-001",
    "ADR-001",
    "EPIC-001",
    "NFR-P-001",
    "REQ-999",
    "x",
]
LONGEST = 2_000  # characters of a line in our models

SEEDS = st.integers(0, 2**32).map(Random)


def viewer() -> MarkdownIt:
    """A renderer with every extension: tables, and addresses become links by themselves."""
    made = MarkdownIt("gfm-like")
    assert made.linkify is not None
    made.linkify.set(
        {"fuzzy_link": False}
    )  # `remind.py` is no address: no renderer of documents takes it for one
    return made


def examples(count: int) -> settings:
    """So many examples in the common run; without a deadline each: the machine may be busy."""
    return settings(
        max_examples=count * TIMES,
        derandomize=TIMES == 1,
        database=None,
        deadline=None,
        phases=[Phase.generate],  # a smaller seed is no smaller answer
    )


def text(random: Random) -> str:
    """Something to read: texts of the corpus alone and together, characters that mean something, any characters."""
    some = list(TEXTS.values())
    chosen = random.randrange(6)
    if chosen < 3:
        made = random.choice(some)
    elif chosen == 3:
        made = "".join(random.choice(MARKS) for _ in range(random.randint(1, 40)))
    elif chosen == 4:
        made = "".join(_any_character(random) for _ in range(random.randint(1, 20)))
    else:
        made = random.choice([" ", "", "\n", "\n\n"]).join(random.choices(some, k=2))
    return made[:LONGEST] if made.strip() else "–"


def _any_character(random: Random) -> str:
    """Of any plane, the first one as often as all the others; halves of pairs are drawn elsewhere."""
    while True:
        found = chr(random.randrange(random.choice([0x80, 0x300, 0x10000, 0x110000])))
        if not "\ud800" <= found <= "\udfff":
            return found


def wrong_value(random: Random, depth: int = 0) -> Any:
    """A value of any type."""
    plain: list[Any] = [None, True, 0, -1, 2**70, 1.5, -1e300, "", "\ud800", "\0", [], {}, text(random)]
    if depth > 2 or random.random() < 0.7:
        return random.choice(plain)
    inside = [wrong_value(random, depth + 1) for _ in range(random.randint(0, 3))]
    return inside if random.random() < 0.5 else {text(random): each for each in inside}


def near(schema: type[BaseModel], random: Random, wrong: float = 0.0) -> dict[str, Any]:
    """An object that fits `schema`, save that a share of `wrong` fields holds something else."""
    made: dict[str, Any] = {}
    for name, info in schema.model_fields.items():
        if random.random() < wrong:
            made[name] = wrong_value(random)
        elif info.is_required() or random.random() < 0.7:
            made[name] = _fitting(info.annotation, name, random, wrong)
    if random.random() < wrong:
        made |= {"__proto__": wrong_value(random), "status": "approved", text(random): wrong_value(random)}
    return made


def _fitting(kind: Any, name: str, random: Random, wrong: float) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _fitting(inner[0], name, random, wrong)
    if origin is Literal:
        return random.choice(inner)
    if origin is list:
        return [_fitting(inner[0], name, random, wrong) for _ in range(random.randint(0, 3))]
    if origin in (Union, types.UnionType):
        return _fitting(random.choice(inner), name, random, wrong)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return near(kind, random, wrong)
    if kind is str:
        return random.choice(NAMES) if name in NAMED else text(random)
    return {bool: random.random() < 0.5, int: random.randint(1, 5), types.NoneType: None}[kind]


def printed(value: Any, random: Random) -> str:
    """The JSON of a value as an agent prints it: whole, wrapped, doubled, cut off, spoilt."""
    whole = json.dumps(value, ensure_ascii=random.random() < 0.5)
    for spoil in random.choices(SPOILED, k=random.choice([0, 1, 1, 2])):
        whole = spoil(whole)
    return whole if random.random() < 0.8 else whole[: random.randrange(len(whole) + 1)]


def _put(before: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(before, new, 1)


SPOILED: list[Callable[[str], str]] = [
    lambda text: f"```json\n{text}\n```",
    lambda text: f"Here it is {{so far}}:\n```\n```json\n{text}\n```\n```\nDone }}",
    lambda text: f"[{text}, {text}]",
    lambda text: json.dumps({"type": "result", "result": text}),
    lambda text: json.dumps({"answer": {"content": [{"text": text}]}}),
    lambda text: text + text[: len(text) // 2],
    lambda text: "\ufeff" + text.replace(",", ",\n"),
    lambda text: text.replace('"', "'"),
    lambda text: text.replace("}", ",}").replace("]", ",]"),
    lambda text: text.replace("\\", ""),
    _put("{", '{"title": 1, "rating": 9, "items": 0, '),
    _put(": ", ": " + "[" * 3_000 + "]" * 3_000 + ', "twice": '),
    _put(": ", ': {"a":' * 1_200 + "1" + "}" * 1_200 + ', "twice": '),
    _put(": ", ': NaN, "twice": '),
    _put(": ", ': -1e999, "twice": '),
    _put(": ", ": 1" + "0" * 5_000 + ', "twice": '),
    _put(', "', ', "\\ud800": "\\udfff", "'),
    _put(', "', ', "\\u0000": "\\u0000", "'),
    _put(', "', ', /* a note */ // and one\n "'),
]


def reworded(value: Any, word: Callable[[str], str]) -> Any:
    """A model with `word` of every free text in its place; identifiers, choices and what is empty stay."""
    if isinstance(value, BaseModel):
        free = [
            name
            for name, info in type(value).model_fields.items()
            if name not in NAMED and get_origin(info.annotation) is not Literal
        ]
        return value.model_copy(update={name: reworded(getattr(value, name), word) for name in free})
    if isinstance(value, list):
        return [reworded(entry, word) for entry in value]
    return word(value) if isinstance(value, str) and value else value


def tame(value: Any) -> Any:
    """A model with harmless words for every free text, the same ones for the same text."""
    known: dict[str, str] = {}
    return reworded(value, lambda text: known.setdefault(text, f"plain words {len(known)}"))
