"""Gemini's generateContent: how a request is read, and an answer said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from tests.stand_in.turn import Turn, new_id, pieces, real, text_of, walk

if TYPE_CHECKING:
    from tests.stand_in.server import Handler


def read(body: dict, model: str, stream: bool) -> Turn:
    t = Turn("gemini", model, stream, text_of((body.get("systemInstruction") or {}).get("parts")))
    for group in body.get("tools") or []:
        for fn in group.get("functionDeclarations") or []:
            t.tools[fn["name"]] = fn.get("parametersJsonSchema") or fn.get("parameters") or {}
    cfg = body.get("generationConfig") or {}
    t.schema = cfg.get("responseJsonSchema") or cfg.get("responseSchema")
    events = []
    for c in body.get("contents") or []:
        if c.get("role") == "model":
            events.append(
                (
                    "model",
                    ",".join(p["functionCall"]["name"] for p in c.get("parts") or [] if "functionCall" in p),
                )
            )
            continue
        results = [p["functionResponse"] for p in c.get("parts") or [] if "functionResponse" in p]
        texts = [real(p["text"]) for p in c.get("parts") or [] if "text" in p]
        if results:
            events.append(("result", json.dumps([r.get("response") for r in results])))
        elif any(texts):
            events.append(("user", "\n".join(x for x in texts if x)))
    walk(t, events)
    return t


def answer(to: Handler, turn: Turn, step: dict, text: str | None, calls: list, usage: tuple) -> None:
    use = {
        "promptTokenCount": usage[0],
        "candidatesTokenCount": usage[1],
        "totalTokenCount": usage[0] + usage[1],
        "cachedContentTokenCount": usage[2],
    }
    head = {"modelVersion": turn.model, "responseId": new_id("resp_")}
    fc = [{"functionCall": {"id": new_id("fc_"), "name": n, "args": a}} for n, a in calls]

    def cand(parts: list, done: bool) -> dict:
        c: dict = {"content": {"role": "model", "parts": parts}, "index": 0}
        if done:
            c["finishReason"] = "MAX_TOKENS" if step.get("short") else "STOP"
        return {"candidates": [c], "usageMetadata": use, **head}

    if not turn.stream:
        return to.send(200, cand(([{"text": text}] if text else []) + fc, True))
    ev = [cand([{"text": p}], False) for p in pieces(text or "")]
    ev.append(cand(fc or [{"text": ""}], True))
    if parse_qs(urlsplit(to.path).query).get("alt") == ["sse"]:
        to.stream([(None, e) for e in ev], step)
    else:
        to.send(200, json.dumps(ev).encode())
    return None
