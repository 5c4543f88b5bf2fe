"""A long request of a given size: `python -m tests.corpus.long_request 20` prints one of 20 kB.

It has the parts that product requirement documents have (goals with metrics, users, features with stories, tables, limits,
risks, questions, phases), and is the same at every call. All names and numbers are invented.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import count
from typing import TypeVar

T = TypeVar("T")
KILOBYTE = 1_000

HEAD = """\
# Harbourmaster: berth and cargo planning for small ports

Status: draft for review. Audience: product, engineering, operations.

## Background

Forty small ports plan their berths on paper and by telephone. A vessel that arrives early waits outside, one that is late
blocks a crane, and nobody sees it before it happens. Each port has its own spreadsheet, and the agents of the shipping lines
call three people to learn one date. The ports share a pilot service and two tugs, so that a mistake in one is felt in all.

## Goals

| Goal | Metric | Baseline | Target |
|---|---|---|---|
| Vessels wait less at anchor | mean waiting time per call | 9 hours | under 4 hours |
| Planners see conflicts early | conflicts found a day before | 20 % | 85 % |
| Agents help themselves | telephone calls per vessel call | 6 | at most 1 |
| Invoices are right the first time | invoices corrected afterwards | 12 % | under 2 % |

## Users

- **Berth planner**: assigns berths, tugs and pilots for the next ten days.
- **Shipping agent**: announces vessels and follows their dates.
- **Crane foreman**: needs the order of the day on a tablet, gloves on.
- **Harbour office clerk**: writes invoices and the monthly statistics.

## Out of scope

- Customs declarations are handled by the national system.
- No prediction of the weather in the first version.
- Container tracking on the yard.

## Constraints

1. The first port goes live before the season begins in May 2027.
2. The system runs in the data centre of the port association; no personal data leaves the country.
3. Planners use Firefox on the association's desktops, foremen use Android tablets.
"""

AREAS = (
    "Berth planning",
    "Vessel announcements",
    "Tug and pilot orders",
    "Crane shifts",
    "Cargo manifests",
    "Invoicing",
    "Statistics",
    "Notifications",
    "Access control",
    "Maintenance windows",
    "Hazardous goods",
    "Mobile work",
)
ACTORS = ("berth planner", "shipping agent", "crane foreman", "harbour office clerk")
THINGS = (
    "berth",
    "voyage notice",
    "tug order",
    "shift",
    "manifest",
    "tariff line",
    "report",
    "notice",
    "permit",
    "hull check",
)
ACTS = (
    "see every {thing} of the next {n} days on one page",
    "change a {thing} by dragging it, with the reason kept",
    "undo the last {n} changes of a {thing}",
    "find a {thing} by the vessel's name or IMO number",
    "export each {thing} of a month as CSV",
    "be told within {n} minutes when a {thing} changes",
    "attach up to {n} documents to a {thing}",
    "copy a {thing} from an earlier call of the same vessel",
    "lock a {thing} while an inspection is under way",
    "compare two versions of a {thing} side by side",
)
ENDS = (
    "so that no vessel is promised a place twice",
    "so that the shift can be staffed in time",
    "so that the agent need not telephone",
    "so that disputes can be settled from the record",
    "so that the clerk writes the invoice once",
    "so that a tug is not sent for nothing",
    "so that the monthly statistics need no second source",
)
RULES = (
    "The system must refuse a {thing} that overlaps another one by more than {n} minutes and name both.",
    "A {thing} should keep its history for at least {n} years, with author and time of every change.",
    "Two people who edit the same {thing} must be told of each other within {n} seconds.",
    "A {thing} without an answer after {n} hours shall be escalated to the planner on duty.",
    "The list of each {thing} could be sorted by draught, length and time of arrival.",
    "Every {thing} must show the {n} most recent remarks beside the vessel's particulars.",
    "A cancelled {thing} must release its tug within {n} minutes.",
)
CRITERIA = (
    "Given a {thing} that was changed by somebody else, when it is saved, then the conflict is shown and nothing is lost.",
    "Given {n} entries, when the list is opened, then it appears within 2 seconds.",
    "Given no connection, when the {thing} is confirmed, then it is sent within {n} seconds of the next connection.",
    "Given a reader without the right to change a {thing}, when it is opened, then no control to change it is shown.",
)
LIMITS = (
    ("Performance", "The plan of ten days with {n} vessels opens within {m} seconds for 95 % of the visits."),
    ("Security", "Every sign-in of a {actor} needs a second factor; sessions end after {n} minutes."),
    (
        "Availability",
        "Planned downtime is at most {n} minutes a month, outside the hours from 05:00 to 22:00.",
    ),
    ("Scalability", "{n} ports with {m}0 users each work at the same time without a slower plan."),
    ("Usability", "A new {actor} makes the first correct entry within {n} minutes and without training."),
    ("Privacy", "Names of crew members are deleted {n} days after the call has ended."),
)
RISKS = (
    ("{actor}s keep their own spreadsheets", "high", "two weeks of parallel running in each port"),
    ("the radio link of the {thing} tablets breaks off at berth {n}", "medium", "work goes on offline"),
    ("the tariff changes while the {thing} is being built", "medium", "tariffs are data with dates"),
)
QUESTIONS = (
    "Who may overrule a {thing} when the planner on duty cannot be reached?",
    "Does the {thing} of a vessel of the coast guard appear in the public plan?",
    "Is a {thing} of more than {n} hours charged by the hour or by the day?",
)
PHASES = (("P0", "Phase 1"), ("P1", "Phase 1"), ("P1", "Phase 2"), ("P2", "Phase 3"))


def long_request(kilobytes: int) -> str:
    """A request of at least so many thousand characters, ending with a whole chapter."""
    text, chapters = HEAD, _chapters()
    while len(text) < kilobytes * KILOBYTE:
        text += next(chapters)
    return text


def _chapters() -> Iterator[str]:
    """One feature after the other; every third time a table of limits, risks and questions goes with it."""
    numbers = count(1)
    for turn in count():
        yield _feature(turn, numbers)
        if turn % 3 == 2:
            yield _limits(turn)


def _feature(turn: int, numbers: Iterator[int]) -> str:
    area = AREAS[turn % len(AREAS)] + (f", part {turn // len(AREAS) + 1}" if turn >= len(AREAS) else "")
    priority, phase = PHASES[turn % len(PHASES)]
    stories = "\n".join(
        f"| US-{next(numbers):03} | As a {_pick(ACTORS, turn + i)} I want to {_said(ACTS, turn * 7 + i * 3, turn + i)}, "
        f"{_pick(ENDS, turn * 2 + i)}. | {_pick(PHASES, turn + i)[0]} |"
        for i in range(4)
    )
    rules = "\n".join(f"- {_said(RULES, turn * 5 + i * 2, turn * 3 + i)}" for i in range(4))
    criteria = "\n".join(f"  - {_said(CRITERIA, turn + i, turn * 2 + i)}" for i in range(2))
    return f"""
