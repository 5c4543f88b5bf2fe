"""What headings, labels, columns and priorities say, as config/reading.yaml lists it: whole phrases, not parts of them."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from orchestrator.domain.courtesies import is_all_courtesy
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk
from workers.documents.tongue_words import read_words

_LINK = expression(r"!?\[([^\[\]]*)\]\([^()]*\)")
_NUMBERING = expression(
    r"^(?:(?:section|part|chapter|appendix|step)\s+)?(?:\d+(?:\.\d+)*(?=(?-i:[A-Z][a-z]))|\d+(?:\.\d+)*[.):、]?\s+|\d+(?:\.\d+)*[.):、]\s*|第?[一二三四五六七八九十]{1,3}[、章节.]\s*"
    r"|[（(][一二三四五六七八九十\d]{1,3}[)）]\s*|[IVX]{1,4}\.\s+|[A-Z]\.\s+)",
    re.IGNORECASE,
)
_PART = expression(
    r"^(?:part|chapter|appendix|annex|teil|anhang|annexe|anexo|parte)\s+[A-Z\d]{1,2}\b[\s:：.–—-]+(?=\w)",
    re.IGNORECASE,
)
_EDGES = expression(r"^[\W_]+|[\s:：*_.…。、,?？!–—\u2600-\u27bf\u2b00-\u2bff\ufe0f\U0001f300-\U0001faff-]+$")
_PARENTHESES = expression(r"\s*[（(\[【]([^()（）\[\]【】]*)[)）\]】]\s*")
_JOINS = expression(
    r"\s*(?:&|\+|/|、|,|，)\s*|\s+(?:and|or|und|et|y|e|plus)\s+|(?<=[一-鿿ぁ-ヿ])(?:与|和|及|と|・)(?=[一-鿿ぁ-ヿ])"
)
_OF = expression(
    r"\s+(?:for|of|in|to|by|with|on|from|after|within|at|before|per|du|de|des|del|der|für|pour|para|d[ai]|do(?! (?:it|this|that|not|we|you|they|i|the|an?)\b)"
    r"|das|d[ao]s|dell[aeo]|degli|dei|van|voor|beim?|zum|zur|von|vom|known|that|which|who|we|you|i|they|already|still|so far|last|this|next|not)\s+"
)
_NOT = expression(
    r"\b(?:not|never|no longer|won't|dont|wont|(?<!live )without|nicht|keine?|pas|no|não|niet|geen)\b"
)
_PARTS = expression(r"\s*[:：]\s*|\s+[-–—|]\s+")
_INSIDE = expression(r"[（(\[【]([^()（）\[\]【】]+)")
_RELEASE = expression(
    r"\b(?:(?:phase|milestone|release|sprint|iteration|stage|version|fase|étape)\s*(?:[\dIVX]+(?:\.\d+)*|one|two|three)|v\d+(?:\.\d+)*|m\d|mvp)\b"
    r"|(?:第[一二三四五六七八九十\d]+(?:阶段|期|版)|[一二三]期|阶段[一二三四五\d]|里程碑\s*[一二三四五\d])",
    re.IGNORECASE,
)
_ALREADY = expression(  # in front of a status: `already live`, `v1.0 已完成`
    r"^(?:(?:already|now|fully|all|bereits|schon|déjà|ya|v?\d+(?:\.\d+)+)\s+)+(?=\S)"
)
_HAS_SHIPPED = expression(r"已(?:经|于|在)?.{0,16}(?:完成|上线|发布|实现|做好|交付)了?$")
_SENTENCE = expression(r"(?<=[^\d.][?!.;])\s+(?=\w)|(?<=[？！。；])")
_CLAUSE = expression(
    r"^(?:what|who|whom|for whom|how|why|where|when|which|things?|stuff|was|wer|wie|woran|warum|womit|ce qu[ei'’]|qui|comment|pourquoi|pour qui|qué|quién(?:es)?|cómo|por qué|lo que|para quién|dónde|cuándo|où|quand|à quoi|wann|wozu|welche\w?|ab wann|che cosa|cosa|chi|a chi|per chi|come|quando|perché|quello che|ciò che|o que|quem|como|para quem|a quem|por ?qu[eê]|wat|wie|hoe|wanneer|waarom|waaraan|waar|voor wie)\b"
    r"|\b(?:we|you|i|they|us|let's|wir|nous|nosotros|noi|nós)\b|什么|怎么|哪些|如何|为什么|谁|我们"
)
_ABOUT = expression(r"(?:对|关于)(.{2,12})的(?:期望|要求|想法|说明|考虑|意见)$")  # `对质量的期望`
_REFUSED = expression(r"^(?:不(?!足|便|确定|清楚|明|满)|无需|暂不|先不)")
_PRIORITY = expression(r"\b(p[0-4])\b", re.IGNORECASE)
_LINKING = frozenset(
    "for of in to by with on from as at the a an your do da dos das de du des del della dei di der die den dem la le les il lo los las o os van voor het een zum zur von".split()  # noqa: SIM905
)
_MODALS = frozenset({"must", "shall", "should"})
_CONTRAST = expression(
    r"\w ?[,–—-]+ ?not (?!now\b|yet\b|this\b|in\b|part\b)"
)  # `My guesses, not measurements`
_PLAIN = str.maketrans({"’": "'", "‐": "-", "‑": "-", "`": None})  # marks of one kind in one form
_MIXED = "mixed"
_BESIDE = frozenset({"plan", "instructions", "meta", "contents"})  # roles of text beside what is asked for
_LASTING = frozenset(
    {"goal", "non_goal", "metric", "question", "problem"}
)  # roles that being present does not turn
_MAX_WORDS = 9  # of a heading whose last words are looked at


@cache
def _table(part: str) -> dict[str, str]:
    """Phrase -> what it means; the first meaning of a phrase counts."""
    meaning: dict[str, str] = {}
    for name, given in _words()[part].items():
        for line in given if isinstance(given, list) else [given]:
            for phrase in str(line).split(","):
                meaning.setdefault(phrase.strip().casefold(), name)
    return meaning


@cache
def wishes() -> dict[str, str]:
    """Patterns of modal verbs by priority, and of exclusions, wishes and the present, in languages without a lexicon."""
    return dict(read_words()["wishes"])


@cache
def people() -> frozenset[str]:
    """Nouns that name people, in small letters and in the singular."""
    return frozenset(word.strip() for line in read_words()["people"] for word in line.split(","))


@cache
def compounds() -> frozenset[str]:
    """Nouns that name people as the last part of a longer word, in small letters: `wart` of `Gerätewart`."""
    return frozenset(word.strip() for line in read_words()["compounds"] for word in line.split(","))


def people_words(kind: str) -> frozenset[str]:
    """Words beside people: `no_modifier`, `does`, `makers`, `nobody` ... (config/reading.yaml)."""
    return _listed("people_words", kind)


def statement_words(kind: str) -> frozenset[str]:
    """Words by which a plain statement is taken apart: `no_doer`, `before_noun`, `mass` ... (config/reading.yaml)."""
    return _listed("statement_words", kind)


@cache
def quantity_words(kind: str) -> tuple[str, ...]:
    """Words of values, the longest first: `bounds`, `numbers`, `bare`, `parts`, `units`, `each` or `months`."""
    return tuple(sorted(_listed("quantities", kind), key=len, reverse=True))


@cache
def _listed(part: str, kind: str) -> frozenset[str]:
    said = read_words()[part][kind]
    lines = [said] if isinstance(said, str) else said
    return frozenset(word.strip() for line in lines for word in line.split(","))


@cache
def _words() -> dict[str, dict[str, object]]:
    value = read_words()
    return {
        **{part: value[part] for part in ("roles", "columns", "attributes", "priorities", "states")},
        "verbs": {"verb": ",".join(value["verbs"])},
        "done": {"done": value["done"]},
        "turning": {role: ",".join(words) for role, words in value["turning"].items()},
    }


@cache
def _open_phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The phrases with `*`."""
    return tuple(
        (expression(re.escape(phrase).replace(r"\*", ".+")), role)
        for phrase, role in _table("roles").items()
        if "*" in phrase
    )


