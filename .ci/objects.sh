#!/usr/bin/env bash
# Tests file storage in an S3 bucket: runs the tests of images, data exports and files against an S3 server over an
# unreliable connection, and the tests of a failing bucket.
# Called by ./test. Needs Python and PostgreSQL.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/python.sh
. .ci/python.sh
python_libraries tests/objects
folder=$(mktemp -d)
mkfifo "$folder/ends" "$folder/said"
"$libraries/bin/python" -B tests/objects/server.py <"$folder/ends" >"$folder/said" &
server=$!
exec 3>"$folder/ends"
trap 'exec 3>&-; wait "$server" || true; rm -rf "$folder"' EXIT
read -r LABS_TEST_S3 <"$folder/said"
export LABS_TEST_S3

stories=(marketplace::media:: marketplace::media_changes:: marketplace::pictures:: marketplace::preview:: partner::imagery::
  partner::uploads:: partner::data_exports:: publication::artefacts:: publication::downloads::
  admin::ledgers::the_audit_log_is_archived)
# These tests access the local file folder directly.
without=(--skip range_request_reads_only_that_range --skip what_a_killed_replica_had_not_finished)
run() { cargo test --workspace --test tests --locked -- "$@"; }
LABS_TEST_S3_FAULTS=1 run "${stories[@]}" "${without[@]}"
run objects:: --ignored
