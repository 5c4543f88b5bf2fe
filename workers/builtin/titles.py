"""What a request is called, and how a sentence speaks of what it asks for."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from orchestrator.domain.generic_titles import without_mark
from orchestrator.domain.patterns import expression
from orchestrator.domain.tongues import tongue
from workers.builtin.manuals import subject_of
from workers.builtin.phrases import TRIM, upper_first
from workers.builtin.wishes import imperative
from workers.documents.lexicon import Lexicon
from workers.documents.passage import ASKED, SKIPPED, Passage
from workers.documents.polite import polite_wish
from workers.documents.reading_words import label_role, role_of, statement_words
from workers.documents.sentences import Sentence
from workers.documents.stated_name import called_name, can_name, headed_name
from workers.documents.words import spoken

_SOMEBODY = r"(?:(?:could|can|would) (?:someone|somebody|anyone|you|we)(?: please)?\s+)?"
_WANT = r"(?:(?:i|we)\s+(?:want|need|would like)\s+(?:to\s+)?)?"
_BUILD = r"(?:(?:build|create|make|write|develop|implement|design)\s+(?:me |us )?)?"
ORDER = rf"^(?:please\s+)?{_WANT}{_BUILD}"  # what stands before the thing that somebody asks for
_MAKE = expression(rf"^(?:please\s+)?{_SOMEBODY}{_WANT}{_BUILD}(?:an?\s+|the\s+)?", re.IGNORECASE)
_ARTICLED = expression(rf"{ORDER}(an?|the|our|my|your)\s+\S", re.IGNORECASE)
_SUBJECT = expression(  # of a mail
    r"(?:^|\n)(?:Subject|Betreff|Objet|Asunto|主题|件名)[:：]\s*(?:(?:Re|Fwd?|AW|WG)[:：]\s*)*(\S[^\n]*)",
    re.IGNORECASE,
)
_RECALLED = expression(  # behind the subject of a mail
    r"(?<=\w)\s*[-–—,(]\s*(?:as|like) (?:we )?(?:discussed|agreed|promised|mentioned|talked about)\b.*$",
    re.IGNORECASE,
)
_FRONT_TITLE = expression(
    r"^title:[ \t]*[\"']?([^\"'\n]*\w[^\"'\n]*?)[\"']?[ \t]*$", re.MULTILINE | re.IGNORECASE
)
_THING = expression(
    r"\b(?:i|we|you|our [\w-]+|the (?:[\w-]+ ){0,2}?[\w-]+)(?:['’]d)?(?: (?:really|also|just|all|now|still|would|urgently))* (?:needs?|wants?|like|are looking for|am looking for)\s+(?:to (?:have|build|get|create|make)\s+)?(?:an?|some)\s+(?:new\s+|simple\s+)?(.+)$",
    re.IGNORECASE,
)
_THING_HAN = expression(
    r"(?:我们?|店里|公司|学校|社区)(?:现在|很|都)?(?:需要|想要?|希望有?|打算|计划|要)(?:做|有|开发|搭建|建)?一[个套款份]([^，。,；、]{2,20}?)(?=[，。,；]|$)"
)
_DEFINED = expression(  # `Hivebook Pro is a small app for ...`
    r"(?!(?:This|That|It|There|Here|What|Our|The|A|An)\b)([A-Z][\w’'&.-]*(?: [A-Z0-9][\w’'&.-]*){0,3}) (?:is|will be) (?:an?|the) (?=(?:[\w,'’/-]+ ){0,6}?(?:apps?|application|tool|toolkit|system|platform|service|website|site|product|library|game|bot|plugin|extension|software|program|portal|dashboard|marketplace|package|framework|api|cli|suite|solution|assistant)\b)"
)
_SYSTEM = expression(  # `specification document for the Library Management System`
    r"\b(?:for|of) (?:the|our) ((?:[A-Z][\w&-]+ ){1,4}(?:System|App|Application|Platform|Portal|Tool|Service|Website|Software|Database))\b"
)
_TOLD_OF = expression(  # a sentence about something with a name: `Az-Pixiu is an exploration of ...`
    r"(?!(?:This|That|It|There|Here|What|Our|The|A|An|We|You|I|They|These|Those|Who|When|If)\b)([A-Z][\w’'&.-]*(?: [A-Z0-9][\w’'&.-]*){0,2}) (?:is|aims|helps|lets|provides|gives|offers|enables|builds|makes)\b"
)
_KIND_HAN = expression(
    r"(?<=\S{4})[ ·—–-]*(?:V?\d+(?:\.\d+)*\s*)?(?:产品)?需求(?:文档|说明书?|规格书?)$|(?<=\S{4})[ ·—–-]*用户故事$"
)
_MARKED_NAME = expression(r"\w[’'&.-]\w|\w[A-Z]|\d| ")  # `Az-Pixiu`, `BerthBoard`: no first name of a person
_OFTEN = 3  # times that a text says the name of what it is about
_HEADINGS = 3  # that may say its name
_OPENING, _NAME = 8, 8  # sentences in which a text says what it asks for; words of its name
_LINE, _LONGEST = 10, 110  # words of a title that stands as a line; characters of a title
_NO_OBJECT = expression(r"^(?:please |now |just )*\w+ (?:it|this|that|these|those|them|all)\b", re.IGNORECASE)
_PRONOUNS = (["it"], ["them"], ["us"], ["sure"])
_WISH_ELSEWHERE = expression(  # what leads to a wish in a language without a lexicon
    r"^(?:(?:bitte|s['’]il vous plaît|por favor|per favore),?\s+)?(?:(?:il )?(?:faudrait|faut) qu(?:e\s+|['’])|(?:ce|il) serait (?:bien|utile|souhaitable) qu(?:e\s+|['’])|(?:hay|habría) que\s+|sería (?:bueno|útil) que\s+|bisognerebbe che\s+|es wäre (?:schön|gut|toll|hilfreich),?\s+wenn\s+|wir (?:brauchen|möchten|wollen|hätten gern)\s+|nous (?:voulons|voudrions|souhaitons|aimerions)\s+|(?:necesitamos|queremos|vorremmo|queremos|precisamos de)\s+)",
    re.IGNORECASE,
)
_FOR_WHOM_HAN = expression(
    r"^(?:请|帮我)?(?:为|给).{1,14}?(?:做|写|开发|设计|搭建|实现|增加|添加|加上)(?:一?[个套款](?!体|人))?(.+)$"
)
_MAKE_HAN = expression(
    r"^(?:请|帮我|我们|想要?|需要|(?:用|使用|基于)[A-Za-z0-9 .+#-]{1,20})*(?:做|写|开发|设计|搭建|实现)(?:一?[个套款](?!体|人))?"
)
_NEXT_CLAUSE = expression(
    r"[,;:(]\s|\s(?:tant qu|sauf|mais|afin|lorsqu|quand|parce qu|puisqu|si\b|wenn|aber|falls|solange|damit|dass|weil|sobald|sondern|pero|aunque|salvo|mientras|cuando|porque|para que|quando|perché|finché|purché|mas\b)",
    re.IGNORECASE,
)


def title_of_request(
    text: str, found: list[Sentence], read: Sequence[Passage], lex: Lexicon, manual: bool, defect: str
) -> str:
    """The name that a request gives its thing, else its heading, subject or first line, else the words of its wish."""
    named = subject_of(found) if manual else None
    if named:
        return named[0]
    stated = _stated(found, read)
    if stated:
        name = spoken(stated)[:120]
        return upper_first(name) if " " in name else name
    found = [row for row in found if can_name(row.text)] or found
    heading = _heading(read)
    if heading:
        bare = without_mark(spoken(heading))
        return (bare if bare == heading else upper_first(bare))[:120]
    subject = next((_SUBJECT.search(p.block.text) for p in read if p.block.kind == "message"), None)
    if subject:
        return upper_first(_RECALLED.sub("", subject[1].strip()))[:120]
    front = next((_FRONT_TITLE.search(p.block.text) for p in read if p.block.kind == "front"), None)
    if front and can_name(without_mark(front[1])):
        return upper_first(without_mark(front[1]))[:120]
    defined = next((match[1] for row in found[:_OPENING] if (match := _DEFINED.match(row.text))), "")
    system = next((match[1] for row in found[:_OPENING] if (match := _SYSTEM.search(row.text))), "")
    if defined or system:
        return spoken(defined or system)[:120]
    line = _title_line(read) or defect
    if line:
        return textwrap.shorten(upper_first(spoken(line)).rstrip(TRIM), _LONGEST, placeholder="…")
    told_of = (match[1] for row in found if (match := _TOLD_OF.match(row.text)))
    often = next((name for name in told_of if _MARKED_NAME.search(name) and text.count(name) >= _OFTEN), "")
    return upper_first(_needed(found, lex)) or often or _headed(read, found) or _wish(text, found, lex)


def _stated(found: list[Sentence], read: Sequence[Passage]) -> str:
    """What it says that the thing is called."""
    named = next((passage.text for passage in read if passage.role == "name"), "")
    called = (name for row in found[:_OPENING] if (name := called_name(row.text)))
    headings = [passage.block.text for passage in read if passage.block.kind == "heading"][:_HEADINGS]
    return named or next(called, "") or next((name for text in headings if (name := headed_name(text))), "")


def _heading(read: Sequence[Passage]) -> str:
    """The heading above all, or with which the text begins, unless it names a section."""
    content = [passage.block for passage in read if passage.block.kind not in ("front", "message")]
    tops = [block for block in content if block.kind == "heading" and block.level == 1][:1]
    headings = [block for block in content if block.kind == "heading" and block in (*tops, content[0])]
    naming = [block for block in headings if can_name(block.text)]
    return next(
        (block.text for block in naming if not _is_section(without_mark(block.text), block in tops)), ""
    )


def _headed(read: Sequence[Passage], found: list[Sentence]) -> str:
    """The first heading of a longer text of which no sentence asks for the whole."""
    top = next((passage.block for passage in read if passage.block.kind == "heading"), None)
    prose = [row for row in found if not row.item]
    if top is None or top.level != 1 or len(found) <= 2 or any(row.role in ASKED for row in prose[:_OPENING]):
        return ""
    name = _KIND_HAN.sub("", spoken(without_mark(top.text)))
    is_section = len(name.split()) == 1 and bool(role_of(name) or label_role(name))
    return upper_first(name)[:_LONGEST] if can_name(name) and not is_section else ""


def _wish(text: str, found: list[Sentence], lex: Lexicon) -> str:
    """The words of the sentence that asks for the thing, from the thing on and as many as a title has."""
    is_long = len({row.quote for row in found}) > 2
    told = _asking(found, lex) if is_long else found
    polite = polite_wish(told[0].text) if told else None
    said = polite.text if polite else told[0].text if told else ""
    first = spoken(said).strip(TRIM) if told else text.strip()[:80]
    if lex.language == "zh":
        for_whom = _FOR_WHOM_HAN.match(first)
        short = for_whom[1] if for_whom else _MAKE_HAN.sub("", first)
        return re.split(r"[,，。;；]", short)[0][:40] or first[:40]
    title = _shortened(first)
    return title if len(found) <= 2 else upper_first(title)


def _shortened(first: str) -> str:
    short = _WISH_ELSEWHERE.sub("", first) if tongue(first) else _MAKE.sub("", first)
    if short.split()[:1] in _PRONOUNS:
        short = first  # "Make it better" names nothing without its verb
    pieces = re.split(r"[.,;:]\s(?![^()]*\))|\s[-–—]\s|\s(?:so that|which|because)\s", short)
    short = pieces[0] if len(pieces[0].split()) > 1 else short
    words = short.split()
    kept = words[:12]
    leads_on = statement_words("ends_thing") | {"a", "an", "the"}
    while kept and len(kept) < len(words) and kept[-1].lower() in leads_on:
        kept.pop()
    if len(kept) < len(words) and tongue(first):  # no clause is cut before its negation
        kept = _NEXT_CLAUSE.split(" ".join(words), maxsplit=1)[0].split()
    title = (" ".join(kept) or first[:80])[:100]
    if title.count("(") > title.count(")"):  # cut within what stands in brackets
        title = title[: title.rindex("(")].rstrip(TRIM) or title
    return title


def _asking(found: list[Sentence], lex: Lexicon) -> list[Sentence]:
    """The sentences of a longer text that may name it, best first: a step or a wish of a list is not the whole."""
    prose = [row for row in found if not row.item] or found
    prose = [row for row in prose if row.role in ASKED] or prose
    prose = [row for row in prose if not lex.find("exclusion", row.text)] or prose
    orders = [row for row in prose[:_OPENING] if imperative(row.text, lex) or polite_wish(row.text)]
    return [row for row in orders if not _NO_OBJECT.match(row.text)] or prose


def _is_section(heading: str, top: bool) -> bool:
    """Whether a heading names a section and not the whole; one above all others may end in a word that does."""
    return bool(role_of(heading)) and not (top and len(heading.split()) > 3 and not label_role(heading))


def _title_line(read: Sequence[Passage]) -> str:
    """The first line of a text when it stands alone above the rest and is no sentence, as titles of issues do."""
    content = [one for one in read if one.block.kind not in ("front", "message") and one.role not in SKIPPED]
    if len(content) < 3 or content[0].block.kind != "paragraph":
        return ""
    said = without_mark(content[0].text.strip())
    stands = 1 < len(said.split()) <= _LINE and said[-1:].isalnum() and not re.search(r"[.:!?]\s", said)
    asks = _MAKE.match(said)  # `Build a ...` asks for a thing
    return said if stands and can_name(said) and not asks else ""


def _needed(found: list[Sentence], lex: Lexicon) -> str:
    """What the first sentence of a longer text that asks for a thing calls it: `We need a register of keys that ...`."""
    if len(found) <= 2:
        return ""
    if lex.language == "zh":
        opening = (row.text for row in found[:_OPENING] if not row.item and not row.role)
        return next((match[1] for text in opening if (match := _THING_HAN.search(text))), "")
    prose = frozenset({"", "background", "problem"})
    told = [row for row in found[:_OPENING] if not row.item and row.role in prose]
    asks = (_THING.search(row.text) for row in told if not lex.find("exclusion", row.text))
    said = next((match[1] for match in asks if match), "")
    named = re.split(r"[,.;:(]|\s(?:that|which|where|so|because|who|and|but|when|if)\s", said)[0]
    return " ".join(named.split()[:_NAME]) if len(named.split()) > 1 else ""


def product_of(
    title: str, things: tuple[str, ...], first: str, manual: bool, thin: bool, lex: Lexicon
) -> str:
    """How a sentence speaks of what is asked for; empty when the request has no short noun for it."""
    if lex.language == "zh":
        return title
    if manual and len(title.split()) <= 3:
        return title
    articled = _ARTICLED.match(first)
    if thin and articled and things:
        word = articled[1].lower()
        return f"{'the' if word in ('a', 'an') else word} {things[0]}"
    return lex.say("change") if thin and title.split()[0].lower() in lex.verbs else ""


def asked_thing(title: str, lex: Lexicon) -> tuple[str, ...]:
    """What a one-line request is about: the noun phrase after its verb."""
    if lex.language == "zh":
        bare = re.sub(r"^带有?.+?的", "", title)
        return (re.split(r"[,，。]", bare)[0][:20],)
    words = title.split()
    if len(words) > 1 and words[0].lower() in lex.verbs:
        words = words[1:]
    while len(words) > 1 and words[0].lower() in ("the", "a", "an", "our", "my", "your", "from", "to"):
        words = words[1:]
    ends = statement_words("ends_thing")
    stop = next((i for i, word in enumerate(words) if i and word.lower().strip(TRIM) in ends), len(words))
    return (" ".join(words[: min(stop, 4)]).strip(TRIM) or title,)
