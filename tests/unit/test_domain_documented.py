"""docs/domain.md has every rule that is data, as the data has it, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache

import pytest

from orchestrator.config import load_pack, strict_yaml
from orchestrator.domain import revisions
from orchestrator.domain.documents import DIMENSIONS, REPORT
from orchestrator.domain.message_types import KNOWN_TYPES
from orchestrator.domain.model import WISDOM, Gate, RunOutcome, SessionStatus, Severity, TaskState, TaskStatus
from orchestrator.domain.modes import missing_roles
from orchestrator.domain.pauses import PAUSES, PauseReason
from orchestrator.domain.pipelines import Gates, Pack
from orchestrator.domain.verdicts import Reply, consequence, divergences, judge
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "domain.md").read_text(encoding="utf-8")
CITED = re.compile(r"\bdomain(?:\.md)?`?,? sections? (\d+(?:(?:, | and | to )\d+)*)")
FOLDERS = ("orchestrator", "workers", "config", "migrations", "tests")

Row = tuple[str, ...]
Rows = Iterable[Row]


@cache
def pack() -> Pack:
    return load_pack(None, {"LIFECYCLE_CONFIG_DIR": "/nonexistent"})


@cache
def sections() -> Mapping[int, str]:
    """Number of each section -> its text."""
    found = re.split(r"^## (\d+)\. .*$", PAGE, flags=re.M)
    return {int(number): text for number, text in zip(found[1::2], found[2::2], strict=True)}


def table(section: int, *header: str) -> list[Row]:
    """The rows of the section's one table with that header."""
    found: list[list[Row]] = []
    for block in re.findall(r"(?:^\|.*\n)+", sections()[section], re.M):
        lines = [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in block.splitlines()]
        if lines[0] == header:
            found.append(lines[2:])
    assert len(found) == 1, f"{len(found)} tables in section {section} begin with {header}"
    return found[0]


def names(cell: str) -> list[str]:
    """What stands in a cell as code."""
    return re.findall(r"`([^`]+)`", cell)


def code(values: Iterable[str]) -> str:
    return ", ".join(f"`{value}`" for value in values) or "-"


def plain(values: Iterable[str]) -> str:
    return ", ".join(values) or "-"


def built(whether: bool) -> str:
    return "yes" if whether else "not yet"


def role_rows() -> Rows:
    for name, role in pack().roles.items():
        loop = "yes" if role.inner_loop else "no"
        may = (plain(role.may), plain(role.may_not))
        yield name, code(role.prefixes), loop, *may, built(role.installed)


def mode_rows() -> Rows:
    for name, pipeline in pack().pipelines.items():
        here = built(not missing_roles(pack(), name))
        yield f"`{name}`", pipeline.title, f"`{pipeline.id_prefix}-`", here


def mode_words() -> Rows:
    for name, words in pack().modes.items():
        yield name, plain(words)


def pause_rows() -> Rows:
    for reason, pause in PAUSES.items():
        needs = f" (`{pause.needs}`)" if pause.needs else ""
        also = [each for each in pause.actions if each.split()[0] != "resume" or "TASK" in each]
        yield f"`{reason}`", pause.resume + needs, code(also), str(pause.exit_code)


def feedback_words() -> Rows:
    for document in pack().documents:
        if document.feedback:
            yield f"`{document.task}`", plain(document.feedback), plain(document.names)


def improve_rows() -> Rows:
    tasks = {
        task.key: TaskState(task.key, task.role, task.prefix, TaskStatus.COMPLETED)
        for task in pack().pipelines["spec-only"].tasks
    }
    for dimension in DIMENSIONS:
        yield dimension, code(revisions.targets(tasks, pack().documents, REPORT, dimension))


def round_rows() -> Rows:
    for key, each in pack().rounds.items():
        yield key, f"`{each.after}`", f"`{each.artifact}`", plain(each.perspectives), each.focus, each.caller


def perspective_rows() -> Rows:
    for name, each in pack().perspectives.items():
        yield name, each.label, plain(each.focus), plain(each.agents)


def document_rows() -> Rows:
    """Each document: what it is called, who makes it, where, from what, what must be in it."""
    for each in pack().documents:
        sources = plain(each.drafted_from) if not each.is_report else plain(each.scores)
        yield each.kind, f"`{each.task}`", f"`{each.path}`", sources, code(each.required)


def weight_rows() -> Rows:
    for dimension in DIMENSIONS:
        yield dimension, f"{pack().gates.weights[dimension]:g} %"


def threshold_rows() -> Rows:
    gates = pack().gates
    for name in Gates.__dataclass_fields__:
        if name != "weights":
            yield f"`{name}`", f"{getattr(gates, name):g}"


