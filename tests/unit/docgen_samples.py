"""Content built by hand for the tests of documents: an English and a Chinese specification."""

from __future__ import annotations

from typing import Any

from workers.documents.content import (
    Adr,
    Alternative,
    Architecture,
    Brief,
    Choice,
    Component,
    Discovery,
    Entity,
    Epic,
    Epics,
    Goal,
    Operation,
    Requirement,
    Requirements,
    StatedRequirement,
    Statement,
    Story,
    Synthesis,
    User,
    UserStory,
)
from workers.documents.frame import RenderContext
from workers.documents.identifiers import Registered, allot
from workers.documents.render import render

DOCUMENTS = ("discovery", "brief", "requirements", "architecture", "epics")


def context(documents: dict[str, Registered], **changes: Any) -> RenderContext:
    values: dict[str, Any] = {
        "session_id": "TLS-clinic-2026-11-21",
        "title": "Clinic booking",
        "phase": "spec",
        "status": "complete",
        "generated_at": "2026-11-21T08:00:00Z",
        "version": 1,
        "agent": "builtin",
        "task": "DRAFT-001",
        "documents": documents,
    }
    return RenderContext(**{**values, **changes})


def register(contents: dict[str, Any]) -> dict[str, Registered]:
    """All documents with their ids, each resolved against those before it."""
    registered: dict[str, Registered] = {}
    for name in DOCUMENTS:
        if name in contents:
            known = {identifier for before in registered.values() for identifier in before.ids()}
            registered[name], _ = allot(contents[name], known=known)
    return registered


def specification(contents: dict[str, Any], **changes: Any) -> dict[str, bytes]:
    """All files of a specification."""
    registered = register(contents)
    files: dict[str, bytes] = {}
    for name, content in registered.items():
        files.update(render(name, content, context(registered, **changes)))
    return files


