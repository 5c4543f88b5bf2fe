"""Which mode a request gets (docs/domain.md, sections 3 and 14)."""

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.config import load_pack
from orchestrator.domain.errors import NotAllowedNow, UnknownName
from orchestrator.domain.modes import ProjectFacts, choose, depth
from orchestrator.domain.pipelines import Pack

CODER = ProjectFacts(coding_agent=True)


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack(None, {"LIFECYCLE_CONFIG_DIR": str(Path(__file__).parent / "none")})


@pytest.mark.parametrize(
    ("request_text", "facts", "mode", "because"),
    [
        ("make a parser", ProjectFacts(), "spec-only", "no agent that edits files"),
        ("make a parser", ProjectFacts(coding_agent=True), "full-lifecycle", "a coding agent is configured"),
        ("a React dashboard", ProjectFacts(coding_agent=True), "full-lifecycle-fe", "'React'"),
        ("show it on two pages", ProjectFacts(coding_agent=True), "full-lifecycle-fe", "'page'"),
        ("用户界面要简单", ProjectFacts(coding_agent=True), "full-lifecycle-fe", "'界面'"),
        ("make it faster", ProjectFacts(coding_agent=True, frontend="vue"), "full-lifecycle-fe", "vue"),
        ("do it", ProjectFacts(spec=True), "impl-only", "a specification is given"),
        ("do the settings page", ProjectFacts(spec=True), "fe-only", "'page'"),
        ("a page and its API", ProjectFacts(spec=True), "fullstack", "'API'"),
        ("the database behind it", ProjectFacts(spec=True, frontend="svelte"), "fullstack", "'database'"),
        ("write a specification for it", ProjectFacts(coding_agent=True), "spec-only", "'specification'"),
        ("How are expired links handled?", ProjectFacts(), "analyze-standard", "is a question"),
        ("过期的链接如何处理？", ProjectFacts(coding_agent=True), "analyze-standard", "is a question"),
        ("How do we build a page for it?", ProjectFacts(), "spec-only", "no agent that edits files"),
        ("How are links made? They must expire.", ProjectFacts(), "spec-only", "no agent that edits files"),
        ("analyze our build in depth", ProjectFacts(coding_agent=True), "analyze-standard", "'analyze'"),
        ("investigate and fix the crash", ProjectFacts(), "spec-only", "no agent that edits files"),
        ("分析日志，然后修复缺陷", ProjectFacts(), "spec-only", "no agent that edits files"),
        ("分析我们的开发流程", ProjectFacts(), "analyze-standard", "'分析'"),
        ("a tool to analyze logs", ProjectFacts(), "spec-only", "no agent that edits files"),
        ("repaginate and guide", ProjectFacts(coding_agent=True), "full-lifecycle", "configured"),
        # requests as people put them in issues of public repositories, in other words
        ("Let me switch to dark mode on the settings page", CODER, "full-lifecycle-fe", "'page'"),
        ("Dark mode! Use Tailwind for it", CODER, "full-lifecycle-fe", "'Tailwind'"),
        ("Allow users to export components as CSV", CODER, "full-lifecycle-fe", "'component'"),
        ("Dark CSS for the index", CODER, "full-lifecycle-fe", "'CSS'"),
        ("A design system for our forms", CODER, "full-lifecycle-fe", "'design system'"),
        ("Fix memory leaks in the analytics query engine", CODER, "full-lifecycle", "configured"),
        ("Investigate memory leak when sorting", CODER, "analyze-standard", "'investigate'"),
        ("Investigate thoroughly why queries are slow", CODER, "analyze-deep", "'investigate'"),
        ("Analyze the startup time, a quick look is enough", CODER, "analyze-quick", "'analyze'"),
        ("Add a document about how to analyze slow queries", CODER, "full-lifecycle", "configured"),
        (
            "Import and export for each module, and the backend's export API",
            CODER,
            "full-lifecycle",
            "configured",
        ),
        ("Let users see specific lists, and export each", CODER, "full-lifecycle", "configured"),
        ("Write a PRD for catalog export", CODER, "spec-only", "'PRD'"),
        ("希望能支持接口导出功能", CODER, "full-lifecycle", "configured"),
        ("前端需要加入导出按钮", CODER, "full-lifecycle-fe", "'前端'"),
        ("提交后台界面支持作品导出", CODER, "full-lifecycle-fe", "'界面'"),
        ("前端加入按钮，后端增加导出接口", ProjectFacts(spec=True), "fullstack", "'接口'"),
        ("请深入分析内存泄漏的原因", CODER, "analyze-deep", "'分析'"),
        ("为导出功能写一份需求文档", CODER, "spec-only", "'需求文档'"),
        # what it is to be without
        ("A sync service without a UI", CODER, "full-lifecycle", "configured"),
        ("A command, no frontend or page", ProjectFacts(spec=True), "impl-only", "specification"),
        ("同步服务，不需要界面", CODER, "full-lifecycle", "configured"),
        ("No API, only the settings page", ProjectFacts(spec=True), "fe-only", "'page'"),
    ],
)
def test_words_and_project_choose_the_mode_and_say_why(
    pack: Pack, request_text: str, facts: ProjectFacts, mode: str, because: str
) -> None:
    choice = choose(request_text, replace(facts, installed=frozenset(pack.roles)), pack)

    assert choice.mode == mode
    assert because in choice.why


