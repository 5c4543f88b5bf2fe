"""Who is spoken of: people told from things, their names without articles, and those who act in a statement.

Nouns that name people are data (`people` in config/reading.yaml). Elsewhere an ending such as `-er` names people only where
a verb is beside it that things cannot do.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk
from workers.builtin.complements import complement_before_verb
from workers.builtin.verb_forms import stems
from workers.documents.audience import without_denied
from workers.documents.lexicon import Lexicon
from workers.documents.reading_words import compounds, people, people_words, statement_words

_TRIM = " \t.,;:!?。，；：！？、\"'“”"
_MARK = expression(r"^[^\w(（]+\s*")  # a symbol in front: `🪄 Choir leader`
_AFTER = expression(r"\s+[^\w\s\"'”’)\]]+$")  # a symbol behind: `Night owl 🌙`
_TO_DO = expression(  # what is a verb: `easy to author and run`
    r"\b(?:able|want(?:s|ed)?|needs?|order|ways?|like|possible|easy|allowed) to (?:\w+ly )?\w+"
    r"|\b(?:a|de|e|y|o|para|poder|quiero|quero|pueda|puede|possa|pode|debe|deve|podrá|poderá) registrar\b",
    re.IGNORECASE,
)
ARTICLE = expression(
    r"^(?:(?:right now|at the moment|in addition,?|today|only|most|some|second|third|next|last|tired|average|median|typical|single|current|active|(?:logged|signed)-in|authori[sz]ed|authenticated|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d+|the|each|every|an?|all|any|our|both|other|new|registered|existing|former|old|free|my|your|their|der|die|das|den|dem|eine?r?|jede[rs]?|alle|unsere?|les?|la|une?|chaque|nos|notre|el|los|las|una?|cada|nuestros?|il|lo|gli|i|uno|ogni|ciascun|o|os|as|uma?|cada um dos|de|het|een|elke|iedere|onze|alle|tou(?:s|tes) les|todos los|todas las|todos os|todas as|tutti i)\s+|l['’]|un['’])+",
    re.IGNORECASE,
)
_DOING = expression(r"((?:[\w-]+ ){0,2}[\w-]+s) \w+ing\b")
_CUT = expression(
    r"\s+(?:who|that|which|with(?! (?:an? )?[a-z-]+(?: (?:or )?[a-z-]+)?$)|without|at|in|on|from|of (?=\d|all\b|both\b)|pour|für|para|per|voor|mit|avec|con|com|met|im|auf|am|aus|dans|au|aux|en|em|na|no|nel|nella|op|die|che|qui|que)\b(?!-)|\s?\[|[,(（，:：]|\s[-–—]\s"
)
_CLAUSE = expression(
    r"(?:^|[.;:!?(–—\"“]\s*|,\s+|\b(?:and|but|or|so|so that|that|if|when|once|because|while|until|unless|whether|where|then|und|damit|wenn|dass|sobald|oder|et|quand|lorsque|si|afin que|pour que|que|y|cuando|para que|si|e|ed|che|se|affinché|perché|quando|o que|caso|maar|en|als|wanneer|zodat|dat)\s+)"
    r"(?:(?:also|then|yes|please|and|but|when|if|once|our|as|only|so)\s+)*"
    r"(?:(?:let|allow|enable|help|notify|remind|tell|ask|show|give|inform|alert|warn)s?\s+)?",
    re.IGNORECASE,
)
_WHEN = expression(  # what a sentence may begin with before its subject: `In the morning the cooks get a list`
    r"(?:^|[.;:!?]\s+|, |\b(?:and|but|so|that) )(?:in|on|at|after|before|during|for|once|every|each|by|until|from|with|without|of) (?=(?:[^\s.,;:!?]+ ){1,7}(?:the|an?|our|each|every|all) )",
    re.IGNORECASE,
)
_SUBJECT = expression(r"(?: |^)(?=(?:the|an?|our|each|every|all) )", re.IGNORECASE)
_BY = expression(
    r"\b(?:lets?|allows?|enables?)\s+(?=[a-z])|\b(?:reminds?|tells?|asks?|informs?|alerts?|warns?|by|(?:visible|available|shown|sent|open|known|announced|told|given|handed|assigned|reported) (?:only )?to|(?:link|page|list|slips?|view|report|screen|app|feed|message|copy|display|notice|summary|export|reminder|reader|form|portal|dashboard|letter|mail)s? for|par|por|von|durch|door)\s+(?=(?:only\s+|both\s+)?(?:the|an?|our|each|every|all|their|le|la|les|el|los|las|der|die|dem|den|einem|einer|il|lo|gli|i|un|una?|uma?|o|os|as|de|het|een)\b)",
    re.IGNORECASE,
)
_WORD = expression(r"\s*([^\W\d_][\w-]*)(['’]s?\b)?")
_PLAIN = expression(r"[a-zà-ÿß-]+$", re.IGNORECASE)
_ACTS = expression(
    r"\s+(?:(?:can|may|will|must|should|shall|need|has|have|want|would|is|are|cannot|could)\s+)?(?:also\s+|only\s+|then\s+)?"
    r"(?:want|wish|like to|be able|able to|see|choose|pick|enter|know|decide|confirm|ask|log ?in|sign|click|tap|type|get|receive|told|asked|notified|reminded|informed|who|write|upload|report|book|register|plan|hand|fill|publish|draw)",
    re.IGNORECASE,
)
_FOREIGN = expression(
    r"\s+(?:kann|können|muss|müssen|soll|sollen|darf|dürfen|will|möchte|braucht?|brauchen|sieht|sehen|bekommt|erhält|scannt|gibt|trägt|wählt|meldet|bucht|prüft|legt|\w{3,}t\b"
    r"|peut|peuvent|doit|doivent|veut|voit|reçoit|puede|pueden|debe|deben|quiere|ve\b|recibe|\w{3,}(?:e|ent|a|an|en)\b)",
    re.IGNORECASE,
)
_ACCENTED = expression(r"[^\W\d_a-zA-Z]")  # a letter of another language
_NOT_ENGLISH = expression(  # behind it, `clients` and `agents` are people
    r"(?:les?|la|l['’]|une?|nos|notre|chaque|los|las|el|nuestros?|cada|il|lo|gli|i|ogni|o|os|as|uma?|het|een|elke)\s*$",
    re.IGNORECASE,
)
_MAKING_HAN = expression(
    r"(?:请|帮我?|给我)*(?:做|写|开发|设计|搭建|实现|建设)"
)  # `做一个客户管理系统` names nobody
_HAN = expression(
    r"(?:^|[，。；、,;:：！？\s（(]|和|与|及|或|只有|由|让|供|给|通知|提醒|如果|当|并)(?:每个|每位|每名|所有|各个?|一个|该|其他)?"
    r"((?:(?![的由让供给向是在有和与及把被将不求需])[一-鿿]){0,6}?(?:员工|员|者|师|客户|客|住户|租户|商户|农户|用户|店长|站长|班长|组长|园长|校长|队长|社长|院长|家长|学生|医生|先生|新生|居民|村民|市民|地块主人|房主|业主|车主|店主|货主|主人|家属|子女|保安|保洁|前台|经理|主管|领导|司机|骑手|厨师|会计|财务|教练|教师|队员|人力|护士|患者|志愿者|接待人|负责人|申请人|审批人|联系人|行政部|财务部|人事部|物业|后勤|客服|兽医|调度))"
    r"(?=可|能|需|必须|应|要|在|每|开车|收|看|查|填|提|扫|申|预约|选|审|确认|登记|上传|负责|自己|凭|手工|按|到|用|把|将|通过|对|只|不能|不得|打开|录入|输入|发|接|处理|分配|管理|导出|编辑|修改|签|拍|点|说|给|为|会|有权|随时|也|都|得)"
)
_TOLD_HAN = expression(  # who is told or given something, at the end of a clause: `通知社区网格员上门`
    r"(?:通知|提醒|告知|推送给|发送?给|转给|交给|报给|派给|分配给|提交给|展示给|开放给)(?:每个|每位|所有|各个?|该|其他|对应的?|相关)?"
    r"((?:(?![的由让给供向是在有和与及把被将不])[一-鿿]){1,8}?(?:员|者|师傅?|长|司机|家属|家长|客户|顾客|主管|经理|前台|医生|护士|教师|老师|学生|负责人|管理方|值班室|工人|调度))(?=$|[，。；、）)和与并及进上去到前处确查改审核])"
)
_KANA = expression(
    r"(?:^|[、。，\s（(]|(?<=は)|(?<=なら)|(?<=の場合))((?:[一-鿿ァ-ヶー]{1,6}の(?=作者|作成者|所有者|責任者|担当者|管理者|代表者))?[一-鿿ァ-ヶー]{0,8}(?:者|員|師|士|長|客|客様|生徒|学生|作者|管理人|住人|主|親|家族|ユーザー|スタッフ|担当|オーナー|メンバー|ドライバー|マネージャー|リーダー|ボランティア|パート|アルバイト|会員|教員|保護者))(?:だけ|のみ|自身|本人)?(?:は|が|も|には|にも|へ)(?=[^、。]{2,})"
)
_IS_A = expression(
    r"\b(?:is|works as|ist|est|es)\s+(?:an?|the|eine?|une?|un)\s+([\w -]{3,40}?)(?=\s+(?:who|at|in|of|with|and|from)\b|[,.;(]|$)",
    re.IGNORECASE,
)
_ON_DUTY = expression(  # what belongs to a name: `the observer on shift sees`, `the head of the reading room`
    r" (?:on|in) (?:duty|shift|call|charge(?: of (?:the |a |an |our )?[a-z-]+)?)\b| of (?:the |a |an |our |other |their )?(?:[a-z-]+ ){0,2}?[a-z-]+(?= (?:can|may|must|shall|should|will|has|have|is|are|gets?|sees?|receives?|wants?|needs?)\b)"
)
_BESIDE = expression(r"^ \([^()]{1,40}\)")  # `the technicians (Ines and Bo) need`
_OPENING = 60  # characters of what a sentence says before its subject
_ONE = expression(r"(?:an?|each|every)\s", re.IGNORECASE)  # whose verb ends in -s
_COMPOUND = expression(
    r" [a-z]+s (?:is|are|was|were|can|must|may|shall|should|will|has|have)\b"
)  # `names are`
_ROLE = expression(
    r"(?:员|者|师|长|管|秘书|财务|会计|出纳|经理|主任|干事|教练|老师|医生|护士|店主|老板|司机|厨师|前台|助理|负责人|行政|人事|客服)$"
)
_RANK = expression(
    r"(?:primary|secondary|tertiary|main|key|core|other|internal|external)(?: (?:user|persona|audience)s?)?|(?:主要|核心|次要|次级|目标|典型|其他)?(?:用户|角色|人群)|(?:user )?personas?",
    re.IGNORECASE,
)
_RANK_LABEL = expression(rf"\W*(?:[\d.]+\s+)?(?:{_RANK.pattern})\s*[:：–—-]\s+", re.IGNORECASE)
_AGE = expression(
    r"[,，(（]?\s*\b\d{1,3}\s?(?:years?(?: old)?|jahre(?: alt)?|ans|años|anni|岁)", re.IGNORECASE
)
_PARTS = expression(r"\s*[,，、|/;:：()（）]\s*|\s+[-–—]\s+|\s+(?:the|der|die|le|la|el)\s+")


def is_person(phrase: str, lex: Lexicon) -> bool:
    """Whether a short noun phrase names people rather than a thing."""
    words = phrase.strip(_TRIM)
    if not words or len(words) > (60 if lex.language == "en" else 14):
        return False
    if lex.language != "en":
        return lex.find("person", words) is not None and lex.find("system", words) is None
    head = re.split(
        r"\s+(?:who|that|with|without|of|from|in|on|at|der|des|von|im|am|aus|de|du|del|au|aux|dans|en|con)\b|,",
        words,
        maxsplit=1,
    )[0]
    return is_known(head) or _ending(" ".join(head.split()[-1:]), lex)


def is_known(head: str) -> bool:
    """Whether the last word of a name, or the last two, are listed as people."""
    words = head.lower().split()
    return any(stem in people() for size in (1, 2) for stem in _stems(" ".join(words[-size:]))) or (
        bool(words) and _is_compound(words[-1])
    )


def _is_compound(word: str) -> bool:
    """Whether a long word of German or Dutch ends as people do: `Schlüsselwart`, `kantinebeheerder`."""
    return any(
        word.endswith(last) and len(word) > len(last) + 3 and word not in people_words("things_compound")
        for last in compounds()
    )


def _stems(word: str) -> Iterator[str]:
    yield word
    for ending, single in (
        ("ies", "y"),
        ("men", "man"),
        ("innen", ""),
        ("innen", "in"),
        ("es", ""),
        ("s", ""),
        ("n", ""),
        ("en", ""),
        ("in", ""),
        ("e", ""),
    ):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            yield word[: -len(ending)] + single


def is_one_of(kind: str, word: str) -> bool:
    """Whether a noun is listed with the words beside people: `client` names things as well, a `supplier` builds."""
    return not people_words(kind).isdisjoint(_stems(word.lower()))


def _ending(word: str, lex: Lexicon) -> bool:
    if lex.language != "en":  # endings are those of English words
        return False
    return lex.find("agent", word) is not None and lex.find("tool", word) is None


def names_somebody(name: str) -> bool:
    """Whether a name may be somebody's at all: it begins with a word, and not with one that only leads to a name."""
    words = [word if word.isupper() and len(word) > 1 else word.lower() for word in name.split()]  # `IT`
    if not words or not re.match(r"[^\W\d_]", name) or not people_words("never").isdisjoint(words):
        return False
    if words[0] in ("user", "users") and len(words) > 2:  # `users create professional`
        return False
    if words[-1] in people_words("beside") or words[-1] == "the":  # cut off: `Needing to`
        return False
    return words[0] not in people_words("beside") and not all(
        word in people_words("no_modifier") | people_words("does") | people_words("nobody") for word in words
    )


