"""What people type in a line or a mail: lists of parts, polite questions, what stays as it is, and how mails are dressed."""

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain
from workers.builtin.clauses import first_modal
from workers.builtin.request import analyse_request
from workers.builtin.requirements import names_limit
from workers.builtin.short_names import infinitive
from workers.documents.lexicon import lexicon, lexicon_of
from workers.documents.technologies import technologies


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


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        (
            "Could you look into letting scanners stay logged in for a whole shift?",
            "look into letting scanners stay logged in for a whole shift",
        ),
        ("Hey, quick one: can we get the weekly report as a PDF too?", "get the weekly report as a PDF too"),
        ("Could we please have a dark mode?", "a dark mode"),
        ("Is it possible to export the list as CSV?", "export the list as CSV"),
        ("Any chance you could sort the table by date?", "sort the table by date"),
        ("Hi Tom, would you mind adding a search box?", "adding a search box"),
        ("The list has 20k rows, can you add pagination?", "add pagination"),
        (
            "The search is really slow, can you make it faster?",
            "The search is really slow, can you make it faster",
        ),
        (
            "Quick request from finance: could the monthly statement show VAT per country?",
            "could the monthly statement show VAT per country",
        ),
        ("Könntet ihr bitte einen Export als CSV einbauen?", "einen Export als CSV einbauen"),
        ("Pourriez-vous ajouter un export CSV ?", "ajouter un export CSV"),
        ("能不能把报表导出成 PDF？", "把报表导出成 PDF"),
        ("可以加一个夜间模式吗？", "加一个夜间模式"),
    ],
)
def test_a_polite_question_is_a_wish_that_must_be_kept(text: str, wish: str) -> None:
    found = analyse_request(text)

    assert [(need.text, need.moscow, need.quote) for need in found.needs] == [(wish, "Must", text)]
    assert not found.questions


@pytest.mark.parametrize(
    "text",
    [
        "Should guests see it?",
        "Can we use the existing database?",
        "Can you tell me whether guests can book?",
        "Can we have a call tomorrow?",
        "Would it be possible to talk about this next week?",
        "Is it possible that the cache is stale?",
        "Would you rather keep the old login?",
        "Könnt ihr mir sagen, wer das entscheidet?",
        "Pourriez-vous me dire qui décide ?",
        "游客可以看到价格吗？",
    ],
)
def test_what_somebody_wants_to_know_stays_a_question(text: str) -> None:
    found = analyse_request(f"Build a shop for seeds. {text}")

    assert found.questions == (text,)
    assert text.rstrip(" ?？") not in {need.text for need in found.needs}


def test_a_polite_question_gives_the_title_without_its_courtesies() -> None:
    assert analyse_request("Hi, could you please add pagination to the users list?").title == (
        "add pagination to the users list"
    )


def test_latin_letters_behind_chinese_ones_are_read() -> None:
    assert analyse_request('一一AAA"AA').language == "zh"


@pytest.mark.parametrize(
    ("said", "kind", "priority"),
    [
        ("Normal browsers should keep the 15 minutes, security won't budge on that.", "functional", "Must"),
        ("No need to change the schedule (Mondays at 7).", "constraint", "Must"),
        ("Don't touch the VAT table itself, finance owns it.", "constraint", "Must"),
        ("Keep the API as it is.", "constraint", "Must"),
        ("Die Preisliste bitte nicht anfassen.", "constraint", "Must"),
        ("It won't handle payments in the first version.", "exclusion", "Won't"),
        ("No need to build an app.", "exclusion", "Won't"),
    ],
)
def test_what_has_to_stay_as_it_is_limits_the_work_and_is_no_part_left_out(
    said: str, kind: str, priority: str
) -> None:
    needs = analyse_request(f"Add a PDF export to the report. {said}").needs

    assert [(need.kind, need.moscow) for need in needs if need.text == said] == [(kind, priority)]