@cache
def _any_open_phrase() -> re.Pattern[str]:
    """All phrases with `*` in one: most labels are none of them."""
    return re.compile("|".join(f"(?:{pattern.pattern})" for pattern, _ in _open_phrases()))


@lru_cache(maxsize=8192)
def role_of(heading: str) -> str:
    """What the text under a heading is: goal, non_goal, user, requirement, risk ...; empty when the heading does not say."""
    said = _SENTENCE.split(_bare(heading), maxsplit=1)[0]
    if not said or len(said) > 120:
        return ""
    inside = [_bare(match[1]) for match in _PARENTHESES.finditer(said) if not release_of(said)]
    plain = _bare(_PARENTHESES.sub(" ", said))
    tried = [said, plain, *inside]
    known = next((role for piece in tried if (role := label_role(piece))), "") or _of_parts(plain)
    return known or next((role for piece in inside if (role := _joined(piece)) not in ("", _MIXED)), "")


@cache
def _clauses() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((role, re.compile(pattern)) for role, pattern in read_words()["clauses"])


@lru_cache(maxsize=8192)
def clause_role(heading: str) -> str:
    """The role of a heading that is a clause and no known phrase, by its words: `How we will know it worked`."""
    said = _bare(heading)
    if not _CLAUSE.search(said) or (not is_cjk(said) and not 3 <= len(said.split()) <= 12):
        return ""
    return next((role for role, pattern in _clauses() if pattern.search(said)), "")


