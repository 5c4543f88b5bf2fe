"""The api agent against the four APIs it speaks, each of them well and badly served."""

from __future__ import annotations

import contextlib
import json
import logging
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from orchestrator.config.settings import AgentSettings
from orchestrator.domain.errors import (
    AgentError,
    AgentLimited,
    AgentOverloaded,
    AgentRubbish,
    AgentTimedOut,
    AgentUnavailable,
)
from orchestrator.domain.model_providers import PROVIDERS
from tests.patience import patient
from tests.stand_in.model_server import FakeModelServer, Script
from workers.agents.api.agent import ApiAgent
from workers.agents.api.target import MASK
from workers.agents.pointing import UNPLACED, Places
from workers.agents.protocol import AgentRequest, Timeouts
from workers.documents.content import ArchitectureReview, Critique

pytest.importorskip("pydantic_ai", reason="team-lifecycle[api] is not installed")

KEY = "sk-test-0123456789abcdef"
GOOD = {"rating": 4, "strengths": ["clear"]}
WRONG = {"rating": "many"}
APIS = {
    "anthropic": "anthropic:claude-opus-4-8",
    "responses": "openai:gpt-5",
    "chat": "openai-chat:gpt-5",
    "gemini": "gemini:gemini-2.5-pro",
}
SHORT = Timeouts(start=patient(20), silence=patient(20), turn=patient(20), total=patient(30))
DEADLINE = 20.0  # seconds for a fact to come true

_reached: list[Any] = []  # every address that this process connects to or looks up


_watching = threading.Event()  # off when other tests run: a hook cannot be taken away again


def _note_address(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and _watching.is_set():
        _reached.append(arguments[1])
    if event == "socket.getaddrinfo" and _watching.is_set():
        _reached.append(arguments[:2])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeModelServer]:
    sys.addaudithook(_note_address)
    log = tmp_path_factory.mktemp("served") / "requests.jsonl"
    with FakeModelServer(log_file=str(log), full=True) as server:
        yield server


@pytest.fixture
def server(served: FakeModelServer) -> Iterator[FakeModelServer]:
    """The stand-in, with a fresh log; whatever a test does, nothing but loopback was reached."""
    served.log.clear()
    Path(str(served.log_file)).write_text("")
    _reached.clear()
    _watching.set()
    yield served
    _watching.clear()
    assert _reached or not served.log
    assert {address[0] for address in _reached if isinstance(address, tuple)} <= {"127.0.0.1"}


@pytest.fixture
def make(server: FakeModelServer) -> Any:
    def build(api: str, *steps: dict[str, Any], rules: Any = None, **given: Any) -> ApiAgent:
        server.script = Script(rules or [{"steps": list(steps)}])
        settings = {"base_url": server.url, "key_env": "MY_KEY", "timeouts": SHORT, **given}
        return ApiAgent("mine", APIS.get(api, api), environ={"MY_KEY": KEY}, **settings)

    return build


def request(tmp_path: Path, schema: type[BaseModel] | None = Critique, **more: Any) -> AgentRequest:
    values: dict[str, Any] = {
        "kind": "critique",
        "prompt": "Judge this.",
        "schema": schema,
        "facts": {},
        "workdir": tmp_path,
        "session": "TLS-x-2026-01-01",
        "task": "DRAFT-001",
        "role": "writer",
        "run": "run-1",
    }
    return AgentRequest(**{**values, **more})


def until(fact: Callable[[], Any], what: str) -> None:
    deadline = time.monotonic() + patient(DEADLINE)
    while not fact():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)  # between two looks, not instead of one


def bodies(server: FakeModelServer) -> list[dict[str, Any]]:
    lines = Path(str(server.log_file)).read_text().splitlines()
    return [json.loads(line)["body"] for line in lines]


# --- answers


