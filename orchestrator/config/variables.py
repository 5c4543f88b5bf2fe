"""Variables of the environment with which agents log in: those a person's shell hands over to a running coordinator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KEYS = (  # what the clients and model APIs look at by themselves
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "BAILIAN_CODING_PLAN_API_KEY",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CODEX_API_KEY",
    "DASHSCOPE_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "OLLAMA_API_KEY",
    "OPENAI_API_KEY",
    "OPENCODE_API_KEY",
    "OPENROUTER_API_KEY",
    "VLLM_API_KEY",
)


def handed_over(settings: Any, values: Mapping[str, Any]) -> dict[str, str]:
    """Those of `values` that may be handed over: keys, and what the settings name for an agent.

    Whoever takes them asks too: anything of the user's can write to our sockets, and what it sends must not change where we
    look for programs, modules and folders.
    """
    own = {name for agent in settings.agents.values() for name in (*agent.env, agent.key_env) if name}
    return {name: str(values[name]) for name in sorted(own.union(KEYS)) if name in values}
