"""What is left out or denied: an exclusion of the request, a rule of the thing, or a remark on either."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Container

from orchestrator.domain.patterns import expression
from workers.builtin.clauses import first_modal
from workers.builtin.qualities import category_of
from workers.builtin.wishes import imperative
from workers.documents.lexicon import Lexicon
from workers.documents.passage import ASKED
from workers.documents.sentences import TURNED_DOWN, Sentence

_NOT_NOW = expression(  # beside what is left out: `Volunteers swap shifts (not in the first version)`
    r"[(（](?:not (?:in|for|part of) (?:v\d|the|this|our|mvp|scope)\b|out of scope|(?:was |has been )?(?:dropped|descoped|cancelled)\b"
    r"|(?:[一首本]期|第一[版期]|首版|本版|这次|暂时?|先)(?:不做|不实现|不支持|不考虑)|不做|已取消)[^()（）]*[)）]\W*$",
    re.IGNORECASE,
)
_PURPOSE = expression(
    r"[;；]|,?\s+(?:so|except) that\b|[，,]?(?:以便|这样|好让|从而)"
)  # behind it stands why
_ASIDE = expression(r"(?<=\w)\s*[(（][^()（）]*[)）]")  # `under 1 s (model time not included)`
_LATER = expression(  # of a heading: what comes later, rather than what is left out
    r"^(?!.*\b(?:not|no|never|out|won['’]t|excluded|dropped|rejected)\b).*\b(?:later|future|after|post|icebox|ideas|parked|parking lot)\b",
    re.IGNORECASE,
)
DENIED = expression(  # in front of what is then not done: `no need to integrate with the till`
    r"(?:[不没无别]|暂不|无需|不用|不必)\S{0,3}$|\b(?:not|no|never|without|nor|\w+n['’]t)\s(?:\w+\s){0,4}$",
    re.IGNORECASE,
)
_DENIES = expression(  # the words of a sentence that only says what is not to be there
    r"^(?:(?:and|but|so|also|oh|please|kindly|just|definitely|absolutely),? )*(?:no(?: more)?|not any|never any|(?:we|i) (?:really )?(?:do not|don['’]t) (?:want|like)(?: (?:any|to (?:have|see|use|remember|enter)))?|there (?:must|should|may|shall) be no)\s+(?:[\w-]+\s+){0,2}?"
    r"|^(?:请|麻烦|也|还有|并且|千万|绝对)*(?:不要|不想要?|不用|别|没有|无需?)(?:有|用|出现|再|让(?:我们?|大家|会员|用户))?(?:任何|再|什么)?",
    re.IGNORECASE,
)
_BURDENS = expression(  # what people must not be made to do: `Please don't make us type that in again`
    r"^(?:(?:and|but|so|also|oh|please|kindly|just),? )*(?:do not|don['’]t) (?:make|force|have) (?:me|us|them|people|users?|anyone|anybody|everybody|everyone|members|customers|visitors|staff)\b",
    re.IGNORECASE,
)
_BARE_NO = expression(  # a sentence of its own in a text without a section for it: `No payments.`
    r"(?:(?:rather|better|preferably|definitely|certainly|absolutely),? )?no (?!idea|problem|rush|hurry|matter|worries|doubt|wonder|thanks|other|one\b|surprise|need\b|longer|more\b|less\b|later\b|change|answer|reply|news|comment|luck|money|time|way)(?:[\w-]+ ){0,3}[\w-]+(?:[.!]?$|(?:,? (?:and |or )?no [\w-]+(?: [\w-]+)?){1,6}[.!]?$|, (?:the|our|my|they|we|he|she|it|that|this|people|there|otherwise|everybody|nobody) )",
    re.IGNORECASE,
)
_AT_TIMES = expression(  # what is not to be then is there otherwise: `No reminders between 9 pm and 7 am`
    r"\b(?:between \d.{0,12} and \d|(?:before|after|until|past) \d|at night|overnight|during the night|(?:on|at) (?:weekends?|(?:public )?holidays|(?:sun|mon|tues|wednes|thurs|fri|satur)days?)\b|outside (?:of )?(?:office|business|opening|working) hours)"
    r"|(?:晚上|夜里|夜间|周末|节假日|\d{1,2} ?点(?:之?[前后]|到))",
    re.IGNORECASE,
)
_LEAVES = expression(  # what the product says that it does not do: `Gatelog does not open the gate`
    r"^(?:the (?:software|system|app|application|product|service|tool|library|site)|it|(?-i:[A-Z])\w+) (?:does|will) not (?!(?:work|have|need|want|know|like|mind|fit|help|exist|matter|mean|say|look|get|use|cover|contain|define|describe|prescribe|replace|specify|lose|suffice|serve|constitute|claim|crash|delete|pay|receive|disappear|break|fail|corrupt|leak|reveal|expire|forget|repeat)\b)(?!.*\b(?:when|if|unless|until|without|more than|yet|twice|again)\b)\w+ ",
    re.IGNORECASE,
)
_FOR_NOW = expression(  # then it is left out of a version
    r"\b(?:for now|for the moment|yet|at first|initially|later|(?:first|initial|this|next) (?:version|release|phase|iteration|sprint|round|step|year|season)|mvp|(?:not|n['’]t) (?:needed|necessary|required|planned|supported)|need(?:ed)?|scope)\b|第一|首[版期]|本期|这[期版次]|暂时?|以后|后续|先不|功能|模块|系统|页面",
    re.IGNORECASE,
)
_DENYING = expression(  # an answer: `Native app? No app.`, `Insurance? We do not insure sets`
    r"no (?!idea|problem|rush|hurry|matter|worries|doubt|wonder|thanks|other|one\b|surprise|need\b|longer|more\b|change)[\w-]+(?: [\w-]+){0,3}[.!]?$"
    r"|(?:we|it)(?: (?:do|does|will)(?: not|n['’]t)| won['’]t) (?!know|have|need|want|think|mind|matter|expect|see|believe|care|like|remember|get|lose)\w+",
    re.IGNORECASE,
)
_NOT_A = expression(r"not an? ", re.IGNORECASE)  # with what it is instead: `Not a score. A talk.`
_NOT_BUT = expression(r"[.!*_]* +(?:an?|just|it['’]?s|it is) ", re.IGNORECASE)
_COMMENTS = expression(  # on what was left out before it
    r"(?:she|he|nobody|ever|some of us|(?:we|i) (?:had|have|know|think|talked|argued|expect)|(?:our|the) (?:\w+ ){1,2}keeps?|people|if it)\b",
    re.IGNORECASE,
)
LEADS = expression(  # to what is left out: `Some things we do not want.`
    r"(?:(?:and|but|now|finally|lastly|last|also),? )?(?:(?:a few|some|several|two|three|four|five|other|more|the following|there are|here are|(?:a )?word on) )*things? (?:that |which )?(?:we|i)(?: really| also)? (?:do not|don['’]t|will not|won['’]t|did not|didn['’]t) (?:want|need|do|build|ask for)\W*",
    re.IGNORECASE,
)
_REASON = expression(  # why something is left out, behind it
    r"(?<=\w{3})(?:,? \((?:they|we|it|our|i|that|this)\b[^()]*\)|[,;] (?:since|because|our|half|most) \w[^,;]*)[.]?$",
    re.IGNORECASE,
)


def forbids(text: str, lex: Lexicon) -> bool:
    """Whether a sentence denies a property of the thing that is built, rather than leaving a part of it unbuilt.

    The line: what is denied is a burden or a means that people would have to bear (`no passwords`, `no double bookings`). Nobody
    would order that as a function, so leaving it out is no saving of work but a rule. A part or a function that is denied
    (`no chat`), and whatever is denied only for now, is a non-goal.
    """
    if _BURDENS.match(text):
        return True
    denied = _DENIES.match(text)
    if denied is None or _FOR_NOW.search(text):
        return False
    return lex.patterns["burden"].match(text, denied.end()) is not None or _AT_TIMES.search(text) is not None


def _behind_question(row: Sentence) -> bool:
    """Whether a sentence of prose answers the question in front of it."""
    before = row.passage.block.text.partition(row.text)[0].rstrip(" *_")
    return row.role == "" and before.endswith(("?", "？"))


def excludes(row: Sentence, lex: Lexicon, *, manual: bool) -> bool:
    """Whether a sentence says that something is left out."""
    if row.role in ("background", "problem") and lex.find("refused", row.text):
        return True
    if row.role in ("", "background") and not row.item and _LEAVES.match(row.text):
        return category_of(row.text, lex) != "S"
    if row.role in ("background", "user", "instructions", "problem", "goal", "metric") or manual:
        return False
    if lex.find("as_a", row.text):  # `so that I do not need ...`
        return False
    wish = row.passage.values.get("needs", "") if row.passage.values.get("user") else ""
    if row.passage.block.kind == "row" and " | " in row.text and row.role in ASKED:
        return False  # what one cell of several denies is no exclusion
    alone = row.role == "" and not row.item and row.text == row.quote
    bare = _BARE_NO.match(row.text) if alone else None
    if bare and category_of(row.text[: bare.end()], lex) != "S":
        return True
    if _behind_question(row) and _DENYING.match(row.text) and not row.item:
        return True
    if row.role in ("", *ASKED) and _NOT_NOW.search(row.text):
        return True
    if not row.item and _NOT_BUT.match(row.passage.text.partition(row.quote)[2]) and _NOT_A.match(row.text):
        return False
    if ";" in row.text and TURNED_DOWN.fullmatch(row.text.rpartition(";")[2].strip()):
        return True
    if lex.find("exclusion", wish or _ASIDE.sub("", _PURPOSE.split(row.text)[0])):
        if (
            row.role in ASKED
            and row.text.lower().startswith("nothing ")
            and category_of(row.text, lex) == "S"
        ):
            return False
        return lex.find("refusal", row.text) is None
    return (
        bool(lex.find("bare_no", row.text))
        and category_of(row.text, lex) != "S"
        and row.role in ("requirement", "use_case")
        and not first_modal(row.text, lex)
    )


_NEGATES = expression(
    r"\b(?:no|nor|not|never|without|out|belongs?|stays?|remains?|postponed|deferred|excluded|elsewhere|later|phase|stage)\b|n['’]t\b|[不没]",
    re.IGNORECASE,
)


def comments(row: Sentence, lex: Lexicon) -> bool:
    """Whether a sentence of prose only says something of what is left out: `That stays with the red cabinet.`"""
    before = row.passage.text.partition(row.quote)[0].strip()
    return (
        row.passage.block.kind == "paragraph"
        and row.quote != row.passage.text.strip()
        and (
            _COMMENTS.match(row.text) is not None
            or (lex.find("exclusion", before) is not None and not _NEGATES.search(row.text))
        )
        and lex.find("exclusion", row.text) is None
    )


def without_reason(text: str) -> str:
    """What is left out, without why: `Please leave out the wages, our accountant has something.`"""
    found = _REASON.search(text)
    return text[: found.start()] if found and len(text[: found.start()].split()) > 2 else text


def is_behind(row: Sentence, lex: Lexicon, listed: Container[tuple[tuple[str, ...], str]]) -> bool:
    """Whether a paragraph behind a list of what is left out asks for something else: `It has to be online in May.`"""
    return (
        not row.item
        and (row.passage.block.section, row.role) in listed
        and not _NEGATES.search(row.text)
        and (first_modal(row.text, lex) is not None or imperative(row.text, lex))
        and lex.find("exclusion", row.text) is None
    )


def is_for_later(row: Sentence, lex: Lexicon) -> bool:
    """Whether an item below a heading such as `Later` says what may then be done, rather than what is left out."""
    modal = first_modal(row.text, lex)
    return (
        row.item
        and row.priority != "Won't"
        and modal is not None
        and _LATER.search(row.passage.block.heading) is not None
        and lex.find("exclusion", row.text) is None
    )
