"""What an analysis says by rules: passages, findings in lines, words of a person, and what is cited (docs/analyze.md)."""

import re
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.config import load_pack
from orchestrator.config.shipped import shipped_pack
from orchestrator.domain import ids
from orchestrator.domain.agent_kinds import BUILTIN
from orchestrator.domain.analysis import (
    ANALYZE,
    DIRECTED,
    EXPLORE,
    LEADS,
    PERSPECTIVE,
    AnalysisRules,
    RoundType,
    chosen_perspectives,
    direction_of,
    of_perspectives,
)
from orchestrator.domain.errors import UsageError
from orchestrator.domain.graph import graph_faults
from orchestrator.domain.model import TaskDef
from orchestrator.domain.pipelines import Pack
from tests.git_world import repository
from workers.builtin.analyses import concluded
from workers.builtin.material import material
from workers.documents import escape
from workers.documents.analysis_content import ConclusionsContent
from workers.explore.citations import CitationCheck
from workers.explore.observation_rules import in_code, observation_rules
from workers.explore.observations import observe
from workers.explore.seen import LONGEST_QUOTE, Asked, Observation
from workers.git.changed_often import changed_often

FILES = {
    "README.md": "# Depot\n\nA lost parcel is looked for after three days.\n\nThe depot opens at nine.\n",
    "CHANGELOG.md": "- a lost parcel was never found, fixed\n",
    "tests/fixtures/notes.md": "A lost parcel in a fixture means nothing.\n",
    "depot/find.py": (
        '"""Finds things."""\n\nimport subprocess\n\n\ndef find_parcel(name):\n'
        '    """A lost parcel is asked for at every\n    counter, one by one."""\n'
        "    return subprocess.run(f'ls {name}', shell=True)\n\n\n"
        'ADVICE = "never pass shell=True here"\n'
    ),
    "web/find.js": "/**\n * Looks a lost parcel up.\n */\nshelf.findParcel = function (name) {\n}\n",
}


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack(None, {"LIFECYCLE_CONFIG_DIR": str(Path(__file__).parent / "none")})


def found(
    folder: Path, files: Mapping[str, str], question: str, view: str = "security", **more: object
) -> list[Observation]:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    asked = Asked.of(question, ("secure",), ("how", "find"), **more)  # type: ignore[arg-type]
    observed, _ = observe(
        folder,
        view,
        {"relevant_files": [{"path": "depot/find.py"}]},
        asked=asked,
        changed={},
        skip=folder / ".workflow",
        deadline=time.monotonic() + 60,
        stop=threading.Event(),
    )
    return observed


def test_passages_are_of_documents_and_comments_and_neither_of_samples_nor_of_old_changes(
    tmp_path: Path,
) -> None:
    said = {each.evidence[0]: each for each in found(tmp_path, FILES, "lost parcel") if each.rule == "says"}

    assert {(place.path, place.line) for place in said} == {
        ("README.md", 3),
        ("depot/find.py", 7),
        ("web/find.js", 2),
    }
    assert any("at every counter, one by one" in each.text for each in said.values())  # a docstring goes on
    assert all(each.answers for each in said.values())


def test_front_matter_and_the_forms_of_a_project_are_not_what_it_says(tmp_path: Path) -> None:
    form = "---\nname: Parcel report\nabout: Report a lost parcel\n---\n"
    files = {
        **FILES,
        ".github/ISSUE_TEMPLATE/parcel.md": f"{form}\nDescribe the lost parcel.\n",
        "docs/lost.md": f"{form}\nA parcel is lost after thirty days.\n",
        "docs/ruled.md": "---\n\nNo parcel is lost on Mondays.\n\n---\n",
    }

    told = "\n".join(each.text for each in found(tmp_path, files, "Where is a lost parcel reported?"))

    assert "thirty days" in told and "Mondays" in told
    assert "about" not in told and "Describe" not in told


def test_words_that_tell_what_to_do_count_less_than_what_it_is_about(tmp_path: Path) -> None:
    files = {**FILES, "docs/report.md": "Write a report about every report that you write.\n"}

    told = found(tmp_path, files, "Write a report on parcels", views=("write", "report"))

    assert "parcel" in told[0].text and not any("every report" in each.text for each in told)


