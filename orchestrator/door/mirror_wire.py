"""What a person's mirror asks and is answered, as JSON that is read strictly. Bytes are base64 in it."""

from __future__ import annotations

from typing import Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orchestrator.door.wire import NotReadable

PREFIX: Final = "mirror/"  # behind that of the door
LARGEST_EDIT: Final = 8 * 1024 * 1024  # bytes of a text that a person sends
LARGEST_CONTENT: Final = 64 * 1024 * 1024  # bytes of a document that a mirror gets
LOG_LINES: Final = 1_000  # at most, in one answer
M = TypeVar("M", bound="Message")

BINARY: Final = "it is no text: it is not UTF-8, or has a NUL"


class Message(BaseModel):
    """A question or an answer."""

    model_config = ConfigDict(strict=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64")

    def written(self) -> bytes:
        return self.model_dump_json().encode()


class Nothing(Message):
    """Asks without arguments."""


class Terms(Message):
    """Whose project it is: `identity` is the same as long as it is the same project."""

    name: str  # of the token
    project: str
    identity: str
    version: str


class AskSessions(Message):
    """`since`: only those that have changed since then, as `Sessions.now` told it; None: all."""

    since: int | None


class Sessions(Message):
    """Session -> the number of its newest message, which grows with every change."""

    now: int
    sessions: dict[str, int]


class AskFiles(Message):
    """`have`: digests of files that are no documents, and need not be sent again."""

    session: str
    have: dict[str, str] = Field(max_length=1_000)


class Document(Message):
    path: str
    version: int
    sha256: str
    size: int


class Files(Message):
    """A session at one moment. `rendered`: path -> text, None for what the mirror has."""

    number: int
    documents: list[Document]
    rendered: dict[str, str | None]


class AskLog(Message):
    session: str
    after: int
    upto: int


class Log(Message):
    """Lines of messages up to number `last`, which may be less than was asked for."""

    lines: str
    last: int


class AskContent(Message):
    session: str
    sha256: str


class Content(Message):
    body: bytes


class Edit(Message):
    """A person's text of a document, made from its version `base`, whose digest is named as well."""

    session: str
    path: str
    base: int
    base_sha256: str
    body: bytes


class Taken(Message):
    """`version`: it is the newest now; `known`: it was a version before; `conflict`: nothing but that was noted.

    `version` is the number of that version, in a conflict of the newest one.
    """

    state: Literal["version", "known", "conflict"]
    version: int


class Settle(Message):
    """The person is done with a text that was in conflict."""

    session: str
    path: str
    sha256: str


class Settled(Message):
    is_new: bool


class AskNews(Message):
    seen: int
    seconds: float


class News(Message):
    """`seen`: to be named when asking again."""

    seen: int


def read(model: type[M], body: bytes) -> M:
    """Raises NotReadable."""
    try:
        found = model.model_validate_json(body)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        told = (f"{'.'.join(map(str, each['loc'])) or 'body'}: {each['msg']}" for each in faults[:5])
        raise NotReadable(why="; ".join(told)) from error
    if any(isinstance(value, str) and "\0" in value for value in vars(found).values()):
        raise NotReadable(why="no name has a NUL in it")
    return found


def not_a_text(body: bytes) -> str:
    """Why these bytes cannot be an edit of a document, or nothing."""
    if len(body) > LARGEST_EDIT:
        return f"it has more than {LARGEST_EDIT >> 20} MiB"
    try:
        return BINARY if "\0" in body.decode() else ""
    except UnicodeDecodeError:
        return BINARY
