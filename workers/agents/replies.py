"""Finding the answer in what an agent printed; whatever it printed, nothing here raises or runs for long.

Agents wrap their JSON in prose and fences, print several objects, stop in mid-sentence, or write what only looks like
JSON. So every object that can be read is tried against the schema, and the one that fits best counts. One that fits in part
is kept as far as it can be read, for when nothing better comes.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import SupportsIndex

from pydantic import BaseModel, ValidationError

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.domain.patterns import expression
from workers.agents.choices import plain
from workers.agents.entries import names_of
from workers.agents.mending import keep_readable, mend

TEXT_LIMIT = 2_000_000  # characters that are looked at
ANSWER_LIMIT = 500_000  # bytes of a value that is taken: pages made of more might not be read back
REPAIR_LIMIT = 100_000  # characters that a repair of broken JSON is tried on
DEPTH_LIMIT = 64  # deeper values are dropped: no schema of ours is that deep
DIGITS_LIMIT = 40  # longer numbers are dropped
CANDIDATES = 50
FAULTS = 8  # that are listed
SECONDS = 2.0  # for reading objects, and for a repair


class Parsed(NamedTuple):
    model: BaseModel | None
    notes: tuple[str, ...]  # what was dropped, replaced or repaired
    error: str  # why there is no model, in words the agent can use
    whole: bool = True  # False: the answer breaks off, what was there was taken
    lost: tuple[str, ...] = ()  # what of the answer could not be read, in words the agent can use

    @property
    def good(self) -> bool:
        """Whether nothing is left to ask again for."""
        return self.model is not None and self.whole and not self.lost

    @property
    def fault(self) -> str:
        return self.error or "; ".join(self.lost[:FAULTS]) or "it breaks off before its end"

    @property
    def told(self) -> tuple[str, ...]:
        """The notes, and what could not be read."""
        broken = () if self.whole else ("the answer broke off: what was there was taken",)
        partly = f"the answer was partly unreadable: {'; '.join(self.lost[:FAULTS])}"
        if any(each.startswith("rating: ") for each in self.lost):
            partly += f"; the rating counts as {getattr(self.model, 'rating', None)}"
        return (*self.notes, *([partly] if self.lost else []), *broken)


@dataclass
class _Reading:
    """One attempt to read a text: what was found and what was noted."""

    schema: type[BaseModel]
    names: frozenset[str]
    notes: dict[str, None] = field(default_factory=dict)  # in order, each once
    best: tuple[int, BaseModel] | None = None
    part: tuple[int, BaseModel, tuple[str, ...]] | None = None  # the best of what fits without some of it
    error: tuple[int, str] | None = None
    too_long: bool = False
    broken: bool = False  # something begins like an object and is none

    def note(self, text: str) -> None:
        self.notes.setdefault(text)


def parse(text: str, schema: type[BaseModel]) -> Parsed:
    """The best answer to `schema` in `text`, or None with the error."""
    if not text.strip():
        return Parsed(None, (), "the answer is empty")
    reading = _Reading(schema, names_of(schema))
    if len(text) > TEXT_LIMIT:
        reading.note(f"only the first {TEXT_LIMIT} characters of the answer were looked at")
        text = text[:TEXT_LIMIT]
    for value in _objects(text, reading):
        _try(value, reading)
    found = _found(reading)
    if found is not None and not (found.lost and reading.broken):
        return found
    failed = reading.error
    broken = None if reading.too_long else _broken(text)
    if broken is not None and not _too_deep(broken):
        noted = len(reading.notes)
        reading.note("the JSON was broken and was repaired")
        _try(_repaired(broken), reading)
        if (taken := _found(reading)) is not None and (found is None or taken.model is not found.model):
            return taken._replace(whole=not _breaks_off(broken))
        for name in list(reading.notes)[noted:]:
            del reading.notes[name]
    failed = failed or reading.error
    return found or Parsed(
        None,
        tuple(reading.notes),
        failed[1] if failed else "there is no JSON object in the answer that says any of what was asked",
    )


def parse_value(value: Json, schema: type[BaseModel]) -> Parsed:
    """The same for an answer that was given as a value."""
    reading = _Reading(schema, names_of(schema))
    _try(value, reading)
    if (found := _found(reading)) is not None:
        return found
    error = reading.error[1] if reading.error else "it has none of the fields that were asked for"
    return Parsed(None, tuple(reading.notes), error)


def _found(reading: _Reading) -> Parsed | None:
    """What was read best: all of an answer, or a part of one that says more, or as much later."""
    best, part = reading.best, reading.part
    if part is not None and (best is None or part[0] >= best[0]):
        return Parsed(part[1], tuple(reading.notes), "", lost=part[2])
    return None if best is None else Parsed(best[1], tuple(reading.notes), "")


def _objects(text: str, reading: _Reading) -> Iterator[Json]:
    """The outermost JSON objects of `text`; an object inside prose, fences or brackets counts too."""
    decoder = json.JSONDecoder(
        object_pairs_hook=lambda pairs: _object(pairs, reading),
        parse_constant=lambda name: _dropped(name, reading),
        parse_int=lambda digits: (
            int(digits) if len(digits) <= DIGITS_LIMIT else _dropped("a huge number", reading)
        ),
    )
    at, tries, until = text.find("{"), 0, time.monotonic() + SECONDS
    while at >= 0 and tries < CANDIDATES and time.monotonic() < until:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except RecursionError:
            # What nests this deep is no answer: the objects inside it are as deep, so look behind the nesting.
            reading.note("JSON that nests too deep was passed over")
            end = _behind_nesting(text, at)
        except ValueError:
            reading.broken = True
            end = at + 1
        else:
            yield value
        at = text.find("{", end)


def _behind_nesting(text: str, at: int) -> int:
    closed = re.compile(r"[}\]]{20,}").search(text, at)
    return closed.end() if closed else len(text)


def _object(pairs: list[tuple[str, Json]], reading: _Reading) -> JsonObject:
    value = dict(pairs)
    if len(value) < len(pairs):
        reading.note("a key was given twice: the last one counts")
    return value


def _dropped(name: str, reading: _Reading) -> None:
    reading.note(f"{name} is no value and was dropped")


def _try(value: Json, reading: _Reading, depth: int = 0) -> bool:
    """Try `value`, and what it wraps, against the schema."""
    if isinstance(value, str):
        return _try_wrapped_text(value, reading, depth)
    if isinstance(value, list):
        return depth < 3 and _try_all(value, reading, depth + 1)
    if not isinstance(value, dict):
        return False
    known = len(reading.names & {plain(str(key)) for key in value})
    if known and _validates(_clean(value, reading), known, reading):
        return True
    if depth >= 2:
        return False
    return _try_all(value.values(), reading, depth + 1)


def _try_all(values: Iterable[Json], reading: _Reading, depth: int) -> bool:
    """Not just up to the first that fits: the best one is wanted."""
    fits = [_try(value, reading, depth) for value in islice(values, CANDIDATES)]
    return any(fits)


def _try_wrapped_text(text: str, reading: _Reading, depth: int) -> bool:
    """An answer given as JSON inside a JSON string, as tools that report about themselves do."""
    if depth >= 2 or "{" not in text:
        return False
    return _try_all(_objects(text, reading), reading, 2)


def _validates(given: Json, known: int, reading: _Reading) -> bool:
    """Whether all of it fits. What fits without some of it is remembered, and better looked for."""
    value, lost = mend(given, reading.schema)
    try:
        model = reading.schema.model_validate(value)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        words = "; ".join(f"{'.'.join(map(str, f['loc']))}: {f['msg']}" for f in faults[:8])
        if reading.error is None or len(faults) < reading.error[0]:
            reading.error = (len(faults), words)
        kept, left_out = keep_readable(value, reading.schema)
        if kept is None:
            return False
        model, lost = kept, (*lost, *left_out)
    except (RecursionError, ValueError, OverflowError) as error:
        reading.error = reading.error or (1_000, f"the answer cannot be read: {type(error).__name__}")
        return False
    if (size := len(model.model_dump_json().encode())) > ANSWER_LIMIT:
        reading.error = (0, f"the answer is too long: {size} bytes, {ANSWER_LIMIT} at most")
        reading.too_long = True
        return False
    if lost:
        if reading.part is None or known >= reading.part[0]:
            reading.part = (known, model, lost)
        return False
    if reading.best is None or known >= reading.best[0]:  # of equals the last: agents correct themselves
        reading.best = (known, model)
        if reading.part is not None and known >= reading.part[0]:
            reading.part = None
    return True


def _clean(value: Json, reading: _Reading, depth: int = 0) -> Json:
    """`value` without what cannot be stored: lone surrogates, NUL, numbers out of range, endless nesting."""
    if isinstance(value, str):
        return _clean_text(value, reading)
    if isinstance(value, float) and not math.isfinite(value):
        return _dropped("a number out of range", reading)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**DIGITS_LIMIT:
        return _dropped("a huge number", reading)
    if not isinstance(value, dict | list):
        return value
    if depth >= DEPTH_LIMIT:
        return _dropped("what nests too deep", reading)
    if isinstance(value, list):
        return [_clean(item, reading, depth + 1) for item in value]
    return {_clean_text(str(key), reading): _clean(item, reading, depth + 1) for key, item in value.items()}


def _clean_text(text: str, reading: _Reading) -> str:
    cleaned = _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)
    if cleaned != text:
        reading.note("characters that cannot be stored were replaced")
    return cleaned


def _broken(text: str) -> str | None:
    """The part of `text` that was meant to be JSON: the longest fenced block with an object, or all from the first."""
    blocks = [block for block in _FENCED.findall(text) if "{" in block]
    source = max(blocks, key=len) if blocks else text
    begin = source.find("{")
    return source[begin : begin + REPAIR_LIMIT] if begin >= 0 else None


def _structure(text: str) -> Iterator[str]:
    """The brackets of `text` outside of strings."""
    return (mark for mark in _TOKEN.findall(text) if mark in "{}[]" and len(mark) == 1)


def _too_deep(text: str) -> bool:
    depth = 0
    for mark in _structure(text):
        depth += 1 if mark in "{[" else -1
        if depth > DEPTH_LIMIT:
            return True
    return False


def _breaks_off(text: str) -> bool:
    if len(text) >= REPAIR_LIMIT:
        return True
    depth = 0
    for mark in _structure(text):
        depth += 1 if mark in "{[" else -1
        if depth == 0:
            return False
    return True


def _repaired(text: str) -> Json:
    from json_repair import repair_json

    try:
        return repair_json(_Hurried(text), return_objects=True, skip_json_loads=True)
    except (_TimeUp, ValueError, RecursionError, IndexError, TypeError, KeyError, AttributeError):
        return None  # then it has no answer; the parse says why


class _TimeUp(Exception):
    pass


class _Hurried(str):
    """A text that can be looked into for SECONDS: some texts take a repair the square of their length."""

    def __new__(cls, text: str) -> _Hurried:
        made = super().__new__(cls, text)
        made.until = time.monotonic() + SECONDS
        return made

    until: float

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        if time.monotonic() > self.until:
            raise _TimeUp
        return super().__getitem__(key)


_UNSTORABLE = expression("[\x00\ud800-\udfff]")
_FENCED = expression(r"```[\w-]*[ \t]*\n(.*?)(?:```|\Z)", re.S)
_TOKEN = expression(  # a string without an end reaches to the end: tried from each of its quotes it would take its square
    r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\]]', re.S
)
