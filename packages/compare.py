"""A model in 8 bits and the same in fp32 -> how near its vectors are, and how fast they come.

Used by the exports with --check, so that all of them are measured alike.
"""

from __future__ import annotations

import ast
import gzip
import json
import sysconfig
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

_TEXTS = 200
_SHORTEST = 200


def sample(path: Path | None) -> list[str]:
    """Return texts of a file, else docstrings of the standard library, evenly taken."""
    found = _docstrings() if path is None else _lines(path)
    texts = [text for text in found if len(text) >= _SHORTEST]
    step = max(1, len(texts) // _TEXTS)
    return texts[::step][:_TEXTS]


def _docstrings() -> Iterator[str]:
    """Yield the docstrings of the standard library, in the order of the file names."""
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                yield ast.get_docstring(node) or ""


def _lines(path: Path) -> Iterator[str]:
    """Yield the texts of a file, one a line."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    for line in text.splitlines():
        if line.startswith("{"):
            record = json.loads(line)
            yield f"{record.get('title', '')} {record['text']}".strip()
        else:
            yield line


def check(
    model: bytes, reference: bytes, tokenizer: bytes, texts: Sequence[str], *, max_length: int
) -> None:
    """Print how near the 8-bit vectors are to the fp32 ones, and how fast they come."""
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    small, full = (
        onnxruntime.InferenceSession(each, options, providers=["CPUExecutionProvider"])
        for each in (model, reference)
    )
    cutter = Tokenizer.from_str(tokenizer.decode())
    cutter.no_padding()
    cutter.enable_truncation(max_length)
    inputs = [np.array([cutter.encode(text).ids], dtype=np.int64) for text in texts]
    cosines = np.array(
        [
            (small.run(None, {"input_ids": ids})[0] * full.run(None, {"input_ids": ids})[0]).sum()
            for ids in inputs
        ]
    )
    print(
        f"{len(texts)} texts, cosine to fp32: mean {cosines.mean():.5f}, least {cosines.min():.5f}"
    )
    every = np.concatenate(inputs, axis=1)
    for length in (max_length // 2, max_length):
        ids = np.resize(every, (1, length))
        rates = []
        for _ in range(5):
            begin = time.process_time()
            for _ in range(10):
                small.run(None, {"input_ids": ids})
            rates.append(10 / (time.process_time() - begin))
        print(f"{max(rates):.1f} texts of {length} tokens per CPU-second")
    if cosines.mean() < 0.99:
        raise SystemExit("The 8-bit model is too far from fp32 (mean cosine below 0.99).")
