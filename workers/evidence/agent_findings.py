"""Findings of an agent, checked by code: what it quotes has to be where it says, else they are notes and never count."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.evidence import SEVERITIES, Finding
from orchestrator.domain.inert import one_line
from orchestrator.domain.review_verdicts import dimension_of, severity_of
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.refuted_claims import refuted

NEAR = 12  # lines above and below the named one in which a quote is looked for first
SHORTEST = 4  # letters and digits of a quote that may be a part of a line
QUOTED, TEXT = 200, 1_000  # characters that are kept
Line = Annotated[str, Field(max_length=2_000)]
Word = Annotated[str, Field(max_length=60)]


class AgentFinding(BaseModel):
    """One thing that is wrong with the change."""

    model_config = ConfigDict(extra="ignore")

    dimension: Word = Field(description="quality, security, architecture or requirements")
    severity: Word = Field(description="critical, high, medium or low")
    path: Line = Field(description="the changed file, as it is named above")
    line: int = Field(default=0, ge=0, le=10_000_000, description="the line's number; 0: unknown")
    quote: Line = Field(description="the line itself, copied exactly")
    text: Line = Field(description="what is wrong and what happens because of it, in one or two sentences")
    fix: Line = Field(default="", description="what to do")
    rule: Word = Field(default="", description="a short name of the kind of fault, such as off_by_one")


class Settled(BaseModel):
    """An open finding of the review before that the new changes settle."""

    model_config = ConfigDict(extra="ignore")

    id: Word
    why: Line = ""


class DimensionsRead(BaseModel):
    """One sentence on each dimension: what was looked at, and what came of it."""

    model_config = ConfigDict(extra="ignore")

    quality: Line = ""
    security: Line = ""
    architecture: Line = ""
    requirements: Line = ""


class ReviewAnswer(BaseModel):
    """What a review of some changed files found."""

    model_config = ConfigDict(extra="ignore")

    dimensions: DimensionsRead = DimensionsRead()
    findings: list[AgentFinding] = Field(default=[], max_length=60)
    settled: list[Settled] = Field(default=[], max_length=60)


@dataclass(frozen=True, slots=True)
class Noted:
    """A claim of an agent that could not be verified, and why: it is shown and never counts."""

    finding: Finding
    why: str


def verify(
    found: AgentFinding, changes: Changes, dimension: Callable[[str], str] = dimension_of
) -> Finding | Noted:
    """The finding with the place where its quote is, or what is wrong with it. Its `check` is the dimension."""
    claimed = Finding(
        check=dimension(found.dimension),
        severity=severity_of(found.severity),
        rule="agent:" + (re.sub(r"[^a-z0-9]+", "_", found.rule.lower()).strip("_")[:40] or "finding"),
        text=one_line(found.text, TEXT),
        path=one_line(found.path, 500),
        line=found.line,
        quote=one_line(found.quote.strip(), QUOTED),
        fix=one_line(found.fix, TEXT),
        source="agent",
    )
    file = _file_of(found.path, changes)
    if file is None:
        return Noted(claimed, "its file is not one of the changed files")
    claimed = replace(claimed, path=file.path)
    if not claimed.text:
        return Noted(claimed, "it does not say what is wrong")
    place = _place_of(found.quote, found.line, file)
    if place is None:
        return Noted(claimed, "what it quotes is not in the file")
    if why := refuted(claimed, file):
        return Noted(claimed, why)
    line = file.line(place) if place else ""
    return replace(claimed, line=place, quote=one_line(line.strip(), QUOTED) or claimed.quote)


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """Each finding once, by path, line and rule or words; the worst severity and the first words stay."""
    kept: list[Finding] = []
    for each in findings:
        same = next((at for at, other in enumerate(kept) if _is_same(each, other)), None)
        if same is None:
            kept.append(each)
            continue
        other = kept[same]
        worst = min(each.severity, other.severity, key=SEVERITIES.index)
        if other.source == "agent" and each.source == "tool":
            other = each  # what a rule found stands without anybody's judgement
        kept[same] = replace(other, severity=worst, blocks=each.blocks or kept[same].blocks)
    return kept


def is_still_there(finding: Finding, changes: Changes) -> bool:
    """Whether the line that a finding quotes is in its file still; without a quote, whether the file is changed still."""
    file = changes.by_path.get(finding.path)
    if file is None or file.is_deleted:
        return False
    wanted = _normal(finding.quote)
    lines = file.lines if finding.line else file.lines_before
    return not wanted or any(wanted in _normal(line) for line in lines)


def _file_of(path: str, changes: Changes) -> ChangedFile | None:
    """The changed file of a path as agents write it: `./x`, `a/x`, `b/x`, the name before a rename."""
    plain = path.strip().strip("`'\"").removeprefix("./").lstrip("/")
    plain = re.sub(r":\d+(?:[:-]\d+)?$", "", plain)
    names = [plain, *([plain[2:]] if plain[:2] in ("a/", "b/") else [])]
    for name in names:
        if name in changes.by_path:
            return changes.by_path[name]
    return next((file for file in changes.files if file.path_before in names), None)


def _place_of(quote: str, line: int, file: ChangedFile) -> int | None:
    """The line that begins with the quote, the nearest to `line`; 0 for lines that were removed, None for neither."""
    for wanted in _readings(quote):
        places = _occurrences(wanted, _now(file))
        near = [place for place in places if line and abs(place - line) <= NEAR]
        if near:
            return min(near, key=lambda place: abs(place - line))
        if len(places) == 1 or (places and not line):
            return places[0]
        if not places and _occurrences(wanted, _earlier(file)):
            return 0
    return None


def _readings(quote: str) -> Iterable[list[str]]:
    """The quote's lines without differences of white space; then without the marks of a diff or the lines' numbers."""
    lines = [line for line in quote.replace("\r", "").split("\n") if line.strip()]
    for strip in ("", r"^\s*[+-]\s?", r"^\s*[+-]?\s*\d+\s*[|:+-]?\s?", r"^\s*\d+\s*[+-]?\s*\|\s?"):
        found = [_normal(re.sub(strip, "", line) if strip else line) for line in lines]
        if any(found):
            yield [line for line in found if line]


@lru_cache(maxsize=64)  # a file is asked about once for each claim
def _now(file: ChangedFile) -> tuple[str, ...]:
    return tuple(map(_normal, file.lines))


@lru_cache(maxsize=64)
def _earlier(file: ChangedFile) -> tuple[str, ...]:
    return tuple(map(_normal, file.lines_before))


def _occurrences(wanted: Sequence[str], have: Sequence[str]) -> list[int]:
    """The numbers of the lines at which `wanted` begins; a short quote has to be a line as a whole."""
    is_short = len(re.sub(r"[\W_]", "", "".join(wanted))) < SHORTEST
    found = []
    for at, line in enumerate(have):
        if is_short and line != wanted[0]:
            continue
        if wanted[0] not in line:
            continue
        rest = [each for each in have[at + 1 : at + 3 * len(wanted)] if each]
        if (
            all(one in other for one, other in zip(wanted[1:], rest, strict=False))
            and len(rest) >= len(wanted) - 1
        ):
            found.append(at + 1)
    return found


def _normal(line: str) -> str:
    return " ".join(line.split())


def _is_same(one: Finding, other: Finding) -> bool:
    """Whether two findings are one: rules tell theirs apart by their words, agents choose words as they like."""
    if (one.path, one.line) != (other.path, other.line):
        return False
    if _normal(one.text).lower() == _normal(other.text).lower():
        return True
    names = [each.rule.removeprefix("agent:") for each in (one, other)]
    by_agent = "agent" in (one.source, other.source)
    return by_agent and bool(one.line) and names[0] == names[1] != "finding"
