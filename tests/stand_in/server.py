"""The HTTP side: routes, faults that are played, and the server that a test holds."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.stand_in import anthropic, chat, gemini, responses
from tests.stand_in.script import Script
from tests.stand_in.tools import plan
from tests.stand_in.turn import Turn, folder_of, new_id

LOOPBACK = {"127.0.0.1", "::1", "localhost"}
ANSWERS = {
    "anthropic": anthropic.answer,
    "chat": chat.answer,
    "responses": responses.answer,
    "gemini": gemini.answer,
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "FakeModel/1"
    server: _Server
    cut = False

    def log_message(self, *_: Any) -> None:
        pass

    # -- plumbing
    def send(
        self, status: int, body: bytes | dict, ctype: str = "application/json", headers: dict | None = None
    ) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", ctype)
        self.send_header("content-length", str(len(data)))
        self.send_header("request-id", new_id("req_"))
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

    def stream(self, events: list[tuple[str | None, Any]], step: dict) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-cache")
        self.send_header("transfer-encoding", "chunked")
        self.send_header("request-id", new_id("req_"))
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
        self.send(200, b"")

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        owner = self.server.owner
        owner.note({"get": self.path})
        if path == "/__health":
            self.send(200, {"ok": True})
        elif path == "/__log":
            self.send(200, {"requests": owner.log})
        elif re.fullmatch(r"(/v1)?/models", path):
            now = int(time.time())
            names = owner.models
            self.send(
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
            self.send(200, {"models": [{"name": f"models/{n}"} for n in owner.models]})
        else:
            self.send(404, {"error": {"type": "not_found_error", "message": f"no route {path}"}})

    def do_POST(self) -> None:
        path, owner, self.cut = urlsplit(self.path).path, self.server.owner, False
        data = self._body()
        try:
            body = json.loads(data or b"{}")
        except (ValueError, UnicodeDecodeError):
            owner.note(
                {"post": self.path, "bad_body": len(data), "encoding": self.headers.get("content-encoding")}
            )
            return self.send(400, {"error": {"type": "invalid_request_error", "message": "body is not JSON"}})
        if path == "/__script":
            owner.script = Script(body)
            return self.send(200, {"rules": len(body)})
        if path == "/__reset":
            owner.log.clear()
            owner.script.used.clear()
            return self.send(200, {"ok": True})

        gem = re.fullmatch(r"/v1(?:beta|alpha)?/(?:publishers/google/)?models/([^:/]+):(\w+)", path)
        if path.endswith("/messages/count_tokens"):
            return self.send(200, {"input_tokens": len(data) // 4})
        if gem and gem[2] == "countTokens":
            return self.send(200, {"totalTokens": len(data) // 4})
        if path.endswith("/messages"):
            turn = anthropic.read(body)
        elif path.endswith("/chat/completions"):
            turn = chat.read(body)
        elif path.endswith("/responses"):
            turn = responses.read(body)
        elif gem and gem[2] in ("generateContent", "streamGenerateContent"):
            turn = gemini.read(body, gem[1], gem[2] == "streamGenerateContent")
        else:
            owner.note({"post": self.path, "unknown": True})
            return self.send(404, {"error": {"type": "not_found_error", "message": f"no route {path}"}})
        turn.chars = len(data)
        turn.folder = folder_of(data.decode("utf-8", "replace"))
        step = owner.script.step_for(turn)
        entry = {
            "t": round(time.time(), 3),
            "api": turn.api,
            "path": self.path,
            "model": turn.model,
            "stream": turn.stream,
            "rounds": turn.rounds,
            "prompts": turn.prompts,
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
            return self.send(200, step["raw"].encode(), ctype)
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
            use.get("written", 0),
            use.get("written_1h", 0),
        )
        ANSWERS[turn.api](self, turn, step, text, calls, usage)
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
        self.send(status, body, headers=headers)


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
