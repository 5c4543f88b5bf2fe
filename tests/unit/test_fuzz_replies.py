"""Any output of an agent is read without an exception, in bounded time, into a model that can be stored, or refused."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.fuzzing import ANSWERS, SEEDS, examples, near, printed
from tests.unit.docgen_samples import context, english
from workers.agents.extraction import extract
from workers.agents.programs.process import decode
from workers.agents.replies import Parsed, parse
from workers.documents.content import ArchitectureReview, Brief, Critique
from workers.documents.identifiers import allot
from workers.documents.models import MODELS
from workers.documents.page_form import validate
from workers.documents.render import render

SCHEMAS: dict[str, type[BaseModel]] = {**MODELS, "review": ArchitectureReview, "critique": Critique}


def read(text: str, schema: type[BaseModel]) -> Parsed:
    """What is promised of reading any text at all."""
    parsed = parse(text, schema)
    found = parsed.model if parsed.model is not None else extract(text, schema)
    assert (parsed.model is None) == bool(parsed.error)
    if found is not None:
        stored = json.dumps(found.model_dump(mode="json"), ensure_ascii=False, allow_nan=False)
        assert isinstance(found, schema)
        assert schema.model_validate(json.loads(stored)) == found
        assert "\\u0000" not in stored.replace("\\\\", "")
        stored.encode()
    "".join((parsed.error, *parsed.notes)).encode()
    return parsed


@pytest.mark.parametrize("schema", SCHEMAS)
@examples(50)
@given(random=SEEDS)
def test_an_answer_that_almost_fits_is_read_or_refused(schema: str, random: Random) -> None:
    read(printed(near(SCHEMAS[schema], random, 0.03), random), SCHEMAS[schema])


@pytest.mark.parametrize("schema", SCHEMAS)
@examples(30)
@given(random=SEEDS)
def test_an_answer_that_fits_is_taken_as_it_is(schema: str, random: Random) -> None:
    answer = json.dumps(near(SCHEMAS[schema], random), ensure_ascii=False)

    parsed = read(answer, SCHEMAS[schema])

    storable = json.loads(answer.replace("\\u0000", "\N{REPLACEMENT CHARACTER}"))
    assert parsed.model == (SCHEMAS[schema].model_validate(storable) if storable else None)


@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_of_the_corpus_is_read_or_refused(name: str) -> None:
    for schema in SCHEMAS.values():
        read(decode(ANSWERS[name]).text, schema)


@examples(100)
@given(st.binary(max_size=300), SEEDS)
def test_any_bytes_in_an_answer_are_read_or_refused(data: bytes, random: Random) -> None:
    answer = random.choice(list(ANSWERS.values()))
    at = random.randrange(len(answer) + 1)

    for output in (data, answer[:at] + data + answer[at:]):
        read(decode(output).text, Critique)


@pytest.mark.timeout(60)  # without a limit of their own, each would take minutes
@pytest.mark.parametrize(
    "text", ['{"' + '\\"' * 50_000, "{#rating\\" * 10_000, '{"rating": ' + '"a":True“' * 12_000]
)
def test_what_would_take_the_square_of_its_length_is_given_up(text: str) -> None:
    assert read(text, Critique).model is None


def test_an_answer_no_page_could_hold_is_refused_and_told_why() -> None:
    given = english()["brief"].model_copy(update={"open_questions": ["😀" * 1_900] * 600})

    parsed = read(given.model_dump_json(), MODELS["brief"])

    assert parsed.model is None
    assert "too long" in parsed.error


@pytest.mark.long
def test_the_largest_answer_makes_pages_that_read_back() -> None:
    question = "<" * 1_900  # written as four characters each
    given = english()["brief"].model_copy(update={"open_questions": [question] * 255})
    taken = parse(given.model_dump_json(), MODELS["brief"]).model
    assert isinstance(taken, Brief)
    kept, _ = allot(taken)

    files = render("brief", kept, context({"brief": kept}))

    assert [fault for fault in validate(files, files) if "larger" in fault] == []
