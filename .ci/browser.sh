#!/usr/bin/env bash
# The playground in a real Chromium against the service itself: an empty one of its own, in a folder that goes away,
# with two staff members made on the command line. ./test calls this; it needs Node, Chromium and PostgreSQL.
set -euo pipefail
cd "$(dirname "$0")/.."

labs=${CARGO_TARGET_DIR:-target}/debug/labs
folder=$(mktemp -d)
trap 'kill "$service" 2>/dev/null && wait "$service" || true; rm -rf "$folder"' EXIT

mkfifo "$folder/said"
"$labs" serve --empty --listen 127.0.0.1:0 --folder "$folder/labs" --log warn >"$folder/said" &
service=$!
read -r first <"$folder/said"
base=${first##* }
case $base in http://*) ;; *) echo "the service did not start: $first" >&2; exit 1 ;; esac

# staff <variable prefix> <role>: makes a person, and says how to sign in to the tests.
staff() {
  local made
  made=$("$labs" staff create --folder "$folder/labs" --email "$2@labs.example" --name "Test of $2" --role "${2^^}")
  export "$1_EMAIL=$2@labs.example"
  export "$1_PASSWORD=$(sed -n 's/^ *password  *//p' <<<"$made")"
  export "$1_TOTP_SECRET=$(sed -n 's/^ *authenticator  *//p' <<<"$made")"
}
staff LABS_TEST_STAFF administrator
staff LABS_TEST_LIMITED reviewer

cd playground
LABS_TEST_BASE=$base node --test --test-concurrency=1 --test-reporter=spec test/playground.test.mjs test/reference.test.mjs
