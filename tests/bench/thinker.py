"""A `command` agent that thinks for some seconds and then answers as it was asked: `thinker.py SECONDS`."""

import json
import os
import sys
import time
from pathlib import Path

ANSWERS = Path(__file__).parents[1] / "data" / "catalogue.json"

if __name__ == "__main__":
    sys.stdin.read()
    time.sleep(float(sys.argv[1]))
    kind = os.environ["LIFECYCLE_KIND"]
    said = (
        {"rating": 4, "strengths": ["clear"]} if kind == "critique" else json.loads(ANSWERS.read_text())[kind]
    )
    print(json.dumps(said))
