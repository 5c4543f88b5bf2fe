"""Short names of what a requirement asks for, and the same as something somebody wants: noun phrases and infinitives.

`Parents report an absence from their phone` -> `Reporting an absence`, and `to report an absence from their phone`.
"""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from orchestrator.domain.tongues import tongue
from workers.builtin.clauses import clause, unhedged
from workers.builtin.phrases import ASIDE, TRIM, upper_first
from workers.builtin.verb_forms import gerund, participle, verb_of
from workers.builtin.wishes import CONDITION, is_reserved
from workers.documents.lexicon import Lexicon, lexicon_of
from workers.documents.reading_words import statement_words

_HAN_SHORT = 10  # characters of a Chinese statement that is a name as it is
_LONGEST, _WORDS, _HAN = 60, 6, 18  # characters of a name, words of its object, characters of a Chinese one
_TOKEN = expression(r"[\w’'][\w’'-]*")
_BE = frozenset({"is", "are"})
_MODALS = frozenset({"must", "shall", "should", "can", "could", "may", "might", "will", "would", "cannot"})
_OF_SEVERAL = _MODALS | {"have", "are", "do", "get", "see", "need"}
_ADVERBS = expression(
    r"^(?:(?:only|also|not|never|always|then|automatically|easily|quickly)\s+)+", re.IGNORECASE
)
_NEEDS = expression(r"\bneeds?\s+(?!to\b)(.+)$", re.IGNORECASE)
_LABEL = expression(r"^([^\W\d_](?:[^:：.,;]){2,40})[:：]\s+\S")
_ENDS = expression(
    r"\s+(?:by|in|within|under|from|to|with|on|at|when|if|after|before|into|as|via|using|without|so|that|which|who|until|once|per|over|against|then|while|during|every|whenever|because|except|is|are|can|may|must|should)\b|[,;()]|:(?!\d)|\s+(?:and|or) (?=(?:can|may|must|should|then|is|are|the|an?|their|its|it|they|not)\b|[a-z]+s (?:it|them|the|an?)\b)",
    re.IGNORECASE,
)
_DETERMINERS = expression(
    r"^(?:(?:only|also|all|any|each|every|the|an?|their|his|her|its|our|my|your|own|some|this|these|those|same|several|both|down|up|out|back)\s+)+",
    re.IGNORECASE,
)
_NEXT = expression(
    r"(?<!\bof)(?<!\band)(?<!\bor)(?<!\bfor)(?<!\babout)(?<!\bbetween)\s(?:the|an?|each|every)\s"
)  # another noun phrase: `a text the day before`
_LED = expression(
    r"(?:for|at|on|in|into|out|off|up|down|back|to|through|over|about|with)\s+", re.IGNORECASE
)  # `ask for a slot`
_FIRST = expression(
    r"^(?:(?:and|also|then),? )*(?:i|we)(?: also| really| would|['’]d)* (?:want|like|love|need|wish) to (?:be able to )?",
    re.IGNORECASE,
)
_FIRST_THING = expression(
    r"^(?:(?:and|also|then),? )*(?:i|we)(?: also| really| would|['’]d)* (?:want|like|love|need|wish) ((?:an?|some|the|each|every) .+)$",
    re.IGNORECASE | re.DOTALL,
)
_WOULD_DO = expression(  # `I think a red button would do for reporting a fault`
    r"^(?:i|we) (?:think|guess|imagine|reckon|suppose|figure)(?: that)? (?P<thing>(?:an?|one|some) [^,;]{3,80}?) would (?:do|be enough|suffice|work|help|be (?:nice|good|great|useful|handy|fine|enough|perfect))\b(?: (?P<what>(?:for|to) .+))?$",
    re.IGNORECASE | re.DOTALL,
)
_NICE = expression(
    r"^(?:(?:it|what) )?would (?:also )?be (?:nice|great|cool|good|lovely)(?: to have)?\s?[:,–—-] ?(?P<thing>(?:an?|some|the) .+)$",
    re.IGNORECASE | re.DOTALL,
)
_PLEASE = expression(r"^(?:please|kindly|also|then),? ", re.IGNORECASE)
_WAY = expression(r"\b(?:way|place|tool|means|possibility|option) to (\w+)\s+(.+)$", re.IGNORECASE)
_HAN_STORY = expression(r"^作为[^，,]{1,12}[,，]\s*我?(?:想要?|希望|需要|要|可以|能够?)+")
_AND_CAN = expression(
    r"\b(and|or|but|then) (?:also )?(?:can|may|could|will) (?:also )?(?=[a-z])", re.IGNORECASE
)
_AND_IS = expression(r"(\b(?:and|or) (?:then )?)(?:is|are) (\w+(?:ed|en|wn|t)\b)", re.IGNORECASE)
_AND_DOES = expression(
    r"((?:,|\band|\bor|\bthen)\s+)([a-z]+s)(?=\s+(?:an?|the|it|them|their|his|her|its|all|each|every|what|who|how|which|down|up|out|back|to|\d)\b)"
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A plain statement taken apart at its verb."""

    condition: str
    subject: str
    verb: str  # as `to` has it; `be told` where it is done to the subject
    rest: str
    several: bool  # the subject is a plural


_OF_WHOM = expression(  # what stands before the verb of a relative clause: `A page that`, `Scanners that we`
    r"\b(?:that|which|who|whose|where"
    r"|(?:that|which|who|whom|where|when) (?:i|we|you|they|he|she|it|nobody|somebody|everybody))$",
    re.IGNORECASE,
)


_BEFORE_NOUN = expression(r"\b(?:the|an?|each|every|their|its|our|your|my)$|^\w+ed$", re.IGNORECASE)
_HAS_PREPOSITION = expression(r"\s(?:of|with|in|on|for|from|by|at|to|per)\s", re.IGNORECASE)


def stated(text: str, lex: Lexicon) -> Statement | None:
    """A statement without a modal verb of its own, at its verb; None for another sentence or language."""
    if lex.language != "en" or tongue(text):
        return None
    whole = text.strip(TRIM)
    lead = CONDITION.match(whole)
    condition = lead[0].strip(TRIM) if lead else ""
    said = whole[lead.end() :] if lead else whole
    if _PLEASE.sub("", said).split(" ")[0].lower() in lex.verbs:
        return None  # a command
    tokens = list(_TOKEN.finditer(ASIDE.sub(lambda m: " " * len(m[0]), said)))[:10]
    for at, token in enumerate(tokens[1:], 1):
        low, subject = token[0].lower(), said[: token.start()].strip()
        head = ASIDE.sub("", subject).strip()
        if (
            re.search(r"[,;:]$", subject)
            or not _DETERMINERS.sub("", f"{head} ").strip()
            or _OF_WHOM.search(head)
            or _BEFORE_NOUN.search(head)
        ):
            continue
        if low in _MODALS or (
            low in ("has", "have", "need", "needs") and said[token.end() :].lstrip().startswith("to ")
        ):
            return None
        if tokens[at + 1 : at + 2] and tokens[at + 1][0].lower() in ("per", "of", "and", "or"):
            continue  # `practice tracks per voice part`
        if low.endswith("s") and tokens[at + 1 : at + 2] and tokens[at + 1][0].lower() in _OF_SEVERAL:
            continue  # `regular groups have`
        many = plural_head(head)
        known = verb_of(low, lex)
        rest = said[token.end() :].strip()
        if low in _BE:
            done = _TOKEN.match(rest)
            verb = participle(done[0].lower(), lex) if done else ""
            if not verb:
                return None
            return (
                Statement(condition, subject, f"be {done[0]}", rest[done.end() :].strip(), many)
                if done
                else None
            )
        if not rest and low.endswith("s") and _HAS_PREPOSITION.search(head):
            continue  # `a simulation with batched calls`
        if known and ((low == known and many and rest) or (low != known and not many)) and at < len(tokens):
            return Statement(condition, subject, known, rest, many)
    return None


def plural_head(subject: str) -> bool:
    """Whether several are spoken of: `patients`, `the scouts and the choir`."""
    head = re.split(r"\s+(?:who|that|which|of|with|in|on|for|from)\s", subject)[0].lower()
    words = head.split()
    if not words or words[0] in ("each", "every", "a", "an", "it", "this", "any"):
        return False
    last = words[-1]
    return (
        last in ("they", "people", "staff", "children", "data", "we", "you")
        or bool(re.search(r"\w and (?:the )?\w", head))
        or (last.endswith("s") and not last.endswith(("ss", "us", "is")))
    )


def infinitive(text: str, lex: Lexicon, *, acting: bool) -> str:
    """What somebody wants who makes a plain statement: `to get a text`, of others `the hirer to be told the price`."""
    own = bare_wish(text) if lex.language == "en" else ""
    if own:
        return own
    found = stated(text, lex)
    if not found:
        return ""
    rest = _AND_IS.sub(r"\1be \2", _AND_CAN.sub(r"\1 ", found.rest))
    if not found.several:
        rest = _AND_DOES.sub(lambda m: m[1] + (verb_of(m[2], lex) or m[2]), rest)
    subject = "" if acting else f"{_lower(found.subject)} "
    condition = f" {_lower(found.condition)}" if found.condition else ""
    return f"{subject}to {found.verb} {rest}".strip(TRIM) + condition


def bare_wish(text: str) -> str:
    """What its author wants, without who wants it: `I need a list` -> `a list`, `I want to see it` -> `to see it`; else empty."""
    said = text.strip(TRIM)
    enough = _WOULD_DO.match(said)
    if enough:
        return " ".join(filter(None, (enough["thing"], enough["what"])))
    if nice := _NICE.match(said):
        return nice["thing"]
    does = _FIRST.match(said)
    if does:
        return f"to {said[does.end() :]}"
    thing = _FIRST_THING.match(said)
    return thing[1] if thing else ""


def wished(text: str) -> bool:
    """Whether its author says `I want to` do something, or `I want a` thing."""
    return bool(bare_wish(text))


def _lower(text: str) -> str:
    word = re.match(r"\w+", text)
    plain = word is not None and (len(word[0]) == 1 or word[0][1:].islower())
    return text[:1].lower() + text[1:] if plain else text


def short_name(title: str, statement: str) -> str:
    """A noun phrase for what a requirement asks for, from its own words; a short title is one already."""
    lex = lexicon_of(statement)
    if lex.language != "en":
        return _han_name(title, statement, lex)
    if tongue(statement):
        return title
    label = _LABEL.match(statement)
    if label and len(label[1].split()) <= 4:
        return label[1].strip()
    wanted = _FIRST_THING.match(statement)
    if wanted and (thing := _thing(wanted[1])):
        return upper_first(thing)
    said = _FIRST.sub("", unhedged(statement.strip(TRIM)))
    if said[:30] != statement[:30]:
        title = upper_first(said)
    plain = stated(said, lex)
    known = clause(said)
    if (
        known.subject
        and known.actions
        and not (plain and said.startswith(plain.subject) and len(plain.subject) < len(known.subject))
    ):
        verb, _, rest = _ADVERBS.sub("", known.actions[0]).partition(" ")
        subject = known.subject
        if verb.lower() == "be":
            done = _TOKEN.match(rest)
            verb, rest = f"be {done[0]}" if done else "be", rest[done.end() :] if done else ""
        return _named(subject, verb.lower(), rest, lex) or title
    needs = _NEEDS.search(said)
    way = _WAY.search(needs[1]) if needs else None
    if way and way[1].lower() in lex.verbs and (thing := _whole(way[2])):
        return upper_first(f"{gerund(way[1].lower())} {thing}")
    if needs and (thing := _thing(needs[1])):
        return upper_first(thing)
    if plain:
        return _named(plain.subject, plain.verb, plain.rest, lex) or title
    first, _, rest = said.partition(" ")
    if first.lower() in lex.verbs and rest and known.conditions[:1] != (said,):
        return _named("", first.lower(), rest, lex) or title
    return title


def _han_name(title: str, statement: str, lex: Lexicon) -> str:
    """From the last verb that has something behind it: `前台可以按姓名查询报告进度` -> `查询报告进度`."""
    if is_reserved(statement):  # without who alone may, it would say that anybody may
        return re.split(r"[，,；;。]", statement.strip(TRIM))[0]
    known = clause(statement)
    said = known.action if known.subject and len(known.action) > 3 and known.actions else title
    said = re.split(r"[，,；;。（(]|[：:](?!\d)", _HAN_STORY.sub("", said.strip(TRIM)))[0].removeprefix(
        known.actor
    )
    at = max(
        (said.rfind(verb) for verb in lex.verbs if len(verb) > 1 and said[:-3].rfind(verb) >= 0), default=0
    )
    named = said[max(at, 0) :] if len(said) > _HAN_SHORT else said
    return (named if 4 <= len(named) <= _HAN else said[:_HAN]).strip(TRIM) or title


def _named(subject: str, verb: str, rest: str, lex: Lexicon) -> str:
    """The object of what is done, with the verb where it says more than that something is seen or had."""
    if verb.startswith("be "):
        acted = participle(verb[3:].lower(), lex)
        thing = _whole(
            rest if acted in statement_words("given") and _DETERMINERS.match(f"{rest} ") else subject
        )
        return upper_first(f"{gerund(acted)} {_lower(thing)}") if acted and thing else ""
    thing = _thing(rest)
    verb = verb_of(verb, lex)
    if not thing or not verb:
        return ""
    led = _LED.match(rest)
    if led:
        behind = _whole(rest[led.end() :])
        return upper_first(f"{gerund(verb)} {led[0].strip().lower()} {behind}") if behind else ""
    if verb not in statement_words("seen"):
        return upper_first(f"{gerund(verb)} {_whole(rest)}")
    if " " in thing:
        return upper_first(thing)
    whom = _thing(subject)
    if verb in ("get", "receive") and whom:
        return upper_first(f"{thing} for {_lower(whom)}")
    return upper_first(f"{gerund(verb)} {_whole(rest)}")


def _whole(text: str) -> str:
    """As `_thing`, with the determiners that a verb's object has."""
    thing = _thing(text)
    at = text.find(thing)
    said = re.sub(r"^(?:also|only)\s+", "", text[:at]) if 0 < at < 20 else ""
    return f"{said}{thing}" if thing else ""


def _thing(text: str) -> str:
    """The noun phrase with which a text begins, without determiners; empty when it is none or too long for a name."""
    found = _ENDS.split(f" {ASIDE.sub('', text).strip()}", maxsplit=1)[0].strip(TRIM)
    thing = _DETERMINERS.sub("", f"{found} ").strip(TRIM)
    thing = _NEXT.split(thing, maxsplit=1)[0].strip(TRIM)
    words = thing.split()
    if not words or words[0].lower() in (
        "it",
        "them",
        "that",
        "this",
        "what",
        "how",
        "who",
        "which",
        "when",
        "not",
        "no",
        "one",
    ):
        return ""
    return thing if len(words) <= _WORDS and len(thing) <= _LONGEST else ""
