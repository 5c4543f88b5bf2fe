"""The users that a request names: in a list of their own, as personas, and as those who act in its requirements."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.text import is_cjk
from workers.builtin.language import Lexicon, lexicon_of
from workers.builtin.names import singular
from workers.builtin.people import actor_name, is_person, listed_people, people_in, persona
from workers.builtin.sentences import Sentence
from workers.builtin.wishes import doer_of, listed, same_person
from workers.documents.passage import ASKED, Passage

_TRIM = " \t.,;:!?。，；：！？、"
_NO_NAME = re.compile(r"[`{}<>\[\]=|/]")
_MAX_NEEDS = 6  # sentences kept with a user who acts in many


class Users:
    """Names of users, each once, with what the request says of them."""

    def __init__(self, found: Sequence[Sentence], passages: Sequence[Passage]) -> None:
        self.named: dict[str, tuple[str, ...]] = {}
        self.of_block: dict[str, str] = {}  # block of a user -> the user's name; empty for an invented person
        self.listing = "\n".join(row.text.lower() for row in found if row.role == "user")
        below = {passage.parent: passage.text for passage in reversed(passages)}
        for passage in passages:  # a heading of its own for each user
            if passage.role == "user" and passage.block.kind == "heading":
                occupation = passage.values.get("occupation", "")
                name = persona(passage.text, occupation, below.get(passage.block.id, ""))
                self.of_block[passage.block.id] = self.known(name)

    def known(self, name: str) -> str:
        """The name under which somebody is known already, else this one, which is kept."""
        same = self._same(name) or name
        if same:
            self.named.setdefault(same, ())
        return same

    def _same(self, name: str) -> str:
        return next(
            (known for known in self.named if any(same_person(one, name) for one in [known, *listed(known)])),
            "",
        )

    def described(self, row: Sentence, lex: Lexicon) -> bool:
        """Take a statement from a section about users; a paragraph may list several. False when it names nobody."""
        known = self.of_block.get(row.passage.parent)
        if known is not None:
            if known:
                self.named[known] = (*self.named[known], row.text)
            return True
        if not row.item and not re.search(r"[:：]", row.text):
            pieces = [re.sub(r"^(?:and|und|et|y) ", "", piece) for piece in listed(row.text, 14)]
            if len(pieces) > 1 or row.passage.label or is_cjk(row.text):
                for name in listed_people(pieces, lex):
                    self.known(name)
                return True
        name = actor_name(doer_of(row.text, lex) or row.text)
        acts = name.partition(" ")[0].lower() in lex.verbs and not is_person(name, lex)
        if not name or acts or len(name) > 60 or _NO_NAME.search(name):
            return False
        if not row.item and len(name.split()) > 5:
            return False
        needs = row.passage.values.get("needs") or row.passage.values.get("description") or ""
        rest = row.text.strip(_TRIM)
        known = self.of_block[row.passage.block.id] = self.known(name)
        if not self.named[known] and (needs or len(rest) > len(name) + 3):
            self.named[known] = (needs or rest,)
        return True

    def acting(self, row: Sentence, lex: Lexicon) -> None:
        """Take those who act in a requirement; one whom the list of users mentions under another name is known."""
        if row.role in ASKED and row.passage.values.get("user"):
            self._add(actor_name(row.passage.values["user"]), row.text)
        for name in people_in(row.text, lex, named=bool(self.listing)):
            if singular(name.lower()) not in self.listing or self._same(name):
                self._add(name, row.text)

    def _add(self, name: str, text: str) -> None:
        if lexicon_of(name).find("system", name) or not re.search(r"\w", name) or len(name) > 60:
            return
        known = self.known(name)
        if len(self.named[known]) < _MAX_NEEDS and text not in self.named[known]:
            self.named[known] = (*self.named[known], text)