@pytest.mark.parametrize("api", APIS)
def test_an_answer_is_validated_and_says_what_it_used(api: str, make: Any, tmp_path: Path) -> None:
    agent = make(api, {"json": GOOD, "usage": {"input": 900, "output": 70}})

    reply = agent.ask(request(tmp_path))

    assert reply.data == Critique(rating=4, strengths=["clear"])
    assert (reply.agent, reply.retries, reply.notes, reply.extracted) == ("mine", 0, (), False)
    assert json.loads(reply.text)["rating"] == 4
    assert (reply.usage.model, reply.usage.tokens_in) == (APIS[api].partition(":")[2], 900)
    assert reply.usage.tokens_out == 70
    assert reply.usage.cost_usd is None
    assert reply.usage.estimate is not None and 0 < reply.usage.estimate.usd < 1
    assert reply.usage.estimate.by.startswith("genai-prices ")


def test_what_was_read_from_a_cache_and_written_into_one_is_told(make: Any, tmp_path: Path) -> None:
    used = {"input": 900, "output": 70, "cached": 50, "written": 40, "written_1h": 30}
    agent = make("anthropic", {"json": GOOD, "usage": used})

    usage = agent.ask(request(tmp_path)).usage

    assert (usage.tokens_in, usage.tokens_cached) == (990, 50)
    assert (usage.tokens_cache_written, usage.tokens_cache_written_1h) == (40, 30)


@pytest.mark.parametrize("api", ["anthropic", "chat"])
def test_tokens_read_from_a_cache_count_as_read(api: str, make: Any, tmp_path: Path) -> None:
    beside = api == "anthropic"  # it counts them beside the others, the rest among them
    agent = make(api, {"json": GOOD, "usage": {"input": 100 if beside else 900, "output": 70, "cached": 800}})

    reply = agent.ask(request(tmp_path))

    assert reply.usage.tokens_in == 900


@pytest.mark.parametrize("api", APIS)
def test_an_answer_in_prose_counts_as_one_through_the_tool(api: str, make: Any, tmp_path: Path) -> None:
    agent = make(api, {"text": f"Here you are:\n```json\n{json.dumps(GOOD)}\n```\nGood luck!"})

    reply = agent.ask(request(tmp_path))

    assert (reply.data, reply.retries) == (Critique(rating=4, strengths=["clear"]), 0)


@pytest.mark.parametrize("api", APIS)
def test_without_a_schema_the_answer_is_text(api: str, make: Any, tmp_path: Path) -> None:
    agent = make(api, {"text": "As you like it."})

    reply = agent.ask(request(tmp_path, schema=None))

    assert (reply.text, reply.data) == ("As you like it.", None)


@pytest.mark.parametrize("wrong", [{"json": WRONG}, {"text": "I would rather not."}], ids=["tool", "text"])
@pytest.mark.parametrize("api", APIS)
def test_a_wrong_answer_goes_back_once_with_its_fault(
    api: str, wrong: Any, server: FakeModelServer, make: Any, tmp_path: Path
) -> None:
    fault = "valid integer" if "json" in wrong else "no JSON object"
    rules = [{"match": fault, "steps": [{"json": GOOD}]}, {"steps": [wrong, {"json": GOOD}]}]
    agent = make(api, rules=rules)

    reply = agent.ask(request(tmp_path))

    assert (reply.data, reply.retries, len(server.log)) == (Critique(rating=4, strengths=["clear"]), 1, 2)
    assert fault in json.dumps(bodies(server)[1])


@pytest.mark.parametrize("api", ["anthropic", "chat"])
def test_a_critique_in_prose_is_mined_when_nothing_better_comes(api: str, make: Any, tmp_path: Path) -> None:
    agent = make(api, {"text": "Rating: 3\nStrengths:\n- short\nWeaknesses:\n- (high) no limits\n"})

    reply = agent.ask(request(tmp_path))

    assert (reply.extracted, reply.data.rating, reply.data.weaknesses[0].severity) == (True, 3, "high")
    assert "picked out" in reply.notes[-1]


def test_an_answer_that_breaks_off_twice_is_taken_as_far_as_it_goes(make: Any, tmp_path: Path) -> None:
    agent = make("chat", {"text": '{"rating": 4, "strengths": ["clear", "sho'})

    reply = agent.ask(request(tmp_path))

    assert (reply.data.rating, reply.retries) == (4, 1)
    assert any("broke off" in note for note in reply.notes)


