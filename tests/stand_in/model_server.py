#!/usr/bin/env python3
"""A scripted model server on loopback, for driving real agent clients without a model.

One file, standard library only.  It speaks, streaming and not:

* Anthropic Messages            POST /v1/messages, /v1/messages/count_tokens
* OpenAI Responses              POST /v1/responses
* OpenAI Chat Completions       POST /v1/chat/completions   (Ollama's /v1 and most gateways too)
* Gemini                        POST /v1beta/models/MODEL:generateContent, :streamGenerateContent, :countTokens
* model lists                   GET  /v1/models, /v1beta/models

and for the tests themselves: GET /__health, GET /__log (every model request so far, newest last),
POST /__script (replace the rules, body as below), POST /__reset (forget log and counters).

A script is a list of rules; the first rule that fits a request answers it::

    [{"match": "regex on the last real user prompt",       # default: fits everything
      "model": "regex on the model name",                  # optional
      "system": "regex on the system prompt",              # optional
      "api": "anthropic|responses|chat|gemini",            # optional
      "tools": true,                                       # optional: request offers tools (or not)
      "steps": [STEP, STEP, ...]}]

A conversation is at step N once N rounds of tool results follow the last real user prompt, so the
server needs no session state: a retried or resumed request gets the same step again.  Past the end
the last step repeats.  A STEP is an object with any of:

    "text":   final text (or text before the tool calls); $PROMPT, $MODEL, $LAST_TOOL_RESULT are filled in
    "json":   a structured answer: sent through the client's own answer tool when it offers one
              (StructuredOutput, structured_output, final_result...), as JSON text otherwise
    "write":  {"path": ..., "content": ...}   a real file write, through whatever tool the client offers
    "shell":  {"command": ...}                a real command, likewise
    "call":   {"name": regex on the tool name, "args": {...}}   any other tool, an MCP tool say; when the client
              keeps it behind its tool search ("search": what to ask there, default the regex) that comes first
    "calls":  [ {"write"|"shell"|"call": ...}, ... ]            several in one turn
    "status": 401 / 429 / 500 / 529 ...  "error": message   "headers": {...}   "retry_after": seconds
    "times":  how many requests this status/raw/cut answers before "then" (or a plain text) is used
    "then":   the STEP used afterwards
    "raw":    this string as the whole 200 body (invalid JSON, an empty body...)
    "cut":    true: close the connection in the middle of the answer
    "short":  true: the answer ends properly, and says that it had to end because there was no room for more
    "delay":  seconds before the first byte          "stall": seconds between the first byte and the rest
    "usage":  {"input": n, "output": n, "cached": n}

A prompt may also carry its own steps: ``@@fake {"steps": [...]} @@`` anywhere in it.
With no rule left the answer is "FAKE-OK", or a minimal document for the JSON schema asked for.

    python -m tests.stand_in.model_server --port 8099 --script rules.json --log requests.jsonl
    with FakeModelServer(rules) as srv: ...  srv.url, srv.log
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import itertools
import json
import re
import shlex
import socket
import sys
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_ids = itertools.count(1)


def _new_id(prefix: str) -> str:
    return f"{prefix}{int(time.time()):x}{next(_ids):06x}"


# --------------------------------------------------------------------------- requests, made alike
@dataclass
class Turn:
    """What the four APIs have in common, read out of one request."""

    api: str
    model: str = ""
    stream: bool = False
    system: str = ""
    prompt: str = ""  # last real user prompt
    rounds: int = 0  # rounds of tool results after it
    last_result: str = ""
    searched: bool = False  # the last model turn only looked for a deferred tool
    tools: dict[str, dict] = field(default_factory=dict)  # name -> JSON schema of its arguments
    kinds: dict[str, str] = field(default_factory=dict)  # name -> "function" | "custom"
    schema: dict | None = None  # response schema asked for
    chars: int = 0


_REMINDER = re.compile(
    r"<(system-reminder|environment_context|user_instructions|permissions instructions|skills_instructions"
    r"|session_context|INSTRUCTIONS)>.*?</\1>",
    re.S,
)


_SEARCH = re.compile(r"ToolSearch|tool_search")  # clients that hide MCP tools until asked for them


def _real(text: str) -> str:
    text = _REMINDER.sub("", text).strip()
    if text.startswith(
        (
            "<environment_context",
            "<user_instructions",
            "<session_context",
            "# AGENTS.md instructions",
            "This is the Gemini CLI. We are setting up the context",
        )
    ):
        return ""
    return text


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return content.get("text") or _text_of(content.get("content") or content.get("output") or "")
    if isinstance(content, list):
        return "\n".join(t for t in (_text_of(c) for c in content) if t)
    return ""


NEW_PROMPT = 400  # characters; so much beside a tool's result is a conversation that goes on, not a remark


def _walk(turn: Turn, events: list[tuple[str, str]]) -> None:
    """events: ("user", text) | ("result", text) | ("model", names of the tools it called), in order."""
    prev = ""
    for kind, text in events:
        if kind == "user":
            text = _real(text)
            if not text:
                continue
            if prev == "result" and len(text) < NEW_PROMPT:  # riding along with a tool result
                continue
            turn.prompt = text if prev != "user" else f"{turn.prompt}\n{text}"
            turn.rounds, turn.last_result, turn.searched = 0, "", False
        elif kind == "result":
            if prev != "result" and not turn.searched:
                turn.rounds += 1
            turn.last_result = text
        elif prev != "model":  # a turn spent looking for a deferred tool is no step of the script
            turn.searched = bool(text) and all(_SEARCH.fullmatch(n) for n in text.split(","))
        prev = kind


def read_anthropic(body: dict) -> Turn:
    t = Turn("anthropic", body.get("model", ""), bool(body.get("stream")), _text_of(body.get("system")))
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
        texts = [_real(c.get("text", "")) for c in content if c.get("type") == "text"]
        if results:
            events.append(("result", _text_of([r.get("content") for r in results])))
        if any(texts):
            events.append(("user", "\n".join(x for x in texts if x)))
    _walk(t, events)
    return t


def read_chat(body: dict) -> Turn:
    t = Turn("chat", body.get("model", ""), bool(body.get("stream")))
    for tool in body.get("tools") or []:
        fn = tool.get("function") or {}
        t.tools[fn.get("name", "")] = fn.get("parameters") or {}
    rf = body.get("response_format") or {}
    t.schema = (rf.get("json_schema") or {}).get("schema") if rf.get("type") == "json_schema" else None
    events = []
    for m in body.get("messages") or []:
        if m["role"] in ("system", "developer"):
            t.system += _text_of(m.get("content"))
        elif m["role"] == "user":
            events.append(("user", _text_of(m.get("content"))))
        elif m["role"] == "tool":
            events.append(("result", _text_of(m.get("content"))))
        else:
            events.append(("model", ",".join(c["function"]["name"] for c in m.get("tool_calls") or [])))
    _walk(t, events)
    return t


def read_responses(body: dict) -> Turn:
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
            events.append(("user", _text_of(it.get("content"))))
        elif kind == "message" and it.get("role") in ("system", "developer"):
            t.system += _text_of(it.get("content"))
        elif kind == "additional_tools":
            offer(it.get("tools") or [])
        elif kind.endswith("_output"):
            events.append(("result", _text_of(it.get("output"))))
        else:
            events.append(("model", it.get("name") or ""))
    _walk(t, events)
    return t


def read_gemini(body: dict, model: str, stream: bool) -> Turn:
    t = Turn("gemini", model, stream, _text_of((body.get("systemInstruction") or {}).get("parts")))
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
        texts = [_real(p["text"]) for p in c.get("parts") or [] if "text" in p]
        if results:
            events.append(("result", json.dumps([r.get("response") for r in results])))
        elif any(texts):
            events.append(("user", "\n".join(x for x in texts if x)))
    _walk(t, events)
    return t


# --------------------------------------------------------------------------- abstract tool calls
def _props(schema: dict) -> dict:
    return schema.get("properties") or {}


def _pick(turn: Turn, *patterns: str) -> str | None:
    for pat in patterns:
        for name in turn.tools:
            if re.fullmatch(pat, name.split("\0")[-1]):
                return name
    return None


def _first(props: dict, *names: str) -> str | None:
    return next((n for n in names if n in props), None)


def _required(schema: dict, args: dict) -> dict:
    for name in schema.get("required") or []:
        args.setdefault(name, sample(_props(schema).get(name) or {}))
    return args


def plan_shell(turn: Turn, command: str) -> tuple[str, Any] | None:
    name = _pick(
        turn,
        "Bash",
        "exec_command",
        "shell_command",
        "local_shell",
        "shell",
        "bash",
        "run_shell_command",
        "developer__shell",
        ".*(shell|terminal|execute).*",
    )
    if not name:
        return None
    props = _props(turn.tools[name])
    key = _first(props, "command", "cmd", "script") or "command"
    kind = (props.get(key) or {}).get("type")
    value: Any = ["bash", "-lc", command] if kind == "array" else command
    return name, _required(turn.tools[name], {key: value})


def plan_write(turn: Turn, path: str, content: str) -> tuple[str, Any] | None:
    name = _pick(turn, "Write", "write_file", "write", "create_file", "developer__text_editor", "text_editor")
    if name:
        props = _props(turn.tools[name])
        args = {_first(props, "file_path", "filePath", "path", "absolute_path") or "path": path}
        args[_first(props, "content", "file_text", "contents", "text") or "content"] = content
        if "command" in props:
            args["command"] = "write"
        return name, _required(turn.tools[name], args)
    name = _pick(turn, "apply_patch")
    if name:
        lines = content[:-1].split("\n") if content.endswith("\n") else content.split("\n")
        patch = "\n".join(
            ["*** Begin Patch", f"*** Add File: {path}", *("+" + x for x in lines), "*** End Patch", ""]
        )
        return name, (patch if turn.kinds.get(name) == "custom" else {"input": patch})
    return plan_shell(
        turn,
        f'mkdir -p "$(dirname {shlex.quote(path)})" && printf %s {shlex.quote(content)} > {shlex.quote(path)}',
    )


def plan(turn: Turn, step: dict) -> list[tuple[str, Any]]:
    out = []
    for one in [step, *(step.get("calls") or [])]:
        found: tuple[str, Any] | None = None
        if "write" in one:
            found = plan_write(turn, one["write"]["path"], one["write"].get("content", ""))
        elif "shell" in one:
            found = plan_shell(turn, one["shell"]["command"])
        elif "call" in one:
            pat = one["call"]["name"]
            name = next((n for n in turn.tools if re.search(pat, n.replace("\0", "."))), None) or one[
                "call"
            ].get("force")
            finder = _pick(turn, _SEARCH.pattern)
            query = one["call"].get("search") or pat
            if (
                turn.searched and not name and query.startswith("select:")
            ):  # found, yet not in the request's list
                name = query.removeprefix("select:")
            if name:
                found = (name, one["call"].get("args") or {})
            elif finder and not turn.searched:
                found = (finder, {"query": query})
        elif "json" in one:
            name = _pick(turn, "StructuredOutput", "structured_output", "final_result.*", ".*_output_tool")
            found = (name, one["json"]) if name else None
        else:
            continue
        if found:
            out.append(found)
        elif "json" not in one:
            step.setdefault("text", "")
            step["text"] += f"[fake: no tool offered for {sorted(one)}; offered: {sorted(turn.tools)}]"
    return out


def sample(schema: dict) -> Any:
    """The smallest document a JSON schema allows (enough of it for what clients ask)."""
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return sample(schema[key][0])
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    kind = kind.lower() if isinstance(kind, str) else ("object" if "properties" in schema else "string")
    if kind == "object":
        need = schema.get("required") or list(_props(schema))
        return {n: sample(_props(schema).get(n) or {}) for n in need}
    if kind == "array":
        return [sample(schema.get("items") or {}) for _ in range(schema.get("minItems", 0))]
    return {"number": 0, "integer": 0, "boolean": False, "null": None}.get(kind, "fake")


# --------------------------------------------------------------------------- the script
class Script:
    def __init__(self, rules: list[dict] | None = None) -> None:
        self.rules = rules or []
        self.used: dict[str, int] = {}
        self.lock = threading.Lock()

    def step_for(self, turn: Turn) -> dict:
        inline = re.search(r"@@fake\s+(\{.*?\})\s*@@", turn.prompt, re.S)
        if inline:
            rule, key = json.loads(inline.group(1)), f"inline:{inline.group(1)}"
        else:
            rule, key = self._rule(turn)
        steps = rule.get("steps") or []
        if not steps:
            step: dict = {"json": sample(turn.schema)} if turn.schema else {"text": "FAKE-OK"}
            return dict(step)
        at = min(turn.rounds, len(steps) - 1)
        return self._step(steps[at], f"{key}#{at}")

    def _step(self, step: dict, key: str) -> dict:
        if "times" in step:
            with self.lock:
                n = self.used[key] = self.used.get(key, 0) + 1
            if n > step["times"]:
                return self._step(step.get("then") or {"text": "FAKE-OK after retries"}, key + "+")
        return json.loads(json.dumps(step))

    def _rule(self, t: Turn) -> tuple[dict, str]:
        for i, r in enumerate(self.rules):
            if r.get("api") and t.api not in r["api"].split("|"):
                continue
            if "tools" in r and bool(t.tools) != r["tools"]:
                continue
            if all(
                re.search(r[k], v, re.S)
                for k, v in (("match", t.prompt), ("model", t.model), ("system", t.system))
                if r.get(k)
            ):
                return r, str(i)
        return {}, "-"


# --------------------------------------------------------------------------- the HTTP side
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "FakeModel/1"
    server: _Server
    cut = False

    def log_message(self, *_: Any) -> None:
        pass

    # -- plumbing
    def _send(
        self, status: int, body: bytes | dict, ctype: str = "application/json", headers: dict | None = None
    ) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", ctype)
        self.send_header("content-length", str(len(data)))
        self.send_header("request-id", _new_id("req_"))
        for k, v in (headers or {}).items():
            self.send_header(k, str(v))
        self.end_headers()
        if self.cut:
            self.wfile.write(data[: len(data) // 2])
            self._hang_up()
        elif self.command != "HEAD":
            self.wfile.write(data)

    def _hang_up(self) -> None:
        self.wfile.flush()
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _sse(self, events: list[tuple[str | None, Any]], step: dict) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-cache")
        self.send_header("transfer-encoding", "chunked")
        self.send_header("request-id", _new_id("req_"))
        self.end_headers()
        for i, (name, data) in enumerate(events):
            if i == 1 and step.get("stall"):
                time.sleep(float(step["stall"]))
            if self.cut and i >= max(1, len(events) // 2):
                return self._hang_up()
            text = data if isinstance(data, str) else json.dumps(data)
            chunk = ((f"event: {name}\n" if name else "") + f"data: {text}\n\n").encode()
            self.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()
        return None

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            data = b""
            while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
        return gzip.decompress(data) if self.headers.get("content-encoding") == "gzip" else data

    # -- routes
    def do_HEAD(self) -> None:
        self._send(200, b"")

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        owner = self.server.owner
        owner.note({"get": self.path})
        if path == "/__health":
            self._send(200, {"ok": True})
        elif path == "/__log":
            self._send(200, {"requests": owner.log})
        elif re.fullmatch(r"(/v1)?/models", path):
            now = int(time.time())
            names = owner.models
            self._send(
                200,
                {
                    "object": "list",
                    "has_more": False,
                    "data": [
                        {
                            "id": n,
                            "object": "model",
                            "type": "model",
                            "display_name": n,
                            "created": now,
                            "owned_by": "fake",
                            "created_at": "2025-01-01T00:00:00Z",
                        }
                        for n in names
                    ],
                },
            )
        elif re.fullmatch(r"/v1(beta)?/models", path):
            self._send(200, {"models": [{"name": f"models/{n}"} for n in owner.models]})
        else:
            self._send(404, {"error": {"type": "not_found_error", "message": f"no route {path}"}})

    def do_POST(self) -> None:
        path, owner, self.cut = urlsplit(self.path).path, self.server.owner, False
        data = self._body()
        try:
            body = json.loads(data or b"{}")
        except (ValueError, UnicodeDecodeError):
            owner.note(
                {"post": self.path, "bad_body": len(data), "encoding": self.headers.get("content-encoding")}
            )
            return self._send(
                400, {"error": {"type": "invalid_request_error", "message": "body is not JSON"}}
            )
        if path == "/__script":
            owner.script = Script(body)
            return self._send(200, {"rules": len(body)})
        if path == "/__reset":
            owner.log.clear()
            owner.script.used.clear()
            return self._send(200, {"ok": True})

        gem = re.fullmatch(r"/v1(?:beta|alpha)?/(?:publishers/google/)?models/([^:/]+):(\w+)", path)
        if path.endswith("/messages/count_tokens"):
            return self._send(200, {"input_tokens": len(data) // 4})
        if gem and gem[2] == "countTokens":
            return self._send(200, {"totalTokens": len(data) // 4})
        if path.endswith("/messages"):
            turn = read_anthropic(body)
        elif path.endswith("/chat/completions"):
            turn = read_chat(body)
        elif path.endswith("/responses"):
            turn = read_responses(body)
        elif gem and gem[2] in ("generateContent", "streamGenerateContent"):
            turn = read_gemini(body, gem[1], gem[2] == "streamGenerateContent")
        else:
            owner.note({"post": self.path, "unknown": True})
            return self._send(404, {"error": {"type": "not_found_error", "message": f"no route {path}"}})
        turn.chars = len(data)
        step = owner.script.step_for(turn)
        entry = {
            "t": round(time.time(), 3),
            "api": turn.api,
            "path": self.path,
            "model": turn.model,
            "stream": turn.stream,
            "rounds": turn.rounds,
            "prompt": turn.prompt,
            "tools": sorted(n.replace("\0", ".") for n in turn.tools),
            "schema": bool(turn.schema),
            "last_result": turn.last_result[:2000],
            "bytes": len(data),
            "agent": self.headers.get("user-agent", ""),
            "step": {k: step[k] for k in step if k != "then"},
            "auth": next(
                (h for h in ("x-api-key", "authorization", "x-goog-api-key") if self.headers.get(h)), ""
            ),
        }
        owner.note(entry, body)
        try:
            self._answer(turn, step)
        except (BrokenPipeError, ConnectionError, OSError, ValueError):
            entry["aborted"] = True
            self.close_connection = True

    def _answer(self, turn: Turn, step: dict) -> None:
        if step.get("delay"):
            time.sleep(float(step["delay"]))
        if "status" in step:
            return self._error(turn, step)
        if "raw" in step:
            ctype = step.get("ctype") or ("text/event-stream" if turn.stream else "application/json")
            return self._send(200, step["raw"].encode(), ctype)
        self.cut = bool(step.get("cut"))
        calls = plan(turn, step)
        text = step.get("text")
        if text is None and not calls:
            text = json.dumps(step["json"]) if "json" in step else "FAKE-OK"
        for key, value in (
            ("$PROMPT", turn.prompt),
            ("$MODEL", turn.model),
            ("$LAST_TOOL_RESULT", turn.last_result),
        ):
            text = text.replace(key, value) if text else text
        use = step.get("usage") or {}
        usage = (
            use.get("input", turn.chars // 4),
            use.get("output", 1 + len(text or "") // 4),
            use.get("cached", 0),
        )
        getattr(self, "_" + turn.api)(turn, step, text, calls, usage)
        return None

    def _error(self, turn: Turn, step: dict) -> None:
        status, headers = step["status"], dict(step.get("headers") or {})
        if "retry_after" in step:
            headers["retry-after"] = step["retry_after"]
        kind = {
            400: "invalid_request_error",
            401: "authentication_error",
            403: "permission_error",
            404: "not_found_error",
            413: "request_too_large",
            429: "rate_limit_error",
            529: "overloaded_error",
        }.get(status, "api_error")
        msg = step.get("error") or f"fake {kind}"
        if turn.api == "anthropic":
            body: dict = {"type": "error", "error": {"type": kind, "message": msg}}
        elif turn.api == "gemini":
            state = {
                401: "UNAUTHENTICATED",
                403: "PERMISSION_DENIED",
                404: "NOT_FOUND",
                429: "RESOURCE_EXHAUSTED",
                400: "INVALID_ARGUMENT",
                503: "UNAVAILABLE",
            }.get(status, "INTERNAL")
            body = {"error": {"code": status, "message": msg, "status": state}}
        else:
            code = {401: "invalid_api_key", 429: "rate_limit_exceeded"}.get(status)
            body = {"error": {"message": msg, "type": kind, "code": code, "param": None}}
        self._send(status, body, headers=headers)

    # -- the four answers
    def _anthropic(self, turn: Turn, step: dict, text: str | None, calls: list, usage: tuple) -> None:
        blocks: list[dict] = [{"type": "text", "text": text}] if text else []
        blocks += [{"type": "tool_use", "id": _new_id("toolu_"), "name": n, "input": a} for n, a in calls]
        stop = "max_tokens" if step.get("short") else "tool_use" if calls else "end_turn"
        use = {
            "input_tokens": usage[0],
            "output_tokens": usage[1],
            "cache_read_input_tokens": usage[2],
            "cache_creation_input_tokens": 0,
        }
        msg = {
            "id": _new_id("msg_"),
            "type": "message",
            "role": "assistant",
            "model": turn.model,
            "content": blocks,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": use,
        }
        if not turn.stream:
            return self._send(200, msg)
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
                for part in _pieces(b["text"]):
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
                for part in _pieces(json.dumps(b["input"])):
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
        self._sse(ev, step)
        return None

    def _chat(self, turn: Turn, step: dict, text: str | None, calls: list, usage: tuple) -> None:
        tool_calls = [
            {"id": _new_id("call_"), "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
            for n, a in calls
        ]
        finish = "length" if step.get("short") else "tool_calls" if calls else "stop"
        use = {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": usage[0] + usage[1],
            "prompt_tokens_details": {"cached_tokens": usage[2]},
        }
        base = {"id": _new_id("chatcmpl-"), "created": int(time.time()), "model": turn.model}
        if not turn.stream:
            message: dict = {"role": "assistant", "content": text}
            if tool_calls:
                message["tool_calls"] = tool_calls
            return self._send(
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
        ev += [chunk({"content": part}) for part in _pieces(text or "")]
        ev += [chunk({"tool_calls": [{"index": i, **c}]}) for i, c in enumerate(tool_calls)]
        ev.append(chunk({}, finish))
        ev.append((None, {**base, "object": "chat.completion.chunk", "choices": [], "usage": use}))
        ev.append((None, "[DONE]"))
        self._sse(ev, step)
        return None

    def _responses(self, turn: Turn, step: dict, text: str | None, calls: list, usage: tuple) -> None:
        items: list[dict] = []
        if text:
            items.append(
                {
                    "type": "message",
                    "id": _new_id("msg_"),
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
                        "id": _new_id("ctc_"),
                        "call_id": _new_id("call_"),
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
                        "id": _new_id("fc_"),
                        "call_id": _new_id("call_"),
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
            "id": _new_id("resp_"),
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
            return self._send(200, resp)
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
                for part in _pieces(it["content"][0]["text"]):
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
                ev.append(
                    {"type": f"response.{kind}.done", "item_id": it["id"], "output_index": i, key: it[key]}
                )
            ev.append({"type": "response.output_item.done", "output_index": i, "item": it})
        ev.append({"type": "response.incomplete" if short else "response.completed", "response": resp})
        self._sse([(e["type"], {**e, "sequence_number": n}) for n, e in enumerate(ev)], step)
        return None

    def _gemini(self, turn: Turn, step: dict, text: str | None, calls: list, usage: tuple) -> None:
        use = {
            "promptTokenCount": usage[0],
            "candidatesTokenCount": usage[1],
            "totalTokenCount": usage[0] + usage[1],
            "cachedContentTokenCount": usage[2],
        }
        head = {"modelVersion": turn.model, "responseId": _new_id("resp_")}
        fc = [{"functionCall": {"id": _new_id("fc_"), "name": n, "args": a}} for n, a in calls]

        def cand(parts: list, done: bool) -> dict:
            c: dict = {"content": {"role": "model", "parts": parts}, "index": 0}
            if done:
                c["finishReason"] = "MAX_TOKENS" if step.get("short") else "STOP"
            return {"candidates": [c], "usageMetadata": use, **head}

        if not turn.stream:
            return self._send(200, cand(([{"text": text}] if text else []) + fc, True))
        ev = [cand([{"text": p}], False) for p in _pieces(text or "")]
        ev.append(cand(fc or [{"text": ""}], True))
        if parse_qs(urlsplit(self.path).query).get("alt") == ["sse"]:
            self._sse([(None, e) for e in ev], step)
        else:
            self._send(200, json.dumps(ev).encode())
        return None


def _pieces(text: str, n: int = 24) -> list[str]:
    size = max(n, len(text) // 8 + 1)
    return [text[i : i + size] for i in range(0, len(text), size)]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    owner: FakeModelServer

    def handle_error(self, request: Any, client_address: Any) -> None:  # a client hanging up is no news
        pass


class FakeModelServer:
    models = ("fake-model", "claude-sonnet-4-5", "gpt-5", "gemini-2.5-pro")

    def __init__(
        self,
        rules: list[dict] | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        log_file: str | None = None,
        full: bool = False,
    ) -> None:
        if host not in LOOPBACK:
            raise ValueError("loopback only")
        self.script, self.log, self.log_file, self.full = Script(rules), [], log_file, full
        self._lock = threading.Lock()
        self._http = _Server((host, port), Handler)
        self._http.owner = self
        self.port = self._http.server_address[1]
        self.url = f"http://{host}:{self.port}"
        self._thread: threading.Thread | None = None

    def note(self, entry: dict, body: dict | None = None) -> None:
        with self._lock:
            if "api" in entry:
                self.log.append(entry)
            if self.log_file:
                with Path(self.log_file).open("a", encoding="utf-8") as f:
                    f.write(json.dumps({**entry, "body": body} if self.full and body else entry) + "\n")

    def __enter__(self) -> FakeModelServer:
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._http.shutdown()
        self._http.server_close()

    def serve(self) -> None:
        with contextlib.suppress(KeyboardInterrupt):
            self._http.serve_forever()


def main() -> int:
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("--host", default="127.0.0.1")
    ap.add_argument("--port", type=int, default=0)
    ap.add_argument("--port-file", help="write the port here once listening")
    ap.add_argument("--script", help="JSON file of rules")
    ap.add_argument("--log", help="append one JSON line a request")
    ap.add_argument("--full", action="store_true", help="put whole request bodies in the log file")
    a = ap.parse_args()
    rules = json.loads(Path(a.script).read_text(encoding="utf-8")) if a.script else None
    srv = FakeModelServer(rules, a.host, a.port, a.log, a.full)
    if a.port_file:
        Path(a.port_file).write_text(str(srv.port))
    print(f"fake model server on {srv.url}", file=sys.stderr, flush=True)
    srv.serve()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
