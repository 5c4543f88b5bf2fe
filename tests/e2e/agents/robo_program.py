"""Stands in for the program of the made-up agent: answers as a model would, and writes where it may and where it may not."""

import json
import os
import re
import sys
from pathlib import Path


def place(prompt: str) -> str:
    """The longest line of the artifact that a critic is asked about; empty where the prompt holds none."""
    title = re.search(r"^The artifact is (.+)\. The round is", prompt, re.MULTILINE)
    fenced = title and re.search(
        rf"^## The document {re.escape(title[1])}\n\n<<<(\S+)\n(.*?)\n\1>>>", prompt, re.MULTILINE | re.DOTALL
    )
    return max(fenced[2].splitlines(), key=len) if fenced else ""


if sys.argv[1] == "--version":
    print("robo 7.1")
    raise SystemExit
prompt = sys.stdin.read()
home = Path(os.environ["ROBO_HOME"])
kind, task = os.environ["LIFECYCLE_KIND"], os.environ["LIFECYCLE_TASK"]
try:
    (home.parent / "stolen").write_text(kind)
    wrote = True
except OSError:
    wrote = False
seen = {"env": sorted(os.environ), "model": sys.argv[2:], "wrote_project": wrote}
(home / f"{task}-{kind}-{os.getpid()}.json").write_text(json.dumps(seen))
documents = json.loads((Path(__file__).parents[2] / "data" / "catalogue.json").read_text())
answer = documents.get(kind, "ready")
if kind == "critique":
    answer["strengths"] = [*answer.get("strengths", []), place(prompt)]
print(json.dumps({"answer": json.dumps(answer), "read": 1000, "written": 100, "usd": 0.002}))
