"""The providers of model APIs that agents of kind `api` can ask."""

from __future__ import annotations

from typing import Literal

from orchestrator.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Provider:
    library: Literal["anthropic", "openai", "google.genai"]  # the vendor's package that speaks its API
    name: str  # what pydantic-ai calls it
    url: str | None = None  # None: a base URL has to be given
    keys: tuple[str, ...] = ()  # variables that usually hold its key; the first that is set counts
    keyless: bool = False  # served by oneself: a key may be set, and need not be


_OPENAI = ("https://api.openai.com/v1", ("OPENAI_API_KEY",))
_GEMINI = ("https://generativelanguage.googleapis.com", ("GEMINI_API_KEY", "GOOGLE_API_KEY"))
PROVIDERS = {
    "anthropic": Provider("anthropic", "anthropic", "https://api.anthropic.com", ("ANTHROPIC_API_KEY",)),
    "openai": Provider("openai", "openai-responses", *_OPENAI),
    "openai-responses": Provider("openai", "openai-responses", *_OPENAI),
    "openai-chat": Provider("openai", "openai-chat", *_OPENAI),
    "gemini": Provider("google.genai", "google", *_GEMINI),
    "google": Provider("google.genai", "google", *_GEMINI),
    "openrouter": Provider("openai", "openrouter", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    "ollama": Provider("openai", "ollama", "http://127.0.0.1:11434/v1", ("OLLAMA_API_KEY",), keyless=True),
    "vllm": Provider("openai", "vllm", None, ("VLLM_API_KEY",), keyless=True),
    "openai-compatible": Provider("openai", "openai-compatible", None, (), keyless=True),
}
