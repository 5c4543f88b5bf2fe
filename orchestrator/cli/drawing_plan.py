"""The lines that show a plan which waits for approval, and what work would start from."""

from __future__ import annotations

from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import JsonObject

FILES = 6  # of one task that are named


def plan_lines(plan: JsonObject) -> list[tuple[str, str]]:
    """(label, text) of each line: the summary, the tasks with their files and edges, what is left out, tests, estimate."""
    said = [("Plan", f"{one_line(plan['summary'], 300)}  ({plan['complexity']['level']})")]
    for task in plan["tasks"]:
        facts = [f"{task['task']} {one_line(task['title'], 120)}", f"[{task['size']}]"]
        if edges := [_edge(each) for each in task["waits_for"]]:
            facts.append(f"after {', '.join(edges)}")
        facts.append(f": {_files(task['files'])}")
        said.append(("", " ".join(facts).replace(" : ", ": ")))
    said += [
        ("Left", f"{one_line(each['id'], 40)}: {one_line(each['reason'], 300)}") for each in plan["uncovered"]
    ]
    tests = [one_line(command, 200) for command in plan["test_commands"]]
    said.append(("Tests", ", ".join(tests) or "no command that runs them is known"))
    usd = plan["estimate"]["usd"]
    cost = (
        "unknown: no task of a plan whose price is known has run in this project"
        if usd is None
        else f"about ${usd:.2f}"
    )
    said.append(("Cost", cost))
    said += [("Note", one_line(note, 300)) for note in (*plan["notes"], *plan["warnings"])]
    if plan["outdated"]:
        said.append(("Note", "the specification has changed since the plan was made"))
    said += [("Fault", one_line(fault, 500)) for fault in plan["faults"]]
    return said


def _edge(edge: JsonObject) -> str:
    return f"{edge['task']} (same files)" if edge["source"] == "overlap" else str(edge["task"])


def _files(files: list[JsonObject]) -> str:
    named = [f"{each['action']} {one_line(each['path'], 100)}" for each in files[:FILES]]
    more = [f"and {len(files) - FILES} more"] if len(files) > FILES else []
    return ", ".join([*named, *more]) or "its files are not known beforehand"


def role_lines(analysis: JsonObject) -> list[tuple[str, str]]:
    """The roles that were made for a request, why so many, and what was merged."""
    scored = analysis["complexity"]
    tiers = {each["name"]: each["tier"] for each in analysis["capabilities"]}
    words = {each["name"]: ", ".join(each["words"]) for each in analysis["capabilities"]}
    return [
        (
            "Level",
            f"{scored['level']}: a score of {scored['score']} for "
            + ("one capability" if scored["capabilities"] == 1 else f"{scored['capabilities']} capabilities"),
        ),
        *(
            (
                "Role",
                f"{role['name']}: "
                + "; ".join(
                    f"{name} (tier {tiers[name]}" + (f": {words[name]})" if words[name] else ")")
                    for name in role["capabilities"]
                )
                + (f"; discussed from {', '.join(role['perspectives'])}" if role["perspectives"] else ""),
            )
            for role in analysis["roles"]
        ),
        *(("Merged", text) for text in analysis["merged"]),
        *(("Warning", text) for text in analysis["warnings"]),
    ]


def work_lines(work: JsonObject) -> list[tuple[str, str]]:
    """(label, text) of each line of what the work would start from: base, tests, set-up, and when it pauses."""
    if work["fault"]:
        return [("Base", f"unknown: {work['fault']}")]
    return [
        ("Base", _base(work)),
        ("Tests", _tests(work)),
        ("Set-up", "; ".join(" ".join(step["command"]) for step in work["setup"]) or work["setup_why"]),
        *([("Pauses", "for you before the plan becomes tasks")] if work["approve_plan"] else []),
    ]


def _base(work: JsonObject) -> str:
    if work["base"] is None:
        return "a snapshot of the folder, which has no commit"
    said = f"{work['branch']} at {work['base'][:12]}, as it is when the plan is made"
    count = work["uncommitted"]
    if not count:
        return said
    files = "1 file with uncommitted changes" if count == 1 else f"{count} files with uncommitted changes"
    return (
        f"{said}, with {files}"
        if work["include_dirty"]
        else f"{said}; {files} left out: --include-dirty takes them in"
    )


def _tests(work: JsonObject) -> str:
    missing = [each["missing"] for each in work["runners"] if each["missing"]]
    if not work["runners"]:
        without = "the work will not land" if work["required"] else "the work will be unverified"
        return f"none: {work['why']}; {without}"
    last = work["last_seconds"]
    parts = [work["why"], "never run here" if last is None else f"all of them took {last:.1f} s last time"]
    parts += missing
    if work["no_sandbox"]:
        parts.append(f"no sandbox: {work['no_sandbox']}")
    return "; ".join(parts)
