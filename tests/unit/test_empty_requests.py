"""Which requests ask for nothing, and which short ones are real."""

from __future__ import annotations

import pytest

from orchestrator.commands.specification import Specification
from orchestrator.domain.empty_requests import NothingAsked, check_asks, only_points

NOTHING = """
hello|Hello!|hi|Hi there|good morning|thanks|ok|test|Test.|testing|test test|testing 123|this is a test|just testing
do it|do something|make it better|make it|make it work|make something nice|please help me|can you help?|start|go|42|x
idea.md|docs/Request.TXT|~/prd.pdf
asdf qwer|Qwertz yxcv|aaaa bbbb|poiu lkjh
fix|fix it|Fix this, please|improve it|refactor|build something|I want something new|asdf|foo bar|what can you do?
你好|您好！|大家好|测试|测试一下|做吧|帮我做一下|帮我做一个东西|把它做得更好|优化一下|随便做点什么|请帮我|こんにちは|안녕하세요|Bonjour
""".replace("\n", "|").strip("|")
REAL = """
Build a TODO app|fix login bug|Add dark mode|做一个待办应用|URL shortener|TODO|todo list|add a test|write tests|Add tests
run the tests|fix #42|Fix issue 42|hello world program|a greeting bot|test the login|Make it faster to search|test plan
refactor billing|Improve the README|code review|Analyze this project|an app|chat|Add a hello page|port it to C++|SSO
改进搜索|修复登录问题|写测试用例|fix idea.md|Node.js|优化性能|分析这个项目|翻译|设计登录页面|天気アプリ|오류 수정
hjkl navigation|weather|power tools|Corrige el error|Fehler beheben|make test pass in CI
""".replace("\n", "|").strip("|")


@pytest.mark.parametrize("request_", NOTHING.split("|"))
def test_request_for_nothing_is_refused_with_what_to_do(request_: str) -> None:
    with pytest.raises(NothingAsked) as refused:
        check_asks(request_, object_given=False)

    assert request_ in refused.value.why
    assert "lifecycle start" in refused.value.fix


@pytest.mark.parametrize("request_", REAL.split("|"))
def test_short_real_request_is_taken(request_: str) -> None:
    check_asks(request_, object_given=False)


@pytest.mark.parametrize(
    ("request_", "taken"),
    [("Build it", True), ("do it", True), ("实现", True), ("hello", False), ("test", False), ("it", False)],
)
def test_verb_is_enough_where_a_specification_or_a_change_is_given(request_: str, taken: bool) -> None:
    if taken:
        check_asks(request_, object_given=True)
    else:
        with pytest.raises(NothingAsked):
            check_asks(request_, object_given=True)


def test_long_request_is_repeated_by_its_beginning_only() -> None:
    with pytest.raises(NothingAsked) as refused:
        check_asks("hello " * 100, object_given=False)

    assert len(refused.value.why) < 120


@pytest.mark.parametrize(
    ("request_", "points"),
    [
        ("Build what it says", True),
        ("Implement the specification", True),
        ("Do what is described in the document", True),
        ("Build the login page", False),
        ("Implement the export of orders", False),
    ],
)
def test_a_request_may_say_no_more_than_what_is_given_with_it(request_: str, points: bool) -> None:
    assert only_points(request_) is points


@pytest.mark.parametrize(
    ("files", "title"),
    [
        ({"spec/specification.md": b"Draft 1\n\n# `initials()`, for names\n"}, "initials(), for names"),
        (
            {"spec/a.md": b"# No\n", "spec/product-brief.md": b"---\na: 1\n---\n# Product brief: A shop\n"},
            "A shop",
        ),
        ({"spec/product-brief.md": "# 产品简报：座位预约\n".encode()}, "座位预约"),
        ({"spec/specification.md": b"No heading\n"}, ""),
    ],
)
def test_a_specification_is_named_by_its_first_heading(files: dict[str, bytes], title: str) -> None:
    assert Specification("spec.md", files).title == title
