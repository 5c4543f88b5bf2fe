"""What the built-in agent makes of a person's words: needs become requirements, all else is answered."""

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain, numbered
from tests.unit.test_builtin_revision import revised
from workers.builtin.amended import parts

REQUEST = "Build a URL shortener"
FORM = [
    "Please shorten the titles",
    "Rename REQ-003 to Export",
    "Reorder the requirements by priority",
    "fix the spelling mistakes",
    "Make it clearer.",
    "Translate the document into German",
    "Use a more formal tone",
    "The wording is unclear.",
    "Could you please simplify the language?",
    "rewrite",
    "请缩短标题",
    "标题太长",
    "修正错别字",
    "写得更清楚一点",
    "Fix typos",
    "Fix the typos in the brief",
    "Make the wording clearer",
    "Rewrite the vision more formally",
    "Translate the document to German",
    "Reorder the requirements",
    "Titles are too long",
    "把标题缩短一些",
    "把文档翻译成德文",
    "调整需求的顺序",
    "Remove REQ-002",
    "REQ-003 is not a non-goal",
    "NFR-001 should be dropped",
    "The answer to question 2: by mail",
    "Q3: 5 years",
    "删除 REQ-002",
]
TALK = ["hello", "Thank you very much!", "Looks good to me, thanks", "LGTM", "x", "asdf", "你好", "谢谢"]
NEEDS = [
    "Links must expire after 30 days",
    "The link must be shown as a QR code",
    "Add a link to every invoice",
    "Users must be able to give a rating",
    "Users must be able to rename files",
    "Page titles must be shortened to 60 characters",
    "Shorten URLs to 6 characters",
    "Rename the export button to Download",
    "Nobody may delete an invoice",
    "REQ-003 must also write a CSV file",
    "It must not use C",
    "Support SSO",
    "链接必须在30天后失效",
    "用户可以修改标题",
]
OF_THE_DOCUMENT = [  # words that a discussion uses of a document, and a person of the product
    "Every link must have full traceability to its owner",
    "Add a FAQ section to the home page",
    "Ratings from customers must be shown on the product page",
    "Risk level of each patient must be shown",
    "Add placeholder text to the search field",
    "Users must be able to share this document by link",
    "Define roles for administrators",
    "用户可以给商品评分",
]
OF_THE_PRODUCT = [  # verbs and nouns of form, said of what the product does
    "Sort documents by date",
    "Trim titles to 60 characters",
    "Improve it for mobile users",
    "Make it clear who is logged in",
    "Make it better for blind users: support screen readers",
    "Fix the order of the menu",
    "Fix spelling in search queries",
    "Format names as Last, First",
    "Make the form shorter: drop the phone field",
    "Keep messages short",
    "Typo in the login page must be fixed",
    "Product titles are too long",
    "Use short titles for products",
    "Merge documents",
    "标题可以修改",
    "修改商品标题",
    "把标题缩短到60个字符",
    "统一错误提示格式",
]


@pytest.mark.parametrize("words", [*FORM, *TALK])
@pytest.mark.parametrize("kind", ["discovery", "requirements"])
def test_words_that_ask_for_form_or_for_nothing_make_no_requirement_and_are_answered(
    kind: str, words: str
) -> None:
    facts = chain(REQUEST)

    after = revised(kind, facts, words)

    before = facts[kind]
    assert (after.items if kind == "requirements" else after.requirements) == (
        before.items if kind == "requirements" else before.requirements
    )
    (answer,) = [text for text in after.open_questions if text not in before.open_questions]
    assert words.rstrip(".!?") in answer
    assert ("the agent builtin" in answer) == (words in FORM)


@pytest.mark.parametrize("words", [*NEEDS, *OF_THE_DOCUMENT, *OF_THE_PRODUCT])
def test_need_becomes_a_requirement_and_needs_no_answer(words: str) -> None:
    facts = chain(REQUEST)

    after = revised("requirements", facts, words)

    assert after.items[-1].quote == words
    assert len(after.items) == len(facts["requirements"].items) + 1
    asked = [text for text in after.open_questions if text not in facts["requirements"].open_questions]
    assert bool(asked) == (not after.items[-1].acceptance_criteria)
    assert not [text for text in asked if text.startswith(("Not done", "Not taken", "没有"))]


