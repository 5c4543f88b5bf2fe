"""What an architect's concerns come to, and what the rules find in imports, plans and manifests."""

from __future__ import annotations

import pytest

from orchestrator.domain.concerns import AdviceMode, Concern, record_path, verdict_of
from orchestrator.domain.plan import Plan, PlannedFile, PlanTask
from workers.documents.content import Brief, Content, Requirement, Requirements, Statement
from workers.documents.lint import Sources, read_specification
from workers.evidence.module_graph import circles, import_graph, layer_breaks
from workers.landing.seen_code import SeenCode
from workers.roles.design_checks import (
    Design,
    concerns_of_code,
    concerns_of_plan,
    concerns_of_question,
)


@pytest.mark.parametrize(
    ("severities", "verdict", "feasible"),
    [
        ("", "APPROVE", "FEASIBLE"),
        ("llll", "APPROVE", "FEASIBLE"),
        ("mm", "APPROVE", "FEASIBLE"),
        ("mmm", "CONCERN", "RISKY"),
        ("h", "CONCERN", "RISKY"),
        ("hmml", "CONCERN", "RISKY"),
        ("hh", "BLOCK", "INFEASIBLE"),
        ("hhh", "BLOCK", "INFEASIBLE"),
    ],
)
def test_a_verdict_counts_the_concerns(severities: str, verdict: str, feasible: str) -> None:
    names = {"h": "high", "m": "medium", "l": "low"}
    concerns = [Concern(names[each], "") for each in severities]

    assert verdict_of(concerns, AdviceMode.PLAN) == verdict
    assert verdict_of(concerns, AdviceMode.FEASIBILITY) == feasible


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("ARCH-001", "architecture/arch-001.json"),
        ("ARCH-PLAN-001", "architecture/arch-plan-001.json"),
        ("ARCH-CONSULT-012", "architecture/arch-consult-012.json"),
    ],
)
def test_each_advice_has_a_file_of_its_own(key: str, path: str) -> None:
    assert record_path(key) == path


FREE = {"a.py": "import b\n", "b.py": "import c\n", "c.py": ""}
CIRCLE = {**FREE, "c.py": "import a\n"}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (FREE, []),
        (CIRCLE, [("a.py", "b.py", "c.py")]),
        ({**FREE, "c.py": "def late():\n    import a\n"}, []),
        ({"x/a.ts": "import { b } from './b'\n", "x/b.ts": "export * from './a'\n"}, [("x/a.ts", "x/b.ts")]),
        ({"a.py": "import test_b\n", "test_b.py": "import a\n"}, []),
        (
            {**CIRCLE, "p.py": "import q\n", "q.py": "import p\n"},
            [("a.py", "b.py", "c.py"), ("p.py", "q.py")],
        ),
    ],
)
def test_files_that_import_each_other_are_found(
    texts: dict[str, str], expected: list[tuple[str, ...]]
) -> None:
    assert circles(import_graph(texts)) == expected


LAYERS = {
    "shop/__init__.py": "",
    "shop/web/__init__.py": "",
    "shop/web/pages.py": "from shop.store import rows\n",
    "shop/store/__init__.py": "",
    "shop/store/rows.py": "from shop.web import pages\n",
}
CONTRACT = '[[tool.importlinter.contracts]]\nname = "layers"\ntype = "layers"\nlayers = ["web", "store"]\n'
CONTRACT += 'containers = ["shop"]\n'
INI = "[importlinter]\n[importlinter:contract:1]\ntype = layers\nlayers =\n    shop.web\n    shop.store\n"


@pytest.mark.parametrize(("name", "text"), [("pyproject.toml", CONTRACT), (".importlinter", INI)])
def test_an_import_against_declared_layers_is_found(name: str, text: str) -> None:
    texts = {**LAYERS, name: text}

    found = layer_breaks(import_graph(texts), texts)

    assert [(each.user, each.target, each.declared) for each in found] == [
        ("shop/store/rows.py", "shop/web/pages.py", True)
    ]


@pytest.mark.parametrize(
    "text", ["not = [toml", "[tool]\nimportlinter = 3\n", '[tool.importlinter]\ncontracts = ["x"]\n']
)
def test_contracts_that_cannot_be_read_declare_nothing(text: str) -> None:
    texts = {**LAYERS, "pyproject.toml": text}

    assert layer_breaks(import_graph(texts), texts) == []


