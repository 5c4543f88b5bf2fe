"""The one catalogue of agents: every kind, with all that both sides have to know of it.

A new agent program is one entry here and one file, `workers/agents/programs/NAME.py` (docs/decisions/0025). The entries are
code and not configuration, since they say what a program may see and where it may write: no pack and no project changes that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from orchestrator.domain.dataclass import dataclass

RULES = "rules"  # stands for an agent in the runs that ask none, as a quality check
BUILTIN = "builtin"  # ships with the product, needs no key and is free
OTHERS = "*"  # in an order of a pack: the coding agents that stand in and are not named in it
_CLIENT = frozenset({"command", "env", "model", "base_url", "account", "edits_files", "confine", "limits"})
_NODE = ("HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS")
_KEY_ENDS = ("_KEY", "_TOKEN")
_COMMON_HOMES = ("HOME", "XDG_CONFIG_HOME")


def by_rules(agents: Iterable[str]) -> bool:
    """Whether no model has judged: every opinion is one of rules."""
    return all(name in (RULES, BUILTIN) for name in agents)


@dataclass(frozen=True, slots=True)
class AgentKind:
    """How agents of one kind are started, what they may see and take, and how they report what they used."""

    name: str  # also of a client's program and of its file
    started_as: Literal["client", "command", "api", "builtin"] = "client"
    env: tuple[str, ...] = ()  # variables it may see beside the usual ones and its homes
    homes: tuple[str, ...] = ()  # variables with folders of its login and conversations, which stay writable
    places: tuple[
        str, ...
    ] = ()  # what it keeps of them below the home folder when no variable names another place
    xdg: str = ""  # its folder below XDG_CONFIG_HOME and the like
    steered_by: tuple[str, ...] = ()  # files, and folders with `/`, that instruct it from within a repository
    takes: frozenset[str] = _CLIENT  # options of its settings, beside `kind`
    reports: Literal["cost", "tokens", "maybe", "nothing"] = (
        "tokens"  # of what a call used; maybe: if it wants to
    )
    stands_in: bool = True  # whether `OTHERS` in an order means it too
    key_needs_address: bool = False  # `key_env` is for a `base_url` alone: it has a login of its own
    names_provider: bool = False  # without a `base_url` its models are called provider/model
    version: tuple[str, ...] = ("--version",)  # what a client is called with to tell its version

    @property
    def is_client(self) -> bool:
        """Whether it is a coding agent's own program, used wherever it is installed."""
        return self.started_as == "client"

    @property
    def sees(self) -> tuple[str, ...]:
        """The variables of ours that it may see beside the usual ones."""
        return (*self.env, *self.homes)

    @property
    def keys(self) -> tuple[str, ...]:
        """The variables it logs in with."""
        return tuple(name for name in self.env if name.endswith(_KEY_ENDS))


_ALL = (  # clients in the order in which they stand in
    AgentKind(BUILTIN, "builtin", takes=frozenset(), reports="nothing"),
    AgentKind("command", "command", takes=_CLIENT | {"key_env"}, reports="maybe"),
    AgentKind("api", "api", takes=frozenset({"model", "effort", "base_url", "key_env", "account", "limits"})),
    AgentKind(
        "claude",
        env=(
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "CLAUDE_CODE_OAUTH_TOKEN",
            *_NODE,
        ),
        homes=("CLAUDE_CONFIG_DIR",),
        places=(".claude", ".claude.json"),
        steered_by=("CLAUDE.md", "CLAUDE.local.md", ".claude/"),
        takes=_CLIENT | {"effort"},
        reports="cost",
        stands_in=False,
    ),
    AgentKind(
        "codex",
        env=("OPENAI_API_KEY", "CODEX_API_KEY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE"),
        homes=("CODEX_HOME",),
        places=(".codex",),
        steered_by=("AGENTS.md", "AGENTS.override.md", ".codex/"),
        takes=_CLIENT | {"effort", "key_env"},
        stands_in=False,
        key_needs_address=True,
    ),
    AgentKind(
        "gemini",
        env=(
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
            "GOOGLE_GEMINI_BASE_URL",
            "GOOGLE_CLOUD_PROJECT",
            "GOOGLE_CLOUD_LOCATION",
            "GOOGLE_APPLICATION_CREDENTIALS",
            *_NODE,
        ),
        homes=("GEMINI_CLI_HOME",),
        places=(".gemini",),
        steered_by=("GEMINI.md", ".gemini/"),
        stands_in=False,
    ),
    AgentKind(
        "qwen",
        env=(
            "OPENAI_API_KEY",
            "OPENAI_BASE_URL",
            "OPENAI_MODEL",
            "DASHSCOPE_API_KEY",
            "BAILIAN_CODING_PLAN_API_KEY",
            *_NODE,
        ),
        homes=("QWEN_HOME",),
        places=(".qwen",),
        steered_by=("QWEN.md", ".qwen/"),
        takes=_CLIENT | {"effort", "key_env"},
        key_needs_address=True,
    ),
    AgentKind(
        "opencode",
        env=(
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "GEMINI_API_KEY",
            "GOOGLE_GENERATIVE_AI_API_KEY",
            "OPENROUTER_API_KEY",
            "OPENCODE_API_KEY",
            *_NODE,
        ),
        homes=("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"),  # login, chosen model, downloads
        places=(".config/opencode", ".local/share/opencode", ".local/state/opencode"),
        xdg="opencode",
        steered_by=("opencode.json", "opencode.jsonc", ".opencode/"),
        takes=_CLIENT | {"effort", "key_env"},
        names_provider=True,
    ),
)
KINDS = {kind.name: kind for kind in _ALL}
CLIENTS = tuple(kind.name for kind in _ALL if kind.is_client)
PLACES = tuple(place for kind in _ALL for place in kind.places)
STEERED_BY = tuple(name for kind in _ALL for name in kind.steered_by)
HOMES = tuple(dict.fromkeys((*_COMMON_HOMES, *(home for kind in _ALL for home in kind.homes))))


def with_others(order: Iterable[str]) -> Iterator[str]:
    """A pack's order with `OTHERS` replaced by the coding agents that stand in and are not named in it."""
    named = tuple(order)
    for name in named:
        if name != OTHERS:
            yield name
        else:
            yield from (each for each in CLIENTS if KINDS[each].stands_in and each not in named)


def with_own(order: Iterable[str], own: Iterable[str]) -> tuple[str, ...]:
    """A pack's order with the user's own agents that it does not name: just before the built-in one, else at its end."""
    named = list(order)
    at = named.index(BUILTIN) if BUILTIN in named else len(named)
    return (*named[:at], *(name for name in own if name not in named), *named[at:])