def test_each_sentence_of_a_feedback_is_judged_by_itself() -> None:
    facts = chain(REQUEST)

    after = revised(
        "requirements", facts, "Thanks! Please shorten the titles. Links must expire after 30 days."
    )

    assert [item.quote for item in after.items[len(facts["requirements"].items) :]] == [
        "Links must expire after 30 days."
    ]


@pytest.mark.parametrize("words", ["Please shorten the titles", "请缩短标题"])
@pytest.mark.parametrize("next_", ["Links must expire after 30 days", ""])
def test_answer_stays_until_what_a_person_wanted_is_spoken_of_again(words: str, next_: str) -> None:
    facts = {**chain(REQUEST), "said": (words, next_)}
    facts["requirements"] = revised("requirements", facts, words)
    answers = [text for text in facts["requirements"].open_questions if words in text]

    later = revised("requirements", facts, *filter(None, [next_]))
    facts["requirements"] = later
    withdrawn = revised("requirements", {**facts, "said": (words, next_, "x")}, f"Forget it: {words}!")

    assert len(answers) == 1
    assert [text for text in later.open_questions if words in text] == answers
    assert answers[0] not in withdrawn.open_questions


def test_answer_to_what_a_discussion_said_goes_with_its_version() -> None:
    facts = chain(REQUEST)
    facts["requirements"] = revised("requirements", facts, remarks=["Please shorten the titles"])
    assert any("shorten the titles" in text for text in facts["requirements"].open_questions)

    after = revised(
        "requirements", {**facts, "said": ("Links must expire",)}, "Links must expire after 30 days"
    )

    assert not [text for text in after.open_questions if "shorten the titles" in text]


@pytest.mark.parametrize(
    ("words", "ranks"),
    [
        ("Remove REQ-002.", {"REQ-002": "Won't"}),
        ("REQ-001 is a Should. Please drop REQ-002", {"REQ-001": "Should", "REQ-002": "Won't"}),
        ("Mark REQ-001 and REQ-002 as could-have", {"REQ-001": "Could", "REQ-002": "Could"}),
        ("REQ-001: could", {"REQ-001": "Could"}),
        ("REQ-002 can be left out", {"REQ-002": "Won't"}),
        ("Priority of REQ-002 is Could.", {"REQ-002": "Could"}),
        ("删除 REQ-002", {"REQ-002": "Won't"}),
        ("REQ-001改为Should", {"REQ-001": "Should"}),
        (
            "REQ-001 is a Should and REQ-002 could wait until next year",
            {"REQ-001": "Should", "REQ-002": "Could"},
        ),
        ("REQ-001 and REQ-002 are optional", {"REQ-001": "Could", "REQ-002": "Could"}),
        ("REQ-001 is nice to have, but REQ-002 is essential.", {"REQ-001": "Could", "REQ-002": "Must"}),
        ("REQ-001 is low priority; REQ-002 can wait", {"REQ-001": "Could", "REQ-002": "Could"}),
        ("REQ-001 是应该的", {"REQ-001": "Should"}),
        ("REQ-001 是必须的，REQ-002 可以等到明年", {"REQ-001": "Must", "REQ-002": "Could"}),
        ("REQ-001 和 REQ-002 都是可选的。", {"REQ-001": "Could", "REQ-002": "Could"}),
        ("REQ-002 不做了", {"REQ-002": "Won't"}),
    ],
)
def test_an_item_gets_the_priority_that_a_person_gives_it(words: str, ranks: dict[str, str]) -> None:
    facts = chain("Rooms must be bookable for 30 minutes. It must show free rooms.")
    before = facts["requirements"]

    after = revised("requirements", facts, words)

    assert {item.id: item.moscow for item in after.items} == {
        **{item.id: item.moscow for item in before.items},
        **ranks,
    }
    assert [item.statement for item in after.items] == [item.statement for item in before.items]
    assert after.open_questions == before.open_questions
    assert all(not item.acceptance_criteria for item in after.items if item.moscow == "Won't")
    later = revised("architecture", {**facts, "requirements": after}, words)
    assert not any(each in text for text in later.open_questions for each in ranks)


