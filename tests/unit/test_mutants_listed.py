"""The list of mutants does not rot: each one still has its place in the code, and tests that exist."""

import ast

import pytest

from tests.mutants.listed import ROOT, Mutant, mutants


@pytest.mark.parametrize("mutant", mutants(), ids=lambda mutant: mutant.id)
def test_a_mutant_still_has_its_place_and_its_tests(mutant: Mutant) -> None:
    planted = mutant.planted((ROOT / mutant.file).read_text(encoding="utf-8"))

    ast.parse(planted)
    assert [test for test in mutant.tests if not (ROOT / test.split("::")[0]).is_file()] == []


def test_no_two_mutants_share_a_name() -> None:
    names = [mutant.id for mutant in mutants()]

    assert len(names) == len(set(names)) >= 50
