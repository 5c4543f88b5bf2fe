"""The tables of a project that belong to no session: processes and their leases, accounts, contents, answered commands."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, LargeBinary, UniqueConstraint, text

from orchestrator.store.table_conventions import Integer, JsonText, Text, flag, index, one_of, table

hosts = table(
    "hosts",
    Column("incarnation", Text, primary_key=True),  # uuid of one process start
    Column("boot", Text, nullable=False),
    Column("pid_space", Text, nullable=False),  # a pid means something only within one container
    Column("pid", Integer, nullable=False),
    Column("process_start", Integer, nullable=False),  # clock ticks since boot: tells a reused pid apart
    Column("roles", JsonText, nullable=False),
    Column("slots", Integer, nullable=False),
    Column("lease_until", Integer, nullable=False),
    Column("draining", Integer, nullable=False, server_default=text("0")),
    Column("started_at", Integer, nullable=False),
    Column("version", Text, nullable=False, server_default=text("''")),  # of the program that it runs
    Column("token", Text),  # the name of its token; NULL: it is on this machine
    CheckConstraint("slots > 0", name="slots"),
    flag("draining"),
)

host_tokens = table(  # what a host on another machine may ask with; a revoked one stays, as its hosts name it
    "host_tokens",
    Column("name", Text, primary_key=True),
    Column("sha256", Text, nullable=False),  # of the token, which nobody keeps
    Column("roles", JsonText, nullable=False),
    Column("slots", Integer, nullable=False),
    Column("created_at", Integer, nullable=False),
    Column("revoked_at", Integer),
    UniqueConstraint("sha256"),
    CheckConstraint("length(sha256) = 64", name="sha256"),
    CheckConstraint("slots > 0", name="slots"),
    CheckConstraint("name <> ''", name="name"),
)

person_tokens = (
    table(  # what a person's mirror on another machine may ask with; a revoked one stays, as edits name it
        "person_tokens",
        Column("name", Text, primary_key=True),
        Column("sha256", Text, nullable=False),  # of the token, which nobody keeps
        Column("created_at", Integer, nullable=False),
        Column("revoked_at", Integer),
        UniqueConstraint("sha256"),
        CheckConstraint("length(sha256) = 64", name="sha256"),
        CheckConstraint("name <> ''", name="name"),
    )
)

audit = table(  # who let hosts in and who turned them out, and what hosts were refused
    "audit",
    Column("id", Integer, primary_key=True),
    Column("at", Integer, nullable=False),
    Column("what", Text, nullable=False),
    Column("name", Text, nullable=False),  # of the token
    Column("who", Text, nullable=False),  # a person, or the incarnation of a host
    Column("detail", Text, nullable=False),
    one_of("what", ("added", "revoked", "joined", "refused"), "what"),
)

contents = table(
    "contents",
    Column("sha256", Text, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("body", LargeBinary),  # NULL: kept as a file named by its digest
    CheckConstraint("length(sha256) = 64", name="sha256"),
)

commands = table(
    "commands",
    Column("id", Text, primary_key=True),  # given by the caller: handled twice, applied once
    Column("name", Text, nullable=False),
    Column("session_id", Text),
    Column("digest", Text, nullable=False),  # of its arguments: one id for two commands is refused
    Column("answer", JsonText, nullable=False),
    Column("at", Integer, nullable=False),
)
index("ix_commands_at", commands.c.at)  # old ones are removed

leases = table(
    "leases",
    Column("name", Text, primary_key=True),  # "coordinator"
    Column("holder", Text, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("boot", Text, nullable=False),
    Column("pid_space", Text, nullable=False),  # a pid means something only within one container
    Column("pid", Integer, nullable=False),
    Column("process_start", Integer, nullable=False),
    Column("until", Integer, nullable=False),
    Column("at", Integer, nullable=False),
    Column("version", Text, nullable=False, server_default=text("''")),  # of the program that it runs
    CheckConstraint("epoch > 0", name="epoch"),
)

engines = table(  # what the coordinator knows of the engine that delivers offers; no row: none does
    "engines",
    Column("address", Text, primary_key=True),
    Column("queues", Text, nullable=False),  # how the names of its task queues begin
    Column("version", Text),  # of the engine; NULL: it cannot be reached
    Column("since_at", Integer, nullable=False),  # since when it can, or cannot
    Column("why", Text, nullable=False),  # why not
    CheckConstraint("address <> ''", name="address"),
    CheckConstraint("length(why) <= 500", name="why"),
)

custody = table(  # of sessions that have ever moved between cells of a fleet; others are here
    "custody",
    Column("session_id", Text, primary_key=True),  # stays when the session has gone
    Column("epoch", Integer, nullable=False),  # of its last move
    Column("state", Text, nullable=False),
    Column("peer", Text, nullable=False),  # the cell that it goes to, or comes from
    Column("messages", Integer, nullable=False),  # as it began to leave: nothing may have been added since
    Column("at", Integer, nullable=False),
    CheckConstraint("epoch > 0", name="epoch"),
    CheckConstraint("state IN ('here', 'leaving', 'coming', 'gone')", name="state"),
)

residents = table(  # the directory of a fleet, in the database of one of its cells
    "residents",
    Column("session_id", Text, primary_key=True),
    Column("cell", Text, nullable=False),
    Column("epoch", Integer, nullable=False),  # of the move that brought it there
)

cells = table(  # the cells of a fleet that are not open, and those that were not
    "cells",
    Column("name", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("at", Integer, nullable=False),
    CheckConstraint("state IN ('open', 'draining', 'drained', 'retired')", name="state"),
)

rate_limits = table(  # a row stays until the account answers again, and counts when it is not yet over
    "rate_limits",
    Column("name", Text, primary_key=True),  # the project's, whatever session or host met the limit
    Column("limited_until", Integer, nullable=False),  # wall clock: it is told so, and outlasts a reboot
    Column(
        "since_at", Integer, nullable=False
    ),  # an answer to a call that began before it says nothing of it
    Column("guesses", Integer, nullable=False),  # how often in a row nobody said when it ends
    Column("agent", Text, nullable=False),  # who met it
    Column("why", Text, nullable=False),
    CheckConstraint("name <> ''", name="name"),
    CheckConstraint("limited_until > since_at", name="limited_until"),
    CheckConstraint("guesses >= 0", name="guesses"),
    CheckConstraint("length(why) <= 500", name="why"),
)
