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
  admin::ledgers::archived_audit_log_verifies)
# The first two access the local file folder directly. The third waits for three uploads that store at the same time,
# which a slow bucket delays beyond the limit of a lock.
without=(publication::downloads::range_request_reads_only_that_range
  marketplace::media::unfinished_files_of_killed_replica_are_deleted_after_a_day
  partner::uploads::concurrent_uploads_respect_daily_quota)
run() { cargo test --workspace --test tests --locked -- "$@"; }
# A filter without a test means that the test was renamed.
known=$(run --list)
for filter in "${stories[@]}" "${without[@]}"; do
  grep -q "^$filter" <<<"$known" || {
    echo "no test is called $filter: .ci/objects.sh needs its new name" >&2
    exit 1
  }
done
LABS_TEST_S3_FAULTS=1 run "${stories[@]}" "${without[@]/#/--skip=}"
run objects:: --ignored
