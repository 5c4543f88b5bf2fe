"""The user's repository: what is read from it.

Nothing here writes. A private store pins its base and publishes its head there: refs below `refs/lifecycle/` and
`refs/heads/lifecycle/`, with their logs and objects. Index, work tree, configuration, stash and every other ref stay as they
are, to the byte.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import GitError
from workers.git.git_process import Answer, Git

OURS = ":(exclude,glob)**/.workflow/**"  # never part of a base, whatever ignores it
CONVERSIONS = ("autocrlf", "eol", "filemode", "symlinks", "ignorecase", "precomposeunicode")


@dataclass(frozen=True)
class Submodule:
    """A submodule of a commit, and where its objects are: None where the user has not fetched them."""

    path: bytes
    commit: str
    objects: Path | None


@dataclass(frozen=True)
class UserRepository:
    """A repository of the user's, as `find_repository` found it."""

    git_dir: Path  # of this work tree
    common_dir: Path  # of all its work trees
    top: Path | None  # None: bare
    object_format: str

    @cached_property
    def git(self) -> Git:
        return Git(self.git_dir, cwd=self.git_dir)

    @property
    def objects(self) -> Path:
        return self.common_dir / "objects"

    def head(self) -> str | None:
        """The commit that is checked out, None where there is none yet. Raises GitError where HEAD is damaged."""
        found = self.git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", ok=(0, 1))
        if found.code == 0:
            return found.line
        if self.git.run("symbolic-ref", "--quiet", "HEAD", ok=(0, 1)).code == 0 and not self._has_branch():
            return None
        raise GitError("HEAD names no commit", why=f"{self.git_dir} is damaged, or its branch is gone")

    def _has_branch(self) -> bool:
        """Whether the branch that HEAD names is there, though it names no commit."""
        branch = self.git.run("symbolic-ref", "HEAD").line
        return bool(self.git.run("for-each-ref", "--count=1", branch).out)

    def ref(self, name: str) -> str | None:
        """The commit of a ref, None where there is no such ref."""
        found = self.git.run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", ok=(0, 1))
        return found.line if found.code == 0 else None

    def has(self, commit: str) -> bool:
        return self.git.run("cat-file", "-e", f"{commit}^{{commit}}", ok=(0, 1, 128)).code == 0

    def checked_out(self, branch: str) -> Path | None:
        """The work tree that has this ref checked out, if one has."""
        for record in self.git.run("worktree", "list", "--porcelain", "-z").out.split(b"\0\0"):
            fields = record.split(b"\0")
            if b"branch " + os.fsencode(branch) in fields:
                return Path(os.fsdecode(fields[0].removeprefix(b"worktree ")))
        return None

    @cached_property
    def conversions(self) -> dict[str, str]:
        """The repository's own settings of how files are written to a work tree."""
        named = rf"^core\.({'|'.join(CONVERSIONS)})$"
        found = self.git.run("config", "-z", "--get-regexp", named, ok=(0, 1))
        return dict(os.fsdecode(line).split("\n", 1) for line in found.fields if b"\n" in line)

    def promisors(self) -> list[str]:
        """The remotes of a partial clone that keep what it left out."""
        found = self.git.run("config", "-z", "--get-regexp", r"^remote\..*\.promisor$", ok=(0, 1))
        return [
            os.fsdecode(line.partition(b"\n")[0])[len("remote.") : -len(".promisor")] for line in found.fields
        ]

    def shallow(self) -> bytes | None:
        """The commits at which a shallow clone ends."""
        return _body(self.common_dir / "shallow")

    def sparse_patterns(self) -> bytes | None:
        """The patterns of a sparse checkout, None where everything is checked out."""
        if self._setting("core.sparseCheckout") != "true":
            return None
        return _body(self.git_dir / "info" / "sparse-checkout")

    def is_cone(self) -> bool:
        return self._setting("core.sparseCheckoutCone") == "true"

    def left_out_paths(self) -> list[bytes]:
        """Files that the sparse checkout of this work tree leaves out."""
        found = self.git.using(work_tree=self.top).run("ls-files", "-t", "-z", "--full-name")
        return [line[2:] for line in found.fields if line.startswith(b"S ")]

    def ignore_rules(self) -> bytes:
        """The patterns that the user's git ignores beside `.gitignore` files: `core.excludesFile`, then `info/exclude`."""
        files = (self._excludes_file(), self.common_dir / "info" / "exclude")
        return b"\n".join(_body(path) or b"" for path in files) + b"\n"

    def _excludes_file(self) -> Path:
        """As the user's git would find it: `Git` itself reads no configuration outside of a repository."""
        home = Path("~").expanduser()
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git"
        git = self.git.using(environment=(("HOME", os.fspath(home)),))
        for file in (self.common_dir / "config", home / ".gitconfig", folder / "config"):
            if file.is_file():
                words = ("--file", os.fspath(file), "--includes", "--type=path", "--get", "core.excludesFile")
                found = git.run("config", *words, ok=(0, 1))
                if found.code == 0:
                    return Path(found.line)
        return folder / "ignore"

    def missing(self, commit: str) -> list[str]:
        """Objects of the commit's tree that a partial clone has not fetched."""
        words = ("rev-list", "--objects", "--no-walk", "--missing=print", commit)
        return [line[1:] for line in self.git.run(*words).out.decode().splitlines() if line.startswith("?")]

    def submodules(self, commit: str, reader: Git) -> list[Submodule]:
        """The submodules of a commit that `reader` knows, in the order of their paths."""
        links: dict[bytes, str] = {}
        for line in reader.run("ls-tree", "-r", "-d", "-z", commit).fields:  # no files: links and folders
            if line.startswith(b"160000 "):
                described, _, path = line.partition(b"\t")
                links[path] = described.decode().split()[2]
        if not links:
            return []
        names = _module_names(commit, reader)
        return [Submodule(path, name, self._objects_of(names.get(path))) for path, name in links.items()]

    def _objects_of(self, name: bytes | None) -> Path | None:
        """Raises nothing for a name that leads elsewhere: it has no objects here."""
        if name is None or b".." in name.split(b"/") or name.startswith(b"/"):
            return None
        found = self.common_dir / "modules" / os.fsdecode(name) / "objects"
        return found if found.is_dir() else None

    def _setting(self, name: str) -> str | None:
        found = self.git.run("config", "--get", name, ok=(0, 1))
        return found.line if found.code == 0 else None


