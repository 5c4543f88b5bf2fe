"""Users whom a section tells of in sentences: `The duty officer follows the test; coxswains need to know ...`.

A section about users is about people, so whoever its sentences have as their subject is one, also where no list knows the word.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk
from workers.builtin.complements import complement_to_end
from workers.builtin.people import actor_name, is_person, people_named
from workers.builtin.verb_forms import stems, verb_of
from workers.documents.lexicon import Lexicon
from workers.documents.reading_words import people_words, statement_words

AWAY = expression(  # who has to do with it, and does not use it
    r"\b(?:does|do|will)(?:n['’]t| not) (?:operate|build for|get (?:it|them|access))\b|\bread the (?:whole |entire )?(?:document|specification)\b|\b(?:does|do|will|won['’]t|don['’]t|doesn['’]t)(?: not)? (?:log ?in|use (?:it|the \w+)|sign in)\b|\b(?:not|n['’]t|never) (?:need|work with|touch|see|open) (?:it|the (?:system|software|app|tool|application|product|site))\b|\bnever (?:uses?|logs? in)\b|不(?:使用|登录|直接使用)|n['’]utilisent? pas|nutzt? .{0,20}nicht|no (?:usa|utiliza)"
    r"|^(?:the |our )?(?:(?!who\b|that\b)[\w-]+ ){1,4}(?:only )?(?:approves|pays for|finances)\b[^,;]*[.]?$|\bgibt\b.{3,40}\bfrei\b|\bnot (?:a )?users?\b|\b(?:no|without) (?:access|account|login)\b|\b(?:external|third-party|neighbouring|other) (?:system|service|api|interface)\b",
    re.IGNORECASE,
)
_HAN = expression(
    r"(?:^|[，。；、：:,;\s（(的由让给供是与和及为每])((?:(?![的由让给供是与和及为在把被会不能每])[一-鿿]){0,4}?(?:员工|员|者|师傅|师|客户|顾客|住户|租户|商户|农户|[船店站班组园校队社院村镇局科处厂场馆团会主课]长|课题组长|学生|医生|先生|新生|居民|村民|市民|业主|车主|店主|货主|业主|家属|家长|子女|保安|保洁|前台|经理|主管|领导|司机|骑手|厨师|会计|财务|教练|教师|老师|护士|患者|病人|老人|负责人|代理人|申请人|审批人|联系人|保管人|捐赠人|物业|客服|经销商|供应商|骑手|店员|药师|工人|临时工|老板))(?![一-鿿]{0,2}[号证名])"
)
_SUBJECT = expression(
    r"(?:(?:the|an?|our|all|each|every|some|most|both|these|about \w+|around \w+|\w+ of the|two|three|four|five|six|ten|twelve|\d+)\s+)?"
    r"((?:[a-z][\w'’-]*\s){0,2}?[a-z][\w'’-]*)(?:\s+(?:of|in|at|from|on|with)\s+(?:the |our |their |a )?[\w'’ -]{2,40}?)?\s+([a-z]+)\b",
    re.IGNORECASE,
)
_OWNER = expression(r"(?<![\w'’-])[a-z][\w-]*['’]s? $")
_LONGEST_OWNER = 40  # characters
DOING = expression(r"(?<=\w)\s+(?:who|that|with|in|at|of|from|\w+ing)\b.*$")  # `founders discussing ideas`
_BE = frozenset({"is", "are", "was", "be", "by", "been"})


def told_people(sentence: str, lex: Lexicon) -> list[str]:
    """The people of one sentence of a section about users; nobody where it says that they do not use the product."""
    if AWAY.search(sentence):
        return []
    if is_cjk(sentence):
        return list(dict.fromkeys(match[1] for match in _HAN.finditer(sentence)))
    subject = _subject(sentence, lex)
    named = people_named(sentence)
    known = [subject] if subject and not any(name.lower().endswith(subject.lower()) for name in named) else []
    return [
        _whole(name, sentence) for name in [*known, *named] if name.lower() not in statement_words("groups")
    ]


def _whole(name: str, sentence: str) -> str:
    """A name with whose it is, and with what belongs to it: `club's treasurer`, `developers of map apps`."""
    at = sentence.find(name)
    if at < 0:
        return name
    owner = _OWNER.search(sentence, max(0, at - _LONGEST_OWNER), at)
    return (owner[0] if owner else "") + name + complement_to_end(sentence, at + len(name))


def has_verb(sentence: str, lex: Lexicon) -> bool:
    """Whether a sentence tells of people rather than lists them."""
    words = re.findall(r"[^\W\d_]+", sentence.lower())[1:]
    return is_cjk(sentence) or any(
        {word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ed")}
        & (lex.verbs | statement_words("lives") | _BE)
        for word in words
    )


def _subject(sentence: str, lex: Lexicon) -> str:
    """The subject when what it does is a verb of people: `Handweavers write drafts`; empty for another sentence."""
    found = _SUBJECT.match(sentence.strip())
    if found is None:
        return ""
    verb = found[2].lower()
    if not stems(verb) & (lex.verbs | statement_words("lives")):
        return ""
    name = actor_name(found[1])
    words = name.lower().split()
    if not words or set(words) & people_words("no_modifier") or words[-1] in people_words("nobody"):
        return ""
    several = words[-1].endswith("s") and not words[-1].endswith(("ss", "us", "is"))
    acts = verb == verb.removesuffix("s") if several else True  # `Orders follow`, not `ships handles`
    return (
        name
        if acts
        and (
            is_person(name, lex)
            or (
                several
                and lex.find("tool", words[-1].removesuffix("s")) is None
                and lex.find("system", name) is None
            )
        )
        else ""
    )


def is_trait(name: str) -> bool:
    """Whether a label or heading names something that is told of people: `Technical expertise`, `Pain points`."""
    words = re.findall(r"[^\W\d_]+", name.lower())
    return bool(words) and words[-1] in people_words("traits")


def tells_need(name: str, lex: Lexicon) -> bool:
    """Whether an item below a heading about users says what they do or are like: `Needing to compare offers`, `Mainly young families`."""
    first, *rest = name.split()
    low = first.lower()
    if len(rest) < 2 or ends_as_many(DOING.sub("", name)):
        return False
    return low.endswith(("ing", "ly")) or low == "not" or verb_of(low, lex) != "" or len(rest) > 2


def ends_as_many(name: str) -> bool:
    """Whether a name ends as the plural of a noun does: `pawn shops`."""
    last = name.lower().rpartition(" ")[2]
    return last.endswith("s") and not last.endswith(("ss", "us", "is"))
