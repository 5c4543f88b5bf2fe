"""What a person's words take out of the scope of a brief, and which numbers of its scope, limits and goals they change."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.domain.dataclass import replace
from orchestrator.domain.named_tuple import NamedTuple
from workers.builtin.amended import amended
from workers.builtin.analysis import Need
from workers.builtin.clauses import clause
from workers.builtin.criteria import headline
from workers.builtin.described import Part, beside_orders, orders_of, sentences_of
from workers.builtin.material import Material
from workers.builtin.phrases import carries, short, strip_end
from workers.builtin.uncertain import is_hedged
from workers.documents.budgets import with_budget
from workers.documents.content import Brief, Goal, Requirement, Requirements, Statement
from workers.documents.lexicon import lexicon_of


class Rescoped(NamedTuple):
    """What a person's words change of a brief; `beside`: the material with what they say besides."""

    in_scope: list[Statement]
    constraints: list[Statement]
    goals: list[Goal]
    dropped: list[Statement]  # what is out of scope now, as titles
    beside: Material


def rescoped(previous: Brief, m: Material) -> Rescoped:
    """The scope without what is dropped; scope, limits and goals with new numbers."""
    rows = [*previous.in_scope, *previous.constraints]
    groups = [_grouped(row.text) for row in previous.in_scope]
    parts = [(at, part) for at, (_, told) in enumerate(groups) for part in told]
    scope = len(parts)
    parts += [(len(groups) + at, row.text) for at, row in enumerate(previous.constraints)]
    bounds = len(parts)
    items = [
        *(Requirement(id=str(at), title=short(part), statement=part) for at, (_, part) in enumerate(parts)),
        *(
            Requirement(
                id=str(bounds + at),
                title=short(goal.text),
                statement=goal.text,
                acceptance_criteria=[goal.target] if goal.target else [],
            )
            for at, goal in enumerate(previous.goals)
        ),
    ]
    texts = [(item.title, item.statement) for item in items[:scope]]
    sentences = {line: _orders(line, texts, m) for line in sentences_of(m.feedback)}
    orders = [part.order for parts in sentences.values() for part in parts if part.order]
    gone = {at for order in orders if order.what == "drop" and order.is_clear for at in order.items}
    rest = {line: beside_orders(parts) for line, parts in sentences.items()}
    lines = [text for each in rest.values() for text in each if not is_hedged(text)]
    items, budgeted = _with_budget(items, range(scope, bounds), lines)
    now, amending = amended(items, [line for line in lines if line not in budgeted])
    amending += budgeted
    left = [text for each in rest.values() for text in each if text not in amending]
    beside = replace(m, facts={**m.facts, "feedback": left}) if orders or amending else m
    kept: dict[int, list[str]] = {}
    for at, ((row, _), item) in enumerate(zip(parts, now[:bounds], strict=True)):
        if at not in gone:
            kept.setdefault(row, []).append(item.statement)
    labels = [label for label, _ in groups] + [""] * len(previous.constraints)
    stay = {
        at: rows[at].model_copy(update={"text": f"{labels[at]}{'; '.join(told)}"})
        for at, told in kept.items()
    }
    goals = [
        goal.model_copy(update={"text": item.statement, "target": "".join(item.acceptance_criteria)})
        for goal, item in zip(previous.goals, now[bounds:], strict=True)
        if goal.source == "stated" or not any(carries(parts[at][1], goal.text) for at in gone)
    ]
    return Rescoped(
        [row for at, row in stay.items() if at < len(groups)],
        [row for at, row in stay.items() if at >= len(groups)],
        goals,
        [Statement(text=_as_title(parts[at][1], m), source="stated") for at in sorted(gone)],
        beside,
    )


def _grouped(text: str) -> tuple[str, list[str]]:
    """The label and the parts of a line of the scope that tells a group of requirements; a line of its own is one part."""
    label, mark, told = text.partition(": ")
    parts = told.split("; ")
    return (label + mark, parts) if mark and len(parts) > 1 and ";" not in label else ("", [text])


def _orders(line: str, texts: list[tuple[str, str]], m: Material) -> list[Part]:
    """A sentence with its orders about the scope; where it has none, with those that only a requirement is meant by."""
    parts = orders_of(line, texts)
    known = m.given(Requirements)
    if known is None or any(part.order for part in parts):
        return parts
    parts = orders_of(line, [(item.title, f"{item.statement} {item.quote}") for item in known.items])
    return [part._replace(order=part.order and part.order._replace(items=())) for part in parts]


def _with_budget(
    items: list[Requirement], limits: range, lines: Sequence[str]
) -> tuple[list[Requirement], list[str]]:
    """The items with the budgets that the lines give to those among `limits`, and the lines that gave one."""
    done, told = list(items), []
    for line in lines:
        if found := with_budget([done[at].statement for at in limits], line):
            place, text = limits[found[0]], found[1]
            done[place] = done[place].model_copy(update={"statement": text})
            told.append(line)
    return done, told


def _as_title(text: str, m: Material) -> str:
    lex = lexicon_of(text)
    need = Need(text, text, "functional", "Must", "", clause(text, tuple(m.actor_names())))
    return f"{strip_end(headline(need, lex))}{'。' if lex.language == 'zh' else '.'}"
