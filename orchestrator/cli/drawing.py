"""Draws `check`: a summary line, the tasks of each phase with their marks, and the next commands."""

from __future__ import annotations

from orchestrator.cli.output import (
    Piece,
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
    verdict,
    width,
)
from orchestrator.cli.report import (
    print_advice,
    print_audit,
    print_pause,
    print_review,
    print_scores,
    print_supervision,
    print_tests,
    unanswering,
)
from orchestrator.domain.inert import inert, one_line
from orchestrator.domain.json_types import JsonObject

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
PATH = 5  # tasks that are named of those that decide the end


def draw(found: JsonObject) -> None:
    for line in flow(_headline(found), width()):
        say(line)
    for phase in dict.fromkeys(view["phase"] for view in found["tasks"]):
        _phase(phase, [view for view in found["tasks"] if view["phase"] == phase], found["tasks"])
    if found["work"]:
        _say_labelled("Work", _work(found["work"]))
    print_tests(found["tests"])
    print_review(found["review"])
    if not found["pause"]:
        print_supervision([each for each in found["supervision"] if each["risks"]])
    print_advice(found["advice"])
    print_audit(found["audit"])
    if found["starting"] is not None:
        _say_labelled("Start", [Piece(f"the coordinator is starting: {found['starting']} s")])
    for line in found["stalled"]:
        _say_labelled("Stall", [Piece(inert(line))])
    if found["engine"] and not found["engine"]["up"]:
        from orchestrator.views.engine import in_words as engine_in_words

        _say_labelled("Engine", [Piece(inert(engine_in_words(found["engine"])), "yellow")])
    if found["expected"]:
        _say_labelled("End", _expected(found["expected"], found["status"]))
    if found["budget"]:
        _say_labelled("Cap", _caps(found["budget"]))
    for limit in found["limits"]:
        from orchestrator.views.limits import in_words

        _say_labelled("Limit", [Piece(inert(in_words(limit)))])
    for each in found["conflicts"]:
        _say_labelled("Edit", [Piece(inert(each["says"]), "yellow")])
    for agent in found["unanswering"]:
        _say_labelled("Agent", [Piece(inert(unanswering(agent)), "yellow")])
    if found["scores"] and found["pause"]:
        print_scores(found["scores"])
    elif found["scores"] and found["scores"]["pass_needs"]:
        say_wrapped(f"Gate  {inert(str(found['scores']['pass_needs']))}", " ")
    if found["plan"]:
        from orchestrator.cli.drawing_plan import plan_lines

        for label, text in plan_lines(found["plan"]):
            _say_labelled(label, [Piece(text)])
    if found["dashboard"]:
        shown = [Piece(found["dashboard"]["page"]), Piece("(lifecycle serve --link lets a browser in)")]
        _say_labelled("Web", shown)
    if found["pause"]:
        print_pause(found["pause"])
        return
    says, commands = found["next"]["says"], found["next"]["commands"]
    line = f"{says}{GAP}{' | '.join(commands)}".rstrip()
    if not is_bounded() or cells(line) <= width() - INDENT:
        _say_labelled("Next", [Piece(line)])
        return
    for number, text in enumerate((says, *commands)):
        _say_labelled("Next" if number == 0 else "", [Piece(text)])


def draw_then(found: JsonObject) -> None:
    """A session as it was: the same picture, without what leads on."""
    for line in flow(_headline(found), width()):
        say(line)
    position = f"as of {found['at']}, MSG-{found['message']:03d} of {found['messages']}"
    say(f"{position}; this is now" if found["is_now"] else position)
    past = {"running": None, "retry_at": None, "offered": False}
    tasks = [{**view, **past, **_ran(view)} for view in found["tasks"]]
    for phase in dict.fromkeys(view["phase"] for view in tasks):
        _phase(phase, [view for view in tasks if view["phase"] == phase], tasks)
    before = [each for each in found["marks"] if each["number"] <= found["message"]]
    after = next((each for each in found["marks"] if each["number"] > found["message"]), None)
    if before:
        _say_labelled("Last", [Piece(_mark(before[-1]))])
    if after is not None:
        _say_labelled("Later", [Piece(_mark(after))])


def _ran(view: JsonObject) -> JsonObject:
    """A running task with what is drawn of its run."""
    if view["mark"] != "running":
        return {}
    return {"running": {"agent": view["agent"], "seconds": view["seconds"], "loop": None}}


def _mark(each: JsonObject) -> str:
    return f"MSG-{each['number']:03d} {each['at']} {one_line(each['says'])}"


def _headline(found: JsonObject) -> list[Piece]:
    done = found["progress"]
    status = f"{found['status']}: {found['pause_reason']}" if found["pause_reason"] else found["status"]
    gate = [Piece(f"{found['gate']} {found['score']:.1f} %")] if found["gate"] else []
    columns = min(20, width() - 20)
    drawn = f" {bar(done['percent'], columns)}" if columns > 0 else ""
    left_out = progress(done).partition(", ")[2]
    pieces = [
        Piece(found["session"], "bold"),
        Piece(found["mode"]),
        Piece(status),
        Piece(f"{done['done']}/{done['total']}{drawn} {done['percent']} %"),
        *([Piece(left_out)] if left_out else []),
        Piece(duration(found["elapsed_seconds"])),
        Piece(money(found["cost"])),
        *gate,
    ]
    if is_bounded():
        return pieces
    return [Piece(GAP.join([paint(pieces[0].text, "bold"), *(each.text for each in pieces[1:])]))]