def test_a_priority_for_an_item_that_is_not_there_is_answered() -> None:
    facts = chain("Rooms must be bookable for 30 minutes. It must show free rooms.")

    after = revised("requirements", facts, "Remove REQ-077")

    assert after.items == facts["requirements"].items
    assert any("REQ-077" in text for text in after.open_questions)


@pytest.mark.parametrize(
    ("words", "criteria"),
    [
        ("REQ-002: done when the list shows all free rooms", ["The list shows all free rooms"]),
        (
            "REQ-002 is done when the list shows all rooms. REQ-002: accepted if it takes 2 s.",
            ["The list shows all rooms.", "It takes 2 s."],
        ),
        ("REQ-002: acceptance criterion: the list is right", ["The list is right"]),
        (
            "REQ-002: given a free room, when the list opens, then it is there",
            ["Given a free room, when the list opens, then it is there"],
        ),
        ("REQ-002：当列表显示所有空闲房间时算完成", ["当列表显示所有空闲房间"]),
        ("REQ-002 的验收标准是：列表显示所有空闲房间", ["列表显示所有空闲房间"]),
    ],
)
def test_an_item_gets_the_criterion_that_a_person_gives_it(words: str, criteria: list[str]) -> None:
    facts = chain("Rooms must be bookable for 30 minutes. It must show free rooms.")
    before = facts["requirements"]

    after = revised("requirements", facts, words)

    assert len(after.items) == len(before.items)
    assert after.items[0] == before.items[0]
    assert after.items[1].acceptance_criteria == [*before.items[1].acceptance_criteria, *criteria]
    assert not any("REQ-002" in text for text in after.open_questions)
    later = revised("architecture", {**facts, "requirements": after}, words)
    assert not any("REQ-002" in text for text in later.open_questions)


def test_question_for_a_criterion_goes_with_its_answer() -> None:
    facts = chain("Build a room list. It must be pleasant to look at. It must be quiet.")
    asked = next(i for i in facts["requirements"].items if not i.acceptance_criteria)
    assert any(asked.statement.rstrip(".") in text for text in facts["requirements"].open_questions)

    after = revised("requirements", facts, f"{asked.id}: done when nine of ten guests like it")

    assert not any(
        asked.statement.rstrip(".") in text and text.startswith("Which observation")
        for text in after.open_questions
    )


@pytest.mark.parametrize(
    "words",
    ["REQ-077: done when it rings", "REQ-077：响铃时算完成", "REQ-077 is a Should and REQ-001 is a Could"],
)
def test_words_for_an_item_that_is_not_there_are_answered(words: str) -> None:
    facts = chain("Rooms must be bookable for 30 minutes. It must show free rooms.")

    after = revised("requirements", facts, words)

    assert len(after.items) == len(facts["requirements"].items)
    assert any(
        "REQ-077" in text and text not in facts["requirements"].open_questions
        for text in after.open_questions
    )


def test_wish_beside_a_priority_stays_a_wish() -> None:
    facts = chain("Rooms must be bookable for 30 minutes. It must show free rooms.")

    after = revised("requirements", facts, "REQ-002 is a Could, and the list must be printable")

    assert after.items[1].moscow == "Could"
    assert "printable" in after.items[-1].statement


def test_sentence_of_thousands_of_pieces_is_left_whole() -> None:
    sentence = "REQ-001, " * 20_000

    assert parts(sentence) == [sentence.strip()]


LIMIT = "Add rate limiting to our login endpoint, 5 tries per minute"


@pytest.mark.parametrize(
    "said",
    [
        "The limit is 10 tries per minute for our partners.",
        "The limit is 10 tries per minute when the caller is signed in.",
        "On mobile phones the limit is 10 tries per minute.",
        "REQ-001: 10 tries per minute for our partners",
    ],
)
def test_number_for_somebody_or_some_case_is_a_requirement_beside_the_one_that_stands(said: str) -> None:
    facts = chain(LIMIT)

    after = revised("requirements", facts, said)

    assert after.items[: len(facts["requirements"].items)] == facts["requirements"].items
    (new,) = after.items[len(facts["requirements"].items) :]
    assert new.statement == said.removeprefix("REQ-001: ")


