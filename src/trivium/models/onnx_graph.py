"""Token ids -> one vector, through a graph whose inputs and outputs its maker chose.

Feeds what the graph asks for, in the whole numbers it asks for, padded if it has one length; takes
the vector of the text, or makes it of the vectors of its tokens. Called by the embedder.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trivium.errors import ModelError
from trivium.models.onnx_settings import POOLINGS

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

_KNOWN_INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
_TYPES = {"tensor(int64)": "int64", "tensor(int32)": "int32", "tensor(float)": "float32"}

# What exporters call the vector of a text, and the vectors of its tokens.
_WHOLE = ("sentence_embedding", "sentence_embeddings", "text_embeds")
_TOKENS = ("last_hidden_state", "token_embeddings")
# Trained to tell whether two sentences follow each other, not to compare texts.
_NO_VECTOR = "pooler_output"
_IDS_RANK = _WHOLE_RANK = 2
_TOKENS_RANK = 3


@dataclass(frozen=True, slots=True)
class SentenceGraph:
    """A session, what it is fed (input -> type), which output is read, and how it is pooled.

    `length` is the number of tokens that a graph of one shape wants; None takes any.
    """

    session: Any
    path: Path
    inputs: tuple[tuple[str, str], ...]
    output: str
    pooling: str
    length: int | None
    padding: int

    def vector(self, ids: list[int]) -> NDArray[np.float32]:
        """Return the vector of a text, shape (dimension,), of whatever length the graph gives."""
        import numpy as np

        missing = max(0, (self.length or 0) - len(ids))
        mask = np.array([[1] * len(ids) + [0] * missing])
        padded = np.array([[*ids, *[self.padding] * missing]])
        known = {
            "input_ids": padded,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(padded),
            "position_ids": np.arange(padded.shape[1])[None, :],
        }
        feeds = {name: known[name].astype(kind) for name, kind in self.inputs}
        try:
            output = self.session.run([self.output], feeds)[0]
        # ONNX Runtime's errors have no common base.
        except Exception as error:
            message = f"The model {self.path} failed on a text: {error}"
            raise ModelError(message) from error
        found = np.asarray(output, dtype=np.float32)
        if found.ndim == _TOKENS_RANK:
            return self._pooled(found[0], count=len(ids))
        return found.reshape(-1)

    def _pooled(self, tokens: NDArray[np.float32], *, count: int) -> NDArray[np.float32]:
        """Make one vector of those of the text's own tokens; the rest is padding."""
        own = tokens[:count]
        vector: NDArray[np.float32]
        if self.pooling == "cls":
            vector = own[0]
        elif self.pooling == "last":
            vector = own[-1]
        elif self.pooling == "max":
            vector = own.max(axis=0)
        elif self.pooling == "mean":
            vector = own.mean(axis=0)
        else:
            ways = ", ".join(one for one in POOLINGS if one != "none")
            raise ModelError(
                f"{self.path} gives a vector for each token, and what its folder says of making "
                "one of them cannot be done here. Export it with the output sentence_embedding, "
                f"or set `pooling` in config.json to one of {ways}."
            )
        return vector


def open_graph(session: Any, *, path: Path, pooling: str, padding: int) -> SentenceGraph:  # noqa: ANN401 - ONNX Runtime ships no types
    """Return how to use a session. Raises ModelError for one that cannot embed text."""
    inputs = {one.name: one for one in session.get_inputs()}
    names = ", ".join(inputs)
    if "input_ids" not in inputs or not set(inputs) <= set(_KNOWN_INPUTS):
        raise ModelError(
            f"{path} takes {names}; a sentence model takes input_ids, and may take "
            f"{', '.join(_KNOWN_INPUTS[1:])}. Give a model that embeds text."
        )
    kinds = {name: _TYPES.get(one.type) for name, one in inputs.items()}
    for name, kind in kinds.items():
        if kind is None:
            raise ModelError(f"{path} takes {name} as {inputs[name].type}, which is not known.")
    shape = list(inputs["input_ids"].shape)
    if len(shape) != _IDS_RANK or (isinstance(shape[0], int) and shape[0] != 1):
        raise ModelError(
            f"{path} takes input_ids of shape {shape}; texts are run one at a time, "
            "shape (1, n). Export it with a free or single batch."
        )
    length = shape[1] if isinstance(shape[1], int) else None
    if length is not None and "attention_mask" not in inputs:
        raise ModelError(
            f"{path} always takes {length} tokens and has no attention_mask, so padding would "
            "count. Export it with a free length."
        )
    return SentenceGraph(
        session=session,
        path=path,
        inputs=tuple((name, kind) for name, kind in kinds.items() if kind is not None),
        output=_output(session, pooling=pooling, path=path),
        pooling=pooling,
        length=length,
        padding=padding,
    )


def _output(session: Any, *, pooling: str, path: Path) -> str:  # noqa: ANN401 - ONNX Runtime ships no types
    """Return the output to read: the text's own vector if there is one, else its tokens'."""
    ranks = {one.name: len(one.shape) for one in session.get_outputs()}
    if not ranks:
        raise ModelError(f"{path} has no output. Give a model that embeds text.")
    for name in (*_WHOLE, *_TOKENS):
        if name in ranks and (name in _WHOLE or pooling != "none"):
            return name
    wanted = _WHOLE_RANK if pooling == "none" else _TOKENS_RANK
    usable = [name for name in ranks if name != _NO_VECTOR] or list(ranks)
    return str(next((name for name in usable if ranks[name] == wanted), usable[0]))
