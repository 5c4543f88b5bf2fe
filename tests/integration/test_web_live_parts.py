"""What many tabs ask for at once is made once, never older than the last commit, and sent compressed."""

from __future__ import annotations

import gzip
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.responses import HTMLResponse, Response

from orchestrator.store import messages
from orchestrator.web.access import Access
from orchestrator.web.live_parts import KEPT_SECONDS, LiveParts
from tests.patience import patient
from tests.web_world import WebWorld, web_world

MANY = 8


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebWorld]:
    with web_world(tmp_path_factory.mktemp("parts")) as made:
        yield made


class Rendering:
    """Counts how often a part is made; it goes on when it is told to."""

    def __init__(self, *, waits: bool = False) -> None:
        self.times = 0
        self.begun = threading.Event()
        self.may_end = threading.Event()
        if not waits:
            self.may_end.set()

    def __call__(self) -> Response:
        self.times += 1
        self.begun.set()
        assert self.may_end.wait(patient(10))
        return HTMLResponse(f"made {self.times}")


def test_a_part_is_made_once_for_all_who_ask_meanwhile() -> None:
    parts, rendering = LiveParts(), Rendering(waits=True)

    with ThreadPoolExecutor(MANY) as threads:
        first = threads.submit(parts.get, "key", 1, rendering)
        assert rendering.begun.wait(patient(10))
        others = [threads.submit(parts.get, "key", 1, rendering) for _ in range(MANY - 1)]
        rendering.may_end.set()
        bodies = {bytes(each.result().body) for each in (first, *others)}

    assert (bodies, rendering.times) == ({b"made 1"}, 1)


def test_a_part_is_made_again_after_a_commit_for_another_key_and_when_it_is_old() -> None:
    clock = [100.0]
    parts, rendering = LiveParts(lambda: clock[0]), Rendering()
    made = [parts.get("key", 1, rendering), parts.get("key", 1, rendering)]

    made += [parts.get("key", 2, rendering), parts.get("other", 2, rendering)]
    clock[0] += KEPT_SECONDS
    made.append(parts.get("key", 2, rendering))

    assert [bytes(each.body) for each in made] == [b"made 1", b"made 1", b"made 2", b"made 3", b"made 4"]


def test_an_error_is_everybodys_who_asked_and_is_not_kept() -> None:
    parts = LiveParts()

    def fails() -> Response:
        raise ValueError("no such session")

    with pytest.raises(ValueError, match="no such session"):
        parts.get("key", 1, fails)
    again = parts.get("key", 1, Rendering())

    assert bytes(again.body) == b"made 1"


def part(world: WebWorld, cookie: str, **headers: str) -> tuple[int, str, str]:
    """Status, ETag and text of the session's live part, for this browser."""
    address = f"/p/demo/s/{world.session}?part=1"
    answer = world.client.get(address, headers={"cookie": cookie, **headers})
    return answer.status_code, answer.headers["etag"], answer.text


def test_a_commit_is_seen_by_the_very_next_request(world: WebWorld) -> None:
    cookie = world.cookie()
    address = f"/p/demo/s/{world.session}/log?part=1&after=0"
    shown = []

    for number in range(20):
        words = f"said {number}."
        world.store.write(lambda tx, words=words: messages.event(tx, world.session, "note", words))  # type: ignore[misc]
        shown.append(words in world.client.get(address, headers={"cookie": cookie}).text)

    assert shown == [True] * 20


def test_what_has_not_changed_is_not_sent_again_and_each_browser_has_keys_of_its_own(world: WebWorld) -> None:
    ana, berta, reader = world.cookie(), world.cookie(person="berta"), world.cookie("read", "carl")

    first, second, read = part(world, ana), part(world, berta), part(world, reader)
    again = part(world, ana, **{"if-none-match": first[1]})

    keys = [set(re.findall(r'name="key" value="([^"]+)"', text)) for _, _, text in (first, second, read)]
    assert again == (304, first[1], "")
    assert (
        keys[0] and keys[1] and not keys[0] & keys[1]
    )  # else what one person did were a repetition of the other's
    assert keys[2] == set() and "<form" not in read[2]


def test_a_form_token_is_another_text_each_time_and_stays_valid(world: WebWorld) -> None:
    cookie = world.cookie()

    pages = [part(world, cookie)[2] for _ in range(2)]
    tokens = [re.findall(r'name="form_token" value="([^"]*)"', text)[0] for text in pages]

    found = world.site.access.visitor(cookie.partition("=")[2])
    assert found is not None
    assert tokens[0] != tokens[1]
    assert all(world.site.access.is_form_token(found.id, each) for each in tokens)


@pytest.mark.parametrize(
    "spoil", ["", "A", "é", lambda good: good[:-4], lambda good: good + "AAAA", lambda good: "A" * 86]
)
def test_no_other_text_is_a_form_token(tmp_path: Path, spoil: object) -> None:
    access = Access(tmp_path)
    good = access.form_token("id")

    given = spoil(good) if callable(spoil) else spoil

    assert access.is_form_token("id", good)
    assert not access.is_form_token("id", str(given))
    assert not access.is_form_token("another", good)


def test_pages_and_files_are_compressed_for_who_takes_it(world: WebWorld) -> None:
    for path in (f"/p/demo/s/{world.session}", "/static/app.js", "/api/v1/openapi.json"):
        with world.client.stream(
            "GET", path, headers={"cookie": world.cookie(), "accept-encoding": "gzip"}
        ) as small:
            raw = b"".join(small.iter_raw())
        plain = world.client.get(path, headers={"cookie": world.cookie(), "accept-encoding": "identity"})

        assert small.headers["content-encoding"] == "gzip", path
        assert small.headers["vary"] == "Accept-Encoding"
        assert "content-encoding" not in plain.headers
        assert len(raw) < len(plain.content) / 2
        assert len(gzip.decompress(raw)) == len(plain.content)


def test_a_reader_who_chose_another_language_gets_a_part_of_their_own(world: WebWorld) -> None:
    english, chinese = world.cookie("read", "dora"), f"{world.cookie('read', 'emil')}; lc-language=zh"

    shown = [part(world, each)[2] for each in (english, chinese, english)]

    assert shown[0] == shown[2] != shown[1]
