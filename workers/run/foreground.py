"""What people's commands ask of the workers' program about work in git: `python -P -m workers apply --project DIR --json`.

Each verb prints one JSON object; one that was refused prints `error` with what, why and what to do.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.domain.errors import GitError, LifecycleError, UnknownName
from orchestrator.domain.json_types import JsonObject

if TYPE_CHECKING:
    from orchestrator.config.settings import Settings
    from orchestrator.door.local_desk import LocalDesk
    from orchestrator.log import Logger
    from workers.git.session_work import SessionWork

HELP = {
    "apply": "bring a session's work into what the user has checked out",
    "patch": "write a session's work as a patch",
    "landed": "the differences that the commits of a task made",
    "compare": "what the commits of one session, or of two, changed",
    "bundle": "write a session's commits as a git bundle",
    "unbundle": "make a session's store from a bundle, or on its base alone",
    "fork": "make the store of a session that begins with what another one had landed",
    "lend": "make a bundle of what a run on another machine lacks; standard input says which run",
    "take-in": "take a commit of such a run into its session's store",
    "gc": "remove trees, trash and stores that nobody needs",
    "tidy": "bring refs up and remove trees of sessions that have ended",
    "repository": "whether git and the folder of trees can be used",
    "review-subject": "what a review would be of",
    "request-gaps": "what a request, on standard input, leaves open",
    "work-preview": "what building in the project would start from",
    "users-branch": "what the user has checked out, to bring a session's work onto it",
}


def add_verbs(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    for name, help in HELP.items():
        verb = verbs.add_parser(name, help=help)
        verb.add_argument("--project", type=Path, required=True)
        verb.add_argument("--json", action="store_true")
        if name in ("lend", "take-in"):
            verb.add_argument("--file", type=Path, required=True)
        if name in ("apply", "patch", "landed", "bundle", "unbundle", "users-branch", "fork", "compare"):
            verb.add_argument("--session", required=True)
        if name == "tidy":
            verb.add_argument("--session")
            verb.add_argument("--leaves", action="store_true", help="it goes to another machine")
        if name == "apply":
            verb.add_argument("--squash", action="store_true")
            verb.add_argument("--umask", type=int, default=0o022)
        if name in ("patch", "bundle"):
            verb.add_argument("--to", type=Path, required=True)
        if name == "unbundle":
            verb.add_argument("--base", required=True)
            verb.add_argument("--origin", required=True)
            verb.add_argument("--from", type=Path, dest="file")
        if name == "compare":
            verb.add_argument("--other")
            verb.add_argument("--diff", action="store_true")
        if name == "fork":
            verb.add_argument("--to", required=True)
            verb.add_argument("--head", required=True)
            verb.add_argument("--runs", type=Path, required=True)
        if name == "landed":
            verb.add_argument("--task", required=True)
        if name == "review-subject":
            verb.add_argument("--base")
            verb.add_argument("--head")
            verb.add_argument("--diff", type=Path)
            verb.add_argument("--include-dirty", action="store_true")
        if name == "gc":
            verb.add_argument("--dry-run", action="store_true")


def run(given: argparse.Namespace) -> int:
    """Do the verb and print what it says."""
    from orchestrator import interrupts

    interrupts.raise_again()
    try:
        found = _VERBS[given.verb](given)
    except LifecycleError as error:
        refused = {"what": error.what, "why": error.why, "fix": error.fix, "exit_code": error.exit_code}
        found = {"error": refused}
    except OSError as error:
        what = f"{error.strerror or error}: {error.filename}" if error.filename else str(error)
        refused = {"what": what, "why": "the operating system refused it", "fix": "lifecycle doctor"}
        found = {"error": {**refused, "exit_code": LifecycleError.exit_code}}
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


def _apply(given: argparse.Namespace) -> JsonObject:
    from workers.git.applying import apply

    with _opened(given) as (work, project):
        return apply(work, project, squash=given.squash, umask=given.umask).as_json()


def _patch(given: argparse.Namespace) -> JsonObject:
    from workers.git.applying import patch_of

    with _opened(given) as (work, _):
        body = patch_of(work)
        row = work.row()
        base = work.compared_with(row)
    given.to.write_bytes(body)
    return {"what": "patch", "base": base, "head": row.head, "bytes": len(body)}


def _landed(given: argparse.Namespace) -> JsonObject:
    from workers.git.applying import diff_of

    with _opened(given) as (work, _):
        landed = work.desk.landed(given.session)
        mine = [each for each in landed if each.task == given.task]
        if not mine:
            raise UnknownName("landed task", given.task, sorted({each.task for each in landed if each.task}))
        return {
            "commits": [
                {
                    "commit": each.commit_id,
                    "parent": each.parent,
                    "subject": work.private.git.run("log", "-1", "--format=%s", each.commit_id).line,
                    "diff": diff_of(work, each.parent, each.commit_id).decode("utf-8", "replace"),
                }
                for each in mine
            ]
        }


def _users_branch(given: argparse.Namespace) -> JsonObject:
    from workers.git.rebasing import users_branch

    with _opened(given) as (work, _):
        return users_branch(work).as_json()


def _bundle(given: argparse.Namespace) -> JsonObject:
    from workers.git.carrying import write_bundle

    with _opened(given) as (work, _):
        write_bundle(work, given.to)
    return {"bytes": given.to.stat().st_size}


def _lend(given: argparse.Namespace) -> JsonObject:
    """The folder of `--file` gets the bundle, under its digest."""
    from workers.git.checkouts import trees_folder
    from workers.landing.lending import Asked, lend

    asked = Asked(**json.loads(sys.stdin.buffer.read()))
    with _desk(given) as (desk, settings, _):
        return lend(desk, given.project, trees_folder(settings.work.trees), asked, given.file)


def _take_in(given: argparse.Namespace) -> JsonObject:
    from workers.git.checkouts import trees_folder
    from workers.git.session_work import open_work
    from workers.landing.taking_in import Offered, take_in

    offered = Offered(**json.loads(sys.stdin.buffer.read()))
    with _desk(given) as (desk, settings, _):
        work = open_work(desk, given.project, offered.session, trees_folder(settings.work.trees))
        take_in(work, given.file, offered)
    return {}


def _unbundle(given: argparse.Namespace) -> JsonObject:
    from workers.git.carrying import read_bundle

    workflow = given.project / ".workflow"
    return read_bundle(workflow, given.session, given.project, given.base, given.origin, given.file)


def _compare(given: argparse.Namespace) -> JsonObject:
    from workers.git.checkouts import trees_folder
    from workers.git.comparing_work import changes_of, difference, own_difference
    from workers.git.session_work import open_work

    with _desk(given) as (desk, settings, _):
        trees = trees_folder(settings.work.trees)
        names = [name for name in (given.session, given.other) if name is not None]
        works = [open_work(desk, given.project, name, trees) for name in names]
        diff = None
        if given.diff:
            diff = difference(*works) if len(works) > 1 else own_difference(works[0])
        return {
            "changes": {name: changes_of(work) for name, work in zip(names, works, strict=True)},
            "diff": diff,
        }


def _fork(given: argparse.Namespace) -> JsonObject:
    from workers.git.forking import fork_store

    runs = json.loads(given.runs.read_bytes())
    with _opened(given) as (work, project):
        return {"store": os.fspath(fork_store(work, project, given.to, given.head, runs))}


def _gc(given: argparse.Namespace) -> JsonObject:
    from workers.git.checkouts import trees_folder
    from workers.git.collecting import collect

    with _desk(given) as (desk, settings, log):
        trees = trees_folder(settings.work.trees)
        return collect(desk, given.project, lambda: trees, log, dry=given.dry_run).as_json()


def _tidy(given: argparse.Namespace) -> JsonObject:
    from workers.git.checkouts import trees_folder
    from workers.git.tree_maintenance import TreeMaintenance

    with _desk(given) as (desk, settings, log):
        trees = trees_folder(settings.work.trees)
        maintenance = TreeMaintenance(desk, given.project, lambda: trees, log)
        if given.session is None:
            maintenance.poll()
            return {}
        state = desk.work_state(given.session)
        return {} if state is None else maintenance.tidy(state, leaves=given.leaves).as_json()


def _repository(given: argparse.Namespace) -> JsonObject:
    """What `doctor` shows of git."""
    import shutil

    from orchestrator.config import load_settings
    from workers.git.checkouts import RESERVE_BYTES, trees_folder
    from workers.git.git_process import Git, version
    from workers.git.user_repository import find_repository

    trees = trees_folder(load_settings(given.project, os.environ, {}).work.trees)
    there = next(path for path in (trees, *trees.parents) if path.exists())
    found: JsonObject = {
        "version": None,
        "fault": None,
        "kind": "none",
        "trees": os.fspath(trees),
        "inside": trees.resolve().is_relative_to(given.project.resolve()),
        "writable": there.is_dir() and os.access(there, os.W_OK | os.X_OK),
        "free": shutil.disk_usage(there).free,
        "needed": RESERVE_BYTES,
    }
    try:
        found["version"] = ".".join(map(str, version(Git(None, cwd=given.project))))
        repository = find_repository(given.project)
        if repository is not None:
            found["kind"] = "bare" if repository.top is None else "repository"
            found["kind"] = "empty" if repository.head() is None else found["kind"]
    except GitError as error:
        found["fault"] = [error.what, error.why, error.fix]
    return found


def _review_subject(given: argparse.Namespace) -> JsonObject:
    """The commits, and the patch in base 64."""
    from workers.git.reviewed_work import find_subject

    return find_subject(
        given.project, given.base, given.head, given.diff, include_dirty=given.include_dirty
    ).as_json()


def _work_preview(given: argparse.Namespace) -> JsonObject:
    from orchestrator.config import load_settings
    from workers.landing.work_preview import work_preview

    work = load_settings(given.project, os.environ, {}).work
    return work_preview(given.project, work, os.environ)


def _request_gaps(_: argparse.Namespace) -> JsonObject:
    from workers.builtin.gaps import gaps

    return {"gaps": gaps(sys.stdin.buffer.read().decode("utf-8"))}


@contextmanager
def _desk(given: argparse.Namespace) -> Iterator[tuple[LocalDesk, Settings, Logger]]:
    """The project's desk, its settings, and a log that goes where that of a host goes."""
    from orchestrator import log
    from orchestrator.config import load_settings
    from orchestrator.door.local_desk import LocalDesk
    from orchestrator.store.databases import database_of

    settings = load_settings(given.project, os.environ, {})
    workflow = given.project / ".workflow"
    database = database_of(given.project)
    database.refuse_other_schema()
    logger = log.configure(workflow / "logs" / "workers.jsonl", environ=dict(os.environ))
    store = database.store(settings)
    try:
        yield LocalDesk(store), settings, logger
    finally:
        store.close()


@contextmanager
def _opened(given: argparse.Namespace) -> Iterator[tuple[SessionWork, Path]]:
    """The session's work. Raises RepositoryUnusable."""
    from workers.git.checkouts import trees_folder
    from workers.git.session_work import open_work

    with _desk(given) as (desk, settings, _):
        trees = trees_folder(settings.work.trees)
        yield open_work(desk, given.project, given.session, trees), given.project


_VERBS: dict[str, Callable[[argparse.Namespace], JsonObject]] = {
    "apply": _apply,
    "patch": _patch,
    "landed": _landed,
    "bundle": _bundle,
    "unbundle": _unbundle,
    "lend": _lend,
    "take-in": _take_in,
    "compare": _compare,
    "fork": _fork,
    "gc": _gc,
    "tidy": _tidy,
    "repository": _repository,
    "review-subject": _review_subject,
    "users-branch": _users_branch,
    "request-gaps": _request_gaps,
    "work-preview": _work_preview,
}