def test_what_the_work_has_to_do_without_is_a_limit_and_no_technology_of_it() -> None:
    found = analyse_request("Must:\n- run as one container, no Kubernetes\n- store everything in SQLite\n")

    assert {need.text: need.kind for need in found.needs} == {
        "run as one container": "functional",
        "no Kubernetes": "constraint",
        "store everything in SQLite": "functional",
    }
    assert found.technologies == (("SQLite", "storage"),)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("It must not run on AWS or Azure; GCP is fine", ["GCP"]),
        ("Use React instead of Vue", ["React"]),
        ("Don't use Docker, use Podman", ["Podman"]),
        ("Not only PostgreSQL but Redis", ["PostgreSQL", "Redis"]),
        ("ohne Docker, mit Flutter", ["Flutter"]),
        ("不要用 MySQL，用 PostgreSQL", ["PostgreSQL"]),
        ("Constraints: Go 1.22, no Redis", ["Go"]),
        ("We switched from SendGrid to Mailgun", ["Mailgun"]),
        ("Go 15 steps back", []),
    ],
)
def test_technologies_are_those_that_a_text_does_not_refuse(text: str, named: list[str]) -> None:
    assert [name for name, _ in technologies(text)] == named


def test_limits_behind_a_label_are_one_each() -> None:
    text = "We want a cache for npm packages.\n\nConstraints: Go 1.22, one person, three weeks."

    limits = [need for need in analyse_request(text).needs if need.kind == "constraint"]

    assert [need.text for need in limits] == ["Go 1.22", "one person", "three weeks"]
    assert all(map(names_limit, limits))


def test_a_thing_that_shows_something_is_wanted_as_it_is_called() -> None:
    assert infinitive("a page that shows hit rate per team", lexicon("en"), acting=False) == ""
    assert infinitive("the page that lists teams shows their hit rate", lexicon("en"), acting=False) == (
        "the page that lists teams to show their hit rate"
    )


MAIL = """Hi Priya,

following up on Tuesday's call with the warehouse people in Leeds. They're still printing pick lists because our app logs them
out every 15 minutes.

Could you look into letting scanners stay logged in for a whole shift, as long as the device is one we've enrolled? Also if a
scanner gets lost, a shift lead needs to be able to kick it out.

It would be great to have it before peak starts on 2 November.

I'm on holiday from Thursday, ask Tom if anything is unclear.

Thanks!
Marek
--
Marek Nowak | Operations | +44 113 496 0000
"""


def test_what_a_mail_is_dressed_in_is_none_of_what_it_asks_for() -> None:
    found = analyse_request(MAIL)

    assert found.title == "Look into letting scanners stay logged in for a whole shift"
    assert [(need.kind, need.text) for need in found.needs] == [
        (
            "functional",
            "look into letting scanners stay logged in for a whole shift, as long as the device is one we've enrolled",
        ),
        ("functional", "If a scanner gets lost, a shift lead needs to be able to kick it out."),
        ("constraint", "It would be great to have it before peak starts on 2 November."),
    ]
    assert found.situation == (
        "They're still printing pick lists because our app logs them out every 15 minutes.",
    )
    assert found.needs[1].clause.actions == ("kick it out",)
    assert found.needs[1].clause.conditions == ("If a scanner gets lost",)
    assert names_limit(found.needs[2])


@pytest.mark.parametrize(
    "said",
    [
        "We need it by Friday.",
        "Everything should be live before Christmas.",
        "Ideally this is ready in two weeks.",
        "Could we have this done by the end of March?",
        "Needed by 2 November.",
        "Must be in place before the audit on 15 June.",
    ],
)
def test_by_when_the_whole_is_wanted_is_a_limit(said: str) -> None:
    found = analyse_request(f"Add paging to the list. {said}")

    assert [need.text for need in found.needs if need.kind == "constraint" and names_limit(need)] == [said]