def english() -> dict[str, Any]:
    return {
        "discovery": Discovery(
            title="Clinic booking",
            problem_statement="Patients call by phone and wait for free slots.",
            domain="health",
            target_users=[User(name="Patient", needs=["book a slot"], source="stated")],
            requirements=[
                StatedRequirement(text="Patients must book a slot online.", kind="functional", moscow="Must"),
                StatedRequirement(
                    text="The page must answer within 2 seconds.",
                    kind="nonfunctional",
                    moscow="Must",
                    category="P",
                ),
            ],
            complexity="medium",
        ),
        "brief": Brief(
            title="Clinic booking",
            vision=Statement(
                text="Patients of a small clinic find and book a free slot themselves, at any hour, without a call, "
                "and the front desk is free for the people who stand before it.",
                source="stated",
            ),
            situation="Patients call during opening hours. The front desk looks for a free slot in a paper calendar.\n\n"
            "Many calls are lost, and double bookings happen every week.",
            impact="Lost calls are lost patients.",
            users=[
                User(name="Patient", needs=["book a slot", "cancel a slot"], source="stated"),
                User(
                    name="Front desk", needs=["see all bookings of the day", "move a booking for a patient"]
                ),
            ],
            goals=[
                Goal(
                    text="Book slots online",
                    metric="share of online bookings",
                    target="60 %",
                    source="stated",
                ),
                Goal(
                    text="Answer quickly",
                    metric="time to answer",
                    source="proposed",
                    reason="slow pages lose patients",
                ),
            ],
            in_scope=[
                Statement(
                    text="Booking, moving and cancelling of slots by patients and the front desk",
                    source="stated",
                )
            ],
            out_of_scope=[
                Statement(text="Payment of treatments and the billing of insurances", source="stated")
            ],
            assumptions=[Statement(text="Every patient has an email address or a mobile phone")],
            constraints=[
                Statement(
                    text="Patient data stays within the clinic's own network and is never sent to other firms",
                    source="stated",
                )
            ],
            dependencies=[Statement(text="The clinic's calendar", source="stated")],
            synthesis=Synthesis(product="Fewer calls.", technical="One service.", user="Any hour."),
            open_questions=["Who may cancel a booking?"],
        ),
        "requirements": Requirements(
            summary="Booking is the core.",
            items=[
                Requirement(
                    title="Book a slot",
                    statement="Patients book a free slot online.",
                    user_story=UserStory(
                        as_a="patient", i_want="to book a free slot", so_that="I need not call."
                    ),
                    acceptance_criteria=[
                        "Given a free slot, when the patient books it, then the slot shows as taken.",
                        "A taken slot is refused with a message.",
                    ],
                    goals=["G-001"],
                    quote="Patients must book a slot online.",
                    source="stated",
                ),
                Requirement(
                    title="Remind patients",
                    statement="The system reminds patients of their booking.",
                    acceptance_criteria=["A reminder is sent 24 hours before the booking."],
                    moscow="Should",
                    goals=["G-001"],
                    source="proposed",
                    reason="missed slots are lost",
                ),
                Requirement(
                    kind="nonfunctional",
                    category="P",
                    title="Answer time",
                    statement="The page answers within 2 seconds.",
                    acceptance_criteria=["95 of 100 requests are answered within 2 seconds."],
                    goals=["G-002"],
                    source="stated",
                ),
            ],
            entities=[
                Entity(
                    name="Booking",
                    description="A taken slot",
                    attributes=["start", "patient"],
                    source="stated",
                )
            ],
            integrations=[Statement(text="The clinic's calendar", source="stated")],
        ),
        "architecture": Architecture(
            overview="A web service with a database offers an HTTP API to the pages of patients and of the front desk; "
            "its code is one module for each component.",
            style=Statement(text="Modular monolith", source="proposed", reason="one small team"),
            actors=["Patient", "Front desk"],
            external_systems=["Calendar"],
            components=[
                Component(
                    name="Booking engine", responsibility="Keeps slots and bookings", requirements=["REQ-001"]
                ),
                Component(
                    name="Reminder",
                    responsibility="Sends reminders",
                    requirements=["REQ-002"],
                    depends_on=["Booking engine"],
                    files=["src/remind.py"],
                ),
            ],
            stack=[
                Choice(layer="storage", choice="a relational database", rationale="bookings must not overlap")
            ],
            data_model=[Entity(name="Booking", attributes=["start", "patient"])],
            api=[Operation(name="Book", purpose="Takes a free slot", requirements=["REQ-001"])],
            security=[Statement(text="A patient sees only bookings of their own")],
            adrs=[
                Adr(
                    title="One service",
                    context="The team is small.",
                    decision="One deployable service.",
                    alternatives=[
                        Alternative(name="Several services", pros=["independent"], cons=["more to run"]),
                        Alternative(name="A bought product", pros=["quick"], cons=["data leaves the clinic"]),
                    ],
                    consequences=["One release for all parts."],
                    requirements=["REQ-001", "NFR-P-001"],
                )
            ],
        ),
        "epics": Epics(
            summary="Booking first, reminders next.",
            items=[
                Epic(
                    id="new:book",
                    title="Book online",
                    goal="Patients book slots themselves",
                    requirements=["REQ-001"],
                    stories=[
                        Story(
                            title="Book a slot",
                            as_a="patient",
                            i_want="to book a free slot",
                            so_that="I need not call",
                            acceptance_criteria=["A booked slot shows as taken."],
                            requirements=["REQ-001", "NFR-P-001"],
                            adrs=["ADR-001"],
                        )
                    ],
                ),
                Epic(
                    title="Remind patients",
                    goal="Fewer missed slots",
                    moscow="Should",
                    mvp=False,
                    requirements=["REQ-002"],
                    depends_on=["new:book"],
                    stories=[
                        Story(
                            title="Send a reminder",
                            as_a="patient",
                            i_want="to be reminded",
                            acceptance_criteria=["A reminder is sent 24 hours before."],
                            requirements=["REQ-002"],
                        )
                    ],
                ),
            ],
        ),
    }


