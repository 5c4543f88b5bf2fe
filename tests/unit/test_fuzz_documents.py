"""Whatever an agent's answers say, the documents made of them have the form that harmless words would have."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given

from tests.fuzzing import SEEDS, TEXTS, examples, near, tame, viewer
from tests.unit.docgen_samples import context, english, register
from workers.documents.identifiers import Registered, allot
from workers.documents.models import MODELS
from workers.documents.page_form import validate
from workers.documents.render import render

VIEWER = viewer()
SAMPLES = register(english())
AROUND = {path for name, found in SAMPLES.items() for path in render(name, found, context(SAMPLES))}


def shape(page: bytes) -> Counter[str]:
    """What a page consists of for a renderer with every extension; a text may have several paragraphs where one is."""
    front, _, body = page.decode().removeprefix("---\n").partition("\n---\n")
    tokens = VIEWER.parse(body)
    inside = [child.type for token in tokens for child in token.children or []]
    counted = Counter(token.type for token in tokens if not token.type.startswith(("paragraph", "inline")))
    counted.update(kind for kind in inside if kind.endswith("_open") or kind in ("image", "html_inline"))
    counted["lines of frontmatter"] = front.count("\n")
    return counted


def files_of(name: str, registered: Registered, title: str) -> dict[str, bytes]:
    return render(name, registered, context({**SAMPLES, name: registered}, title=title, agent=title))


@pytest.mark.parametrize("name", MODELS)
@examples(40)
@given(random=SEEDS)
def test_a_document_of_any_answer_has_the_form_of_a_harmless_one(name: str, random: Random) -> None:
    content = MODELS[name].model_validate(near(MODELS[name], random))
    known = {identifier for other, found in SAMPLES.items() if other != name for identifier in found.ids()}
    kept, _ = allot(content, known=known)
    harmless = Registered(tame(kept.content), files=kept.files)

    made = files_of(name, kept, random.choice(list(TEXTS.values())))
    twin = files_of(name, harmless, "plain")

    assert validate(made, {*made, *AROUND}) == []
    for path in (path for path in made if path.endswith(".md")):
        assert shape(made[path]) == shape(twin[path]), path
