"""The users that a request names: in a list of their own, as personas, and as those who act in its requirements."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from orchestrator.domain.dataclass import replace
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk
from workers.builtin.names import singular
from workers.builtin.people import (
    actor_name,
    introduced,
    is_one_of,
    is_person,
    late_subjects,
    listed_people,
    names_somebody,
    people_in,
    people_named,
    persona,
)
from workers.builtin.people_reached import people_reached
from workers.builtin.phrases import TRIM
from workers.builtin.story_tellers import headed, in_parentheses, story_roles
from workers.builtin.users_in_prose import (
    AWAY,
    DOING,
    ends_as_many,
    has_verb,
    is_trait,
    tells_need,
    told_people,
)
from workers.builtin.wishes import doer_of, is_of, listed, same_person
from workers.documents.audience import denied
from workers.documents.lexicon import Lexicon, lexicon_of
from workers.documents.passage import ASKED, Passage
from workers.documents.property_rows import is_of_person, says_nothing
from workers.documents.reading_words import attribute_of, column_of, label_role, statement_words
from workers.documents.sentences import UNREAD, Sentence, split

_NO_NAME = expression(r"[`{}<>\[\]=|@]|://|^/|\w/\w+/")
_KINDS = expression(  # a heading that parts a section about users and names none: `Key user types`
    r"\W*(?:[\d.]+\s+)?(?:(?:the|and|of|for|our|a|key|basic|main|core|target|primary|secondary|end|other|further|user|users|personas?|stakeholders?|audiences?|customers?|roles?|role-based|types?|kinds?|details?|groups?|segments?|profiles?|overview|summary|matrix|access|permissions?|rights|characteristics|needs|goals|responsibilities|hierarchy|definitions?|list|table|&|/|-|–|,|:)\s*)+\W*",
    re.IGNORECASE,
)
_CALLED = expression(  # how a persona may be called: `Bea`, `Bea Ross, 41`, `The Adeyemi family`; not `Dock hand`
    r"(?:[\w.]+ )?[A-ZÀ-Ý][\w'’.-]*(?: [A-ZÀ-Ý][\w'’.-]*)*(?: family)?(?:[ ,(]+\d{1,3}\)?)?|\W*[一-鿿]{1,6}(?:[ ,，(（]+\d{1,3}\W*)?"
)
_PERSONA = expression(r"persona(?: #?\d+)?|人物", re.IGNORECASE)
_HEAD = expression(
    r"^(\*{0,2}[^*,;.:：–—()\[]{3,40}\*{0,2})(?:\s+[–—-]\s|\s*[:：,;(（\[])"
)  # the name before what is said of it
_DASHED = expression(r"^\*{0,2}[^*,;.:：–—()]{3,40}\*{0,2}\s+[–—-]\s")
_SAYS = expression(r"[:(]|\s[–—-]\s")  # what stands before is told of
_WHOSE = expression(r"[\w'’-]+(?: [\w'’-]+)? (?:of|with|on) (?:[\w'’-]+ ?){1,4}$")  # `parents with prams`
_SAID = expression(
    r"(?:^|\s)(?:must|should|shall|can|cannot|may|will|not)\s|^(?:not|no)\s", re.IGNORECASE
)  # in no list of names
_ASIDE = expression(r"\s*\([^()]*\)(?=\s+[a-z])")  # within a name: `Development (fundraising) teams`
_REGISTERED = expression(
    r"(?:registered|authenticated|authori[sz]ed|anonymous|(?:logged|signed)-in) users?", re.IGNORECASE
)
_RANKED = expression(  # `**Primary**: developers`
    r"^\W*(?:primary|secondary|tertiary|main|core|主要|次要|核心)(?: (?:users?|audience|personas?)|用户)?\**\s*[:：]\**\s*",
    re.IGNORECASE,
)
_CODE = expression(r"^`([^\W\d_][\w -]*)`(?=\s|$)")  # a role as it is called in code
_ARE = expression(  # what leads to the names: `Our users are ...`
    r"^(?:(?:the|our|die|les?|la|los) )?(?:[\w-]+ ){0,2}?(?:users|audience|target group|zielgruppen?|nutzer|anwender|utilisateurs|public cible|usuarios)(?: [\w-]+){0,3}? (?:are|is|includes?|sind|ist|sont|est|son)\s+"
    r"|^[^，。；]{0,12}(?:用户|人群|对象)(?:主要)?(?:为|是|包括)[:：]?",
    re.IGNORECASE,
)
_WHICH = expression(r",\s+(?:who|which|die|welche|qui|que)\s.*$", re.DOTALL)
_TELLS = expression(
    r"^[A-ZÀ-Ý].{24,}[.!]$|^.{9,}[；;]?$|^.{6,}[。！]$", re.DOTALL
)  # a sentence rather than a list of names
_LONGEST_HAN = 12  # characters of a name in Chinese
_MANY = 3  # sentences of an item that tells of several people
_SPEAKER = expression(r"\**([一-鿿]{2,6}|[A-Z][\w -]{2,25})\**[:：]\s*\S")  # `Parents: get a reminder`
_ROLES = expression(  # in a list of what is wanted: `Roles: clerk, site manager, auditor (read only)`
    r"\W*(?:user )?(?:roles?|actors?|rollen|rôles|ruoli|角色|用户角色)\W*[:：]\s*(\S.*)$", re.IGNORECASE
)
_ACTED = frozenset({"requirement", "use_case"})  # roles that name a user whom a list of them leaves out
_CELL = expression(r"[A-Z][\w'’-]*(?: (?!who\b)[\w'’-]+){0,4}")  # of a table: a name alone
_TOLD = frozenset({"", "problem", "background", "goal"})  # roles that tell of users where no list names them
_WHOEVER = expression(
    r"(?:anyone|anybody|everyone|everybody|people|individuals) who [^.;:,(]{3,80}", re.IGNORECASE
)
_TELLING = frozenset({"done", "code", "quotation"})  # roles without a statement that may hold a story
_FEW = 60  # sentences of a text that tells of nobody but its users
_OFTEN = 2  # statements that speak of somebody who is a user then
_MAX_NEEDS = 6  # sentences kept with a user who acts in many


def _occupation(row: Sentence, lex: Lexicon) -> str:
    """Who somebody is whom a table calls by an invented name: `Bea | Counter clerk, seasonal`; else empty."""
    told = actor_name(re.split(r"[,;.，；。]", row.passage.values.get("description", ""))[0])
    invented = any(_PERSONA.match(header.strip("* ")) for header, _ in row.passage.block.cells)
    named = invented and 0 < len(told.split()) <= 4 and is_person(told, lex)
    return (
        told
        if named and _CALLED.fullmatch(row.text.strip("* ")) and not is_person(actor_name(row.text), lex)
        else ""
    )


def _whoever(text: str) -> str:
    """A phrase that names no role and says who they are: `Anyone who owns a boat`; else empty."""
    found = _WHOEVER.match(text.strip("* "))
    return found[0] if found else ""


class Users:
    """Names of users, each once, with what the request says of them."""

    def __init__(self, found: Sequence[Sentence], passages: Sequence[Passage]) -> None:
        self.named: dict[str, tuple[str, ...]] = {}
        self.of_block: dict[str, str] = {}  # block of a user -> the user's name; empty for an invented person
        self.passages = passages
        told = (one.block.text for one in passages if one.role not in UNREAD or one.role in _TELLING)
        self.telling_stories = list(dict.fromkeys(name for text in told for name in story_roles(text)))
        self.told_across: set[str] = set()  # rows of such tables
        self.across: tuple[tuple[str, ...], dict[str, str]] | None = None  # of a table: who its columns are
        self.called: dict[str, str] = {}  # of somebody called by name: the role
        for row in found:
            named = introduced(row.text)
            self.called |= named
            words = [word for pair in named.items() for part in pair for word in part.split()]
            if (
                is_cjk(row.text) or len(row.text.split()) > len(words) + 1
            ):  # more than `From: Moira (secretary)`
                for role in named.values():
                    self.known(role)
        self.denied = [
            name
            for row in found
            for _, whom in denied(row.text)
            for name in people_named(whom) or listed(whom, 5)
        ]
        for passage in passages:  # of a use case: `| Primary actor | Visitor |`
            cells = [cell for _, cell in passage.block.cells]
            if len(cells) == 2 and passage.role != "user" and label_role(cells[0]) == "user":
                for piece in listed(cells[1], 4):
                    if is_person(actor_name(piece), lexicon_of(piece)):
                        self.known(actor_name(piece))
        self.listing = "\n".join(row.text.lower() for row in found if row.role == "user")
        below = {passage.parent: passage.text for passage in reversed(passages)}
        asking = {passage.block.section for passage in passages if passage.role in ASKED}
        for passage in passages:  # a heading of its own for each user
            if (
                passage.role == "user"
                and passage.block.kind == "heading"
                and not _KINDS.fullmatch(passage.text)
            ):
                if is_trait(passage.text):
                    self.of_block[passage.block.id] = ""
                    continue
                occupation = passage.values.get("occupation", "")
                name = persona(passage.text, occupation, below.get(passage.block.id, ""))
                wants = (*passage.block.section, passage.block.text) in asking
                if wants and not any(is_person(one, lexicon_of(one)) for one in name.split("/")):
                    continue  # what a user wants: `Booking`
                self.of_block[passage.block.id] = self.known(name)
        for passage, below_it in zip(passages, [*passages[1:], None], strict=False):
            for name in (
                headed(passage, below_it) if passage.block.kind == "heading" else in_parentheses(passage)
            ):
                self.known(name)

    def known(self, name: str) -> str:
        """The name under which somebody is known already, else this one, which is kept."""
        same = self._same(name) or (name if names_somebody(name) else "")
        if same:
            self.named.setdefault(same, ())
        return same

    def _listed(self, name: str) -> str:
        """As `known`, for an entry of a list of users: `Grower` and `Head grower` are two."""
        said = singular(name.lower())
        same = next((known for known in self.named if singular(known.lower()) == said), name)
        self.named.setdefault(same, ())
        return same

    def _teller(self, name: str) -> str:
        """The name of whose story it is: `clerk` of a listed `Head clerk`, while `night clerk` and `clerk` are two."""
        name = name if (short := name.partition(" with ")[0]) not in self.telling_stories else short
        said = singular(name.lower())
        for known in self.named:
            other = singular(known.lower())
            if other == said or (other.endswith(said) and known not in self.telling_stories):
                return known
            if is_of(known.lower(), name.lower()):
                return known
        return name

    def telling(self) -> None:
        """Take those whose stories no statement holds: in quotation marks, or shown as code."""
        for name in self.telling_stories:
            self.named.setdefault(self._teller(name), ())

    def _same(self, name: str) -> str:
        return next(
            (known for known in self.named if any(same_person(one, name) for one in [known, *listed(known)])),
            "",
        )

    def described(self, row: Sentence, lex: Lexicon) -> bool:
        """Take a statement from a section about users; a paragraph may list several. False when it names nobody."""
        row = replace(row, text=_ASIDE.sub("", _CODE.sub(r"\1", _RANKED.sub("", row.text))))
        if row.item and is_person(row.passage.label, lex) and not _RANKED.match(f"{row.passage.label}:"):
            return self._called(row)
        if _PERSONA.fullmatch(row.passage.label) or self._across(row):
            name = "" if not row.passage.label else persona(split(row.text, lex)[0], "", "")
            if name:
                self.known(name)
            return True
        if self._marked(row, lex) or self._told(row, lex):
            return True
        known = self.of_block.get(row.passage.parent)
        several = self._several(row, lex)
        if several:
            for name in several:
                self.known(name)
            return True
        if known is not None:
            if known:
                self.named[known] = (*self.named[known], row.text)
            return True
        if not row.item and not re.search(r"[:：]", row.text) and not _DASHED.match(row.text):
            named = _ARE.sub("", _WHICH.sub("", row.text))
            pieces = [re.sub(r"^(?:and|und|et|y) ", "", piece) for piece in listed(named, 14)]
            told = (
                max(map(len, pieces), default=0) > _LONGEST_HAN
                if is_cjk(named)
                else any(map(_SAID.search, pieces))
            )
            if told and not row.passage.label:
                return False
            if len(pieces) > 1 or row.passage.label or is_cjk(row.text):
                names = listed_people(pieces, lex)
                tells = not row.passage.label and has_verb(row.text, lex) and not is_cjk(row.text)
                if tells and not any(is_person(name, lex) for name in names):
                    return False
                for name in names:
                    self.known(name)
                return True
        head = None if is_cjk(row.text) else _HEAD.match(row.text)
        said = _occupation(row, lex) or (re.sub(r"[*_]", "", head[1]) if head else row.text)
        name = said if _REGISTERED.fullmatch(said.strip()) else actor_name(doer_of(said, lex) or said)
        if row.item and (whoever := _whoever(row.text)):
            self._listed(whoever)
            return True
        short = name if _WHOSE.match(name) else DOING.sub("", name)
        many = row.item and ends_as_many(short) and short.lower() not in statement_words("groups")
        name = short if is_person(short, lex) or many else name  # `Operator running several shops`
        if row.passage.block.kind == "row" and _CELL.fullmatch(row.text) and row.text.startswith(name):
            name = row.text  # `Tourists from abroad`
        if not row.item and not head and lex.language == "en" and not is_person(name, lex):
            return False
        acts = name.partition(" ")[0].lower() in lex.verbs and not is_person(name, lex)
        if not names_somebody(name) or acts or len(name) > 60 or _NO_NAME.search(name):
            return False
        if lex.language == "en" and not is_person(name, lex):
            if is_trait(name) and row.item:
                return True
            if row.passage.block.kind == "item" and tells_need(name, lex):
                return False
        needs = row.passage.values.get("needs") or row.passage.values.get("description") or ""
        rest = row.text.strip(TRIM)
        known = self.of_block[row.passage.block.id] = self._listed(name) if row.item else self.known(name)
        if not self.named[known] and (needs or len(rest) > len(name) + 3):
            self.named[known] = (needs or rest,)
        return True

    def _called(self, row: Sentence) -> bool:
        """Take the person whom a label names, with what is said of them."""
        known = self._listed(actor_name(row.passage.label))
        self.named[known] = (*self.named[known], row.text)
        return True

    def _marked(self, row: Sentence, lex: Lexicon) -> bool:
        """Take the people whom a text about users has in bold; False when it has nobody so."""
        if row.passage.values or row.passage.label:
            return False
        taken = False
        told = row.item and row.passage.parent in self.of_block  # below a heading that names somebody
        for said in row.passage.block.strong:
            if told and (said.endswith((":", "：")) or row.text.startswith((f"{said}:", f"{said}："))):
                continue  # `**Carries:** a bunch of keys`
            at = row.text.find(said)
            sentence = (
                re.split(r"(?<=[.!?。！？])\s*", row.text[at + len(said) :].lstrip(" .。:：,，"))[0]
                if at >= 0
                else ""
            )
            first = row.text.startswith(said)
            named = said.strip(" .。:：,，")
            pieces = (
                [persona(named, "", "")]
                if re.search(r",|，", named)
                else listed(re.sub(r"[(（].*", "", named), 5)
            )
            names = [_whoever(piece) or DOING.sub("", actor_name(piece)) for piece in pieces]
            if first and row.item and not any(is_person(name, lex) for name in names):
                names = [_whoever(named) or actor_name(named)]  # `**Studios and small theatres**`
            for name in names:
                topic = label_role(name) or attribute_of(name) or column_of(name) == "needs" or is_trait(name)
                long = len(name.split()) > 5 and not _whoever(name)
                if not name or topic or AWAY.search(f"{name} {sentence}") or long:
                    continue
                if is_person(name, lex) or (first and names_somebody(name) and len(names) == 1):
                    known = self._listed(name) if row.item else self.known(name)
                    taken = bool(known) or taken
                    if known and sentence and sentence not in self.named[known]:
                        self.named[known] = (*self.named[known], sentence)
        return taken

    def _told(self, row: Sentence, lex: Lexicon) -> bool:
        """Take the people of prose: of a sentence, or of an item of several; False when it rather lists names."""
        pieces = split(row.text, lex)
        if row.passage.label or row.passage.values or not _TELLS.search(row.text) or _SAYS.search(pieces[0]):
            return False
        if row.passage.parent and self.of_block.get(row.passage.parent) is not None:
            return False
        behind = not row.item and row.text[:1].islower()  # what stood behind `those who need it are`, a list
        if behind or _ARE.match(row.text) or (row.item and len(pieces) < _MANY):
            return False
        told = not is_cjk(row.text) and len(max(listed(row.text, 14), key=len).split()) > 4
        if not told and not any(has_verb(piece, lex) for piece in pieces):
            return False
        found = {name: piece for piece in pieces for name in told_people(piece, lex)}
        for name, piece in found.items():
            known = self.known(name)
            if known and piece not in self.named[known]:
                self.named[known] = (*self.named[known], piece)
        return bool(found) or told

    def _several(self, row: Sentence, lex: Lexicon) -> list[str]:
        """Those whom an item names one after the other: `Teachers, tutors, and coaches`, `Primary users: clerks, drivers`."""
        if not row.item or row.passage.values or is_cjk(row.text) or _SAYS.search(row.text):
            return []
        pieces = [re.sub(r"^(?:and|or|und|et|y) ", "", piece) for piece in listed(row.text, 5)]
        names = [actor_name(DOING.sub("", piece)) for piece in pieces]
        many = all(len(name.split()) < 4 and name.endswith(("s", "staff", "men")) for name in names)
        sure = row.passage.label or (many and all(is_person(name, lex) for name in names))
        return listed_people(names, lex) if len(names) > 1 and sure else []

    def _across(self, row: Sentence) -> bool:
        """Whether the row is of a table that gives each user a column; the first one names them."""
        cells = row.passage.block.cells
        if (
            len(cells) < 3
            or (cells[0][0] and not is_of_person(row.passage.block))
            or not all(header for header, _ in cells[1:])
        ):
            return False
        if self.across is None or self.across[0] != row.passage.block.section:
            self.across = (row.passage.block.section, {})
            for other in self.passages:
                table = other.block.cells if other.block.section == row.passage.block.section else ()
                if table and attribute_of(table[0][1]) == "occupation":
                    self.across[1].update({header: persona("", cell, "") for header, cell in table[1:]})
        for header, cell in cells[1:]:
            name = self.across[1].get(header) or persona(header.strip("* "), "", "")
            if not names_somebody(name):
                continue
            known = self._listed(name)
            if not says_nothing(cell) and attribute_of(cells[0][1]) != "occupation":
                self.named[known] = (*self.named[known], cell)
        self.told_across.add(row.text)
        return True

    def role_of(self, subject: str) -> str:
        """The role of somebody who is the subject by name: `Anna`, `Peter (chair)`; empty for all else."""
        name = re.split(r"\s*[(（,，]", subject.strip(), maxsplit=1)[0]
        return self.called.get(name, "")

    def acting(self, row: Sentence, lex: Lexicon) -> None:
        """Take those who act in a requirement; one whom the list of users mentions under another name is known."""
        for name, role in self.called.items():
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", row.text) or (is_cjk(name) and name in row.text):
                self._add(role, row.text)
        if row.role in ASKED and row.passage.values.get("user"):
            said = row.passage.values["user"]
            self._add(said if len(said.split()) <= 4 else actor_name(said), row.text)
        for name in story_roles(row.text):
            self._need_of(self._teller(name), row.text)
        names = _ROLES.match(row.text)
        for piece in listed(names[1], 5) if names else ():
            if is_person(actor_name(piece), lex):
                self._add(actor_name(piece), row.text)
        spoken = _SPEAKER.match(row.text)
        if spoken and (
            is_person(spoken[1], lex) if is_cjk(spoken[1]) else people_named(spoken[1]) == [spoken[1]]
        ):
            self._add(spoken[1], row.text)
        if row.role == "constraint" or (self.listing and row.role not in _ACTED):
            return
        said = lex.patterns["as_a"].sub("", row.text)
        reached = people_reached(said, lex) if lex.language == "en" else []
        late = late_subjects(said, lex) if lex.language == "en" else []
        for name in [*people_in(said, lex, named=bool(self.listing)), *late, *reached]:
            if not self._listed_as(name) or self._same(name):
                head = re.split(r" (?:of|on|in|with) ", name)[0]
                self._add(self._same(head) or name, row.text)  # `the inspector on duty` is an inspector

    def _listed_as(self, name: str) -> bool:
        """Whether a user is known by the same noun: `van driver` beside `drivers of the vans`."""
        said = singular(name.lower())
        head = said if is_cjk(said) else re.split(r" (?:of|on|in|with) ", said)[0].split()[-1]
        return any(re.search(rf"\b{re.escape(head)}", known.lower()) or said in known for known in self.named)

    def told(self, rows: Sequence[Sentence]) -> None:
        """Take who acts in what a text without a list of its users tells, when it speaks of them more than once.

        A long text that has users already speaks of others, too: of its reviewers, of competitors.
        """
        if self.listing or (self.named and len(rows) > _FEW):
            return
        whole = "\n".join(passage.text for passage in self.passages).lower()
        for row in rows:
            if row.role not in _TOLD:
                continue
            for name in people_in(row.text, lexicon_of(row.text)):
                if whole.count(singular(name.lower()).split()[-1]) >= _OFTEN:
                    self._add(self._same(name) or name, row.text)

    def mentioned(self, texts: Sequence[str]) -> None:
        """Take people whom several statements speak of, whatever they do there, of a text that names no user otherwise."""
        if self.named:
            return
        count: Counter[str] = Counter()
        for text in texts:
            if not is_cjk(text):
                text = lexicon_of(text).patterns["as_a"].sub("", text)
                count.update(list(dict.fromkeys(singular(name.lower()) for name in people_named(text))))
        for name, times in count.items():
            other = is_one_of("makers", name) or is_one_of("things_too", name)
            other = other or is_one_of("bodies", name.rpartition(" ")[2])
            if times >= _OFTEN and not other and not self._same(name) and not self._is_denied(name):
                self.known(name)

    def _is_denied(self, name: str) -> bool:
        """Whether the text says that it is not for them."""
        return any(same_person(name, other) for other in self.denied) and name not in self.named

    def _add(self, name: str, text: str) -> None:
        if (
            self._is_denied(name)
            or lexicon_of(name).find("system", name)
            or not re.search(r"\w", name)
            or len(name) > 60
        ):
            return
        said = f" {singular(name.lower())}"  # `operator` beside the story of a `crane operator`
        story = next((one for one in self.telling_stories if singular(one.lower()).endswith(said)), "")
        known = self.known(self._same(name) or story or name)
        if known:
            self._need_of(known, text)

    def _need_of(self, name: str, text: str) -> None:
        said = self.named.setdefault(name, ())
        if len(said) < _MAX_NEEDS and text not in said:
            self.named[name] = (*said, text)