@pytest.mark.parametrize("answer", ["json", "text"])
def test_an_answer_longer_than_any_agent_may_give_is_refused(answer: str, make: Any, tmp_path: Path) -> None:
    long = {"rating": 4, "strengths": ["x" * 1_900] * 300}
    agent = make("chat", {"json": long} if answer == "json" else {"text": json.dumps(long)})

    with pytest.raises(AgentRubbish) as refused:
        agent.ask(request(tmp_path))

    assert "too long" in refused.value.why


def test_a_model_that_knows_no_tools_is_asked_for_text(make: Any, tmp_path: Path) -> None:
    refusal = {"status": 400, "error": "this model does not support tools"}
    rules = [{"tools": True, "steps": [refusal]}, {"steps": [{"text": json.dumps(GOOD)}]}]
    agent = make("ollama:gemma", rules=rules)

    reply = agent.ask(request(tmp_path))

    assert reply.data == Critique(rating=4, strengths=["clear"])
    assert "knows no tools" in reply.notes[0]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_answers_at_the_address_it_is_given(
    provider: str, server: FakeModelServer, make: Any, tmp_path: Path
) -> None:
    model = "maker/some-model" if provider == "openrouter" else "some-model"
    agent = make(f"{provider}:{model}", {"json": GOOD})

    reply = agent.ask(request(tmp_path))

    assert reply.data == Critique(rating=4, strengths=["clear"])
    assert server.log[0]["model"] == model


@pytest.mark.parametrize(
    "model", ["ollama:qwen3", "vllm:qwen3", "openai-compatible:qwen3"], ids=lambda model: str(model)
)
def test_a_server_of_ones_own_needs_no_key_and_no_price(
    model: str, server: FakeModelServer, make: Any, tmp_path: Path
) -> None:
    agent = make(model, {"json": GOOD}, key_env=None)

    reply = agent.ask(request(tmp_path))

    assert reply.data == Critique(rating=4, strengths=["clear"])
    assert reply.usage.cost_usd is None and reply.usage.estimate is None
    assert server.log[0]["path"] == "/v1/chat/completions"


@pytest.mark.parametrize("api", APIS)
def test_effort_and_a_long_prompt_reach_the_model(
    api: str, server: FakeModelServer, make: Any, tmp_path: Path
) -> None:
    agent = make(api, {"json": GOOD}, effort="high")

    agent.ask(request(tmp_path, prompt="Judge this. " * 30_000 + "THE END"))

    (body,) = bodies(server)
    said = json.dumps(body)
    assert "THE END" in said
    assert any(
        word in said
        for word in ('"effort": "high"', '"reasoning_effort": "high"', '"thinking_budget": 24576')
    )


# --- faults: steps of the server, the class of the error, and the requests it may take

FAULTS: dict[str, tuple[dict[str, Any], type[AgentError], int, str]] = {
    "401": ({"status": 401}, AgentUnavailable, 1, "refused its key"),
    "403": ({"status": 403}, AgentUnavailable, 1, "refused its key"),
    "404": ({"status": 404}, AgentUnavailable, 1, "no model"),
    "400": ({"status": 400}, AgentUnavailable, 1, "status 400"),
    "redirect": (
        {"status": 302, "headers": {"location": "http://127.0.0.1:9/v1"}},
        AgentUnavailable,
        1,
        "points elsewhere",
    ),
    "429": ({"status": 429}, AgentLimited, 1, "limit of its account"),
    "429 in seconds": ({"status": 429, "retry_after": 120}, AgentLimited, 1, "limit of its account"),
    "500": ({"status": 500}, AgentOverloaded, 1, "refuse for the moment"),
    "503": ({"status": 503, "retry_after": 1}, AgentOverloaded, 1, "refuse for the moment"),
    "529": ({"status": 529}, AgentOverloaded, 1, "refuse for the moment"),
    "not JSON": ({"raw": "<html>Welcome</html>"}, AgentRubbish, 1, ""),
    "not JSON in a stream": ({"raw": "data: {not json\n\n"}, AgentRubbish, 1, ""),
    "empty body": ({"raw": ""}, AgentRubbish, 1, ""),
    "empty answer": ({"text": ""}, AgentRubbish, 2, "no usable answer"),
    "cut in mid-answer": ({"text": "word " * 200, "cut": True}, AgentRubbish, 1, "broke off"),
    "wrong twice": ({"json": WRONG}, AgentRubbish, 2, "no usable answer"),
    "20 MB": ({"text": "x" * 20_000_000}, AgentRubbish, 1, "more than"),
}


