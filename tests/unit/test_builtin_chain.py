"""The built-in agent's documents: everything stated is carried, nothing is invented, references hold."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.domain.errors import AgentCrashed, AgentUnavailable
from tests.unit.builtin_chain import DATA, ask, chain
from workers.agents.protocol import AgentRequest
from workers.builtin import BuiltinAgent, analyse_request

IDEAS = sorted(path.name for path in DATA.iterdir() if path.suffix == ".md")
ONE_LINERS = [line for line in (DATA / "one-liners.txt").read_text().splitlines() if line]
REQUESTS = [(DATA / name).read_text() for name in IDEAS] + ONE_LINERS


@pytest.mark.parametrize("text", REQUESTS)
def test_each_requirement_sentence_is_carried_by_a_requirement(text: str) -> None:
    items = chain(text)["requirements"].items

    for need in analyse_request(text).needs:
        assert any(need.text in item.statement and need.quote == item.quote for item in items), need.text


SENTENCES = {
    "clinic-booking.md": [
        "Patients must be able to join a clinic's queue from a web page without making an account.",
        "The system must show each patient an estimated waiting time and update it at least once a minute.",
        "It must send a text message when three people are ahead and again when it is the patient's turn.",
        "A patient who does not show up within 10 minutes of being called should be moved to the end of the queue once, "
        "and removed the second time.",
        "Doctors must see the next patient and be able to call, skip or finish a visit with one tap.",
        "The system could offer a wall display for the waiting room.",
        "It won't handle payments or medical records in the first version.",
        "Every change of queue order shall be logged with who did it and why.",
        "WCAG 2.2 AA.",
    ],
    "log-shipper.zh.md": [
        "采集器必须跟踪多个日志文件,支持日志轮转,不丢行、不重复。",
        "断网时必须在本地缓存最多 7 天或 1GB 的日志,恢复后按顺序补传。",
        "应该支持从中心下发配置,10 分钟内生效,并可回滚。",
        "第一版不做日志检索界面,使用现有的 Loki。",
        "常驻内存不超过 40MB,CPU 平均低于 3%;传输必须使用双向 TLS;升级失败时必须自动恢复上一个版本。",
    ],
    "tool-library.md": [
        "Members can search the catalogue by name and category.",
        "A member can reserve a tool for up to 7 days, e.g. a drill or a ladder.",
        "Reminders are sent by e-mail one day before the return date.",
        "Dr. Ruiz (the caretaker) has to approve requests for power tools.",
        "Photos of each tool",
        "Payments",
        "Search results within 500 ms for 10,000 tools.",
        "Must run on our existing Raspberry Pi 4.",
        "Only members may see addresses.",
        "No tracking cookies.",
    ],
    "invoices.md": [
        "We need a service which ingests CSV invoices from suppliers.",
        "If a file is malformed, the service must reject it and email the supplier within 5 minutes, "
        "listing every faulty row.",
        "Accountants should be able to correct single rows in the browser; they may also delete a whole file.",
        "The service shall not store bank details unencrypted.",
        "It has to handle 2,000 files per day.",
        "Supervisors want to see a weekly summary.",
        "We are not going to support PDF invoices for now.",
        "As an auditor, I want to export all corrections so that I can prove who changed what.",
    ],
    "library.zh.md": [
        "居民必须能够扫码借书;借书时系统应在 2 秒内显示归还日期。",
        "图书逾期 7 天后,系统要自动发送提醒短信。",
        "志愿者可以批量导入图书(Excel 格式),并可撤销最近一次导入。",
        "管理员需要查看每月借阅统计,并能导出为 CSV。",
        "无需注册即可浏览图书目录。",
        "不支持在线支付押金。",
        "支持 500 人同时在线;",
        "居民手机号必须加密存储,退出社区 30 天后删除。",
        "界面支持中文和英文。",
    ],
}


@pytest.mark.parametrize("name", SENTENCES)
def test_sentences_a_reader_would_call_requirements_are_carried_word_for_word(name: str) -> None:
    quotes = [item.quote for item in chain((DATA / name).read_text())["requirements"].items]

    assert [sentence for sentence in SENTENCES[name] if sentence not in quotes] == []


@pytest.mark.parametrize("text", REQUESTS)
def test_same_facts_give_the_same_content(text: str) -> None:
    assert chain(text) == chain(text)


@pytest.mark.parametrize("text", REQUESTS)
def test_each_must_is_served_by_a_component_and_told_by_a_story(text: str) -> None:
    facts = chain(text)

    musts = {item.id for item in facts["requirements"].items if item.moscow == "Must"}
    parts = {ref for part in facts["architecture"].components for ref in part.requirements}
    told = {ref for epic in facts["epics"].items for story in epic.stories for ref in story.requirements}
    assert musts and musts <= parts and musts <= told


def test_every_kind_of_question_is_answered() -> None:
    facts = chain(REQUESTS[0])

    review = ask("architecture_review", **facts)

    assert [concern for concern in review.concerns if concern.severity == "high"] == []


def request_of(kind: str, stop: threading.Event) -> AgentRequest:
    facts = {"request": REQUESTS[0], "language": "en"}
    return AgentRequest(kind, "", None, facts, Path(), "s", "t", "r", "x", stop=stop)


def test_run_that_is_over_gets_no_answer() -> None:
    stop = threading.Event()
    stop.set()

    with pytest.raises(AgentCrashed):
        BuiltinAgent().ask(request_of("brief", stop))


def test_agent_refuses_what_it_cannot_do() -> None:
    request = request_of("poem", threading.Event())

    for call in (BuiltinAgent().ask, BuiltinAgent().work):
        with pytest.raises(AgentUnavailable):
            call(request)


_PIECES = [
    "must ",
    "必须",
    "# Who\n",
    "- ",
    "\n\n",
    ". ",
    "；",
    "if ",
    ", ",
    "so that ",
    "(",
    "1. ",
    "Users ",
    "当",
    "时",
    "`x`",
    "|",
    " with ",
    "# Limits\n",
    "7 %",
    "每天",
    "用户",
]


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=120) | st.lists(st.sampled_from(_PIECES), max_size=30).map("".join))
def test_any_request_gets_all_documents(text: str) -> None:
    facts = chain(text)

    assert facts["discovery"].title
    assert bool(facts["architecture"].components) == bool(
        [item for item in facts["requirements"].items if item.moscow != "Won't"]
    )
