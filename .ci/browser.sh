#!/usr/bin/env bash
# Runs the browser tests in a real Chromium against the service:
# - playground and reference, with the reference's code samples: an empty service in a temporary folder, with two staff
#   members and a machine client created on the command line, and one registered partner
# - sample storefront and board, and the daily jobs of staff: a service with sample data
#
# With `short`, only a sign-in to the playground and to an account, the pricing page's data and the validity of the HTML.
#
# Called by ./test. Needs Node, Chromium, Python and PostgreSQL.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/python.sh
. .ci/python.sh
python_libraries tests/clients
export LABS_MCP=true
# shellcheck source=.ci/service.sh
. .ci/service.sh

# The second service creates its sample data while the playground tests run against the first. It allows the origin of
# the sample pages (their port is chosen here) and more sign-in attempts than a person makes.
sample_port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
LABS_EMPTY=false "$labs" serve --listen 127.0.0.1:0 --folder "$folder/sample" --log warn --attempts-per-minute 600 \
  --cors-origins "http://127.0.0.1:$sample_port" >"$folder/sample-said" &
with_sample=$!
trap 'kill "$service" "$with_sample" 2>/dev/null || true; wait "$service" "$with_sample" || true; rm -rf "$folder"' EXIT

staff LABS_TEST_STAFF administrator
staff LABS_TEST_LIMITED reviewer
client LABS_TEST_CLIENT storefront
{ read -r LABS_TEST_PERSON_EMAIL && read -r LABS_TEST_PERSON_PASSWORD; } < <(
  "$libraries/bin/python" -B tests/clients/administrator.py "$LABS_TEST_BASE" "$folder/labs/mail"
)
export LABS_TEST_PERSON_EMAIL LABS_TEST_PERSON_PASSWORD LABS_TEST_PYTHON="$libraries/bin/python"
export LABS_TEST_MAILS="$folder/labs/mail"

cd playground
if [ "${1:-}" = short ]; then
  parts=(playground account)
else
  parts=(playground daily tasks layout reference reading pages account samples)
fi
files=("${parts[@]/#/test/}")
node --test --test-concurrency=1 --test-reporter=spec "${files[@]/%/.test.mjs}"

# Tests the data of a pricing page. The test reads it with openapi-fetch and types generated from the contract.
(cd test/pricing && npm test --silent)

# Tests the sample storefront and board.
until grep -q 'Labs is ready at' "$folder/sample-said"; do
  kill -0 "$with_sample" || { echo "the service with sample data did not start" >&2; exit 1; }
  sleep 0.2
done
sample_base=$(sed -n 's/^Labs is ready at //p' "$folder/sample-said")

# Validates the HTML of all pages. The sample data contains a changelog entry and a blog post to render.
LABS_TEST_BASE=$sample_base node --test --test-reporter=spec test/validity.test.mjs
if [ "${1:-}" = short ]; then exit; fi

(
  cd sample
  LABS_TEST_BASE=$sample_base LABS_SAMPLE_PORT=$sample_port LABS_FOLDER=$folder/sample npm test --silent
)

# Performs the daily jobs of staff. They change the sample data, so they come last.
for role in reviewer community editor support account_manager administrator; do
  staff "LABS_TEST_$(tr '[:lower:]' '[:upper:]' <<<"$role")" "$role" "${role/_/.}" "$folder/sample"
done
LABS_TEST_BASE=$sample_base LABS_FOLDER=$folder/sample node --test --test-reporter=spec test/jobs.test.mjs
