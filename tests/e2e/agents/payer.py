"""A `command` agent that judges everything good and says what that took: `payer.py CALLS USD`.

Each call adds its task and what it was asked as a line to the file CALLS.
"""

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


with Path(sys.argv[1]).open("a") as calls:
    calls.write(f"{os.environ['LIFECYCLE_TASK']}/{os.environ['LIFECYCLE_PERSPECTIVE']}\n")
print(json.dumps({"rating": 4, "strengths": ["it holds together", place(sys.stdin.read())]}))
used = {"model": "payer-1", "tokens_in": 1_000, "tokens_out": 100, "cost_usd": float(sys.argv[2])}
print("thinking ...", json.dumps({"lifecycle_usage": used}), sep="\n", file=sys.stderr)
