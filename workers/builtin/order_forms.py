"""The forms in which people order something of what is stated: to drop it, to put it off, to rank it, to bring it back."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression

_POLITE = r"^(?:(?:[-*•]\s+)?(?:please|also|ok(?:ay)?|so|now|then|sorry|let['’]?s|let us|(?:i think |i guess )?(?:we|you|i) (?:can|could|might|should|will|would like to|['’]d like to|want to|have to|must|may as well|decided to|agreed to)|maybe|perhaps|actually|well|bitte|wir|请|我们?|先|把|将)[, ]*){0,6}"
_WHAT = r"(?P<what>[^\s;:.!?()，。；：！？（）][^;:.!?()，。；：！？（）]{0,90}?)"
_THE = r"(?:the |this |that |those |these |our |all |any |an? |den |die |das |dem )?"
_FOR_NOW = r"(?: (?:for (?:now|the moment|the time being|this (?:version|release|phase))|in (?:the )?(?:first|this|v1|initial) ?(?:version|release|phase|step|iteration)?|(?:from|of) (?:the )?(?:(?:first|this|initial|next) )?(?:scope|version|release|spec(?:ification)?|requirements?|documents?|mvp|plan)|any ?more|any longer|after all|altogether|entirely|completely|again|please|instead|vorerst|erst ?mal|doch|bitte))*"
_FEATURE = r"(?: (?:feature|functionality|function|requirement|part|option|thing|item|mode)s?|(?:这个|该)?(?:功能|需求))?"
_TIME = r"(?:(?:next|second|third|another|following) (?:version|release|phase|step|stage|iteration|year|quarter|month|week|sprint|milestone|time|project|season|summer|winter|spring|autumn)|later|after (?:the )?(?:launch|release|go-live|pilot|first)|v(?:ersion)? ?\d|(?:version|release|phase|step|sprint|milestone) [\w.]+|(?:20)\d\d|q[1-4]|spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|august|september|october|november|december)"
_TO = rf"(?: (?:for|until|till|to|in) (?:the |an? )?{_TIME}\b[^,;.]{{0,30}}| for now)?"


def _forms(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(expression(f"{_POLITE}{pattern}\\s*[.!。！]*$", re.IGNORECASE) for pattern in patterns)


DROPS = _forms(
    rf"(?:drop|scrap|skip|cut|ditch|leave out|take out|get rid of|forget(?: about)?|do without|go without|give up(?: on)?|strike|streich(?:en|t|e)?|ohne) (?:out )?{_THE}{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"(?:leave|take|lass(?:en|t)?|lasst) {_THE}{_WHAT}{_FEATURE} (?:out|weg|raus){_FOR_NOW}",
    rf"(?:we |i )?(?:no longer|don['’]t|do not|won['’]t|will not) (?:really )?(?:need|want|require|build) (?!.* to )(?:an? )?{_THE}{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"nobody (?:needs|wants|uses|asked for) {_THE}{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"(?:there will be )?no (?:more )?{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"{_THE}{_WHAT}{_FEATURE} (?:is|are)(?: no longer|n['’]t| not) (?:needed|wanted|required|necessary|asked for|in scope|part of (?:it|this|the scope)){_FOR_NOW}",
    rf"{_THE}{_WHAT}{_FEATURE} (?:is|are) (?:now )?(?:out(?: of scope)?|gone|dropped|off the table){_FOR_NOW}",
    rf"{_THE}{_WHAT}{_FEATURE} (?:should|must|is to|are to|has to) (?:be (?:dropped|left out|cut|omitted)|go|go away){_FOR_NOW}",
    rf"{_THE}{_WHAT} (?:brauchen|wollen|benötigen) wir(?: (?:doch|jetzt|also|vorerst))*(?: nicht| keine[nrs]?)(?: mehr)?",
    rf"(?:brauchen|wollen|benötigen) {_THE}{_WHAT}(?: doch)? nicht(?: mehr)?",
    rf"{_THE}{_WHAT} (?:entfällt|entfallen|fällt weg|fallen weg|streichen|weglassen)(?: wir)?",
    rf"(?:去掉|删除|删掉|移除|取消|砍掉|放弃|不再?需要|不再?要|不做){_WHAT}{_FEATURE}了?(?:吧)?",
    rf"{_WHAT}{_FEATURE}(?:先)?(?:不(?:再)?(?:需)?要了?|不做了?|取消|去掉|删掉|砍掉)(?:吧)?",
)
REMOVES = _forms(rf"(?:remove|omit|exclude) (?:the|our|this|that|these|those) {_WHAT}{_FEATURE}{_FOR_NOW}")
TAKES_AWAY = _forms(  # what a product may have to do itself, too: `remove the user when they leave`
    rf"(?:remove|delete|omit|cancel|discard|exclude) {_THE}{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"(?:the|our) {_WHAT}{_FEATURE} (?:should|must|is to|are to|has to) be (?:removed|deleted|taken out|cancelled|canceled){_FOR_NOW}",
)
_RANK = r"(?P<rank>(?:must|should|could)[- ]haves?|nice[- ]to[- ]haves?|(?:must|should|could)|(?:high|medium|low)(?:est)? priority|p[0-3])"
RANKS = _forms(
    rf"(?:make|rank|(?:mark|treat|consider|see)(?=.* as (?:an? )?(?:must|should|could|nice))) {_THE}{_WHAT}{_FEATURE} (?:as )?(?:an? )?{_RANK}",
    rf"{_THE}{_WHAT}{_FEATURE} (?:is|are|becomes?|should be|would be|has|have)(?: now)?(?: only| just| really| more of| of)? (?:an? )?{_RANK}(?: only| now)?",
)
RANKS_TOO = _forms(rf"{_THE}{_WHAT}{_FEATURE} (?:as )?(?:an? )?{_RANK}")  # behind one that ranks
WAITS = _forms(
    rf"{_THE}{_WHAT}{_FEATURE} (?:(?:can|could|may|might)(?: also| well| easily)? wait|(?:can|could|may|might|should)(?: also| well| easily)? (?:come later|be done later|be postponed|follow later)){_TO}",
    rf"{_THE}{_WHAT}{_FEATURE} (?:is|are) (?:(?:something )?for (?:later|another time|a later (?:version|release|phase))|not urgent)(?:,? not (?:for )?now)?",
    rf"(?:postpone|defer|put off|push back) {_THE}{_WHAT}{_FEATURE}{_TO}",
    rf"{_THE}{_WHAT} (?:kann|können)(?: noch)? (?:warten|später kommen)",
    rf"{_WHAT}{_FEATURE}(?:可以?(?:先)?(?:等等|等一等|以后再做|晚点(?:再)?做|推迟|缓一缓|往后放)|以后再做|推迟)",
)
_RANKED_AS = rf"(?:,? (?:but |and )?(?:only |now )?as (?:an? )?{_RANK})?"
BACK = _forms(
    rf"bring back {_THE}{_WHAT}{_FEATURE}{_FOR_NOW}{_RANKED_AS}",
    rf"(?:bring|put|take|add) {_THE}{_WHAT}{_FEATURE} back(?: in(?:to)?)?(?: the (?:scope|plan|spec))?{_FOR_NOW}{_RANKED_AS}",
    rf"(?:(?:we |i )?(?:do )?(?:want|need|have) {_THE}{_WHAT}{_FEATURE}|{_THE}(?P<back>[^\s,;:.!?][^,;:.!?]{{0,90}}?) (?:is|are) (?:needed|wanted)) after all",
    rf"(?:keep|retain) {_THE}{_WHAT}{_FEATURE}{_FOR_NOW}{_RANKED_AS}",
    rf"{_THE}{_WHAT}{_FEATURE} (?:(?:is|are) back(?: in)?|should stay|stays|has to stay|must stay){_FOR_NOW}",
)
ASKS = _forms(  # what is doubted, or changes something else than whether it is asked for
    rf"(?:i['’]?m|i am|we['’]?re|we are) not (?:really |quite |so )?(?:sure|certain|convinced)(?: that| if| whether)? (?:we|you|they) (?:really |still )?(?:need|want) {_THE}{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"do we (?:really |still )?(?:need|want) {_THE}{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"(?:rename|merge|split|reword|rephrase) {_THE}{_WHAT}{_FEATURE} (?:to|into|with|in|up) [^,;.]{{1,60}}",
)
KINDS = (
    ("ask", ASKS),
    ("wait", WAITS),
    ("rank", RANKS),
    ("back", BACK),
    ("drop", DROPS),
    ("drop", REMOVES),
    ("drop", TAKES_AWAY),
)
UNMISTAKABLE = expression(  # nothing that a product does: an order, even where it is not clear of what
    rf"{_POLITE}(?:drop|scrap|ditch|leave out|get rid of|forget about|do without|give up on|delete(?= everything)|remove(?= everything)) (?P<what>(?:the|our|all|any|that|this|everything)\b.*)",
    re.IGNORECASE,
)
DOUBTED = expression(
    r"\b(?:if|unless|(?:we|you|i|one) (?:could|might)|maybe|perhaps|falls|vielleicht)\b|\b(?:make|keep|turn|change|replace|send|give|put|move|show) (?:it|them|that)\b|\bbut\b[^,;]*\b(?:rather|not sure|would keep)\b|\b(?:except|apart from|other than)\b|如果|除非|也许|可能",
    re.IGNORECASE,
)
LISTED = expression(  # a further thing of an order, which is found nowhere: `drop the reminders, the logo and the footer`
    r"(?:and |or |nor )?(?:(?:the|our|any|all|that|this|those|these) (?:[\w'’-]+ ){0,2}|(?:[\w'’-]+ )?)(?!please\b|instead\b|thanks\b)[\w'’-]+[.!]?",
    re.IGNORECASE,
)
LISTS = expression(r"[,，]|and|or|nor|und|oder", re.IGNORECASE)
TELLS = expression(r"\b(?:is|are|was|were|has|have|does|do|can|must|should|need|needs)\b", re.IGNORECASE)
WHEN = expression(
    r"\b(?:when(?:ever)?|after|before|once|if|while|unless|until|during|whose|who|that|which|older than|upon)\b|时$|[后前]$",
    re.IGNORECASE,
)
BECAUSE = expression(r"\W*(?:because|since|as|denn|weil|因为)\b", re.IGNORECASE)
WHY = expression(
    r"^(?:and |but )*(?:the|our|my) (?:\w+ )?\w+ (?:insists?|decided|agreed|agrees|said so|says so|asked for it|complains?|complained|hates?)\b|^(?:and |but )*(?:(?:it|this|that|they|these|those|das)\b(?!.*\b(?:must|should|shall)\b)|(?:nobody|no one|没人)\b|(?:\w+ )?(?:we|i|members|people|users|我们)\b.*\b(?:hate|dislike|can['’]t|cannot|never|do not|don['’]t|too)\b|too |not worth|用不)"
    r"|^(?:and |but )*.*\b(?:needs?|wants?|uses?|likes?|asked for|afford|do|build|make|have) (?:it|them|that|this)\b",
    re.IGNORECASE,
)
ANY = expression(r"an? ", re.IGNORECASE)  # `a blocked slot must be dropped` tells what the product does
RANKED = expression(r"\b(?:must|should|could|nice[- ]to[- ]have|priority)\b", re.IGNORECASE)
