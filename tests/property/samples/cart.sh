#!/usr/bin/env bash
# A shopping cart.
source ./store.sh
export LIMIT=10
# Puts an item into the cart.
add() {
  local item="$1"
  if (( ${#items[@]} >= LIMIT )); then echo "more than $LIMIT" >&2; return 1; fi
  items+=("$item"); cat <<TEXT
function not_one() { $item }
TEXT
}
function total { echo "${#items[@]}"; }
for x in "$@"; do add "$x" || break; done
