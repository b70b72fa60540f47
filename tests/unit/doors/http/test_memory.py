"""Notes, tasks and skills over HTTP, in process: written, read, changed, linked and found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.unit.doors.http.conftest import PORT, Send

from trivium.doors.hosting import Hosting
from trivium.doors.http.app import Rules
from trivium.doors.http.guard import Names
from trivium.doors.tokens import Right, Tokens

Post = Callable[..., httpx.Response]
KINDS = ("notes", "tasks", "skills")


@pytest.fixture
def post(send: Send) -> Post:
    return lambda address, **body: send("POST", address, json=body)


def error_of(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["type"]


def ids(response: httpx.Response) -> list[str]:
    assert response.status_code == 200, response.text
    return [one["id"] for one in response.json()["results"]]


def test_a_note_is_written_read_changed_and_removed(
    send: Send, post: Post, get: Send, folders: list[Path]
) -> None:
    made = post("/api/notes", title="Why argon", content="bcrypt cuts.", tags=["security"])

    assert made.status_code == 201
    assert made.headers["location"] == "/api/notes/note%3Awhy-argon"
    assert (made.json()["id"], made.json()["version"]) == ("note:why-argon", 1)
    file = folders[0] / ".trivium" / "notes" / "why-argon.md"
    assert "bcrypt cuts." in file.read_text(encoding="utf-8")

    read = get(made.headers["location"])
    assert read.json() == made.json()
    assert read.headers["etag"] == made.headers["etag"] == '"1"'

    changed = send("PATCH", "/api/notes/why-argon", json={"content": "72 bytes.", "tags": None})
    assert (changed.json()["content"], changed.json()["tags"]) == ("72 bytes.", [])
    assert changed.headers["etag"] == '"2"'

    assert send("DELETE", "/api/notes/why-argon").json() == {
        "id": "note:why-argon",
        "deleted": True,
    }
    assert error_of(get("/api/notes/why-argon")) == (404, "NotFound")
    assert not file.exists()


def test_a_note_of_the_most_characters_is_taken_in_any_script(send: Send, post: Post) -> None:
    longest = "あ" * 1_000_000
    assert post("/api/notes", title="Long", content=longest).status_code == 201
    assert send("PATCH", "/api/notes/long", json={"content": longest[1:]}).status_code == 200

    longer = post("/api/notes", title="Longer", content=longest + "あ")
    assert error_of(longer) == (422, "RequestInvalid")
    assert "at most 1000000 characters" in longer.text


def test_every_field_of_each_kind_goes_in_and_comes_out(post: Post, get: Send) -> None:
    task: dict[str, Any] = {
        "title": "Ship",
        "description": "It.",
        "status": "todo",
        "priority": "high",
        "tags": ["a"],
        "dueDate": "2026-12-24",
        "estimate": 2.5,
        "assignee": "ana",
        "order": 500,
        "epic": "launch",
        "type": "task",
        "links": [{"type": "references", "target": "code:auth.py#hashed"}],
    }
    skill: dict[str, Any] = {
        "title": "Release",
        "description": "How.",
        "steps": ["one", "two"],
        "triggers": ["ship it"],
        "inputHints": ["version"],
        "filePatterns": ["src/*.py"],
        "tags": ["b"],
        "source": "learned",
        "confidence": 0.5,
        "links": [],
    }
    assert post("/api/tasks", title="Launch", type="epic").status_code == 201

    for address, wanted in (("/api/tasks", task), ("/api/skills", skill)):
        made = post(address, **wanted)
        assert made.status_code == 201, made.text
        read = get(f"{address}/{made.json()['slug']}").json()
        assert {key: read[key] for key in wanted} == wanted


@pytest.mark.parametrize("given", ['"1"', "1", 'W/"1"'])
def test_a_change_for_a_version_that_is_gone_is_a_conflict_and_changes_nothing(
    send: Send, post: Post, get: Send, given: str
) -> None:
    post("/api/notes", title="Plan", content="one")
    old = {"If-Match": given}
    first = send("PATCH", "/api/notes/plan", json={"content": "two"}, headers=old)
    second = send("PATCH", "/api/notes/plan", json={"content": "three"}, headers=old)
    removed = send("DELETE", "/api/notes/plan", headers=old)
    linked = send(
        "POST",
        "/api/notes/plan/links",
        json={"type": "references", "target": "code:auth.py#hashed"},
        headers=old,
    )

    assert first.status_code == 200
    for one in (second, removed, linked):
        assert error_of(one) == (409, "VersionConflict")
    read = get("/api/notes/plan").json()
    assert (read["content"], read["version"], read["links"]) == ("two", 2, [])


def test_any_version_may_be_named_and_a_wrong_one_is_refused(send: Send, post: Post) -> None:
    post("/api/notes", title="Plan")

    def change(given: str) -> httpx.Response:
        return send(
            "PATCH", "/api/notes/plan", json={"content": given}, headers={"If-Match": given}
        )

    assert change("*").status_code == 200
    for given in ("x", '"x"', '"1", "2"', "-1", ""):
        assert error_of(change(given)) == (422, "RequestInvalid")


def test_an_edit_by_hand_counts_as_a_version_and_is_not_lost(
    send: Send, post: Post, folders: list[Path]
) -> None:
    post("/api/notes", title="Plan", content="one")
    file = folders[0] / ".trivium" / "notes" / "plan.md"
    file.write_text(file.read_text().replace("one", "by hand"))

    refused = send("PATCH", "/api/notes/plan", json={"content": "two"}, headers={"If-Match": '"1"'})
    written = send("PATCH", "/api/notes/plan", json={"content": "two"})

    assert error_of(refused) == (409, "VersionConflict")
    assert written.json()["version"] == 3
    assert "kept in" in written.json()["problems"][0]
    (copy,) = (folders[0] / ".trivium" / "conflicts").iterdir()
    assert "by hand" in copy.read_text()


@pytest.mark.parametrize("plural", KINDS)
def test_what_was_written_changed_and_removed_is_so_in_the_next_search(
    send: Send, post: Post, get: Send, plural: str
) -> None:
    text = "content" if plural == "notes" else "description"
    made = post(f"/api/{plural}", title="Animals", **{text: "A zebra."}).json()
    place = f"/api/{plural}/{made['slug']}"

    assert ids(get(f"/api/{plural}/search", q="zebra")) == [made["id"]]
    assert ids(get("/api/search", q="zebra")) == [made["id"]]
    send("PATCH", place, json={text: "An okapi."})
    assert ids(get("/api/search", q="zebra")) == []
    assert ids(get(f"/api/{plural}/search", q="okapi")) == [made["id"]]
    send("DELETE", place)
    assert ids(get("/api/search", q="okapi")) == []


def test_a_search_of_one_kind_finds_no_other_and_takes_filters(post: Post, get: Send) -> None:
    post("/api/notes", title="A password")
    post("/api/tasks", title="One password", status="todo")
    post("/api/tasks", title="Two passwords", status="review")

    assert ids(get("/api/notes/search", q="password")) == ["note:a-password"]
    found = get("/api/tasks/search", q="password", filters='{"status": "todo"}')
    assert ids(found) == ["task:one-password"]
    assert error_of(get("/api/notes/search", q="password", kind="code")) == (422, "RequestInvalid")


def test_skills_are_recalled_by_what_is_to_be_done(post: Post, get: Send) -> None:
    post("/api/skills", title="Release", triggers=["someone wants to ship a version"])
    post("/api/skills", title="Bake", triggers=["a cake is wanted"])

    assert ids(get("/api/skills/recall", context="ship the version")) == ["skill:release"]
    assert ids(get("/api/skills/recall", q="ship the version")) == ["skill:release"]
    assert error_of(get("/api/skills/recall")) == (422, "RequestInvalid")
    assert error_of(get("/api/skills/recall", q="ship", context="ship")) == (422, "RequestInvalid")


def test_a_list_is_filtered_sorted_and_paged_and_has_no_texts(post: Post, get: Send) -> None:
    for title, priority in (("One", "low"), ("Two", "critical"), ("Three", "high")):
        post("/api/tasks", title=title, description="long", priority=priority, status="todo")
    post("/api/tasks", title="Four", status="done", tags=["odd"], assignee="ana")
    post("/api/tasks", title="Big", type="epic")

    assert ids(get("/api/tasks", status="todo")) == ["task:two", "task:three", "task:one"]
    assert ids(get("/api/tasks", tag="odd", assignee="ana")) == ["task:four"]
    assert ids(get("/api/tasks", type="epic")) == ["task:big"]
    assert ids(get("/api/tasks", filter="thr")) == ["task:three"]
    page = get("/api/tasks", sort="title", limit=2, offset=1).json()
    assert [one["title"] for one in page["results"]] == ["One", "Three"]
    assert (page["total"], page["limit"], page["offset"]) == (4, 2, 1)
    assert "description" not in page["results"][0]
    assert ids(get("/api/notes")) == []


@pytest.mark.parametrize(
    "params",
    [{"limit": 0}, {"limit": 501}, {"offset": -1}, {"sort": "size"}, {"colour": "red"}],
)
def test_a_list_that_cannot_be_is_refused(get: Send, params: dict[str, Any]) -> None:
    assert error_of(get("/api/tasks", **params)) == (422, "RequestInvalid")


def test_links_lead_both_ways_and_show_when_what_they_lead_to_is_gone(
    send: Send, post: Post, get: Send
) -> None:
    post("/api/notes", title="Why")
    post("/api/tasks", title="Do")
    target = "code:auth.py#hashed"

    made = post("/api/notes/why/links", type="references", target=target)
    post("/api/notes/why/links", type="related_to", target="task:do")

    assert made.json()["links"] == [{"type": "references", "target": target}]
    assert made.headers["etag"] == '"2"'
    assert get("/api/notes/why/links").json()["links"] == [
        {"type": "references", "target": target, "direction": "out", "broken": False},
        {"type": "related_to", "target": "task:do", "direction": "out", "broken": False},
    ]
    (inward,) = get("/api/tasks/do/links").json()["links"]
    assert (inward["source"], inward["direction"]) == ("note:why", "in")
    (row,) = get("/api/notes/linked", target=target).json()["results"]
    assert (row["id"], row["linkType"]) == ("note:why", "references")
    assert ids(get("/api/notes/linked", target=target, type="related_to")) == []
    assert ids(get("/api/tasks/linked", target=target)) == []

    send("DELETE", "/api/tasks/do")
    assert get("/api/notes/why").json()["brokenLinks"] == ["task:do"]
    taken = send("DELETE", "/api/notes/why/links", params={"target": "task:do"})
    assert taken.json()["links"] == [{"type": "references", "target": target}]
    again = send("DELETE", "/api/notes/why/links", params={"target": "task:do"})
    assert error_of(again) == (404, "NotFound")


def test_a_note_comes_beside_the_function_it_is_about(post: Post, get: Send) -> None:
    made = post("/api/notes", title="Decision", content="Since 2026.")
    post("/api/notes/decision/links", type="references", target="code:auth.py#hashed")

    found = get("/api/search", q="hash a password", expand="context")

    hits = ids(found)
    assert hits.index(made.json()["id"]) > hits.index("code:auth.py#hashed")


def test_tasks_are_put_in_order_and_moved(send: Send, post: Post, get: Send) -> None:
    for title in ("One", "Two", "Three"):
        post("/api/tasks", title=title, status="todo")

    put = post("/api/tasks/three/reorder", before="task:one")
    moved = post("/api/tasks/two/reorder", status="done")

    assert put.status_code == moved.status_code == 200
    assert ids(get("/api/tasks", status="todo", sort="order")) == ["task:three", "task:one"]
    assert moved.json()["completedAt"]
    opened = send("PATCH", "/api/tasks/two", json={"status": "todo"})
    assert opened.json()["completedAt"] is None
    assert error_of(post("/api/tasks/one/reorder", before="two", after="three"))[0] == 400
    assert error_of(post("/api/notes/one/reorder"))[0] == 404


def test_many_tasks_change_at_once_or_none(post: Post, get: Send) -> None:
    for title in ("One", "Two"):
        post("/api/tasks", title=title)
    both = ["one", "task:two"]

    assert post("/api/tasks/bulk/move", ids=both, status="done").json() == {"moved": 2}
    assert post("/api/tasks/bulk/priority", ids=both, priority="low").json() == {"updated": 2}
    wrong = post("/api/tasks/bulk/delete", ids=["one", "three"])
    assert error_of(wrong) == (404, "NotFound")
    assert ids(get("/api/tasks", status="done", priority="low")) == ["task:one", "task:two"]
    assert post("/api/tasks/bulk/delete", ids=both).json() == {"deleted": 2}
    assert error_of(post("/api/tasks/bulk/move", ids=[], status="done"))[0] == 422


def test_the_uses_of_a_skill_are_counted(post: Post) -> None:
    post("/api/skills", title="Release")

    used = [post("/api/skills/release/bump").json() for _ in range(2)]

    assert [one["usageCount"] for one in used] == [1, 2]
    assert used[1]["lastUsedAt"]


def test_another_collection_is_written_to_by_its_name(
    send: Send, post: Post, get: Send, folders: list[Path]
) -> None:
    made = post("/api/notes?collection=farm", title="Cows")

    assert (folders[1] / ".trivium" / "notes" / "cows.md").exists()
    assert send("GET", made.headers["location"]).json() == made.json()
    assert error_of(get("/api/notes/cows"))[0] == 404
    assert ids(get("/api/notes/search", q="cows", collection="farm")) == ["note:cows"]
    assert error_of(post("/api/notes?collection=barn", title="x"))[0] == 404
    assert error_of(post("/api/notes", title="x", collection="farm"))[0] == 422
    assert send("DELETE", "/api/notes/cows?collection=farm").status_code == 200


def test_slugs_that_are_addresses_of_ours_are_reached_by_their_ids(post: Post, get: Send) -> None:
    post("/api/notes", title="Search", content="How to look.")

    assert get("/api/notes/note:search").json()["content"] == "How to look."


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({}, 422, "title"),
        ({"title": ""}, 422, "title"),
        ({"title": "x" * 501}, 422, "title"),
        ({"title": "a\x00b"}, 400, "control character"),
        ({"title": "x", "tags": "a"}, 422, "tags"),
        ({"title": "x", "tags": ["a" * 101]}, 422, "tags"),
        ({"title": "x", "content": 3}, 422, "content"),
        ({"title": "x", "colour": "red"}, 422, "Unknown key 'colour'"),
        ({"title": "x", "links": [{"type": "calls", "target": "code:a.py"}]}, 422, "links"),
        ({"title": "x", "links": [{"type": "references", "target": "code:no.py"}]}, 404, "no.py"),
        ({"title": "x", "links": [{"type": "references", "target": "nothing"}]}, 400, "is no id"),
        ({"title": "x", "links": [{"type": "blocks", "target": "note:y"}]}, 400, "link from"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_its_name_and_nothing_is_written(
    post: Post, folders: list[Path], body: dict[str, Any], status: int, said: str
) -> None:
    refused = post("/api/notes", **body)

    assert refused.status_code == status, refused.text
    assert said in refused.json()["error"]["message"]
    assert not list(folders[0].glob(".trivium/notes/*"))


@pytest.mark.parametrize("slug", ["..", "%2e%2e", "a%5Cb", ".hidden", "%00", "x" * 300, "no"])
def test_a_slug_that_is_none_leads_nowhere(send: Send, slug: str) -> None:
    for method in ("GET", "DELETE"):
        assert send(method, f"/api/notes/{slug}").status_code in (400, 404, 405)
    assert send("PATCH", f"/api/notes/{slug}", json={}).status_code in (400, 404, 405)


def test_titles_cannot_lead_out_of_the_folder(post: Post, folders: list[Path]) -> None:
    made = post("/api/notes", title="../../etc/passwd")

    assert made.status_code == 201
    assert [one.name for one in folders[0].glob(".trivium/notes/*")] == [
        f"{made.json()['slug']}.md"
    ]


def test_a_body_that_is_too_large_is_refused(send: Send) -> None:
    content = '{"title": "x", "content": "' + "y" * 5_000_001 + '"}'

    assert error_of(send("POST", "/api/notes", content=content)) == (413, "BodyTooLarge")


def test_subtasks_do_not_lead_in_a_circle(post: Post) -> None:
    post("/api/tasks", title="One")
    post("/api/tasks", title="Two", links=[{"type": "subtask_of", "target": "task:one"}])

    refused = post("/api/tasks/one/links", type="subtask_of", target="task:two")

    assert error_of(refused) == (400, "UsageError")
    assert "circle" in refused.json()["error"]["message"]


def test_files_are_kept_beside_an_item_and_a_browser_runs_nothing_of_them(
    send: Send, post: Post, get: Send, folders: list[Path]
) -> None:
    post("/api/notes", title="Why")
    place = "/api/notes/why/attachments"

    made = send("PUT", f"{place}/page.html", content=b"<script>alert(1)</script>")
    send("PUT", f"{place}/plan.png", content=b"png")

    assert made.status_code == 201
    assert (made.json()["filename"], made.json()["size"]) == ("page.html", 25)
    assert [one["filename"] for one in get(place).json()["results"]] == ["page.html", "plan.png"]
    page = get(f"{place}/page.html")
    assert page.content == b"<script>alert(1)</script>"
    assert page.headers["content-type"] == "application/octet-stream"
    assert page.headers["content-disposition"].startswith("attachment")
    assert (
        page.headers["x-content-type-options"],
        "sandbox" in page.headers["content-security-policy"],
    ) == ("nosniff", True)
    assert get(f"{place}/plan.png").headers["content-type"] == "image/png"

    assert error_of(send("PUT", f"{place}/plan.png", content=b"other")) == (400, "UsageError")
    assert error_of(send("PUT", f"{place}/big", content=b"x" * 10_000_001))[0] == 413
    assert error_of(send("PUT", f"{place}/.hidden", content=b"x"))[0] == 400
    assert error_of(send("PUT", "/api/notes/nobody/attachments/a", content=b"x"))[0] == 404
    assert send("DELETE", f"{place}/page.html").json()["deleted"] is True
    assert error_of(get(f"{place}/page.html"))[0] == 404
    assert [one.name for one in folders[0].glob(".trivium/attachments/*/*/*")] == ["plan.png"]


def test_what_was_written_just_now_can_be_linked_to(post: Post, folders: list[Path]) -> None:
    post("/api/notes", title="Why")
    (folders[0] / "new.py").write_text("def fresh():\n    pass\n", encoding="utf-8")

    linked = post("/api/notes/why/links", type="references", target="code:new.py#fresh")

    assert linked.status_code == 200, linked.text


class TestTokens:
    """With tokens: who may read, and who may write."""

    @pytest.fixture
    def kept(self, tmp_path: Path) -> Tokens:
        return Tokens(tmp_path / "home")

    @pytest.fixture
    def rules(self, kept: Tokens) -> Rules:
        return Rules(Names(PORT), tokens=kept)

    def test_reading_needs_a_token_and_writing_one_that_may_write(
        self, send: Send, kept: Tokens, shops: Hosting
    ) -> None:
        shops.upkeep().collection.notes.create("Plan", "one")
        shops.upkeep().collection.tasks.create("Do")
        shops.upkeep().collection.skills.create("Know")
        token = {right: kept.add(right.word, right) for right in Right}
        writes = [
            ("POST", "/api/notes", {"title": "x"}),
            ("PATCH", "/api/notes/plan", {"content": "two"}),
            ("POST", "/api/notes/plan/links", {"type": "references", "target": "task:do"}),
            ("DELETE", "/api/notes/plan/links?target=task:do", None),
            ("POST", "/api/tasks/do/reorder", {}),
            ("POST", "/api/tasks/bulk/move", {"ids": ["do"], "status": "done"}),
            ("POST", "/api/tasks/bulk/priority", {"ids": ["do"], "priority": "low"}),
            ("POST", "/api/tasks/bulk/delete", {"ids": ["do"]}),
            ("POST", "/api/skills/know/bump", None),
            ("PUT", "/api/notes/plan/attachments/a.txt", None),
            ("DELETE", "/api/notes/plan/attachments/a.txt", None),
            ("DELETE", "/api/notes/plan", None),
        ]
        reads = [
            "/api/notes",
            "/api/notes/plan",
            "/api/notes/plan/links",
            "/api/notes/plan/attachments",
            "/api/notes/search?q=one",
            "/api/notes/linked?target=task:do",
            "/api/skills/recall?context=x",
        ]

        def status(method: str, address: str, body: object, right: Right | None) -> int:
            headers = {} if right is None else {"Authorization": f"Bearer {token[right]}"}
            return send(method, address, json=body, headers=headers).status_code

        for address in reads:
            assert status("GET", address, None, None) == 401
            assert status("GET", address, None, Right.READ) == 200
        for method, address, body in writes:
            assert status(method, address, body, None) == 401
            assert status(method, address, body, Right.READ) == 403
        assert shops.upkeep().collection.notes.get("plan").version == 1
        for method, address, body in writes:
            assert status(method, address, body, Right.WRITE) in (200, 201), address

    def test_who_may_only_read_is_shown_no_secrets(
        self, send: Send, kept: Tokens, shops: Hosting
    ) -> None:
        secret = "ghp_" + "a1B2c3D4e" * 4
        notes = shops.upkeep().collection.notes
        notes.create("Plan", f"Use {secret} there.", tags=[f"t-{secret}"])
        notes.create(f"Key {secret}")
        notes.attach("plan", "log.txt", f"token {secret}\n".encode())
        notes.attach("plan", "map.png", b"\x89PNG\r\n\x00")

        token = {right: kept.add(right.word, right) for right in Right}

        def got(address: str, right: Right) -> httpx.Response:
            return send("GET", address, headers={"Authorization": f"Bearer {token[right]}"})

        for address in ("/api/notes/plan", "/api/notes", "/api/notes/plan/attachments/log.txt"):
            assert secret in got(address, Right.WRITE).text
            assert secret not in got(address, Right.READ).text
        read = got("/api/notes/plan", Right.READ)
        assert read.json()["content"] == "Use [masked:github-token] there."
        assert read.headers["etag"] != got("/api/notes/plan", Right.WRITE).headers["etag"]
        refused = got("/api/notes/plan/attachments/log.txt", Right.READ)
        assert error_of(refused) == (403, "Forbidden")
        assert got("/api/notes/plan/attachments/map.png", Right.READ).status_code == 200
