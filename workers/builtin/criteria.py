"""Acceptance criteria and headlines, made of the sentence's own words: condition, number, what is done to which object.

A sentence that has none of them gets no criterion: what would show it is asked.
"""

from __future__ import annotations

import re
from functools import cache

from orchestrator.domain.patterns import expression
from orchestrator.domain.tongues import tongue
from workers.builtin.analysis import Need
from workers.builtin.clauses import Clause, measures, story_wish
from workers.builtin.known_kinds import outcomes
from workers.builtin.phrases import ASIDE, lower_first, short, strip_end, upper_first
from workers.builtin.short_names import bare_wish
from workers.builtin.verb_forms import third_person
from workers.builtin.wishes import doer_of, imperative, is_reserved
from workers.documents.lexicon import Lexicon
from workers.documents.quantities import quantities
from workers.documents.reading_words import quantity_words
from workers.documents.words import spoken

MAX_CRITERIA = 6
SYSTEM = frozenset(
    {
        "",
        "it",
        "system",
        "the system",
        "app",
        "the app",
        "application",
        "the application",
        "the service",
        "the tool",
        "the website",
        "the platform",
        "系统",
        "它",
    }
)
_PRONOUNS = frozenset({"they", "she", "he", "we", "you"})
_ENDS = expression(r"(?<=\w{2}[.!?)`])\s+(?=[A-ZÀ-Ý`])|(?<=[。！？])")  # of a sentence, where another follows
_WHEN = expression(r"^(?:when|whenever|if|while|as soon as)\s+", re.IGNORECASE)
_UNTIL = expression(r"(?<=.)(?:时|后)$")  # 断网时: the wording has its own 时
_TIMING = expression(r"^(?:after|before|until|once|during)\b", re.IGNORECASE)  # when it is done: no case
_BESIDE = expression(
    r"\b(?:and|or|but) (?:can|may|could)\b", re.IGNORECASE
)  # it runs into a second verb: no case
_CASES = expression(r"\b(?:when|if|while|unless)\b", re.IGNORECASE)
_ADVERB = expression(r"^(?:(?:also|please|and|then)\s+)+", re.IGNORECASE)
_LEFT = expression(r",?\s+(?:also|even|only|and|or)$", re.IGNORECASE)  # what stood before a condition
_PLURAL_NOT = expression(r"(?:ss|us|is)$")
_NUMBER = expression(
    r"\d|%|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half an?) "
    r"(?:(?:milli)?seconds?|minutes?|hours?|days?|weeks?|months?|years?|clicks?|taps?|times?|percent)\b"
    r"|\b(?:at (?:most|least)|max(?:imum of)?|up to|(?:more|less|fewer) than)"
    r" (?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b",
    re.IGNORECASE,
)
_BARE = expression(r"[\d.,]+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|zero", re.IGNORECASE)
_UNITLESS = expression(
    rf"(?:^|\s)(?:{_BARE.pattern})$", re.IGNORECASE
)  # a bound and its number: `at least 8`
_REASON = expression(
    r"^.*\d.*, so (?!that\b)", re.IGNORECASE
)  # why it is wanted: `some are over 70, so no tricks`
_RHYTHM = expression(
    r"\bevery (?:\d+|two|three|four|five|six|eight|ten|twelve|fifteen|thirty) "
    r"(?:(?:milli)?seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b",
    re.IGNORECASE,
)
_BOUNDED = expression(
    r"\b(?:minimum|maximum|limit|most|least|up to|than|within|every|max|min)[.]?(?: of)?\s*$", re.IGNORECASE
)
_THINGS = expression(r"[- ](?P<things>(?:[a-z][\w-]* ){0,2}?[a-z][\w-]{2,}s)\b(?!')")
_CODE = expression(  # of an answer: `return 404 for an unknown name`
    r"\b(?:returns?|responds?|answers?|exits?|gives?|fails?)(?: with)?(?: an?| the)?"
    r"(?: (?:http|status|exit|error|return))*(?: code| status)? \d{1,3}\b(?! [a-z]+s\b)",
    re.IGNORECASE,
)
_NOT_SO = expression(  # a clause that was cut in the wrong place: no subject, nothing behind a preposition, a verb of another
    r"\s,|\b(?:by|of|for|in|on|at|to|with|from|and|or|the|an?|days?|times?|moments?|how|where|what|whether|which|that)\W*$|^(?:if|when|whenever|after|before|once|while)\b",
    re.IGNORECASE,
)
_CLAUSE = expression(  # a clause of its own, where a noun should stand
    r"^(?!.*\b(?:who|(?<!after )that|which|whose)\b).*"
    r"\b(?:is|are|was|were|has|have|must|should|shall|can|may|will|sees|closes|they|we|it)\b",
    re.IGNORECASE,
)
_VERB = expression(
    r"\b(?:is|are|has|have|can|may|does|do|gets?|be|stays?|keeps?)\b"
    r"|\w{2}s (?:an?|the|its|their|with|to|in|on|by|from|for|it|them|as|at|not)\b|\w{3}s$",
    re.IGNORECASE,
)
_SHOULD = expression(r"\b(?:must|should|shall|ha(?:s|ve) to|may|cannot)\b", re.IGNORECASE)
_OBJECT_ENDS = expression(
    r"\s+(?:by|in|within|under|for|from|to|with|on|at|when|if|after|before|into|as|via|using|without|so|that|which|who|"
    r"until|once|per|over|against|and|or|is|are)\b|[,;:()]"
)
_HAN_ENDS = expression(r"[，,；;。、（(]|并|后|以便|为(?=[A-Z\d])|给|到(?=.)")
_GUARDS = frozenset({"脱敏", "加密", "匿名化", "屏蔽", "打码"})  # what is asked for, whatever else is done
_HAN_MODAL = expression(r"(?:必须|应该|应当|需要|可以|能够|支持)+")
_HAN_ONLY = expression(r"只能|只可|只允许|仅限?[能可]?")
_IRREGULAR = {"sent": "send", "shown": "show", "kept": "keep", "found": "find", "told": "tell", "seen": "see",
              "chosen": "choose", "written": "write", "read": "read", "withdrawn": "withdraw"}  # fmt: skip


