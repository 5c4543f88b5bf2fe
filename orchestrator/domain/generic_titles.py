"""Headings that say what kind of text follows and not what it is about: `Sample Problem`, `Overview`, `PRD`."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression

_WORDS = frozenset(
    """
    a an the this that my our your new sample example untitled draft initial final main general simple
    problem problems task tasks assignment challenge exercise homework coding code technical interview home take backend frontend
    application app project product software website feature features request requests proposal proposals idea ideas issue issues
    enhancement bug report ticket story stories user epic overview introduction intro summary abstract description motivation
    background context purpose goal goals objective objectives scope document documentation docs doc readme todo notes note
    spec specs specification specifications requirement requirements prd srs brd frd mrd rfc adr brief template checklist
    preflight information info about title name group team mvp statement details content contents table toc version
    """.split()  # noqa: SIM905 - a list of words is read more easily as words
)
_HAN = expression(
    r"(?:项目|产品|需求|功能|系统|背景|概述|概要|简介|介绍|说明|文档|示例|题目|任务|目标|目录|模板|新|的|书)+"
)
_MARKED = expression(  # in front of a title: `[FEATURE]`, `[24018]`, `RFC 12:`, `Feature request -`, `10.`
    r"^\W*(?:\[[^\[\]]{1,24}\](?!\()\s*[:：–—-]?\s*|(?:(?:feature|enhancement|change)(?: request)?|feat|proposal|discussion|issue|bug(?: report)?|epic|user story|story|ticket|task|rfc|prd|adr"
    r"|(?:feat|fix|docs|chore|refactor|build|ci|test|style|perf)(?:\([^()\n]{1,40}\))?!?(?=:))"
    r"(?:\s*#?\d+)?\s*(?:[:：]|\s[–—-](?=\s))\s*|\d{1,3}(?:\.\d{1,2})*[.)]\s+)+(?=\S)",
    re.IGNORECASE,
)
_SHORTCODE = expression(r":[a-z0-9_+-]{2,30}:")  # an emoji
_FIELD = expression(
    r"\W*(?:from|to|cc|sent|start date|date|status|authors?|owners?|version|last updated|created|rfc pr|reference issues?|implementation pr|[\w-]+ issue|discussion|日期|作者|版本|状态)\s*[:：]",
    re.IGNORECASE,
)
_COMMENT = expression(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def is_generic(title: str) -> bool:
    """Whether a title names nothing: all its words are those of kinds of texts, or numbers, or it is a field such as `Date: ...`."""
    if _FIELD.match(title):
        return True
    words = re.findall(r"[^\W\d_]+", _SHORTCODE.sub(" ", title.casefold()))
    return all(word in _WORDS or _HAN.fullmatch(word) is not None for word in words)


def without_mark(title: str) -> str:
    """A title without the kind or number in front of it, unless nothing were left that names something."""
    bare = _MARKED.sub("", title)
    return title if is_generic(bare) else bare


def without_comments(text: str) -> str:
    """A text of Markdown without what only its source shows."""
    return _COMMENT.sub("", text)