@cache
def _leads() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((role, re.compile(pattern)) for role, pattern in read_words()["leads"])


def lead_role(lead: str) -> str:
    """The role of what a sentence leads to, by how it ends: `The following are deferred to a later release`."""
    said = _bare(lead)
    return next((role for role, pattern in _leads() if pattern.search(said)), "")


def says(kind: str, text: str) -> bool:
    """Whether a sentence says what the list of this name holds: `hopes`, `aims`, `success` ... (config/reading.yaml)."""
    return _sayings(kind).search(text) is not None


@cache
def _sayings(kind: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in read_words()["sayings"][kind]), re.IGNORECASE)


@cache
def _by_words() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((role, re.compile(pattern)) for role, pattern in read_words()["words"])


@lru_cache(maxsize=8192)
def word_role(heading: str) -> str:
    """The role of a short heading by any of its words, where no phrase says it: `Things that could bite us`."""
    said = re.sub(r"^[^\w?？]+", "", heading.replace("’", "'").casefold()).strip()
    if len(said) > 60 or len(said.split()) > 8:
        return ""
    said = _bare(said) or said
    if _joined(said) == _MIXED:
        return ""
    return next((role for role, pattern in _by_words() if pattern.search(said)), "")


def _of_parts(said: str) -> str:
    """The role of a heading of several parts (`phase 1: core features`), of its last words otherwise."""
    joined = _joined(said)
    if joined:
        return "" if joined == _MIXED else joined
    parts = _JOINS.split(said)
    first = label_role(parts[0])
    if (first in ("user", "dependency") and len(parts) > 1) or (first == "constraint" and len(parts) > 2):
        return first  # `User classes and characteristics`, `Budget, dates, people`
    pieces = [piece for piece in _PARTS.split(said)[::-1] if piece != said]
    return next((role for piece in pieces if (role := role_of(piece))), "") or _head(said)


def label_role(label: str) -> str:
    """As `role_of`, for a label in front of a text: only a whole phrase counts."""
    said = re.sub(r"(?:[?.] please (?:describe|explain)|[?？]?请描述|\s*#?\d{1,2})$", "", _bare(label))
    known = _table("roles").get(said, "")
    if known or not _any_open_phrase().fullmatch(said):
        return known
    return next((role for pattern, role in _open_phrases() if pattern.fullmatch(said)), "")


