"""A program that writes every document as a model would: JSON between words, a wrong first try, references by handle."""

import json
import os
import sys
from pathlib import Path

prompt = sys.stdin.read()
kind = os.environ["LIFECYCLE_KIND"]
seen = (
    Path(sys.argv[1]) / f"{os.environ['LIFECYCLE_TASK']}-{kind}-{os.environ.get('LIFECYCLE_PERSPECTIVE', '')}"
)
first = not seen.exists()
seen.write_text(prompt)

DOCUMENTS = json.loads((Path(__file__).parents[2] / "data" / "catalogue.json").read_text())

if kind == "brief" and first:
    print(json.dumps({"title": "no vision"}))  # wrong: it has to be asked once more, with what was wrong
else:
    print(
        "Here it is, as you asked:\n```json\n"
        + json.dumps(DOCUMENTS[kind])
        + "\n```\nTell me if you need more."
    )
