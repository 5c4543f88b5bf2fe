"""What people type in a line or a mail: lists of parts, polite questions, what stays as it is, and how mails are dressed."""

from __future__ import annotations

import pytest

from workers.builtin.request import analyse_request


def kinds(text: str) -> dict[str, str]:
    """What a request asks for, and as what."""
    return {need.text: need.kind for need in analyse_request(text).needs}


@pytest.mark.parametrize(
    "text",
    [
        "Add voucher codes to the cart: a code has a value, an expiry date, and cannot be combined with another discount",
        "Users complain that emails go to spam since we switched from SendGrid to SES, find out why and fix it",
        "Let users log in with Google instead of passwords",
        "Migrate our Postgres 12 to 16 with less than 10 minutes of downtime, no later than Friday",
        "Add login with Google and GitHub",
        "Build a website with React and Tailwind",
        "Replace the cron jobs with Airflow and Kubernetes",
        "Make the app work with screen readers and keyboards",
        "Build a portal for patients with diabetes",
        "Add users with admin rights and a badge",
        "Create a page with a form and validate input",
        "Add a test with an empty file and one with a symlink",
        "Deal with timeouts and retries",
        "Add a button with a tooltip, find out why the old one broke and fix it",
        "Create a form with validation, no later than Friday",
        "Write a tool that converts CSV, JSON and XML to Parquet",
        "Let users export their data, with a limit of three exports a day",
        "Add rate limiting with 100 requests per minute and per address",
    ],
)
def test_a_line_stays_whole_unless_it_lists_what_a_thing_has(text: str) -> None:
    assert kinds(text) == {text: "functional"}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A todo app with tags, reminders and search by title", ["tags", "reminders", "search by title"]),
        ("Make a game with levels, sound and a high score", ["levels", "sound", "a high score"]),
        ("Write a file manager in Rust with tabs and a preview", ["tabs", "a preview"]),
        (
            "Write a tool that converts CSV to Parquet, validates the schema and prints a summary",
            ["converts CSV to Parquet", "validates the schema", "prints a summary"],
        ),
        (
            "Let our staff merge two records, with a preview and an undo for 24 hours",
            ["a preview", "an undo for 24 hours"],
        ),
    ],
)
def test_a_line_that_lists_nouns_or_deeds_of_a_thing_is_parted(text: str, parts: list[str]) -> None:
    assert [need.text for need in analyse_request(text).needs if need.part] == parts
