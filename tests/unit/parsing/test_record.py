from __future__ import annotations

import hashlib
import json
import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trivium.parsing.detect import FileType
from trivium.parsing.record import record
from trivium.parsing.records.row import MOST_ROWS
from trivium.types import Document, Edge, EdgeType, Kind, Node, Parsed

LANGUAGES = {
    "json": "json",
    "jsonl": "jsonl",
    "csv": "csv",
    "tsv": "csv",
    "yaml": "yaml",
    "toml": "toml",
}


def read(path: str, text: str) -> Parsed:
    language = LANGUAGES[path.rpartition(".")[2]]
    return record(Document(path, text), FileType(Kind.FILE, language, "record"))


def records(path: str, text: str) -> list[Node]:
    return [node for node in read(path, text).nodes if node.kind is Kind.RECORD]


def only(path: str, text: str) -> Node:
    (node,) = records(path, text)
    return node


def slices(text: str, node: Node) -> list[str]:
    return [text[own.start : own.end] for own in node.own]


def texts(path: str, text: str) -> list[str]:
    return [text[node.span.start : node.span.end] for node in records(path, text)]


def ids(path: str, text: str) -> list[str]:
    return [node.id.partition("#")[2] for node in records(path, text)]


def hashed(fields: object) -> str:
    content = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()[:8]


def assert_is_one_file(path: str, text: str, *, failure: str = "") -> None:
    parsed = read(path, text)

    assert [(node.id, node.kind, node.type) for node in parsed.nodes] == [
        (f"file:{path}", Kind.FILE, "file")
    ]
    assert parsed.failure == failure


def assert_well_formed(document: Document, parsed: Parsed) -> None:
    text = document.text
    known = [node.id for node in parsed.nodes]
    assert len(set(known)) == len(known)
    assert parsed.edges == tuple(Edge(known[0], one, EdgeType.CONTAINS) for one in known[1:])
    at = 0
    for start, end in sorted((one.start, one.end) for node in parsed.nodes for one in node.own):
        assert at <= start < end <= len(text)
        assert not text[at:start].strip()
        at = end
    assert not text[at:].strip()
    for node in parsed.nodes:
        assert node.name
        assert len(node.description) <= 300
        assert len(node.metadata) <= 200
        assert 1 <= node.source.start_line <= node.source.end_line
        # What is stored must be text that a database takes.
        json.dumps([node.id, node.name, node.description, node.tags, node.domain]).encode()
        f"{node.id}{node.name}{node.description}{node.tags}{dict(node.metadata)}".encode()
        for value in node.metadata.values():
            assert isinstance(value, str | int | float | bool | tuple)
            assert not isinstance(value, float) or math.isfinite(value)
            assert not isinstance(value, str) or len(value) <= 2000


class TestJsonLines:
    def test_each_line_that_is_an_object_is_a_record_and_the_rest_is_the_files(self) -> None:
        text = '{"id": 7, "title": "Seven"}\nnot json\n\n[1]\n  {"id": 8, "title": "Eight"}  \n'
        parsed = read("data/a.jsonl", text)
        file, seven, eight = parsed.nodes

        assert file.id == "file:data/a.jsonl"
        assert (file.kind, file.type, file.name) == (Kind.FILE, "file", "a.jsonl")
        assert slices(text, file) == ["not json\n\n[1]"]
        assert file.metadata == {"records": 2, "fields": ("id", "title")}
        assert (seven.id, eight.id) == ("record:data/a.jsonl#7", "record:data/a.jsonl#8")
        assert (seven.kind, seven.type, seven.name) == (Kind.RECORD, "record", "Seven")
        assert slices(text, eight) == ['{"id": 8, "title": "Eight"}']
        assert (eight.source.start_line, eight.source.end_line) == (5, 5)
        assert (seven.domain, seven.language) == ("data", "jsonl")
        assert parsed.failure == ""

    def test_a_text_without_one_object_has_failed(self) -> None:
        assert_is_one_file(
            "a.jsonl", "one\ntwo\n", failure="jsonl: none of 2 lines is a JSON object"
        )

    def test_an_empty_file_has_not_failed(self) -> None:
        assert_is_one_file("a.jsonl", "\n\n")

    def test_what_is_past_the_most_records_stays_text_of_the_file(self) -> None:
        text = '{"a":1}\n' * (MOST_ROWS + 2)
        parsed = read("a.jsonl", text)

        assert len(parsed.nodes) == 1 + MOST_ROWS
        assert slices(text, parsed.nodes[0]) == ['{"a":1}\n{"a":1}']


