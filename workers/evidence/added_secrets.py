"""Credentials that a candidate adds, by their form or because this machine's environment holds them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.domain.evidence import CRITICAL, HIGH, Finding
from orchestrator.domain.inert import one_line
from orchestrator.domain.patterns import expression
from orchestrator.domain.secrets import Known, counted, mask
from workers.evidence.changed_files import ChangedFile, Changes

MOST_A_FILE = 20  # findings; a file with more is no better understood by the rest
_LONGEST_LINE = 200_000  # characters that are looked at in one piece
_QUOTED = 200
_ADDRESS_KIND = "password in an address"
_ADDRESS = expression(
    r"://(?P<user>[^\s/:@\"'<>]{0,200}):(?P<password>[^\s/@\"'<>]{1,400})@(?P<host>[\w.-]*)"
)
_SAMPLE_WORD = expression(
    r"pass|pwd?$|secret|change_?me|^x+$|\*\*|example|^(?:postgres|root|admin|guest|test)$"
)
_SAMPLE_HOST = expression(
    r"localhost|127\.[\d.]+|host|hostname|db|database|redis|postgres|mysql|rabbitmq"
    r"|(?:.+\.)?example(?:\.\w+)?|.+\.(?:invalid|test)"
)
_PRINTABLE = re.compile(rb"[\x20-\x7e]{12,}")


def added_secrets(changes: Changes, known: Known = frozenset()) -> list[Finding]:
    """A critical finding for each added line with a credential, quoted masked. Lines that only moved are not added."""
    found: list[Finding] = []
    for file in changes.files:
        if not file.is_deleted:
            found += list(_of_file(file, changes, known))[:MOST_A_FILE]
    return found


def credential_added(kind: str, place: str = "it") -> str:
    """The one sentence about an added credential."""
    return f"a credential is added ({kind}): {place} would be published with the branch"


def _of_file(file: ChangedFile, changes: Changes, known: Known) -> Iterator[Finding]:
    for number, line in _places(file):
        if line.strip() in changes.lines_before:
            continue
        for at in range(0, len(line), _LONGEST_LINE // 2):
            masked, kinds = counted(line[at : at + _LONGEST_LINE], known)
            if kinds:
                kind = next(iter(kinds))
                is_sample = set(kinds) == {_ADDRESS_KIND} and all(map(_is_sample, _ADDRESS.finditer(line)))
                place = "the name" if number < 0 else "it"
                yield Finding(
                    "secrets",
                    HIGH if is_sample else CRITICAL,
                    "secret:" + kind.replace(" ", "_"),
                    credential_added(kind, place),
                    mask(file.path, known),
                    max(number, 0),
                    one_line(masked.strip(), _QUOTED),
                    "read it from the environment, and revoke it if it is real",
                    blocks=not is_sample,
                )
                break


def _is_sample(found: re.Match[str]) -> bool:
    """Whether an address with a password is an example: the words of manuals, or a service on the same machine."""
    user, password, host = found["user"].lower(), found["password"].lower(), found["host"].lower()
    return password == user or bool(_SAMPLE_WORD.search(password)) or bool(_SAMPLE_HOST.fullmatch(host))


def _places(file: ChangedFile) -> Iterator[tuple[int, str]]:
    """Numbered lines to look at; -1 is the file's name, 0 a piece of a binary file."""
    if file.path != file.path_before or file.is_new:
        yield -1, file.path
    if file.after is not None and (file.is_binary or file.is_link):
        for piece in _PRINTABLE.finditer(file.after):
            yield 0, piece[0].decode()
    else:
        yield from file.added
