"""Does the built wheel work alone, with no extras? Run by `make wheel` with its bin folder."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    bin_folder = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "notes"
        folder.mkdir()
        (folder / "a.md").write_text("# Alpha\n\nThe quick brown fox.\n", encoding="utf-8")
        (folder / "b.py").write_text("def quick():\n    return 'fox'\n", encoding="utf-8")
        environment = {"PATH": "/usr/bin:/bin", "TRIVIUM_HOME": str(Path(place) / "home")}
        done = subprocess.run(
            [bin_folder / "trivium", "search", "quick fox", folder, "--json"],
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        )
        answer = json.loads(done.stdout)
        assert {hit["kind"] for hit in answer["results"]} == {"doc", "code"}, answer
        assert (answer["method"], answer["embedder"]) == ("hybrid", "static"), answer
        assert answer["degraded"] == [], answer
        code = "import sys, trivium; sys.exit('numpy' in sys.modules)"
        subprocess.run([bin_folder / "python", "-c", code], check=True)
    sys.stdout.write("the wheel works alone\n")


if __name__ == "__main__":
    main()