class TestJson:
    def test_a_list_of_objects_gives_its_elements_with_the_comma_behind_them(self) -> None:
        text = '[\n  {"id": "a"},\n  {"id": "b"}\n]\n'

        assert texts("a.json", text) == ['{"id": "a"},', '{"id": "b"}']
        assert slices(text, read("a.json", text).nodes[0]) == ["[", "]"]
        assert ids("a.json", text) == ["a", "b"]

    @pytest.mark.parametrize(
        "text",
        [
            '{"version": 1, "people": [{"id": 1}, {"id": 2}]}',
            '{"names": ["a"], "people": [{"id": 1}, {"id": 2}], "next": null}',
            '{"data": [{"id": 1}, {"id": 2}], "meta": {"page": 1}}',
            '{"took": 3, "errors": [{"x": 1}], "Results": [{"id": 1}, {"id": 2}]}',
            '{"id": 1}\n{"id": 2}\n',
        ],
    )
    def test_an_envelope_around_one_list_is_opened(self, text: str) -> None:
        assert ids("a.json", text) == ["1", "2"]

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "3",
            "[]",
            "[1, 2]",
            '[{"a": 1}, 2]',
            '{"a": 1}',
            '{"name": "pkg", "scripts": {"x": "y"}, "people": [{"id": 1}]}',
            '{"a": [{"id": 1}], "b": [{"id": 2}]}',
            '[{"a": 1},]',
            '[{"a": 1} {"a": 2}]',
            '[{"a": 1}] x',
            '{"data": [{"a": 1}]',
            '{"a": 1}\n{"a": 2}\nx',
            "[" * 100_000,
            '[{"a":' * 50_000,
            '{"data":[{"a":' * 50_000,
            "[" * 5_000 + "]" * 5_000,
            '[{"a": 1' + "0" * 5_000 + "}]",
        ],
    )
    def test_everything_else_stays_one_file(self, text: str) -> None:
        assert_is_one_file("a.json", text)

    def test_an_object_too_deep_to_be_hashed_is_still_a_record(self) -> None:
        deep = '{"a":' * 300 + "1" + "}" * 300

        assert len(records("a.json", f"[{deep}]")) == 1


class TestIds:
    def test_an_id_that_two_records_share_is_no_id(self) -> None:
        text = '{"id": 1, "a": 1}\n{"id": 1, "a": 2}\n{"id": 2, "a": 3}\n'

        assert ids("a.jsonl", text) == [hashed({"id": 1, "a": 1}), hashed({"id": 1, "a": 2}), "2"]

    def test_the_hash_does_not_depend_on_the_order_of_the_fields(self) -> None:
        assert ids("a.jsonl", '{"a":1,"b":2}') == ids("a.jsonl", '{ "b": 2, "a": 1 }')

    def test_equal_records_are_counted(self) -> None:
        one = hashed({"a": 1})

        assert ids("a.jsonl", '{"a":1}\n' * 3) == [one, f"{one}~2", f"{one}~3"]

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ('{"_id": {"$oid": "5f1"}}', "5f1"),
            ('{"ID": "  a \\n b "}', "a b"),
            ('{"uuid": "u", "key": "k"}', "u"),
            ('{"id": "", "key": "k"}', "k"),
            ('{"properties": {"id": 9}}', "9"),
            ('{"id": "\\ud800"}', "\ufffd"),
        ],
    )
    def test_fields_that_are_ids(self, fields: str, expected: str) -> None:
        assert ids("a.jsonl", fields) == [expected]

    @pytest.mark.parametrize("value", ["true", "null", "[1]", '{"a": 1}', f'"{"x" * 201}"'])
    def test_values_that_are_no_ids(self, value: str) -> None:
        assert ids("a.jsonl", f'{{"id": {value}}}') == [hashed({"id": json.loads(value)})]

    def test_a_first_field_that_ends_in_id_is_one_if_it_tells_all_records_apart(self) -> None:
        assert ids("a.csv", "order_id,city\n1,Rome\n2,Rome\n") == ["1", "2"]
        assert ids("a.csv", "orderId,city\n1,Rome\n2,Rome\n") == ["1", "2"]
        shared = ids("a.csv", "order_id,city\n1,Rome\n1,Oslo\n2,Rome\n")
        assert shared[2] == hashed({"order_id": 2, "city": "Rome"})
        later = ids("a.csv", "city,order_id\nRome,1\nOslo,2\n")
        assert later[0] == hashed({"city": "Rome", "order_id": 1})


