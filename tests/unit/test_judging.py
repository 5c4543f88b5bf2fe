"""A specification that was spoilt keeps no PASS, and the built-in critic names what was done to it."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest

from orchestrator.domain.model import Gate
from tests.corpus.labelled import HERE, paths
from tests.judging import CORRUPTIONS, KINDS, critiques, files_of, names, scored, scrambled, specified
from tests.specifications import NAMES, facts_of

FEW = ("tea-shop.zh", "choir-library")
REQUESTS = {path.stem: path.read_text() for path in paths(HERE) if not path.stem.startswith("no-request")}


@cache
def _made(name: str) -> tuple[tuple[str, Any], ...]:
    return tuple(specified(REQUESTS[name]).items())


def made(name: str) -> dict[str, Any]:
    return dict(_made(name))


@pytest.mark.parametrize("name", FEW)
def test_documents_as_they_were_made_pass(name: str) -> None:
    found = scored(made(name))

    assert (found.gate, found.errors) == (Gate.PASS, ())


@pytest.mark.parametrize("spoil", CORRUPTIONS.values(), ids=CORRUPTIONS)
@pytest.mark.parametrize("name", FEW)
def test_spoilt_documents_do_not_pass_and_the_critic_says_why(name: str, spoil: Any) -> None:
    spoilt, kind, seeded = spoil(made(name))

    found = critiques(spoilt, kind)

    assert scored(spoilt).gate is not Gate.PASS
    assert names(found, *seeded), [critique.weaknesses for critique in found.values()]
    assert min(critique.rating for critique in found.values()) <= 2


@pytest.mark.parametrize("spoil", CORRUPTIONS.values(), ids=CORRUPTIONS)
def test_documents_of_another_author_that_were_spoilt_do_not_pass(spoil: Any) -> None:
    spoilt, kind, seeded = spoil(facts_of("bike-sharing"))

    assert scored(spoilt).gate is not Gate.PASS
    assert names(critiques(spoilt, kind), *seeded)


@pytest.mark.parametrize("name", NAMES)
def test_good_documents_of_another_author_pass_and_are_rated_well(name: str) -> None:
    facts = facts_of(name)

    assert (scored(facts).gate, scored(facts).errors) == (Gate.PASS, ())
    for kind in KINDS:
        found = critiques(facts, kind)
        assert min(critique.rating for critique in found.values()) >= 3, (kind, found)


def test_pages_that_somebody_filled_with_nonsense_do_not_pass() -> None:
    facts = made("choir-library")
    files = {
        path: body if "/.content/" in path else _scrambled_page(body.decode()).encode()
        for path, body in files_of(facts).items()
    }

    assert scored(facts, files).gate is not Gate.PASS


def _scrambled_page(text: str) -> str:
    """Every line but the front matter, headings, marks and tables in words that mean nothing."""
    front, mark, body = text.partition("\n---\n")
    kept = ("#", "<!--", "|", "- **", "```")
    lines = [line if line.startswith(kept) else scrambled(line) for line in body.split("\n")]
    return front + mark + "\n".join(lines)


@pytest.mark.long
@pytest.mark.timeout(3600)  # every request of the corpus, spoilt in each way
def test_over_the_whole_corpus_no_spoilt_specification_passes_and_most_faults_are_named() -> None:
    rounds: Counter[bool] = Counter()
    ratings: Counter[int] = Counter()
    kept = []
    for name in REQUESTS:
        facts = made(name)
        for kind in KINDS:
            ratings.update(critique.rating for critique in critiques(facts, kind).values())
        for called, spoil in CORRUPTIONS.items():
            if called == "non-goal as goal" and not facts["discovery"].exclusions:
                continue
            spoilt, kind, seeded = spoil(facts)
            if spoilt[kind] == facts[kind]:  # one requirement, or no criterion: there is nothing to spoil
                continue
            if scored(spoilt).gate is Gate.PASS:
                kept.append((name, called))
            found = critiques(spoilt, kind)
            rounds[names(found, *seeded)] += 1
            ratings.update(critique.rating for critique in found.values())

    assert kept == []
    assert rounds[True] >= 0.8 * rounds.total(), rounds
    assert len(ratings) >= 4, ratings
