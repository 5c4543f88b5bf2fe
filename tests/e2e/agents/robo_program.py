"""Stands in for the program of the made-up agent: answers as a model would, and writes where it may and where it may not."""

import json
import os
import sys
from pathlib import Path

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
answer = json.dumps(documents.get(kind, "ready"))
print(json.dumps({"answer": answer, "read": 1000, "written": 100, "usd": 0.002}))