class TestLabels:
    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({"title": "T", "name": "N"}, "N"),
            ({"name": " ", "Title": "T"}, "T"),
            ({"display_name": "D"}, "D"),
            ({"displayName": "D"}, "D"),
            ({"name": 1984}, "1984"),
            ({"name": "x" * 200}, "x" * 100),
            ({"properties": {"name": "Paris"}, "type": "Feature"}, "Paris"),
            ({"at": "2024-01-01T10:00:00Z", "url": "https://a.b/c", "city": "Oslo"}, "Oslo"),
            ({"uuid": "id-word", "n": 3}, "id-word"),
        ],
    )
    def test_the_name_is_the_first_field_that_is_one(
        self, fields: dict[str, object], expected: str
    ) -> None:
        assert only("a.jsonl", json.dumps(fields)).name == expected

    def test_a_record_without_words_is_called_by_its_id(self) -> None:
        assert only("a.jsonl", '{"id": 3, "n": 4}').name == "3"

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({"title": "T", "body": "First.\n\nSecond."}, "First."),
            ({"description": "", "text": "t"}, "t"),
            ({"city": "Oslo", "n": 3, "ok": True}, "city: Oslo; n: 3; ok: true"),
            ({"a": {"b": [1, "x"]}}, "a.b: 1, x"),
        ],
    )
    def test_the_description_is_a_text_or_the_fields(
        self, fields: dict[str, object], expected: str
    ) -> None:
        assert only("a.jsonl", json.dumps(fields)).description == expected

    @pytest.mark.parametrize(
        "tags",
        [["a", "b", "a", None], "a, b", [{"name": "a"}, {"title": "b"}], [" a ", "b", ""]],
    )
    def test_tags_are_lists_texts_or_objects_with_names(self, tags: object) -> None:
        assert only("a.jsonl", json.dumps({"Tags": tags})).tags == ("a", "b")

    def test_the_domain_is_its_own_before_the_folders(self) -> None:
        assert only("shop/a.jsonl", '{"category": "toys", "type": "x"}').domain == "toys"
        assert only("shop/a.jsonl", '{"type": "x"}').domain == "shop"


