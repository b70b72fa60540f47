"""A model's name, as a person writes it in settings -> an Embedder, or None for words alone.

Nothing is loaded here but what the name asks for. Other packages add models through the entry
point group `trivium.models`: a name, and a function without arguments that returns an Embedder.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.config import Settings
from trivium.errors import ConfigError, ModelError
from trivium.models.base import Embedder

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from trivium.models.onnx_settings import OnnxSettings

Stamp = tuple[tuple[str, int, int], ...]

GROUP = "trivium.models"
_PLAIN = ("none", "static", "minilm")
_WITH_PART = ("onnx", "openai")
# Servers that speak the protocol of openai: at an address of their own.
_SERVERS = ("ollama", "lmstudio", "lm-studio", "vllm", "llamacpp", "llama.cpp", "tei")
_MOST_SHARED = 8
_OLLAMA = "http://localhost:11434/v1"


def load(
    model: str,
    *,
    api_key: str | None = None,
    base_url: str | None = None,
    dimensions: int | None = None,
    threads: int | None = None,
) -> Embedder | None:
    """Return the embedder that `model` names; it reads its files on first use.

    `none` gives None. Raises ConfigError for an unknown name, MissingExtra if its part is not
    installed.
    """
    kind, _, part = model.partition(":")
    if model == "none":
        return None
    if kind == "static" and (part or model == kind):
        return _static(part)
    if model == "minilm":
        from trivium.models.minilm import minilm

        return minilm(threads=threads)
    if kind == "onnx" and part:
        return _onnx(Path(part), threads=threads)
    if kind == "openai" and part:
        return _openai(part, api_key=api_key, base_url=base_url, dimensions=dimensions)
    return _outside(model)


def load_from(settings: Settings, name: str | None = None) -> Embedder | None:
    """Return the model that is set, or the one called `name`, with everything settings say."""
    return load(
        settings.text("embedding.model") if name is None else name,
        api_key=settings.openai_key,
        base_url=settings.text("embedding.base_url") or None,
        dimensions=settings.number("embedding.dimensions") or None,
        threads=settings.number("embedding.threads") or None,
    )


def _static(file: str) -> Embedder:
    from trivium.models.static import static

    if not file:
        return static()
    place = Path(file).expanduser().resolve()
    return _shared_static(place, _stamp(place))


@lru_cache(maxsize=_MOST_SHARED)
def _shared_static(place: Path, _: Stamp) -> Embedder:
    """Return one embedder for all collections of a process, until the file changes."""
    from trivium.models.static import StaticEmbedder

    return StaticEmbedder(place)


def _onnx(place: Path, *, threads: int | None) -> Embedder:
    from trivium.models.onnx import require_runtime
    from trivium.models.onnx_settings import folder_of, read_settings

    require_runtime(f"onnx:{place}")
    place = place.expanduser().resolve()
    folder = folder_of(place)
    return _shared_onnx(place, folder, read_settings(folder), threads, _stamp(folder))


@lru_cache(maxsize=_MOST_SHARED)
def _shared_onnx(
    place: Path,
    folder: Path,
    settings: OnnxSettings,
    threads: int | None,
    _: Stamp,
) -> Embedder:
    """Return one embedder for all collections of a process, until its files change."""
    from trivium.models.onnx import OnnxEmbedder

    # The folder's name is for people; the id beside it tells two folders of one name apart.
    return OnnxEmbedder(place, name=f"onnx:{folder.name}", settings=settings, threads=threads)


def _stamp(place: Path) -> Stamp:
    """Return what differs once a file, or one of a folder's, is another.

    Weights may lie one folder below (`onnx/model.onnx_data`), and no publisher puts them deeper.
    """
    try:
        files = [*place.glob("*"), *place.glob("*/*")] if place.is_dir() else [place]
        found = [(str(file), file.stat()) for file in sorted(files)]
    except OSError:
        return ()
    return tuple((name, one.st_mtime_ns, one.st_size) for name, one in found)


def _openai(
    model: str, *, api_key: str | None, base_url: str | None, dimensions: int | None
) -> Embedder:
    from trivium.models.remote import DEFAULT_BASE_URL, RemoteEmbedder

    if base_url is None and api_key is None:
        raise ConfigError(
            f"The model 'openai:{model}' needs an API key (OPENAI_API_KEY), or the address of a "
            f"server that works without one in embedding.base_url, such as {_OLLAMA}."
        )
    address = DEFAULT_BASE_URL if base_url is None else base_url
    return RemoteEmbedder(model, api_key=api_key, base_url=address, dimensions=dimensions)


def _outside(model: str) -> Embedder:
    # Late: its import is slow, and most names are our own.
    from importlib.metadata import entry_points

    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    if model not in found:
        raise ConfigError(_unknown(model, [*_PLAIN, *found]))
    return _made_by(found[model])


def _made_by(entry: EntryPoint) -> Embedder:
    try:
        factory = entry.load()
    except (ImportError, AttributeError) as error:
        raise ModelError(
            f"The model {entry.name!r} cannot be loaded from {entry.value}: {error}. "
            "Reinstall the package it comes from."
        ) from error
    embedder: Embedder = factory()
    return embedder


def _unknown(model: str, plain: list[str]) -> str:
    kind, colon, part = model.partition(":")
    choices = [*plain, "static:<file>", "onnx:<folder>", "openai:<model>"]
    if kind.lower() in _SERVERS and part:
        return (
            f"Unknown model {model!r}. For a server of your own it is 'openai:{part}', with its "
            f"address in embedding.base_url, such as {_OLLAMA}."
        )
    if kind in _WITH_PART:
        nearest = [f"{kind}:<{'folder' if kind == 'onnx' else 'model'}>"]
    elif colon and (similar := get_close_matches(kind.lower(), _WITH_PART, n=1)):
        nearest = [f"{similar[0]}:{part}"]
    else:
        nearest = get_close_matches(model.lower(), plain, n=1)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    return f"Unknown model {model!r}.{hint} The models are: {', '.join(choices)}."
