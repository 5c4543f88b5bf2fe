"""Who is called by name with a role in parentheses is a user by the role, and neither a thing nor a part."""

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain
from workers.builtin.names import entities
from workers.builtin.people import introduced

CLUB = (
    "We run a rowing club. Anna (treasurer) and Peter (chair) keep the list of boats in Excel.\n\n"
    "We need a web page for the boats. Members must book a boat online. Anna must see all unpaid fees. "
    "Anna must export the unpaid fees. Peter must approve new members. Peter must block a boat. "
    "Maria, our secretary, must print the list of boats. Members must bring boats back out of the water. "
    "What I need is a list of boats that are out.\n"
)
SCHICHT = (
    "安娜（财务）和彼得（会长）现在用Excel排班。\n\n我们需要一个排班系统。安娜必须看到所有未付费用。安娜必须导出费用。"
    "彼得必须审批新会员。彼得必须停用会员。李明，我们的秘书，必须打印名单。\n"
)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Anna (treasurer) and Peter (chair) decide.", {"Anna": "treasurer", "Peter": "chair"}),
        ("Maria, our secretary, prints it.", {"Maria": "secretary"}),
        ("Ask Jo Brown (the caretaker).", {"Jo Brown": "caretaker"}),
        ("安娜（财务）和彼得（会长）决定。", {"安娜": "财务", "彼得": "会长"}),
        ("Excel (spreadsheet) and Outlook (mail) stay.", {}),
        ("Boats (wooden) are heavy.", {}),
        ("Researchers, our mounters and assistants, and the loans desk.", {}),
        ("系统（新版）上线。", {}),
    ],
)
def test_names_with_roles_are_told_from_other_parentheses(text: str, people: dict[str, str]) -> None:
    assert introduced(text) == people


@pytest.mark.parametrize(
    ("request_", "roles", "names"),
    [
        (CLUB, {"treasurer", "chair", "secretary"}, "Anna Peter Maria"),
        (SCHICHT, {"财务", "会长", "秘书"}, "安娜 彼得 李明"),
    ],
)
def test_roles_are_users_and_names_are_no_things(request_: str, roles: set[str], names: str) -> None:
    facts = chain(request_)

    users = {user.name.lower() for user in facts["brief"].users}
    things = [entity.name for entity in facts["requirements"].entities]
    parts = [part.name for part in facts["architecture"].components]

    assert roles <= users
    for name in names.split():
        assert not any(name in text for text in [*things, *users])
        assert not any(f"{name}s" in text for text in parts)
    stated = tuple(names.split()[0] + must for must in (" must", "必须"))
    story = next(i.user_story for i in facts["requirements"].items if i.statement.startswith(stated))
    assert story is not None and story.as_a in roles


def test_words_of_no_thing_and_names_are_no_entities() -> None:
    texts = [
        "Boats that are out must be listed.",
        "What I need is a list of outs.",
        "What I see must say who is out.",
        "Then Bob must enter the boats.",
        "Then Bob must count the boats.",
        "The PDF must list the boats.",
        "The PDF must be signed.",
    ]

    assert set(entities(texts, ())) == {"boat", "PDF"}
