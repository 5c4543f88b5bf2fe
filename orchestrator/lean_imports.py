"""Libraries are loaded without what they load beside it and nothing here asks for."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from inspect import iscoroutinefunction
from types import ModuleType

MISSING = (  # where these cannot be imported, who asks does without
    "rich",  # structlog's terminal renderer
    "greenlet",  # its thread locals
    "linkify_it",  # markdown-it's links in plain text, which are off
)

LATER: Mapping[
    str, Sequence[str]
] = {  # and what others take from them at once, to call it, if ever, much later
    "asyncio": (),  # structlog's and apscheduler's methods that nobody calls; with it comes ssl
    "importlib.metadata": (
        "entry_points",
    ),  # pydantic's plugins, which are off; with it come email, zipfile, csv
    "jinja2.compiler": ("CodeGenerator", "generate"),  # our templates are compiled
    "jinja2.lexer": ("Lexer", "TokenStream", "get_lexer"),
    "jinja2.parser": ("Parser",),
    "rapidfuzz.process": (),  # one text against many; we compare two
}


class _Later(ModuleType):
    """A module that is imported when something of it is used."""

    def __getattr__(self, name: str) -> object:
        if name == "__path__":  # `from ... import` asks for it first
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


class _LateCall:
    """A function or class of such a module, which is imported when it is called."""

    def __init__(self, module: _Later, name: str) -> None:
        self._module, self._name = module, name

    def __call__(self, *values: object, **named: object) -> object:
        return self._module.__getattr__(self._name)(*values, **named)  # type: ignore[operator]


@contextmanager
def alone() -> Iterator[None]:
    """Import libraries without MISSING, and with modules of LATER that are imported when something of them is used."""
    instead: dict[str, ModuleType | None] = dict.fromkeys(MISSING)
    for name, called in LATER.items():
        later = instead[name] = _Later(name)
        vars(later).update((each, _LateCall(later, each)) for each in called)
    vars(instead["asyncio"])["iscoroutinefunction"] = (
        iscoroutinefunction  # apscheduler asks whether a job is one
    )
    hidden = {name: module for name, module in instead.items() if name not in sys.modules}
    sys.modules.update(hidden)  # type: ignore[arg-type]  # None makes an import fail
    try:
        yield
    finally:
        for name, module in hidden.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
