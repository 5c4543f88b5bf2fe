"""Which options do something for which kind of agent; what would be taken and ignored is a fault."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from orchestrator.config.layers import Place
from orchestrator.domain.agents import BUILTIN, CLIENTS, PROVIDERS, WITHOUT_ADDRESS
from orchestrator.domain.plain_values import unknown

if TYPE_CHECKING:
    from orchestrator.config.settings import AgentSettings

Found = tuple[Place, str]

_CLIENT = frozenset({"command", "env", "model", "base_url", "pool", "edits_files", "confine", "limits"})
OPTIONS: dict[str, frozenset[str]] = {  # beside `kind`
    BUILTIN: frozenset(),
    "command": _CLIENT | {"key_env"},
    "api": frozenset({"model", "effort", "base_url", "key_env", "pool", "limits"}),
    "claude": _CLIENT | {"effort"},
    "codex": _CLIENT | {"effort", "key_env"},
    "gemini": _CLIENT,
    "qwen": _CLIENT | {"effort", "key_env"},
    "opencode": _CLIENT | {"effort", "key_env"},
}
KEY_WITH_ADDRESS = ("codex", "qwen")  # they have a login of their own for their own server


def faults(name: str, agent: AgentSettings, left_out: Collection[str] = ()) -> Iterator[Found]:
    """What cannot be meant by the settings of one agent, each with its place in them.

    `left_out`: options that were given with a fault of their own, so that what depends on them cannot be judged.
    """
    if name == BUILTIN and agent.kind != BUILTIN:
        yield ("kind",), f"the name {BUILTIN} is the built-in agent's; give yours another one"
        return
    fields = type(agent).model_fields
    for option in fields:
        given = option in agent.model_fields_set and getattr(agent, option) != fields[option].default
        if (given or option in left_out) and option != "kind" and option not in OPTIONS[agent.kind]:
            takes = ", ".join(sorted(OPTIONS[agent.kind])) or "no options"
            yield (option,), f'does nothing for an agent of kind "{agent.kind}", which takes {takes}'
    if left_out:
        return
    if agent.kind == "command" and not agent.command:
        yield (), 'an agent of kind "command" needs a command'
    if agent.kind == "api":
        yield from _of_api(agent)
    if agent.kind in CLIENTS:
        yield from _of_client(agent)


def _of_api(agent: AgentSettings) -> Iterator[Found]:
    if not agent.model:
        yield (), 'an agent of kind "api" needs a model, as in "anthropic:claude-sonnet-4-5"'
        return
    provider, _, model = agent.model.partition(":")
    if not model:
        yield ("model",), 'names no provider; expected one, as in "anthropic:claude-sonnet-4-5"'
    elif provider not in PROVIDERS:
        yield ("model",), unknown("provider", provider, PROVIDERS)
    elif provider in WITHOUT_ADDRESS and not agent.base_url:
        yield ("model",), f"{provider} needs a base_url, as in http://127.0.0.1:8000/v1"


def _of_client(agent: AgentSettings) -> Iterator[Found]:
    if len(agent.command) > 1:
        yield ("command",), "names a client's program alone: arguments would not be used"
    if "edits_files" in agent.model_fields_set and not agent.edits_files:
        yield ("edits_files",), "cannot be switched off for a coding agent; `agents_off` leaves it alone"
    if agent.kind in KEY_WITH_ADDRESS and agent.key_env and not agent.base_url:
        yield ("key_env",), "does nothing without a base_url: the client's own login is used"
    if agent.kind == "opencode" and agent.model and "/" not in agent.model and not agent.base_url:
        yield ("model",), "expected provider/model, as opencode names it"