class TestFields:
    def test_fields_are_dotted_and_keep_their_types(self) -> None:
        fields = {
            "s": "x", "i": 3, "f": 0.5, "b": False, "n": None, "e": "", "o": {"p": {"q": 1}},
            "l": ["a", 1, True, None], "m": [{"k": 1}, {"k": 2}], "none": {}, "empty": [],
        }  # fmt: skip

        assert only("a.jsonl", json.dumps(fields)).metadata == {
            "s": "x", "i": 3, "f": 0.5, "b": False, "e": "", "o.p.q": 1,
            "l": ("a", "1", "true"), "m.0.k": 1, "m.1.k": 2,
        }  # fmt: skip

    def test_there_are_only_so_many_so_long_and_so_deep(self) -> None:
        many = {f"f{n}": n for n in range(300)}
        assert list(only("a.jsonl", json.dumps(many)).metadata) == [f"f{n}" for n in range(200)]
        assert only("a.jsonl", json.dumps({"a": "x" * 3000})).metadata == {"a": "x" * 2000}
        listed = only("a.jsonl", json.dumps({"a": [{"b": n} for n in range(20)]})).metadata
        assert list(listed) == [f"a.{n}.b" for n in range(10)]
        deep = '{"x":1,"a":' + '{"a":' * 40 + "1" + "}" * 41
        assert only("a.jsonl", deep).metadata == {"x": 1}

    def test_what_no_store_could_keep_is_replaced(self) -> None:
        text = '{"a\\u0000": "x\\ud800\\u0000y", "n": NaN, "i": Infinity, "big": 1' + "0" * 30 + "}"

        assert only("a.jsonl", text).metadata == {
            "a\ufffd": "x\ufffd\ufffdy",
            "n": "nan",
            "i": "inf",
            "big": "1" + "0" * 30,
        }


class TestDelimited:
    def test_rows_below_the_header_are_records(self) -> None:
        text = "name,age\nAnn,7\nBob,42\n"
        ann, bob = records("a.csv", text)

        assert slices(text, read("a.csv", text).nodes[0]) == ["name,age"]
        assert (ann.name, bob.name) == ("Ann", "Bob")
        assert bob.metadata == {"name": "Bob", "age": 42}
        assert bob.description == "name: Bob; age: 42"
        assert (bob.source.start_line, bob.source.end_line) == (3, 3)

    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_the_delimiter_is_found(self, delimiter: str) -> None:
        text = "name,age,town\nA. x,1,B\nC y,2,D\n".replace(",", delimiter)

        assert [node.metadata["age"] for node in records("a.csv", text)] == [1, 2]

    def test_commas_of_numbers_do_not_beat_the_semicolons_of_the_header(self) -> None:
        assert only("a.csv", "x;y\n1,5;2,5\n").metadata == {"x": "1,5", "y": "2,5"}

    def test_in_a_tsv_file_tabs_win(self) -> None:
        text = "a,b,c\td\n1,2,3\t4\n"

        assert only("a.tsv", text).metadata == {"a,b,c": "1,2,3", "d": 4}

    def test_quotes_hold_delimiters_newlines_and_quotes(self) -> None:
        text = 'name,note\n"Ann, B.","two\nlines and ""quotes"""\nBob, "x, y" \n'
        ann, bob = records("a.csv", text)

        assert ann.metadata == {"name": "Ann, B.", "note": 'two\nlines and "quotes"'}
        assert (ann.source.start_line, ann.source.end_line) == (2, 3)
        assert bob.metadata == {"name": "Bob", "note": "x, y"}

    def test_a_quote_that_never_closes_is_a_character(self) -> None:
        text = 'size,note\n5,"6 inch\n7,"b"\n8,c\n'

        assert [node.metadata["note"] for node in records("a.csv", text)] == ['"6 inch', "b", "c"]

    def test_short_and_long_rows_are_kept(self) -> None:
        text = "name,age\nAnn\nBob,42,x,y\nCid,1\n,,\nDan,2\nEva,3\n"

        assert [dict(node.metadata) for node in records("a.csv", text)] == [
            {"name": "Ann"},
            {"name": "Bob", "age": 42, "column_3": "x", "column_4": "y"},
            {"name": "Cid", "age": 1},
            {"name": "Dan", "age": 2},
            {"name": "Eva", "age": 3},
        ]

    def test_what_stands_above_the_table_is_the_files(self) -> None:
        text = "# made by hand\nReport\n\nname,age\nAnn,7\nBob,8\nCid,9\n"

        assert slices(text, read("a.csv", text).nodes[0]) == ["# made by hand\nReport\n\nname,age"]

    def test_comments_between_rows_are_the_files(self) -> None:
        text = "name,age\nAnn,7\n# the others\nBob,8\n"

        assert slices(text, read("a.csv", text).nodes[0]) == ["name,age", "# the others"]

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("1,2\n3,4\n", {"column_1": 1, "column_2": 2}),
            ("a@b.de,x\nc@d.de,y\n", {"column_1": "a@b.de", "column_2": "x"}),
            ("2024-01-02,x\n2024-01-03,y\n", {"column_1": "2024-01-02", "column_2": "x"}),
            ("yes,yes\nno,yes\n", {"column_1": "yes", "column_2": "yes"}),
        ],
    )
    def test_a_first_row_of_values_is_a_record(
        self, text: str, expected: dict[str, object]
    ) -> None:
        assert dict(records("a.csv", text)[0].metadata) == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("land,1990,1991\nPeru,3,4\nMali,5,6\n", {"land": "Peru", "1990": 3, "1991": 4}),
            ("name,score,score\nAnn,1,2\n", {"name": "Ann", "score": 1, "score~2": 2}),
            (",name\n0,Ann\n1,Bob\n", {"column_1": 0, "name": "Ann"}),
        ],
    )
    def test_odd_headers_are_headers(self, text: str, expected: dict[str, object]) -> None:
        assert dict(records("a.csv", text)[0].metadata) == expected

    def test_numbers_are_those_that_are_written_the_same_way(self) -> None:
        text = "a,b,c,d,e,f\n7,007,1.5,1.50,-3,1e5\n"

        assert list(only("a.csv", text).metadata.values()) == [7, "007", 1.5, "1.50", -3, "1e5"]

    @pytest.mark.parametrize("text", ["", "\n", "name\nAnn\nBob\n", "name,age\n", "One. Two, x.\n"])
    def test_text_in_one_column_or_row_is_no_table(self, text: str) -> None:
        assert_is_one_file("a.csv", text)


