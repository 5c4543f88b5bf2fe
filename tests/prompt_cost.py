"""What a session sends to its agents, and how much of it lies in a beginning that was read before.

`python -m tests.prompt_cost 20` makes a session with a scripted agent on a request of 20 kB and prints the figures.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import scripted_model
from tests.command_agent import command_agent
from tests.corpus.long_request import long_request
from tests.runtime_harness import RuntimeHarness

PATIENCE = 3_600.0  # seconds of a lease: a busy machine must not take the runs away
ITEMS = 24  # requirements that the scripted agent finds


@dataclass(frozen=True)
class Sent:
    """The prompts of a session in the order in which they were sent."""

    prompts: Sequence[str]

    @property
    def characters(self) -> int:
        return sum(map(len, self.prompts))

    @property
    def known_share(self) -> float:
        """The share of the characters that lie in a beginning which an earlier prompt has in common."""
        return sum(known for known, _ in self.by_prompt()) / self.characters

    def by_prompt(self) -> Iterable[tuple[int, int]]:
        """(characters of a known beginning, all characters) of each prompt."""
        for at, prompt in enumerate(self.prompts):
            best = max((_shared(prompt, before) for before in self.prompts[:at]), default=0)
            yield best, len(prompt)


def _shared(one: str, other: str) -> int:
    """How many characters both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def session(folder: Path, kilobytes: int, items: int = ITEMS, **settings: Any) -> Sent:
    """A whole session of mode spec-only with a scripted command agent for everything."""
    asked = folder / "asked"
    asked.mkdir(parents=True)
    script = Path(scripted_model.__file__)
    agent = command_agent(
        "scripted", [sys.executable, "-I", "-S", str(script), str(asked), str(items)], environ={}
    )
    harness = RuntimeHarness(
        folder, agent, request=long_request(kilobytes), settings=settings, lease_seconds=PATIENCE
    )
    harness.run(harness.until("QUALITY-001"))
    harness.store.close()
    return Sent([path.read_text(encoding="utf-8") for path in sorted(asked.iterdir(), key=_when)])


def _when(path: Path) -> int:
    return path.stat().st_mtime_ns


def main() -> None:
    import logging

    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    settings = dict(each.split("=") for each in sys.argv[3:])
    with tempfile.TemporaryDirectory() as folder:
        sent = session(
            Path(folder), int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else ITEMS, **settings
        )
    for known, size in sent.by_prompt():
        print(f"{size:>8} characters, {known / size:4.0%} known")
    print(
        f"{len(sent.prompts)} calls, {sent.characters} characters, {sent.known_share:.1%} in a known beginning"
    )


if __name__ == "__main__":
    main()
