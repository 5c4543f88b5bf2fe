"""Whether a test could be made of a criterion."""

from __future__ import annotations

from orchestrator.domain.patterns import pattern

_TESTABLE = pattern(
    r"\p{N}|\bgiven\b.*\bwhen\b.*\bthen\b"
    r"|\b(?:return|show|display|reject|accept|contain|list|send|respond|fail|succeed|equal|match|appear|record|log|export"
    r"|raise|import|print|start|stop|open|block|load|render|redirect|trigger|persist|keep|visit)(?:s|es|ed|n)?\b"
    r"|\b(?:refus|receiv|stor|sav|creat|delet|remov|updat|complet|validat|measur|restor|clos|mov|reduc|increas)(?:e|es|ed)\b"
    r"|\b(?:verif|notif|identif|specif|retr)(?:y|ies|ied)\b|\b(?:sent|kept|shown)\b"
    r"|返回|显示|拒绝|接受|包含|列出|发送|收到|接收|存储|保存|创建|删除|更新|响应|完成|失败|成功|验证|校验|等于|匹配|出现|记录|导出|导入|恢复|通知|启动|停止"
    r"|(?:假如|假设|给定|假定).*当.*(?:那么|则)|[一二三四五六七八九十百千万两]+(?:秒|分钟|小时|天|个|次|条|项|人|台)",
    "is",
)


def is_testable(criterion: str) -> bool:
    """Whether a criterion has a number, a measurable verb, or the form Given/When/Then."""
    return _TESTABLE.search(criterion) is not None
