"""The package trivium_minilm (data only) -> an Embedder for all-MiniLM-L6-v2.

The hashes of its two files stand here, in source: a file that differs is never used.
They change only together with a new version of that package (packages/minilm/export.py).
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from trivium.errors import MissingExtra
from trivium.models.onnx import OnnxEmbedder, Pins, require_runtime
from trivium.models.onnx_settings import OnnxSettings

PINS = Pins(
    model_sha256="b483da6ecea5189b3ad1899b618427b9042f9c1857fdb894e27d8fd5509c4b83",
    tokenizer_sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    remedy="Put it right with: pip install --force-reinstall 'trivium-minilm==1.0.0'",
)
SETTINGS = OnnxSettings(max_length=256, pooling="mean", dimension=384)


def minilm(*, threads: int | None = None, folder: Path | None = None) -> OnnxEmbedder:
    """Return the embedder, not yet loaded, one for the process.

    `folder` replaces the installed package's. Raises MissingExtra if the package or what
    runs it is not installed.
    """
    require_runtime("minilm")
    return _shared(_package_folder() if folder is None else folder, threads)


@cache
def _shared(folder: Path, threads: int | None) -> OnnxEmbedder:
    return OnnxEmbedder(
        folder, name="minilm", settings=SETTINGS, strength=20, pins=PINS, threads=threads
    )


def _package_folder() -> Path:
    spec = find_spec("trivium_minilm")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("The model 'minilm'", extra="minilm")
    return Path(next(iter(spec.submodule_search_locations)))