def actor_name(phrase: str) -> str:
    """`The clinic manager, who reports ...` -> `clinic manager`."""
    said = _MARK.sub("", phrase.replace("**", "").strip(_TRIM))
    doing = _DOING.match(said)
    said = doing[1] if doing and is_known(doing[1]) else said  # `workers explaining ideas`
    return ARTICLE.sub("", _AFTER.sub("", _CUT.split(said, maxsplit=1)[0].strip(_TRIM))).strip()


def persona(heading: str, occupation: str, told: str) -> str:
    """Who a persona is, without the invented name: `Carla, 41, dispatcher`; empty when nothing says it."""
    ranked = _RANK_LABEL.match(heading)
    if ranked and is_known(actor_name(heading[ranked.end() :])):
        return actor_name(heading[ranked.end() :])
    if occupation and (is_known(actor_name(occupation)) or not is_known(actor_name(heading))):
        told_by = actor_name(re.split(r"[,;.，；。]", occupation)[0])
        if is_known(told_by) or is_cjk(occupation) or len(told_by.split()) < 4:
            return told_by
    said = _AGE.sub("", re.split(r"[:：]\s*", heading)[-1])
    split = [actor_name(part) for part in _PARTS.split(said) if part.strip()]
    parts = [part for part in split if not _RANK.fullmatch(part)]
    known = [part for part in parts if is_known(part) or (is_cjk(part) and len(parts) == 1)]
    if len(known) == len(parts) == 2 and said.count("/") == 1:
        return f"{known[0]}/{known[1]}"
    if known:
        return known[0]
    if len(parts) == 1:
        found = _IS_A.search(told)
        return found[1] if found and is_known(found[1]) else parts[0]
    rest = [part for part in parts[1:] if not any(c.isdigit() for c in part) and len(part) > 2]
    return rest[0] if rest else ""


