"""The rules: which step answers a request."""

from __future__ import annotations

import json
import re
import threading

from tests.stand_in.tools import sample
from tests.stand_in.turn import Turn


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
