"""The code that an architect looks at: what has landed in the session, else the project as it is."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import GitError, TreeError
from workers.context.run_context import RunContext
from workers.evidence.changed_files import names_of, read_blobs
from workers.evidence.module_graph import CONTRACTS
from workers.explore.inventory import take_inventory
from workers.explore.knowledge import extension, knowledge
from workers.explore.manifests import read_manifest
from workers.explore.root import Root
from workers.explore.symbols import PARSED
from workers.git.git_process import Git
from workers.landing.reviewed_session import session_work

MOST_FILES = 5_000
MAX_FILE, MAX_TOTAL = 500_000, 40_000_000  # characters
MANIFESTS = (
    "package.json",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "Gemfile",
    "composer.json",
)


@dataclass(frozen=True)
class SeenCode:
    """Source files and manifests as text."""

    texts: Mapping[str, str]
    before: Mapping[str, str] = field(default_factory=dict)  # as the session found them
    has_landed: bool = False
    files_of: Mapping[str, int] = field(default_factory=dict)  # task -> files that its commits changed
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> frozenset[str]:
        """What the session has changed."""
        return (
            frozenset(path for path, text in self.texts.items() if self.before.get(path) != text)
            if self.has_landed
            else frozenset()
        )

    def dependencies(self, *, before: bool = False) -> dict[str, str]:
        """Name of each declared dependency -> the manifest that has it."""
        found: dict[str, str] = {}
        for path, text in sorted((self.before if before else self.texts).items()):
            if path.rpartition("/")[2] in MANIFESTS or _is_requirements(path):
                found.update((each.name, path) for each in read_manifest(path, text).dependencies)
        return found


def seen_code(context: RunContext) -> SeenCode:
    """The session's head beside its base, where something has landed; else the files of the project."""
    row = context.desk.work(context.session.id)
    if row is not None and row.head != row.base:
        try:
            return _landed(context)
        except (GitError, TreeError) as problem:
            note = f"what has landed could not be read: {problem.what}"
            return _folder(context, (note,))
    return _folder(context, ())


def _landed(context: RunContext) -> SeenCode:
    opened = session_work(context)
    row, git = opened.row(), opened.private.git
    commits = context.desk.landed(context.session.id)
    counts: dict[str, int] = {}
    for each in commits:
        if each.task:
            listed = git.run(
                "diff-tree", "-r", "--no-commit-id", "--name-only", "-z", each.parent, each.commit_id
            ).fields
            counts[each.task] = counts.get(each.task, 0) + len(listed)
    base = opened.compared_with(row)
    return SeenCode(_tree(git, row.head), _tree(git, base), True, counts)


def _tree(git: Git, commit: str) -> dict[str, str]:
    named = {path: id for path, id in names_of(git, commit).items() if _is_wanted(path)}
    kept = dict(sorted(named.items())[:MOST_FILES])
    bodies, _ = read_blobs(git, kept.values())
    return {
        path: bodies[id].decode("utf-8", "replace")
        for path, id in kept.items()
        if id in bodies and len(bodies[id]) <= MAX_FILE
    }


def _folder(context: RunContext, notes: tuple[str, ...]) -> SeenCode:
    known = knowledge()
    texts: dict[str, str] = {}
    left = MAX_TOTAL
    with Root(context.project) as opened:
        files = take_inventory(
            opened,
            skip_names=known.skip_folders,
            skip_path=context.workflow,
            late=context.live.stop.is_set,
        ).files
        for file in [each for each in files if _is_wanted(each.path) and each.size <= MAX_FILE][:MOST_FILES]:
            text = opened.text(file.path, MAX_FILE) if left > 0 else None
            if text is not None:
                texts[file.path] = text
                left -= len(text)
    context.check()
    return SeenCode(texts, notes=notes)


def _is_wanted(path: str) -> bool:
    name = path.rpartition("/")[2]
    if knowledge().secret(path):
        return False
    return extension(path) in PARSED or name in MANIFESTS or path in CONTRACTS or _is_requirements(path)


def _is_requirements(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.startswith("requirements") and name.endswith(".txt")
