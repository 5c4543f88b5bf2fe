"""OpenAI Responses: how a request is read, and an answer said."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from tests.stand_in.turn import Turn, new_id, pieces, text_of, walk

if TYPE_CHECKING:
    from tests.stand_in.server import Handler


def read(body: dict) -> Turn:
    t = Turn("responses", body.get("model", ""), bool(body.get("stream")), body.get("instructions") or "")

    def offer(tools: list[dict], prefix: str = "") -> None:
        for tool in tools:
            kind = tool.get("type")
            if kind == "namespace":
                offer(tool.get("tools") or [], (tool.get("name") or "") + "\0")
            elif kind in ("function", "custom"):
                t.tools[prefix + tool["name"]] = tool.get("parameters") or {}
                t.kinds[prefix + tool["name"]] = kind

    offer(body.get("tools") or [])
    fmt = (body.get("text") or {}).get("format") or {}
    t.schema = fmt.get("schema") if fmt.get("type") == "json_schema" else None
    events = []
    items = body.get("input") or []
    if isinstance(items, str):
        items = [{"type": "message", "role": "user", "content": items}]
    for it in items:
        kind = it.get("type", "message")
        if kind == "message" and it.get("role") == "user":
            events.append(("user", text_of(it.get("content"))))
        elif kind == "message" and it.get("role") in ("system", "developer"):
            t.system += text_of(it.get("content"))
        elif kind == "additional_tools":
            offer(it.get("tools") or [])
        elif kind.endswith("_output"):
            events.append(("result", text_of(it.get("output"))))
        else:
            events.append(("model", it.get("name") or ""))
    walk(t, events)
    return t


def answer(to: Handler, turn: Turn, step: dict, text: str | None, calls: list, usage: tuple) -> None:
    items: list[dict] = []
    if text:
        items.append(
            {
                "type": "message",
                "id": new_id("msg_"),
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}],
            }
        )
    for name, args in calls:
        space, _, short = name.rpartition("\0")
        extra = {"namespace": space} if space else {}
        if turn.kinds.get(name) == "custom":
            items.append(
                {
                    "type": "custom_tool_call",
                    "id": new_id("ctc_"),
                    "call_id": new_id("call_"),
                    "name": short,
                    "input": args if isinstance(args, str) else json.dumps(args),
                    "status": "completed",
                    **extra,
                }
            )
        else:
            items.append(
                {
                    "type": "function_call",
                    "id": new_id("fc_"),
                    "call_id": new_id("call_"),
                    "name": short,
                    "arguments": json.dumps(args),
                    "status": "completed",
                    **extra,
                }
            )
    use = {
        "input_tokens": usage[0],
        "input_tokens_details": {"cached_tokens": usage[2]},
        "output_tokens": usage[1],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage[0] + usage[1],
    }
    short = bool(step.get("short"))
    resp = {
        "id": new_id("resp_"),
        "object": "response",
        "created_at": int(time.time()),
        "model": turn.model,
        "error": None,
        "status": "incomplete" if short else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if short else None,
        "output": items,
        "usage": use,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    if not turn.stream:
        return to.send(200, resp)
    ev: list = [
        {
            "type": "response.created",
            "response": {**resp, "status": "in_progress", "output": [], "usage": None},
        }
    ]
    for i, it in enumerate(items):
        if it["type"] == "message":
            ev.append(
                {
                    "type": "response.output_item.added",
                    "output_index": i,
                    "item": {**it, "status": "in_progress", "content": []},
                }
            )
            ev.append(
                {
                    "type": "response.content_part.added",
                    "item_id": it["id"],
                    "output_index": i,
                    "content_index": 0,
                    "part": {"type": "output_text", "text": "", "annotations": []},
                }
            )
            for part in pieces(it["content"][0]["text"]):
                ev.append(
                    {
                        "type": "response.output_text.delta",
                        "item_id": it["id"],
                        "output_index": i,
                        "content_index": 0,
                        "delta": part,
                    }
                )
            ev.append(
                {
                    "type": "response.output_text.done",
                    "item_id": it["id"],
                    "output_index": i,
                    "content_index": 0,
                    "text": it["content"][0]["text"],
                }
            )
            ev.append(
                {
                    "type": "response.content_part.done",
                    "item_id": it["id"],
                    "output_index": i,
                    "content_index": 0,
                    "part": it["content"][0],
                }
            )
        else:
            key = "input" if it["type"] == "custom_tool_call" else "arguments"
            kind = "custom_tool_call_input" if key == "input" else "function_call_arguments"
            ev.append(
                {
                    "type": "response.output_item.added",
                    "output_index": i,
                    "item": {**it, "status": "in_progress", key: ""},
                }
            )
            ev.append(
                {
                    "type": f"response.{kind}.delta",
                    "item_id": it["id"],
                    "output_index": i,
                    "delta": it[key],
                }
            )
            ev.append({"type": f"response.{kind}.done", "item_id": it["id"], "output_index": i, key: it[key]})
        ev.append({"type": "response.output_item.done", "output_index": i, "item": it})
    ev.append({"type": "response.incomplete" if short else "response.completed", "response": resp})
    to.stream([(e["type"], {**e, "sequence_number": n}) for n, e in enumerate(ev)], step)
    return None
