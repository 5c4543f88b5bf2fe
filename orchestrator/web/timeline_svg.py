"""Attempts in time as SVG: a row a task, a bar an attempt, long idle stretches folded.

It is hidden from screen readers, whose users get the same attempts as a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from markupsafe import Markup

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.inert import one_line
from orchestrator.domain.time_axis import Fold, axis
from orchestrator.views.attempts import Attempts, ShownAttempt
from orchestrator.web.graph_svg import CELL_WIDTH, fitted
from orchestrator.web.language import Language
from orchestrator.web.rendering import address
from orchestrator.web.shown import duration

ROW = 22  # pixels
BAR = 14
NAME_CELLS = 20
NAMES = round(NAME_CELLS * CELL_WIDTH) + 12  # pixels left of the bars
WIDTH = 800  # pixels of the axis
KINDS = {"completed": "done", "open": "running", "failed": "failed", "lost": "failed"}


@dataclass(frozen=True, slots=True)
class Timeline:
    svg: Markup
    folds: tuple[Fold, ...]


def timeline(found: Attempts, slug: str, session: str, spoken: Language) -> Timeline | None:
    """The drawing; None where nothing was attempted yet."""
    if not found.shown:
        return None
    drawn = axis([each.span for each in found.shown], found.until, WIDTH)
    rows = {task: number for number, task in enumerate(dict.fromkeys(each.task for each in found.shown))}
    height = len(rows) * ROW + 4
    width = NAMES + drawn.width + 16
    parts = [
        f'<svg class="timeline" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'aria-hidden="true" focusable="false">'
    ]
    parts += [
        f'<rect class="fold" x="{NAMES + fold.x + 4}" y="0" width="{fold.width - 8}" height="{height}">'
        f"<title>{escape(_idle(fold, spoken))}</title></rect>"
        for fold in drawn.folds
    ]
    parts += [
        f'<text x="0" y="{row * ROW + 15}">{escape(fitted(task, NAME_CELLS, 1)[0])}</text>'
        for task, row in rows.items()
    ]
    for each, bar in zip(found.shown, drawn.bars, strict=True):
        kind = KINDS.get(each.outcome, "")
        x, y = NAMES + bar.x, rows[each.task] * ROW + 4
        drawing = f'<rect class="bar {kind}" x="{x}" y="{y}" width="{bar.width}" height="{BAR}">'
        drawing += f"<title>{escape(_told(each, spoken))}</title></rect>"
        mark = f'<text class="mark" x="{x + bar.width + 2}" y="{y + 11}">×</text>' if kind == "failed" else ""
        href = escape(address("p", slug, "s", session, "t", each.task))
        parts.append(f'<a href="{href}" tabindex="-1">{drawing}{mark}</a>')
    parts.append("</svg>")
    return Timeline(Markup("".join(parts)), drawn.folds)  # noqa: S704 - every text in it is escaped


def _idle(fold: Fold, spoken: Language) -> str:
    return spoken.text("{0} idle", duration(fold.seconds, spoken))


def _told(each: ShownAttempt, spoken: Language) -> str:
    words: Sequence[str] = (
        f"{each.task}: {spoken.word(each.outcome)}",
        duration(each.seconds, spoken) if each.span.end else spoken.word("under way"),
        each.agent,
    )
    return one_line(", ".join(filter(None, words)))
