from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from trivium.errors import UsageError
from trivium.evaluation.datasets import (
    Judged,
    Record,
    RepositoryQuery,
    Target,
    load,
    load_judged,
    load_repositories,
    read_records,
)

CORPUS: Sequence[object] = (
    {"_id": "d1", "title": "One", "text": "first", "lang": "go", "scope": "go", "path": "a.go"},
    {"_id": 2, "text": "zwölf", "votes": 3},
)
QUERIES: Sequence[object] = (
    {"_id": "q1", "text": "first?", "scope": "go"},
    {"_id": "q2", "text": "second?", "kind": "short"},
    {"_id": "q3", "text": "in another split"},
)
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\t2\t0\nq2\t2\t1\n"


def lines(values: Sequence[object]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def beir(
    folder: Path,
    *,
    corpus: str = lines(CORPUS),
    queries: str = lines(QUERIES),
    qrels: str = QRELS,
) -> Path:
    root = folder / "tiny"
    (root / "qrels").mkdir(parents=True)
    (root / "corpus.jsonl").write_text(corpus, encoding="utf-8")
    (root / "queries.jsonl").write_text(queries, encoding="utf-8")
    (root / "qrels" / "test.tsv").write_text(qrels, encoding="utf-8")
    return root


def complaint(path: Path, *, split: str = "test") -> str:
    with pytest.raises(UsageError) as caught:
        load(path, split=split)
    return str(caught.value)


def test_a_beir_folder_becomes_documents_and_the_queries_of_one_split(tmp_path: Path) -> None:
    dataset = load(beir(tmp_path), split="test")
    assert (dataset.name, dataset.split) == ("tiny", "test")
    assert dataset.documents == (
        Record("d1", "One", "first", language="go", path="a.go", scope="go"),
        Record("2", "", "zwölf"),
    )
    assert dataset.queries == (
        Judged("q1", "first?", {"d1": 2.0, "2": 0.0}, group="go", within="go"),
        Judged("q2", "second?", {"2": 1.0}, group="short"),
    )


def test_gzipped_files_read_like_plain_ones(tmp_path: Path) -> None:
    root = beir(tmp_path)
    plain = load(root, split="test")
    for stem in ("corpus", "queries"):
        file = root / f"{stem}.jsonl"
        (root / f"{stem}.jsonl.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    assert load(root, split="test") == plain


def test_windows_line_ends_a_byte_order_mark_and_blank_lines_do_no_harm(tmp_path: Path) -> None:
    plain = load(beir(tmp_path / "plain"), split="test")
    root = beir(tmp_path / "windows")
    for file in (root / "corpus.jsonl", root / "queries.jsonl", root / "qrels" / "test.tsv"):
        text = file.read_text(encoding="utf-8").replace("\n", "\r\n") + "\r\n"
        file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert load(root, split="test") == plain


def test_a_line_separator_inside_a_text_does_not_end_the_line(tmp_path: Path) -> None:
    corpus = json.dumps({"_id": "d1", "text": "a\u2028b\x85c"}, ensure_ascii=False) + "\n"
    (only,) = read_records(beir(tmp_path, corpus=corpus))
    assert only.text == "a\u2028b\x85c"


def test_documents_are_read_one_at_a_time(tmp_path: Path) -> None:
    records = read_records(beir(tmp_path, corpus=lines(CORPUS[:1]) + "not json"))
    assert next(records).id == "d1"
    with pytest.raises(UsageError, match="line 2"):
        next(records)


def test_a_query_without_anything_relevant_is_left_out(tmp_path: Path) -> None:
    qrels = QRELS + "q3\td1\t0\n"
    assert [one.id for one in load(beir(tmp_path, qrels=qrels), split="test").queries] == [
        "q1",
        "q2",
    ]


def test_the_values_cannot_be_changed(tmp_path: Path) -> None:
    query = load(beir(tmp_path), split="test").queries[0]
    with pytest.raises(FrozenInstanceError):
        query.text = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        query.relevant["d1"] = 0.0  # type: ignore[index]


def test_an_unknown_split_is_told_with_those_there_are(tmp_path: Path) -> None:
    root = beir(tmp_path)
    assert complaint(root, split="dev") == f"{root}: no split 'dev'; there are: test"


def test_a_split_in_which_nothing_is_relevant_is_told(tmp_path: Path) -> None:
    root = beir(tmp_path, qrels="query-id\tcorpus-id\tscore\nq1\td1\t0\n")
    assert complaint(root) == f"{root}: no query of the split 'test' has a relevant document"


@pytest.mark.parametrize("stem", ["corpus", "queries"])
def test_a_missing_file_is_told(tmp_path: Path, stem: str) -> None:
    root = beir(tmp_path)
    (root / f"{stem}.jsonl").unlink()
    assert complaint(root) == f"{root}: neither {stem}.jsonl.gz nor {stem}.jsonl is there"


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('{"title": "t", "text": "x"}', '"_id" is missing'),
        ('{"_id": "d9"}', '"text" is missing'),
        ('{"_id": "d9", "text": 5}', '"text" must be text'),
        ('{"_id": true, "text": "x"}', '"_id" must be text'),
        ('{"_id": "d1", "text": "x"}', "\"_id\" 'd1' comes twice"),
        ('["d9"]', "must be a JSON object"),
    ],
)
def test_a_bad_document_is_told_with_file_line_and_key(
    tmp_path: Path, bad: str, reason: str
) -> None:
    root = beir(tmp_path, corpus=lines(CORPUS) + bad)
    assert complaint(root) == f"{root / 'corpus.jsonl'}, line 3: {reason}"