@pytest.mark.parametrize(
    "said", ["It should be sorted by date.", "Following up on a lead sends it a reminder."]
)
def test_what_a_thing_does_is_no_date_and_no_courtesy(said: str) -> None:
    found = analyse_request(f"Add paging to the list. {said}")

    assert ("functional", said) in [(need.kind, need.text) for need in found.needs]


def test_the_line_below_a_title_is_no_signature() -> None:
    assert (
        analyse_request("Seed shop\n--\nBuild a shop for seeds.\n").needs[0].text == "Build a shop for seeds."
    )


def test_who_signs_below_a_farewell_is_no_part_of_the_problem() -> None:
    foot = "Best regards,\nJana Kowalski\nCoordinator, Food Bank Nord\n"
    found = analyse_request(
        f"Hello team,\n\nPlease add a list of crates.\n\nMark will answer questions.\n\n{foot}"
    )

    assert [need.text for need in found.needs] == ["Please add a list of crates."]
    assert not found.situation


def test_an_order_that_names_a_value_to_reach_is_asked_for_as_well() -> None:
    text = "Replace moment.js with date-fns, bundle size must drop below 300 kB"
    found = analyse_request(text)

    assert [goal.target for goal in found.goals] == ["below 300 kB"]
    assert [need.text for need in found.needs] == [text]


BOATS = """Hi Ruth,

as promised here's what I have in mind, sorry it is so long.

So: I want a small site where rowers book boats themselves.

- rowers book one or two boats, max two boats per day
- when a boat is out they can go on a waiting list
- But coaches (Lea and Tim) need a page that they can print

That one is a must, the caretaker asks for it every day. And maybe later lockers, but not in the first version.
"""


def test_sentences_of_a_mail_are_read_without_what_ties_them_to_one_another() -> None:
    read = analyse_request(BOATS)

    assert [(need.text, need.moscow) for need in read.needs] == [
        ("I want a small site where rowers book boats themselves.", "Must"),
        ("rowers book one or two boats, max two boats per day", "Must"),
        ("when a boat is out they can go on a waiting list", "Must"),
        ("Coaches (Lea and Tim) need a page that they can print", "Must"),
        ("Maybe later lockers, but not in the first version.", "Won't"),
    ]
    assert "That one is a must, the caretaker asks for it every day." in read.situation


def test_people_that_a_pronoun_stands_for_want_what_it_says_and_a_must_is_a_noun_behind_its_article() -> None:
    facts = chain(BOATS)

    items = facts["requirements"].items
    assert items[2].user_story is not None
    assert (items[2].user_story.as_a, items[2].user_story.i_want) == ("rower", "to go on a waiting list")
    assert items[2].acceptance_criteria == [
        "Given the system, when a boat is out, then they go on a waiting list."
    ]
    assert facts["brief"].vision.text == "A small site where rowers book boats themselves"
    assert first_modal("This is a must for us", lexicon_of("This is a must for us")) is None


PROSE = """Hi Ole,

following our talk on Monday, here is roughly what we are after. We run a small sailing school.

Every morning the helpers look at a paper list, and half of the time it is gone.

What we picture is a page where guests pick a boat for a day. When they arrive they type the code of the mail into the
tablet and the host gets a ping. I think a big green button would do for saying that a boat is back. I'd want each boat
to have a page with its repairs. Maybe one day photos.
"""


def test_behaviour_that_a_mail_tells_in_prose_is_asked_for() -> None:
    read = analyse_request(PROSE)

    assert [(need.text, need.moscow) for need in read.needs] == [
        ("a page where guests pick a boat for a day", "Must"),
        (
            "When they arrive they type the code of the mail into the tablet and the host gets a ping.",
            "Must",
        ),
        ("I think a big green button would do for saying that a boat is back.", "Must"),
        ("I'd want each boat to have a page with its repairs.", "Must"),
        ("Maybe one day photos.", "Won't"),
    ]
    assert read.situation == (
        "We run a small sailing school.",
        "Every morning the helpers look at a paper list, and half of the time it is gone.",
    )