class TestYaml:
    def test_the_mappings_of_a_list_are_records_with_the_comments_above_them(self) -> None:
        text = "# all\n\n# one\n- name: A\n  n: 1\n\n# two\n-\n  name: B\n  t: |\n    # in\n# end\n"

        assert texts("a.yaml", text) == [
            "# one\n- name: A\n  n: 1",
            "# two\n-\n  name: B\n  t: |\n    # in",
        ]
        assert slices(text, read("a.yaml", text).nodes[0]) == ["# all", "# end"]
        assert records("a.yaml", text)[0].metadata == {"name": "A", "n": 1}

    def test_an_indented_list_and_one_in_brackets_are_read_alike(self) -> None:
        for text in ("---\n  - a: 1\n  - a: 2\n", "[{a: 1}, {a: 2}]"):
            assert [dict(node.metadata) for node in records("a.yaml", text)] == [{"a": 1}, {"a": 2}]
        assert texts("a.yaml", "[{a: 1}, {a: 2}]") == ["{a: 1},", "{a: 2}"]

    def test_several_documents_are_records_with_their_separators(self) -> None:
        text = "kind: A\nname: a\n---\n# b\nkind: B\nname: b\n...\n---\n---\nkind: C\n"

        assert texts("a.yaml", text) == [
            "kind: A\nname: a",
            "---\n# b\nkind: B\nname: b",
            "---\nkind: C",
        ]

    def test_scalars_mean_what_they_say_and_no_more(self) -> None:
        text = (
            "- {i: 3, f: 1.5, t: true, no: no, n: ~, s: '3', d: 2024-01-01, o: 010, e: 1e3, x: !b 3"
        )
        text += "}"

        assert only("a.yaml", text).metadata == {
            "i": 3, "f": 1.5, "t": True, "no": "no", "s": "3", "d": "2024-01-01", "o": "010",
            "e": 1000.0, "x": "3",
        }  # fmt: skip

    def test_aliases_and_merges_are_followed(self) -> None:
        text = "- &base\n  id: 1\n  size: 2\n- id: 2\n  <<: *base\n- id: 3\n  of: *base\n- *base\n"

        assert [dict(node.metadata) for node in records("a.yaml", text)] == [
            {"id": 1, "size": 2},
            {"size": 2, "id": 2},
            {"id": 3, "of.id": 1, "of.size": 2},
        ]
        assert slices(text, read("a.yaml", text).nodes[0]) == ["- *base"]

    def test_aliases_of_aliases_do_not_blow_up(self) -> None:
        lists = [f"  k{n}: &k{n} [{','.join([f'*k{n - 1}'] * 9)}]\n" for n in range(1, 40)]
        text = "- k0: &k0 {a: x}\n" + "".join(lists) + "- b: *k39\n" * 1000

        assert len(records("a.yaml", text)) == 1001

    def test_without_the_library_in_c_long_texts_stay_files(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delattr("yaml.CSafeLoader")

        assert only("a.yaml", "- a: é\n  b: [1, x]\n").metadata == {"a": "é", "b": ("1", "x")}
        assert_is_one_file("a.yaml", "- a: 1\n" * 30_000)

    def test_an_alias_of_itself_is_nothing(self) -> None:
        assert only("a.yaml", "- &a\n  x: 1\n  self: *a\n").metadata == {"x": 1}

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "a: 1\n",
            "---\na: 1\n",
            "# c\n---\na:\n  - b: 1\n",
            "- a\n- b\n",
            "- a: 1\n- b\n",
            "- [{a: 1}]\n",
            "- a: 1\n b\n",
            "- a: [\n",
            "a\n---\nb\n",
            "[" * 100_000,
            "- " * 100_000,
            "- a: " + "{" * 100_000,
            "- a: \x01\n",
            "- !!python/object/apply:os.system [ls]\n",
        ],
    )
    def test_everything_else_stays_one_file(self, text: str) -> None:
        assert_is_one_file("a.yaml", text)


