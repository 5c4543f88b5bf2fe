"""What the headings of a request are there for, and so what stands below them."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from workers.documents.item_marks import (
    ID,
    finished_words,
    with_state,
)
from workers.documents.outline import BOLD, Block
from workers.documents.passage import ASKED, Passage
from workers.documents.reading_words import (
    clause_role,
    label_role,
    priority_of,
    release_of,
    role_of,
    word_role,
)

TITLED = expression(
    r"^(?:feature|requirement|user story|story|use case|epic|activity|theme|persona|user|actor|功能|需求|用户故事|用户画像|角色)\s*#?\d+(?:\.\d+)*\s*[:：.–—-]\s*|^(?:epic|user story|story)\s*#?\d+(?:\.\d+)*\s+(?=\S)",
    re.IGNORECASE,
)
EMOJI = expression(
    r"^(?:[\U0001f300-\U0001faff\u2600-\u27bf\u2b00-\u2bff]\ufe0f?\u200d?)+\s+"
)  # a mark in front
TICK = expression(r"^[✅✓✔☑]️?\s*")
OKR = expression(
    r"\W*(?:(?P<goal>O[\s-]?\d{1,2}|Objective \d{1,2})|KR[\s-]?\d{1,2}(?:\.\d{1,2})*|Key result \d{1,2})\s*(?:[:：.)]|[-–—](?=\s))"
)
DEMANDS = expression(r"\b(?:shall|must|should)\b|^\W*[A-Z]{1,5}-?\d+\.\d|必须|应当?")
_AS_A = expression(
    r"^(?:as an?|as the|als|en tant que|como|in qualità di|come|enquanto|作为) ?([\w' -]{2,40})[:：]?$",
    re.IGNORECASE,
)
_RANKED_TAIL = expression(r"\s+[-–—|]\s+\**([^–—|*]{1,30})\**$")
_TAKEN_OUT = expression(
    r"^(?:requirement|feature|user story|story|功能|需求)\s*[\w.-]{0,8}\s*[:：]\s*(?=\w)", re.IGNORECASE
)
_SCENARIO = expression(
    r"^(?:scenario|example|场景|szenario|scénario|escenario|シナリオ)\b[^:：]{0,12}[:：]\s*", re.IGNORECASE
)
_STRUCK = expression(r"~~(.+?)~~")
_CHAPTER = expression(r"^\s*(?:\d{1,2}(?:\.\d{1,2})*[.)]?(?=\s)|[一二三四五六七八九十]{1,3}、)\s*")
_KEY_RESULT = expression(r"\W*KR[\s-]?\d")
_USE_CASE = expression(
    r"(?:UC|use case)[\s#-]*\d|anwendungsfall \d|cas d.utilisation \d|caso de uso \d|用例\s*\d", re.IGNORECASE
)
NAMED_ID = expression(r"\b(?:[A-Z]{1,6}-)?[A-Z]{0,6}-?\d{1,4}(?:\.\d{1,3}){0,3}\b")
_TOPICS = frozenset(
    {"plan", "instructions", "meta", "glossary", "principle", "background", "goal", "example", "problem"}
)
_SCOPE = expression(
    r"\W*(?:\d[\d.]*\W*)?(?:scope|geltungsbereich|périmètre|alcance|适用范围|范围)\W*", re.IGNORECASE
)
_MEASURES = expression(
    r"\W*(?:measurements?|measures|indicators?|numbers|messungen|mesures|mediciones)\W*", re.IGNORECASE
)
_USERS = expression(
    r"\b(?:users|actors|personas|roles|audience|nutzer|benutzer|utilisateurs|usuarios)\b|用户|角色",
    re.IGNORECASE,
)
_PERMITS = expression(
    r"\b(?:permissions?|privileges?|rights|access levels?|capabilities|berechtigung\w*|rechte|droits|permisos|permissões)\b|权限",
    re.IGNORECASE,
)
_RANKED = expression(
    r"\W*(?:\d[\d.]*\W*)?(?:primary|secondary|tertiary|main|key|core|other|internal|external|direct|indirect|end|target)\s+"
    r"(?:users?|personas?|stakeholders?|actors?|audiences?)\W*|\W*(?:主要|次要|核心|辅助|目标|其他|内部|外部)(?:用户|使用者|角色|人群|干系人)\W*",
    re.IGNORECASE,
)  # a heading of several users
_VOICE = expression(r"(?:I|my|we|our)\b.*[?？]$", re.IGNORECASE)  # a question that somebody asks
_CLOSED = expression(  # a question that asks for no names: `How many people at once?`
    r"(?:is|are|was|do|does|did|can|could|will|would|has|have|how (?:many|much|long|often|fast))\b.*[?？]$",
    re.IGNORECASE,
)
_OF_REQUESTS = ASKED | {"goal", "metric", "non_goal", "acceptance", "risk", "question", "user", "constraint"}


@dataclass(slots=True)
class Heading:
    level: int
    block: Block
    role: str
    priority: str
    release: str
    feature: str  # the block of the statement that what stands below belongs to


class HeadingRoles:
    """The headings of a text in order, with what each is there for."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = blocks
        self.headings: list[Heading] = []
        self.named: dict[str, Heading] = {}  # by its text, the last heading that says it
        levels = [block.level for block in blocks if block.kind == "heading"]
        self.title_level = levels[0] if levels and levels.count(levels[0]) == 1 and len(levels) > 1 else 0
        roles = {role_of(block.text) for block in blocks if block.kind == "heading"}
        self.planned = not roles & ASKED  # the plan is all that says what is wanted
        self.explains = len(roles & _OF_REQUESTS) < 2  # it may be a manual
        self.by_id: dict[str, str] = {}  # own id of a statement -> its block
        self.okrs = any(_KEY_RESULT.match(block.text) for block in blocks)

    def heading(self, block: Block) -> Passage:
        self.headings = [heading for heading in self.headings if heading.level < block.level]
        above = self.headings[-1] if self.headings else None
        named = EMOJI.sub("", block.text)
        stated, state = with_state(named)
        identified = ID.match(named) or TITLED.match(named)
        title = block is self._first() and (block.level == self.title_level or self._names_all(block))
        titled = identified is not None or title
        voice = _VOICE.match(block.text) is not None and not label_role(block.text)
        told = _AS_A.match(block.text)
        scene = _SCENARIO.match(block.text) if above and above.role in ASKED and above.feature else None
        found = _STRUCK.search(block.text)
        struck = found[1] if found else self._finished(block, identified is not None)
        words = stated if state == "open" else block.text
        role = "" if titled or voice else "use_case" if told else role_of(words) or clause_role(words)
        if state == "non_goal" and role_of(stated) in ASKED:
            role = "non_goal"
        beside = block.level >= BOLD and above is not None and above.role not in ASKED | {"goal"}
        framed = above and above.role and above.role != "background" and not beside
        if not (role or titled or told or identified or framed):
            role = word_role(words)
        elif framed and not (role or titled or told or identified):
            named_role = word_role(words)  # `Already in production`, among features
            beyond = {"done"} if above and above.role in ASKED else {"done", "user", "question"}
            role = named_role if named_role in beyond else ""
        role = "" if role == "user" and _CLOSED.match(block.text) else role
        if role == "requirement" and above and above.role == "background" and _SCOPE.fullmatch(named):
            role = ""  # what the document covers
        if (
            role == "metric"
            and above
            and above.role in ASKED
            and _MEASURES.fullmatch(_CHAPTER.sub("", named))
        ):
            role = ""  # features that measure
        role = "acceptance" if scene else "done" if struck else role
        if (
            role == "user"
            and above
            and (above.role == "user" or (above.role in ASKED and self._of_features(block)))
        ):
            role = (
                role if _RANKED.fullmatch(block.text) else ""
            )  # a persona, or an area of features: `People`
        if not role and above and above.role == "user" and self._demands(block):
            role = "requirement"  # what users are allowed to do, among who they are
        given, release = priority_of(block.text), release_of(block.text)
        if not role and given and (not above or above.role in ("", "goal")):
            role = "requirement"
        if (role == "plan" and self.planned) or (role == "instructions" and not self.explains):
            role = ""
        taken_out = _TAKEN_OUT.match(block.text) if above and above.role == "non_goal" else None
        dropped = state == "non_goal" and not (title or role_of(stated))  # `Drone surveys — dropped`
        if taken_out or dropped:  # what stands below it is why
            self.headings.append(Heading(block.level, block, "removed", "Won't", "", ""))
            behind = taken_out or identified
            words = (block.text if taken_out else stated)[behind.end() if behind else 0 :]
            return Passage(block, words, "non_goal", opens=False)
        known_role = role != "instructions" and label_role(block.text)
        if above and above.role in ASKED and role in _TOPICS and not known_role:
            role = ""  # what a feature is about: `Planning of tours`
        inherited = role or (above.role if above else "")
        feature = (
            not role
            and (inherited in ASKED or inherited in ("user", "goal") or bool(identified))
            and not (given and not identified and len(block.text) < 20)
        )
        if _USE_CASE.match(block.text):
            inherited = "use_case"
        if self.okrs and OKR.match(block.text):
            inherited, feature = "goal", True
        if title and not self.explains:  # the number is the document's
            inherited, feature = "", False
        elif not inherited and identified:
            inherited = "requirement"
        if not role and release and (self.planned or state == "open") and not inherited:
            inherited = "requirement"
        words = (
            (stated if state == "open" else named)[identified.end() :]
            if identified
            else _CHAPTER.sub("", words)
        )
        name = (identified[1] if identified and identified.re.pattern == ID.pattern else "") or ""
        known = self.by_id.get(name, "")
        if role == "acceptance" and not known:
            found = NAMED_ID.search(block.text)
            known = self.by_id.get(found[0], "") if found else ""
        of_users = not role and above is not None and above.role == "user"
        permitted = of_users and _PERMITS.search(above.block.text) and not _USERS.search(block.text)  # type: ignore[union-attr]
        made = Heading(
            block.level,
            block,
            "requirement" if permitted else inherited,  # what a role may do, below its name
            given or (above.priority if above and not (role and above.priority == "Won't") else ""),
            release or (above.release if above else ""),
            above.feature if scene and above else known or block.id if feature or known else "",
        )
        self.named[block.text] = made
        self.headings.append(made)
        role = "user" if told else "done" if struck else inherited if feature and not known else ""
        tail = _RANKED_TAIL.search(words) if given else None
        if tail and priority_of(tail[1]) == given:  # `F6 Weather widget — P2`
            words = words[: tail.start()]
        words = told[1] if told else struck or words
        return Passage(block, words, role, id=name, priority=given, release=release, opens=not struck)

    def _finished(self, block: Block, numbered: bool) -> str:
        """The words of the heading of a feature or phase that is marked as finished, `Phase 1: Accounts (complete)`; else empty."""
        if block is self._first():
            return ""
        words = finished_words(block.text)
        stated, state = with_state(block.text)
        if not words and state == "done":
            words = stated
        ticked = TICK.match(block.text) if numbered or release_of(block.text) else None
        words = words or (block.text[ticked.end() :] if ticked else "")
        known = role_of(words) if words and not release_of(words) else ""
        return "" if known else words

    def _names_all(self, first: Block) -> bool:
        """Whether the first heading names the document, not its first part: another stands right below it."""
        at = self.blocks.index(first) + 1
        below = self.blocks[at] if at < len(self.blocks) else None
        return below is not None and below.kind == "heading" and not self.explains

    def _of_features(self, heading: Block) -> bool:
        """Whether a heading among features that names users is an area of features: `People`, with what the system does."""
        return self._tells(heading) and (not _USERS.search(heading.text) or self._demands(heading))

    def _tells(self, heading: Block) -> bool:
        """Whether most of what stands below a heading is sentences rather than names."""
        at = self.blocks.index(heading)
        below = [*takewhile(lambda block: block.kind != "heading", self.blocks[at + 1 :])]
        return 2 * sum(len(block.text.split()) > 5 and not block.cells for block in below) > len(below)

    def _demands(self, heading: Block) -> bool:
        """Whether most items below a heading say what must be so."""
        at = self.blocks.index(heading)
        below = [*takewhile(lambda block: block.kind != "heading", self.blocks[at + 1 :])]
        items = [block.text for block in below if block.kind == "item"]
        return len(items) > 1 and 2 * sum(DEMANDS.search(text) is not None for text in items) > len(items)

    def _first(self) -> Block | None:
        return next((block for block in self.blocks if block.kind == "heading"), None)