TABLES: dict[str, tuple[int, tuple[str, ...], Callable[[], Rows]]] = {
    "roles": (2, ("role", "task prefixes", "inner loop", "may", "may not", "built"), role_rows),
    "modes": (3, ("mode", "makes", "ids begin with", "built"), mode_rows),
    "words of modes": (3, ("list", "words"), mode_words),
    "pauses": (4, ("pause", "`resume` means", "also", "exit code"), pause_rows),
    "words of feedback": (6, ("task", "words", "names of sections"), feedback_words),
    "documents of improve": (6, ("dimension", "documents"), improve_rows),
    "rounds": (8, ("round", "after", "artifact", "perspectives", "what matters", "held by"), round_rows),
    "perspectives": (8, ("perspective", "speaks as", "looks at", "asks, in this order"), perspective_rows),
    "documents": (
        10,
        ("document", "task", "main file", "from", "sections the score requires"),
        document_rows,
    ),
    "dimensions": (11, ("dimension", "weight", "measures"), weight_rows),
    "thresholds": (11, ("threshold", "value", "meaning"), threshold_rows),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_the_page_says_what_the_data_says(name: str) -> None:
    section, header, rows = TABLES[name]
    expected = list(rows())

    written = [row[: len(expected[0])] for row in table(section, *header)]

    assert written == expected


@pytest.mark.parametrize(
    "section, header, kind",
    [
        (4, ("task state", "meaning"), TaskStatus),
        (4, ("session state", "meaning"), SessionStatus),
        (4, ("a run ends", "when", "counts as an attempt"), RunOutcome),
        (4, ("pause", "cause"), PauseReason),
        (8, ("severity", "when blocked and", "recommendation"), Severity),
        (11, ("gate", "when"), Gate),
    ],
)
def test_every_state_reason_and_severity_is_described(
    section: int, header: tuple[str, ...], kind: type[TaskStatus]
) -> None:
    first = [row[0] for row in table(section, *header)]

    described = [name for cell in first for name in names(cell) or [cell]]

    assert sorted(described) == sorted(kind)


def drawn(expression: str) -> dict[str, set[str]]:
    """Task -> blockers, of a pipeline drawn as `A > { B, C > D } > E`."""
    tokens = re.findall(r"[\w-]+|[>{},]", expression)
    blockers: dict[str, set[str]] = {}

    def sequence(before: set[str]) -> set[str]:
        while True:
            before = step(before)
            if not tokens or tokens[0] != ">":
                return before
            tokens.pop(0)

    def step(before: set[str]) -> set[str]:
        token = tokens.pop(0)
        if token != "{":
            blockers[token] = before
            return {token}
        ends: set[str] = set()
        while token != "}":
            ends |= sequence(before)
            token = tokens.pop(0)
        return ends

    sequence(set())
    assert not tokens
    return blockers


def drawings() -> dict[str, str]:
    block = next(b for b in re.findall(r"```\n(.*?)```", sections()[3], re.S) if "spec-only " in b)
    return {
        name: drawing.strip() for name, _, drawing in (line.partition(" ") for line in block.splitlines())
    }


@pytest.mark.parametrize("mode", sorted(pack().pipelines))
def test_a_pipeline_is_drawn_with_its_tasks_and_edges(mode: str) -> None:
    lines = drawings()
    first, checkpoint, last = lines[mode].partition(" > checkpoint > ")
    whole = f"{lines[first]} > {lines[last]}" if checkpoint else first
    tasks = pack().pipelines[mode].tasks

    edges = {} if pack().pipelines[mode].built_at_start else drawn(whole)

    assert edges == {task.key: set(task.blocked_by) for task in tasks}
    assert {task.key for task in tasks if task.checkpoint_after} == (
        set(list(drawn(lines[first]))[-1:]) if checkpoint else set()
    )


def test_every_pipeline_and_no_other_is_drawn() -> None:
    assert set(drawings()) == set(pack().pipelines)


def test_every_check_of_supervision_is_named_with_the_task_it_follows() -> None:
    said = re.findall(r"`(SUPERVISE-\d+)` after `([A-Z]+-\d+)`", sections()[3])

    assert said == [(check.key, check.after) for check in pack().supervise]


# what divides the perspectives, and what follows

DIVIDED = [
    Reply("coverage", 3, missing_requirements=("links expire",)),
    Reply("risk", 2, risk_level="high"),
    Reply("quality", 5, weaknesses=(("no tests", "critical"),)),
]


def test_every_divergence_has_its_severity() -> None:
    suggested = [Reply("product", 4, suggestions=("name a price",))]

    told = (*divergences(DIVIDED), *divergences(suggested), *divergences(AGREED, failed=True))
    found = {(each.kind, str(each.severity)) for each in told}

    assert found == {
        (names(kind)[0], severity) for kind, _, severity in table(8, "divergence", "found when", "severity")
    }


AGREED = [Reply("product", 4), Reply("quality", 4)]
VERDICTS = {
    "reached, no MEDIUM divergence": judge(AGREED),
    "reached, a MEDIUM divergence": judge([Reply("product", 5), Reply("quality", 4), Reply("risk", 2)]),
    "blocked LOW": judge([Reply("product", 3), Reply("quality", 3)], threshold=4),
    "blocked MEDIUM": judge([Reply("product", 3), Reply("quality", 2)]),
    "blocked HIGH": judge(DIVIDED),
}
TASKS = {
    "any task": ("DISCUSS-002", False),
    "a first version": ("DISCUSS-002", False),
    "a revision": ("DISCUSS-002", True),
    "the sign-off, DISCUSS-006": ("DISCUSS-006", False),
}
FOLLOWS = {"none": "nothing", "warn": "warning", "revise": "revision"}


@pytest.mark.parametrize("row", table(8, "verdict", "of", "inline", "standalone"))
def test_what_follows_a_verdict_is_what_the_rule_says(row: Row) -> None:
    words, of, *forms = row
    round_key, is_revision = TASKS[of]

    found = [
        consequence(
            VERDICTS[words],
            signs_off=pack().rounds[round_key].signs_off,
            is_revision=is_revision,
            standalone=standalone,
        )
        for standalone in (False, True)
    ]

    assert [f"pause `{each.pause}`" if each.pause else FOLLOWS[each.kind] for each in found] == forms


def test_every_verdict_and_every_kind_of_task_has_its_row() -> None:
    rows = table(8, "verdict", "of", "inline", "standalone")

    assert ({row[0] for row in rows}, {row[1] for row in rows}) == (set(VERDICTS), set(TASKS))


# lists of names


def test_every_angle_of_exploration_is_listed() -> None:
    shipped, _, _ = strict_yaml.read(ROOT / "config" / "explore.yaml")
    (listed,) = re.findall(r"Angles:\n\n((?:.+\n)+)", sections()[9])

    assert names(listed) == list(shipped["angles"])


def test_every_known_message_type_is_listed_once() -> None:
    listed = [name for row in table(15, "about", "types") for name in names(row[1])]

    assert sorted(listed) == sorted(KNOWN_TYPES)


def test_every_wisdom_file_is_described() -> None:
    assert [names(row[0])[0] for row in table(15, "file", "written by")] == list(WISDOM)


def test_the_session_directory_shows_every_artifact_that_is_discussed() -> None:
    shown = sections()[5]

    missing = [each.artifact for each in pack().rounds.values() if each.artifact.split("/")[1] not in shown]

    assert missing == []


# citations


def test_the_sections_are_numbered_1_to_15() -> None:
    assert list(sections()) == list(range(1, 16))


def test_every_link_within_the_page_leads_to_a_heading() -> None:
    headings = re.findall(r"^#+ (.+)$", PAGE, re.M)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}

    linked = set(re.findall(r"\]\(#([^)]+)\)", PAGE))

    assert linked - anchors == set()
    assert len(linked) == 15