class TestToml:
    def test_tables_of_arrays_are_records_with_what_stands_below_and_above_them(self) -> None:
        text = (
            'v = 1\n\n# about a\n[[x]]\nname = "a"\n[x.more]\nd = 2024-05-06\n'
            'q = """\n[[x]]\n"""\n\n[[x]]\nname = "b" # [[x]]\n[["y z"]]\nn = 1\n'
        )
        a, b, y = records("a.toml", text)

        assert slices(text, read("a.toml", text).nodes[0]) == ["v = 1"]
        assert texts("a.toml", text)[0].startswith("# about a\n[[x]]")
        assert texts("a.toml", text)[1:] == [
            '[[x]]\nname = "b" # [[x]]',
            '[["y z"]]\nn = 1',
        ]
        assert a.metadata == {"name": "a", "more.d": "2024-05-06", "more.q": "[[x]]\n"}
        assert (b.metadata, y.metadata) == ({"name": "b"}, {"n": 1})

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "a = 1\n",
            "[project]\nname = 'x'\n[[tool.x]]\na = 1\n",
            "[[x]]\na = 1\n[y]\nb = 2\n",
            "x = [{a = 1}]\n",
            "[[x]]\na = \n",
            "x = [\n[[1]],\n]\n",
            "[[x]]\na = " + "[" * 100_000,
            "[[x]]\n" + "a." * 100_000,
            "[[x]]\n" + '"a".' * 100_000,
            "[[x]]\na = 1" + "0" * 5000,
        ],
    )
    def test_everything_else_stays_one_file(self, text: str) -> None:
        assert_is_one_file("a.toml", text)

    def test_a_number_too_long_to_be_written_is_left_out(self) -> None:
        assert only("a.toml", "[[x]]\nb = 1\na = 0x" + "f" * 5000).metadata == {"b": 1}