def test_a_query_that_comes_twice_is_told(tmp_path: Path) -> None:
    root = beir(tmp_path, queries=lines(QUERIES) + lines(QUERIES[:1]))
    assert complaint(root) == f"{root / 'queries.jsonl'}, line 4: \"_id\" 'q1' comes twice"


@pytest.mark.parametrize(
    ("qrels", "reason"),
    [
        ("q1\td1\t1\n", "line 1: is not the header query-id corpus-id score with tabs"),
        (QRELS + "q1\td1\n", 'line 5: "score" is missing'),
        (QRELS + "q1\td1\thigh\n", "line 5: \"score\" must be a number, not 'high'"),
        (QRELS + "q1\td1\tnan\n", "line 5: \"score\" must be a number, not 'nan'"),
    ],
)
def test_bad_judgements_are_told_with_file_line_and_key(
    tmp_path: Path, qrels: str, reason: str
) -> None:
    root = beir(tmp_path, qrels=qrels)
    assert complaint(root) == f"{root / 'qrels' / 'test.tsv'}, {reason}"


def test_a_judgement_of_an_unknown_query_is_told(tmp_path: Path) -> None:
    root = beir(tmp_path, qrels=QRELS + "q9\td1\t1\n")
    queries, qrels = root / "queries.jsonl", root / "qrels" / "test.tsv"
    assert complaint(root) == f"{qrels}: \"query-id\" 'q9' is not in {queries}"


def test_bytes_that_are_not_utf8_are_told_with_their_line(tmp_path: Path) -> None:
    root = beir(tmp_path)
    file = root / "corpus.jsonl"
    file.write_bytes(file.read_bytes() + b'{"_id": "\xff"}\n')
    assert complaint(root).startswith(f"{file}, line 3: is not UTF-8")


def test_a_cut_off_gzip_file_is_told(tmp_path: Path) -> None:
    root = beir(tmp_path)
    file = root / "corpus.jsonl.gz"
    file.write_bytes(gzip.compress(lines(CORPUS).encode())[:-12])
    assert "is not whole gzip" in complaint(root)
    file.write_bytes(b"plain text")
    assert complaint(root).startswith(f"{file}, after line 0: is not whole gzip")


ANNOTATIONS: Sequence[object] = (
    {
        "query": "parse",
        "relevant": ["src/parse.py"],
        "secondary": [{"path": "src/deep/tree.py", "start_line": 3, "end_line": 9}],
        "category": "symbol",
    },
    {"query": "main", "relevant": [{"path": "main.py"}]},
)