def headline(need: Need, lex: Lexicon) -> str:
    """A short title of the requirement: who does what, or what is done."""
    c = need.clause
    if lex.language != "zh" and tongue(need.text):  # no rule here inflects its words
        return short(upper_first(strip_end(spoken(need.text))))
    wish = story_wish(need.text, lex)
    if wish is not None and need.kind != "exclusion":
        return short(upper_first(strip_end(spoken(wish.text))))
    own = bare_wish(need.text) if lex.language == "en" and need.kind != "exclusion" else ""
    if own:
        return short(upper_first(spoken(own.removeprefix("to "))))
    action = strip_end(spoken(c.action))
    if (
        need.kind == "exclusion"
        or not c.subject
        or not c.actions
        or c.negated
        or is_reserved(need.text)
        or (need.by_default and lex.language == "en")
        or _UNFINISHED.search(c.subject)
        or c.subject.lower() in _PRONOUNS
        or _TWO_CLAUSES.search(c.subject)
        or BEHIND_ADJECTIVE.match(action)
        or any(_NUMBER.search(text) for text in c.conditions if text not in action)
    ):
        return short(upper_first(spoken(need.text)))
    if lex.language == "zh":
        return short(
            upper_first(spoken(need.text))
            if c.conditions or _HAN_ONLY.search(need.text)
            else f"{upper_first(c.actor or c.subject)}{action}"
        )
    if c.subject.lower() in SYSTEM:
        return short(upper_first(re.sub(r"^be\s+", "", action)))
    return short(upper_first(_done(action, c, lex, _named(c.subject))))


NOBODY_ELSE = expression(
    r"(?:neither|(?:nobody|no one|no-one|none) (?:but|except|other than|else))\b", re.IGNORECASE
)
_UNFINISHED = expression(
    r"\b(?:would|could|should|will|may|might|can|must|to)$", re.IGNORECASE
)  # `so it would have to be`
_ASKED = expression(
    r"(?:which|what|how|who|when|where|whether|if|why)\b", re.IGNORECASE
)  # no thing: `see which are new`
BEHIND_ADJECTIVE = expression(r"(?:for|to|in|on|of|at|with|by)\b", re.IGNORECASE)  # `it is mandatory for all`
_TWO_CLAUSES = expression(
    r"(?:^|,\s)(?:and|but|if|when)\b", re.IGNORECASE
)  # before the verb: `..., and if it broke they`
_HANGS = expression(r"\s+(?:of|for|to|in|on|at|with|by|from|as)$", re.IGNORECASE)
_BUILT = frozenset({"add", "create"})  # as an order they ask for a part of the product: `Add a dark mode`


