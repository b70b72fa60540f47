"""The weights of MiniLM or granite -> the same encoder in torch, for many texts at once.

For a GPU; training.vectors reads without one. The two ONNX files are those that packages/ makes,
read without the onnx library: a few lines know the two nested messages that hold their constants.
Weights are scaled back to floats, so vectors differ from the int8 models' only by their rounding
(mean cosine above .99). A folder holds tokenizer.json and model.onnx, or packed.xz (either, as
pack.py writes it).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training import pack

LAYERS, HEADS, DIMENSION = 6, 12, 384
GELU_SHIFT = 0.17
_GRAPH, _INITIALISER = 7, 5
_DIMS, _TYPE, _FLOATS, _INTS, _NAME, _RAW = 1, 2, 4, 5, 8, 9
_DTYPES = {1: "<f4", 2: "u1", 3: "i1", 6: "<i4", 7: "<i8"}


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _fields(data: memoryview) -> Iterator[tuple[int, Any]]:
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield key >> 3, value
        elif kind == 2:
            length, at = _varint(data, at)
            yield key >> 3, data[at : at + length]
            at += length
        else:
            size = 8 if kind == 1 else 4
            yield key >> 3, data[at : at + size]
            at += size


def constants(path: Path) -> dict[str, NDArray[Any]]:
    """Return the constants of an ONNX file by name."""
    found: dict[str, NDArray[Any]] = {}
    for number, graph in _fields(memoryview(path.read_bytes())):
        if number != _GRAPH:
            continue
        for field, tensor in _fields(graph):
            if field == _INITIALISER:
                name, values = _tensor(tensor)
                found[name] = values
    return found


def _tensor(data: memoryview) -> tuple[str, NDArray[Any]]:
    shape: list[int] = []
    kind, name, raw = 1, "", b""
    for number, value in _fields(data):
        if number == _DIMS and isinstance(value, int):
            shape.append(value)
        elif number == _DIMS:
            at = 0
            while at < len(value):
                size, at = _varint(value, at)
                shape.append(size)
        elif number == _TYPE:
            kind = value
        elif number == _NAME:
            name = bytes(value).decode()
        elif number == _RAW:
            raw = bytes(value)
        elif number == _FLOATS:
            raw += value if len(value) > 4 else struct.pack("<4s", bytes(value))
    values = np.frombuffer(raw, dtype=_DTYPES.get(kind, "u1"))
    return name, values.reshape(shape) if values.size else values


def weights(folder: Path) -> dict[str, NDArray[np.float32]]:
    """Return the encoder's weights by our own names, whichever file holds them.

    A vector of one number says how states become a vector: "cls", 1 for the first, 0 for the mean.
    """
    if (folder / "packed.xz").exists():
        return pack.read(folder / "packed.xz")
    found = constants(folder / "model.onnx")
    return _granite(found) if "tokens.scales" in found else _minilm(found)


def _minilm(found: dict[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]]:
    """Scale 8-bit steps back, and undo the shift that the int8 product needs."""
    made = {
        name: values.astype(np.float32)
        * (found[f"{name}.scale"] if f"{name}.scale" in found else np.float32(1))
        for name, values in found.items()
        if not name.endswith(".scale") and values.ndim > 0
    }
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}.output.dense"
        made[f"{name}.bias"] = made[f"{name}.bias"] + GELU_SHIFT * made[f"{name}.weight"].sum(0)
    return made | {"cls": np.zeros(1, dtype=np.float32)}


def _granite(found: dict[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]]:
    """Scale blocks of 8-bit steps back, and name everything as MiniLM's weights are named."""

    def product(name: str) -> NDArray[np.float32]:
        steps = found[f"{name}.steps"].astype(np.float32) - 128
        scales = found[f"{name}.scales"].reshape(*steps.shape[:2], 1)
        # Outputs come first there, inputs here.
        return np.ascontiguousarray((steps * scales).reshape(len(steps), -1).T)

    tokens = found["tokens"].astype(np.float32)
    blocks = tokens.reshape(len(tokens), found["tokens.scales"].shape[1], -1)
    made = {
        "cls": np.ones(1, dtype=np.float32),
        "tokens": (blocks * found["tokens.scales"][:, :, None]).reshape(tokens.shape),
        "places": found["places"],
    }
    norms = {"embeddings.LayerNorm": "emb_ln"}
    products = {}
    for layer in range(LAYERS):
        ours, theirs = f"encoder.layer.{layer}", f"l{layer}"
        norms[f"{ours}.attention.output.LayerNorm"] = f"{theirs}.aln"
        norms[f"{ours}.output.LayerNorm"] = f"{theirs}.fln"
        # The last layer has the query apart, as it asks for the first token only.
        starts = (0, DIMENSION) if f"{theirs}.qkv.{DIMENSION}.steps" in found else (0,)
        products[f"{ours}.attention.self"] = [f"{theirs}.qkv.{start}" for start in starts]
        products[f"{ours}.attention.output.dense"] = [f"{theirs}.ao.0"]
        products[f"{ours}.intermediate.dense"] = [f"{theirs}.f1.0"]
        products[f"{ours}.output.dense"] = [f"{theirs}.f2.0"]
    for ours, theirs in norms.items():
        made |= {f"{ours}.weight": found[f"{theirs}.w"], f"{ours}.bias": found[f"{theirs}.b"]}
    for ours, parts in products.items():
        made[f"{ours}.weight"] = np.concatenate([product(each) for each in parts], axis=1)
        made[f"{ours}.bias"] = np.concatenate([found[f"{each}.bias"] for each in parts])
    return made