def _work(work: JsonObject) -> list[Piece]:
    """What has landed, where it is, and what each lane does."""
    count = work["commits"]
    facts = [f"{count} commit{'' if count == 1 else 's'} on {work['base'][:10]}"]
    if work["published"]:
        facts.append(f"branch {work['branch']}{', applied' if work['applied'] else ''}")
    elif work["why_not"]:
        facts.append(f"not published: {work['why_not']}" if count else work["why_not"])
    for each in work["newest"]:
        who = each["task"] or "your own commit"
        facts.append(f"{each['commit'][:10]} {who}{': ' + each['title'] if each['title'] else ''}")
    for lane in work["lanes"]:
        used = lane["outcome"] if lane["state"] in ("making", "live") else lane["state"]
        facts.append(f"lane {lane['lane']}: {lane['task']} ({used}) {lane['folder']}")
    if work["queue"]:
        facts.append(f"landing: {', '.join(work['queue'])}")
    return [Piece(one_line(fact)) for fact in facts]


def _expected(found: JsonObject, status: str) -> list[Piece]:
    """When it is likely to end, the tasks that decide it, and what the rest will cost; `unknown` without a history."""
    more = f" and what {', '.join(found['grows_after'])} makes" if found["grows_after"] else ""
    seconds, usd = found["seconds"], found["usd"]
    if seconds is None:
        named = ", ".join(found["unknown"][:PATH]) + (" ..." if len(found["unknown"]) > PATH else "")
        return [Piece(f"unknown: nothing like {named} was done here before")]
    spread = f"{duration(seconds['low'])} to {duration(seconds['high'])}"
    answers = "" if status == "active" and not found["checkpoints"] else ", your answers not counted"
    facts = [f"in about {duration(seconds['expected'])} ({spread}){more}{answers}"]
    if found["path"]:
        facts.append(
            f"decided by {' > '.join(found['path'][:PATH])}{' > ...' if len(found['path']) > PATH else ''}"
        )
    if usd is None:
        facts.append("the rest's price is unknown")
    elif usd["high"] > 0:
        facts.append(f"the rest costs about ${usd['expected']:.2f} (${usd['low']:.2f} to ${usd['high']:.2f})")
    return [Piece(one_line(fact)) for fact in facts]


def _caps(budget: list[JsonObject]) -> list[Piece]:
    """The use of each budget; a task's with its id."""
    return [
        Piece(
            f"{each['task'] + ': ' if each['task'] else ''}{each['says']} ({each['percent']} %)",
            "yellow" if each["warned"] else "",
        )
        for each in budget
    ]


SHORT_PHASES = {"analyze": "Study", "discuss": "Talk"}  # names that the column of labels would cut


def _phase(phase: str, views: list[JsonObject], every: list[JsonObject]) -> None:
    checkpoints = {view["task"] for view in every if view["checkpoint_after"]}
    _say_labelled(
        SHORT_PHASES.get(phase, phase.capitalize())[:5], [_task(view, checkpoints) for view in views]
    )


def _task(view: JsonObject, checkpoints: set[str]) -> Piece:
    """A task's mark, id and facts."""
    mark, colour = MARKS[view["mark"]]
    facts = [view["task"]]
    if view["round"]:
        facts.append(f"+D{int(view['round'].rpartition('-')[2])}")
    facts += [verdict(view["verdict"])] if view["verdict"] else []
    facts += _state(view, checkpoints)
    text = " ".join(one_line(fact) for fact in facts if fact)
    return Piece(f"{mark} {text}", colour, len(mark))


def _state(view: JsonObject, checkpoints: set[str]) -> list[str]:
    running = view["running"]
    if running:
        agent = f" / {running['agent']}" if running["agent"] else ""
        loop = f" (inner loop {running['loop'][0]}/{running['loop'][1]})" if running["loop"] else ""
        return [f" {view['role']}{agent}  {duration(running['seconds'])}{loop}"]
    if view["mark"] == "failed":
        return [f"after {view['attempts']} attempts"]
    if view["retry_at"]:
        return [f"retry at {view['retry_at']}"]
    if view["offered"]:
        return ["offered"]
    approval = [key for key in view["waits_for"] if key in checkpoints]
    return [f"<- {', '.join(approval)}, your approval"] if approval else []


def _say_labelled(label: str, pieces: list[Piece]) -> None:
    """Print as many pieces per line as fit, the first line with the label."""
    for number, line in enumerate(flow(pieces, width() - INDENT)):
        say(f" {label if number == 0 else '':<{INDENT - 2}} {line}".rstrip())