def cited(text: str) -> set[int]:
    """The numbers of the sections that a text cites."""
    found: set[int] = set()
    for numbers in CITED.findall(text):
        for part in re.split(r", | and ", numbers):
            first, _, last = part.partition(" to ")
            found.update(range(int(first), int(last or first) + 1))
    return found


def test_citations_are_found_in_all_their_forms() -> None:
    text = "(docs/domain.md, section 8) (docs/domain.md, sections 1 to 3), (docs/domain.md, sections 5 and 7; input 9)"

    assert cited(text) == {1, 2, 3, 5, 7, 8}


def test_every_citation_of_the_page_names_a_section_that_exists() -> None:
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    citing = {path: cited(path.read_text(encoding="utf-8")) for path in files}

    wrong = {path: numbers - set(sections()) for path, numbers in citing.items()}

    assert sum(map(bool, citing.values())) > 20
    assert {str(path): sorted(numbers) for path, numbers in wrong.items() if numbers} == {}


SUFFIXES = (".py", ".yaml", ".md", ".j2")


if __name__ == "__main__":  # python -m tests.unit.test_domain_documented: the rows, to be pasted
    for title, (where, head, make) in TABLES.items():
        print(f"\n{title} in section {where}: {head}\n")
        for cells in make():
            print(f"| {' | '.join(cells)} |")
