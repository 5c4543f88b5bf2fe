"""`python -m tests.corpus [--aside | --set NAME] [--document NAME] [--json] [--check]`: how well the agent reads requests.

The agent is the built-in one. Prints precision and recall by kind (matching.py has the rule) and a line for each
document. `--set` takes the documents of one folder instead of the common ones, `--document` also lists what one document
misses and what is false; documents set aside are never shown so. `--check` compares with thresholds.yaml; exit code 1 when
one is not met.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ruamel.yaml import YAML

from tests.corpus.given import given
from tests.corpus.labelled import ASIDE, HERE, document, open_sets, paths
from tests.corpus.score import ROWS, Count, Score, score, unmet


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tests.corpus", description=__doc__)
    folder = parser.add_mutually_exclusive_group()
    folder.add_argument(
        "--aside", action="store_true", help="the documents set aside instead of the open ones"
    )
    folder.add_argument(
        "--set", metavar="NAME", choices=open_sets(), help="the open documents of one folder instead"
    )
    parser.add_argument(
        "--document", metavar="NAME", help="one document, with what is missed and what is false"
    )
    parser.add_argument("--json", action="store_true", help="figures for a program")
    parser.add_argument("--check", action="store_true", help="exit 1 when a threshold is not met")
    options = parser.parse_args(words)
    if options.aside and options.document:
        parser.error("documents set aside are measured together")
    chosen = {path.stem: path for path in paths(_folder(options.aside, options.set))}
    if options.document and options.document not in chosen:
        parser.error(f"no document {options.document}; there are: {', '.join(chosen)}")
    names = [options.document] if options.document else list(chosen)
    rows = {name: score(document(chosen[name]), given(chosen[name])) for name in names}
    whole = Score()
    for row in rows.values():
        whole.add(row)
    if options.json:
        each = {name: row.figures() for name, row in rows.items()}
        print(json.dumps({"all": whole.figures(), "documents": each}, indent=1, ensure_ascii=False))
    else:
        print("\n".join([*_table(whole), "", *_documents(rows)]))
    if options.document and not options.json:
        print("\n".join(_details(rows[options.document])))
    if not options.check:
        return 0
    failed = unmet(whole.figures(), YAML(typ="safe").load(HERE / "thresholds.yaml"))
    print("\n".join(f"NOT MET {line}" for line in failed) or "all thresholds are met", file=sys.stderr)
    return int(bool(failed))


def _folder(aside: bool, name: str | None) -> Path:
    if aside:
        return ASIDE
    return open_sets()[name] if name else HERE


def _table(whole: Score) -> list[str]:
    lines = [f"{'kind':<14} {'labelled':>8} {'found':>6} {'matched':>8} {'precision':>10} {'recall':>7}"]
    for kind in ROWS:
        count = whole.kinds[kind]
        lines.append(
            f"{kind:<14} {count.labelled:>8} {count.found:>6} {count.matched:>8} "
            f"{_share(count.precision):>10} {_share(count.recall):>7}"
        )
    for name, count in (
        ("goals with their target", whole.targets),
        ("non-functional requirements in their category, of those carried", whole.categories),
        ("priorities right, of those carried", whole.priorities),
        ("criteria at their requirement, of those carried", whole.parents),
        ("requests told from what is none", whole.told),
    ):
        lines.append(f"{name}: {_of(count)}")
    lines.append(f"done given as open: {whole.done_as_open} of {whole.done}")
    lost = whole.figures()["blocks without a fate"]
    return [*lines, f"blocks without a fate: {'not measured' if lost is None else f'{lost:g}'}"]


def _documents(rows: Mapping[str, Score]) -> list[str]:
    return [
        f"{name:<28} asked for {_pair(row.kinds['asked for'])}  goals {_pair(row.kinds['goal'])}  "
        f"non-goals {_pair(row.kinds['non_goal'])}  users {_pair(row.kinds['user'])}"
        + (f"  done as open {row.done_as_open}" if row.done_as_open else "")
        for name, row in rows.items()
    ]


def _details(row: Score) -> list[str]:
    return [
        *(f"missed  {label.kind:<13} {label.quote}" for label in row.missed),
        *(f"false   {item.kind:<13} {item.text}" for item in row.false),
    ]


def _pair(count: Count) -> str:
    """`matched of labelled, false ones`."""
    return f"{count.matched:>2}/{count.labelled:<2} +{count.found - count.matched:<2}"


def _of(count: Count) -> str:
    return f"{count.matched} of {count.labelled} ({_share(count.recall)})"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


if __name__ == "__main__":
    raise SystemExit(main())
