"""Loaded by Python at its start: makes one function of ours break, to see how the command line takes it."""

import sys
from importlib.abc import MetaPathFinder


class _Breaker(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]
        if name == "orchestrator.cli.drawing":
            raise RuntimeError("planted")
        return


sys.meta_path.insert(0, _Breaker())
