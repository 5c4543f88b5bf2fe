"""What PostgreSQL's errors mean: which say that the same unit should be tried again, and the others in our words."""

from __future__ import annotations

import re

import psycopg
from psycopg import errors

from orchestrator.domain.errors import DatabaseBusy, DatabaseUnusable, DiskFull, StoreError
from orchestrator.domain.patterns import expression

REPEATED = (  # somebody else was quicker: the whole unit is right once it has seen what they did
    errors.SerializationFailure,
    errors.DeadlockDetected,
    errors.LockNotAvailable,
    errors.UniqueViolation,
)
_REFUSED = expression(  # a server that answers so is there, and will say the same again
    r"password authentication failed|no password supplied|authentication failed|does not exist|no pg_hba.conf entry"
    r"|not permitted to log in|not currently accepting connections|permission denied|definition of service"
)
_GONE = ("08", "57P01", "57P02", "57P03", "25P03", "53300")  # by SQLSTATE, or how it begins


def is_repeated(error: psycopg.Error) -> bool:
    """Whether the whole unit is to be tried again, a bounded number of times."""
    return isinstance(error, REPEATED)


def is_outage(error: psycopg.Error) -> bool:
    """Whether the server went away, is not up yet or takes no further connection: it may be back soon."""
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) and error.sqlstate is None:
        return not is_refusal(error)
    return (error.sqlstate or "").startswith(_GONE)


def is_refusal(error: psycopg.Error) -> bool:
    """Whether the server is there and lets us not in: its answer to a connection has no SQLSTATE, only words."""
    return error.sqlstate is None and bool(_REFUSED.search(str(error)))


def explain(error: psycopg.Error, where: str) -> Exception:
    """The fault in our words; a broken constraint stays what it is, since it is an internal error."""
    why = " ".join(str(error).split())
    if is_refusal(error):
        return _refused(why, where)
    if is_outage(error):
        return DatabaseUnusable(
            "the database server cannot be used",
            why=f"{where}: {why}",
            fix="see that PostgreSQL is up and takes connections, then repeat the command",
        )
    if isinstance(error, psycopg.IntegrityError):
        return error
    if isinstance(error, errors.DiskFull):
        return DiskFull(why=f"{where}: {why}", fix="free some space on the database server")
    if is_repeated(error) or isinstance(error, errors.QueryCanceled):
        return DatabaseBusy(why=f"{where}: {why}", fix="repeat the command when the server has less to do")
    if isinstance(error, errors.InsufficientPrivilege):
        return DatabaseUnusable(
            "the database cannot be written",
            why=f"{where}: {why}",
            fix="check the rights of the database's user",
        )
    return StoreError(f"the database failed: {why}", why=where)


def _refused(why: str, where: str) -> DatabaseUnusable:
    if "password" in why:
        fix = "set PGPASSWORD, or name the password's place: database.password_env or database.password_file"
    elif re.search(r'database "[^"]*" does not exist', why):
        fix = "make it on the server (`createdb`), or name another one: database.url in .workflow/config.toml"
    else:
        fix = "check database.url in .workflow/config.toml, and the rights of its user on the server"
    return DatabaseUnusable("the database server refuses the connection", why=f"{where}: {why}", fix=fix)