def _named(subject: str) -> str:
    """`Names and numbers are personal data: they` -> `Names and numbers`."""
    before, colon, after = subject.partition(": ")
    told = (
        re.split(r"\s(?:is|are)\s", before)[0]
        if colon and after.strip().lower() in ("they", "it", "these")
        else ""
    )
    return told or (after.strip() if colon and after.strip() else subject)


def criteria(need: Need, lex: Lexicon) -> list[str]:
    """The criteria that a sentence's own words give; none when they give none."""
    wish, c = story_wish(need.text, lex), need.clause
    text = strip_end(spoken(_first(c.sentence or need.text) if wish is None else wish.text))
    if need.kind == "exclusion":
        return []
    if wish is not None and wish.is_thing and not c.measures:
        return _of_thing(text, lex)
    if need.part:
        verb = _verb(text.split(" ")[0], lex) if lex.language == "en" else ""
        doing = f"{verb} {text.partition(' ')[2]}" if verb else ""
        line = _outcome(verb, doing, "", lex)
        return [line] if line else []
    if is_reserved(need.text):
        return [lex.say("criterion_reserved")]
    if NOBODY_ELSE.match(need.text):
        return []
    if c.forbidden and c.actions:
        known = lex.language == "zh" or c.subject.lower().startswith("no")
        if known and not c.action.startswith("be "):
            return [lex.say("criterion_refused", doing=strip_end(spoken(c.action)))]
        return [lex.say("criterion_never", doing=lower_first(text))]
    if lex.language != "zh" and tongue(text):
        return _at_values(text, lex)
    if (
        lex.language == "zh" and c.negated and not c.subject
    ):  # `不要影响内网的健康检查` gives no check to make
        return [lex.say("criterion_never", doing=text)]
    modal = bool(c.subject) and c.subject.lower() != text.lower() and bool(c.actions)
    if not modal:
        return _of_fact(text, c, lex)
    found = [line for action in c.actions for line in _of_action(strip_end(spoken(action)), c, lex)]
    return list(dict.fromkeys(found))[:MAX_CRITERIA]


def _first(text: str) -> str:
    """The first sentence of a statement of several, which the others explain."""
    return _ENDS.split(text, maxsplit=1)[0]


def _of_thing(text: str, lex: Lexicon) -> list[str]:
    """For a thing that is called by what is done with it: `a list of unpaid fees`."""
    thing, of, whose = text.partition(" of ")
    verb = _verb(thing.split()[-1], lex) if of else ""
    line = _outcome(verb, f"{verb} {whose}", whose, lex) if verb else ""
    return [line] if line else []


def _of_action(action: str, c: Clause, lex: Lexicon) -> list[str]:
    """For one thing that somebody does or that the system has to do."""
    own = [text for text in c.conditions if text in action and not _TIMING.match(text)]
    leading = [
        text
        for text in c.conditions
        if not any(text in piece for piece in c.actions) and not _BESIDE.search(text)
    ]
    bare = re.sub(r"\s+(?:and|and again)$", "", strip_end(action[: action.index(own[0])])) if own else action
    bare = bare or action
    if own or leading:
        told = c.subject.lower()
        who = lex.say("system") if told in SYSTEM or told in _PRONOUNS else lower_first(_named(c.subject))
        done = _done(_LEFT.sub("", bare), c, lex)
        return [line for text in own or leading for line in _in_case(who, text, done, lex)]
    fact = _done(bare, c, lex)
    if c.negated:
        return [lex.say("criterion_never", doing=fact)]
    if _NUMBER.search(bare):
        return _at_values(bare, lex)
    passive = re.match(r"be (\w+)\b(.*)", bare) if lex.language == "en" else None
    if passive:
        line = _outcome(_verb(passive[1], lex), fact, _named(c.subject), lex)
    else:
        verb, _, rest = bare.partition(" ")
        known = _verb(verb, lex)
        barred = outcomes("en")["refuse"]
        if lex.language == "en" and c.actor and (known == "accept" or outcomes("en").get(known) == barred):
            return []  # what people take in they do not check, and what they block is not refused to them
        line = _outcome(_verb(verb, lex), bare, rest, lex) if lex.language == "en" else _han(fact, lex)
    return [line] if line else []