def listed_people(names: Iterable[str], lex: Lexicon) -> list[str]:
    """Of the pieces of a list those that name people, or may as several or with an article; all when none is known to."""
    pieces = [(piece, name) for piece in names if 1 < len(name := actor_name(piece)) <= 60 and name.split()]
    pieces = [
        (piece, name)
        for piece, name in pieces
        if name.split()[0].lower() not in statement_words("how_often") and not any(c.isdigit() for c in name)
    ]
    found = [name for _, name in pieces]
    known = [
        name
        for piece, name in pieces
        if is_person(name, lex) or is_known(name) or (not is_cjk(name) and _may_be_people(piece, name))
    ]
    return known if 2 * len(known) > len(found) or (known and is_cjk("".join(found))) else found


def _may_be_people(piece: str, name: str) -> bool:
    """Whether a piece of a list of people looks like one: a short plural, or a noun with an article."""
    words = name.split()
    plural = words[-1].endswith("s") and not words[-1].endswith(("ss", "ing"))
    led = piece.strip() != name and ARTICLE.match(piece.strip()) is not None
    if len(words) > 3 or words[0].lower() in statement_words("how_often"):
        return False
    return (plural or led) and names_somebody(name)


_NAMED = expression(  # somebody by name, with the role: `Anna (treasurer)`, `Maria, our secretary,`
    r"\b([A-ZÀ-Ý][a-zà-ÿ'’-]+(?: [A-ZÀ-Ý][a-zà-ÿ'’-]+)?)(?:\s?\(((?:our |the |an? )?[a-z][a-z -]{2,30})\)|, (?:our|the|my) ([a-z][a-z -]{2,30}?)(?=[,.;:]))"
    r"|(?<![一-鿿])(?![和与及])([一-鿿]{2,3})(?:[（(]([一-鿿]{2,8})[）)]|[，,](?:我们|本店|公司|我)的([一-鿿]{2,6})(?=[，。,；]))"
    r"|(?<=[和与及、])([一-鿿]{2,3})[（(]([一-鿿]{2,8})[）)]"
)


