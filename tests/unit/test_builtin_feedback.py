"""What the built-in agent makes of a person's words: needs become requirements, all else is answered."""

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain
from tests.unit.test_builtin_revision import revised

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
    assert ("built-in agent" in answer) == (words in FORM)


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


def test_answer_goes_when_the_next_version_is_asked_for_something_else() -> None:
    facts = chain(REQUEST)
    facts["requirements"] = revised("requirements", facts, "Please shorten the titles")

    after = revised("requirements", facts, "Links must expire after 30 days")

    assert not [text for text in after.open_questions if text.startswith("Not done")]
