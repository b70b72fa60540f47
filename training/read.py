"""A teacher's 8-bit model and the texts of a training -> its vectors of them, kept in a folder.

The long step where there is no GPU. It may be stopped at any time; run again, it goes on. The
same arguments, given to training.train with the same folder, then find everything read.

    python -m training.read --pairs pairs.jsonl.xz --teacher FOLDER --keep VECTORS --sample 100000
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from training import corpus, vectors


def main() -> None:
    """Read words, phrases, questions, windows and answers, by each teacher in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    corpus.add_arguments(parser)
    parser.add_argument("--teacher", type=Path, action="append", required=True)
    parser.add_argument("--keep", type=Path, required=True, help="where the vectors go")
    asked = parser.parse_args()
    began = time.monotonic()

    def say(what: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} {time.monotonic() - began:7.1f} s  {what}", flush=True)

    texts = corpus.read(asked)
    say(f"{len(texts.pairs)} pairs, {time.process_time():.0f} s of one core so far")
    total = 0.0
    for teacher in asked.teacher:
        for name in ("words", "phrases", "asks", "windows", "answers"):
            kept = vectors.encode(
                getattr(texts, name),
                folder=teacher,
                keep=asked.keep,
                max_length=asked.tokens,
                processes=asked.processes,
                say=say,
            )
            total += kept.seconds
            say(
                f"{teacher.name} {name}: {len(kept.vectors)} texts, {kept.read} of {kept.blocks} "
                f"blocks read now; {kept.seconds:.0f} s of one core in all"
            )
    say(f"all read: {total:.0f} s of one core")


if __name__ == "__main__":
    main()
