"""How short requests in Chinese, German, French and their neighbours are read, whose authors write no headings."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain
from workers.builtin import analyse_request
from workers.builtin.analysis import RequestAnalysis

EXPORT = (
    "我们的客服后台每次导出工单都会超时（超过 30 秒），数据量大概 20 万条。希望改成后台异步导出，完成后发邮件通知用户下载，下载链接 24 小时内有效。"
    "只有主管可以导出全部工单，普通客服只能导出自己的。不要引入新的消息队列，用现有的 Redis。"
)
ORDERS = (
    "Unsere Kunden im Außendienst müssen Aufträge auch ohne Netz erfassen können. Die App soll die Daten lokal speichern und beim nächsten Kontakt automatisch synchronisieren. "
    "Maximal 500 Aufträge pro Gerät. Bitte kein neues Framework einführen, wir bleiben bei Flutter. Fertig bis Ende März."
)
CANCEL = (
    "Il faudrait que les clients puissent annuler leur commande eux-mêmes tant qu'elle n'est pas expédiée. Aujourd'hui ils appellent le support, ça représente 120 appels par semaine. "
    "Le remboursement doit être automatique sous 48 h, sauf pour les paiements en plusieurs fois. Pas d'annulation partielle pour l'instant."
)


def by_kind(read: RequestAnalysis) -> dict[str, list[str]]:
    return {
        kind: [need.text for need in read.needs if need.kind == kind]
        for kind in ("functional", "constraint", "exclusion")
    }


def test_a_chinese_wish_is_asked_for_its_complaint_is_the_problem_and_a_means_ruled_out_is_a_limit() -> None:
    read = analyse_request(EXPORT)

    assert by_kind(read) == {
        "functional": [
            "希望改成后台异步导出，完成后发邮件通知用户下载，下载链接 24 小时内有效。",
            "只有主管可以导出全部工单",
            "普通客服只能导出自己的。",
        ],
        "constraint": ["不要引入新的消息队列，用现有的 Redis。"],
        "exclusion": [],
    }
    assert read.situation == ("我们的客服后台每次导出工单都会超时（超过 30 秒），数据量大概 20 万条。",)
    assert (read.goals, read.dependencies) == ((), ())


def test_who_alone_may_stays_in_the_title_and_others_are_refused() -> None:
    facts = chain(EXPORT)
    items = {item.title: item for item in facts["requirements"].items}

    assert items["只有主管可以导出全部工单"].acceptance_criteria == ["其他人的尝试会被拒绝。"]
    assert "普通客服只能导出自己的" in items
    rows = [(row.name, row.purpose) for row in facts["architecture"].api]
    assert all("客服" not in name for name, purpose in rows if "主管" in purpose)


def test_what_must_not_be_touched_gets_no_criterion_of_a_check() -> None:
    facts = chain("登录接口加个限流，每个 IP 每分钟最多 5 次，超过返回 429，不要影响内网的健康检查。")
    item = next(item for item in facts["requirements"].items if "健康检查" in item.title)

    assert not any("正确的情况被接受" in line for line in item.acceptance_criteria)
    assert any("不要影响内网的健康检查" in line for line in item.acceptance_criteria)


@pytest.mark.parametrize(
    "text",
    [
        "Maximal 500 Aufträge pro Gerät.",
        "Bitte kein neues Framework einführen, wir bleiben bei Flutter.",
        "Fertig bis Ende März.",
        "Au maximum 20 fichiers par dossier.",
        "Livraison avant la fin du mois.",
        "Como máximo 50 pedidos por día.",
        "Seguimos usando PostgreSQL.",
        "Al massimo 30 prenotazioni al giorno.",
    ],
)
def test_bounds_deadlines_and_means_without_a_verb_are_limits(text: str) -> None:
    read = analyse_request(f"{ORDERS.split('. ')[0]}. {text}")

    assert text in by_kind(read)["constraint"]
    assert text not in read.situation


@pytest.mark.parametrize(
    "text",
    [
        "Il faudrait que les clients puissent annuler leur commande eux-mêmes.",
        "Habría que avisar a los socios la víspera de cada clase.",
        "Es wäre schön, wenn die Eltern die Termine im Kalender sehen.",
        "Bisognerebbe avvisare i soci il giorno prima della lezione.",
        "Seria bom avisar os sócios na véspera da aula.",
    ],
)
def test_wishes_without_a_modal_verb_of_their_own_are_asked_for(text: str) -> None:
    read = analyse_request(f"{CANCEL.split('. ')[1]}. {text} {CANCEL.split('. ')[2]}.")

    assert text in by_kind(read)["functional"]


def test_a_french_request_names_its_users_and_keeps_its_negation() -> None:
    read = analyse_request(CANCEL)
    facts = chain(CANCEL)

    assert [actor.name for actor in read.actors] == ["clients"]
    assert (
        read.title == "Les clients puissent annuler leur commande eux-mêmes tant qu'elle n'est pas expédiée"
    )
    assert not any("opposite" in question for question in facts["brief"].open_questions)


def test_a_story_keeps_the_words_of_a_language_it_cannot_inflect() -> None:
    stories = [item.user_story for item in chain(ORDERS)["requirements"].items if item.user_story]

    assert {story.as_a for story in stories} == {"Kunden"}
    assert all(" to die " not in story.i_want for story in stories)
