"""The server's figures for Prometheus: what it has answered, and what the database says when it is asked.

Labels are roles, operations, outcomes and agents: their number does not grow with the work. Sums over all runs and calls
are read anew only after twenty times as long as reading them took, so that a scrape costs a twentieth of a core at most.
"""

from __future__ import annotations

import threading
import time
from collections import Counter as Counts
from collections.abc import Callable, Iterable

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from orchestrator import __version__
from orchestrator.door import wire
from orchestrator.store import fleet_counts, leases
from orchestrator.store.leases import SECOND
from orchestrator.store.rows import CallSums, Host, Leader
from orchestrator.store.store import Store, Tx

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
LEAST_SECONDS = 5.0  # between two readings of the sums
SHARE = 20.0  # times as long as reading them took
BUCKETS = (
    0.002,
    0.005,
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.5,
    1.0,
    2.0,
    5.0,
    30.0,
)  # seconds; a request for news is parked
RESULTS = {200: "ok", 409: "conflict", 429: "again", 503: "again", 500: "error"}
OTHERS = ("terms", "news", "agent")  # what is asked beside the desk's operations


AllTime = tuple[dict[str, int], list[CallSums]]


class Sums:
    """What is summed over all runs and calls (runs by outcome, calls by agent), kept for a while."""

    def __init__(self, read: Callable[[], AllTime], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._read = read
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._until = float("-inf")
        self._found: AllTime = ({}, [])

    def read(self) -> AllTime:
        """Raises what reading them raises."""
        with self._lock:
            begun = self._monotonic()
            if begun >= self._until:
                self._found = self._read()
                ended = self._monotonic()
                self._until = ended + max(LEAST_SECONDS, SHARE * (ended - begun))
            return self._found


class Metrics(Collector):
    """The figures of one server."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sums = Sums(lambda: store.read(lambda tx: (fleet_counts.outcomes(tx), fleet_counts.calls(tx))))
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "lifecycle_door_requests",
            "Requests of hosts, by operation and result.",
            ["operation", "result"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "lifecycle_door_request_seconds",
            "Seconds from a request to its answer, by operation.",
            ["operation"],
            buckets=BUCKETS,
            registry=self._registry,
        )
        self._registry.register(self)

    def asked(self, name: str, status: int, seconds: float) -> None:
        """A request was answered."""
        operation = name if name in OTHERS or wire.operation(name) is not None else "unknown"
        self._requests.labels(operation, RESULTS.get(status, "refused")).inc()
        self._seconds.labels(operation).observe(seconds)

    def text(self) -> bytes:
        """Everything, as Prometheus reads it. Raises StoreError."""
        return generate_latest(self._registry)

    def describe(self) -> Iterable[Metric]:
        """Nothing is read to learn the names."""
        return ()

    def collect(self) -> Iterable[Metric]:
        now, lease_now, offered, running, hosts, leader = self._store.read(_now)
        yield _labelled("lifecycle_info", "The server's version.", "version", {__version__: 1})
        yield from _of_offers(offered, now)
        yield _labelled(
            "lifecycle_open_runs", "Runs under way, by role.", "role", {r.role: r.runs for r in running}
        )
        yield from _of_hosts(hosts)
        yield from _of_leader(leader, now, lease_now)
        repeated = CounterMetricFamily(
            "lifecycle_database_repeated_units",
            "Units that this process tried again since others were quicker.",
        )
        repeated.add_metric([], self._store.backend.repeated)
        yield repeated
        outcomes, calls = self._sums.read()
        ended = CounterMetricFamily("lifecycle_runs", "Runs that have ended, by outcome.", labels=["outcome"])
        for outcome, number in sorted(outcomes.items()):
            ended.add_metric([outcome], number)
        yield ended
        yield from _of_calls(calls)


Now = tuple[int, int, list[fleet_counts.Offered], list[fleet_counts.Open], list[Host], Leader | None]


def _now(tx: Tx) -> Now:
    return (
        tx.now,
        tx.lease_now,
        fleet_counts.offers(tx),
        fleet_counts.open_runs(tx),
        leases.live_hosts(tx),
        leases.leader(tx),
    )


def _labelled(name: str, what: str, label: str, values: dict[str, float]) -> Metric:
    made = GaugeMetricFamily(name, what, labels=[label])
    for key, value in sorted(values.items()):
        made.add_metric([key], value)
    return made


def _of_offers(found: list[fleet_counts.Offered], now: int) -> Iterable[Metric]:
    offers: Counts[str] = Counts()
    oldest: dict[str, float] = {}
    for each in found:
        offers[each.role] += each.offers
        oldest[each.role] = max(oldest.get(each.role, 0.0), (now - each.first) / SECOND)
    yield _labelled("lifecycle_offers", "Tasks that wait for a host, by role.", "role", dict(offers))
    yield _labelled(
        "lifecycle_oldest_offer_seconds", "For how long the oldest of them has waited.", "role", oldest
    )


def _of_hosts(live: list[Host]) -> Iterable[Metric]:
    up = GaugeMetricFamily("lifecycle_hosts", "Hosts that are up.", labels=["where", "draining", "version"])
    slots: Counts[str] = Counts({"beside": 0, "joined": 0})
    kinds = Counts((_where(row), str(bool(row.draining)).lower(), row.version) for row in live)
    for row in live:
        slots[_where(row)] += 0 if row.draining else row.slots
    for kind, number in sorted(kinds.items()):
        up.add_metric(list(kind), number)
    yield up
    yield _labelled("lifecycle_slots", "Slots of hosts that are up and do not drain.", "where", dict(slots))


def _where(row: Host) -> str:
    return "beside" if row.token is None else "joined"


def _of_leader(leader: Leader | None, now: int, lease_now: int) -> Iterable[Metric]:
    up = leader is not None
    yield GaugeMetricFamily("lifecycle_leader", "1 while a coordinator leads.", value=float(up))
    if leader is not None:
        yield GaugeMetricFamily("lifecycle_leader_epoch", "How often the lead was taken.", value=leader.epoch)
        left = (leader.until - lease_now) / SECOND
        yield GaugeMetricFamily("lifecycle_leader_lease_left_seconds", "Until its lease ends.", value=left)
        age = (now - leader.at) / SECOND
        yield GaugeMetricFamily("lifecycle_leader_age_seconds", "Since it took the lead.", value=age)


def _of_calls(found: list[CallSums]) -> Iterable[Metric]:
    asked = CounterMetricFamily("lifecycle_agent_calls", "Calls of agents.", labels=["agent"])
    cost = CounterMetricFamily(
        "lifecycle_agent_cost_usd", "What they cost, where that is known.", labels=["agent"]
    )
    tokens = CounterMetricFamily("lifecycle_agent_tokens", "Tokens.", labels=["agent", "direction"])
    for each in sorted(found, key=lambda row: str(row.agent)):
        agent = str(each.agent)
        asked.add_metric([agent], each.calls)
        cost.add_metric([agent], each.cost_micros / 1_000_000)
        for direction, number in (
            ("in", each.tokens_in),
            ("out", each.tokens_out),
            ("cached", each.tokens_cached),
        ):
            tokens.add_metric([agent, direction], number)
    return asked, cost, tokens
