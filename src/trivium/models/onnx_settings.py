"""A folder as sentence-transformers, Optimum or we write it -> which file to run, and how.

Our own keys in config.json come first, then what sentence-transformers keeps beside it, then what
the tokenizer and the transformer say of themselves. Files are untrusted and small, or refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path, PurePosixPath
from typing import Any

from trivium.errors import ConfigError, ModelError

POOLINGS = ("mean", "cls", "last", "max", "none")

# In this order: the model as it was trained, before its smaller versions.
_NAMES = (
    "model.onnx",
    "model_optimized.onnx",
    "model_quantized.onnx",
    "model_int8.onnx",
    "model_uint8.onnx",
)
_EIGHT_BIT = "model_q*int8*.onnx"

# What other tools allow in a text goes no further than this: chunks are far shorter, and the
# memory of attention grows with the square. `max_length` in config.json may say more.
_LONGEST_UNASKED = 2048
_LARGEST_BYTES = 1_000_000

# A vector of unit length is the same for the mean and for the sum over the root of the count.
_NAMED_POOLINGS = {
    "cls": "cls",
    "cls_token": "cls",
    "mean": "mean",
    "mean_tokens": "mean",
    "mean_sqrt_len_tokens": "mean",
    "max": "max",
    "max_tokens": "max",
    "lasttoken": "last",
}
_MODE = "pooling_mode"
_DOCUMENT_PROMPTS = ("document", "passage", "corpus")

# These count positions from after the one for padding.
_COUNT_AFTER_PADDING = frozenset(
    {"roberta", "xlm-roberta", "camembert", "mpnet", "longformer", "roberta-prelayernorm"}
)


@dataclass(frozen=True, slots=True)
class OnnxSettings:
    """How a folder's model is to be used; `dimension` None means: ask the model.

    The pooling `none` means that the graph must give a whole text's vector itself.
    """

    max_length: int = 256
    pooling: str = "mean"
    dimension: int | None = None
    document_prefix: str = ""
    query_prefix: str = ""
    lower_case: bool = False
    model_sha256: str = ""
    tokenizer_sha256: str = ""


def read_settings(folder: Path) -> OnnxSettings:
    """Return what the files of a folder say, or the defaults where there are none.

    Keys that mean nothing here are passed over; a wrong value is a ConfigError.
    """
    path = folder / "config.json"
    found = _object(path)
    own = {one.name: found[one.name] for one in fields(OnnxSettings) if one.name in found}
    if "model_type" in found:
        # There it is about writing text, not reading it.
        own.pop("max_length", None)
    wrong = _wrong_setting(own)
    if wrong is not None:
        raise ConfigError(f"{path}: {wrong}.")
    prefixes = _prefixes(folder)
    # Only where nobody else says how a text becomes a vector.
    pooling = "" if "pooling" in own else _pooling(folder, has_prefix=any(prefixes.values()))
    others: dict[str, Any] = {
        "max_length": _max_length(folder, found),
        "lower_case": _object(folder / "sentence_bert_config.json").get("do_lower_case") is True,
        **prefixes,
        **({"pooling": pooling} if pooling else {}),
    }
    return OnnxSettings(**(others | own))


def model_file(folder: Path, *, remedy: str) -> Path:
    """Return the first model there is, in the folder itself or in its folder `onnx`."""
    places = (folder, folder / "onnx")
    for name in _NAMES:
        for place in places:
            if (place / name).is_file():
                return place / name
    for place in places:
        for path in sorted(place.glob(_EIGHT_BIT)):
            return path
    others = [path for place in places for path in sorted(place.glob("*.onnx"))]
    if len(others) > 1:
        names = ", ".join(str(path.relative_to(folder)) for path in others[:9])
        raise ModelError(f"{folder} holds several models: {names}. Give the path of one of them.")
    if others:
        return others[0]
    raise ModelError(f"No model.onnx in {folder} or its folder onnx. {remedy}")


def folder_of(path: Path) -> Path:
    """Return the folder that a path means: itself, or the one that a model's file belongs to."""
    if path.suffix != ".onnx" or path.is_dir():
        return path
    is_below = path.parent.name == "onnx" and not (path.parent / "tokenizer.json").is_file()
    return path.parent.parent if is_below else path.parent


def _object(path: Path) -> Mapping[str, Any]:
    """Return the JSON object in a file; an empty one where there is no file."""
    found = _read(path)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ConfigError(f"{path} must hold one JSON object. Correct it or remove it.")
    return found