def chinese() -> dict[str, Any]:
    return {
        "discovery": Discovery(
            title="日志采集器", problem_statement="日志散落在网关上，定位很慢。", domain="运维"
        ),
        "brief": Brief(
            title="日志采集器",
            vision=Statement(
                text="让值班工程师在几分钟之内看到任何一台网关的日志，不必逐台登录，也不会因为断网而丢失任何一行日志内容，故障可以尽快恢复。",
                source="stated",
            ),
            situation="日志散落在两千台网关的本地文件里，出故障时工程师要逐台登录查看，平均定位时间超过四个小时，工厂的生产因此中断。",
            users=[
                User(
                    name="现场运维工程师",
                    needs=["在工厂里直接查看采集器的运行状态和最近的错误"],
                    source="stated",
                ),
                User(
                    name="后端值班工程师",
                    needs=["在中心检索全部网关的日志并迅速定位故障所在"],
                    source="stated",
                ),
            ],
            goals=[
                Goal(
                    text="缩短故障定位时间",
                    metric="三个月内定位时间的中位数",
                    target="低于 20 分钟",
                    source="stated",
                ),
                Goal(text="日志不丢失", metric="日志丢失率", target="低于百万分之一", source="stated"),
            ],
            in_scope=[
                Statement(
                    text="跟踪多个日志文件，支持轮转，断网时本地缓存，恢复后按顺序补传到中心", source="stated"
                )
            ],
            out_of_scope=[Statement(text="第一版不做日志检索界面", source="stated")],
            constraints=[
                Statement(
                    text="常驻内存不超过 40MB，CPU 平均低于 3%；传输必须使用双向 TLS；升级失败时必须自动恢复上一个版本",
                    source="stated",
                )
            ],
        ),
        "requirements": Requirements(
            items=[
                Requirement(
                    title="断网缓存",
                    statement="断网时在本地缓存日志，恢复后按顺序补传。",
                    user_story=UserStory(
                        as_a="后端值班工程师", i_want="断网期间的日志不丢失", so_that="事后仍能定位故障"
                    ),
                    acceptance_criteria=[
                        "断网七天后恢复，全部日志按顺序补传完成。",
                        "假如缓存已满，当有新日志到达，那么记录丢弃的行数。",
                    ],
                    goals=["G-002"],
                    source="stated",
                ),
                Requirement(
                    title="集中查看",
                    statement="把全部网关的日志传送到中心。",
                    acceptance_criteria=["新日志在十秒内出现在中心。"],
                    goals=["G-001"],
                    source="stated",
                ),
            ]
        ),
        "architecture": Architecture(
            overview="采集器是一个进程，由读取、缓存、传送三个模块组成，通过 HTTPS 接口把日志发送到中心，缓存在本地数据库。",
            style=Statement(text="管道"),
            components=[
                Component(name="缓存", responsibility="保存未传送的日志", requirements=["REQ-001"]),
                Component(
                    name="传送",
                    responsibility="把日志发送到中心",
                    requirements=["REQ-002"],
                    depends_on=["缓存"],
                ),
            ],
            adrs=[
                Adr(
                    title="本地缓存使用文件",
                    context="网关内存很小。",
                    decision="缓存写入只追加的文件。",
                    alternatives=[
                        Alternative(name="内存队列", cons=["断电丢失"]),
                        Alternative(name="嵌入式数据库"),
                    ],
                    consequences=["需要清理旧文件。"],
                    requirements=["REQ-001"],
                )
            ],
        ),
        "epics": Epics(
            items=[
                Epic(
                    title="可靠传送",
                    goal="日志不丢失",
                    requirements=["REQ-001", "REQ-002"],
                    stories=[
                        Story(
                            title="断网补传",
                            as_a="值班工程师",
                            i_want="恢复后补传日志",
                            so_that="事后定位故障",
                            acceptance_criteria=["恢复后十分钟内补传完成。"],
                            requirements=["REQ-001"],
                        ),
                        Story(
                            title="实时传送", as_a="值班工程师", i_want="看到新日志", requirements=["REQ-002"]
                        ),
                    ],
                )
            ]
        ),
    }
