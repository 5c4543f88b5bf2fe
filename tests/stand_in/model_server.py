#!/usr/bin/env python3
"""A scripted model server on loopback, for driving real agent clients without a model.

Standard library only.  It speaks, streaming and not:

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
    "read":   {"path": ...}                   a real look into a file, likewise; several clients want it before an edit
    "edit":   {"path": ..., "old": ..., "new": ...}   a real replacement in a file, likewise
    "shell":  {"command": ...}                a real command, likewise
              (a path that is not absolute is below the folder in which the client says that it works)
    "call":   {"name": regex on the tool name, "args": {...}}   any other tool, an MCP tool say; when the client
              keeps it behind its tool search ("search": what to ask there, default the regex) that comes first
    "calls":  [ {"write"|"read"|"edit"|"shell"|"call": ...}, ... ]            several in one turn
    "status": 401 / 429 / 500 / 529 ...  "error": message   "headers": {...}   "retry_after": seconds
    "times":  how many requests this status/raw/cut answers before "then" (or a plain text) is used
    "then":   the STEP used afterwards
    "raw":    this string as the whole 200 body (invalid JSON, an empty body...)
    "cut":    true: close the connection in the middle of the answer
    "short":  true: the answer ends properly, and says that it had to end because there was no room for more
    "delay":  seconds before the first byte          "stall": seconds between the first byte and the rest
    "usage":  {"input": n, "output": n, "cached": n, "written": n, "written_1h": n}   (the last two: Anthropic's alone)

A prompt may also carry its own steps: ``@@fake {"steps": [...]} @@`` anywhere in it.
With no rule left the answer is "FAKE-OK", or a minimal document for the JSON schema asked for.

    python -m tests.stand_in.model_server --port 8099 --script rules.json --log requests.jsonl
    with FakeModelServer(rules) as srv: ...  srv.url, srv.log
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.stand_in.script import Script
from tests.stand_in.server import FakeModelServer

__all__ = ["FakeModelServer", "Script"]


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
