"""The user's own git, in the foreground: with the user's configuration, hooks, signing and terminal.

Only `apply` uses it, and only where the user has asked for it. What it prints goes to standard error; it may ask.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import GitError, GitMissing, NotAllowedNow
from workers.git.git_process import QUOTED_BYTES, Answer

LOCAL = (  # `git rev-parse --local-env-vars`: they would lead it to another repository, such as that of a hook
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)
FOREIGN = b"dubious ownership"  # as git says it in the locale C


@dataclass(frozen=True, slots=True)
class UsersGit:
    """Git as the user would start it in `top`; `umask` is that of the user's shell."""

    top: Path
    umask: int

    def ask(self, *words: str, ok: Sequence[int] = (0,)) -> Answer:
        """The answer of `git WORDS`, which reads only. Raises GitMissing, GitError, NotAllowedNow."""
        done = self._run(["--no-optional-locks", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        if done.code not in ok and FOREIGN in done.err:
            raise NotAllowedNow(
                "git refuses your repository: it belongs to another user",
                why=done.err.decode(errors="replace").splitlines()[0],
                fix=f"run the command as its owner; if you trust the repository, "
                f"`git config --global --add safe.directory {shlex.quote(str(self.top))}`",
            )
        if done.code not in ok:
            said = done.err.decode(errors="replace").strip()[:QUOTED_BYTES]
            raise GitError(
                f"`git {words[0]}` failed", why=said or f"exit code {done.code}", fix="see `git status`"
            )
        return done

    def do(self, *words: str) -> int:
        """The exit code of `git WORDS`, which has the terminal. Raises GitMissing."""
        return self._run(words, stdin=None, stdout=sys.stderr.fileno()).code

    def _run(self, words: Sequence[str], stdin: int | None, stdout: int) -> Answer:
        environment = {name: value for name, value in os.environ.items() if name not in LOCAL}
        captured = stdout == subprocess.PIPE
        if captured:
            environment["LC_ALL"] = "C"  # what it says is read, or quoted among our own words
        program = ["git", *words]
        try:
            process = subprocess.Popen(
                program,
                cwd=self.top,
                env=environment,
                stdin=stdin,
                stdout=stdout,
                stderr=subprocess.PIPE if captured else None,
                umask=self.umask,
            )
        except FileNotFoundError as error:
            raise GitMissing(why="no program `git` is found") from error
        with process:
            try:
                out, err = process.communicate()
            except KeyboardInterrupt:
                process.wait()  # the terminal has interrupted it as well
                raise
        return Answer(out or b"", err or b"", process.returncode)
