"""The names of agents that need no configuration, and of the providers that an agent of kind `api` can ask."""

from __future__ import annotations

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
