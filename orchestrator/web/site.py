"""What one server serves: its projects, and the rules that it was started with."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import UnknownName
from orchestrator.web.access import Access
from orchestrator.web.examined import Examined
from orchestrator.web.feed import Feed
from orchestrator.web.live_parts import LiveParts
from orchestrator.web.served import ServedProject


@dataclass(frozen=True, slots=True)
class Site:
    projects: Sequence[ServedProject]
    access: Access
    feed: Feed
    port: int
    read_only: bool = False
    allowed_host: str | None = None  # the name that a TLS proxy on this machine serves
    user_header: str | None = None  # where that proxy names the person
    bearer: str | None = None  # for programs
    examined: Examined = field(default_factory=Examined)
    live_parts: LiveParts = field(default_factory=LiveParts)

    def project(self, slug: str) -> ServedProject:
        """Raises UnknownName."""
        for each in self.projects:
            if each.slug == slug:
                return each
        raise UnknownName("project", slug, [each.slug for each in self.projects])

    def waiting(self) -> int:
        """How many things wait for a person in all projects."""
        return sum(each.waiting() for each in self.projects)
