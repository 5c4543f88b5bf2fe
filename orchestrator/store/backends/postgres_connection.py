"""Connections to a PostgreSQL server: how they are made, what is set on them, and how numbers pass."""

from __future__ import annotations

from typing import Any, cast

import psycopg
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.raw_cursor import RawCursor
from psycopg.types.numeric import Int8Dumper

from orchestrator.domain.errors import DatabaseUnusable

Connection = psycopg.Connection[tuple[Any, ...]]
DriverError = psycopg.Error
OLDEST = 150_000  # PostgreSQL 15
ENCODING = "UTF8"
CLIENT = {  # seconds, but for the last: a server that is cut off is noticed before a lease is over
    "connect_timeout": "3",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",  # milliseconds
}
SERVER = {  # a client that is cut off keeps no session's row locked
    "idle_in_transaction_session_timeout": "5s",
    "statement_timeout": "10s",
    "lock_timeout": "3s",
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "10s",
    "plan_cache_mode": "force_generic_plan",
    "jit": "off",
    "client_min_messages": "warning",
}


class _Number(Loader):
    """A NUMERIC, which sums and means of integers are here, as SQLite gives it."""

    def load(self, data: Any) -> int | float:
        text = bytes(data).decode()
        return float(text) if "." in text else int(text)


def address(url: str, password: str | None) -> str:
    """What libpq connects to. Raises DatabaseUnusable for a URL that it cannot read."""
    try:
        return make_conninfo(url) if password is None else make_conninfo(url, password=password)
    except psycopg.ProgrammingError as error:
        raise DatabaseUnusable(
            "the database's address cannot be read",
            why=" ".join(str(error).split()),
            fix="write it as postgresql://USER@HOST/DATABASE",
        ) from error


def connect(address: str, *, writes: bool = True) -> Connection:
    """A connection that begins no transaction by itself.

    Raises DriverError; DatabaseUnusable for an older server, and for a database that cannot hold every text.
    """
    settings = dict(CLIENT, options=" ".join(f"-c {name}={value}" for name, value in SERVER.items()))
    if writes:
        settings["target_session_attrs"] = "read-write"
    made = psycopg.connect(
        address,
        autocommit=True,
        cursor_factory=RawCursor,
        **cast(Any, settings),
    )
    if made.info.server_version < OLDEST:
        found = made.info.parameter_status("server_version")
        made.close()
        raise DatabaseUnusable(
            f"PostgreSQL {found} is too old", why="15 or newer is needed", fix="upgrade the server"
        )
    encoding = made.info.parameter_status("server_encoding")
    if encoding != ENCODING:
        made.close()
        raise DatabaseUnusable(
            f"the database is not in {ENCODING}",
            why=f"its encoding is {encoding}, which cannot hold every text",
            fix=f"make one that is: createdb --encoding {ENCODING} --template template0 NAME",
        )
    made.adapters.register_dumper(int, Int8Dumper)  # one prepared form, however large a number is
    made.adapters.register_loader("numeric", _Number)
    return made


def described(address: str) -> str:
    """The server and its database, without a password."""
    parts = conninfo_to_dict(address)
    if "service" in parts:
        return f"PostgreSQL, service {parts['service']}"
    return f"PostgreSQL at {parts.get('host', 'localhost')}, database {parts.get('dbname', '')}"
