"""What the people of a chat ask for, apart from who said it when.

Who speaks is named in front of each message, or on a line above it. What only answers, cheers or waits is put aside with the
names, and so are a question that the next message answers and a proposal that it turns down.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.patterns import expression
from workers.documents.asked_roles import asked_role, waits
from workers.documents.reading_words import attribute_of, role_of

_TIME = r"\d{1,2}[:.]\d\d(?::\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?"
_DAY = r"(?:\d{4}-\d\d-\d\d|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d\d)?|\d{1,2}\.? [A-Za-z]{3,9}(?: \d{4})?|[A-Z][a-z]{1,8} \d{1,2}|[Tt]oday|[Yy]esterday|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6})"
_WHEN = rf"(?:{_DAY},?(?: at)? )?{_TIME}"
_NAME = r"[A-Z\u00c0-\u00dc\u4e00-\u9fff][\w.'’-]{0,15}(?: [A-Z\u00c0-\u00dc][\w.'’-]{0,15}){0,2}"
_TURN = expression(  # `Nadia  10:02`, `Nadia (office)  10:02`, `[10:02] nadia: ...`, `10:02 - Nadia: ...`, `Nadia (10:02): ...`, `Nadia: ...`
    rf"^(?:[\[(]?(?P<clock>{_WHEN})[\])]?\s{{1,4}}(?:[-–—] )?)?[<*_@~]{{0,3}}(?P<name>{_NAME}|(?(clock)[a-z][\w.-]{{1,20}}|(?!)))(?: ?\([^()\d]{{1,30}}\))?[>*_]{{0,3}}"
    rf"(?:(?:,| [-–—])?\s{{1,8}}[\[(]?(?P<time>{_WHEN})[\])]?)?\s{{0,4}}(?P<colon>[:：]?)[*_]{{0,3}}\s{{0,8}}(?P<said>.*)$"
)
_BARE_TURN = expression(  # `[14:03] nadia.b  ...`, `14:03 <nadia> ...`
    rf"^(?:\[(?P<clock>{_WHEN})\]\s{{1,4}}|(?P<time>{_WHEN})\s{{1,4}}(?=<))<?(?P<name>[^\W\d][\w.'’-]{{0,20}}(?:(?: [^\W\d][\w.'’-]{{0,20}}){{1,2}}(?=\s\s|\t|>))?)>?\s{{1,8}}(?P<said>\S.*)$"
)
_LEVEL = expression(r"(?:debug|info|notice|warn|warning|error|fatal|trace|critical)\b", re.IGNORECASE)
_SPOKEN = expression(
    r"[?？]\s*$|\b(?:I|I[’']\w+|we|you|your|yes|no|ok|okay|sure|thanks|agreed|let[’']s|right|hi|hello|maybe|ja|nein|wir|ihr|oui|non|nous|vous|sí|nosotros)\b|[我你您咱]|好的|可以吗|嗯",
    re.IGNORECASE,
)
_TITLE = expression(r"[#*=\[(—–-]")  # of a line above the first message: `#shop (export)`
_SENTENCE = expression(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])")
_UNMARKED = expression(  # a question whose mark its author left out
    r"^(?:(?:and|but|so|ok|also|hey)[, ]+)*(?:what|who|whose|which|how (?:many|much|long|often|do|does|should|about)|when do|where do|was|wer|wie viele|welche|combien|qui|quand) (?:(?:do|does|should|would|will|about)\b|(?:is|are) (?:the|it|that|they)\b)",
    re.IGNORECASE,
)
_NO = expression(  # what turns down: `no.`, `Nope, we ...`
    r"(?:no|nope|nah|nein|non|nee|no way|(?:god|please|oh) no|rather not|better not|not now|maybe later|later)(?:[,.!:;]|$|\s+[-–—])|(?:no|nope|nah) (?:it|we|they|that|this|the)\b"
    r"|不[，,。用行]|不要|算了|(?:nice|good|cool|great|fun|lovely|interesting)(?: idea| one| thought)?,? but\b",
    re.IGNORECASE,
)
_LEFT_OUT = expression(r"(?:no|without) [\w-]|不", re.IGNORECASE)  # turns down what was only proposed
_PROPOSES = expression(
    r"\b(?:could|would|might|maybe|perhaps|how about|what about|why not|idea|i saw|saw an?)\b|要不|或许|是不是可以",
    re.IGNORECASE,
)
_PUT_OFF = expression(  # praise that puts something off: `nice but first the list`
    r"(?:nice|good|cool|great|fun|lovely|interesting)(?: idea| one| thought)?,? but (?:first|later|not|too|let['’]s|maybe|for (?:later|now)|one thing)\b",
    re.IGNORECASE,
)
_BARE_NO = expression(
    r"(?:no|nope|nah|(?:god|oh|please) no|i['’]d love to,? but no)[, ]*(?P<whom>[\w-]*)[.!]*$", re.IGNORECASE
)
_LATER = expression(  # `gift cards later`
    r"(?!(?:see|talk|speak|call|ask|do|send|sync|more|i|we|you|they|it|not|that|this|until|till|and then)\b)(?!.*\b(?:can|may|must|should|will|could) (?!come|wait|be\b)\w+ later)(?:[\w'’-]+ ){1,4}(?:(?:can |maybe |perhaps )?(?:come |comes )?later(?: on)?|(?:can|may) wait|another time|next year)[.!]*",
    re.IGNORECASE,
)
_BARE = expression(
    r"(?:no|nope|nah|nein|non|nee|later|not now|maybe later|不|不用|不要)[.!,]*$", re.IGNORECASE
)
_LEADING = expression(  # what agrees or waits in front of what is said
    r"(?:(?:ok(?:ay)?|yes|yeah|yep|ja|oui|sí|sure|agree(?:d)?|right|exactly|true|fine|hm+|haha|lol|\+1|good (?:point|idea|one|question)|fair enough|great|nice|perfect|and|do that|will do|ah|oh|well|thanks|thx|好的?|嗯|对|行|可以)(?:[,.!:;…]+ ?|[，。！、]| [–—-] ))+(?=\S)"
    r"|(?:ok(?:ay)?|so) since [^:.]{3,60}: ",
    re.IGNORECASE,
)
_CHEERS = expression(  # says nothing of what is wanted
    r"(?:(?:and|so|but|oh|ah|haha\w*|lol|hm+|ok(?:ay)?|yes|yeah|yep|sure|fine|right|exactly|true|cool|great|nice|perfect|finally|at last|agree[d]?|same|ditto|noted|understood|got it|deal|done|bravo|congrats|\+1|-1|good (?:one|point|idea|question|catch|work|job|stuff|morning|night|evening)|fair (?:enough|point)|great (?:work|job|stuff|idea)|well done|(?:love|like) (?:it|that)|makes sense|sounds good|works for me|fine with me|me too|do that|go ahead|go on|shoot|will do|on it|see (?:you|below|above)|bye|cheers|thanks?(?: you)?|thx|welcome"
    r"|(?:let me|i['’]ll|i will) think(?: about (?:it|that))?|(?:have |i['’]?ve )?(?:got to|gotta|have to) (?:go|run)\b[^.!?]{0,30}|brb|afk|sleep well|take care|have (?:a|fun)\b[^.!?]{0,30}|morning|hi|hello|you two|all|everyone|team|guys|both|lads|this can['’]t go on|you asked for it[^.!?]{0,30}|so here goes|here goes"
    r"|好的?|收到|嗯+|对|行|可以|没问题|明白|谢谢|辛苦了?|哈+|早|大家好|晚安)(?!\w)[\s,.!，。！…]*)+$",
    re.IGNORECASE,
)
_LONGEST = 120  # characters of a cheer, or of a question without its mark


_LEAVES_OUT = expression(  # of what was asked or proposed
    r"(?:(?:and|so|but|oh|please|yes|well|just)[, ]+)*(?:no (?!(?:one|idea|problem|need|worries|doubt|longer|more|matter|difference|reason|later)\b)[\w-]+|without any\b|leave (?:the |it|that|this|them|out)|skip (?:it|that|the)\b|not (?:in|for|needed|now|yet|this)\b)"
    r"|(?!if\b|when\b|it must\b)(?:[\w'’-]+ ){1,5}(?:stays?|remains?) (?:in|with|at|as|where|on paper|what)\b|(?!.*\b(?:can|may|must|should|will|could) (?!come|wait|be\b)\w+ (?:later|next))(?:[\w'’-]+ ){1,4}(?:can (?:come|wait)|comes?|maybe|perhaps)? ?(?:later|next (?:year|time))[.!]?$"
    r"|(?:we|i)(?:['’]re| are|['’]m| am| do| will|['’]ll)?(?: not|n['’]t) (?:doing|do|need|want|offer\w*|building|build)\b",
    re.IGNORECASE,
)
_OPEN = expression(  # a question that names what its answer is about: `by when?`, `who will use it?`
    r"(?:\S+ ){0,2}\S+$|(?:(?:and|but|so|ok|also)[, ]+)*(?:who|what|when|by when|how|which|where|any|wer|was|wann|welche|qui|que|quand|quels?|quién|qué|cuándo)\b|[^\sA-Za-z]",
    re.IGNORECASE,
)
_ABOUT = expression(r"(?:(?:and|also|so|or|what about|how about)\s+)+", re.IGNORECASE)


@dataclass(slots=True)
class _Turn:
    name: str
    lines: list[str] = field(default_factory=list)


def of_chat(lines: list[str]) -> tuple[str, str, str] | None:
    """A chat: its title, what its people ask for, each message by itself, and the rest. None for any other text."""
    found = _marked(lines)
    if found is None:
        return None
    first = next(at for at, turn in enumerate(found) if turn)
    above = [line for line in lines[:first] if line.strip()]
    titled = len(above) == 1 and _TITLE.match(above[0]) is not None
    rest, turns = [], [] if titled else [_Turn("", [*lines[:first]])]
    for line, turn in zip(lines[first:], found[first:], strict=True):
        if turn:
            turns.append(_Turn(turn["name"]))
            rest.append(line[: turn.start("said")].strip())
        turns[-1].lines.append(turn["said"] if turn else line)
    _put_aside(turns, rest)
    said = [piece for turn in turns for line in turn.lines for piece in ("", line)]
    return above[0].strip() if titled else "", "\n".join(said), "\n".join(rest)


def _marked(lines: Sequence[str]) -> list[re.Match[str] | None] | None:
    """For each line the head of the message that begins there; None for a text that is no chat."""
    turns = [_head(line) for line in lines]
    names = [turn["name"] for turn in turns if turn]
    timed = sum(bool(turn and (turn["clock"] or turn["time"])) for turn in turns)
    if len(names) < 4 or len(set(names)) < 2 or len(set(names)) * 2 > len(names):
        return None
    if not timed:  # `Add: ...`, `Remove: ...` are labels
        spoken = sum(bool(turn and _SPOKEN.search(turn["said"])) for turn in turns)
        if len(names) * 2 < sum(bool(line.strip()) for line in lines) or spoken * 3 < len(names):
            return None
    return turns


def _head(line: str) -> re.Match[str] | None:
    turn = _TURN.match(line)
    if not (
        turn
        and (turn["clock"] or turn["time"] or (turn["colon"] and turn["said"]))
        and not (turn["said"] and not turn["colon"])
    ):
        turn = _BARE_TURN.match(line)
    if turn is None or _LEVEL.match(turn["name"]) or role_of(turn["name"]) or attribute_of(turn["name"]):
        return None
    return turn


def _put_aside(turns: list[_Turn], rest: list[str]) -> None:
    """Move to `rest` what asks for nothing: answered questions, what is turned down, cheers."""
    names = {name.lower() for turn in turns for name in (turn.name, turn.name.partition(" ")[0]) if name}
    names |= {name.partition(".")[0] for name in names}
    for at, turn in reversed([*enumerate(turns)]):  # from the end: an answer takes up its question
        answer = next((after for after in turns[at + 1 : at + 3] if after.name != turn.name), None)
        if answer is not None:
            _settle(turn, answer, names, rest)
    for turn in turns:
        turn.lines = [_telling(line, names, rest) for line in turn.lines]


def _settle(turn: _Turn, answer: _Turn, names: set[str], rest: list[str]) -> None:
    """Put aside the question that a message ends with, or its last proposal, where the next one answers or turns it down."""
    at = next((at for at in reversed(range(len(turn.lines))) if turn.lines[at].strip()), None)
    to = next((to for to, line in enumerate(answer.lines) if line.strip()), None)
    if at is None or to is None:
        return
    said = _SENTENCE.split(turn.lines[at])
    reply, *more = _SENTENCE.split(_unaddressed(answer.lines[to], names))
    asked = next((number for number, sentence in enumerate(said) if _asks(sentence)), None)
    number = len(said) - 1 if asked is None else asked
    refused = _NO.match(reply) or (_LEFT_OUT.match(reply) and _PROPOSES.search(said[number]))
    if (asked is None and not refused) or not re.search(r"\w", reply):
        return
    open_ = [sentence for sentence in [reply, *more][:2] if waits(sentence)] if asked is not None else []
    if open_:
        rest += open_
        answer.lines[to] = " ".join(sentence for sentence in [reply, *more] if sentence not in open_)
        return
    if asked is not None and reply.rstrip().endswith(("?", "？")):
        return  # it asks back
    turn.lines[at] = " ".join(said[:number])
    if _BARE.match(reply.strip()) and not more:
        turn.lines += ["", f"Out of scope: {_ABOUT.sub('', said[number].strip(' ?？!.…'))}"]
        return
    rest.append(" ".join(said[number:]))
    question = f"{said[number].partition(',')[0].rstrip(' ?？')}?"
    left = [reply, *more]
    telling = (place for place, sentence in enumerate(left) if not _tells_nothing(sentence, names))
    out = next((place for place in telling if _LEAVES_OUT.match(left[place])), None)
    if out is not None:
        answer.lines[to : to + 1] = [
            " ".join(left[:out]),
            "",
            f"Out of scope: {left[out]}",
            "",
            *left[out + 1 :],
        ]
    elif asked is not None and not refused and _OPEN.match(question) and asked_role(question):
        answer.lines[to : to + 1] = [f"{question} {reply}", "", *more]


def _asks(sentence: str) -> bool:
    said = sentence.strip()
    return said.rstrip(" *_)\"'!…").endswith(("?", "？")) or (
        len(said) <= _LONGEST and _UNMARKED.match(said) is not None
    )


def _unaddressed(line: str, names: set[str]) -> str:
    """A line without the name of whom it speaks to: `@Ana we need a list`, `Ana no`."""
    at = re.match(r"@[\w.-]{1,20}(?: [A-Z]\b\.?| (?=[A-Z]\w+ ))?[,:]?\s+", line)
    if at:
        return line[at.end() :]
    first, _, more = line.partition(" ")
    return more if more and first.rstrip(",:").lower() in names else line


def _telling(line: str, names: set[str], rest: list[str]) -> str:
    """The sentences of a line that tell something; what comes later is left out."""
    kept = []
    for sentence in _SENTENCE.split(_unaddressed(line, names)):
        led = _LEADING.match(sentence)
        said = sentence[led.end() :] if led else sentence
        if _tells_nothing(said, names):
            rest.append(sentence.strip())
        else:
            kept.append(f"\n\nOut of scope: {said}\n\n" if _LATER.fullmatch(said) else said)
    return " ".join(kept)


def _tells_nothing(sentence: str, names: set[str]) -> bool:
    """Whether a sentence is a cheer, a bare `no`, also to somebody by name, or puts something off."""
    bare = re.sub(r"[^\w\s.,!?+'’，。！？-]", "", sentence).strip()
    if len(bare) > _LONGEST:
        return False
    no = _BARE_NO.match(bare)
    return (
        (not bare and bool(sentence.strip()))
        or _PUT_OFF.match(bare) is not None
        or _CHEERS.match(bare) is not None
        or (no is not None and no["whom"].lower() in {"", *names})
    )
