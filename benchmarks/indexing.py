"""How many chunks a second of processor time takes in, without and with a model.

The whole way is Collection.sync on a folder; the stages are run one by one beside it. The
peer is Tantivy alone, given the same chunk texts and its own tokenizer; for embedding it
is ONNX Runtime alone on the same file. Run: python -m benchmarks.indexing [--profiling]
"""

from __future__ import annotations

import cProfile
import os
import pstats
import shutil
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.corpus import settings_for, write_code, write_prose
from benchmarks.measure import arguments, cpu_ms, middle, report, verdict
from trivium.analysis.fields import embedding_text, texts_of
from trivium.analysis.words import analyser
from trivium.backends.base import Batch, FileContent, FileState
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.embedded.text import TextFolder, TextWriter
from trivium.chunking.chunk import chunk
from trivium.collection import Collection
from trivium.indexer import Report
from trivium.models.minilm import minilm
from trivium.parsing.parse import parse
from trivium.parsing.secrets import mask
from trivium.ranking.profile import profile
from trivium.sources.base import Raw
from trivium.sources.files import FolderSource
from trivium.types import Document
from trivium.writing.digest import Cutting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LEAST_CHUNKS = 5000
_BATCH_FILES = 256
_EMBEDDED = 200
_HEAP_BYTES = 64_000_000
Rows = list[dict[str, str | int | float]]


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__ or "", chunks=10_000)
    parser.add_argument("--profiling", action="store_true", help="print where time goes instead")
    asked = parser.parse_args()
    asked.cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=asked.cache) as name:
        place = Path(name)
        write_prose(place / "prose", chunks=asked.chunks)
        write_code(place / "code", chunks=asked.chunks)
        if asked.profiling:
            for kind in ("prose", "code"):
                _print_profile(place, kind)
            return
        whole: Rows = []
        for kind in ("prose", "code"):
            row, stages = _measure(place, kind)
            whole.append(row)
            report(f"Stages, {kind}: CPU microseconds per chunk", stages, to=asked.json)
        report("Indexing without a model", whole, to=asked.json)
        report("Syncing again", _again(place), to=asked.json)
        report(f"Embedding {_EMBEDDED} chunks", _embedding(place / "prose"), to=asked.json)


def _sync(root: Path, home: Path) -> Report:
    with Collection(root, settings=settings_for(home)) as collection:
        return collection.sync(yes=True)


def _measure(place: Path, kind: str) -> tuple[dict[str, str | int | float], Rows]:
    root = place / kind
    spent: list[float] = []
    peer: list[float] = []
    contents: list[FileContent] = []
    stages: Rows = []
    for turn in range(3):
        home = place / f"home-{kind}-{turn}"
        spent.append(cpu_ms(partial(_sync, root, home)))
        if not contents:
            contents, stages = _stages(root, place / f"stages-{kind}")
        texts = [one.text for content in contents for one in content.chunks]
        peer.append(cpu_ms(partial(_raw, texts, place / f"raw-{kind}-{turn}")))
        shutil.rmtree(home)
    count = len(texts)
    rate, raw = count / middle(spent) * 1000, count / middle(peer) * 1000
    row: dict[str, str | int | float] = {
        "files": kind,
        "chunks": count,
        "characters per chunk": round(sum(map(len, texts)) / count),
        "chunks per CPU-s": round(rate),
        "raw Tantivy": round(raw),
        "ratio of time": round(raw / rate, 1),
        "target": f">= {_LEAST_CHUNKS:,}",
        "": verdict(rate, least=_LEAST_CHUNKS),
    }
    return row, stages


def _stages(root: Path, place: Path) -> tuple[list[FileContent], Rows]:
    """Run the stages one after the other over the whole folder, each timed alone."""
    spent: dict[str, float] = {}
    source = FolderSource(root)

    class Stage:
        def __init__(self, name: str) -> None:
            self.name = name

        def __enter__(self) -> None:
            self.started = time.process_time_ns()

        def __exit__(self, *_: object) -> None:
            spent[self.name] = (time.process_time_ns() - self.started) / 1000

    with Stage("list"):
        entries = source.list().entries
    with Stage("read"):
        raws = [raw for raw in map(source.read, entries) if isinstance(raw, Raw)]
    with Stage("mask"):
        masked = [mask(raw.text, path=raw.entry.path) for raw in raws]
    documents = [Document(raw.entry.path, one.text) for raw, one in zip(raws, masked, strict=True)]
    with Stage("parse"):
        parsed = [parse(document) for document in documents]
    with Stage("chunk"):
        cut = [
            chunk(document, one.nodes, size=Cutting().size, overlap=Cutting().overlap)
            for document, one in zip(documents, parsed, strict=True)
        ]
    contents = [
        FileContent(
            FileState(raw.entry.path, raw.entry.size_bytes, raw.entry.mtime_ns, raw.sha256),
            document,
            one.nodes,
            one.edges,
            tuple(chunks),
        )
        for raw, document, one, chunks in zip(raws, documents, parsed, cut, strict=True)
    ]
    # A backend without views writes SQLite alone.
    backend = EmbeddedBackend(place / "index", store=place / "store")
    with Stage("write to SQLite"), backend.writer(wait_s=5.0) as writer:
        for start in range(0, len(contents), _BATCH_FILES):
            writer.write(Batch(tuple(contents[start : start + _BATCH_FILES])))
    view = profile("best").view
    with backend.snapshot() as snapshot:
        rows = list(snapshot.stream("1", ()))
    with Stage("write to Tantivy, analysis included"):
        text = TextWriter(TextFolder(place / "text", view), fresh=True)
        for row in rows:
            text.add(*row)
        text.commit(1)
        text.close()
    words_of = analyser(view.analyser)
    with Stage("  of it analysis"):
        for _, node, one, whole in rows:
            for _, _, field in texts_of(view, node, one, whole):
                words_of.split(field)
    backend.close()
    total = sum(value for name, value in spent.items() if not name.startswith(" "))
    shown: Rows = [
        {"stage": name, "per chunk": round(value / len(rows), 1), "share": f"{value / total:.0%}"}
        for name, value in spent.items()
    ]
    shown.append({"stage": "sum", "per chunk": round(total / len(rows), 1), "share": ""})
    return contents, shown


