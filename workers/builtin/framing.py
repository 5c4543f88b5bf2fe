"""Sentences that frame what is asked for: lead-ins, stories told, descriptions of the present."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from orchestrator.domain.dataclass import replace
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk
from workers.builtin import cues
from workers.builtin.people import people_in
from workers.builtin.qualities import category_of
from workers.builtin.wishes import doer_of, imperative
from workers.documents.block_parts import reads_as_rule
from workers.documents.lexicon import Lexicon, lexicon_of
from workers.documents.passage import ASKED
from workers.documents.reading_words import says, statement_words
from workers.documents.sentences import Sentence
from workers.documents.trouble import hurts_today, tells_of_better

_LISTED = ASKED | {"goal", "metric", "non_goal", "constraint", "dependency"}
_STRONG = r"\b(?:must|shall|should)\b|必须|应该|应当"

_RULE = expression(
    r"\b(?:if|when|whenever|unless|until|may|can|can(?:not|['’]t))\b|如果|当.{1,20}时|无法|不能",
    re.IGNORECASE,
)

_MAY_OR_IS_GIVEN = expression(  # what people may do and what is done for them is asked for; what they do is told
    r"\b(?:can(?:not|['’]t)?|may|able to|(?:is|are|gets?)(?: \w+ly)? (?:\w+(?:ed|en|wn)|told|sent|paid|made|kept|held)|kann|können|darf|dürfen|peut|peuvent|puede|pueden)\b|可以|能够|可",
    re.IGNORECASE,
)
_STEP = expression(  # somebody does something, or whoever was named before: `Views the list`, `The user taps on it`
    r"(?:(?:[Tt]he |[Aa]n? )?(?:[Uu]ser|[Cc]ustomer|[Cc]lient|[Vv]isitor)s?|用户|[Dd]er Nutzer|[Ll]['’]utilisateur|[Ee]l usuario) (?!(?:is|are|has|must|shall|should|will|needs?)\b)\w+"
    r"|[A-Z][a-z]+(?:s|es) (?!(?:is|are|has|have|must|shall|should|will|needs?|that|which|who|of|on|and|for|by|in|with|to)\b)[a-z]|用户(?!可|能|必须|应)"
)
_STEP_NAME = expression(  # `Step 2: Basket — ...`
    r"^(?:[\w /#-]{2,30}[:：]\s*(?=(?:the )?(?:user|customer|client|visitor)s? )|(?:step|schritt|étape|paso|步骤) ?\d*\s?(?:[:：.)]|[—–-](?=\s))\s*)(?:[\w /#-]{2,30}(?:[:：]| [—–-](?=\s))\s*)?",
    re.IGNORECASE,
)
_FLOW = expression(r"\b(?:flows?|loop|journeys?|walkthroughs?)\b|流程|旅程", re.IGNORECASE)
_BY_SYSTEM = expression(
    r"系统|自动|后台|显示|弹出|生成|发送|推送|提示|通知|记录|计算|校验|判断|必须|应当?|支持|不"
)
_OBLIGED = expression(
    r"\b(?:must|have to|has to|had to|needs? to)\b|müssen|muss|doi(?:t|vent)\b", re.IGNORECASE
)
_ASKS = expression(
    r"^(?:each|every|all|any|only)\b|\b(?:shall|should|will|would|system|app|application|tool|software|platform|product|solution"
    r"|it must|new|soll|sollte)\b",
    re.IGNORECASE,
)
_KEEPS = expression(  # a habit is told, whatever stands behind it: `Customers keep calling to ask when ...`
    r"[\w ]{2,40}? keeps? (?:on )?(?:forgetting|losing|missing|asking|calling|phoning|ringing|complaining|arguing)\b",
    re.IGNORECASE,
)
_AS_TODAY = expression(
    r",? (?:just )?(?:as|like|than)\b[^,.;]{0,25}\b(?:today|now|at the moment|currently)\b[^,.;]*",
    re.IGNORECASE,
)


_ASKS_FOR_IT = expression(  # who asks for the thing that is to be made
    r"^(?:(?:so|therefore|hence|thus|now|and|but|instead|ideally|to (?:solve|fix|address|change|end) (?:this|that)|(?:that|this) is why)[, ]+)*"
    r"(?:(?:what )?(?:we|i|they|(?:the|our|my) [\w-]+(?: [\w-]+)?)(?: also| really| just| now| therefore| would|['’]d|['’]re|['’]m| are| am)* (?:need|want|like|love|look|ask)(?:s|ing)?\b(?: for| is)?(?: to (?:have|build|get|create|make|develop|write|introduce|add|replace|see))? (?:an?|some|the|new|something|one|you)\b"
    r"|(?:the|our|my) (?:proposal|plan|solution) is\b|it would be (?:very |really )?(?:nice|great|good|useful|helpful)\b|(?:can|could|would) (?:you|we|someone|somebody)\b|let['’]s\b)"
    r"|^(?:因此|所以|为此|现在)?[，,]?(?:我们?|公司|团队|学校|医院|店里)?(?:现在|很|都)?(?:需要|想要?|希望|打算|计划|决定)(?:做|有|开发|搭建|建|能|一[个套款])",
    re.IGNORECASE,
)
_OF_OTHERS = expression(  # a heading of what is so, or was, or is made elsewhere
    r"\b(?:alternativ|compet|market|related|prior|existing|current|today|histor|environment|version|research|evidence|as[- ]is|status quo)|竞品|市场|现状|历史|相关|已有|现有",
    re.IGNORECASE,
)


FINITE = expression(  # beside which a sentence in small letters is no fragment of the wish before it
    r"\b(?:is|are|was|were|has|have|had|would|will|could|can|does|do|did|i|we|you|they|it|this|that|there)\b|[:?]$|['’]s?\b",
    re.IGNORECASE,
)
_NAMES_WISH = expression(  # what is wished for by its name alone, as below `Describe the solution you'd like`
    r"^(?:(?:an?|the|some|maybe an?) )?(?:new |simple |small |optional |global )?(?:(?:ability|option|possibility|way|support|feature|button|function|command|setting|flag|switch|shortcut)\b|(?:[\w-]+ ){1,2}(?:system|page|view|dialog|menu|button|option|field|endpoint|command|setting|mode|filter|export|import|screen)\b)"
    r"(?!.*\b(?:is|are|was|were|has|have|had|would|will|could|does|do|did)\b)",
    re.IGNORECASE,
)


def from_wish_on(found: Sequence[Sentence]) -> list[Sentence]:
    """The sentences of a text without a section of requirements: what its introduction says from the sentence on that asks
    for the thing is no background: `Our team copies every ticket by hand. We need a tool that ...`."""
    if any(row.role in ASKED or row.role == "constraint" for row in found):
        return [*found]
    asking: set[tuple[str, ...]] = set()
    rows = []
    for row in found:
        where = row.passage.block.section
        if row.role in ("background", "problem") and not _OF_OTHERS.search(row.passage.block.heading):
            if (
                _ASKS_FOR_IT.match(row.text)
                or says("proposes", row.text)
                or imperative(row.text, lexicon_of(row.text))
            ):
                asking.add(where)
            if where in asking:
                row = replace(row, passage=replace(row.passage, role=""))
        rows.append(row)
    return rows


def under_topic(row: Sentence, *, depth: int) -> bool:
    """Whether an item stands in a list under a topic of the text, `Booking`, `Reminders`: so many headings below its title."""
    return row.item and 0 < depth <= len(row.passage.block.section) and not row.passage.label


_OF_LIST = expression(
    r"^(?:instead|so|thus|therefore|for this|to (?:do|reach|get))\b|\b(?:goals?|aims?|objectives?|targets?|metrics?|measures?|figures?|numbers?|following|follows|below|these|this|things|results|document|project)\b"
    r"|\b(?:ziele?n?|objectifs?|objetivos?|obiettivi|doelen)\b|目标|指标|以下|如下|目標|次の",
    re.IGNORECASE,
)


def introduces(row: Sentence, lex: Lexicon, listed: Container[tuple[tuple[str, ...], str]]) -> bool:
    """Whether a sentence without a modal only leads to the list of its section, or tells a story among requirements or
    use cases. `listed`: sections, each with a role, that have a list."""
    if row.passage.label or row.passage.id or (row.item and row.role != "use_case"):
        return False
    if row.role in ASKED and lex.find("as_a", row.text):
        return False
    if row.role == "goal" and (says("aims", row.text) or _states_goal(row.text)):
        return False
    asks = lex.weak.search(row.text) is not None or imperative(row.text, lex) or doer_of(row.text, lex) != ""
    if row.role == "use_case":
        return _is_told(row, lex)
    if row.role in ASKED and not asks and lex.language == "en" and not is_cjk(row.text):
        goes_on = row.text[:1].islower() and not FINITE.search(row.text)
        return not (goes_on or row.passage.parent or reads_as_rule(row.text) or _NAMES_WISH.match(row.text))
    with_list = (row.passage.block.section, row.role) in listed
    return with_list and row.role in _LISTED and not (row.role in ASKED and asks)


def _states_goal(text: str) -> bool:
    """Whether a sentence above a list of goals is one itself: it says what is to become better, and does not speak of the list."""
    return text.endswith((".", "。")) and _OF_LIST.search(text) is None and tells_of_better(text)


def _is_told(row: Sentence, lex: Lexicon) -> bool:
    """Whether a sentence of a use case tells what happens, or a step that somebody takes."""
    if lex.find("as_a", row.text):
        return False
    kind = row.passage.block.kind
    if not row.item and kind == "paragraph":
        return not imperative(row.text, lex)
    said = _STEP_NAME.sub("", row.text)
    if kind == "item" and not row.passage.id and (_STEP.match(said) or people_in(said, lex)[:1]):
        return _MAY_OR_IS_GIVEN.search(row.text) is None
    if kind == "item" and not row.passage.id and _FLOW.search(row.passage.block.heading) and _acts(said, lex):
        return _MAY_OR_IS_GIVEN.search(row.text) is None
    steps = kind == "row" and not {"requirement", "purpose"} & set(row.passage.values)
    return (steps or not row.item) and not row.passage.parent and not imperative(row.text, lex)


def _acts(text: str, lex: Lexicon) -> bool:
    """Whether a step says what somebody does, without saying who: `Open the map`, `登录平台`."""
    if is_cjk(text):
        return _BY_SYSTEM.search(text) is None
    return text.split()[0].lower() in statement_words("by_people") and imperative(text, lex)


def is_background(row: Sentence, lex: Lexicon, *, rich: bool) -> bool:
    """Whether the sentence describes the present rather than asking for something."""
    asked = row.item and row.role in ASKED
    now = lex.find("now", _AS_TODAY.sub("", row.text)) is not None or _goes_on_from_today(row, lex)
    if now and not asked and not re.search(_STRONG, row.text) and not cues.MAKES.match(row.text):
        return True
    if row.role != "background" and not (row.role == "" and row.intro and rich):
        return False
    if row.role == "" and (cues.MAKES.match(row.text) or imperative(row.text, lex)):
        return False
    if row.role == "background" and _OBLIGED.search(row.text) and not _ASKS.search(row.text):
        return people_in(row.text, lex) != [] or now  # what people have to do today
    return now or not re.search(_STRONG, row.text, re.IGNORECASE)


def _goes_on_from_today(row: Sentence, lex: Lexicon) -> bool:
    """Whether a part of a sentence stands behind one that says how it is today: `Today they phone us; she writes it down`."""
    found = lex.find("now", row.quote)
    return found is not None and found.start() == 0 and not row.quote.startswith(row.text)


_SHORTEST, _LONGEST = 2, 8  # words of a quality that is only named
_OTHERWISE = expression(r",? (?:otherwise|or else|if not,) .*$", re.IGNORECASE | re.DOTALL)


def names_part(text: str) -> bool:
    """Whether a sentence has no verb and so only names how something is to be: `Eight places per evening`."""
    return not is_cjk(text) and len(text.split()) > _SHORTEST and not FINITE.search(text.rstrip(":?"))


def names_quality(text: str, lex: Lexicon) -> bool:
    """Whether a part of a sentence only names how easily the thing is used: `big letters please`, `Danish and Polish in the app`."""
    pieces = [re.sub(r"^(?:and|so|but|also|oh)\s+", "", piece.strip()) for piece in text.split(",")]
    return any(
        _SHORTEST < len(piece.split()) <= _LONGEST
        and not FINITE.search(piece)
        and category_of(piece, lex) == "U"
        for piece in pieces
    )


def told_today(row: Sentence, lex: Lexicon) -> bool:
    """Whether a sentence of prose says what is bad today, in the form of no wish, rule or ability."""
    return (
        row.passage.block.kind == "paragraph"
        and not lex.find("as_a", row.text)
        and not imperative(row.text, lex)
        and (_RULE.search(row.text) is None or _KEEPS.match(row.text) is not None)
        and hurts_today(_OTHERWISE.sub("", row.text))
    )
