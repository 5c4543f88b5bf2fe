"""Anthropic Messages: how a request is read, and an answer said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.stand_in.turn import Turn, new_id, pieces, real, text_of, walk

if TYPE_CHECKING:
    from tests.stand_in.server import Handler


def read(body: dict) -> Turn:
    t = Turn("anthropic", body.get("model", ""), bool(body.get("stream")), text_of(body.get("system")))
    for tool in body.get("tools") or []:
        t.tools[tool["name"]] = tool.get("input_schema") or {}
    fmt = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    t.schema = fmt.get("schema")
    events: list[tuple[str, str]] = []
    for m in body.get("messages") or []:
        if m["role"] == "assistant":
            calls = [c for c in m["content"] if isinstance(c, dict) and c.get("type") == "tool_use"]
            events.append(("model", ",".join(c["name"] for c in calls)))
            continue
        if m["role"] != "user":
            continue
        content = m["content"] if isinstance(m["content"], list) else [{"type": "text", "text": m["content"]}]
        results = [c for c in content if c.get("type") == "tool_result"]
        texts = [real(c.get("text", "")) for c in content if c.get("type") == "text"]
        if results:
            events.append(("result", text_of([r.get("content") for r in results])))
        if any(texts):
            events.append(("user", "\n".join(x for x in texts if x)))
    walk(t, events)
    return t


def answer(to: Handler, turn: Turn, step: dict, text: str | None, calls: list, usage: tuple) -> None:
    blocks: list[dict] = [{"type": "text", "text": text}] if text else []
    blocks += [{"type": "tool_use", "id": new_id("toolu_"), "name": n, "input": a} for n, a in calls]
    stop = "max_tokens" if step.get("short") else "tool_use" if calls else "end_turn"
    use = {
        "input_tokens": usage[0],
        "output_tokens": usage[1],
        "cache_read_input_tokens": usage[2],
        "cache_creation_input_tokens": usage[3],
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage[3] - usage[4],
            "ephemeral_1h_input_tokens": usage[4],
        },
    }
    msg = {
        "id": new_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": turn.model,
        "content": blocks,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": use,
    }
    if not turn.stream:
        return to.send(200, msg)
    ev: list = [
        (
            "message_start",
            {
                "type": "message_start",
                "message": {
                    **msg,
                    "content": [],
                    "stop_reason": None,
                    "usage": {**use, "output_tokens": 1},
                },
            },
        ),
        ("ping", {"type": "ping"}),
    ]
    for i, b in enumerate(blocks):
        if b["type"] == "text":
            ev.append(
                (
                    "content_block_start",
                    {
                        "type": "content_block_start",
                        "index": i,
                        "content_block": {"type": "text", "text": ""},
                    },
                )
            )
            for part in pieces(b["text"]):
                ev.append(
                    (
                        "content_block_delta",
                        {
                            "type": "content_block_delta",
                            "index": i,
                            "delta": {"type": "text_delta", "text": part},
                        },
                    )
                )
        else:
            ev.append(
                (
                    "content_block_start",
                    {"type": "content_block_start", "index": i, "content_block": {**b, "input": {}}},
                )
            )
            for part in pieces(json.dumps(b["input"])):
                ev.append(
                    (
                        "content_block_delta",
                        {
                            "type": "content_block_delta",
                            "index": i,
                            "delta": {"type": "input_json_delta", "partial_json": part},
                        },
                    )
                )
        ev.append(("content_block_stop", {"type": "content_block_stop", "index": i}))
    ev.append(
        (
            "message_delta",
            {
                "type": "message_delta",
                "delta": {"stop_reason": stop, "stop_sequence": None},
                "usage": {"output_tokens": usage[1]},
            },
        )
    )
    ev.append(("message_stop", {"type": "message_stop"}))
    to.stream(ev, step)
    return None
