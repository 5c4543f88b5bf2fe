"""The names of agents that need no configuration."""

from __future__ import annotations

BUILTIN = "builtin"  # ships with the product, needs no key and is free
CLIENTS = ("claude", "codex", "gemini", "qwen", "opencode")  # used wherever they are installed