def test_one_import_against_many_goes_against_the_layers_that_are_found() -> None:
    texts = {f"web/p{n}.py": f"from store import s{n}\n" for n in range(4)}
    texts |= {f"store/s{n}.py": "" for n in range(4)} | {"store/s9.py": "from web import p1\n"}

    found = layer_breaks(import_graph(texts), texts)

    assert [(each.user, each.declared) for each in found] == [("store/s9.py", False)]


def design(code: SeenCode | None = None, plan: Plan | None = None, **more: object) -> Design:
    spec = read_specification(more.pop("contents", {}), Sources())  # type: ignore[arg-type]
    return Design("en", code or SeenCode({}), spec, plan, **more)  # type: ignore[arg-type]


def test_a_circle_that_the_session_closes_is_high_and_one_from_before_is_not() -> None:
    new = concerns_of_code(design(SeenCode(CIRCLE, FREE, True)))
    old = concerns_of_code(design(SeenCode({**CIRCLE, "b.py": "import c\nx = 1\n"}, CIRCLE, True)))

    assert [(each.severity, each.rule) for each in new] == [("high", "import_circle")]
    assert [(each.severity, each.rule) for each in old] == [("medium", "import_circle")]
    assert new[0].evidence[0].as_json() == {"path": "a.py", "line": 1, "quote": "import b"}


def test_a_circle_that_the_session_does_not_touch_is_left_alone() -> None:
    assert concerns_of_code(design(SeenCode({**CIRCLE, "z.py": "1"}, CIRCLE, True))) == []


def test_a_dependency_that_no_plan_named_weighs_more() -> None:
    before = {"requirements.txt": "flask\n"}
    code = SeenCode({"requirements.txt": "flask\nrich\nattrs\n"}, before, True)
    plan = Plan("x", tasks=(PlanTask("TASK-001", "x", new_dependencies=("rich",)),))

    found = concerns_of_code(design(code, plan))

    assert {each.text.split(", ")[1]: each.severity for each in found} == {
        "attrs (requirements.txt)": "medium",
        "rich (requirements.txt)": "low",
    }


def test_large_tasks_new_dependencies_and_old_circles_concern_a_plan() -> None:
    many = tuple(PlannedFile(f"new/{n}.py", "create") for n in range(9))
    tasks = (
        PlanTask("TASK-001", "many", files=many),
        PlanTask("TASK-002", "one", files=(PlannedFile("a.py", "modify"),), new_dependencies=("rich",)),
    )

    found = concerns_of_plan(design(SeenCode(CIRCLE), Plan("x", tasks=tasks)))

    assert [each.rule for each in found] == ["many_files", "new_dependency", "import_circle"]
    assert verdict_of(found, AdviceMode.PLAN) == "CONCERN"


def test_a_question_that_the_specification_rules_out_or_denies_is_high() -> None:
    contents: dict[str, Content] = {
        "brief": Brief(
            title="x",
            vision=Statement(text="x"),
            situation="x",
            out_of_scope=[Statement(text="Payment by card")],
        ),
        "requirements": Requirements(
            items=[
                Requirement(id="REQ-001", title="Keep", statement="The locker must keep a parcel for 3 days")
            ]
        ),
    }

    outside = concerns_of_question(design(contents=contents, question="Can we add payment by card?"))
    denied = concerns_of_question(
        design(contents=contents, question="The locker must keep a parcel for 9 days")
    )
    fine = concerns_of_question(design(contents=contents, question="How is a door opened?"))

    assert [(each.severity, each.rule) for each in outside] == [("high", "ruled_out")]
    assert [(each.severity, each.rule) for each in denied] == [("high", "contradiction")]
    assert fine == []


@pytest.mark.parametrize("mode", AdviceMode)
@pytest.mark.parametrize(("severities", "against"), [("", False), ("mm", False), ("h", True), ("hh", True)])
def test_rules_alone_never_approve_what_a_question_asks(
    mode: AdviceMode, severities: str, against: bool
) -> None:
    names = {"h": "high", "m": "medium"}
    concerns = [Concern(names[letter], "a concern") for letter in severities]

    alone, judged = verdict_of(concerns, mode, by_rules=True), verdict_of(concerns, mode)

    asked = mode in (AdviceMode.CONSULT, AdviceMode.FEASIBILITY)
    assert alone == ("UNJUDGED" if asked and not against else judged)