def test_while_frontend_roles_are_missing_the_same_mode_without_them_is_chosen(pack: Pack) -> None:
    few = frozenset(pack.roles) - {"fe-developer", "fe-qa"}
    choice = choose("a React dashboard", ProjectFacts(coding_agent=True, installed=few), pack)

    assert choice.mode == "full-lifecycle"
    assert "full-lifecycle-fe is not available yet (not installed: fe-developer, fe-qa)" in choice.why


def test_while_roles_are_missing_the_choice_falls_back_to_spec_only(pack: Pack) -> None:
    few = ProjectFacts(coding_agent=True, installed=frozenset({"analyst", "writer", "reviewer", "planner"}))

    choice = choose("a parser", few, pack)

    assert choice.mode == "spec-only"
    assert "full-lifecycle is not available yet (not installed: executor, tester)" in choice.why


def test_code_is_written_unasked_in_a_repository_only(pack: Pack) -> None:
    choice = choose("a parser", ProjectFacts(coding_agent=True, repository=False), pack)

    assert choice.mode == "spec-only"
    assert "no git repository" in choice.why


def test_a_mode_whose_roles_are_not_installed_is_refused(pack: Pack) -> None:
    facts = ProjectFacts(spec=True, installed=pack.installed - {"fe-developer", "fe-qa"})

    with pytest.raises(NotAllowedNow, match="not installed: fe-developer, fe-qa") as refused:
        choose("x", facts, pack, wanted="fe-only")

    assert refused.value.exit_code == 2
    assert refused.value.why == (
        "available now: spec-only, impl-only, full-lifecycle, review, analyze-quick, analyze-standard, analyze-deep, "
        "dynamic"
    )


def test_every_shipped_mode_is_available(pack: Pack) -> None:
    assert all(
        choose("x", ProjectFacts(spec=True), pack, wanted=mode).mode == mode for mode in pack.pipelines
    )


def test_impl_only_without_a_spec_names_the_two_modes_that_make_one(pack: Pack) -> None:
    facts = ProjectFacts(installed=frozenset(pack.roles))

    with pytest.raises(NotAllowedNow, match="needs a specification") as refused:
        choose("x", facts, pack, wanted="impl-only")

    assert "spec-only" in refused.value.fix
    assert "full-lifecycle" in refused.value.fix
    assert choose("x", replace(facts, spec=True), pack, wanted="impl-only").mode == "impl-only"


def test_a_mode_that_was_asked_for_is_not_upgraded(pack: Pack) -> None:
    facts = ProjectFacts(installed=frozenset(pack.roles), frontend="react")

    assert choose("a page", facts, pack, wanted="full-lifecycle").mode == "full-lifecycle"


def test_an_unknown_mode_lists_the_known_ones(pack: Pack) -> None:
    with pytest.raises(UnknownName, match="mode 'turbo'") as refused:
        choose("x", ProjectFacts(), pack, wanted="turbo")

    assert "spec-only" in refused.value.why


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("a quick look", "quick"),
        ("give an overview", "quick"),
        ("fast please", "quick"),
        ("a deep look", "deep"),
        ("thorough", "deep"),
        ("detailed", "deep"),
        ("comprehensive", "deep"),
        ("look at it", "standard"),
    ],
)
def test_words_choose_the_depth_of_an_analysis(pack: Pack, request_text: str, expected: str) -> None:
    assert depth(request_text, pack) == expected
