"""Which options do something for which kind of agent; what would be taken and ignored is a fault."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from orchestrator.config.layers import Place
from orchestrator.domain.agent_kinds import BUILTIN, KINDS, AgentKind
from orchestrator.domain.dataclass import fields
from orchestrator.domain.model_providers import PROVIDERS
from orchestrator.domain.plain_values import unknown

if TYPE_CHECKING:
    from orchestrator.config.settings import AgentSettings

Found = tuple[Place, str]


def faults(
    name: str, agent: AgentSettings, given: Collection[str], left_out: Collection[str] = ()
) -> Iterator[Found]:
    """What cannot be meant by the settings of one agent, each with its place in them.

    `given`: the options that were written down. `left_out`: those given with a fault of their own, so that what depends
    on them cannot be judged.
    """
    if name == BUILTIN and agent.kind != BUILTIN:
        yield ("kind",), f"the name {BUILTIN} is the built-in agent's; give yours another one"
        return
    kind, standard = KINDS[agent.kind], type(agent)()
    for option in (each.name for each in fields(agent)):
        means = option in given and getattr(agent, option) != getattr(standard, option)
        if (means or option in left_out) and option != "kind" and option not in kind.takes:
            takes = ", ".join(sorted(kind.takes)) or "no options"
            yield (option,), f'does nothing for an agent of kind "{agent.kind}", which takes {takes}'
    if left_out:
        return
    if kind.started_as == "command" and not agent.command:
        yield (), 'an agent of kind "command" needs a command'
    if kind.started_as == "api":
        yield from _of_api(agent)
    if kind.is_client:
        yield from _of_client(agent, kind, given)


def _of_api(agent: AgentSettings) -> Iterator[Found]:
    if not agent.model:
        yield (), 'an agent of kind "api" needs a model, as in "anthropic:claude-sonnet-4-5"'
        return
    provider, _, model = agent.model.partition(":")
    if not model:
        yield ("model",), 'names no provider; expected one, as in "anthropic:claude-sonnet-4-5"'
    elif provider not in PROVIDERS:
        yield ("model",), unknown("provider", provider, PROVIDERS)
    elif PROVIDERS[provider].url is None and not agent.base_url:
        yield ("model",), f"{provider} needs a base_url, as in http://127.0.0.1:8000/v1"


def _of_client(agent: AgentSettings, kind: AgentKind, given: Collection[str]) -> Iterator[Found]:
    if len(agent.command) > 1:
        yield ("command",), "names a client's program alone: arguments would not be used"
    if "edits_files" in given and not agent.edits_files:
        yield ("edits_files",), "cannot be switched off for a coding agent; `agents_off` leaves it alone"
    if kind.key_needs_address and agent.key_env and not agent.base_url:
        yield ("key_env",), "does nothing without a base_url: the client's own login is used"
    if kind.names_provider and agent.model and "/" not in agent.model and not agent.base_url:
        yield ("model",), f"expected provider/model, as {kind.name} names it"