def benchmark(
    folder: Path, *, annotations: object = ANNOTATIONS, inside: str | None = "src"
) -> Path:
    root = folder / "bench"
    (root / "annotations").mkdir(parents=True)
    entries = [
        {"name": "tool", "language": "python", "revision": "abc", "benchmark_root": inside},
        {"name": "gone", "language": "go", "revision": "def"},
    ]
    (root / "repos.json").write_text(json.dumps(entries), encoding="utf-8")
    (root / "annotations" / "tool.json").write_text(json.dumps(annotations), encoding="utf-8")
    return root


def checkout(folder: Path) -> Path:
    for name in ("main.py", "src/main.py", "src/parse.py", "src/deep/tree.py"):
        file = folder / "repos" / "tool" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return folder / "repos"


def test_targets_are_named_from_the_folder_that_is_indexed(tmp_path: Path) -> None:
    repositories = checkout(tmp_path)
    loaded = load_repositories(benchmark(tmp_path), repositories=repositories)
    (task,) = loaded.tasks
    assert (loaded.name, loaded.missing) == ("bench", ("gone",))
    assert (task.name, task.language, task.revision) == ("tool", "python", "abc")
    assert task.root == repositories / "tool" / "src"
    first = (Target("parse.py"), Target("deep/tree.py", lines=(3, 9)))
    assert task.queries == (
        RepositoryQuery("tool-1", "parse", first, group="symbol"),
        # main.py at the top lies outside the folder, so src/main.py is meant.
        RepositoryQuery("tool-2", "main", (Target("main.py"),)),
    )
    assert task.absent == ()


def test_without_a_folder_to_index_the_whole_repository_is(tmp_path: Path) -> None:
    repositories = checkout(tmp_path)
    (task,) = load_repositories(benchmark(tmp_path, inside=None), repositories=repositories).tasks
    assert task.root == repositories / "tool"
    assert task.queries[0].targets[0] == Target("src/parse.py")


def test_targets_that_are_not_in_the_folder_are_kept_and_listed(tmp_path: Path) -> None:
    annotations = [{"query": "old", "relevant": ["src/removed.py", "src/parse.py"]}]
    root = benchmark(tmp_path, annotations=annotations)
    (task,) = load_repositories(root, repositories=checkout(tmp_path)).tasks
    assert task.absent == ("src/removed.py",)
    assert task.queries[0].targets == (Target("src/removed.py"), Target("parse.py"))


def test_a_folder_with_none_of_the_repositories_is_told(tmp_path: Path) -> None:
    root = benchmark(tmp_path)
    with pytest.raises(UsageError, match="none of the repositories"):
        load_repositories(root, repositories=tmp_path)


def test_a_folder_to_index_that_is_not_there_is_told(tmp_path: Path) -> None:
    root = benchmark(tmp_path, inside="lib")
    with pytest.raises(UsageError, match=r"repos\.json, entry 1: \"benchmark_root\" 'lib'"):
        load_repositories(root, repositories=checkout(tmp_path))


@pytest.mark.parametrize(
    ("annotations", "reason"),
    [
        ({"query": "x"}, ": must be a JSON list of objects"),
        (["x"], ", entry 1: must be a JSON object"),
        ([{"relevant": ["src/parse.py"]}], ', entry 1: "query" is missing'),
        ([{"query": "x"}], ', entry 1: "relevant" is missing or empty'),
        ([{"query": "x", "relevant": [5]}], ', entry 1: "relevant" must hold paths'),
        (
            [{"query": "x", "relevant": [{"start_line": 1, "end_line": 2}]}],
            ', entry 1, in "relevant": "path" is missing',
        ),
        (
            [{"query": "x", "relevant": [{"path": "p", "start_line": 1}]}],
            ', entry 1, in "relevant": "start_line" and "end_line" must be whole numbers',
        ),
    ],
)
def test_bad_annotations_are_told_with_file_entry_and_key(
    tmp_path: Path, annotations: object, reason: str
) -> None:
    root = benchmark(tmp_path, annotations=annotations)
    with pytest.raises(UsageError) as caught:
        load_repositories(root, repositories=checkout(tmp_path))
    assert str(caught.value).startswith(f"{root / 'annotations' / 'tool.json'}{reason}")


