"""A program that answers with a plan as a model would: words around it, and at first a file that is not there."""

import json
import os
import sys
from pathlib import Path

prompt = sys.stdin.read()
seen = Path(sys.argv[1]) / f"{os.environ['LIFECYCLE_TASK']}-{os.environ['LIFECYCLE_KIND']}"
first = not seen.exists()
seen.write_text(prompt)


def task(number: int, path: str) -> dict[str, object]:
    return {
        "id": f"TASK-{number:03d}",
        "title": f"Change {path}",
        "files": [{"path": path, "action": "modify", "change": "returns 404"}],
        "criteria": [{"text": "Given an unknown name, it returns 404", "refs": ["REQ-001"]}],
        "refs": ["REQ-001"],
    }


plan = {
    "summary": "Answer unknown names",
    "tasks": [task(1, "src/gone.py" if first else "src/app.py"), task(2, "src/other.py")],
}
print("Here is the plan:\n```json\n" + json.dumps(plan) + "\n```\nTell me if you need more.")