@pytest.mark.parametrize(
    "said",
    [
        "The limit is 10 tries per minute.",
        "The limit is 10 tries per minute on our login endpoint.",
        "The limit is 10 tries per minute for everyone instead.",
        "The limit is not 5 but 10 tries per minute.",
        "The limit is 10 tries per minute instead of 5 tries.",
        "Change the limit from 5 to 10 tries per minute for our partners",
        "REQ-001: 10 tries per minute",
    ],
)
def test_number_in_place_of_the_old_one_changes_the_requirement(said: str) -> None:
    facts = chain(LIMIT)

    after = revised("requirements", facts, said)

    assert len(after.items) == len(facts["requirements"].items)
    assert after.items[0].statement == LIMIT.replace("5", "10")


def test_chinese_number_for_some_case_is_a_requirement_beside_the_one_that_stands() -> None:
    facts = chain("登录接口的响应时间必须在3秒以内。")

    beside = revised("requirements", facts, "当缓存失效时，登录接口的响应时间必须在9秒以内。")
    instead = revised("requirements", facts, "登录接口的响应时间必须在9秒以内。")

    assert [item.statement for item in beside.items][: len(facts["requirements"].items)] == [
        item.statement for item in facts["requirements"].items
    ]
    assert len(instead.items) == len(facts["requirements"].items)
    assert "9秒" in instead.items[0].statement


MAIL = (
    "Following up on the call with the warehouse in Leeds.\n\nA shift lead must be able to lock a lost scanner.\n\n"
    "Out of scope: browsers keep the session for 15 minutes.\n"
)


@pytest.mark.parametrize(
    "said",
    [
        "Remove REQ-001, it is only the opening of my mail.",
        "Remove REQ-001 because it is only the opening of my mail.",
        "Please drop REQ-001. That was the opening of my mail.",
        "删除 REQ-001，因为它只是邮件的开头。",
    ],
)
@pytest.mark.parametrize("wish", ["", "Scanners stay logged in for 12 hours. Lost ones must be listed. "])
def test_removal_is_carried_out_beside_wishes_and_its_reason_is_no_requirement(said: str, wish: str) -> None:
    facts = chain(REQUEST + "\n" + MAIL)
    before = facts["requirements"]

    after = revised("requirements", facts, wish + said)

    assert after.items[0].moscow == "Won't"
    assert not [text for text in after.open_questions if text.startswith(("Not done", "Not taken", "没有"))]
    new = [item.statement.rstrip(" .;") for item in after.items[len(before.items) :]]
    assert new == (["Scanners stay logged in for 12 hours", "Lost ones must be listed"] if wish else [])


@pytest.mark.parametrize(
    "behind",
    [
        ", that is a Must, not out of scope.",
        "; this is a must-have",
        " (this is a Must)",
        " - that's a Must!",
    ],
)
def test_priority_behind_a_statement_is_that_of_what_it_speaks_of(behind: str) -> None:
    facts = chain(MAIL)
    (ruled_out,) = (item for item in facts["requirements"].items if item.moscow == "Won't")

    known = revised("requirements", facts, f"Browsers keep the session for 15 minutes{behind}")
    other = revised("requirements", facts, f"Printers keep a list of 40 orders{behind}")

    assert len(known.items) == len(facts["requirements"].items)
    now = next(item for item in known.items if item.id == ruled_out.id)
    assert (now.moscow, bool(now.acceptance_criteria)) == ("Must", True)
    assert (other.items[-1].statement, other.items[-1].moscow) == (
        "Printers keep a list of 40 orders",
        "Must",
    )


def test_story_of_things_with_a_relative_clause_has_its_verb() -> None:
    facts = chain(MAIL)

    after = revised("requirements", facts, "Scanners that we have enrolled stay logged in for 12 hours")

    story = after.items[-1].user_story
    assert story is not None
    assert story.i_want == "scanners that we have enrolled to stay logged in for 12 hours"


def test_nobody_is_asked_when_a_removed_requirement_is_met() -> None:
    facts = chain(LIMIT)
    wish = "Locked accounts get an e-mail with a link to unlock them."
    facts["requirements"] = numbered(revised("requirements", facts, wish))
    item = facts["requirements"].items[-1]
    asked = [text for text in facts["requirements"].open_questions if wish.rstrip(".") in text]

    after = revised("requirements", facts, f"Remove {item.id}")

    assert len(asked) == 1
    assert asked[0] not in after.open_questions