def find_repository(folder: Path) -> UserRepository | None:
    """The repository that `folder` belongs to, None where there is none. Raises GitError, GitMissing."""
    git = Git(None, cwd=folder, config=("core.bare=false",))  # a flag that others leave wrong

    def told(*words: str) -> Answer:
        return git.run("rev-parse", "--path-format=absolute", *words, ok=(0, 128))

    always = ("--absolute-git-dir", "--git-common-dir", "--show-object-format")
    asked = (*always, "--show-toplevel")  # a bare repository has none, and then the command fails
    found = told(*asked)
    lines = os.fsdecode(found.out).splitlines()
    if found.code != 0 and not lines:
        if b"not a git repository" in found.err:
            return None
        raise GitError("the repository cannot be read", why=found.err.decode(errors="replace").strip())
    if len(lines) != (len(asked) if found.code == 0 else len(always)):  # a line break in a path
        answers = [told(word) for word in asked]
        lines = [answer.line for answer in answers if answer.code == 0]
    return UserRepository(
        git_dir=Path(lines[0]),
        common_dir=Path(lines[1]),
        top=Path(lines[3]) if len(lines) == len(asked) else None,
        object_format=lines[2],
    )


def _module_names(commit: str, reader: Git) -> dict[bytes, bytes]:
    """Path -> name, as the commit's .gitmodules says."""
    blob = f"{commit}:.gitmodules"
    found = reader.run("config", "-z", "--blob", blob, "--get-regexp", r"\.path$", ok=(0, 1, 128))
    names = {}
    for line in found.fields:
        key, _, path = line.partition(b"\n")
        names[path] = key.removeprefix(b"submodule.").removesuffix(b".path")
    return names


def _body(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