def _at_values(text: str, lex: Lexicon) -> list[str]:
    """A test at the values that a statement names; none where its numbers are names: a criterion does not repeat it."""
    text = _REASON.sub("", ASIDE.sub(" ", text))
    if lex.language == "en" and (rhythms := [match[0] for match in _RHYTHM.finditer(text)]):
        return [lex.say("criterion_rhythm", values=lex.join(list(dict.fromkeys(rhythms))))]
    values, counts = (list(measures(text, lex)), list[str]()) if lex.language == "zh" else _values(text)
    if not values and _CODE.search(text):
        return [lex.say("criterion_answer", text=lower_first(strip_end(text)))]
    if not values and not counts:
        return []
    key = "criterion_measured" if values else "criterion_counted"
    return [lex.say(key, values=lex.join(list(dict.fromkeys(values or counts))))]


def _values(text: str) -> tuple[list[str], list[str]]:
    """(the values of a text with their bounds and units, what it counts): a number alone is neither."""
    values: list[str] = []
    counts: list[str] = []
    for match in quantities(text):
        said = match[0].strip(" .,;:")
        things = _THINGS.match(text, match.start() + len(match[0].rstrip()))
        is_bare = _BARE.fullmatch(said) is not None
        unitless = not is_bare and _UNITLESS.search(said) is not None
        if not is_bare and not _has_unit(said) and not (unitless and things):
            continue
        if not is_bare:
            values.append(f"{said} {things['things']}" if unitless and things else said)
        elif things and _BOUNDED.search(text[: match.start()]):
            values.append(f"{said} {things['things']}")
        elif things:
            counts.append(f"{said} {things['things']}")
    return values, counts


def _has_unit(value: str) -> bool:
    """Whether a value has a number in digits, or one in words with its unit: `über einen` is none."""
    return any(map(str.isdigit, value)) or not set(value.lower().split()).isdisjoint(quantity_words("units"))


def _in_case(who: str, condition: str, doing: str, lex: Lexicon) -> list[str]:
    """What is so in a case; nothing where the sentence was cut in the wrong place."""
    if lex.language == "en":
        cut = any(_NOT_SO.search(part) for part in (who, doing)) or _CLAUSE.search(who)
        does = imperative(doing, lex) or doer_of(doing, lex) or _VERB.search(doing)
        cut = cut or condition in who or _SHOULD.search(who)
        if cut or not does or _SHOULD.search(condition):
            return []
        if _TIMING.match(condition):
            return [lex.say("criterion_after", who=who, condition=lower_first(condition), doing=doing)]
    return [lex.say("criterion_when", who=who, condition=_bare(condition), doing=doing)]


def _of_fact(text: str, c: Clause, lex: Lexicon) -> list[str]:
    """For a sentence that states how it shall be, or a command."""
    single = len(c.conditions) == 1 and len(_CASES.findall(text)) < 2
    for condition in c.conditions if single and not _within_aside(text, c.conditions[0]) else ():
        rest = _LEFT.sub("", strip_end(text.replace(condition, " "))).strip(" ,，")
        if len(rest) > 3 and not _TIMING.match(condition):
            said = _HAN_MODAL.sub("", lower_first(" ".join(rest.split())), count=1)
            if case := _in_case(lex.say("system"), condition, said, lex):
                return case
    if _NUMBER.search(text):
        return _at_values(text, lex)
    if lex.language == "zh":
        line = _han(text, lex)
        return [line] if line else []
    words = _ADVERB.sub("", text).split()
    for at, word in enumerate(words[:9]):
        verb, low = _verb(word.strip(",.;:"), lex), word.lower()
        before, rest = " ".join(words[:at]), " ".join(words[at + 1 :])
        acts = (at == 0 and low == verb and verb not in _BUILT) or (
            at > 0 and low != verb and low.endswith("s")
        )
        passive = at > 1 and words[at - 1].lower() in ("is", "are", "be")
        line = ""
        if verb and acts:
            line = _outcome(verb, f"{verb} {rest}".strip(), rest, lex)
        elif verb and passive:
            line = _outcome(verb, lower_first(text), " ".join(words[: at - 1]), lex)
        if line:
            return [line]
        if re.search(r"\b(?:that|which|who|when|if)\b", before):
            break
    return []