# What one vendor's package does with these, it does for both of its APIs.
RARE = {"400", "404", "503", "redirect", "not JSON in a stream"}


@pytest.mark.parametrize(
    ("api", "fault"),
    [(api, fault) for api in APIS for fault in FAULTS if api != "responses" or fault not in RARE],
)
def test_a_fault_is_named_by_its_class(
    api: str, fault: str, server: FakeModelServer, make: Any, tmp_path: Path
) -> None:
    step, error, requests, words = FAULTS[fault]
    agent = make(api, step)

    with pytest.raises(AgentError) as raised:
        agent.ask(request(tmp_path))

    assert type(raised.value) is error
    assert words in raised.value.what
    assert len(server.log) == requests
    assert not isinstance(raised.value, AgentUnavailable) or raised.value.fix
    assert not (error is AgentLimited and "seconds" not in fault and raised.value.until)


@pytest.mark.parametrize("api", APIS)
def test_an_answer_of_some_other_api_is_not_asked_for_without_end(
    api: str, server: FakeModelServer, make: Any, tmp_path: Path
) -> None:
    agent = make(api, {"raw": 'data: {"hello": [1]}\n\n'})

    with pytest.raises(AgentRubbish):
        agent.ask(request(tmp_path))

    assert len(server.log) <= 2


@pytest.mark.parametrize("api", APIS)
def test_a_limit_says_until_when_if_the_server_does(api: str, make: Any, tmp_path: Path) -> None:
    began = time.time()
    agent = make(api, {"status": 429, "retry_after": 120})

    with pytest.raises(AgentLimited) as raised:
        agent.ask(request(tmp_path))

    assert began + 119 < raised.value.until < time.time() + 121


def test_a_limit_may_end_at_a_date_and_nonsense_is_no_date(make: Any, tmp_path: Path) -> None:
    began = time.time()
    found = []
    for after in ("Wed, 21 Oct 2020 07:28:00 GMT", "Wed, 21 Oct 2126 07:28:00 GMT", "soon"):
        with pytest.raises(AgentLimited) as raised:
            make("chat", {"status": 429, "retry_after": after}).ask(request(tmp_path))
        found.append(raised.value.until)

    past, far, nonsense = found
    assert began - 1 < past < time.time() + 1
    assert began < far < time.time() + 8 * 24 * 3600  # a pause of a century is not believed
    assert nonsense is None


def test_a_used_up_account_is_a_limit_too(make: Any, tmp_path: Path) -> None:
    agent = make("anthropic", {"status": 402, "error": "Your credit balance is too low"})

    with pytest.raises(AgentLimited) as raised:
        agent.ask(request(tmp_path))

    assert "credit balance" in raised.value.why


@pytest.mark.parametrize("api", APIS)
def test_a_dead_server_is_named_with_its_address(api: str, make: Any, tmp_path: Path) -> None:
    with socket.socket() as taken:  # bound, yet nobody listens
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        agent = make(api, base_url=f"http://anna:secret@127.0.0.1:{port}")

        with pytest.raises(AgentUnavailable) as raised:
            agent.ask(request(tmp_path))

    assert f"http://127.0.0.1:{port}" in raised.value.what
    assert "secret" not in "".join(raised.value.lines())


