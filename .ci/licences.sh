#!/usr/bin/env bash
# Checks the licence of every linked crate against the list in deny.toml. If cargo-deny is installed, also runs the
# other checks of deny.toml.
#
# The vulnerability database is on a code host that some machines cannot reach. If the download fails, the script prints
# a note and skips this check.
set -euo pipefail
cd "$(dirname "$0")/.."

allowed=$(sed -n '/^allow = \[/,/^\]/s/^ *"\(.*\)",$/\1/p' deny.toml)
[ -n "$allowed" ] || { echo "deny.toml lists no licence" >&2; exit 1; }

# A licence expression is a list of AND parts. Of the OR alternatives in a part, one must be allowed.
cargo tree --workspace --locked --edges normal,build --prefix none --no-dedupe --format '{l}|{p}' |
  sort -u |
  allowed=$allowed awk -F'|' '
    BEGIN { n = split(ENVIRON["allowed"], list, "\n"); for (i = 1; i <= n; i++) ok[list[i]] = 1 }
    function any(part, words, k, i) {
      gsub(/[()]/, "", part)
      k = split(part, words, / OR | *\/ */)
      for (i = 1; i <= k; i++) if (words[i] in ok) return 1
      return 0
    }
    NF == 2 {
      sub(/ \(\*\)$/, "", $2)
      k = split($1, parts, / AND /)
      good = k > 0
      for (i = 1; i <= k; i++) if (!any(parts[i])) good = 0
      if (!good) { print "not in deny.toml: " ($1 == "" ? "no licence" : $1) ", of " $2; bad = 1 }
      crates++
    }
    END { if (!bad) print crates " crates, all under licences that deny.toml allows"; exit bad }'

if ! command -v cargo-deny >/dev/null; then
  echo "note: cargo-deny is not installed: vulnerabilities, bans and sources are not checked"
  exit 0
fi
cargo deny --offline check --hide-inclusion-graph licenses bans sources
if cargo deny fetch db >/dev/null 2>&1; then
  cargo deny check --hide-inclusion-graph advisories
else
  echo "note: the list of vulnerabilities cannot be fetched here: that check is left out"
fi
