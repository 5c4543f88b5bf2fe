"""What is not to be built is a non-goal; what the built thing must not have, and who alone may do something, is a rule."""

from __future__ import annotations

import pytest

from workers.builtin.analysis import Need
from workers.builtin.clauses import clause
from workers.builtin.criteria import criteria
from workers.builtin.request import analyse_request
from workers.documents.lexicon import lexicon_of

EN = "# Shift list\n\nWe need a shift list for our volunteers. It must show every shift.\n\n"
ZH = "# 排班表\n\n我们需要一个志愿者排班表。它必须显示每个班次。\n\n"


def need(sentence: str) -> Need:
    found = analyse_request((EN if sentence.isascii() else ZH) + sentence).needs
    (one,) = [each for each in found if each.quote == sentence]
    return one


@pytest.mark.parametrize(
    "sentence",
    [
        "Please no passwords.",
        "No passwords please.",
        "We do not want passwords.",
        "I don't want any advertising.",
        "No ads.",
        "Please no pop-ups.",
        "No registration please.",
        "So no cookies.",
        "No double bookings.",
        "There must be no duplicates.",
        "请不要密码。",
        "不要广告。",
        "不要任何弹窗。",
        "没有重复预约。",
    ],
)
def test_denied_burden_is_a_requirement(sentence: str) -> None:
    found = need(sentence)

    assert (found.kind == "exclusion", found.moscow) == (False, "Must")


@pytest.mark.parametrize(
    "sentence",
    [
        "No mobile app please.",
        "Please no chat.",
        "No payments please.",
        "We do not want an app.",
        "No passwords for now.",
        "No registration in the first version.",
        "不要做聊天功能。",
        "第一版不需要登录。",
        "不要加支付功能。",
    ],
)
def test_denied_part_and_what_is_denied_for_now_is_a_non_goal(sentence: str) -> None:
    assert need(sentence).kind == "exclusion"


@pytest.mark.parametrize(
    "sentence",
    [
        "Only the treasurer may delete payments.",
        "Volunteers may see their own shifts only.",
        "Payments may be deleted by the treasurer only.",
        "Payments may be deleted only by the treasurer.",
        "The names may only be seen by members.",
        "只有店长可以删除订单。",
        "订单只有店长可以删除。",
        "班次只能由组长修改。",
        "订单可以删除，但只限店长。",
    ],
)
def test_who_alone_may_do_something_is_a_must(sentence: str) -> None:
    found = need(sentence)

    assert (found.kind == "exclusion", found.moscow, found.given) == (False, "Must", "Must")


@pytest.mark.parametrize(
    "sentence", ["A volunteer may swap a shift.", "The chair may add a comment.", "志愿者可以换班。"]
)
def test_permission_of_a_person_has_the_ordinary_priority(sentence: str) -> None:
    found = need(sentence)
    plain = need("Volunteers can swap a shift.")

    assert (found.moscow, found.given) == (plain.moscow, plain.given)
    assert found.clause.actor


@pytest.mark.parametrize(
    "sentence",
    [
        "The report may be printed.",
        "The chair may add a comment later, if time permits.",
        "Clients MAY cache the list.",
        "Volunteers could swap a shift.",
        "系统可以缓存页面。",
    ],
)
def test_what_is_optional_stays_a_could(sentence: str) -> None:
    assert need(sentence).moscow == "Could"


@pytest.mark.parametrize(
    ("sentence", "criterion"),
    [
        (
            "Nobody may approve a refund that they created.",
            "An attempt to approve a refund that they created is refused, and nothing is changed.",
        ),
        (
            "No one can delete a paid order.",
            "An attempt to delete a paid order is refused, and nothing is changed.",
        ),
        (
            "No agent may see the card number.",
            "An attempt to see the card number is refused, and nothing is changed.",
        ),
        (
            "Niemand darf Bestellungen sehen.",
            "A test tries to bring it about and fails; what holds is this: niemand darf Bestellungen sehen.",
        ),
        (
            "Personne ne peut approuver son propre retour.",
            "A test tries to bring it about and fails; what holds is this: personne ne peut approuver son propre retour.",
        ),
        ("没有人可以批准自己提交的退款。", "尝试批准自己提交的退款会被拒绝，数据没有任何改动。"),
        ("任何人不得批准自己提交的退款。", "尝试批准自己提交的退款会被拒绝，数据没有任何改动。"),
        ("任何人都不能删除已付款的订单。", "尝试删除已付款的订单会被拒绝，数据没有任何改动。"),
    ],
)
def test_what_nobody_may_do_is_a_must_whose_attempt_is_refused(sentence: str, criterion: str) -> None:
    found = need(sentence)

    assert (found.kind == "exclusion", found.moscow, found.clause.actor) == (False, "Must", "")
    assert criteria(found, lexicon_of(sentence)) == [criterion]


@pytest.mark.parametrize(
    "sentence", ["No more than two agents may be logged in.", "Nobody should have to call the office."]
)
def test_bound_and_relief_forbid_nobody_anything(sentence: str) -> None:
    assert not clause(sentence).forbidden


NEVER = (
    "An order can never be refunded for more than was paid, even when two agents press the button at once.",
    "A refund never leaves the queue twice, even if the payment service is down.",
    "A card number must never be stored.",
)


@pytest.mark.parametrize("heading", ["", "## Background\n\n", "## Context\n\n", "## What we need\n\n"])
@pytest.mark.parametrize("sentence", NEVER)
def test_what_may_never_happen_is_a_must_below_any_heading_but_a_problem(heading: str, sentence: str) -> None:
    found = analyse_request(f"{EN}{heading}Five agents work here. {sentence}")

    (one,) = [each for each in found.needs if each.text == sentence]
    assert (one.kind == "exclusion", one.moscow) == (False, "Must")


@pytest.mark.parametrize("heading", ["## The problem\n\n", "## Risks\n\n"])
def test_what_never_works_today_is_no_requirement(heading: str) -> None:
    found = analyse_request(f"{EN}{heading}{NEVER[0]}")

    assert NEVER[0] not in [each.text for each in found.needs]


def test_what_people_never_manage_is_no_rule() -> None:
    told = "We can never find the right shift, even when we ask the chair."

    assert told not in [each.text for each in analyse_request(f"{EN}## Background\n\n{told}").needs]


def test_purpose_excludes_nothing() -> None:
    assert need("Readers must reserve books online, so that they need not call.").kind != "exclusion"


def test_who_alone_may_is_named_without_the_word() -> None:
    assert need("订单只有店长可以删除。").clause.actor == "店长"


@pytest.mark.parametrize(
    "sentence",
    [
        "No messages at night, and we may not put medical information in the text.",
        "Staff may not delete appointments.",
        "The export should not be empty.",
        "A guest must not see prices.",
    ],
)
def test_a_modal_that_says_no_is_never_lost(sentence: str) -> None:
    assert clause(sentence).negated
