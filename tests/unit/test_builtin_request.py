"""How the built-in agent reads sentences: a row a case, English and Chinese."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rows import common
from tests.unit.builtin_chain import chain
from workers.builtin import analyse_request, detect_language, request
from workers.builtin.clauses import clause
from workers.documents.lexicon import lexicon
from workers.documents.sentences import split
from workers.roles.reviewer import stated

SENTENCES = [
    ("Users must be able to log in by e-mail.", "functional", "Must", ""),
    ("The importer shall reject a file without a header.", "functional", "Must", ""),
    ("Editors have to approve each article.", "functional", "Must", ""),
    ("The cashier needs to see the open bill.", "functional", "Must", ""),
    ("The app should remember the last filter.", "functional", "Should", ""),
    ("The system could offer a dark theme.", "functional", "Could", ""),
    ("Guests may leave a comment.", "functional", "Must", ""),
    ("Only managers may delete an order.", "functional", "Must", ""),
    ("Members can search the catalogue.", "functional", "Must", ""),
    ("It won't handle payments in the first version.", "exclusion", "Won't", ""),
    ("The product will not support plugins.", "exclusion", "Won't", ""),
    ("No offline mode in the first version.", "exclusion", "Won't", ""),
    ("Messages must not be lost.", "functional", "Must", ""),
    ("Passwords must be stored encrypted.", "nonfunctional", "Must", "S"),
    ("All traffic must use TLS.", "nonfunctional", "Must", "S"),
    ("Pages must load in under 2 seconds.", "nonfunctional", "Must", "P"),
    ("The service should handle 200 concurrent sessions.", "nonfunctional", "Should", "SC"),
    ("The interface must meet WCAG 2.2 AA.", "nonfunctional", "Must", "U"),
    ("Add a button for refunds.", "functional", "Must", ""),
    ("If the card is refused, the terminal must show why within 3 seconds.", "functional", "Must", ""),
    ("顾客必须能够扫码点餐。", "functional", "Must", ""),
    ("系统应该每分钟刷新一次。", "functional", "Should", ""),
    ("商家可以导出月度报表。", "functional", "Must", ""),
    ("需要支持批量导入商品。", "functional", "Must", ""),
    ("第一版不做支付功能。", "exclusion", "Won't", ""),
    ("暂不支持多门店。", "exclusion", "Won't", ""),
    ("无需注册即可浏览菜单。", "functional", "Must", ""),
    ("Every change must be stored with user and time.", "nonfunctional", "Must", "S"),
    ("If the card server is down the page must still take orders.", "nonfunctional", "Must", "SC"),
    ("A round must start within a second.", "nonfunctional", "Must", "P"),
    ("手机号必须加密存储。", "nonfunctional", "Must", "S"),
    ("响应时间必须低于 200 毫秒。", "nonfunctional", "Must", "P"),
    ("系统应当支持 500 人同时在线。", "nonfunctional", "Should", "SC"),
    ("界面必须支持中文和英文。", "nonfunctional", "Must", "U"),
    ("订单超时后系统要自动取消。", "functional", "Should", ""),
]


@pytest.mark.parametrize(("sentence", "kind", "moscow", "category"), SENTENCES)
def test_sentence_is_read_by_its_modal_verb_and_its_words(
    sentence: str, kind: str, moscow: str, category: str
) -> None:
    needs = analyse_request(sentence).needs

    assert [(need.kind, need.moscow, need.category) for need in needs if not need.part] == [
        (kind, moscow, category)
    ]
    assert needs[0].quote == sentence


SPLITS = [
    ("en", "It needs 99.5 % uptime. We use e.g. mail, i.e. letters. Done.", 3),
    ("en", "Dr. Smith waits... and waits. Version 2.0 is out.", 2),
    ("zh", "断网时缓存 1.5 天。恢复后补传！好吗？", 3),
]


@pytest.mark.parametrize(("language", "text", "count"), SPLITS)
def test_abbreviations_and_decimals_end_no_sentence(language: str, text: str, count: int) -> None:
    assert len(split(text, lexicon(language))) == count


PLACES = [
    ("## Out of scope\n- A mobile app", "exclusions", "A mobile app"),
    ("## Goals\n- Fewer than 5 complaints a week", "goals", "Fewer than 5 complaints a week"),
    ("## Open questions\n- Which bank?", "questions", "Which bank?"),
    (
        "We already have a mail server.\n\n## Features\n- Send mail",
        "dependencies",
        "We already have a mail server.",
    ),
    (
        "Today clerks have to copy lists by hand.\n\n## Features\n- Import",
        "situation",
        "Today clerks have to copy lists by hand.",
    ),
    ("成功标准:丢单率低于 1%。\n\n需求:\n1. 必须能下单。", "goals", "丢单率低于 1%。"),
    ("待定:\n- 是否支持外卖?", "questions", "是否支持外卖?"),
    ("需求:\n1. 不做会员,使用现有的收银系统。", "dependencies", "不做会员,使用现有的收银系统。"),
]


@pytest.mark.parametrize(("text", "place", "said"), PLACES)
def test_section_decides_what_a_line_is(text: str, place: str, said: str) -> None:
    found = getattr(analyse_request(text), place)

    assert said in [getattr(row, "text", row) for row in found]


def test_list_items_inherit_the_priority_of_their_lead_and_heading() -> None:
    text = "The system should:\n- print labels\n- scan codes\n\n## Nice to have\n- Photos"

    needs = analyse_request(text).needs

    assert [(need.text, need.moscow) for need in needs] == [
        ("print labels", "Should"),
        ("scan codes", "Should"),
        ("Photos", "Could"),
    ]


def test_item_without_modal_under_requirements_is_a_must_and_says_so() -> None:
    (need,) = analyse_request("# Shop\n\n## Features\n- Search by colour").needs

    assert (need.moscow, need.by_default) == ("Must", True)


def test_goal_keeps_metric_and_target_apart() -> None:
    (goal,) = analyse_request("## Success\n- Fewer than 5 patients lost per day").goals

    assert (goal.metric, goal.target) == ("patients lost per day", "Fewer than 5")


def test_actors_come_from_lists_subjects_and_stories() -> None:
    wishes = "- Waiters must be able to split a bill\n- As a guest, I want to call a waiter"
    text = f"## Users\n- Cooks, who never sit\n\n## Needs\n{wishes}"

    assert [actor.name for actor in analyse_request(text).actors] == ["Cooks", "Waiters", "guest"]


def test_compound_sentence_is_taken_apart_into_its_actions() -> None:
    said = clause(
        "Clerks must be able to add a guest in under 15 seconds, reorder the list, and print a ticket."
    )

    assert said.actor == "Clerks"
    assert said.actions == ("add a guest in under 15 seconds", "reorder the list", "print a ticket")
    assert said.measures == ("in under 15 seconds",)


def test_two_conditions_are_both_found() -> None:
    said = clause("It must send a message when three people are ahead and again when it is the guest's turn.")

    assert said.conditions == ("when three people are ahead", "when it is the guest's turn")


ONE_LINERS = [
    (
        "Build a URL shortener with an admin dashboard",
        "URL shortener with an admin dashboard",
        ["an admin dashboard"],
    ),
    ("开发一个带有库存预警的仓库管理系统", "带有库存预警的仓库管理系统", ["库存预警"]),
    ("为小型餐馆做一个扫码点餐系统", "扫码点餐系统", []),
    (
        "Write a command crop(image, width) that trims pictures",
        "command crop(image, width) that trims pictures",
        [],
    ),
    ("Make it better for teams", "Make it better for teams", []),
    (
        "Let the printer shrink wide tables to a page size given as an argument",
        "Let the printer shrink wide tables to a page size given",
        [],
    ),
]


@pytest.mark.parametrize(("text", "title", "parts"), ONE_LINERS)
def test_one_liner_gives_title_and_parts(text: str, title: str, parts: list[str]) -> None:
    found = analyse_request(text)

    assert found.title == title
    assert [need.text for need in found.needs if need.part] == parts


def test_language_follows_the_script() -> None:
    assert (detect_language("做一个 URL 短链接服务"), detect_language("A 短 list of tools")) == ("zh", "en")


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=400)
    | st.lists(
        st.sampled_from(
            [
                "must",
                "必须",
                "# ",
                "- ",
                "\n",
                ". ",
                "；",
                "if ",
                ", ",
                "so that",
                "(",
                "1. ",
                "users",
                "当",
                "时",
                "`",
                "|",
                "with ",
            ]
        )
    ).map("".join)
)
def test_any_text_is_read_without_an_error(text: str) -> None:
    found = analyse_request(text)

    assert all(need.text for need in found.needs)


ENDLESS = ["must " * 20_000, "1" * 60_000, "当时," * 20_000]


@pytest.mark.parametrize("text", common(ENDLESS, ENDLESS[-1:]), ids=["word", "digits", "clauses"])
def test_endless_sentence_is_cut_instead_of_taking_minutes(text: str) -> None:
    needs = analyse_request(text).needs

    assert all(len(need.text) <= 1_200 for need in needs)


JAPANESE = (
    "# 在庫管理システム\n\n小さな書店のための在庫管理システムを作りたい。現在は紙の台帳で管理している。\n\n## 要件\n"
    "- 店員はバーコードで本を登録できること。\n- 通信はTLS 1.3を使わなければならない。\n"
    "- 売上をCSVで出力できること。支払い機能は含めない。\n\n返品はどう扱いますか？"
)
KOREAN = "사내 도서관 예약 시스템을 만들어 주세요. 직원은 책을 예약할 수 있어야 합니다. 예약은 3일 후에 취소되어야 합니다."


def test_japanese_is_not_chinese_and_each_of_its_sentences_is_read() -> None:
    read = analyse_request(JAPANESE)

    assert read.language == "en"
    assert [need.text for need in read.requirements] == [
        "小さな書店のための在庫管理システムを作りたい。",
        "店員はバーコードで本を登録できること。",
        "通信はTLS 1.3を使わなければならない。",
        "売上をCSVで出力できること。",
    ]
    assert [need.text for need in read.exclusions] == ["支払い機能は含めない。"]
    assert read.situation == ("現在は紙の台帳で管理している。",)
    assert read.questions == ("返品はどう扱いますか？",)


def test_korean_is_read_sentence_by_sentence() -> None:
    read = analyse_request(KOREAN)

    assert (read.language, len(read.needs)) == ("en", 3)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("为小型餐馆做一个扫码点餐系统", "zh"),
        ("为“無印良品の家”品牌做一个面向全国门店的库存管理系统,支持扫码和盘点", "zh"),
        ("图书馆の蔵書を検索するアプリ", "en"),
        ("예약 시스템", "en"),
        ("Build a shop", "en"),
    ],
)
def test_language_is_told_by_its_letters(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    "text", ["x", "a", "1", "test", "hello", "Hello there!", "asdf asdf", "你好", "点餐"]
)
def test_request_too_short_to_say_what_is_wanted_is_asked_about(text: str) -> None:
    facts = chain(text)

    assert facts["requirements"].items == [] and facts["brief"].goals == []
    for kind in ("discovery", "brief"):
        assert f"“{text.rstrip('!')}”" in facts[kind].open_questions[0]


def test_short_request_that_says_what_is_wanted_is_carried() -> None:
    assert chain("TODO list")["requirements"].items[0].statement == "TODO list"


@pytest.mark.long
def test_request_of_many_requirements_is_carried_whole() -> None:
    text = "# Big\n\n## Requirements\n" + "".join(
        f"- Users must be able to open page {i}.\n" for i in range(600)
    )

    found = chain(text)["requirements"]

    assert [item.quote for item in found.items] == [
        f"Users must be able to open page {i}." for i in range(600)
    ]


def test_what_one_specification_cannot_carry_is_named_as_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request, "MAX_NEEDS", 3)
    text = "## Requirements\n" + "".join(f"- Users must be able to open page {i}.\n" for i in range(8))

    facts = chain(text + "- It must hold.\n")

    assert len(stated(text, "en", facts["discovery"])) == 8, "coverage is measured against the request"
    for kind in ("discovery", "requirements"):
        assert re.match(
            r"6 sentences .* from “Users must be able to open page 3” to “It must hold”: it carries the first 3",
            facts[kind].open_questions[0],
        )


def test_vision_is_no_tautology_where_the_request_names_no_product() -> None:
    text = "Nurses must see the shift plan. Nurses must be able to swap a shift. Managers must be able to lock a shift."

    vision = chain(text)["brief"].vision.text

    assert "the product" not in vision and "shift" in vision


def test_lines_with_repeated_labels_are_no_chat() -> None:
    request = (
        "# Rules\n\nAllow: requests of the office\nDeny: requests from elsewhere\n"
        "Allow: health checks\nDeny: uploads above 10 MB\n"
    )

    assert [need.text.partition(":")[0] for need in analyse_request(request).needs] == ["Allow", "Deny"] * 2


def test_first_row_of_a_table_without_a_header_is_a_row() -> None:
    request = "# Ward\n\n## Requirements\n\n| 1 | Nurses must sign in with a card |\n|---|---|\n| 2 | Notes must be saved |\n"

    texts = [need.text for need in analyse_request(request).needs]
    assert [text.split(" | ")[-1] for text in texts] == [
        "Nurses must sign in with a card",
        "Notes must be saved",
    ]


def test_what_is_left_out_and_what_must_be_are_two_statements() -> None:
    read = analyse_request("# Ward\n\nWe will not build a chat, but the board must show who is on duty.\n")

    assert [need.text for need in read.exclusions] == ["We will not build a chat"]
    assert [need.text for need in read.requirements] == ["the board must show who is on duty."]


@pytest.mark.parametrize(
    ("text", "metric", "target"),
    [
        (
            "Cut lost notes from 41 per month to fewer than 5 per month.",
            "lost notes",
            "fewer than 5 per month",
        ),
        ("Bring the rate from 12 % down to 3 %.", "rate", "3 %"),
        ("Mix-ups 7 -> 0 per year", "Mix-ups", "0 per year"),
    ],
)
def test_a_metric_does_not_hold_the_value_that_it_is_to_leave(text: str, metric: str, target: str) -> None:
    (goal,) = analyse_request(f"# Ward\n\n## Goals\n\n- {text}\n\n## Requirements\n\n- It must ring\n").goals

    assert (goal.metric, goal.target) == (metric, target)