class Encoder:
    """The encoder in torch: token ids, padded with a mask -> unit vectors of 384 numbers."""

    def __init__(self, folder: Path, device: str) -> None:
        import torch  # type: ignore[import-not-found]

        self.torch = torch
        self.device = device
        kind = torch.float16 if device == "cuda" else torch.float32
        self.w = {
            name: torch.tensor(values).to(device, kind) for name, values in weights(folder).items()
        }
        self.is_first = bool(self.w["cls"][0] > 0)

    def __call__(self, ids: Any, mask: Any) -> Any:
        torch, w = self.torch, self.w
        functional = torch.nn.functional
        rows, length = ids.shape

        def norm(state: Any, name: str) -> Any:
            gain, offset = w[f"{name}.weight"], w[f"{name}.bias"]
            return functional.layer_norm(state, (DIMENSION,), gain, offset, 1e-12)

        state = norm(w["tokens"][ids] + w["places"][:length], "embeddings.LayerNorm")
        seen = mask[:, None, None, :]
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            attention = f"{name}.attention"
            joined = state @ w[f"{attention}.self.weight"] + w[f"{attention}.self.bias"]
            q, k, v = (
                part.view(rows, length, HEADS, -1).transpose(1, 2)
                for part in joined.split(DIMENSION, dim=-1)
            )
            mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
            mixed = mixed.transpose(1, 2).reshape(rows, length, DIMENSION)
            product = mixed @ w[f"{attention}.output.dense.weight"]
            product = product + w[f"{attention}.output.dense.bias"]
            state = norm(product + state, f"{attention}.output.LayerNorm")
            raised = state @ w[f"{name}.intermediate.dense.weight"]
            raised = functional.gelu(raised + w[f"{name}.intermediate.dense.bias"])
            product = raised @ w[f"{name}.output.dense.weight"]
            state = norm(
                product + w[f"{name}.output.dense.bias"] + state, f"{name}.output.LayerNorm"
            )
        if self.is_first:
            return functional.normalize(state[:, 0].float(), dim=-1)
        weight = mask.to(state.dtype)[:, :, None]
        mean = (state * weight).sum(1).float() / weight.sum(1).float()
        return functional.normalize(mean, dim=-1)


def encode(
    texts: Sequence[str],
    *,
    folder: Path,
    device: str = "cuda",
    max_length: int = 128,
    tokens_per_batch: int | None = None,
) -> NDArray[np.float16]:
    """Return one vector for each text, in order; texts of like length go together."""
    import torch
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length)
    # What fits into a core's cache is read twice as fast there.
    tokens_per_batch = tokens_per_batch or (65_536 if device == "cuda" else 512)
    encoder = Encoder(folder, device)
    vectors = np.zeros((len(texts), DIMENSION), dtype=np.float16)
    with torch.inference_mode():
        for start in range(0, len(texts), 100_000):
            part = list(texts[start : start + 100_000])
            ids = [one.ids for one in tokenizer.encode_batch(part)]
            order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
            at = 0
            while at < len(order):
                # The longest of a batch decides its width.
                end = at + 1
                while (
                    end < len(order) and (end + 1 - at) * len(ids[order[end]]) <= tokens_per_batch
                ):
                    end += 1
                chosen = order[at:end]
                width = len(ids[chosen[-1]])
                batch = np.zeros((len(chosen), width), dtype=np.int64)
                mask = np.zeros((len(chosen), width), dtype=bool)
                for row, number in enumerate(chosen):
                    batch[row, : len(ids[number])] = ids[number]
                    mask[row, : len(ids[number])] = True
                made = encoder(
                    torch.from_numpy(batch).to(device), torch.from_numpy(mask).to(device)
                )
                vectors[[start + number for number in chosen]] = made.cpu().numpy()
                at = end
    return vectors