def introduced(text: str) -> dict[str, str]:
    """Whom a text calls by name and says the role of: `Anna (treasurer) and Peter (chair)` -> {"Anna": "treasurer", ...}."""
    found: dict[str, str] = {}
    for match in _NAMED.finditer(text):
        name, *roles = [group for group in match.groups() if group]
        role = actor_name(roles[0])
        if is_known(name) or " and " in role or (not is_cjk(role) and role.endswith("s")):
            continue  # `Researchers, our mounters and assistants, ...` lists several
        if is_known(role) or (is_cjk(role) and _ROLE.search(role)):
            found.setdefault(name, role)
    return found


def people_named(text: str) -> list[str]:
    """All nouns of a text that name people, with the words that stand before them in their noun phrase."""
    found: list[str] = []
    for piece in re.split(r"[^\w\s'’-]+", _TO_DO.sub(" ", without_denied(text))):
        words = piece.split()
        for at, word in enumerate(words):
            if not is_known(word) or (at + 1 < len(words) and is_known(words[at + 1])):
                continue
            first = at
            while first > max(0, at - 2) and may_modify(words[first - 1]):
                first -= 1
            found.append(actor_name(" ".join(words[first : at + 1])))
    return list(dict.fromkeys(name for name in found if name.lower() not in people_words("nobody")))