def test_where_another_perspective_leads_only_what_is_of_its_own_subject_is_said(tmp_path: Path) -> None:
    files = {**FILES, "SECURITY.md": "It is secure: a lost parcel is sealed.\n"}

    said = [each for each in found(tmp_path, files, "lost parcel", leads=False) if each.rule == "says"]

    assert [(each.evidence[0].path, each.answers) for each in said] == [("SECURITY.md", False)]


def test_what_was_shown_is_not_shown_again(tmp_path: Path) -> None:
    said = found(tmp_path, FILES, "lost parcel", told=[("README.md", 3)])

    assert "README.md" not in {each.evidence[0].path for each in said if each.rule == "says"}


def test_a_question_without_a_word_of_the_project_brings_no_passage(tmp_path: Path) -> None:
    assert not [each for each in found(tmp_path, FILES, "kubernetes ingress") if each.answers]


def test_words_inside_a_string_are_named_not_used(tmp_path: Path) -> None:
    shell = next(each for each in found(tmp_path, FILES, "lost parcel") if each.rule == "shell-string")

    assert [(each.path, each.line) for each in shell.evidence] == [("depot/find.py", 9)]
    assert shell.near == 1


def test_what_is_raised_again_is_not_swallowed_and_a_pragma_takes_no_parameters(tmp_path: Path) -> None:
    raised = "try:\n    f()\nexcept BaseException:\n    undo()\n\n    raise\nafter()\n"
    kept = "try:\n    f()\nexcept Exception:\n    undo()\nraise ValueError\n"
    sql = 'db.execute(f"PRAGMA x={n}")\ndb.execute(f"SELECT {n}")\n'
    files = {"raised.py": raised, "kept.py": kept, "sql.py": sql}

    swallowed = [each for each in found(tmp_path, files, "x", "implementation") if each.rule == "swallowed"]
    built = [each for each in found(tmp_path, files, "x") if each.rule == "built-sql"]

    assert [(place.path, place.line) for each in swallowed for place in each.evidence] == [("kept.py", 3)]
    assert [(place.path, place.line) for each in built for place in each.evidence] == [("sql.py", 2)]


def test_findings_are_said_in_the_language_of_the_request(tmp_path: Path) -> None:
    shell = next(
        each for each in found(tmp_path, FILES, "包裹", language="zh") if each.rule == "shell-string"
    )

    assert shell.text == "由 shell 执行命令：1 处"
    assert shell.do == "以参数列表传递命令"


def test_every_sentence_has_the_same_places_in_both_languages() -> None:
    for key, sentence in observation_rules().sayings.items():
        places = [set(re.findall(r"{(\w+)}", text)) for text in (sentence.en, sentence.zh)]
        assert places[0] == places[1], key
        assert re.search(r"[\u4e00-\u9fff]", sentence.zh) or not re.sub(r"{\w+}|\W", "", sentence.zh), key


def test_chinese_words_of_a_question_are_looked_for_as_code_has_them() -> None:
    assert "retry" in in_code("任务失败后如何重试").split()
    assert in_code("how is it retried") == "how is it retried"


