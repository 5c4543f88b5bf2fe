"""What a page costs the server, how large it is, and how many elements it has, among 10,000 sessions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.bench.measure import Figure, times
from tests.web_load.asked import Asked, asked
from tests.web_load.crowd import BRIEF, REQUIREMENTS, Crowd

SERVER_MS = 100  # at most, of all but the slowest twentieth
LARGE_MS = 150  # of the session of 5,000 tasks
FIRST_KB = 60  # compressed: all that a first visit loads
PAGE_KB = 150
ELEMENTS = 2_500
API = "/api/v1"


def addresses(crowd: Crowd) -> dict[str, str]:
    """Each page of section 8, and what a program asks in its place."""
    project, api = "/p/p", f"{API}/p/p"
    found = {
        "inbox": "/",
        "inbox, API": f"{API}/inbox",
        "sessions": f"{project}/sessions",
        "sessions, API": f"{api}/sessions?limit=200",
        "sessions, 200th page": f"{project}/sessions?before=1.x",
        "sessions that contain words that none has": f"{project}/sessions?q=no+such+words",
        "sessions that were cancelled: none": f"{project}/sessions?state=cancelled",
        "cost of all": f"{project}/cost",
        "cost of all, API": f"{api}/cost",
        "system": f"{project}/system",
        "start": f"{project}/start",
    }
    for name, session, task in (
        ("at a checkpoint", crowd.waiting, crowd.task),
        (f"of {crowd.tasks:,} tasks", crowd.large, crowd.large_task),
    ):
        page, data = f"{project}/s/{session}", f"{api}/sessions/{session}"
        found |= {
            f"session {name}": page,
            f"session {name}, its live part": f"{page}?part=1",
            f"session {name}, API": data,
            f"tasks {name}, API": f"{data}/tasks",
            f"task {name}": f"{page}/t/{task}",
            f"task {name}, API": f"{data}/tasks/{task}",
            f"log {name}": f"{page}/log",
            f"log {name}, API": f"{data}/messages",
            f"cost {name}": f"{page}/cost",
            f"cost {name}, API": f"{data}/cost",
            f"the past {name}": f"{page}?at=9",
            f"attempts {name}": f"{page}/timeline",
            f"discussions {name}": f"{page}/discuss",
            f"documents {name}": f"{page}/docs",
            f"impact {name}": f"{page}/impact",
        }
    page, data = f"{project}/s/{crowd.waiting}", f"{api}/sessions/{crowd.waiting}"
    group = "/groups/spec%2Fwriter%2Fpending"
    return found | {
        "decision": f"{page}/decide",
        "decision, API": f"{data}/approval",
        "document": f"{page}/doc/{BRIEF}",
        "document of 78 requirements": f"{page}/doc/{REQUIREMENTS}",
        "what changed in a document": f"{page}/diff/{REQUIREMENTS}",
        "a group of tasks": f"{project}/s/{crowd.large}/group/spec%2Fwriter%2Fpending",
        "a group of tasks, API": f"{api}/sessions/{crowd.large}{group}",
    }


def server_time(crowd: Crowd) -> Iterator[Figure]:
    """Processor time, which other work on the machine does not lengthen much."""
    with asked(crowd) as site:
        for name, path in addresses(crowd).items():
            first = site.get(path)
            assert first.status == 200, (path, first.text[:500])
            answers = [site.get(path) for _ in range(times(40 if first.cpu_ms < 4 * LARGE_MS else 10, 2))]
            bound = None if path.endswith("p/cost") else LARGE_MS if crowd.large in path else SERVER_MS
            walls = sorted(each.wall_ms for each in answers)
            note = f"on the wall {walls[len(walls) // 2]:.0f}, the first {first.cpu_ms:.0f} ms"
            yield Figure(name, "ms", [each.cpu_ms for each in answers], below=bound, note=note, share=0.95)


def sizes(crowd: Crowd) -> Iterator[Figure]:
    """Each page alone, and a first visit with all that it loads."""
    with asked(crowd) as site:
        kilobytes, elements = {}, {}
        for name, path in addresses(crowd).items():
            if path.startswith(API) or "part=1" in path:
                continue
            page = site.get(path)
            kilobytes[name], elements[name] = len(page.body) / 1000, page.elements
        yield Figure("first visit, compressed", "kB", [_first_visit(site) / 1000], below=FIRST_KB)
        for unit, found, bound in (("kB", kilobytes, PAGE_KB), ("elements", elements, ELEMENTS)):
            most = max(found, key=lambda name: found[name])
            head = "pages, compressed" if unit == "kB" else "pages"
            samples = list(found.values())
            yield Figure(head, unit, samples, below=bound, note=f"most: {most}", more=found, share=1.0)


def _first_visit(site: Asked) -> int:
    """Bytes of the page that takes the code, of the inbox, and of the files that both load."""
    pages = [site.get("/enter"), site.get("/")]
    wanted = {each for page in pages for each in re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text)}
    total, seen = sum(len(page.body) for page in pages), set()
    while wanted - seen:
        path = (wanted - seen).pop()
        seen.add(path)
        file = site.get(path)
        assert file.status == 200, path
        total += len(file.body)
        if ".js" in path:
            wanted |= {
                f"/static/{each}" for each in re.findall(r'^import .* from "\./([^"]+)"', file.text, re.M)
            }
    return total
