"""What the four APIs have in common: a request, read out of its wire's words, and what answers need."""

from __future__ import annotations

import itertools
import re
import time
from dataclasses import dataclass, field
from typing import Any

_ids = itertools.count(1)


def new_id(prefix: str) -> str:
    return f"{prefix}{int(time.time()):x}{next(_ids):06x}"


@dataclass
class Turn:
    """What the four APIs have in common, read out of one request."""

    api: str
    model: str = ""
    stream: bool = False
    system: str = ""
    prompt: str = ""  # last real user prompt
    prompts: int = 0  # real user prompts of the conversation up to it
    rounds: int = 0  # rounds of tool results after it
    last_result: str = ""
    searched: bool = False  # the last model turn only looked for a deferred tool
    tools: dict[str, dict] = field(default_factory=dict)  # name -> JSON schema of its arguments
    kinds: dict[str, str] = field(default_factory=dict)  # name -> "function" | "custom"
    schema: dict | None = None  # response schema asked for
    chars: int = 0
    folder: str = ""  # where the client says that it works


_REMINDER = re.compile(
    r"<(system-reminder|environment_context|user_instructions|permissions instructions|skills_instructions"
    r"|session_context|INSTRUCTIONS)>.*?</\1>",
    re.S,
)


_FOLDER = re.compile(  # as it stands in the system prompt or a first message, inside of JSON
    r"(?:[Ww]orking directory: |<cwd>|working in the directory: |Workspace Directories:\*\*\\n  - )(/[^<\\\"]*)"
)


def folder_of(body: str) -> str:
    """The folder in which the client says that it works; where it says none, an empty string."""
    found = _FOLDER.search(body)
    return found[1] if found else ""


SEARCH = re.compile(r"ToolSearch|tool_search")  # clients that hide MCP tools until asked for them


def real(text: str) -> str:
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


def text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return content.get("text") or text_of(content.get("content") or content.get("output") or "")
    if isinstance(content, list):
        return "\n".join(t for t in (text_of(c) for c in content) if t)
    return ""


NEW_PROMPT = 400  # characters; so much beside a tool's result is a conversation that goes on, not a remark


def walk(turn: Turn, events: list[tuple[str, str]]) -> None:
    """events: ("user", text) | ("result", text) | ("model", names of the tools it called), in order."""
    prev = ""
    for kind, text in events:
        if kind == "user":
            text = real(text)
            if not text:
                continue
            if prev == "result" and len(text) < NEW_PROMPT:  # riding along with a tool result
                continue
            turn.prompt = text if prev != "user" else f"{turn.prompt}\n{text}"
            turn.prompts += prev != "user"
            turn.rounds, turn.last_result, turn.searched = 0, "", False
        elif kind == "result":
            if prev != "result" and not turn.searched:
                turn.rounds += 1
            turn.last_result = text
        elif prev != "model":  # a turn spent looking for a deferred tool is no step of the script
            turn.searched = bool(text) and all(SEARCH.fullmatch(n) for n in text.split(","))
        prev = kind


def pieces(text: str, n: int = 24) -> list[str]:
    size = max(n, len(text) // 8 + 1)
    return [text[i : i + size] for i in range(0, len(text), size)]