def _within_aside(text: str, words: str) -> bool:
    """Whether words stand in parentheses, from which nothing can be taken without breaking them."""
    before = text.partition(words)[0]
    return before.count("(") > before.count(")")


def _outcome(verb: str, doing: str, words: str, lex: Lexicon) -> str:
    """What can be observed after the verb; empty where nothing is known of it."""
    form = outcomes(lex.language).get(verb, "")
    if not form or not doing:
        return ""
    whole = words or doing.partition(" ")[2]
    thing = strip_end(_OBJECT_ENDS.split(f"{whole} ", maxsplit=1)[0]) if lex.language == "en" else words
    thing = _HANGS.sub("", thing)
    idle = (
        len(thing) < 3
        or _ASKED.match(thing)
        or thing.lower() in ("them", "this", "that", "these", "those", "all", "only")
    )
    if idle and "{object}" in form:
        return ""
    thing = (
        re.sub(r"^(?:an?|the)\s+", "", thing)
        if "valid {object}" in form
        else re.sub(r"^an?\s+", "the ", thing)
    )
    doing = strip_end(doing)
    return form.format(object=lower_first(thing), doing=lower_first(doing), Doing=upper_first(doing))


def _han(text: str, lex: Lexicon) -> str:
    """The same for a Chinese sentence: the verb that comes first, and what follows it."""
    known = outcomes("zh")
    places = [(verb not in _GUARDS, text.find(verb), -len(verb), verb) for verb in known if verb in text]
    if not places:
        return ""
    _, at, _, verb = min(places)
    after = re.sub(r"^(?:存储|保存|传输|处理|显示)", "", text[at + len(verb) :])
    inside = re.match(r"[（(]([^)）]+)", after)
    thing = inside[1] if inside else _HAN_ENDS.split(after, maxsplit=1)[0].strip(" 了过的")
    thing = thing or _HAN_MODAL.split(re.split(r"[，,；;]", text[:at])[-1], maxsplit=1)[0]
    form = known[verb]
    if "{object}" in form and len(thing) < 2:
        return ""
    return form.format(object=thing, doing=text[at:] if at else text, Doing=text)


@cache
def _forms(language: str) -> dict[str, str]:
    """Every form of a verb of the table, with the verb."""
    found = dict(_IRREGULAR)
    for verb in outcomes(language):
        last = verb[-1:]
        for form in (f"{verb}s", f"{verb}es", f"{verb[:-1]}ies", f"{verb}ed", f"{verb}d", f"{verb[:-1]}ied",
                     f"{verb}{last}ed"):  # fmt: skip
            found.setdefault(form, verb)
        found[verb] = verb
    return {form: verb for form, verb in found.items() if verb in outcomes(language)}


def _verb(word: str, lex: Lexicon) -> str:
    return _forms(lex.language).get(word.lower(), "")


def _bare(condition: str) -> str:
    return _UNTIL.sub("", _WHEN.sub("", condition))


def _done(action: str, c: Clause, lex: Lexicon, subject: str = "") -> str:
    """Subject and action as a statement of fact: `the system shows ...`, `names are encrypted ...`."""
    subject = subject or (lex.say("system") if c.subject.lower() in SYSTEM else lower_first(c.subject))
    if lex.language == "zh":
        return f"{subject}{'不' if c.negated else ''}{action}"
    several = _several(subject)
    if re.match(r"be\s", action):
        verb = ("are" if several else "is") + (" not" if c.negated else "")
        return f"{subject} {verb} {action[3:]}"
    if c.negated:
        return f"{subject} {'do' if several else 'does'} not {action}"
    return f"{subject} {action if several else third_person(action)}"


def _several(subject: str) -> bool:
    head = re.split(r"\s+(?:who|that|which|of|with|in|on|for|from)\s", subject.rsplit(":", 1)[-1].strip())[0]
    words = head.split()
    if not words or words[0].lower() in ("each", "every", "a", "an", "it", "this", "any"):
        return False
    return words[-1].lower() in ("they", "people", "staff", "data") or (
        words[-1].lower().endswith("s") and not _PLURAL_NOT.search(words[-1].lower())
    )
