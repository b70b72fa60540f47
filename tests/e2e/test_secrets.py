from __future__ import annotations

import gzip
import random
import string
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from trivium import config
from trivium.collection import Collection, open_collection

CHANCE = random.Random(20)  # noqa: S311 - repeatable; the secrets here open nothing
LETTERS = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + "234567"
HARMLESS = "lighthouse"
PIECE = 12


@dataclass(frozen=True)
class Secret:
    """One line that holds a secret, where it stands, and the part nobody may keep."""

    kind: str
    path: str
    line: str
    body: str


def drawn(length: int, letters: str = LETTERS) -> str:
    return "".join(CHANCE.choices(letters, k=length))


def private_key() -> Secret:
    """Put together here: the whole thing in a file would set off every scanner."""
    body = "\n".join(drawn(64, LETTERS + "+/") for _ in range(6))
    rule = "-" * 5
    what = "RSA PRIVATE" + " KEY"
    text = f"{rule}BEGIN {what}{rule}\n{body}\n{rule}END {what}{rule}"
    return Secret("private-key", "keys/notes.md", text, body)


def planted() -> list[Secret]:
    def one(kind: str, path: str, before: str, body: str, after: str = "") -> Secret:
        return Secret(kind, path, before + body + after, body)

    return [
        private_key(),
        one("aws", "deploy.yaml", "aws_key: AK" + "IA", drawn(16, UPPER)),
        one("aws secret", "deploy.yaml", "aws_secret_access_key: ", drawn(40)),
        one("github", "src/client.py", 'TOKEN = "gh' + "p_", drawn(36), '"'),
        one("gitlab", "src/client.py", 'OTHER = "gl' + "pat-", drawn(20), '"'),
        one(
            "slack",
            "bot.js",
            'const slack = "xo' + "xb-",
            f"{drawn(12, string.digits)}-{drawn(24)}",
            '";',
        ),
        one("stripe", "pay.ts", 'export const key = "sk_' + "live_", drawn(24), '";'),
        one("anthropic", "README.md", "Run with `sk-" + "ant-api03-", drawn(93) + "AA", "`."),
        one("google", "main.go", 'var key = "AI' + "za", drawn(35), '"'),
        one("npm", "setup.txt", "//registry/:_authToken=np" + "m_", drawn(36)),
        one("password", "config.yaml", "database_password: ", "Zx9!" + drawn(14)),
        one("url", "config.yaml", "url: postgres://admin:", drawn(20), "@db.example.org/app"),
        one("bearer", "call.md", "Authorization: Bear" + "er ", drawn(40)),
        one("env", ".env", "SESSION_SECRET=", drawn(32)),
        one("env value", ".env", "SMTP_PASS=", drawn(18)),
        one("java", "App.java", '  String apiKey = "', drawn(32), '";'),
        one("rust", "lib.rs", 'const API_TOKEN: &str = "', drawn(32), '";'),
    ]


SECRETS = planted()


def lay_out(files: Path, secrets: list[Secret]) -> None:
    for secret in secrets:
        file = files / secret.path
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as out:
            out.write(secret.line + "\n")
    for path in {secret.path for secret in secrets}:
        if path.endswith((".md", ".txt")):
            with (files / path).open("a", encoding="utf-8") as out:
                out.write(f"\nThe {HARMLESS} stands here.\n")


def opened(tmp_path: Path, *, model: str = "none") -> Collection:
    environment = {
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": model,
    }
    return open_collection(tmp_path / "files", settings=config.load(environ=environment))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    return folder


