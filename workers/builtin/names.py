"""Names in a request: recurring things, what stands outside, and its subject area."""
# ruff: noqa: E501 - rows of data are read whole

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

from orchestrator.domain.patterns import expression
from orchestrator.domain.tongues import tongue
from workers.builtin.clauses import first_modal
from workers.documents.lexicon import Lexicon, lexicon_of
from workers.documents.reading_words import statement_words

MAX_ENTITIES = 8
_WORD = expression(r"[A-Za-z][A-Za-z'’-]*[A-Za-z]")
_DOES = expression(  # of a thing: `the list displays 5 results`
    r"(?<=[a-z] )[a-z]+s(?= (?:an?|the|its?|their|each|every|all|only|no|\d+)\b)"
)
_HAN = expression(r"[一-鿿]+")
_HAN_CUT = expression(
    r"必须|应该|应当|可以|需要|能够|支持|并且|以及|或者|不得|不超过|低于|高于|至少|最多|超过|如果|之后|之前|后台|进行|通过|使用|提供|实现|显示|发送|查看|修改|删除|新增|添加|"
    r"创建|导出|导入|缓存|自动|按照|按|的|了|和|与|或|在|是|有|为|对|等|把|被|将|从|到|由|并|及|后|时|前|内|中|上|下|不|个|台|每|其|该|此|各|第一|多|可|要|会|能|做|给|让|使|用"
)


def domain(text: str, lex: Lexicon, otherwise: str) -> str:
    """The subject area whose words occur most often."""
    counts = [(len(pattern.findall(text)), -row, name) for row, (name, pattern) in enumerate(lex.domains)]
    best = max(counts)
    return best[2] if best[0] >= (2 if len(text) > 400 else 1) else otherwise


def entities(texts: list[str], actors: tuple[str, ...], least: int = 2) -> tuple[str, ...]:
    """Things that several requirement sentences speak of, most frequent first."""
    counts: Counter[str] = Counter()
    order: dict[str, int] = {}
    people = {actor.split()[-1].lower().rstrip("s") for actor in actors if actor.split()}
    for text in texts:
        lex = lexicon_of(text)
        if lex.language != "zh" and tongue(text):
            continue  # its plurals and small words are not known
        things = (
            _han_things(text, lex, actors) if lex.language == "zh" else _english_things(text, lex, people)
        )
        for thing in things:
            counts[thing] += 1
            order.setdefault(thing, len(order))
    proper = _proper(texts)
    kept = [
        thing
        for thing, count in counts.items()
        if count >= least and not any(word in proper for word in thing.split())
    ]
    kept = [t for t in kept if not any(t != o and t in o and counts[o] >= counts[t] for o in kept)]
    return tuple(sorted(kept, key=lambda thing: (-counts[thing], order[thing]))[:MAX_ENTITIES])


def _proper(texts: Iterable[str]) -> frozenset[str]:
    """What the texts only write as a name, in the singular: nobody has several of it (`Anna`, not `PDF`)."""
    named: set[str] = set()
    common: set[str] = set()
    for text in texts:
        for at, word in enumerate(_WORD.findall(text)):
            if word[:1].islower() or word.isupper():
                common.add(singular(word.lower()))
            elif at and not re.search(rf"[.!?:;\"“(]\s*{re.escape(word)}\b", text):
                named.add(singular(word.lower()))
    return frozenset(named - common)


_EXTERNAL = (
    expression(
        r"(?:pay for|\bhave|\buse|\brun|\bown|operate|license|existing|current|integrat\w+ with|depends? on)\s+"
        r"(?:already\s+)?(?:an?\s+|the\s+|our\s+)?(.{2,80}?)(?=\s+(?:and|who|that|which|because|so|to)\b|[.,;]|$)",
        re.IGNORECASE,
    ),
    expression(r"(?:现有的?|已有的?|已经有|对接|集成|依赖于?|沿用)\s*([^,，。;；的]{1,24})"),
)


def external(text: str) -> str:
    """What a sentence about something existing speaks of: `We already pay for a mail gateway, ...` -> `mail gateway`."""
    match = next((found for pattern in _EXTERNAL if (found := pattern.search(text))), None)
    return match[1].strip(" .,;。，；") if match and match[1].strip() else text.strip(" .,;。，；")


_NAME = expression(
    r"(?<![\w/])(?:[A-Z][\w&+]*(?:[-./][A-Z\d]\w*)*|[a-z]+[A-Z]\w*)(?:[ /](?:[A-Z][\w&+/-]*|\d{2,4}))*"
)
_HAN_SYSTEM = expression(
    r"(?:现有的?|已有的?|已经有的?|的|用|使用|对接|来自|依赖)?((?:[A-Za-z][\w/+-]*|钉钉|企业微信|微信|支付宝|飞书|用友|金蝶|[\u4e00-\u9fff]{2}云)(?:系统|平台|服务|接口)?)"
)


