"""One run of one peer: cold start, hops, throughput, memory, and what becomes of a chain whose worker is killed."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from tests.bench.peers.adapters.steps import DOOMED, FATAL, KILLED, MARKS, STEPS
from tests.bench.peers.peers import Peer
from tests.bench.peers.processes import Failed, Program, answers, free_port

ADAPTERS = Path(__file__).parent / "adapters"


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run gave; None where nothing was measured."""

    hop_median_ms: float
    hop_p95_ms: float
    tasks_per_s: float
    memory_mb: float | None = None
    cold_start_s: float | None = None
    killed: str | None = None


class Marks:
    """When each step of each chain began, as the steps have written it down so far."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / MARKS
        self._file.touch()
        self._read = 0
        self.began: defaultdict[str, defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))

    def look(self) -> None:
        with self._file.open("rb") as marks:
            marks.seek(self._read)
            for line in marks:
                if not line.endswith(b"\n"):
                    break
                self._read += len(line)
                chain, number, nanoseconds = json.loads(line)
                self.began[chain][number].append(nanoseconds)

    def begun(self, chains: Sequence[str], number: int) -> bool:
        self.look()
        return all(number in self.began[chain] for chain in chains)

    def hops_ms(self, chain: str) -> list[float]:
        """From the beginning of a step, which does nothing, to that of the next."""
        began = self.began[chain]
        return [(began[step + 1][0] - began[step][0]) / 1e6 for step in range(1, STEPS)]


class Run:
    """The programs of one peer in one folder; `close` ends them."""

    def __init__(self, peer: Peer, venv: Path, folder: Path) -> None:
        self._peer = peer
        self._folder = folder
        self._words = {"bin": str(venv / "bin"), "port": str(free_port())}
        self._marks = Marks(folder)
        self._open = ExitStack()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def measure(self, *, kill_window: float | None) -> Figures:
        """`kill_window`: seconds a killed worker's chain is waited for; None: nobody is killed."""
        server = self._start_server()
        cold = self._cold_start()
        hops = self._hops()
        rate = self._throughput()
        memory = self._worker.memory_mb() + (server.memory_mb() if server else 0)
        killed = None if kill_window is None else self._kill(kill_window)
        cut = quantiles(hops, n=20)
        return Figures(median(hops), cut[-1], rate, memory, cold, killed)

    def _start(self, argv: Sequence[str]) -> Program:
        env = {name: value.format(**self._words) for name, value in self._peer.env.items()}
        program = Program(
            [word.format(**self._words) for word in argv],
            self._folder,
            {**env, "PYTHONPATH": str(ADAPTERS)},
        )
        self._open.callback(program.kill)
        return program

    def _start_server(self) -> Program | None:
        if not self._peer.server:
            return None
        server = self._start(self._peer.server)
        server.wait(lambda: answers(int(self._words["port"])), "its server")
        return server

    def _start_client(self) -> Program:
        return self._start(("{bin}/python", "-m", "client", self._peer.adapter))

    def _start_worker(self) -> Program:
        """The peer's own worker, or where it has none, the process that asks."""
        if self._peer.worker:
            return self._start(self._peer.worker)
        self._client = self._start_client()
        return self._client

    def _ask(self, chains: Sequence[str], *, again: bool = False) -> None:
        self._client.ask([list(chains), again])

    def _finished(self, chains: Sequence[str], what: str, seconds: float | None = None) -> None:
        self._worker.wait(lambda: self._marks.begun(chains, STEPS), what, *([seconds] if seconds else []))

    def _cold_start(self) -> float:
        """Seconds from the worker's start to the first step, which waits for it already."""
        if self._peer.worker:
            self._client = self._start_client()
            self._ask(["cold"])
            self._client.wait(lambda: self._client.said("sent"), "the first chain's sending")
        before = time.monotonic_ns()
        self._worker = self._start_worker()
        if not self._peer.worker:
            self._ask(["cold"])
        self._finished(["cold"], "the first chain's end")
        return (self._marks.began["cold"][1][0] - before) / 1e9

    def _hops(self) -> list[float]:
        hops = []
        for number in range(self._peer.chains):
            name = f"one-{number}"
            self._ask([name])
            self._finished([name], "a chain's end")
            hops += self._marks.hops_ms(name)
        return hops

    def _throughput(self) -> float:
        """Steps a second, from the asking for all chains to the beginning of the last step."""
        names = [f"many-{number}" for number in range(self._peer.many)]
        before = time.monotonic_ns()
        self._ask(names)
        self._finished(names, "the end of many chains")
        last = max(self._marks.began[name][STEPS][0] for name in names)
        return len(names) * STEPS / ((last - before) / 1e9)

    def _kill(self, window: float) -> str:
        """What becomes of a chain whose worker is killed in mid-chain and started again."""
        self._ask([DOOMED])
        self._worker.wait(lambda: self._marks.begun([DOOMED], FATAL), "the step to be killed in")
        self._worker.kill()
        (self._folder / KILLED).touch()
        self._worker = self._start_worker()
        before = time.monotonic()
        try:
            self._finished([DOOMED], "the killed chain's end", window)
        except Failed:
            return self._ask_again(window)
        return f"yes, after {time.monotonic() - before:.1f} s"

    def _ask_again(self, window: float) -> str:
        if self._peer.worker:
            return f"no, not in {window:g} s"
        self._ask([DOOMED], again=True)
        try:
            self._finished([DOOMED], "the killed chain's end", window)
        except Failed:
            return "no, not when asked again either"
        return "only when asked again" + (", from its start" if len(self._marks.began[DOOMED][1]) > 1 else "")
