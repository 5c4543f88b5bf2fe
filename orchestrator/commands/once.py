"""A command is applied once, however often it is sent: the caller's key, and the answer that it got.

The key is stored in the transaction of the command's effect, with a digest of the command and its arguments and with the
answer. The same command under the same key gets that answer again and changes nothing; another one is refused. What was
refused stored nothing, so that it can be sent again. Keys belong to the project: a command may name its session by its
first letters, or not at all, and is the same command when these mean another session later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from orchestrator import failpoints
from orchestrator.domain.command_keys import body_digest, check_key
from orchestrator.domain.dataclass import asdict, dataclass
from orchestrator.domain.json_types import JsonObject
from orchestrator.store import decisions
from orchestrator.store.store import Store, Tx


@dataclass(frozen=True, slots=True)
class Command:
    """A command and its arguments as its caller gave them; without a `key` it is applied as often as it is sent."""

    name: str
    arguments: JsonObject
    key: str | None = None

    @property
    def digest(self) -> str:
        return body_digest(self.name, self.arguments)

    def answer(self, tx: Tx) -> JsonObject | None:
        """The answer that it got before. Raises KeyReused when its key was for another command."""
        return None if self.key is None else decisions.answer_of(tx, self.key, self.digest)

    def keep(self, tx: Tx, session: str, answer: JsonObject) -> None:
        """Store the answer under the key, where there is one."""
        if self.key is not None:
            decisions.answered(tx, self.key, self.name, session, self.digest, answer)


class Answer(Protocol):
    """What a command returns: a dataclass of text, flags, and tuples of text, so that it can be stored as JSON."""

    @property
    def session(self) -> str: ...


A = TypeVar("A", bound=Answer)


def command(name: str, key: str | None, **arguments: object) -> Command:
    """Raises UsageError for an invalid key."""
    check_key(key)
    return Command(name, dict(arguments), key)


def apply_once(store: Store, given: Command, kind: type[A], unit: Callable[[Tx], A]) -> A:
    """The answer of `unit`, or the one that the command got before. Raises KeyReused, and what the unit raises."""

    def once(tx: Tx) -> A:
        known = given.answer(tx)
        if known is not None:
            return answer_again(kind, known)
        done = unit(tx)
        given.keep(tx, done.session, asdict(done))  # type: ignore[call-overload]
        failpoints.hit("command.before_commit")
        return done

    done = store.write(once)
    failpoints.hit("command.after_commit")
    return done


def answer_again(kind: type[A], kept: JsonObject) -> A:
    """The stored answer, marked as one that was given before."""
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()}
    return kind(**{**values, "repeated": True})
