"""OpenAI Chat Completions, and most gateways: how a request is read, and an answer said."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from tests.stand_in.turn import Turn, new_id, pieces, text_of, walk

if TYPE_CHECKING:
    from tests.stand_in.server import Handler


def read(body: dict) -> Turn:
    t = Turn("chat", body.get("model", ""), bool(body.get("stream")))
    for tool in body.get("tools") or []:
        fn = tool.get("function") or {}
        t.tools[fn.get("name", "")] = fn.get("parameters") or {}
    rf = body.get("response_format") or {}
    t.schema = (rf.get("json_schema") or {}).get("schema") if rf.get("type") == "json_schema" else None
    events = []
    for m in body.get("messages") or []:
        if m["role"] in ("system", "developer"):
            t.system += text_of(m.get("content"))
        elif m["role"] == "user":
            events.append(("user", text_of(m.get("content"))))
        elif m["role"] == "tool":
            events.append(("result", text_of(m.get("content"))))
        else:
            events.append(("model", ",".join(c["function"]["name"] for c in m.get("tool_calls") or [])))
    walk(t, events)
    return t


def answer(to: Handler, turn: Turn, step: dict, text: str | None, calls: list, usage: tuple) -> None:
    tool_calls = [
        {"id": new_id("call_"), "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
        for n, a in calls
    ]
    finish = "length" if step.get("short") else "tool_calls" if calls else "stop"
    use = {
        "prompt_tokens": usage[0],
        "completion_tokens": usage[1],
        "total_tokens": usage[0] + usage[1],
        "prompt_tokens_details": {"cached_tokens": usage[2]},
    }
    base = {"id": new_id("chatcmpl-"), "created": int(time.time()), "model": turn.model}
    if not turn.stream:
        message: dict = {"role": "assistant", "content": text}
        if tool_calls:
            message["tool_calls"] = tool_calls
        return to.send(
            200,
            {
                **base,
                "object": "chat.completion",
                "usage": use,
                "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
            },
        )

    def chunk(delta: dict, done: str | None = None) -> tuple:
        return None, {
            **base,
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta, "finish_reason": done}],
        }

    ev = [chunk({"role": "assistant", "content": ""})]
    ev += [chunk({"content": part}) for part in pieces(text or "")]
    ev += [chunk({"tool_calls": [{"index": i, **c}]}) for i, c in enumerate(tool_calls)]
    ev.append(chunk({}, finish))
    ev.append((None, {**base, "object": "chat.completion.chunk", "choices": [], "usage": use}))
    ev.append((None, "[DONE]"))
    to.stream(ev, step)
    return None
