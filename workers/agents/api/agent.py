"""The `api` agent: a model asked directly over HTTP, through pydantic-ai. It answers and edits nothing.

The library is an extra (`team-lifecycle[api]`) and takes a second to load: whatever imports it is in `api_call`, which
is imported with the first call.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Literal
from urllib.parse import SplitResult, urlsplit

from orchestrator.domain.dataclass import replace
from orchestrator.domain.errors import AgentUnavailable
from orchestrator.domain.model_providers import PROVIDERS, Provider
from workers.agents.api.target import Target
from workers.agents.protocol import AgentReply, AgentRequest, Timeouts

if TYPE_CHECKING:
    from orchestrator.config.settings import AgentSettings

INSTALL = "pip install 'team-lifecycle[api]'"
LIBRARIES = ("pydantic_ai", "anthropic", "openai", "google.genai")
_loading = Lock()  # of threads that import a large library at once, one may find it half made


class ApiAgent:
    """Asks `model`, as in "anthropic:claude-sonnet-4-5". Its key is read from `environ` at each call.

    `timeouts` are the agent's own; without them the request's hold, save that a model which loads or thinks before its
    first word is normal: start is off.
    """

    def __init__(
        self,
        name: str,
        model: str | None,
        *,
        environ: Mapping[str, str],
        base_url: str | None = None,
        key_env: str | None = None,
        effort: Literal["low", "medium", "high"] | None = None,
        timeouts: Timeouts | None = None,
    ) -> None:
        self.name = name
        self._model = model or ""
        self._environ = environ
        self._base_url = base_url
        self._key_env = key_env
        self._effort = effort
        self._timeouts = timeouts

    @classmethod
    def of(
        cls, name: str, given: AgentSettings, environ: Mapping[str, str], timeouts: Timeouts | None
    ) -> ApiAgent:
        """The agent that the settings describe."""
        return cls(
            name,
            given.model,
            environ=environ,
            base_url=given.base_url,
            key_env=given.key_env,
            effort=given.effort,
            timeouts=timeouts,
        )

    def available(self) -> str | None:
        found = self._target()
        return None if isinstance(found, Target) else "; ".join(found.lines())

    def ask(self, request: AgentRequest) -> AgentReply:
        """Raises AgentUnavailable, AgentLimited, AgentOverloaded, AgentTimedOut, AgentCrashed or AgentRubbish."""
        target = self._target()
        if not isinstance(target, Target):
            raise target
        try:
            with _loading:
                from workers.agents.api.call import call
        except ImportError as error:  # a part of it is missing, or another version than we know
            raise AgentUnavailable(
                f"{self.name}: the library for model APIs cannot be loaded", why=str(error), fix=INSTALL
            ) from error
        return call(target, request, self._timeouts or replace(request.timeouts, start=None))

    def work(self, request: AgentRequest) -> AgentReply:
        raise AgentUnavailable(
            f"{self.name} cannot edit files: a model API only answers",
            fix="name a coding agent for this role",
        )

    def _target(self) -> Target | AgentUnavailable:
        name, _, model = self._model.partition(":")
        provider = PROVIDERS.get(name)
        if not model or provider is None:
            what = f"unknown provider {name!r}" if model else f"model {self._model!r} names no provider"
            return self._missing(
                what, f'set `agents.{self.name}.model` to "PROVIDER:MODEL"; known: {", ".join(PROVIDERS)}'
            )
        if not _installed():
            return self._missing("the library for model APIs is not installed", INSTALL)
        url = _address(provider, self._base_url)
        if url is None:
            what = (
                f"{self._base_url!r} is no address" if self._base_url else f"{name} has no address of its own"
            )
            return self._missing(what, f'set `agents.{self.name}.base_url`, as in "http://127.0.0.1:8000/v1"')
        names = (self._key_env,) if self._key_env else provider.keys
        key = next((value for each in names if (value := self._environ.get(each, "").strip())), "")
        if not key and (self._key_env or not provider.keyless):
            return self._missing(f"{' or '.join(names)} is not set", "set it to your key")
        if not (key.isascii() and key.isprintable()):
            return self._missing(f"{' or '.join(names)} holds no key", "set it to your key alone")
        return Target(self.name, provider, model, url, key, self._effort)

    def _missing(self, what: str, fix: str) -> AgentUnavailable:
        return AgentUnavailable(f"{self.name}: {what}", fix=fix)


def _installed() -> bool:
    """Whether the extra is there, found out without loading it."""
    try:
        return all(find_spec(module) is not None for module in LIBRARIES)
    except ModuleNotFoundError:  # the parent of a dotted name is missing
        return False


def _address(provider: Provider, given: str | None) -> str | None:
    """The base URL as the vendor's package wants it: people write it with and without the version at its end."""
    url = (given or provider.url or "").strip().rstrip("/")
    try:
        parts: SplitResult = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    if not usable:
        return None
    if provider.library == "openai":
        return url if parts.path else f"{url}/v1"
    return url.removesuffix("/v1beta").removesuffix("/v1")
