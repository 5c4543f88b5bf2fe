"""Which requests ask for nothing, and which short ones are real."""

from __future__ import annotations

import pytest

from orchestrator.domain.empty_requests import NothingAsked, check_asks

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
