#!/usr/bin/env bash
# The main job in a minute: index this folder, ask it questions, offline. Called by make demo.
set -euo pipefail
cd "$(dirname "$0")"
trivium=${1:-trivium}
export TRIVIUM_HOME="$PWD/.demo"
rm -rf "$TRIVIUM_HOME"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
ask() { say "\$ trivium search \"$1\" ."; "$trivium" search "$1" . --limit 3; }

say "1. The first answer comes at once: words, no model."
ask "one writer at a time"

say "2. trivium index adds meaning: a real embedding model, on this machine, about a minute."
say "\$ trivium index ."
time "$trivium" index .

say "3. Now by words and meaning."
ask "how are vectors stored"
ask "can an interrupted commit damage the index"
ask "keep passwords out of the index"

say "4. And by structure: who calls a function, and who calls those."
say "\$ trivium graph callers text_key . --depth 2"
"$trivium" graph callers text_key . --depth 2

say "What to try next"
cat <<TEXT
  source .venv/bin/activate               then, in any folder of yours:
  trivium search "your question" .        words at once
  trivium index .                         adds meaning; can be interrupted
  trivium search "your question" . --explain --json
  trivium graph impact src/some/file.py . what may break when it changes
  trivium status . ; trivium doctor
  trivium serve .                         HTTP on 127.0.0.1:7700     (docs/http.md)
  trivium mcp .                           for coding agents          (docs/mcp.md)
TEXT
