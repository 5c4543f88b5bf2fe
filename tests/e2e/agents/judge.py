"""A `command` agent that answers what a plan says: `judge.py PLAN PROMPTS`.

PLAN is a JSON object from "TASK/PERSPECTIVE", "TASK/KIND" or "TASK" to an answer: a critique or a document's content,
or one of {"say": TEXT}, {"exit": CODE}, {"until": FILE} (waits for the file, then fails). What is not in the plan: every
perspective is content, and a document is left to the next agent. A critique of a round also quotes a line of the
artifact. Each prompt is kept as PROMPTS/TASK.WHO.md.
"""

import json
import os
import re
import sys
import time
from pathlib import Path

CONTENT = {"rating": 4, "strengths": ["it holds together"]}


def place(prompt: str) -> str:
    """The longest line of the artifact that a critic is asked about; empty where the prompt holds none."""
    title = re.search(r"^The artifact is (.+)\. The round is", prompt, re.MULTILINE)
    fenced = title and re.search(
        rf"^## The document {re.escape(title[1])}\n\n<<<(\S+)\n(.*?)\n\1>>>", prompt, re.MULTILINE | re.DOTALL
    )
    return max(fenced[2].splitlines(), key=len) if fenced else ""


def main(plan: Path, prompts: Path) -> int:
    task, kind = os.environ["LIFECYCLE_TASK"], os.environ["LIFECYCLE_KIND"]
    who = os.environ["LIFECYCLE_PERSPECTIVE"] or kind
    folder = prompts / os.environ["LIFECYCLE_SESSION"]
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{task}.{who}.{os.getpid()}"
    prompt = sys.stdin.read()
    part.write_text(prompt)
    part.rename(folder / f"{task}.{kind if kind == 'architecture_review' else who}.md")
    known = json.loads(plan.read_text())
    answer = known.get(f"{task}/{who}", known.get(task) if kind == "critique" else None)
    if answer is None and kind == "critique":
        answer = CONTENT
    if answer is None and kind == "architecture_review":
        answer = {"concerns": []}
    if answer is None or "exit" in answer:
        print("not in the mood", file=sys.stderr)
        return int((answer or {}).get("exit", 1))
    if "until" in answer:
        while not Path(answer["until"]).exists():
            time.sleep(0.02)
        return 1
    if (
        kind == "critique"
        and not task.startswith("DISCUSS-")
        and isinstance(answer.get("strengths", []), list)
    ):
        answer = {**answer, "strengths": [*answer.get("strengths", []), place(prompt)]}
    print(answer["say"] if "say" in answer else json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
