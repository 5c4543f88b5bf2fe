"""`typer`, with which commands declare their parameters; without it where a command line was read from `commands.json`.

Typer takes half as long to load as a reading command needs for all else. `without_typer` is called before a command's module
is loaded, in a process that runs no other command; what the module declares is then ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import typer as typer


class Exit(Exception):
    """A command ends with a code, as `typer.Exit`."""

    def __init__(self, code: int = 0) -> None:
        self.exit_code = code


class _Unread:
    """Typer where nobody reads declarations; what else a command uses of it loads it."""

    Exit = Exit

    @staticmethod
    def Option(*names: str, **more: object) -> None: ...

    @staticmethod
    def Argument(**more: object) -> None: ...

    def __getattr__(self, name: str) -> Any:
        import typer

        return getattr(typer, name)


class _Chosen:
    unread = False


def without_typer() -> None:
    _Chosen.unread = True


def __getattr__(name: str) -> Any:
    if name != "typer":
        raise AttributeError(name)
    if _Chosen.unread:
        return _Unread()
    import typer

    return typer