def test_files_that_changed_often_are_counted_below_the_folder(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r", {"a.py": "1\n", "sub/b.py": "1\n"})

    assert changed_often(folder, 500) == {"a.py": 1, "sub/b.py": 1}
    assert changed_often(folder / "sub", 500) == {"b.py": 1}
    assert changed_often(tmp_path, 500) == {}


@pytest.mark.parametrize(
    ("path", "line", "quote"),
    [
        ("../secret.txt", 1, ""),
        ("{root}/../secret.txt", 1, ""),
        ("/etc/passwd", 1, "root"),
        (".env", 1, "TOKEN=abcdef"),
        (".git/config", 1, "[core]"),
        ("link.txt", 1, "outside words"),
        ("a.py", 99, ""),
        ("a.py", 1, "words that are not there"),
        ("none.py", 1, ""),
        ("a.py", 0, ""),
        ("a\0.py", 1, ""),
        ("\ud800.py", 1, ""),
        ("a/" * 150 + "x" * 90, 1, ""),
        ("", 1, ""),
    ],
)
def test_a_place_that_is_not_in_the_project_is_never_verified(
    tmp_path: Path, path: str, line: int, quote: str
) -> None:
    root = tmp_path / "p"
    (root / ".git").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("outside words\n")
    (root / ".git" / "config").write_text("[core]\n")
    (root / ".env").write_text("TOKEN=abcdef\n")
    (root / "a.py").write_text("import os\n")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")

    cited = CitationCheck(root).check(path.format(root=root), line, quote)

    assert (cited.verified, cited.quote) == (False, quote)


@pytest.mark.parametrize("text", ["a|b", "`x`", "a `b`` c", "``", "|"])
def test_a_quotation_is_shown_word_for_word(text: str) -> None:
    shown = escape.quote(text)
    fence = re.match(r"`+", shown)

    assert fence is not None
    inner = shown[len(fence[0]) : -len(fence[0])]
    assert inner.strip(" ") == text
    assert fence[0] not in inner


@pytest.mark.parametrize(
    ("text", "kind", "clear"),
    [
        ("done", RoundType.DONE, True),
        ("够了", RoundType.DONE, True),
        ("is it done?", RoundType.QUESTIONS, True),
        ("instead look at the tests", RoundType.ADJUSTED, True),
        ("改为看看测试", RoundType.ADJUSTED, True),
        ("why so many locks", RoundType.QUESTIONS, True),
        ("deepen", RoundType.DEEPEN, True),
        ("hm", RoundType.DEEPEN, False),
    ],
)
def test_words_direct_the_next_round(pack: Pack, text: str, kind: RoundType, clear: bool) -> None:
    direction = direction_of(text, pack.analysis)

    assert (direction.type, direction.clear) == (kind, clear)


@given(st.text(max_size=200))
def test_any_words_have_a_direction_or_are_empty(text: str) -> None:
    rules = shipped_pack().analysis
    try:
        direction = direction_of(text, rules)
    except UsageError:
        assert not text.strip()
    else:
        assert direction.text == text.strip()
        assert direction.type is not RoundType.INITIAL
        assert direction.clear or direction.type is RoundType.DEEPEN


@given(st.lists(st.sampled_from("abcdefg"), unique=True, min_size=1, max_size=7), st.booleans())
def test_each_perspective_gets_its_pair_and_what_follows_waits_for_all(
    names: list[str], directed: bool
) -> None:
    pipeline = [
        TaskDef("EXPLORE-001", "explorer", "EXPLORE"),
        TaskDef("ANALYZE-001", "explorer", "ANALYZE", blocked_by=("EXPLORE-001",)),
        TaskDef("DISCUSS-001", "discussant", "DISCUSS", blocked_by=("ANALYZE-001",)),
        TaskDef("SYNTH-001", "synthesizer", "SYNTH", blocked_by=("DISCUSS-001",)),
    ]

    made = {task.key: task for task in of_perspectives(pipeline, names, directed=directed)}

    assert not list(graph_faults(list(made.values())))
    assert len(made) == 2 * len(names) + 2
    for stem in (EXPLORE, ANALYZE):
        pairs = [task for task in made.values() if ids.parse_key(task.key).stem == stem]
        assert [task.payload[PERSPECTIVE] for task in pairs] == names
        assert [LEADS in task.payload for task in pairs] == [True] + [False] * (len(names) - 1)
    for n in range(1, len(names) + 1):
        assert made[f"ANALYZE-{n:03d}"].blocked_by == (f"EXPLORE-{n:03d}",)
    assert len(made["DISCUSS-001"].blocked_by) == len(names)
    assert (DIRECTED in made["DISCUSS-001"].payload) == directed
    assert made["SYNTH-001"].blocked_by == ("DISCUSS-001",)


def test_a_pack_without_perspectives_for_the_request_is_refused() -> None:
    with pytest.raises(UsageError, match="no perspective fits") as refused:
        chosen_perspectives("anything", (), AnalysisRules(), 4)

    assert refused.value.fix


def test_a_long_line_is_quoted_with_an_ellipsis_and_still_found(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("first\n" + "many words " * 40 + "\n")

    cited = CitationCheck(tmp_path).check("a.md", 2, "")
    again = CitationCheck(tmp_path).check("a.md", 1, cited.quote)

    assert cited.quote.endswith(" words…") and len(cited.quote) <= LONGEST_QUOTE
    assert (again.verified, again.line, again.quote) == (True, 2, cited.quote)


def test_a_row_of_a_table_is_told_and_quoted_by_its_cells(tmp_path: Path) -> None:
    table = "| state | meaning |\n|---|---|\n| lost parcel | looked for daily, `a\\|b` | |\n"

    (said,) = [each for each in found(tmp_path, {"a.md": table}, "lost parcel") if each.rule == "says"]

    assert said.text == "a.md says: lost parcel: looked for daily, `a\\|b`"
    assert escape.cited(said.evidence[0].quote) == "`lost parcel` `` looked for daily, `a\\|b` ``"
    assert escape.cited("a | b") == escape.quote("a | b")


def of_view(agent: str, findings: Mapping[str, str], priority: str = "high") -> dict[str, object]:
    """What an analysis found: text -> the line that shows it, each with its advice and its question."""
    return {
        "perspective": "security",
        "agent": agent,
        "is_direction_fix": False,
        "key_insights": [
            {"text": text, "answers": "answer" in text, "evidence": [place(quote)]}
            for text, quote in findings.items()
        ],
        "recommendations": [
            {"action": f"mend {text}", "rationale": text, "priority": priority} for text in findings
        ],
    }


def place(quote: str) -> dict[str, object]:
    return {"path": "a.py", "line": 3, "quote": quote}


def concluded_from(request: str, *analyses: object, questions: Sequence[str] = ()) -> ConclusionsContent:
    held = {
        "answers": [],
        "new_questions": list(questions),
        "updated_understanding": {"new_insights": [], "confirmed": []},
    }
    given = {"analyses": list(analyses), "rounds": [held], "gone": []}
    return concluded(material({"request": request, "language": "en", "analysis": given}, lambda: None))


def test_what_is_recommended_follows_from_a_conclusion_and_nothing_is_said_twice() -> None:
    many = {f"shell {n}: {n} times": "x" for n in range(1, 6)}

    ended = concluded_from(
        "how is a parcel found",
        of_view(BUILTIN, many),
        questions=["Is this intended? shell 1: 1 times", "Is this intended? shell 5: 5 times"],
    )

    shown = [each.text for each in ended.key_conclusions]
    assert shown == ["shell 1: 1 times", "shell 2: 2 times", "shell 3: 3 times"]
    assert [each.rationale for each in ended.recommendations] == shown
    assert ended.open_questions == [
        "Is it intended what stands at a.py:3?",
        "Is this intended? shell 5: 5 times",
    ]
    assert ended.follow_up[0] == "mend shell 1: 1 times; begin with a.py:3"


def test_a_finding_that_is_told_of_a_file_of_several_perspectives_is_a_reason_too() -> None:
    other = {**of_view(BUILTIN, {"other 1": "x"}), "perspective": "concept"}
    last = of_view(BUILTIN, {f"low {n}": "y" for n in range(4)} | {"shell: once": "x"})
    for each in last["key_insights"][:4]:  # type: ignore[index]
        each["evidence"][0]["path"] = f"{each['text']}.py"

    ended = concluded_from("how is a parcel found", other, last)

    assert "shell: once" not in {each.text for each in ended.key_conclusions}
    assert "mend shell: once" in {each.action for each in ended.recommendations}
    assert "mend low 3" not in {each.action for each in ended.recommendations}


def test_advice_of_an_agent_is_kept_where_a_conclusion_shares_its_words() -> None:
    told = of_view("claude", {"the lock of the depot is never released": "x"})
    told["recommendations"] = [
        {"action": "release the lock", "rationale": "others wait", "priority": "low"},
        {"action": "buy a larger disk", "rationale": "it may be full", "priority": "high"},
    ]

    ended = concluded_from("why does the depot wait", told)

    assert [each.action for each in ended.recommendations] == ["release the lock"]
    assert ended.follow_up == []


def test_the_report_begins_with_a_sentence_that_answers_not_with_a_row_of_a_table() -> None:
    rows = {
        "README says: answer: lost parcel": "| answer | lost parcel |",
        "docs say: the answer is long": "the answer is long",
        "docs say: the answer is that a lost parcel is found after a day": "a lost parcel is found after a day",
    }

    ended = concluded_from("how is a lost parcel found", of_view(BUILTIN, rows))

    assert ended.summary.startswith("In short: docs say: the answer is that a lost parcel")
    assert concluded_from("lost parcel", of_view(BUILTIN, dict([*rows.items()][:1]))).summary.startswith(
        "In short: README says"
    )
