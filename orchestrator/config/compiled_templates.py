"""Shipped templates as the Python that `make shipped` makes of them: Jinja takes fifteen times as long to compile one.

The index notes the checksum of each template, and Jinja's version. Where one of them has changed since, the template itself
is compiled. Python keeps the bytecode as it does for any module.
"""

from __future__ import annotations

import json
from functools import cached_property
from importlib.machinery import SourceFileLoader
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

from orchestrator.config import resources

INDEX = "index.json"


class CompiledTemplates(BytecodeCache):
    """Of one folder below `config`, for environments with the options that `make shipped` compiled it with."""

    def __init__(self, folder: str) -> None:
        self._sources = resources() / "config" / folder
        self._made = made_of(folder)

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """The name alone; none for a file of others."""
        return name if filename is not None and Path(filename) == self._sources / name else ""

    def load_bytecode(self, bucket: Bucket) -> None:
        if self._checksums.get(bucket.key) != bucket.checksum:
            return
        file = self._made / module_of(bucket.key)
        code = SourceFileLoader(file.stem, str(file)).get_code(file.stem)
        if code is not None:  # errors name the template, whose lines they know
            bucket.code = code.replace(co_filename=str(self._sources / bucket.key))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Nothing: Python has kept what it compiled."""

    @cached_property
    def _checksums(self) -> dict[str, str]:
        """Of each template; none where Jinja is another one than that which compiled them."""
        file = self._made / INDEX
        if not file.is_file():
            return {}
        found: dict[str, str] = json.loads(file.read_bytes())
        return found if found.pop("jinja2") == jinja2.__version__ else {}


def made_of(folder: str) -> Path:
    """Where the compiled ones of a folder are."""
    return resources() / "config" / "shipped" / folder


def module_of(name: str) -> str:
    """The name of its file."""
    return name.replace(".", "_") + ".py"
