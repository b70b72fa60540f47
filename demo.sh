#!/usr/bin/env bash
# The main job in a minute: index this folder, ask it questions, offline. Called by make demo.
set -euo pipefail
cd "$(dirname "$0")"
trivium=${1:-trivium}
export TRIVIUM_HOME="$PWD/.demo"
rm -rf "$TRIVIUM_HOME"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
ask() { say "\$ trivium search \"$1\" ."; "$trivium" search "$1" . --limit 3; }

say "1. The first answer builds the index and knows words and meaning: the instant model is in the package."
ask "how are two rankings fused"
ask "what happens to passwords in files"

say "2. The text that answers, packed into 300 tokens, as an agent would ask for it."
say "\$ trivium context \"how are vectors stored\" . --max-tokens 300"
"$trivium" context "how are vectors stored" . --max-tokens 300

say "3. What the index holds."
say "\$ trivium status ."
"$trivium" status .

say "4. And by structure: who calls a function, and who calls those."
say "\$ trivium graph callers text_key . --depth 2"
"$trivium" graph callers text_key . --depth 2

say "What to try next"
cat <<TEXT
  source .venv/bin/activate               then, in any folder of yours:
  trivium search "your question" .        words and meaning, at once
  trivium index . --model minilm          better vectors; can be interrupted
  trivium search "your question" . --explain --json
  trivium graph impact src/some/file.py . what may break when it changes
  trivium status . ; trivium doctor
  trivium serve .                         HTTP on 127.0.0.1:7700     (docs/http.md)
  trivium mcp .                           for coding agents          (docs/mcp.md)
TEXT