def may_modify(word: str) -> bool:
    """Whether a word may be part of a name of people."""
    return _PLAIN.match(word) is not None and word.lower() not in people_words("no_modifier") | people_words(
        "does"
    )


def people_in(text: str, lex: Lexicon, *, named: bool = False) -> list[str]:
    """Those who act in a statement, or to whom something is given. `named`: only nouns listed as people are looked for."""
    text = without_denied(text)
    if is_cjk(text):
        matched = (match[1] for pattern in (_HAN, _TOLD_HAN, _KANA) for match in pattern.finditer(text))
        found = [name for name in matched if not _MAKING_HAN.match(name)]
    else:
        found = [
            name
            for pattern in (_CLAUSE, _BY)
            for match in pattern.finditer(text)
            if (name := _phrase(text, match.end(), lex, named, given=pattern is _BY))
        ]
    return list(
        dict.fromkeys(name for name in found if name.lower() not in people_words("nobody") and len(name) > 1)
    )


def late_subjects(text: str, lex: Lexicon) -> list[str]:
    """Those who act behind what a sentence says first of when or where: `In the morning the cooks get a list`."""
    text = without_denied(text)
    return [name for match in _WHEN.finditer(text) if (name := _late_subject(text, match.end(), lex))]


def _late_subject(text: str, at: int, lex: Lexicon) -> str:
    """The first noun there that is listed as people and acts."""
    for match in _SUBJECT.finditer(text, at + 1, at + _OPENING):
        if re.search(r"[.,;:!?]", text[at : match.start()]):
            break
        if name := _phrase(text, match.end(), lex, named=True):
            return name
    return ""


