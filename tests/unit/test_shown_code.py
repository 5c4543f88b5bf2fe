"""Code that a request points to is its material, and is counted where the request says how many there are."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import ask, chain
from workers.builtin import analyse_request
from workers.documents.fates import book

CRON = """Move our cron jobs from the old machine to hosted runners. There are {many} of them, see crontab below. Secrets must not be in the repository.

```
# backups
0 2 * * * /opt/jobs/backup_db.sh
*/15 * * * * /opt/jobs/sync_stock.py --warehouse leeds

30 6 * * 1 /opt/jobs/weekly_report.sh
```
"""
HOOKS = """# Sign the webhooks

## Problem

Consumers have no way to verify who sent a payload.

## Proposed change

Sign the payloads with HMAC-SHA256 and a secret of each webhook.

## Acceptance criteria

- Payloads include a header with the signature
- Documentation updated with an example
- The suite covers rejected calls
"""


def test_code_that_the_request_points_to_is_evidence() -> None:
    request = CRON.format(many=3)

    found = analyse_request(request)
    booked = book(request, ask("discovery", request=request, language="en", codebase=None))

    assert any("backup_db.sh; */15" in text for text in found.situation)
    assert found.questions == ()
    assert [entry.taken_as for entry in booked.ledger.entries if entry.kind == "code"] == [("evidence",)]


@pytest.mark.parametrize("many", ["14", "two"])
def test_another_number_than_what_is_shown_is_asked_about(many: str) -> None:
    found = analyse_request(CRON.format(many=many))

    assert found.questions == (
        f"The request says “There are {many} of them, see crontab below.”, and what it shows has 3 lines: which of both is right?",
    )


def test_code_that_nothing_points_to_is_skipped() -> None:
    request = CRON.format(many=3).replace(", see crontab below", "")
    booked = book(request, ask("discovery", request=request, language="en", codebase=None))

    assert [entry.reason for entry in booked.ledger.entries if entry.kind == "code"] == ["code"]


def test_all_criteria_belong_to_the_only_requirement() -> None:
    [item] = [one for one in chain(HOOKS)["requirements"].items if one.source == "stated"]
    booked = book(HOOKS, ask("discovery", request=HOOKS, language="en", codebase=None))

    assert item.acceptance_criteria == [
        "Payloads include a header with the signature",
        "Documentation updated with an example",
        "The suite covers rejected calls",
    ]
    assert {row.parent for row in booked.discovery.acceptance} == {"R-001"}
