"""Credentials that a change adds, told by the name that they are given to."""

from __future__ import annotations

import time

import pytest

from workers.evidence.added_secrets import added_secrets
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.named_credentials import credential_in

SHORT = "hT7" + "qpz1Lk"  # apart, so that this file holds none
WORDS = "hunter2" + "-prod-9931"
PLAIN = "abcd1234" + "efgh5678ijkl"
RANDOM = "q8Zx2LrWm4Kt" + "Nc7VbYp1JhGd6FsQa9Ue3RoTi5Xz"
SLASHES = "wJalrXUtnFEMI/K7MDENG" + "/bPxRfiCYzQ9kLmNoPq"

REAL = [
    ("a.py", f"password = '{SHORT}'"),
    ("a.py", f'AWS_SECRET_ACCESS_KEY = "{SLASHES}"'),
    ("a.py", f'AWS_SECRET_ACCESS_KEY: str = "{RANDOM}"'),
    ("a.py", f'DB_PASSWORD = "{WORDS}"'),
    ("app.js", f'const config = {{ apiKey: "{PLAIN}" }}'),
    ("Main.java", f'private static final String API_SECRET = "{PLAIN}";'),
    ("conf/app.json", f'{{"refresh_token": "{RANDOM}"}}'),
    ("a.yaml", f"api_key: '{SHORT}'"),
    ("deploy/values.yml", f"  password: {WORDS}  # of the database"),
    (".env", f"STRIPE_API_KEY={PLAIN}"),
    ("config/prod.env", f"export DB_PASSWORD={WORDS}"),
    ("app.properties", f"spring.datasource.password={WORDS}"),
    ("Dockerfile", f"ENV ACCESS_TOKEN {PLAIN}".replace(" ACCESS_TOKEN ", " ACCESS_TOKEN=")),
    ("a.py", f'API_KEY = "key-{RANDOM}"'),
    ("a.py", f'DB_PASSWORD = "test%{RANDOM}$"'),
    ("a.yaml", f"auth-token: prod.{RANDOM}"),
    ("app.js", f'const config = {{ password: "${{DB_PASSWORD}}", apiKey: "{PLAIN}" }}'),
]
NONE = [
    ("a.py", "password = 'your-password1'"),
    ("a.py", "password = settings['db1_password']"),
    ("a.py", "token_path = 'secrets/t1.json'"),
    ("a.py", "password = os.environ['DB1_PASSWORD']"),
    ("a.py", "password = generate(16)"),
    ("a.py", "SECRET = 'app.settings.v1'"),
    ("a.py", f"checksum = '{RANDOM}'"),
    ("a.py", f"password = {PLAIN}"),
    ("a.yaml", "api_key: '${API_KEY_1}'"),
    ("a.yaml", "password: ${DB_PASSWORD}"),
    ("a.yaml", "password: {{ vault_db1_password }}"),
    ("a.yaml", "private_key: /etc/ssl/private/key1.pem"),
    ("a.yaml", "password: {{.Values.Db2Password}}"),
    ("main.tf", 'password = "${var.DbPassword2024}"'),
    ("main.tf", f'password = "${{module.{RANDOM}.value}}"'),
    ("install.md", 'DB_PASSWORD = "ChangeMe12345"'),
    ("install.md", f'DB_PASSWORD = "your-{RANDOM}"'),
    ("install.md", "AWS_SECRET_ACCESS_KEY = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY'"),
    ("a.py", 'ACCESS_TOKEN = "OAuth2AccessToken"'),
    ("a.py", 'API_KEY = "GetApiKeyV2"'),
    ("a.py", f'API_KEY = "https://vault.internal/v1/{RANDOM}"'),
    ("a.py", f'ACCESS_TOKEN = "%({RANDOM})s"'),
    ("a.erb", f'password = "<%=Vault{RANDOM}%>"'),
    ("a.yaml", "private_key: /etc/ssl/MyCompany2024Key.pem"),
    ("a.yaml", f"private_key: /run/secrets/{RANDOM}"),
    ("a.yaml", f"private_key: certs/{RANDOM}.pem"),
    ("a.yaml", f"password: ENC[AES256_GCM,data:{RANDOM}]"),
    ("a.yaml", "password: ${POSTGRES_PASSWORD:-Changeme123}"),
    ("a.yaml", "secret: MyAppSecretV2"),
    ("a.sh", "export API_TOKEN=$(GetToken2Now)"),
    ("a.sh", f"export API_TOKEN=$({RANDOM})"),
    (".env.example", f"DB_PASSWORD={WORDS}"),
    ("config/env.sample.env", f"DB_PASSWORD={WORDS}"),
    ("tests/test_a.py", f"password = '{SHORT}'"),
]


def found(path: str, text: str, before: bytes | None = None) -> list[tuple[str, int, bool]]:
    file = ChangedFile(path, "A" if before is None else "M", before, f"x\n{text}\n".encode(), path)
    findings = added_secrets(Changes([file]))
    for finding in findings:
        assert not any(secret in str(finding.as_json()) for secret in (SHORT, WORDS, PLAIN, RANDOM, SLASHES))
    return [
        (each.rule, each.line, each.blocks) for each in findings if each.rule != "secret:environment_file"
    ]


@pytest.mark.parametrize(("path", "text"), REAL)
def test_a_credential_is_told_by_its_name_and_quoted_masked(path: str, text: str) -> None:
    assert found(path, text) == [("secret:assigned", 2, True)]


@pytest.mark.parametrize(("path", "text"), NONE)
def test_what_only_looks_like_one_is_left_alone(path: str, text: str) -> None:
    assert found(path, text) == []


@pytest.mark.parametrize("piece", [".", "-", "_", "a", " ", "a.", "a-b_", "password.", "password: "])
def test_a_line_takes_time_in_proportion_to_its_length(piece: str) -> None:
    short, long = (_seconds((piece * length)[:length]) for length in (250, 2000))

    assert long < 30 * short  # eight times, were it exact; 64 times in proportion to the square


def _seconds(line: str) -> float:
    """Of this thread alone, whatever else the machine does."""
    taken = []
    for _ in range(5):
        begun = time.thread_time()
        for _ in range(20):
            credential_in("a.yaml", line)
        taken.append(time.thread_time() - begun)
    return min(taken)


def test_one_that_was_there_is_not_added() -> None:
    assert found("a.py", f"password = '{SHORT}'", f"password = '{SHORT}'\n".encode()) == []


def test_each_line_is_told() -> None:
    key = "AKIA" + "Q3EXW7PLMZ5VTR2N"
    text = f'KEY_ID = "{key}"\nAWS_SECRET_ACCESS_KEY = "{RANDOM}"\nDB_PASSWORD = "{WORDS}"'

    assert [line for _, line, _ in found("conf.py", text)] == [2, 3, 4]


@pytest.mark.parametrize(
    ("path", "is_told"),
    [(".env", True), ("web/.env.production", True), (".env.example", False), ("env.py", False)],
)
def test_a_file_of_variables_is_told(path: str, is_told: bool) -> None:
    findings = added_secrets(Changes([ChangedFile(path, "A", None, b"MODE=fast\n", path)]))

    assert [each.rule for each in findings] == (["secret:environment_file"] if is_told else [])
    assert not any(each.blocks for each in findings)
