"""Drawing `check`: one line of numbers, the tasks of each phase with one mark each, and what comes next."""

from __future__ import annotations

from typing import Any

from orchestrator.cli.look import verdict
from orchestrator.cli.output import bar, cells, duration, money, paint, say, width
from orchestrator.cli.report import print_pause, print_scores, unanswering
from orchestrator.coordinator.limits import in_words
from orchestrator.domain.inert import inert, one_line

MARKS = {
    "done": ("done", "green"),
    "running": (">>>>", "yellow"),
    "pending": ("o", "dim"),
    "failed": ("FAIL", "red"),
    "skipped": ("skip", "dim"),
    "cancelled": ("stop", "dim"),
}
INDENT = 7  # columns of "<space>Spec<space><space>"
GAP = "   "


def draw(found: dict[str, Any]) -> None:
    _headline(found)
    for phase in dict.fromkeys(view["phase"] for view in found["tasks"]):
        _phase(phase, [view for view in found["tasks"] if view["phase"] == phase], found["tasks"])
    for line in found["stalled"]:
        say(_labelled("Stall", inert(line)))
    if found["budget"]:
        say(_labelled("Cap", _caps(found["budget"])))
    for limit in found["limits"]:
        say(_labelled("Limit", inert(in_words(limit))))
    for agent in found["unanswering"]:
        say(_labelled("Agent", paint(inert(unanswering(agent)), "yellow")))
    if found["scores"] and found["pause"]:
        print_scores(found["scores"])
    if found["pause"]:
        print_pause(found["pause"])
        return
    commands = " | ".join(found["next"]["commands"])
    say(_labelled("Next", f"{found['next']['says']}{GAP}{commands}".rstrip()))


def _headline(found: dict[str, Any]) -> None:
    progress = found["progress"]
    status = f"{found['status']}: {found['pause_reason']}" if found["pause_reason"] else found["status"]
    gate = f"{GAP}{found['gate']} {found['score']:.1f} %" if found["gate"] else ""
    say(
        f"{paint(found['session'], 'bold')}{GAP}{found['mode']}{GAP}{status}{GAP}"
        f"{progress['done']}/{progress['total']} {bar(progress['percent'])} {progress['percent']} %{GAP}"
        f"{duration(found['elapsed_seconds'])}{GAP}{money(found['cost'])}{gate}"
    )


def _caps(budget: list[dict[str, Any]]) -> str:
    """Each cap with what was used of it; the task's own ones with its id."""
    said = []
    for each in budget:
        text = f"{each['task'] + ': ' if each['task'] else ''}{each['says']} ({each['percent']} %)"
        said.append(paint(text, "yellow") if each["warned"] else text)
    return GAP.join(said)


def _phase(phase: str, views: list[dict[str, Any]], every: list[dict[str, Any]]) -> None:
    """As many tasks a line as fit; a task is never torn."""
    checkpoints = {view["task"] for view in every if view["checkpoint_after"]}
    lines: list[str] = []
    used = 0
    for view in views:
        text, columns = _task(view, checkpoints)
        if lines and used + len(GAP) + columns <= width() - INDENT:
            lines[-1] += GAP + text
            used += len(GAP) + columns
        else:
            lines.append(text)
            used = columns
    for number, line in enumerate(lines):
        say(_labelled(phase.capitalize()[:5] if number == 0 else "", line))


def _task(view: dict[str, Any], checkpoints: set[str]) -> tuple[str, int]:
    """A task's mark, id and facts; and how many columns they take."""
    mark, colour = MARKS[view["mark"]]
    facts = [view["task"]]
    if view["round"]:
        facts.append(f"+D{int(view['round'].rpartition('-')[2])}")
    facts += [verdict(view["verdict"])] if view["verdict"] else []
    facts += _state(view, checkpoints)
    text = " ".join(one_line(fact) for fact in facts if fact)
    return f"{paint(mark, colour)} {text}", len(mark) + 1 + cells(text)


def _state(view: dict[str, Any], checkpoints: set[str]) -> list[str]:
    running = view["running"]
    if running:
        agent = f" / {running['agent']}" if running["agent"] else ""
        loop = f" (inner loop {running['loop'][0]}/{running['loop'][1]})" if running["loop"] else ""
        return [f" {view['role']}{agent}  {duration(running['seconds'])}{loop}"]
    if view["mark"] == "failed":
        return [f"after {view['attempts']} attempts"]
    if view["retry_at"]:
        return [f"again at {view['retry_at']}"]
    if view["offered"]:
        return ["offered"]
    approval = [key for key in view["waits_for"] if key in checkpoints]
    return [f"<- {', '.join(approval)}, your approval"] if approval else []


def _labelled(label: str, text: str) -> str:
    return f" {label:<{INDENT - 2}} {text}".rstrip()
