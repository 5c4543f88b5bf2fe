"""The files of generated roles, `roles/<role>.md`: what agents of a role are told, and whether an edited one can be used.

A file guides; what a role may do follows from the session's snapshot alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from orchestrator.config import resources
from orchestrator.domain.dynamic import CODE, DOCUMENT, FINDINGS, PLAN, TESTS, Capability
from orchestrator.domain.dynamic_roles import TaskAnalysis, views_of
from orchestrator.domain.patterns import expression
from orchestrator.domain.pipelines import Role

FOLDER = "roles/"
LONGEST = 20_000  # characters of a file that an agent reads
FEWEST_WORDS = 5
MEANS = {
    FINDINGS: "what the project holds, each finding with the lines that show it; what is not shown does not count",
    DOCUMENT: "a document by sections, what it says of the project with the lines that show it",
    PLAN: "a plan whose tasks others carry out",
    CODE: "a commit in a private tree that lands when the checks and tests pass",
    TESTS: "a verdict by test runs on what has landed, against what passed before",
}
_FRONT = expression(r"\A---\n(.*?)\n---\n", re.S)
_NAME = expression(r"^role:\s*([a-z-]+)\s*$", re.M)


def path_of(role: str) -> str:
    return f"{FOLDER}{role}.md"


def role_files(analysis: TaskAnalysis, roles: Mapping[str, Role]) -> dict[str, bytes]:
    """Path -> file, one for each generated role."""
    return {
        path_of(made.name): role_file(
            roles[made.name], [analysis.capability(name) for name in made.capabilities]
        )
        for made in analysis.roles
    }


def role_file(role: Role, capabilities: Sequence[Capability]) -> bytes:
    """The file of one role that does these."""
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(resources() / "config" / "templates"),
        undefined=StrictUndefined,
        autoescape=False,  # Markdown, and only words of ours and of packs
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    text = environment.get_template("role_file.md.j2").render(
        role=role,
        capabilities=capabilities,
        perspectives=views_of(capabilities),
        means=MEANS,
    )
    return text.encode()


def guidance_of(text: str, role: str) -> str | None:
    """What a role's file tells its agents; None where an edit left nothing that can be used."""
    front = _FRONT.match(text)
    named = _NAME.search(front[1]) if front else None
    if front is None or named is None or named[1] != role:
        return None
    body = text[front.end() :].strip()
    unreadable = "\0" in body or "\N{REPLACEMENT CHARACTER}" in body or len(body) > LONGEST
    return None if unreadable or len(re.findall(r"\w{2,}", body)) < FEWEST_WORDS else body
