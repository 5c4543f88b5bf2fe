"""A report of a defect asks for what shall hold instead; its defect is no demand, and its steps show it."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain
from workers.builtin import analyse_request
from workers.builtin.defects import turned_round, wanted_parts

CRASH = """Nightly invoice job crashes since we upgraded to 3.12. It worked fine on 3.11. Please fix it so that one bad customer doesn't stop the batch, and log the skipped ones.

Traceback (most recent call last):
  File "/srv/jobs/nightly.py", line 88, in run
    build(customer)
AttributeError: 'NoneType' object has no attribute 'upper'

We have two days until the end of the month run. Don't touch the VAT table itself, finance owns it."""
BLANK = """Checkout page is blank for some customers since yesterday's release (v2.14.0).

Steps to reproduce
1. Put a gift card in the cart
2. Go to checkout
3. White page

Expected: the checkout form is shown.
Actual: white page."""
BYTES = """# Config file with a byte order mark fails to load: TOMLDecodeError: Invalid statement (at line 1, column 1)

## Problem

A configuration file that starts with a byte order mark fails to load.

## Reproduce

```python
Config.load("bom.toml")
```

Also affected: `Report.load()`, which raises `JSONDecodeError: Unexpected UTF-8 BOM`."""


@pytest.mark.parametrize(
    ("defect", "wanted"),
    [
        ("Config file with UTF-8 BOM fails to load", "Config file with UTF-8 BOM must load"),
        ("Nightly invoice job crashes since we upgraded to 3.12", "Nightly invoice job must not crash"),
        ("The app freezes on startup", "The app must not freeze on startup"),
        ("`foo()` raises an IndexError on empty lists", "`foo()` must not raise an IndexError on empty lists"),
        ("Checkout page is blank for some customers", "Checkout page must not be blank for some customers"),
        ("The export doesn't include archived rows", "The export must include archived rows"),
        ("Users cannot log in with SSO", "Users must be able to log in with SSO"),
        ("Dropdown no longer closes", "Dropdown must close"),
        ("Import fails to start: OSError: no space left", "Import must start without this error: OSError: no space left"),
        ("The job must not crash", ""),
        ("If a job fails twice in a row, post to the channel", ""),
        ("Customers can cancel an order", ""),
    ],
)  # fmt: skip
def test_a_defect_is_turned_round(defect: str, wanted: str) -> None:
    assert turned_round(defect) == wanted


def test_what_the_mending_is_for_is_what_is_wanted() -> None:
    assert wanted_parts("Please fix it so that one bad row doesn't stop it, and log the skipped ones.") == [
        "One bad row doesn't stop it",
        "Log the skipped ones.",
    ]
    assert wanted_parts("Fix the export so that it ends.") == []


def test_a_crash_is_no_demand_and_its_deadline_limits_the_work() -> None:
    found = analyse_request(CRASH)

    assert found.title == "Nightly invoice job crashes since we upgraded to 3.12"
    assert [(need.kind, need.text) for need in found.needs] == [
        ("functional", "One bad customer doesn't stop the batch"),
        ("functional", "Log the skipped ones."),
        ("constraint", "We have two days until the end of the month run."),
        ("constraint", "Don't touch the VAT table itself, finance owns it."),
    ]


def test_what_was_expected_is_the_requirement_and_the_steps_its_criterion() -> None:
    found = analyse_request(BLANK)
    requirements = chain(BLANK)["requirements"]

    assert found.title == "Checkout page is blank for some customers since yesterday's release (v2.14.0)"
    assert [item.statement for item in requirements.items] == ["the checkout form is shown."]
    assert requirements.items[0].acceptance_criteria == [
        "After these steps this holds (Put a gift card in the cart; Go to checkout): the checkout form is shown."
    ]


def test_a_report_without_a_wish_has_one_requirement_that_turns_its_defect_round() -> None:
    requirements = chain(BYTES)["requirements"]

    [item] = [item for item in requirements.items if item.source == "stated"]
    assert (item.kind, item.statement) == (
        "functional",
        "Config file with a byte order mark must load without this error: TOMLDecodeError: Invalid statement (at line 1, column 1)",
    )
    assert item.acceptance_criteria == [
        "The code below “Reproduce” runs without this error: TOMLDecodeError: Invalid statement (at line 1, column 1)."
    ]