## {turn + 1}. {area} ({priority}, {phase})

{area} is where the {_pick(ACTORS, turn)} spends most of the day today, between the telephone and the spreadsheet. What
follows was said in {turn % 5 + 3} interviews in {turn % 7 + 2} ports and agreed with the working group.

| ID | Story | Priority |
|---|---|---|
{stories}

Rules:

{rules}

Accepted when:

{criteria}
"""


def _limits(turn: int) -> str:
    limits = "\n".join(
        f"| {name} | {_filled(text, turn + i)} |"
        for i, (name, text) in enumerate(_pick(LIMITS, turn + i) for i in range(3))
    )
    risks = "\n".join(
        f"| {_filled(text, turn + i)} | {level} | {_filled(answer, turn + i)} |"
        for i, (text, level, answer) in enumerate(_pick(RISKS, turn + i) for i in range(2))
    )
    questions = "\n".join(f"- {_said(QUESTIONS, turn + i, turn * 4 + i)}" for i in range(2))
    return f"""
### Limits that go with chapters {turn - 1} to {turn + 1}

| Quality | Requirement |
|---|---|
{limits}

### Risks

| Risk | Likelihood | Mitigation |
|---|---|---|
{risks}

### Open questions

{questions}
"""


def _said(texts: tuple[str, ...], which: int, seed: int) -> str:
    return _filled(_pick(texts, which), seed)


def _filled(text: str, seed: int) -> str:
    number = 5 + seed * 7 % 53
    return text.format(thing=_pick(THINGS, seed), actor=_pick(ACTORS, seed), n=number, m=seed % 4 + 2)


def _pick(among: Sequence[T], at: int) -> T:
    return among[at % len(among)]


if __name__ == "__main__":
    sys.stdout.write(long_request(int(sys.argv[1])))
