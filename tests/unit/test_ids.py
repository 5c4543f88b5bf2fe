"""Names of sessions and tasks (docs/domain.md, sections 1 and 2; bad input 7)."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.domain import ids
from orchestrator.domain.errors import UnknownName, UsageError

DAY = date(2026, 11, 21)
OWNERS = {"DRAFT": "writer", "DEV": "developer", "DEV-FE": "fe-developer", "IMPROVE": "writer"}


@pytest.mark.parametrize(
    ("key", "base", "stem", "revision"),
    [
        ("DRAFT-002", "DRAFT-002", "DRAFT", 0),
        ("DEV-FE-001", "DEV-FE-001", "DEV-FE", 0),
        ("IMPROVE-depth-001", "IMPROVE-depth-001", "IMPROVE-depth", 0),
        ("DRAFT-002-R1", "DRAFT-002", "DRAFT", 1),
        ("QUALITY-001-R12", "QUALITY-001", "QUALITY", 12),
    ],
)
def test_a_task_key_is_taken_apart(key: str, base: str, stem: str, revision: int) -> None:
    assert ids.parse_key(key) == ids.TaskKey(base, stem, revision)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "draft-001",
        "DRAFT",
        "DRAFT-1",
        "DRAFT-0001",
        "DRAFT-001-R",
        "DRAFT-001-R0",
        "DRAFT-001-r1",
        "../DRAFT-001",
        "DRAFT-001/../x",
        "DRAFT%2f-001",
        "DRAFT'-001",
        'DRAFT"-001',
        "DRAFT-001\n",
        "DRAFT-٠٠١",
        "D" * 300 + "-001",
    ],
)
def test_what_is_no_task_key_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        ids.parse_key(text)

    assert "\n" not in refused.value.what
    assert len(refused.value.what) < 120
    assert not ids.is_key(text)


@pytest.mark.parametrize(
    ("key", "role"),
    [
        ("DRAFT-001", "writer"),
        ("DEV-001", "developer"),
        ("DEV-FE-001", "fe-developer"),
        ("DEV-FE-001-R1", "fe-developer"),
        ("IMPROVE-depth-001", "writer"),
    ],
)
def test_the_role_follows_from_the_longest_known_prefix(key: str, role: str) -> None:
    assert ids.role_of(key, OWNERS) == role


@pytest.mark.parametrize("key", ["NOPE-001", "DRAFTS-001", "DRA-001"])
def test_an_unknown_prefix_lists_the_known_ones(key: str) -> None:
    with pytest.raises(UnknownName) as refused:
        ids.role_of(key, OWNERS)

    assert refused.value.why == "known: DEV, DEV-FE, DRAFT, IMPROVE"


def test_a_revision_of_a_revision_belongs_to_the_original() -> None:
    assert ids.revision_key("DRAFT-002-R1", 2) == "DRAFT-002-R2"


@pytest.mark.parametrize(
    ("request_text", "slug"),
    [
        ("Build a URL shortener!", "build-a-url-shortener"),
        ("做一个短链接服务", "做一个短链接服务"),
        ("Ünïcode  Straße", "ünïcode-straße"),
        ("ＦＵＬＬ width ①", "full-width-1"),
        ("हिन्दी ऐप", "हिन्दी-ऐप"),
        ("../../etc/passwd", "etc-passwd"),
        ("🚀🚀", "session"),
        ("x" * 90, "x" * 40),
        ("one two three four five six seven eight nine", "one-two-three-four-five-six-seven-eight"),
    ],
)
def test_a_slug_keeps_the_letters_of_any_script(request_text: str, slug: str) -> None:
    assert ids.slug(request_text) == slug


@given(st.text(max_size=200))
def test_any_request_gives_a_session_id_that_is_accepted_again(text: str) -> None:
    name = ids.slug(text)

    assert 1 <= len(name) <= 40
    assert ids.check_session_id(ids.session_id(text, DAY, ())) == f"TLS-{name}-2026-11-21"


@pytest.mark.parametrize(
    ("taken", "number"),
    [
        (("", "-2"), "-3"),
        (("-2",), "-3"),
        (("", "-9"), "-10"),
        (("-999999", "-1000000"), "-1000001"),
        (("-" + "9" * 30, "-02", "-x", "-2-2"), ""),
    ],
)
def test_a_taken_session_id_gets_the_number_above_the_highest(taken: tuple[str, ...], number: str) -> None:
    ids_taken = {f"TLS-shop-2026-11-21{each}" for each in taken} | {"TLS-shop-2026-11-22-7"}

    assert ids.session_id("Shop", DAY, ids_taken) == f"TLS-shop-2026-11-21{number}"


@pytest.mark.parametrize("prefix", ["TLS", "UAN", "TC"])
def test_the_mode_gives_the_first_letters(prefix: str) -> None:
    assert ids.session_id("Shop", DAY, (), prefix) == f"{prefix}-shop-2026-11-21"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "TLS-2026-11-21",
        "TLS-../../x-2026-11-21",
        "TLS-a%2fb-2026-11-21",
        "TLS-a'b-2026-11-21",
        "TLS-A-2026-11-21",
        "XYZ-a-2026-11-21",
        "TLS-a-2026-11-21\n",
        "TLS-a--b-2026-11-21",
        "TLS-" + "a" * 300 + "-2026-11-21",
    ],
)
def test_what_is_no_session_id_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        ids.check_session_id(text)
