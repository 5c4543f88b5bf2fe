"""Who is refused by a form or a visit gets a page that says how to go on; a program gets a problem."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.web.entry import FAILED_A_MINUTE
from orchestrator.web.guard import COMMANDS_A_MINUTE
from tests.web_world import ORIGIN, WebWorld, web_world

BROWSER = {"accept": "text/html,application/xhtml+xml", "sec-fetch-site": "same-origin", "origin": ORIGIN}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[WebWorld]:
    with web_world(tmp_path) as made:
        yield made


def send(world: WebWorld, cookie: str, token: str, **headers: str) -> Any:
    path = f"/p/demo/s/{world.session}/commands/archive"
    return world.client.post(
        path, data={"form_token": token}, headers={**BROWSER, "cookie": cookie, **headers}
    )


def test_a_form_of_somebody_who_left_or_with_another_token_is_refused_on_a_page(world: WebWorld) -> None:
    cookie = world.cookie()
    reader = world.cookie("read")

    left = send(world, "", "x")
    other = send(world, cookie, "another")
    reading = send(world, reader, world.form_token(reader))
    chinese = send(world, cookie, "another", **{"accept-language": "zh"})
    program = send(world, cookie, "another", accept="*/*")

    assert (left.status_code, other.status_code, reading.status_code) == (401, 403, 403)
    assert "<h1>you have not entered</h1>" in left.text and 'href="/enter"' in left.text
    assert "this form is not from a page of this server" in other.text
    assert f'<a href="/p/demo/s/{world.session}">Retry</a>' in other.text
    assert "you may only look here" in reading.text
    assert "此表单不是来自本服务器的页面" in chinese.text
    assert program.headers["content-type"] == "application/problem+json"


def test_too_many_commands_and_wrong_codes_are_refused_on_a_page(world: WebWorld) -> None:
    cookie = world.cookie()
    token = world.form_token(cookie)

    answers = [send(world, cookie, token) for _ in range(COMMANDS_A_MINUTE + 1)]
    codes = [
        world.client.post("/enter", data={"code": "wrong"}, headers=BROWSER)
        for _ in range(FAILED_A_MINUTE + 1)
    ]

    assert {each.status_code for each in answers[:-1]} == {409}  # it still runs
    assert (answers[-1].status_code, answers[-1].headers["retry-after"]) == (429, "60")
    assert "wait a minute, then try again" in answers[-1].text
    assert codes[-1].status_code == 429
    assert '<a href="/enter">Retry</a>' in codes[-1].text
