"""Masking: known secrets in every form, shapes of credentials, and nothing of a document that is none."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from urllib.parse import quote

import pytest

from orchestrator.domain import secrets

DATA = Path(__file__).parents[1] / "data"
SECRET = 'canary/"one"+two==\tüñí 3'


@pytest.mark.parametrize(
    "written",
    [
        SECRET,
        SECRET.replace("\t", " "),
        json.dumps(SECRET),
        json.dumps(SECRET, ensure_ascii=False),
        quote(SECRET),
        quote(SECRET, safe=""),
        SECRET.encode().hex(),
        *(base64.b64encode(b"x" * pad + SECRET.encode() + b"yy").decode() for pad in range(3)),
    ],
)
def test_a_known_secret_is_masked_however_it_is_written(written: str) -> None:
    known = secrets.known({"MY_API_KEY": SECRET})

    masked = secrets.mask(f"before {written} after", known)

    assert secrets.MASK in masked
    assert masked.startswith("before ") and masked.endswith(" after")
    assert "canary" not in masked and "63616e617279" not in masked


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ANTHROPIC_API_KEY", "abcdefgh-1"),
        ("ANTHROPIC_AUTH_TOKEN", "abcdefgh-1"),
        ("AWS_SECRET_ACCESS_KEY", "abcdefgh/1+"),
        ("DB_PASSWORD", "correct horse"),
        ("OUR_SERVICE_LOGIN", "canary-five/+98"),
        ("KEY2", "abcdefgh-1"),
    ],
)
def test_the_value_of_a_variable_with_such_a_name_is_known(name: str, value: str) -> None:
    assert secrets.known({name: value}) == {value}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/home/somebody"),
        ("SSH_AUTH_SOCK", "/run/user/1000/keyring/ssh"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/home/somebody/key.json"),
        ("TOKEN_LIMIT", "1000000000"),
        ("SECRET_BACKEND", "keychain-of-mine"),
        ("API_KEY", "short"),
        ("KEYBOARD", "some-layout-1"),
        ("PWD", "/srv/of/mine"),
    ],
)
def test_what_is_no_secret_is_not_known(name: str, value: str) -> None:
    assert secrets.known({name: value}) == frozenset()


def test_the_password_in_an_address_is_known_and_masked_alone() -> None:
    known = secrets.known({"DATABASE_URL": "postgres://me:p%40ss;w0rd@127.0.0.1/x"})

    assert known == {"p%40ss;w0rd"}
    assert secrets.mask("it is p%40ss;w0rd.", known) == "it is [masked]."


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("use sk-ant-api03-abcDEF0123456789 now", "use [masked] now"),
        ("密钥sk-canary0123456789abcdef。", "密钥[masked]。"),
        ("ghp_canary0123456789abcdefghij", "[masked]"),
        ("Authorization: Bearer canary0123456789", "Authorization: Bearer [masked]"),
        ('{"x-api-key": "canary0123456789"}', '{"x-api-key": "[masked]"}'),
        ("GET /v1?key=AIcanary0123456&alt=sse", "GET /v1?key=[masked]&alt=sse"),
        ("https://me:hunter22@host/x", "https://me:[masked]@host/x"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----!", "[masked]!"),
        ("-----BEGIN PRIVATE KEY-----\nabc cut off", "[masked]"),
    ],
)
def test_a_credential_is_told_by_its_shape(text: str, masked: str) -> None:
    assert secrets.mask(text) == masked
    assert secrets.mask(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer <token>",
        "Authorization: Bearer YOUR_ACCESS_TOKEN",
        "GET /links?token=<token>&page=2",
        "postgres://user:{password}@host/db",
        "a risk-management-plan for 2026",
        "the token bucket refills 100 tokens in 60 s",
        "sk-learn-pipelines-and-more",
        "the primary key is id; the sort key is created_at",
    ],
)
def test_what_a_document_may_say_stays(text: str) -> None:
    assert secrets.mask(text) == text


def test_no_text_of_the_corpus_is_changed_but_the_credential() -> None:
    paths = [path for path in sorted(DATA.rglob("*")) if path.is_file()]
    texts = {path.name: path.read_bytes().decode("utf-8", "replace") for path in paths}

    assert [name for name, text in texts.items() if secrets.mask(text) != text] == ["40-credential"]


def test_a_plain_word_as_a_secret_is_masked_as_a_word_only() -> None:
    known = secrets.known({"DB_PASSWORD": "database"})

    assert secrets.mask("database, databases, a_database", known) == "[masked], databases, a_database"


def test_plain_values_keep_their_form_and_are_counted() -> None:
    value = {"a": ["sk-canary0123456789abcdef", 1, None, (True, "b")], "sk-canary0123456789abcdef": 2.5}

    assert secrets.mask_all(value) == {"a": ["[masked]", 1, None, (True, "b")], "[masked]": 2.5}
    assert secrets.counted("x sk-canary0123456789abcdef hush-hush", frozenset({"hush-hush"}))[1] == {
        "token": 1,
        "known": 1,
    }
