"""Budgets as users see them: given at the start, shown by `check`, raised by `resume`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from orchestrator.domain import budget as rules
from orchestrator.domain.errors import NotAllowedNow
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import UNFINISHED, TaskStatus
from orchestrator.domain.review_verdicts import MODE as REVIEW
from orchestrator.store import budgets, decisions, messages, sessions, tasks
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx

if TYPE_CHECKING:
    from orchestrator.config.settings import CapSettings, Settings

DECISION = "raise_budget"


def budget_of(
    settings: Settings, tasks: Iterable[str], mode: str | None = None
) -> dict[str, dict[str, int]] | None:
    """The caps of a new session with these tasks and of each of them, in units; None if there are none.

    Those of tasks that edit code are there by default, and left out where there is no such task, as in mode review,
    which mends nothing.
    """
    given = settings.budget
    parts: dict[str, CapSettings] = {"session": given, "task": given.task}
    if mode != REVIEW and any(rules.edits_code(key) for key in tasks):
        parts["code"] = given.code
    found = {
        scope: rules.caps({measure: getattr(part, f"max_{measure}") for measure in rules.MEASURES})
        for scope, part in parts.items()
    }
    return found if any(found.values()) else None


def check_lowered(settings: Settings, caps: Mapping[str, float]) -> None:
    """Raise NotAllowedNow for a cap above the one in the settings, which may only be lowered here."""
    for name, cap in caps.items():
        most = getattr(settings.budget, name)
        if most is not None and cap > most:
            raise NotAllowedNow(
                f"{name} can only be lowered here",
                why=f"{cap:g} is more than the {most:g} of the settings",
                fix=f"leave it out, or raise `budget.{name}` in the settings",
            )


def cap_lines(budget: Mapping[str, Mapping[str, int]] | None) -> list[str]:
    """`at most $2.00, 40 turns`, and the same of each task, and of those that edit code."""
    whose = {"session": "at most", "task": "each task at most", "code": "each task that edits code at most"}
    return [
        f"{whose[scope]} {', '.join(rules.shown(measure, cap) for measure, cap in (budget or {})[scope].items())}"
        for scope in rules.SCOPES
        if (budget or {}).get(scope)
    ]


def raise_caps(tx: Tx, session: Session, caps: rules.Caps, who: str, words: str) -> None:
    """Set new caps: of each task when the session waits for a task's, else of the session. Raises NotAllowedNow."""
    scope = _scope(session)
    used = budgets.used(tx, session.id) if scope == "session" else _most_used(tx, session)
    for measure, cap in caps.items():
        if cap <= used[measure]:
            said = rules.shown(measure, cap)
            raise NotAllowedNow(
                f"a cap of {said} is already used up",
                why=f"{rules.shown(measure, used[measure])} are used",
                fix=f"give a higher --max-{measure}",
            )
    said = ", ".join(rules.shown(measure, cap) for measure, cap in caps.items())
    new = rules.raised(session.budget, scope, caps)
    budgets.set_budget(tx, session.id, new)
    decisions.decide(tx, session.id, DECISION, who, words or f"{scope}: at most {said}")
    messages.event(tx, session.id, "budget", f"new caps by {who} ({scope}): at most {said}", caps=new[scope])


def refuse_if_reached(tx: Tx, session: str) -> None:
    """Raise NotAllowedNow while a cap allows no further call."""
    row = sessions.get(tx, session)
    assert row is not None
    scope, task = _scope(row), (row.pause_detail or {}).get("task", "")
    caps, used = _caps_and_used(tx, row)
    measure = rules.reached(caps, used)
    if measure is not None:
        says = rules.view(scope, measure, caps[measure], used[measure])["says"]
        raise NotAllowedNow(
            f"{session} has used up its budget",
            why=says if scope == "session" else f"{task}: {says}",
            fix=f"lifecycle {way_on(tx, row)}",
        )


def way_on(tx: Tx, session: Session) -> str:
    """The command that raises each reached cap: to what the tasks left are likely to need, or of each task to the double."""
    caps, used = _caps_and_used(tx, session)
    done, left = _done_and_left(tx, session)
    if _scope(session) != "session":  # new caps hold for every task
        used, done = _most_used(tx, session), 0
    about = (session.pause_detail or {}).get("measure")
    options = []
    for measure, cap in caps.items():
        if used[measure] >= cap or measure == about:
            unit = rules.MEASURES[measure]
            amount = rules.suggested(cap, used[measure], done, left, unit)
            options.append(f"--max-{measure} {amount / unit:.15g}")
    return " ".join(["resume", *options])


def in_words(tx: Tx, session: Session) -> str:
    """What the suggested caps rest on."""
    done, left = _done_and_left(tx, session)
    if _scope(session) != "session" or not done:
        return "continues with twice the budget"
    return (
        f"continues with a budget for what is left ({left} of {done + left} tasks), by what the others used"
    )


def _done_and_left(tx: Tx, session: Session) -> tuple[int, int]:
    """How many tasks are completed, and how many are still to be done."""
    counts = tasks.counts(tx, session.id)
    return counts.get(TaskStatus.COMPLETED, 0), sum(counts.get(status, 0) for status in UNFINISHED)


def _caps_and_used(tx: Tx, session: Session) -> tuple[rules.Caps, rules.Used]:
    """The caps and use that a budget pause is about: of the session or of one task."""
    scope = _scope(session)
    caps = (session.budget or {}).get(scope, {})
    if scope == "session":
        return caps, budgets.used(tx, session.id)
    nothing = dict.fromkeys(rules.MEASURES, 0)
    return caps, budgets.used_by_task(tx, session.id).get(
        (session.pause_detail or {}).get("task", ""), nothing
    )


def budget_view(tx: Tx, session: Session) -> list[JsonObject]:
    """Every cap and its use: of the session, and of the tasks that are close to theirs."""
    if not session.budget:
        return []
    warned = session.budget.get("warned", ())
    mine, found = session.budget.get("session", {}), []
    if mine:
        used = budgets.used(tx, session.id)
        found = [
            {
                **rules.view("session", measure, cap, used[measure]),
                "task": None,
                "warned": rules.mark("session", "", measure) in warned,
            }
            for measure, cap in mine.items()
        ]
    of_each = any(session.budget.get(scope) for scope in ("task", "code"))
    for key, used in (budgets.used_by_task(tx, session.id) if of_each else {}).items():
        for scope in rules.scopes_of(key)[1:]:
            caps = session.budget.get(scope, {})
            found += [
                {
                    **rules.view(scope, measure, caps[measure], used[measure]),
                    "task": key,
                    "warned": rules.mark(scope, key, measure) in warned,
                }
                for measure in rules.nearly(caps, used)
            ]
    return found


def _scope(session: Session) -> str:
    """Whose cap a budget pause is about."""
    return (
        str((session.pause_detail or {}).get("scope", "session"))
        if session.pause_reason == "budget"
        else "session"
    )


def _most_used(tx: Tx, session: Session) -> dict[str, int]:
    every = budgets.used_by_task(tx, session.id).values()
    return {measure: max((used[measure] for used in every), default=0) for measure in rules.MEASURES}
