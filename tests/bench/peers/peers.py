"""The peers, their pinned versions, and how each is run. `{bin}`, `{port}` are filled in when it is started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

REDIS = ("redis-server", "--bind", "127.0.0.1", "--port", "{port}")
REDIS_URL = {"SERVER_URL": "redis://127.0.0.1:{port}/0"}
SNAPSHOTS = "Redis in memory, a snapshot now and then, no append-only file"


@dataclass(frozen=True, slots=True)
class Peer:
    name: str
    requirements: tuple[str, ...]  # the first is its version
    durability: str  # as it is by default
    worker: tuple[str, ...] = ()  # none: the process that asks for a chain runs it
    server: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    chains: int = 200  # one after another, for the hops
    many: int = 300  # at once, for the throughput

    @property
    def adapter(self) -> str:
        return f"with_{self.name}"

    @property
    def version(self) -> str:
        return self.requirements[0].partition("==")[2]


PEERS = (
    Peer(
        "huey",
        ("huey==3.5.4",),
        "SQLite WAL, FULL; a task leaves the queue before it runs",
        worker=("{bin}/huey_consumer", "with_huey.huey"),
    ),
    Peer(
        "langgraph",
        ("langgraph==1.2.22", "langgraph-checkpoint-sqlite==3.1.2"),
        "SQLite WAL, FULL; a checkpoint is written while the next step runs",
    ),
    Peer("dbos", ("dbos==3.4.0",), "SQLite rollback journal, FULL"),
    Peer(
        "dramatiq",
        ("dramatiq==2.2.1", "redis==8.1.0"),
        SNAPSHOTS,
        worker=("{bin}/dramatiq", "with_dramatiq"),
        server=REDIS,
        env=REDIS_URL,
    ),
    Peer(
        "celery",
        ("celery==5.7.0", "redis==8.1.0"),
        f"{SNAPSHOTS}; a task is acknowledged before it runs",
        worker=("{bin}/celery", "-A", "with_celery", "worker"),
        server=REDIS,
        env=REDIS_URL,
    ),
    Peer(
        "taskiq",
        ("taskiq==0.13.0", "taskiq-redis==1.2.4"),
        SNAPSHOTS,
        worker=("{bin}/taskiq", "worker", "with_taskiq:broker"),
        server=REDIS,
        env=REDIS_URL,
    ),
    Peer("luigi", ("luigi==3.8.1",), "an empty file a step, not flushed to disk", many=100),
    Peer(
        "prefect",
        ("prefect==3.8.8", "fastapi==0.139.0"),  # its server cannot be imported with a newer fastapi
        "its server's SQLite WAL, NORMAL",
        server=("{bin}/prefect", "server", "start", "--host", "127.0.0.1", "--port", "{port}"),
        env={
            "PREFECT_API_URL": "http://127.0.0.1:{port}/api",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "DO_NOT_TRACK": "1",
        },
        chains=20,  # up to a second each
        many=20,
    ),
)