def _phrase(text: str, at: int, lex: Lexicon, named: bool, *, given: bool = False) -> str:
    """The noun phrase that begins at a place of a text when its head names people."""
    article = ARTICLE.match(text[at : at + 60])
    told = article[0] if article else ""
    end = at + len(told)
    words: list[str] = []
    owner = ""
    while len(words) < 4:
        found = _WORD.match(text, end)
        if not found or (words and text[end : end + 1] != " "):
            return ""
        if found[2] and article:  # `the club's treasurer`
            words, end = [], found.end()
            owner = text[at + len(told) : end] + " "
            continue
        if found[2]:
            return ""
        word = found[1]
        end = found.end()
        if word.lower() in people_words("no_modifier") or not _PLAIN.match(word):
            return ""
        if words and _is_verb_within(word.lower(), lex) and not is_known(word):
            return ""
        words.append(word)
        phrase = " ".join(words)
        follows = _BESIDE.sub("", text[end : end + 100])[:60]
        whose = _ON_DUTY.match(follows) if is_known(phrase) else None
        if follows[:1] in ("'", "’") or (
            not article and len(words) == 1 and word.lower() in lex.verbs and not is_known(word)
        ):
            return ""
        if is_known(phrase):
            further = _WORD.match(text, end)
            if further and text[end : end + 1] == " " and is_known(further[1]):
                continue
            many = word.endswith("s") and not word.endswith("ss")
            foreign = _NOT_ENGLISH.match(told) is not None and _FOREIGN.match(follows) is not None
            if len(words) == 1 and is_one_of("makers", word) and not foreign:
                return ""
            body = is_one_of("bodies", word)
            unsure = body or (len(words) == 1 and is_one_of("things_too", word))
            if unsure and not (foreign or _ACTS.match(follows) or (body and _do(word, follows, lex))):
                return ""
            if whose and (given or _acting(follows[whose.end() :], lex, told, many=many)):
                return owner + phrase + whose[0]
            romance = (
                _NOT_ENGLISH.match(told or text[max(0, at - 3) : at]) is not None
            )  # `As alunas do curso`
            belongs = complement_before_verb(text, end, lex, many=many, romance=romance)
            if belongs and not given:
                return owner + phrase + belongs
            return owner + phrase if given or _acting(follows, lex, told, many=many) else ""
        if not named and _ending(word.lower(), lex) and (_ACTS.match(follows) or _do(word, follows, lex)):
            return owner + phrase
    return ""


def _is_verb_within(low: str, lex: Lexicon) -> bool:
    """Whether a word behind the first of a phrase is its verb: of `document follows professional`, `feed showing agent`."""
    if low in statement_words("also_nouns") or low.removesuffix("s") in statement_words("also_nouns"):
        return False
    gerunds = {low.removesuffix("ing"), low.removesuffix("ing") + "e"} if low.endswith("ing") else set()
    return bool((gerunds or stems(low) - {low}) & lex.verbs)


def _do(word: str, follows: str, lex: Lexicon) -> bool:
    """Whether several of a kind do something: `Route setters record each route`."""
    verb = _WORD.match(follows)
    return word.endswith("s") and verb is not None and verb[1] in lex.verbs


def _acting(follows: str, lex: Lexicon, told: str, *, many: bool) -> bool:
    """Whether a noun phrase is followed by what its people do, rather than by the rest of a longer name. `told`: its article;
    `many`: a plural, which no longer name has in front."""
    found = _WORD.match(follows)
    if not found or follows[:1] not in " ,":
        return False
    word = found[1].lower()
    if many and follows[:1] == " " and follows[1:2].islower() and word not in people_words("beside"):
        return True
    if _COMPOUND.match(follows) or (_ONE.match(told) and word in lex.verbs):
        return False  # `Patient names are replaced`, `A volunteer lock keeper arrives`
    if stems(word) & (lex.verbs | people_words("does")):
        return True
    return (
        _ACCENTED.search(follows) is not None
        or (told != "" and _FOREIGN.match(follows) is not None)
        or (told != "" and word.endswith("s"))
    )
