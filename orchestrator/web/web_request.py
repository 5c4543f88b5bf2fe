"""One request as a handler sees it: who asks, what for, and the project and session it is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import LifecycleError
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import lookup
from orchestrator.web.access import Role
from orchestrator.web.language import Language, wanted
from orchestrator.web.served import ServedProject
from orchestrator.web.site import Site

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks: a person who came by a link, or a program with the bearer token."""

    person: str
    role: Role
    form_token: str = ""  # that each of its forms must carry; empty for a program, which has no cookie
    cookie: str = field(default="", repr=False)

    @property
    def decides(self) -> str:
        """For decision rows."""
        return f"{self.person} (web)"


class Query(BaseModel):
    """The parameters of an address; an unknown one is refused."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


class PageQuery(Query):
    part: Annotated[Literal["1"] | None, Field(description="Only the part of the page that changes.")] = None


class Skip(Query):
    skip: Annotated[int, Field(ge=0, le=10_000_000, description="How many of the group to leave out.")] = 0


@dataclass(frozen=True, slots=True)
class WebRequest:
    site: Site
    visitor: Visitor
    path: str
    names: Mapping[str, str]  # from the address: `p` the project, `session`, `task`, ...
    query: Any  # the route's model of the address's parameters, checked
    body: Any  # the route's model of the body, checked; None where it has none
    headers: Mapping[str, str]  # by names in lower case

    @property
    def project(self) -> ServedProject:
        """The project that the address names. Raises UnknownName."""
        return self.site.project(self.names["p"])

    def read(self, unit: Callable[[Tx, Session], T]) -> T:
        """What `unit` returns for the session that the address names, on one snapshot. Raises UnknownName, StoreError."""
        name = self.names["session"]
        return self.project.read(lambda tx: unit(tx, lookup.session(tx, name)))

    @property
    def asks_for_part(self) -> bool:
        """Whether only the part of the page is asked for that changes."""
        return isinstance(self.query, PageQuery) and self.query.part is not None

    def live_part(self) -> tuple[Hashable, Hashable]:
        """All that a part depends on besides the projects, and their versions. Raises UnknownName.

        Forms have keys of their own for each browser; who may not decide gets no form.
        """
        who = self.visitor.cookie if self.may_decide else ""
        key = (self.path, repr(self.query), who, self.may_decide, self.language.name)
        shown = [self.project] if "p" in self.names else self.site.projects
        return key, tuple(_version(each) for each in shown)

    @property
    def is_still_admitted(self) -> bool:
        """Whether the cookie has not ended since the request began: a stream can be open for long."""
        if not self.visitor.cookie:
            return True
        access = self.site.access
        found = access.visitor(self.visitor.cookie)
        return found is not None and not access.has_ended(self.visitor.person, found)

    @property
    def language(self) -> Language:
        """The one in which the pages speak to whoever asks."""
        return wanted(self.headers)

    @property
    def may_decide(self) -> bool:
        return self.visitor.role == "decide" and not self.site.read_only


def shown_at(path: str) -> str:
    """The path of what is shown: a form's own address shows nothing, the page that it is on does."""
    command = re.fullmatch(r"(/p/[^/]+/s/[^/]+)/commands/[^/]+", path)
    return command[1] if command else path


def _version(served: ServedProject) -> Hashable:
    """Equal to no other where it is not known: what is read then says why."""
    try:
        return None if served.file() is None else served.version()
    except (LifecycleError, OSError):
        return object()
