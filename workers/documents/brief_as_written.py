"""A product brief as its page says it: each list of statements, and the goals with their measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from workers.documents.content import Brief, BriefRisk, Goal, Statement, User
from workers.documents.reader import Block, Section
from workers.documents.written_page import (
    Written,
    entries,
    kept,
    labelled,
    lines_of,
    mark,
    plain,
    said_first,
    unstated,
    words_of,
)

S = TypeVar("S", bound=Statement)
_LISTS = ("assumptions", "constraints", "dependencies")


def brief_as_written(brief: Brief, written: Written) -> Brief:
    """The brief with what a person wrote or deleted on its page."""
    update: dict[str, object] = {
        "goals": [_goal(goal, written.blocks[goal.id]) for goal in brief.goals if goal.id in written.blocks]
    }
    vision = written.section("vision")
    if vision is not None and vision.text:
        text = kept(brief.vision.text, vision.text, mark().sub("", " ".join(lines_of(vision))))
        update["vision"] = brief.vision.model_copy(update={"text": text})
    problem = written.section("problem")
    if problem is not None:
        update |= _problem(brief, lines_of(problem))
    scope = written.section("scope")
    if scope is not None:
        update["in_scope"], update["out_of_scope"] = _scope(brief, scope)
    for name in _LISTS:
        section = written.section(name)
        if section is not None:
            update[name] = statements(getattr(brief, name), entries(section), Statement)
    risks = written.section("risks")
    if risks is not None:
        update["risks"] = statements(brief.risks, entries(risks), BriefRisk)
    people = written.section("target_users")
    if people is not None:
        update["users"] = _users(brief.users, entries(people))
    return brief.model_copy(update=update)


def _problem(brief: Brief, lines: Sequence[str]) -> dict[str, str]:
    """Situation and impact, each below its label; what has no label is the situation."""
    said: dict[str, list[str]] = {"situation": [], "impact": []}
    part = "situation"
    for line in lines:
        part = next((name for name in said if line.strip(" :：") in words_of(name)), part)
        if line.strip(" :：") not in words_of(part):
            said[part].append(line)
    told = {name: "\n\n".join(texts) for name, texts in said.items()}
    return {
        name: getattr(brief, name) if plain(getattr(brief, name)) == plain(text) else text
        for name, text in told.items()
    }


def statements(known: Sequence[S], texts: Sequence[str], kind: type[S]) -> list[S]:
    """The statements that still stand there, and those that a person wrote."""
    found = []
    for text in texts:
        if not mark().sub("", text).strip():
            continue  # our own mark alone states nothing
        same = next((row for row in known if plain(row.text) == plain(mark().sub("", text))), None)
        begun = next(
            (row for row in known if _is_mitigated(row) and plain(text).startswith(plain(row.text))), None
        )
        found.append(same or begun or kind(text=mark().sub("", text), source="stated"))
    return list({row.text: row for row in found}.values())


def _is_mitigated(row: Statement) -> bool:
    """Whether more stands behind the statement on its page."""
    return isinstance(row, BriefRisk) and bool(row.mitigation)


def _scope(brief: Brief, scope: Section) -> tuple[list[Statement], list[Statement]]:
    """What is in scope and what is out of it, each below its label; what moved from one to the other has moved."""
    outside = next((line for line in lines_of(scope) if line.strip() in words_of("out_of_scope")), "")
    before, _, after = scope.text.partition(f"{outside}\n") if outside else (scope.text, "", "")
    known = [*brief.in_scope, *brief.out_of_scope]
    labels_ = words_of("in_scope") | words_of("out_of_scope")
    texts = [text for text in entries(scope) if text not in labels_]
    left_out = [text for text in texts if text in after and text not in before] if outside else []
    return (
        statements(known, [text for text in texts if text not in left_out], Statement),
        statements(known, left_out, Statement),
    )


def _users(known: Sequence[User], texts: Sequence[str]) -> list[User]:
    """The users that still stand there, by their names, and those that a person wrote: `Treasurer: sees all payments`."""
    found = []
    for text in texts:
        said = mark().sub("", text)
        name, _, needs = said.replace("：", ":", 1).partition(":")
        shown = {
            plain(f"{user.name}: {'; '.join(user.needs)}" if user.needs else user.name): user
            for user in known
        }
        same = shown.get(plain(said))
        wants = [need.strip() for need in needs.split(";") if need.strip()]
        found.append(same or User(name=name.strip(), needs=wants, source="stated"))
    return found


def _goal(goal: Goal, block: Block) -> Goal:
    line, *rest = [*block.text.split("\n")[1:], ""]
    update = {
        "text": goal.text if plain(goal.text).startswith(plain(line)) else said_first(goal.text, line),
        "metric": _value("metric", goal.metric, rest),
        "target": _value("target", goal.target, rest),
        "baseline": _value("baseline", goal.baseline, rest),
    }
    if goal.source == "proposed" and plain(line) == plain(goal.text):  # a person has removed the mark
        update["source"] = "stated"
    return goal.model_copy(update=update)


def _value(label: str, text: str, lines: Sequence[str]) -> str:
    """What a labelled line says now; `text` where there is no such line."""
    said = labelled(label, lines)
    if said is None:
        return text
    return "" if said in unstated() else said_first(text, said)
