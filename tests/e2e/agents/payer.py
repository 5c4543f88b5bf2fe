"""A `command` agent that judges everything good and says what that took: `payer.py CALLS USD`.

Each call adds its task and what it was asked as a line to the file CALLS.
"""

import json
import os
import sys
from pathlib import Path

with Path(sys.argv[1]).open("a") as calls:
    calls.write(f"{os.environ['LIFECYCLE_TASK']}/{os.environ['LIFECYCLE_PERSPECTIVE']}\n")
sys.stdin.read()
print(json.dumps({"rating": 4, "strengths": ["it holds together"]}))
used = {"model": "payer-1", "tokens_in": 1_000, "tokens_out": 100, "cost_usd": float(sys.argv[2])}
print("thinking ...", json.dumps({"lifecycle_usage": used}), sep="\n", file=sys.stderr)
