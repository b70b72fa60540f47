"""Texts -> a teacher's vectors, read on every core by its 8-bit model and kept on disk by blocks.

A block's file is named by the hash of the teacher, of the most tokens it reads and of the texts: a
pass that was stopped goes on where it was, and runs of other sizes find what is there already.
Each process has one thread and reads one text at a time, so that a vector never depends on its
neighbours. The seconds of processor time that a block took stay beside its vectors.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trivium.errors import ModelError
from trivium.models.base import Embedder
from trivium.models.onnx import OnnxEmbedder
from trivium.models.onnx_settings import read_settings

BLOCK = 2_000
_SAID_EVERY_S = 60.0


@dataclass(frozen=True, slots=True)
class Kept:
    """The vectors of texts, in order, and what they cost: now, and when they were first read."""

    vectors: NDArray[np.float16]
    read: int
    blocks: int
    seconds: float


def open_teacher(folder: Path, *, max_length: int) -> Embedder:
    """Return the model of a folder, on one thread, cutting texts at `max_length` tokens."""
    settings = replace(read_settings(folder), max_length=max_length)
    return OnnxEmbedder(folder, name="teacher", settings=settings, threads=1)


def block_name(teacher: str, texts: Sequence[str]) -> str:
    """Return the name of the file that holds the vectors of these texts."""
    found = hashlib.sha256(teacher.encode())
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        found.update(len(data).to_bytes(8, "little") + data)
    return f"{found.hexdigest()[:24]}.npz"


def write_block(path: Path, vectors: NDArray[np.float16], seconds: float) -> None:
    """Write a block aside and rename it, so that one that is there is whole."""
    aside = path.with_name(f".{path.stem}.{os.getpid()}.npz")
    np.savez(aside, vectors=vectors, seconds=np.float64(seconds))
    aside.replace(path)


def read_block(path: Path) -> tuple[NDArray[np.float16], float]:
    """Return the vectors of a block and the seconds that they took."""
    with np.load(path, allow_pickle=False) as found:
        return found["vectors"], float(found["seconds"])


_teacher: Embedder | None = None


def _open_in_process(folder: Path, max_length: int) -> None:
    """Open the teacher once in each process, before its first block."""
    global _teacher  # noqa: PLW0603 - a process of a pool has nowhere else to keep it
    _teacher = open_teacher(folder, max_length=max_length)


def _read_in_process(path: Path, texts: Sequence[str]) -> None:
    """Read one block and write it; the process has its teacher already."""
    if _teacher is None:
        raise RuntimeError("The process has no teacher.")
    began = time.process_time()
    vectors = _teacher.embed_documents(texts).astype(np.float16)
    write_block(path, vectors, time.process_time() - began)


def encode(
    texts: Sequence[str],
    *,
    folder: Path,
    keep: Path,
    max_length: int,
    processes: int,
    say: Callable[[str], None] = lambda _: None,
) -> Kept:
    """Return one unit vector for each text, reading only the blocks that `keep` does not hold."""
    teacher = open_teacher(folder, max_length=max_length)
    try:
        identity = teacher.model_id
    except ModelError as error:
        raise SystemExit(f"{folder} is no teacher: {error}") from error
    keep.mkdir(parents=True, exist_ok=True)
    blocks = [texts[start : start + BLOCK] for start in range(0, len(texts), BLOCK)]
    paths = [keep / block_name(identity, block) for block in blocks]
    missing = {path: block for path, block in zip(paths, blocks, strict=True) if not path.is_file()}
    _read_missing(missing, folder, max_length, processes, say)
    found = [read_block(path) for path in paths]
    vectors = [one for one, _ in found] or [np.zeros((0, teacher.dimension), dtype=np.float16)]
    seconds = sum(each for _, each in found)
    return Kept(np.concatenate(vectors), len(missing), len(blocks), seconds)


def _read_missing(
    missing: dict[Path, Sequence[str]],
    folder: Path,
    max_length: int,
    processes: int,
    say: Callable[[str], None],
) -> None:
    """Read the blocks in order, so that a pass that is stopped leaves the first ones done."""
    if not missing:
        return
    said = time.monotonic()
    with ProcessPoolExecutor(
        processes, initializer=_open_in_process, initargs=(folder, max_length)
    ) as pool:
        waiting = [pool.submit(_read_in_process, path, block) for path, block in missing.items()]
        try:
            for count, done in enumerate(as_completed(waiting), start=1):
                done.result()
                if time.monotonic() - said > _SAID_EVERY_S:
                    said = time.monotonic()
                    say(f"  {count} of {len(waiting)} blocks")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
