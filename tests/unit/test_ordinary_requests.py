"""What goes the short way at the door of hosts: what h11 would have read, and nothing that may be read in two ways."""

from __future__ import annotations

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.server.door import Answered
from orchestrator.server.short_way import HEAD_MOST, ordinary, written

FIRST = b"POST /v1/renew HTTP/1.1"
HEADERS = (
    b"Host: 127.0.0.1:8471",
    b"Content-Length: 2",
    b"Authorization: Bearer lch_x",
    b"Lifecycle-Door: 2",
)


def request(first: bytes = FIRST, headers: tuple[bytes, ...] = HEADERS, body: bytes = b"{}") -> bytes:
    return b"\r\n".join((first, *headers, b"", b"")) + body


def read_by_h11(data: bytes) -> tuple[bytes, list[tuple[bytes, bytes]], bytes]:
    """Target, headers and body of the only request in `data`. Raises AssertionError, h11's errors."""
    connection = h11.Connection(h11.SERVER)
    connection.receive_data(data)
    asked = connection.next_event()
    assert isinstance(asked, h11.Request) and asked.method == b"POST" and asked.http_version == b"1.1"
    body = b""
    while isinstance(event := connection.next_event(), h11.Data):
        body += bytes(event.data)
    assert isinstance(event, h11.EndOfMessage) and connection.trailing_data == (b"", False)
    assert connection.next_event() is h11.PAUSED and connection.their_state is h11.DONE
    return asked.target, [*asked.headers], body


def test_what_a_host_sends_at_once_is_ordinary() -> None:
    found = ordinary(request())

    assert found is not None and (found.name, found.body) == ("renew", b"{}")
    assert found.header("Lifecycle-Door") == "2" and found.header("traceparent") == ""


@pytest.mark.parametrize(
    "data",
    [
        b"",
        request()[:-1],
        request() + b"{",
        request() + request(),
        request(b"GET /v1/renew HTTP/1.1"),
        request(b"POST /v1/renew HTTP/1.0"),
        request(b"POST /v1/renew?x=1 HTTP/1.1"),
        request(b"POST /v1/mirror/renew HTTP/1.1"),
        request(b"POST /v1/%72enew HTTP/1.1"),
        request(b"POST  /v1/renew HTTP/1.1"),
        request(headers=HEADERS[1:]),
        request(headers=(HEADERS[0],)),
        request(headers=(HEADERS[0],), body=b""),
        request(headers=(*HEADERS, b"content-length: 2")),
        request(headers=(*HEADERS, b"Authorization: Bearer other")),
        request(headers=(HEADERS[0], b"Content-Length: +2")),
        request(headers=(HEADERS[0], b"Content-Length: 2, 2")),
        request(headers=(HEADERS[0], b"Content-Length: 00000002")),
        request(headers=(*HEADERS, b"Transfer-Encoding: chunked")),
        request(headers=(HEADERS[0], b"Transfer-Encoding: identity")),
        request(headers=(*HEADERS, b"Expect: 100-continue")),
        request(headers=(*HEADERS, b"Connection: close")),
        request(headers=(*HEADERS, b"Upgrade: websocket")),
        request(headers=(*HEADERS, b" folded")),
        request(headers=(*HEADERS, b"Name : value")),
        request(headers=(*HEADERS, b"Name:value")),
        request(headers=(*HEADERS, b"Name: val\nue")),
        request(headers=(*HEADERS, b"Name: val\0ue")),
        request(headers=(*HEADERS, b"Name: \xe9")),
        request(headers=(*HEADERS, b"Name: " + b"x" * HEAD_MOST)),
        request().replace(b"\r\n", b"\n"),
    ],
)
def test_everything_else_goes_the_long_way(data: bytes) -> None:
    assert ordinary(data) is None


NAMES = st.sampled_from(
    [
        b"Host",
        b"content-length",
        b"Content-Length",
        b"transfer-encoding",
        b"X-a",
        b"connection",
        b"te",
        b"TE ",
    ]
)
LINES = st.builds(
    lambda name, between, value: name + between + value,
    NAMES,
    st.sampled_from([b": ", b":", b" : ", b":\t", b"\r"]),
    st.sampled_from(
        [b"2", b"0", b"12", b"+2", b"x", b" 2 ", b"chunked", b"2\r\nX-b: 1", b"close", b"a\x0bb", b""]
    ),
)
WHOLE = st.builds(
    request,
    st.sampled_from([FIRST, b"POST /v1/claim HTTP/1.1", b"post /v1/renew HTTP/1.1", FIRST + b" "]),
    st.lists(LINES | st.sampled_from(HEADERS), max_size=6).map(tuple),
    st.sampled_from([b"{}", b"", b"{ }", b"0\r\n\r\n", b"{}POST /v1/bye HTTP/1.1\r\n"]),
)
CUT = st.builds(
    lambda data, at, more: data[: at % (len(data) + 1)] + more + data[at % (len(data) + 1) :],
    WHOLE,
    st.integers(0, 400),
    st.sampled_from([b"", b"\r", b"\n", b"\r\n", b" ", b"\0", b":", b"\xff"]),
)


@given(CUT)
def test_what_is_ordinary_h11_reads_as_the_same_request(data: bytes) -> None:
    found = ordinary(data)

    if found is not None:
        assert (f"/v1/{found.name}".encode(), [*found.headers.items()], found.body) == read_by_h11(data)


@pytest.mark.parametrize("status", [200, 403, 409, 422, 429, 503])
def test_an_answer_is_read_as_it_was_meant(status: int) -> None:
    answer = Answered(status, b'{"value": 1}', {"Lifecycle-Lease-Now": "17"})
    client = h11.Connection(h11.CLIENT)
    client.send(
        h11.Request(method="POST", target="/v1/renew", headers=[("Host", "x"), ("Content-Length", "0")])
    )
    client.send(h11.EndOfMessage())

    client.receive_data(written(answer, [(b"date", b"now")]))

    head, body, end = client.next_event(), client.next_event(), client.next_event()
    assert isinstance(head, h11.Response) and head.status_code == status and isinstance(end, h11.EndOfMessage)
    assert dict(head.headers) == {
        b"date": b"now",
        b"lifecycle-lease-now": b"17",
        b"content-length": b"12",
        b"content-type": b"application/json" if status == 200 else b"application/problem+json",
    }
    assert isinstance(body, h11.Data) and bytes(body.data) == answer.body
    assert client.trailing_data == (b"", False)
