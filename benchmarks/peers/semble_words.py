"""semble without its model: files cut and indexed by words, and the index saved, as it does."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class NoModel:
    """Takes no time: a vector of one number for each text."""

    dim = 1

    def encode(self, texts: Sequence[str], **_: object) -> NDArray[np.float32]:
        import numpy as np

        return np.ones((len(texts), self.dim), np.float32)


def main() -> None:
    """Index a folder, and print what it took as JSON."""
    from semble.index.create import create_index_from_path
    from semble.index.index import SembleIndex
    from semble.types import ContentType

    root, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    content = (ContentType.CODE, ContentType.DOCS, ContentType.CONFIG)
    model = NoModel()
    cpu, clock = time.process_time(), time.perf_counter()
    words, vectors, chunks, files = create_index_from_path(
        root, model=model, content=content, display_root=root
    )
    made = SembleIndex(
        model, words, vectors, chunks, "none", root=root, content=content, manifest=files
    )
    made.save(folder)
    took = {"cpu_s": time.process_time() - cpu, "s": time.perf_counter() - clock}
    print(json.dumps({**took, "files": len(files), "chunks": len(chunks)}))


if __name__ == "__main__":
    main()
