"""ETags, gzip and what is not sent twice, in process."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.doors.http.conftest import Send

from trivium import config
from trivium.doors.hosting import Hosting

ADDRESSES = [
    "/api/search?q=password",
    "/api/related?id=hashed",
    "/api/nodes/code:auth.py%23hashed",
    "/api/file?path=auth.py",
    "/api/neighbors?id=hashed",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_a_client_has_is_not_sent_again_until_the_index_changes(
    send: Send, folders: list[Path], shops: Hosting, address: str
) -> None:
    tag = send("GET", address).headers["etag"]

    again = send("GET", address, headers={"If-None-Match": f'"other", {tag}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)

    (folders[0] / "new.md").write_text("# New\n\nA password.\n", encoding="utf-8")
    shops.upkeep().sync_now()
    after = send("GET", address, headers={"If-None-Match": tag})
    assert after.status_code == 200
    assert after.headers["etag"] != tag


def test_each_question_has_a_tag_of_its_own(send: Send) -> None:
    tags = {send("GET", address).headers["etag"] for address in ADDRESSES}

    assert len(tags) == len(ADDRESSES)


def test_a_profile_that_a_person_changed_is_another_state(
    send: Send, settings: config.Settings
) -> None:
    tag = send("GET", ADDRESSES[0]).headers["etag"]
    (settings.home / "profiles").mkdir(exist_ok=True)
    (settings.home / "profiles" / "mine.toml").write_text('name = "mine"\n')

    assert send("GET", ADDRESSES[0]).headers["etag"] != tag


def test_a_post_has_no_tag(send: Send) -> None:
    given = send("POST", "/api/search", json={"query": "x"}, headers={"If-None-Match": "*"})

    assert given.status_code == 200
    assert "etag" not in given.headers


def test_a_large_answer_is_zipped_for_who_takes_it(send: Send) -> None:
    packed = send("GET", "/api/profiles", headers={"Accept-Encoding": "gzip"})
    plain = send("GET", "/api/profiles", headers={"Accept-Encoding": "identity"})
    small = send("GET", "/health", headers={"Accept-Encoding": "gzip"})

    assert packed.headers["content-encoding"] == "gzip"
    assert packed.json() == plain.json()
    assert "content-encoding" not in plain.headers
    assert "content-encoding" not in small.headers


def test_an_error_is_never_remembered(send: Send) -> None:
    assert "etag" not in send("GET", "/api/file?path=nowhere").headers