@pytest.mark.parametrize("api", APIS)
def test_a_server_that_takes_no_connection_is_not_waited_for(
    api: str, make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.agents.api.http.CONNECT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, contextlib.ExitStack() as waiting:
        for _ in range(3):  # more than it lets wait: whoever comes next gets no answer at all
            early = waiting.enter_context(socket.socket())
            early.setblocking(False)
            early.connect_ex(full.getsockname())
        agent = make(api, base_url=f"http://127.0.0.1:{full.getsockname()[1]}")

        with pytest.raises(AgentUnavailable, match="nothing can be reached"):
            agent.ask(request(tmp_path))


def test_a_proxy_is_not_asked_for_what_is_on_this_machine(
    make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    agent = make("chat", {"json": GOOD})

    assert agent.ask(request(tmp_path)).data == Critique(rating=4, strengths=["clear"])


SILENT = {
    "start": (Timeouts(start=0.2, silence=20), {"text": "late", "delay": 2}),
    "silence": (Timeouts(start=20, silence=0.2), {"text": "late " * 50, "stall": 2}),
    "turn": (Timeouts(turn=0.2), {"text": "late", "delay": 2}),
    "total": (Timeouts(total=0.2), {"text": "late", "delay": 2}),
}


@pytest.mark.parametrize(
    ("api", "limit"),
    [
        *((api, limit) for api in APIS for limit in ("start", "silence")),
        ("chat", "turn"),
        ("gemini", "total"),
    ],
)
def test_a_silent_model_is_stopped_by_the_limit_it_broke(
    api: str, limit: str, make: Any, tmp_path: Path
) -> None:
    timeouts, step = SILENT[limit]
    agent = make(api, step, timeouts=timeouts)

    with pytest.raises(AgentTimedOut, match=f"{limit} limit of 0.2 s"):
        agent.ask(request(tmp_path))


def test_a_server_that_sends_without_end_is_stopped(make: Any, tmp_path: Path) -> None:
    nothing = ": not yet\n\n" * 5_000  # comments of a stream: no word of an answer among them
    agent = make("chat", {"raw": nothing}, timeouts=Timeouts(output_bytes=10_000))

    with pytest.raises(AgentRubbish, match="sent more than 40000 bytes"):
        agent.ask(request(tmp_path))


def test_without_limits_of_its_own_a_model_may_take_its_time_to_start(make: Any, tmp_path: Path) -> None:
    agent = make("chat", {"json": GOOD, "delay": 0.3}, timeouts=None)

    reply = agent.ask(request(tmp_path, timeouts=Timeouts(start=0.05)))

    assert reply.data == Critique(rating=4, strengths=["clear"])


@pytest.mark.parametrize("api", APIS)
def test_a_call_ends_when_its_run_is_over(
    api: str, server: FakeModelServer, make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.agents.api.call.GRACE", 3_600.0)  # it has to end by itself, not by this
    stop = threading.Event()
    agent = make(api, {"text": "late", "delay": 60}, timeouts=Timeouts())
    with ThreadPoolExecutor(1) as slot:
        asked = slot.submit(agent.ask, request(tmp_path, stop=stop))
        until(lambda: server.log, "the model is asked")

        stop.set()

        with pytest.raises(AgentTimedOut, match="stopped because its run is over"):
            asked.result(DEADLINE)
    assert connections(server) == 0


def test_a_call_leaves_no_thread_and_no_connection_behind(
    server: FakeModelServer, make: Any, tmp_path: Path
) -> None:
    def ours() -> set[str]:  # without the stand-in's own, one for each of its connections
        return {thread.name for thread in threading.enumerate() if "process_request" not in thread.name}

    before = ours()
    left = []
    for step in ({"json": GOOD}, {"text": "word " * 200, "cut": True}, {"text": "late", "delay": 1}):
        for api in APIS:
            agent = make(api, step, timeouts=Timeouts(start=0.2))
            with contextlib.suppress(AgentError):
                agent.ask(request(tmp_path))
            left.append(connections(server))

    assert left == [0] * 12
    until(lambda: ours() <= before, "every thread has ended")


def connections(server: FakeModelServer) -> int:
    """Those that a client in this machine holds open to the server."""
    rows = [line.split() for line in Path("/proc/self/net/tcp").read_text().splitlines()[1:]]
    return sum(1 for row in rows if row[2].endswith(f":{server.port:04X}") and row[3] == "01")


def test_many_calls_at_once_do_not_mix(server: FakeModelServer, make: Any, tmp_path: Path) -> None:
    rules = [
        {"match": f"number {number}\\.", "steps": [{"json": {"rating": 1 + number % 5}}]}
        for number in range(5)
    ]
    agents = {api: make(api, rules=rules) for api in APIS}
    asked = [(api, number) for number in range(5) for api in APIS]

    with ThreadPoolExecutor(8) as slots:
        replies = list(
            slots.map(
                lambda one: agents[one[0]].ask(request(tmp_path, prompt=f"Judge number {one[1]}.")), asked
            )
        )

    assert [reply.data.rating for reply in replies] == [1 + number % 5 for _, number in asked]


# --- secrets


@pytest.mark.parametrize("api", APIS)
def test_the_key_is_never_shown_even_when_a_server_says_it(
    api: str, make: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    shown = []
    for status in (400, 401, 500):
        with pytest.raises(AgentError) as raised:
            make(api, {"status": status, "error": f"no such key: {KEY}"}).ask(request(tmp_path))
        shown.append(f"{raised.value.lines()} {raised.value!r} {raised.value.__cause__!r}")
    with pytest.raises(AgentError) as raised:
        make(api, {"raw": f"<html>{KEY}</html>"}).ask(request(tmp_path))
    shown.append(str(raised.value.lines()))
    with pytest.raises(AgentError) as raised:
        make(api, {"json": {"rating": KEY}}).ask(request(tmp_path))
    shown.append(str(raised.value.lines()))
    said = {**GOOD, "strengths": [KEY]}
    for step in ({"json": said}, {"text": json.dumps(said)}, {"text": f"Rating: 4\nStrengths:\n- {KEY}\n"}):
        reply = make(api, step).ask(request(tmp_path))
        shown.append(repr(reply))
        assert reply.data.strengths == [MASK]

    assert KEY not in "".join(shown)
    assert any(MASK in text for text in shown)
    assert KEY not in caplog.text


# --- what is missing


def agent_of(model: str | None, environ: dict[str, str], **more: Any) -> ApiAgent:
    return ApiAgent("mine", model, environ=environ, **more)


@pytest.mark.parametrize(
    ("model", "more", "words"),
    [
        (None, {}, "names no provider"),
        ("claude-sonnet-4-5", {}, "names no provider"),
        ("nobody:model", {}, "unknown provider 'nobody'"),
        ("anthropic:m", {}, "ANTHROPIC_API_KEY is not set"),
        ("gemini:m", {}, "GEMINI_API_KEY or GOOGLE_API_KEY is not set"),
        ("ollama:m", {"key_env": "MY_KEY"}, "MY_KEY is not set"),
        ("vllm:m", {}, "no address of its own"),
        ("ollama:m", {"base_url": "127.0.0.1:11434"}, "is no address"),
        ("ollama:m", {"base_url": "file:///etc/passwd"}, "is no address"),
    ],
)
def test_what_is_missing_is_said_in_one_line(
    model: str | None, more: Any, words: str, tmp_path: Path
) -> None:
    agent = agent_of(model, {}, **more)

    fault = agent.available()

    assert fault is not None
    assert words in fault
    assert "\n" not in fault
    with pytest.raises(AgentUnavailable, match=r"mine: "):
        agent.ask(request(tmp_path))


def test_the_key_is_looked_for_at_each_call() -> None:
    environ: dict[str, str] = {}
    agent = agent_of("gemini:gemini-2.5-pro", environ)

    before = agent.available()
    environ["GOOGLE_API_KEY"] = KEY

    assert before is not None
    assert agent.available() is None


def test_an_agent_without_the_extra_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)  # as when it is not there
    agent = agent_of("ollama:qwen3", {})

    fault = agent.available()

    assert fault is not None
    assert "pip install 'team-lifecycle[api]'" in fault
    with pytest.raises(AgentUnavailable):
        agent.ask(request(tmp_path))


def test_a_model_api_does_no_work(tmp_path: Path) -> None:
    with pytest.raises(AgentUnavailable, match="cannot edit files"):
        agent_of("ollama:qwen3", {}).work(request(tmp_path))


def test_looking_whether_it_is_usable_loads_no_library() -> None:
    script = (
        "import sys; import workers.run.runtime, workers.agents.routing; from workers.agents.api.agent import ApiAgent\n"
        "assert ApiAgent('a', 'ollama:m', environ={}).available() is None\n"
        "print([name for name in ('pydantic_ai', 'openai', 'anthropic', 'google.genai', 'httpx2') if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)

    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_the_settings_describe_the_agent(server: FakeModelServer, tmp_path: Path) -> None:
    given = AgentSettings(kind="api", model="openai-chat:gpt-5", base_url=server.url, key_env="MY_KEY")
    server.script = Script([{"steps": [{"json": GOOD}]}])

    reply = ApiAgent.of("mine", given, {"MY_KEY": KEY}, SHORT).ask(request(tmp_path))

    assert reply.data == Critique(rating=4, strengths=["clear"])


# --- what the cache of a model's server is told


def test_the_cache_is_told_where_what_others_read_too_ends(
    server: FakeModelServer, make: Any, tmp_path: Path
) -> None:
    text = "rules|request|repository|discovery|brief|task"
    ends = tuple(at + 1 for at, letter in enumerate(text) if letter == "|")[1:]

    make("anthropic", {"json": GOOD}).ask(request(tmp_path, prompt=text, breaks=ends))
    (body,) = bodies(server)
    content = body["messages"][0]["content"]

    assert "".join(part["text"] for part in content) == text
    assert [part["text"] for part in content if "cache_control" in part] == [
        "rules|request|",
        "repository|",
        "discovery|",
        "brief|",
    ]


@pytest.mark.parametrize("api", ["responses", "chat", "gemini"])
def test_a_cache_that_finds_a_known_beginning_itself_gets_the_prompt_as_it_is(
    api: str, server: FakeModelServer, make: Any, tmp_path: Path
) -> None:
    make(api, {"json": GOOD}).ask(request(tmp_path, prompt="rules|request|task", breaks=(6, 14)))

    assert "rules|request|task" in json.dumps(bodies(server)[0])


def test_what_stands_before_the_prompt_is_the_same_for_every_question(
    server: FakeModelServer, make: Any, tmp_path: Path
) -> None:
    agent = make("anthropic", rules=[{"steps": [{"json": {**GOOD, "concerns": [{"text": "none"}]}}]}])

    agent.ask(request(tmp_path))
    agent.ask(request(tmp_path, schema=ArchitectureReview))
    one, other = bodies(server)

    assert one["tools"] == other["tools"] and one.get("system") == other.get("system")


PLACED = {"rating": 4, "strengths": ['"expires every link after thirty days" is testable']}
PLACES = Places(
    "# Links\n\nThe service expires every link after thirty days, and says so to its owner.", "again"
)


@pytest.mark.parametrize("api", ["anthropic", "chat"])
def test_a_rating_without_a_place_is_sent_back_once(
    api: str, server: FakeModelServer, make: Any, tmp_path: Path
) -> None:
    agent = make(
        api,
        rules=[
            {"match": "no place of the artifact", "steps": [{"json": PLACED}]},
            {"steps": [{"json": GOOD}, {"json": PLACED}]},
        ],
    )

    reply = agent.ask(request(tmp_path, places=PLACES))

    assert (reply.retries, reply.data.strengths) == (1, PLACED["strengths"])
    assert "no place of the artifact is named" in json.dumps(bodies(server)[1])


def test_a_rating_that_never_names_a_place_counts_with_a_note(make: Any, tmp_path: Path) -> None:
    reply = make("anthropic", {"json": GOOD}).ask(request(tmp_path, places=PLACES))

    assert (reply.data.rating, reply.retries) == (4, 1)
    assert UNPLACED in reply.notes