def systems(text: str) -> tuple[str, ...]:
    """The systems that a sentence about something existing calls by name: `Google Workspace`, `Stripe`; none where it has no name."""
    if lexicon_of(text).language == "zh":
        return tuple(dict.fromkeys(found for found in _HAN_SYSTEM.findall(text) if len(found) > 1))
    found = []
    for match in _NAME.finditer(text):
        first = not text[: match.start()].strip(" \"'(“‘") or text[: match.start()].rstrip().endswith(
            (".", "!", "?", ":")
        )
        words = match[0].split()
        while words and words[0].lower() in statement_words("no_system"):
            words.pop(0)
        named = " ".join(words)
        plain = re.fullmatch(r"[A-Z][a-z’'-]+", named) is not None
        if named and not (first and plain) and not named.isdigit():
            found.append(named.rstrip(".,/"))
    return tuple(dict.fromkeys(found))


_F = r"(?:.*(?:shel|loa|thie|scar|whar)|hal|cal|lea)"  # before `f` of one, `ves` of several
_FE = r"(?:.*(?:kni|wi)|li)"
_VES = (expression(rf"({_F})ves", re.IGNORECASE), expression(rf"({_FE})ves", re.IGNORECASE))
_FS = expression(rf"({_F}(?=f$)|{_FE}(?=fe$))fe?", re.IGNORECASE)


def singular(word: str) -> str:
    low = word.lower()
    if low.endswith("children"):
        return word[:-3]
    for form, end in zip(_VES, ("f", "fe"), strict=True):
        if found := form.fullmatch(word):
            return found[1] + end
    if low.endswith("ies") and len(low) > 4:
        return word[:-3] + "y"
    if low.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(low) > 3:
        return word[:-1]
    return word


def plural(thing: str) -> str:
    """`clinic` -> `clinics`; what has no plural, or is one, stays."""
    head, _, last = thing.rpartition(" ")
    low = last.lower()
    if low in statement_words("mass") or low.endswith(("s", "ware", "ing", "ion of")) or not low.isalpha():
        return thing
    if last.isupper():
        many = f"{last}s"
    elif found := _FS.fullmatch(last):
        many = f"{found[1]}ves"
    elif low.endswith(("x", "z", "ch", "sh")):
        many = f"{last}es"
    elif re.search(r"[^aeiou]y$", low):
        many = f"{last[:-1]}ies"
    else:
        many = f"{last}s"
    return f"{head} {many}".strip()


def _english_things(text: str, lex: Lexicon, people: set[str]) -> Iterable[str]:
    said = _DOES.sub(lambda found: ";" if singular(found[0]) in lex.verbs else found[0], text)
    words = [re.sub(r"['’]s$", "", word) for word in _WORD.findall(said)]
    no_thing = statement_words("no_thing")
    found: list[str] = []
    run: list[str] = []
    for i, word in enumerate([*words, ""]):
        low = word.lower()
        noun = (
            len(low) > 2
            and low.isalpha()
            and not {low, singular(low)} & lex.not_nouns
            and singular(low) not in people
            and not low.endswith(("ly", "ing", "ful", "able"))
            and not (low.endswith("ed") and len(low) > 5)
            and low not in no_thing
            and not (
                low in lex.verbs and (i == 0 or words[i - 1].lower() not in no_thing - {"to", "and", "or"})
            )
        )
        if noun and not first_modal(low, lex):
            run.append(word if word.isupper() else singular(low))
            continue
        found += run[-1:]  # the words before it only describe it: `social feed`
        if len(run) == 2:
            found.append(" ".join(run))
        run = []
    return dict.fromkeys(found)


@cache
def _longest_first(words: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def _han_things(text: str, lex: Lexicon, actors: tuple[str, ...]) -> Iterable[str]:
    found: list[str] = []
    for actor in actors:
        text = text.replace(actor, "，")
    for chunk in _HAN.findall(_HAN_CUT.sub("，", text)):
        for verb in _longest_first(lex.verbs):
            if chunk.startswith(verb) and len(chunk) - len(verb) >= 2:
                chunk = chunk[len(verb) :]
        if chunk in lex.verbs or chunk in lex.not_nouns:
            continue
        found += (chunk[i : i + n] for n in (2, 3, 4) for i in range(len(chunk) - n + 1))
    return dict.fromkeys(thing for thing in found if thing not in lex.not_nouns and thing not in lex.verbs)