def every_byte(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield what every file holds, in lower case, unpacked where it is packed."""
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            data = file.read_bytes()
            if data.startswith(b"\x1f\x8b"):
                data = gzip.decompress(data)
            yield file, data.lower()


def pieces(secret: Secret) -> list[bytes]:
    """Return the start and the end of every line of a secret: a page may end inside it."""
    lines = secret.body.lower().encode().splitlines()
    return [piece for line in lines for piece in (line[:PIECE], line[-PIECE:])]


def leaks(folder: Path, secrets: list[Secret]) -> list[tuple[str, str]]:
    return [
        (secret.kind, file.name)
        for file, data in every_byte(folder)
        for secret in secrets
        if any(piece in data for piece in pieces(secret))
    ]


def assert_keeps_no_secret(tmp_path: Path, secrets: list[Secret]) -> None:
    home = tmp_path / "home"
    assert any(HARMLESS.encode() in data for _, data in every_byte(home)), "looked in vain"
    assert leaks(home, secrets) == []


def test_no_byte_of_an_index_holds_a_secret(tmp_path: Path, files: Path) -> None:
    lay_out(files, SECRETS)
    with opened(tmp_path) as collection:
        report = collection.sync()
        assert report.added == len({secret.path for secret in SECRETS})
        # While it is open the write-ahead log is there too.
        assert_keeps_no_secret(tmp_path, SECRETS)
        assert collection.stats().masked >= len(SECRETS)
        assert collection.search(HARMLESS).coverage.masked == collection.stats().masked
        collection.export(tmp_path / "home" / "archive")
    assert_keeps_no_secret(tmp_path, SECRETS)


def test_secrets_that_come_with_an_update_are_masked_and_counted_too(
    tmp_path: Path, files: Path
) -> None:
    first, later = SECRETS[::2], SECRETS[1::2]
    lay_out(files, first)
    with opened(tmp_path) as collection:
        collection.sync()
        before = collection.stats().masked
        lay_out(files, later)
        collection.sync()
        assert collection.stats().masked >= before + len(later)
        (files / first[0].path).unlink()
        collection.sync()
        assert_keeps_no_secret(tmp_path, SECRETS)


def test_no_vector_text_or_cache_holds_a_secret(tmp_path: Path, files: Path) -> None:
    pytest.importorskip("trivium_minilm")
    lay_out(files, SECRETS)
    with opened(tmp_path, model="minilm") as collection:
        collection.sync()
        assert collection.embed() > 0
        assert collection.status().embedded == 1.0
        assert_keeps_no_secret(tmp_path, SECRETS)


def test_a_secret_cannot_be_found_by_its_parts(tmp_path: Path, files: Path) -> None:
    lay_out(files, SECRETS)
    with opened(tmp_path) as collection:
        collection.sync()
        for secret in SECRETS:
            for part in secret.body.replace("-", "\n").splitlines():
                answer = collection.search(f'"{part}"', search_mode="keyword")
                # Where nothing holds the phrase its words are looked for, and the answer says so.
                said = any("nothing holds the phrase" in note for note in answer.notes)
                assert said or answer.results == ()


def test_a_hit_shows_the_mask_in_the_place_of_the_secret(tmp_path: Path, files: Path) -> None:
    lay_out(files, SECRETS)
    with opened(tmp_path) as collection:
        collection.sync()
        for wanted in ("database_password", "aws_key", "TOKEN", "apiKey", "SESSION_SECRET"):
            shown = [collection.get(hit.id).text for hit in collection.search(wanted).results]
            assert any("[masked:" in text for text in shown), wanted
        (hit, *_) = collection.search("database_password").results
        assert "[masked:" in hit.snippet


def test_a_secret_in_utf_16_is_masked(tmp_path: Path, files: Path) -> None:
    secret = SECRETS[3]
    (files / "windows.txt").write_bytes(f"{HARMLESS}\n{secret.line}\n".encode("utf-16"))
    with opened(tmp_path) as collection:
        collection.sync()
        assert collection.stats().masked == 1
    assert_keeps_no_secret(tmp_path, [secret])
    wide = [piece.decode().encode("utf-16-le") for piece in pieces(secret)]
    for _, data in every_byte(tmp_path / "home"):
        assert not any(piece in data for piece in wide)


def test_this_search_for_leaks_can_find_one(files: Path) -> None:
    lay_out(files, SECRETS)
    assert {kind for kind, _ in leaks(files, SECRETS)} == {secret.kind for secret in SECRETS}