def _raw(texts: Sequence[str], folder: Path) -> None:
    """Index texts with Tantivy alone: a number, one text field, its default tokenizer."""
    import tantivy

    folder.mkdir()
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("id", stored=False, indexed=True, fast=True)
    builder.add_text_field("body", stored=False, tokenizer_name="default")
    index = tantivy.Index(builder.build(), path=str(folder))
    writer = index.writer(_HEAP_BYTES, num_threads=1)
    for number, text in enumerate(texts):
        document = tantivy.Document()
        document.add_integer("id", number)
        document.add_text("body", text)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    shutil.rmtree(folder)


def _again(place: Path) -> Rows:
    """Sync a folder that did not change, then one where a file did."""
    rows: Rows = []
    for kind in ("prose", "code"):
        root, home = place / kind, place / f"home-{kind}"
        first = cpu_ms(partial(_sync, root, home))
        files = sorted(path for path in root.rglob("*.*") if path.is_file())
        # A file written within the last seconds is read again, since its time may not tell.
        for path in files:
            os.utime(path, (1_700_000_000, 1_700_000_000))
        _sync(root, home)
        same = [cpu_ms(partial(_sync, root, home)) for _ in range(5)]
        edited: list[float] = []
        for turn in range(5):
            path = files[turn * 7]
            path.write_text(path.read_text(encoding="utf-8") + "\n\nx = 1\n", encoding="utf-8")
            edited.append(cpu_ms(partial(_sync, root, home)))
        rows.append(
            {
                "folder": kind,
                "files": len(files),
                "first sync, CPU ms": round(first),
                "nothing changed": round(middle(same), 1),
                "one file edited": round(middle(edited), 1),
            }
        )
    return rows


def _embedding(root: Path) -> Rows:
    """Embed texts with the shipped model, and with ONNX Runtime alone."""
    source = FolderSource(root)
    texts: list[str] = []
    for entry in source.list().entries:
        raw = source.read(entry)
        assert isinstance(raw, Raw)
        document = Document(entry.path, raw.text)
        nodes = parse(document).nodes
        by_id = {node.id: node for node in nodes}
        cut = chunk(document, nodes, size=Cutting().size, overlap=Cutting().overlap)
        texts += [embedding_text(by_id[one.node_id], one) for one in cut]
        if len(texts) >= _EMBEDDED:
            break
    texts = texts[:_EMBEDDED]
    embedder = minilm(threads=1)
    embedder.embed_query("warm")
    raw_embed = RawEmbedder()
    raw_embed(texts[:1])
    ours: list[float] = []
    peer: list[float] = []
    for _ in range(2):
        ours.append(cpu_ms(partial(embedder.embed_documents, texts)))
        peer.append(cpu_ms(partial(raw_embed, texts)))
    fast, bare = (1000 * len(texts) / min(spent) for spent in (ours, peer))
    return [
        {"what": "minilm", "texts per CPU-s": round(fast, 1), "ratio of time": bare / fast},
        {"what": "ONNX Runtime alone", "texts per CPU-s": round(bare, 1), "ratio of time": 1.0},
    ]


class RawEmbedder:
    """ONNX Runtime with nothing around it."""

    def __init__(self) -> None:
        import onnxruntime
        import trivium_minilm
        from tokenizers import Tokenizer

        folder = Path(next(iter(trivium_minilm.__path__)))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options)
        self._names = [one.name for one in self._session.get_inputs()]
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(256)

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors, one text at a time."""
        import numpy as np

        made = []
        for text in texts:
            ids = np.array([self._tokenizer.encode(text).ids], np.int64)
            given = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            given["token_type_ids"] = np.zeros_like(ids)
            feed = {name: given[name] for name in self._names}
            # The shipped file pools by itself: its output is one vector.
            vector = np.asarray(self._session.run(None, feed)[0]).reshape(-1)
            made.append(vector / np.linalg.norm(vector))
        return np.asarray(made, np.float32)


def _print_profile(place: Path, kind: str) -> None:
    watch = cProfile.Profile()
    watch.enable()
    _sync(place / kind, place / "home-profile")
    watch.disable()
    print(f"\n== {kind}")
    pstats.Stats(watch).sort_stats("tottime").print_stats(30)


if __name__ == "__main__":
    main()