PIECES = st.sampled_from(
    ['{"a":1}', '{"id":"x"}', '{"a":{"b":[1,{"c":null}]}}', '"\\ud800"', "[", "]", "{", "}", ",",
     ":", ";", "|", "\t", "\n", "\n\n", '"', '""', "'", '"""', "'''", "\\", "#", "# c\n", "- ",
     "- a: 1\n", "  b: 2\n", "- &a\n", "*a", "<<: *a\n", "!t ", "---\n", "...\n", "%Y\n", "? ",
     "|\n  x\n", ">\n", "a: ", "a,b\n", "1,2\n", "name,age\n", "x;y\n", '"q,\nr"', "[[x]]\n",
     "[[x.y]]\n", "[x.z]\n", "[t]\n", "a = 1\n", 'b = "x"\n', "c.d = 2024-01-01\n", "é", "日本",
     "😀", "\x00", "\r", "\u2028", "\x85", "\ufeff", " ", "true", "1e999", "-0", "data", "~"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=100)
EXTENSIONS = st.sampled_from(sorted(LANGUAGES))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)
OBJECTS = st.lists(st.dictionaries(st.text(max_size=4), JSON, min_size=1), min_size=1, max_size=5)


@settings(max_examples=500, deadline=None)
@given(extension=EXTENSIONS, text=TEXTS)
@example(extension="yaml", text="- a: 1\n- *a\n- b: 2")
@example(extension="yaml", text="- \u2028a: 1\n\x85- b: 2\n")
@example(extension="csv", text='"a\n"a\n"a,b\n1,2')
def test_any_text_is_covered_once_and_nothing_is_raised(extension: str, text: str) -> None:
    document = Document(f"d/a.{extension}", text)
    parsed = read(document.path, text)

    assert_well_formed(document, parsed)
    assert read(document.path, text) == parsed


@settings(max_examples=150, deadline=None)
@given(objects=OBJECTS, indent=st.sampled_from([None, 2]), is_wrapped=st.booleans())
def test_every_object_of_a_json_list_is_a_record(
    objects: list[dict[str, object]], indent: int | None, is_wrapped: bool
) -> None:
    text = json.dumps({"data": objects, "n": 1} if is_wrapped else objects, indent=indent)
    found = records("a.json", text)

    assert_well_formed(Document("a.json", text), read("a.json", text))
    assert [json.dumps(json.loads(_element(text, node))) for node in found] == [
        json.dumps(one) for one in objects
    ]


def _element(text: str, node: Node) -> str:
    return text[node.span.start : node.span.end].rstrip().removesuffix(",")


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(
        st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=4), min_size=3,
                 max_size=3).filter(lambda row: any(one.strip() for one in row)),
        min_size=2, max_size=6,
    ),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
)  # fmt: skip
def test_every_row_of_a_quoted_table_is_a_record(rows: list[list[str]], delimiter: str) -> None:
    quoted = [delimiter.join('"' + one.replace('"', '""') + '"' for one in row) for row in rows]
    text = "\n".join(["first,second,third".replace(",", delimiter), *quoted])

    assert [[*node.metadata.values()] for node in records("a.csv", text)] == [
        [_as_number(one) for one in row if one] for row in rows
    ]


def _as_number(cell: str) -> object:
    for type_ in (int, float):
        try:
            if str(type_(cell)) == cell and cell.isascii() and cell[-1].isdigit():
                return type_(cell)
        except ValueError:
            continue
    return cell


STARTS = {
    "json": ("", "[", '[{"a": 1},', '{"data": ['),
    "jsonl": ("", '{"a": 1}\n'),
    "csv": ("", "a,b\n1,2\n"),
    "tsv": ("a\tb\n1\t2\n",),
    "yaml": ("", "- a: 1\n  b: ", "a: 1\n---\n"),
    "toml": ("", "[[x]]\n", "[[x]]\na = "),
}


@pytest.mark.parametrize("extension", sorted(LANGUAGES))
@pytest.mark.parametrize(
    "piece",
    ["[", "{", '"', '""', ',"', "- ", "#", "# \n", "a.", "\n", ",", '"a".', "[[a]]\n", "---\n",
     "- a: 1\n#\n", '{"a":', "- &a [*a]\n", "'", "\u2028", "1"],
)  # fmt: skip
def test_much_of_one_pattern_is_covered_once(extension: str, piece: str) -> None:
    for start in STARTS[extension]:
        text = start + piece * (200_000 // len(piece))

        assert_well_formed(Document(f"a.{extension}", text), read(f"a.{extension}", text))