def _read(path: Path) -> Any:  # noqa: ANN401 - JSON may be anything
    try:
        with path.open("rb") as file:
            blob = file.read(_LARGEST_BYTES + 1)
        if len(blob) > _LARGEST_BYTES:
            raise ConfigError(f"{path} is too large for settings. Correct it or remove it.")
        return json.loads(blob.decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"Cannot read {path}: {error}. Correct it or remove it.") from error


def _wrong_setting(own: Mapping[str, object]) -> str | None:
    """Return what is wrong with settings that came from a file, or None."""
    for key in ("max_length", "dimension"):
        value = own.get(key)
        if key in own and (type(value) is not int or value < 1):
            return f"`{key}` must be a whole number above 0, not {value!r}"
    if own.get("pooling", "mean") not in POOLINGS:
        return f"`pooling` must be one of {', '.join(POOLINGS)}, not {own['pooling']!r}"
    for key in ("document_prefix", "query_prefix", "model_sha256", "tokenizer_sha256"):
        if not isinstance(own.get(key, ""), str):
            return f"`{key}` must be text"
    if type(own.get("lower_case", False)) is not bool:
        return "`lower_case` must be true or false"
    if ("model_sha256" in own) != ("tokenizer_sha256" in own):
        return "`model_sha256` and `tokenizer_sha256` go together"
    return None


def _max_length(folder: Path, config: Mapping[str, object]) -> int:
    """Return how many tokens of a text are read, special ones included."""
    positions = _count(config.get("max_position_embeddings"))
    if positions is not None and config.get("model_type") in _COUNT_AFTER_PADDING:
        padding = config.get("pad_token_id")
        positions -= 1 + (padding if type(padding) is int and padding >= 0 else 1)
        positions = max(1, positions)
    said = _count(_object(folder / "sentence_bert_config.json").get("max_seq_length"))
    if said is None:
        said = _count(_object(folder / "tokenizer_config.json").get("model_max_length"))
    known = [length for length in (said, positions) if length is not None]
    return min([*known, _LONGEST_UNASKED]) if known else OnnxSettings().max_length


def _count(value: object) -> int | None:
    """Return a whole number above 0; tools write null, -1 or 1e30 where there is no limit."""
    return value if type(value) is int and value > 0 else None


def _prefixes(folder: Path) -> dict[str, str]:
    """Return what goes before a query and before a document."""
    path = folder / "config_sentence_transformers.json"
    found = _object(path)
    prompts = found.get("prompts") or {}
    if not isinstance(prompts, dict) or not all(
        isinstance(one, str) for one in prompts.values() if one is not None
    ):
        raise ConfigError(f"{path}: `prompts` must be texts by name. Correct it or remove it.")
    usual = str(prompts.get(found.get("default_prompt_name")) or "")
    document = next((prompts[one] for one in _DOCUMENT_PROMPTS if one in prompts), usual)
    query = prompts.get("query", usual)
    return {"document_prefix": document or "", "query_prefix": query or ""}


def _pooling(folder: Path, *, has_prefix: bool) -> str:
    """Return how sentence-transformers makes one vector of many; empty if it does not say.

    `none` for all that cannot be done here: several ways at once, layers after them, or a
    prefix that is not to count.
    """
    steps = _steps(folder)
    if any(kind not in ("Transformer", "Pooling", "Normalize") for kind, _ in steps):
        return "none"
    place = next((place for kind, place in steps if kind == "Pooling"), folder / "1_Pooling")
    found = _object(place / "config.json")
    if not found:
        return ""
    named = found.get(_MODE)
    modes = [named] if isinstance(named, str) else named
    if not isinstance(modes, list):
        start = f"{_MODE}_"
        modes = [key.removeprefix(start) for key in found if key.startswith(start) and found[key]]
    is_whole = found.get("include_prompt", True) is not False or not has_prefix
    if len(modes) != 1 or not is_whole:
        return "none"
    return _NAMED_POOLINGS.get(str(modes[0]), "none")


def _steps(folder: Path) -> Sequence[tuple[str, Path]]:
    """Return the steps of modules.json: the last word of each one's type, and its folder."""
    path = folder / "modules.json"
    found = _read(path)
    if found is None:
        return []
    try:
        steps = [(str(one["type"]).rsplit(".", 1)[-1], PurePosixPath(one["path"])) for one in found]
    except (TypeError, KeyError, IndexError) as error:
        raise ConfigError(
            f"{path} must list steps with a type and a path. Correct it or remove it."
        ) from error
    for _, place in steps:
        if place.is_absolute() or ".." in place.parts:
            raise ConfigError(f"{path}: {str(place)!r} is outside the folder.")
    return [(kind, folder / place) for kind, place in steps]
