"""Moving a project's rows from its SQLite file into a PostgreSQL database, once, while nothing works with them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from orchestrator import failpoints
from orchestrator.config import load_database, sources
from orchestrator.config.database_table import with_database
from orchestrator.domain.errors import ConfigError, NotAllowedNow, UsageError
from orchestrator.project import Project
from orchestrator.store import copying, files, leases, queries
from orchestrator.store.backends.sqlite_moved import refuse_retired, retire
from orchestrator.store.databases import PostgresDatabase, on_server
from orchestrator.store.store import Store, Tx
from orchestrator.store.tables import metadata

CONFIG = "config.toml"  # in `.workflow`


def adopt_database(
    project: Project, source: Store, target: PostgresDatabase, *, wanted: str | None = None
) -> dict[str, int]:
    """Table -> how many rows were copied into the target, whose tables are made first.

    What arrived is compared by number and digest. `wanted`: the project's settings from now on; they are written, and the
    file, which stays, takes no change any more. Raises NotAllowedNow while a coordinator, a worker host or a run of the
    project is alive, DatabaseUnusable, StoreError for a database that has other rows; then nothing was copied.
    Raises DatabaseMoved where another process was quicker.
    """
    source.read(refuse_at_work)
    target.ensure()
    store = target.store()

    def unit(given: Tx) -> dict[str, int]:
        """Nobody writes into the file meanwhile; who waits for it finds that it takes no change."""
        refuse_retired(given.opened.cursor)
        refuse_at_work(given)
        counts = copying.copy_rows(given, store)
        failpoints.hit("adopt.copied")
        if wanted is not None:
            retire(given.opened.cursor, metadata, target.url)
        return counts

    try:
        counts = source.write(unit)
    finally:
        store.close()
    failpoints.hit("adopt.retired")
    if wanted is not None:
        _name(project, wanted)
    return counts


def _name(project: Project, wanted: str) -> None:
    """Only now: were the settings first, and the file's retirement not committed, both databases would take writes."""
    files.write(project.workflow, CONFIG, wanted.encode())
    failpoints.hit("adopt.named")


def finish(project: Project, target: PostgresDatabase, url: str, wanted: str) -> dict[str, int]:
    """What is left to do for a file that was retired for `url`: the settings. Table -> how many rows are there.

    Raises UsageError for another database, DatabaseUnusable for one that has no tables.
    """
    if target.url != url:
        raise UsageError(
            "the project's rows are in another database",
            why=f"an earlier `lifecycle adopt-database` copied them to {url}",
            fix="name that one; to move from one server to another, use `pg_dump`",
        )
    target.refuse_other_schema()
    store = target.store()
    try:
        counts = store.read(copying.count)
    finally:
        store.close()
    _name(project, wanted)
    return counts


def refuse_at_work(tx: Tx) -> None:
    """Raises NotAllowedNow while a coordinator, a worker host or a run of the project is alive."""
    if leases.leader(tx) or leases.live_hosts(tx) or queries.open_run_ids(tx):
        raise NotAllowedNow(
            "the project is at work",
            why="what is written while its rows are copied would be missing",
            fix="end the coordinator (`lifecycle daemon stop`) and wait until its hosts have ended",
        )


def counted(source: Store, target: PostgresDatabase) -> dict[str, int]:
    """Table -> how many rows `adopt_database` would copy; nothing is changed. Raises as it does."""
    source.read(refuse_at_work)
    if target.schema() is not None:
        store = target.store()
        try:
            store.read(copying.refuse_rows)
        finally:
            store.close()
    return source.read(copying.count)


def prepared(
    project: Project,
    url: str,
    password_env: str | None,
    password_file: str | None,
    environ: Mapping[str, str],
) -> tuple[PostgresDatabase, str]:
    """The database at that address, and the project's settings with it. Raises UsageError, ConfigError."""
    if load_database(project.root, environ) is not None:
        raise UsageError(
            "the project's database is on a server already",
            why=project.database.name,
            fix="to move from one server to another, use `pg_dump`, then change database.url in .workflow/config.toml",
        )
    file = project.workflow / CONFIG
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    named = {"url": url, "project": project.root.name}
    named |= {"password_env": password_env} if password_env is not None else {}
    named |= {"password_file": password_file} if password_file is not None else {}
    layers = partial(sources, project.root, environ)
    present = layers({}).values.get("database") or {}
    left = {key: value for key, value in named.items() if not (key == "project" and key in present)}
    if twice := sorted(present.keys() & left.keys()):
        raise UsageError(
            f"database.{twice[0]} is set already",
            why=f"{file} has it, or the environment",
            fix="leave the option out, or remove the setting",
        )
    try:
        given = layers({"database": left}).database()
    except ConfigError as error:
        raise UsageError(
            "the database cannot be used as named",
            why="; ".join(fault.removeprefix("--url: database.url: ") for fault in error.faults),
            fix="name it as docs/operations.md does",
        ) from error
    return on_server(project.root, given, environ), with_database(text, left)
