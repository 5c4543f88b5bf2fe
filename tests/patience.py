"""Deadlines of tests: how long a fact may take to come true, longer on a machine that has more to do than it can."""

from __future__ import annotations

import os

MOST = 5.0  # times as long, however busy: whoever waits for what never comes is told some time


def patient(seconds: float) -> float:
    """These seconds, as many times as there are processes to a core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return seconds * min(MOST, max(1.0, os.getloadavg()[0] / cores))