@pytest.mark.parametrize(
    "told",
    [
        "They complain every week.",
        "They often forget their name.",
        "He still keeps the list at home.",
        "I think a new trainer was here.",
    ],
)
def test_what_people_do_today_is_not_asked_for(told: str) -> None:
    read = analyse_request(
        f"We need a page where guests pick a boat. {told}\n\nIt must be free. It must print a list."
    )

    assert told in read.situation


@pytest.mark.parametrize(
    ("said", "title", "wanted"),
    [
        (
            "I need a list of boats at the end of the month",
            "A list of boats at the end of the month",
            "a list of boats at the end of the month",
        ),
        (
            "We would love to see which boats are idle",
            "See which boats are idle",
            "to see which boats are idle",
        ),
        (
            "I think a big green button would do for saying that a boat is back",
            "A big green button for saying that a boat is back",
            "a big green button for saying that a boat is back",
        ),
        (
            "Would be nice: a reminder the day before the trip",
            "A reminder the day before the trip",
            "a reminder the day before the trip",
        ),
        (
            "I'd want each boat to have a page",
            "Each boat to have a page",
            "each boat to have a page",
        ),
    ],
)
def test_wish_is_told_without_who_says_it(said: str, title: str, wanted: str) -> None:
    facts = chain(f"# Boats\n\n## Requirements\n\n- Guests must pick a boat.\n- {said}\n")

    (item,) = (item for item in facts["requirements"].items if item.statement == said)
    assert item.user_story is not None
    assert (item.title, item.user_story.i_want) == (title, wanted)


@pytest.mark.parametrize(
    ("line", "title", "wanted"),
    [
        (
            "Please add a night view to the settings page, guests keep complaining about headaches.",
            "Please add a night view to the settings page, guests keep complaining about headaches",
            "to add a night view to the settings page, guests keep complaining about headaches",
        ),
        (
            "The boat list cuts off the last row when a name has a comma.",
            "The boat list cuts off the last row when a name has a comma",
            "this: the boat list cuts off the last row when a name has a comma",
        ),
        (
            "I need a waiting list for our school so that parents stop calling me.",
            "A waiting list for our school so that parents stop calling me",
            "a waiting list for our school",
        ),
        (
            "Login fails with an error when the password has an umlaut.",
            "Login fails with an error when the password has an umlaut",
            "this to be fixed: login fails with an error when the password has an umlaut",
        ),
        (
            "Size sync is mandatory for all items of a set.",
            "Size sync is mandatory for all items of a set",
            "size sync to be mandatory for all items of a set",
        ),
    ],
)
def test_line_of_one_wish_is_told_whole_and_as_a_sentence(line: str, title: str, wanted: str) -> None:
    item = chain(line)["requirements"].items[0]

    assert item.user_story is not None
    assert (item.title, item.user_story.i_want) == (title, wanted)


def test_thing_that_somebody_else_would_like_does_not_name_the_whole() -> None:
    read = analyse_request(
        "Here is what the desk needs to know.\n\nJonas wants a monthly list of repairs, but that is nice to have.\n\n"
        "If a repair is dearer than 80 euros, the customer has to say yes. They must get a text when it is ready.\n"
    )
    items = {item.statement: item.title for item in chain(read.text)["requirements"].items}

    assert read.title != "Monthly list of repairs"
    assert items["If a repair is dearer than 80 euros, the customer has to say yes."].startswith(
        "If a repair"
    )


def test_line_that_asks_for_a_thing_with_a_limit_asks_for_a_function() -> None:
    (need,) = analyse_request(
        "I need a planner for our crew so that the chief sees in 10 seconds who is on call"
    ).needs

    assert (need.kind, need.category) == ("functional", "")