def _joined(said: str) -> str:
    """Of `goals and metrics` the first role; `_MIXED` where one part excludes what the other asks for."""
    parts = _JOINS.split(said)
    if len(parts) < 2:
        return ""
    roles = ["requirement" if part == "in" else _head(part) or label_role(part) for part in parts]
    if not all(roles):
        return ""
    return _MIXED if {"non_goal", "done"} & set(roles) and len(set(roles)) > 1 else roles[0]


def _head(said: str) -> str:
    """The role of the last words: `key product goals`, `requirements for the first release`."""
    if is_cjk(said):
        return _han_head(said)
    heads = [said, *(said[: match.start()] for match in reversed(list(_OF.finditer(said))))]
    for head in heads:
        words = head.split()
        if not words or len(words) > _MAX_WORDS or _table("verbs").get(words[0]):
            continue
        for at in range(len(words)):
            role = label_role(" ".join(words[at:])) if not at or words[at:] != ["but"] else ""
            if at > 2 and role in _BESIDE:  # `Open a new booking from the calendar`
                continue
            led = role == "user" and {"for", "by"} & set(words[:at])  # `Features for power users`
            if role and not led and not (at and words[at - 1] in _LINKING):
                around = [*words[:at], *said[len(head) :].split()]
                turned = next((t for word in around if (t := _table("turning").get(word))), "")
                turned = _turned(turned, role)
                if role == "non_goal" and at and label_role(" ".join(words[:at])) == "user":
                    return "user"  # `Secondary users later`
                if words[-1] in _MODALS:
                    return role  # what `must not happen` is a rule, and not left out
                if turned == "non_goal" and _CONTRAST.search(said):
                    return ""
                refused = role in ("requirement", "goal") and _NOT.search(said[len(head) :])
                return turned or ("non_goal" if refused else role)
    return ""


def _han_head(said: str) -> str:
    about = _ABOUT.match(said)
    if about:
        return role_of(about[1]) or word_role(about[1])
    if len(said) > 16 or any(said.startswith(verb) for verb in _table("verbs") if is_cjk(verb)):
        return ""
    if len(said) < 10 and _REFUSED.match(said):
        return "non_goal"
    for at in range(len(said)):
        role = label_role(said[at:])
        if role:
            turned = next(
                (
                    t
                    for word, t in _table("turning").items()
                    if is_cjk(word) and (said[:at].startswith(word) or said[:at].endswith(word))
                ),
                "",
            )
            return _turned(turned, role) or role
    return ""


def _turned(turned: str, role: str) -> str:
    """What a word in front makes of a role: `Existing features` are background, `Current goals` stay goals."""
    return "" if turned == "background" and role in _LASTING else turned


