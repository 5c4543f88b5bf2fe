"""The final report of a followed session: its results, or why it waits and how to continue."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from orchestrator.cli.output import (
    Piece,
    alone,
    bar,
    cells,
    duration,
    flow,
    is_bounded,
    money,
    paint,
    progress,
    say,
    say_wrapped,
    width,
)
from orchestrator.domain.inert import inert, one_line
from orchestrator.domain.json_types import Json, JsonObject

RECORDS = (
    "discussions",
    "explorations",
    "wisdom",
)  # evidence, not deliverables; nor is what begins with a dot
DISCUSS = "discuss"  # the mode of a discussion of a file: its record is what was asked for


def print_report(report: JsonObject, project: Path) -> None:
    for line in flow(_headline(report), width()):
        say(line)
    print_deliverables(report, project)
    print_scores(report["scores"])
    print_tests(report["tests"])
    print_review(report["review"])
    print_supervision(report["supervision"])
    print_advice(report["advice"])
    print_audit(report["audit"])
    for agent in report["unanswering"]:
        say(paint(inert(unanswering(agent)), "yellow"))
    if report["pause"]:
        print_pause(report["pause"])
    elif report["next"]:
        say("Next")
        print_actions(report["next"])


def _headline(report: JsonObject) -> list[Piece]:
    reason = f": {report['pause_reason']}" if report["pause_reason"] else ""
    lost = f", {report['attempts_lost']} attempt(s) lost and repeated" if report["attempts_lost"] else ""
    facts = f"{duration(report['elapsed_seconds'])}, {money(report['cost'])}{lost}"
    return [
        Piece(report["session"], "bold"),
        Piece(f"{report['status']}{reason}"),
        Piece(f"{progress(report['progress'], ' tasks')}, {facts}"),
    ]


def unanswering(each: JsonObject) -> str:
    """A sentence about an agent that failed most of its calls."""
    how = ", ".join(f"{outcome} {calls}" for outcome, calls in each["failed"].items())
    answered = each["answered"] or "none"
    return f"{each['agent']} answered {answered} of {each['calls']} calls ({how}); `lifecycle agents --probe` tests it"


def print_deliverables(report: JsonObject, project: Path) -> None:
    """Print the path of each document; a folder with an index takes one line."""
    paths = [each["path"] for each in report["deliverables"]]
    records = RECORDS if report["mode"] != DISCUSS else RECORDS[1:]
    documents = [path for path in paths if path.split("/")[0] not in records and "/." not in f"/{path}"]
    if not documents:
        return
    folder = project / report["directory"]
    say(f"Documents in {inert(str(folder))}")
    for path, inside in grouped(documents):
        more = f"   and {inside} more file(s) in {PurePosixPath(path).parent}/" if inside else ""
        say(f"  {path}{more}")


def grouped(paths: Iterable[str]) -> list[tuple[str, int]]:
    """Paths; the files beside an `_index.md` are only counted."""
    every = list(paths)
    indexed = {str(PurePosixPath(path).parent) for path in every if path.endswith("/_index.md")}
    counted = {folder: sum(path.startswith(f"{folder}/") for path in every) - 1 for folder in indexed}
    shown = []
    for path in every:
        folder = str(PurePosixPath(path).parent)
        if folder not in indexed:
            shown.append((path, 0))
        elif path.endswith("/_index.md"):
            shown.append((path, counted[folder]))
    return shown


def print_tests(tests: JsonObject | None) -> None:
    """What the tests of the code came to; that they tell nothing is said with the reason."""
    if tests is None:
        return
    colour = {"PASS": "green", "UNVERIFIED": "yellow"}.get(tests["verdict"], "red")
    counted = "" if tests["passed"] is None else f"  {tests['passed']} pass, {tests['failed']} fail"
    if tests["preexisting"]:
        counted += f", {tests['preexisting']} of them failed before the change too"
    pieces = [Piece("Tests"), Piece(tests["verdict"], colour), Piece(counted)]
    for line in flow(pieces, width(), gap=" "):
        say(line)
    if tests["why"]:
        say_wrapped(inert(tests["why"]), "  ")


def print_review(review: JsonObject | None) -> None:
    """The verdict on the code, and how many findings of each severity there are."""
    if review is None:
        return
    approved = "yellow" if review["by_rules"] else "green"
    colour = {"APPROVE": approved, "CONDITIONAL": "yellow"}.get(review["verdict"], "red")
    numbers = ", ".join(f"{count} {severity}" for severity, count in review["findings"].items())
    verdict = f"{review['verdict']}{alone(review)}"
    pieces = [Piece("Review"), Piece(verdict, colour), Piece(f"  {numbers or 'no findings'}")]
    if unmet := review["must"]["unmet"]:
        pieces.append(Piece(f"  unmet: {len(unmet)} of {review['must']['criteria']} Must", "red"))
    for line in flow(pieces, width(), gap=" "):
        say(line)


def print_supervision(checks: list[JsonObject]) -> None:
    """The verdict of each supervision, and what did not pass."""
    for each in checks:
        colour = {"pass": "green", "warn": "yellow"}.get(str(each["verdict"]), "red")
        pieces = [
            Piece(one_line(str(each["task"]))),
            Piece(one_line(str(each["verdict"])), colour),
            Piece(f"  mean {each['mean']}"),
        ]
        for line in flow(pieces, width(), gap=" "):
            say(line)
        for risk in each["risks"]:
            say_wrapped(f"- {one_line(risk, 200)}", "  ")


def print_advice(advice: list[JsonObject]) -> None:
    """The verdict of each piece of advice with its concerns; the page has their evidence."""
    for each in advice:
        fine = "yellow" if each["by_rules"] else "green"
        colour = {"APPROVE": fine, "FEASIBLE": fine, "BLOCK": "red", "INFEASIBLE": "red"}.get(
            str(each["verdict"]), "yellow"
        )
        mode, page = one_line(str(each["mode"])), inert(str(each["page"]))
        pieces = [
            Piece(one_line(str(each["task"]))),
            Piece(f"{one_line(str(each['verdict']))}{alone(each)}", colour),
            Piece(f"  {mode}  {page}"),
        ]
        for line in flow(pieces, width(), gap=" "):
            say(line)
        for line in str(each["answer"] or "").splitlines()[:ANSWER]:
            say_wrapped(one_line(line, 400), "  ")
        for concern in each["concerns"][:CONCERNS]:
            say_wrapped(
                f"- {one_line(str(concern['severity']))}: {one_line(str(concern['text']), 200)}", "  "
            )
        if len(each["concerns"]) > CONCERNS:
            say(f"  and {len(each['concerns']) - CONCERNS} more")


def print_audit(audit: JsonObject | None) -> None:
    """The verdict on the frontend, its points, how many findings there are, and what no browser has looked at."""
    if audit is None:
        return
    colour = {"PASS": "green", "PASS_WITH_WARNINGS": "yellow", "NEEDS_FIX": "yellow"}.get(
        audit["verdict"], "red"
    )
    numbers = ", ".join(f"{count} {severity}" for severity, count in audit["findings"].items())
    points = f"{audit['overall']:.1f} of 10, round {audit['round']}: {numbers or 'no findings'}"
    pieces = [Piece("Frontend"), Piece(audit["verdict"], colour), Piece(f"  {points}")]
    if audit["browser"]["why_not"]:
        pieces.append(Piece(inert(f"(no browser: {audit['browser']['why_not']})"), "yellow"))
    for line in flow(pieces, width(), gap=" "):
        say(line)


def print_scores(scores: JsonObject | None) -> None:
    """The gate and the bar of each dimension."""
    if scores is None:
        return
    colour = {"PASS": "green", "REVIEW": "yellow"}.get(scores["gate"], "red")
    gate = [Piece("Quality"), Piece(scores["gate"], colour), Piece(f"  {scores['score']:.1f} %")]
    for line in flow(gate, width(), gap=" "):
        say(line)
    if scores["pass_needs"]:
        say_wrapped(inert(str(scores["pass_needs"])), "  ")
    room = width() - NAME - 11 if is_bounded() else BAR
    for name, percent in scores["dimensions"].items():
        drawn = f" {bar(percent, min(BAR, room))}" if room > 0 else ""
        say_wrapped(f"{name:<{NAME}}{drawn} {percent:5.1f} %" if drawn else f"{name} {percent:.1f} %", "  ")
    _print_improved(scores["improved"])


def _print_improved(improved: JsonObject | None) -> None:
    """What `improve` has gained, and what can be done where it gained nothing."""
    if improved is None:
        return
    both = (
        f"{improved['task']}: {improved['dimension']} {improved['before']:.1f} % -> {improved['after']:.1f} %"
    )
    if improved["gain"] > 0:
        say_wrapped(f"{both}, {improved['gain']:.1f} gained", "  ")
        return
    say_wrapped(
        f"{both}: nothing gained. Another `improve` would change as little; say what is missing with `feedback`, "
        "edit the document by hand, or let another agent write it",
        "  ",
    )


def print_pause(pause: JsonObject) -> None:
    say_wrapped(f"Waiting for you: {pause['reason']}")
    asked = [f"question: {pause['question']}"] if pause["question"] else []
    for line in [*asked, *about(pause["detail"]), *_faults(pause), *_changes(pause["approval"])]:
        say_wrapped(line, "  ")
    print_actions(pause["actions"])


def _option(each: Json) -> str:
    """What can be answered, and what it means where that is known."""
    if not isinstance(each, dict):
        return str(each)
    means = f": {each['means']}" if each.get("means") else ""
    return f"{each.get('label', each)}{means}"


def _faults(pause: JsonObject) -> list[str]:
    """The findings for which a discussion blocked the session, and the command that shows the discussion."""
    lines = [
        f"{each['severity']}: {one_line(each['text'], 300)} [{', '.join(each['perspectives'])}]"
        for each in pause["faults"]
    ]
    return [*lines, f"the whole discussion: {pause['discuss']}"] if pause["discuss"] else lines


def _changes(approval: JsonObject | None) -> list[str]:
    """What has changed since it was shown, and the token that approves the present state."""
    if approval is None:
        return []
    lines = [
        f"changed since: {one_line(each['path'])} by {one_line(each['by'])}"
        for each in approval["changes"][:CHANGES]
    ]
    if len(approval["changes"]) > CHANGES:
        lines.append(f"changed since: {len(approval['changes']) - CHANGES} more")
    return [*lines, f"token: {approval['token']}"]


def about(detail: JsonObject) -> list[str]:
    """The details of a pause, as lines."""
    lines = [
        f"{name}: {one_line(str(detail[name]), ERROR if name == 'error' else 300)}"
        for name in _SHOWN
        if detail.get(name)
    ]
    lines += [f"- {one_line(str(each), 300)}" for each in detail.get("unmet", [])]
    for failed in detail.get("failures", []):
        lines.append(f"failed: {one_line(str(failed['check']))}: {one_line(str(failed['says']), 200)}")
        lines += [f"  {one_line(str(each), 300)}" for each in failed["evidence"]]
    lines += _changed(detail.get("changed") or {})
    options = detail.get("options") or []
    lines += [f"option: {one_line(_option(each), 300)}" for each in options]
    return lines


def _changed(changed: JsonObject) -> list[str]:
    """Which items of the specification are not what the work is made of, and the plan tasks that are affected."""
    titles = changed.get("titles", {})
    lines = [
        f"{what}: {id}" + (f" {one_line(str(titles[id]), 100)}" if titles.get(id, id) != id else "")
        for what in ("changed", "new", "withdrawn")
        for id in changed.get(what, [])[:ITEMS]
    ]
    affected = ", ".join(changed.get("plan_tasks", []))
    return [*lines, f"affects: {affected or 'no task of the plan'}"] if lines else []


def print_actions(actions: list[dict[str, str]]) -> None:
    """Print commands and what they do, on one line each if they fit, otherwise below each other."""
    longest = max(cells(each["command"]) for each in actions)
    fits = not is_bounded() or all(longest + 5 + cells(each["does"]) <= width() for each in actions)
    for each in actions:
        if fits:
            say(f"  {each['command']:<{longest}}   {each['does']}")
        else:
            say_wrapped(each["command"], "  ")
            say_wrapped(each["does"], "      ")


NAME, BAR = 14, 20  # columns of a dimension's name, and of its bar
ANSWER = 6  # lines of an architect's answer that are shown; its page has all
CONCERNS = 5  # concerns of one piece of advice that are named
CHANGES = 5  # changed documents that a pause names
ERROR = 900  # characters of an error: what to do about it stands at its end
ITEMS = 10  # ... and changed items of one kind
_SHOWN = ("task", "question", "round", "ref", "error", "why", "fix", "by", "words")