def test_a_missing_or_broken_json_file_is_told(tmp_path: Path) -> None:
    root = benchmark(tmp_path)
    (root / "annotations" / "tool.json").unlink()
    with pytest.raises(UsageError, match=r"tool\.json: cannot be read"):
        load_repositories(root, repositories=checkout(tmp_path))
    (root / "repos.json").write_text("[", encoding="utf-8")
    with pytest.raises(UsageError, match=r"repos\.json is not JSON"):
        load_repositories(root, repositories=tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "own.csv",
            "query,relevant,grade\n"
            "how to install,docs/install.md;README.md,\n"
            '"one, two","[""a;b"", ""c""]",3;1\n'
            "how to install,FAQ.md,2\n",
        ),
        (
            "own.jsonl",
            '{"query": "how to install", "relevant": ["docs/install.md", "README.md"]}\n'
            '{"query": "one, two", "relevant": ["a;b", "c"], "grade": [3, 1]}\n'
            '{"query": "how to install", "relevant": "FAQ.md", "grade": 2}\n',
        ),
    ],
)
def test_own_queries_read_alike_from_csv_and_jsonl(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    dataset = load_judged(tmp_path / name)
    assert (dataset.name, dataset.documents) == ("own", ())
    install = {"docs/install.md": 1.0, "README.md": 1.0, "FAQ.md": 2.0}
    assert dataset.queries == (
        Judged("how to install", "how to install", install),
        Judged("one, two", "one, two", {"a;b": 3.0, "c": 1.0}),
    )


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("own.csv", "query,answer\nx,y\n", ', line 1: no column "relevant"'),
        ("own.csv", "", ', line 1: no column "query"'),
        ("own.csv", "query,relevant\nx\n", ', line 2: "relevant" is missing'),
        ("own.csv", "query,relevant\nx, ;\n", ', line 2: "relevant" is missing'),
        ("own.csv", "query,relevant\nx,y,z\n", ", line 2: more cells than columns"),
        ("own.csv", 'query,relevant\nx,"y\n', ", line 2: is not CSV"),
        ("own.csv", "query,relevant\nx,[y\n", ', line 2: "relevant" is not JSON'),
        ("own.csv", "query,relevant,grade\nx,y,?\n", ', line 2: "grade" must be a number'),
        ("own.csv", "query,relevant,grade\nx,a;b;c,1;2\n", ', line 2: "grade" must be one number'),
        ("own.csv", "query,relevant\n", ": has no queries"),
        ("own.jsonl", '{"relevant": "y"}', ', line 1: "query" is missing'),
        ("own.jsonl", '{"query": "x", "relevant": ["y", 5]}', ', line 1: "relevant" must be text'),
        (
            "own.jsonl",
            '{"query": "x", "relevant": "y", "grade": true}',
            ', line 1: "grade" must be',
        ),
        ("own.jsonl", "{", ", line 1 is not JSON"),
    ],
)
def test_bad_own_queries_are_told_with_file_line_and_key(
    tmp_path: Path, name: str, text: str, reason: str
) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load_judged(file)
    assert str(caught.value).startswith(f"{file}{reason}")


def test_own_queries_may_be_of_groups(tmp_path: Path) -> None:
    file = tmp_path / "judged.csv"
    file.write_text("query,relevant,group\na,x.md,one\nb,y.md,\na,z.md,one\n", encoding="utf-8")
    first, second = load_judged(file).queries
    assert (first.group, second.group) == ("one", "")
    assert set(first.relevant) == {"x.md", "z.md"}


def test_one_query_in_two_groups_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "judged.csv"
    file.write_text("query,relevant,group\na,x.md,one\na,y.md,two\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"line 3: .group. is 'two'; .* was in 'one'"):
        load_judged(file)
