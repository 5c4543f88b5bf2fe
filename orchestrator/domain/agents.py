"""The names of agents that need no configuration, of providers, and the place of a user's agents in an order."""

from __future__ import annotations

from collections.abc import Iterable

BUILTIN = "builtin"  # ships with the product, needs no key and is free
CLIENTS = ("claude", "codex", "gemini", "qwen", "opencode")  # used wherever they are installed
PROVIDERS = (
    "anthropic",
    "openai",
    "openai-responses",
    "openai-chat",
    "gemini",
    "google",
    "openrouter",
    "ollama",
    "vllm",
    "openai-compatible",
)
WITHOUT_ADDRESS = ("vllm", "openai-compatible")  # providers that are reached by a `base_url` alone


def with_own(order: Iterable[str], own: Iterable[str]) -> tuple[str, ...]:
    """A pack's order with the user's own agents that it does not name: just before the built-in one, else at its end."""
    named = list(order)
    at = named.index(BUILTIN) if BUILTIN in named else len(named)
    return (*named[:at], *(name for name in own if name not in named), *named[at:])