@cache
def _open_columns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The headers with `*`."""
    return tuple(
        (expression(re.escape(phrase).replace(r"\*", ".+")), kind)
        for phrase, kind in _table("columns").items()
        if "*" in phrase
    )


@lru_cache(maxsize=4096)
def column_of(header: str) -> str:
    """What a column holds: id, requirement, metric, target, risk ...; empty when its header does not say."""
    said = _bare(header)
    plain = _bare(_PARENTHESES.sub(" ", said))
    known = _table("columns")
    words = plain.split()
    tails = [" ".join(words[at:]) for at in range(len(words))] if len(words) <= 5 else []
    tails = [tail for tail in tails if tail == plain or tail not in _LINKING]  # `what for` names nobody
    heads = [plain[: match.start()] for match in _OF.finditer(plain)]
    exact = next((known[piece] for piece in (said, plain) if piece in known), "")
    opened = exact or next((kind for pattern, kind in _open_columns() if pattern.fullmatch(plain)), "")
    return opened or next((known[piece] for piece in (*tails, *heads) if piece in known), "")


def is_column(text: str) -> bool:
    """Whether a text is the header of a column, word for word."""
    return _bare(text) in _table("columns")


def attribute_of(label: str) -> str:
    """Which property of an item a label names: priority, status, metric, target, mitigation ...; else empty."""
    said = re.sub(r"\s*#?\d{1,2}$", "", _bare(label))
    return _table("attributes").get(said, "")


def priority_of(text: str) -> str:
    """Must, Should, Could or Won't, as a heading, a cell or a label says it."""
    said = _bare(text)
    known = _table("priorities")
    found = known.get(said) or known.get(_bare(_PARENTHESES.sub(" ", said)))
    found = found or next((known[level] for level in _levels(said) if level in known), "")
    if found:
        return found
    named = _PRIORITY.search(said)
    if named:
        return known[named[1].casefold()]
    parts = re.split(r"\s*[:：/|(]\s*|\s+[-–—]\s+", said)
    last = known.get(_bare(parts[-1]), "") or known.get(_bare(parts[0]), "") if len(parts) > 1 else ""
    tail = _PARTS.split(_PARENTHESES.sub(" ", said))
    last = last or (known.get(_bare(tail[-1]), "") if len(tail) > 1 else "")
    if last:
        return last
    words = said.split()
    pairs = [
        " ".join(words[:2]),
        " ".join(words[:1]),
        " ".join(words[-2:-1]) if words[-1:] == ["priority"] else "",
    ]
    paired = next((known[pair] for pair in pairs if len(pair) > 2 and pair in known), "")
    if paired or not is_cjk(said[:1]):
        return paired
    return next(
        (name for word, name in known.items() if len(word) > 1 and is_cjk(word) and said.startswith(word)), ""
    )


def _levels(said: str) -> Iterator[str]:
    """What a heading says beside the word for priority: `alta` of `Prioridad alta` and of `Recepción (prioridad alta)`."""
    for piece in (said, *_INSIDE.findall(said)):
        words = re.split(r"[\s:：]+", piece)
        rest = [word for word in words if _table("attributes").get(word) != "priority"]
        if len(rest) < len(words):
            yield " ".join(rest)


def release_of(text: str) -> str:
    """The phase, milestone or version that a heading or a cell names, as it is written there."""
    found = _RELEASE.search(text)
    return found[0] if found else ""


def is_done(text: str) -> bool:
    """Whether a status says that something is finished: `done`, `shipped in 1.3`."""
    said = _ALREADY.sub("", _bare(text))
    known = _table("done")
    if re.match(r"\s*[✅✔☑✓]", text):
        return True
    first, _, rest = said.replace(", ", " , ", 1).partition(" ")
    since = (
        len(first) > 2
        and first in known
        and re.match(r"(?:in|on|since|with|last|this|for|am|seit|en|le|\W|\d)", rest)
    )
    return text.strip().casefold() in known or said in known or bool(since) or bool(_HAS_SHIPPED.match(said))


def state_word(text: str) -> str:
    """`non_goal`, `open` or `refused` when a text is a word for such a state, and no more (config/reading.yaml)."""
    return _table("states").get(_bare(text), "")


def is_greeting(text: str) -> bool:
    """Whether a paragraph only greets or takes leave, thanks or excuses itself."""
    said = text.strip()
    return (
        len(text) < 60 and re.match(read_words()["greeting"], said, re.IGNORECASE) is not None
    ) or is_all_courtesy(said)


def _bare(text: str) -> str:
    """A heading without marks, numbering and emoji, in small letters."""
    said = _LINK.sub(r"\1", text).translate(_PLAIN).strip()
    said = _NUMBERING.sub("", _PART.sub("", re.sub(r"^[*_\s]+", "", said)))
    said = _EDGES.sub("", _EDGES.sub("", said)) if not said.startswith(("#", "(")) else said
    return " ".join(_NUMBERING.sub("", said).casefold().split())
