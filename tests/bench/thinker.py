"""A `command` agent that thinks for some seconds and then answers as it was asked: `thinker.py SECONDS`.

As a critic it names a heading of what it read: one that points to no place would be asked a second time.
"""

import json
import os
import re
import sys
import time
from pathlib import Path

ANSWERS = Path(__file__).parents[1] / "data" / "catalogue.json"

if __name__ == "__main__":
    headings = re.findall(r"^#+ +(.+)$", sys.stdin.read(), re.MULTILINE)
    time.sleep(float(sys.argv[1]))
    kind = os.environ["LIFECYCLE_KIND"]
    said = (
        {"rating": 4, "strengths": [f"clear: {each}" for each in headings[-40:]]}
        if kind == "critique"
        else json.loads(ANSWERS.read_text())[kind]
    )
    print(json.dumps(said))
